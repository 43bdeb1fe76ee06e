//! The judged thing that a hit is.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Judgements;
use ibid_index::{Index, SectionRecord, StoredChunk};
use ibid_platform::Result;
use ibid_retrieve::Hit;

/// The things that a name stands for, from coarse to fine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum NameKind {
    Document,
    Section,
    Chunk,
}

/// The names in judgements, and what they stand for in one index.
///
/// A name is a document's id, its address or the file it was read from; one of these with `#` and the anchor of a
/// section, which stands for the section with all that is in it; or a chunk's id. What is finest counts: a hit in a
/// section that was judged is that section, in another section of a judged document that document. A small section that
/// was merged with its neighbours is the chunk that its heading stands in, which may so be several sections.
///
/// Hits that nobody judged count as documents, or where a query's judgements name sections or chunks, as such.
#[derive(Debug)]
pub(crate) struct Naming {
    /// The names of a document, by its id.
    documents: HashMap<String, Vec<String>>,
    /// The judged sections of a document, by its id.
    sections: HashMap<String, Vec<(SectionRecord, String)>>,
    /// The names of the sections that were merged into a chunk, by the chunk's id.
    merged: HashMap<String, Vec<String>>,
    kinds: HashMap<String, NameKind>,
    unknown: Vec<String>,
}

impl Naming {
    /// Looks up all names of the judgements in an index, whose whole text must be there if any of them is not a
    /// document's.
    ///
    /// # Errors
    /// [`ErrorCode::IndexIncomplete`](ibid_platform::ErrorCode::IndexIncomplete) when text is missing, and
    /// [`ErrorCode::IndexCorrupt`](ibid_platform::ErrorCode::IndexCorrupt) for what only a crafted file has.
    pub(crate) fn new(index: &Index, judgements: &Judgements) -> Result<Self> {
        let mut naming = Self {
            documents: HashMap::new(),
            sections: HashMap::new(),
            merged: HashMap::new(),
            kinds: HashMap::new(),
            unknown: Vec::new(),
        };
        let library = NamedDocuments::new(index)?;
        let mut rest = Vec::new();
        let mut seen = HashSet::new();
        for name in judgements.iter().flat_map(|(_, grades)| grades.keys()).filter(|name| seen.insert(*name))
        {
            match library.document(name) {
                Some(id) => {
                    naming.documents.entry(id.to_owned()).or_default().push(name.clone());
                    naming.kinds.insert(name.clone(), NameKind::Document);
                }
                None => rest.push(name.as_str()),
            }
        }
        if !rest.is_empty() {
            naming.find_parts(index, &library, &rest)?;
        }
        Ok(naming)
    }

    /// Looks for names of sections and of chunks.
    fn find_parts(&mut self, index: &Index, library: &NamedDocuments, names: &[&str]) -> Result<()> {
        let mut sections: HashMap<(String, String), SectionRecord> = HashMap::new();
        for (document, section) in index.sections()? {
            if let Some(anchor) = section.anchor.clone() {
                sections.entry((document, anchor)).or_insert(section);
            }
        }
        let mut chunks: HashSet<String> = HashSet::new();
        let mut by_document: HashMap<String, Vec<StoredChunk>> = HashMap::new();
        for number in 0..index.chunk_end() {
            if let Some(chunk) = index.chunk(number)? {
                chunks.insert(hexadecimal(chunk.id));
                by_document.entry(chunk.place.document.metadata.document_id.clone()).or_default().push(chunk);
            }
        }
        for &name in names {
            let part = name.rsplit_once('#').and_then(|(document, anchor)| {
                let document = library.document(document)?.to_owned();
                let section = sections.get(&(document.clone(), anchor.to_owned()))?;
                Some((document, section.clone()))
            });
            if chunks.contains(name) {
                self.kinds.insert(name.to_owned(), NameKind::Chunk);
            } else if let Some((document, section)) = part {
                let own = by_document.get(&document).map_or(&[][..], Vec::as_slice);
                if !own.iter().any(|chunk| depth(&section, &chunk.place.section).is_some()) {
                    let holders =
                        own.iter().filter(|chunk| holds(chunk, &section)).map(|chunk| hexadecimal(chunk.id));
                    let holders: Vec<String> = holders.collect();
                    if holders.is_empty() {
                        self.unknown.push(name.to_owned());
                        continue;
                    }
                    for chunk in holders {
                        self.merged.entry(chunk).or_default().push(name.to_owned());
                    }
                }
                self.sections.entry(document).or_default().push((section, name.to_owned()));
                self.kinds.insert(name.to_owned(), NameKind::Section);
            } else {
                self.unknown.push(name.to_owned());
            }
        }
        Ok(())
    }

    /// The names that nothing in the index has, in the order of the judgements.
    pub(crate) fn unknown(&self) -> &[String] {
        &self.unknown
    }

    /// Counts the names that were looked up.
    pub(crate) fn len(&self) -> usize {
        self.kinds.len() + self.unknown.len()
    }

    /// Lists the hits of a query by the names that its judgements use, each name once, where it came first. A passage
    /// that is in several places counts for all of them, one after the other.
    pub(crate) fn results(&self, grades: Option<&BTreeMap<String, i32>>, hits: &[Hit]) -> Vec<String> {
        let empty = BTreeMap::new();
        let grades = grades.unwrap_or(&empty);
        let finest = grades.keys().filter_map(|name| self.kinds.get(name)).max().copied();
        let kind = finest.unwrap_or(NameKind::Document);
        let mut results = Vec::new();
        let mut seen = HashSet::new();
        for hit in hits {
            let first =
                Spot { document: &hit.document_id, path: &hit.heading_path, anchor: hit.anchor.as_deref() };
            let further = hit.duplicates.iter().map(|place| Spot {
                document: &place.document_id,
                path: &place.heading_path,
                anchor: place.anchor.as_deref(),
            });
            for spot in std::iter::once(first).chain(further) {
                let mut names = self.judged(&hit.id, &spot, grades);
                if names.is_empty() {
                    names.push(spot.name(kind, &hit.id));
                }
                for name in names {
                    if seen.insert(name.clone()) {
                        results.push(name);
                    }
                }
            }
        }
        results
    }

    /// Returns true if all that was judged for a query are documents, so that one hit of each is enough.
    pub(crate) fn is_by_document(&self, grades: &BTreeMap<String, i32>) -> bool {
        grades.keys().filter_map(|name| self.kinds.get(name)).all(|kind| *kind == NameKind::Document)
    }

    /// Lists the judged things of a chunk at a place: the chunk, else sections, else a document. It is several sections
    /// where it holds several.
    fn judged(&self, chunk: &str, spot: &Spot, grades: &BTreeMap<String, i32>) -> Vec<String> {
        if self.kinds.get(chunk) == Some(&NameKind::Chunk) && grades.contains_key(chunk) {
            return vec![chunk.to_owned()];
        }
        let is_judged = |name: &&String| grades.contains_key(*name);
        let here = SectionRecord { heading_path: spot.path.to_vec(), anchor: spot.anchor.map(str::to_owned) };
        let sections = self.sections.get(spot.document).map_or(&[][..], Vec::as_slice);
        let around = sections.iter().filter(|(_, name)| is_judged(&name));
        let around = around.filter_map(|(section, name)| Some((depth(section, &here)?, name)));
        let innermost = around.max_by_key(|(depth, _)| *depth).map(|(_, name)| name);
        let merged = self.merged.get(chunk).map_or(&[][..], Vec::as_slice);
        let names: Vec<String> =
            innermost.into_iter().chain(merged.iter().filter(is_judged)).cloned().collect();
        if !names.is_empty() {
            return names;
        }
        let document = self.documents.get(spot.document).and_then(|names| names.iter().find(is_judged));
        document.into_iter().cloned().collect()
    }
}

/// A place of a hit.
struct Spot<'a> {
    document: &'a str,
    path: &'a [String],
    anchor: Option<&'a str>,
}

impl Spot<'_> {
    /// Makes the name of a hit that nobody judged: anything, as long as it tells apart what is to be told apart.
    fn name(&self, kind: NameKind, chunk: &str) -> String {
        match (kind, self.anchor) {
            (NameKind::Document, _) => self.document.to_owned(),
            (NameKind::Section, Some(anchor)) => format!("{}#{anchor}", self.document),
            (NameKind::Section, None) => format!("{}#{}", self.document, self.path.join(" > ")),
            (NameKind::Chunk, _) => chunk.to_owned(),
        }
    }
}

/// The way a document of the index is found by each of its names.
struct NamedDocuments {
    /// The document's id by its id or its address.
    names: HashMap<String, String>,
    /// The same by its file, where that is a file of this document only.
    files: HashMap<String, Option<String>>,
}

impl NamedDocuments {
    fn new(index: &Index) -> Result<Self> {
        let (mut names, mut files) = (HashMap::new(), HashMap::new());
        let mut addresses = Vec::new();
        for document in index.documents() {
            let document = document?;
            let id = document.metadata.document_id;
            files
                .entry(document.source)
                .and_modify(|known| *known = None)
                .or_insert_with(|| Some(id.clone()));
            addresses.extend(document.metadata.url.map(|url| (url, id.clone())));
            names.insert(id.clone(), id);
        }
        // An id is stronger than an address that reads the same.
        for (url, id) in addresses {
            names.entry(url).or_insert(id);
        }
        Ok(Self { names, files })
    }

    fn document(&self, name: &str) -> Option<&str> {
        let by_file = || self.files.get(name).and_then(Option::as_ref);
        self.names.get(name).or_else(by_file).map(String::as_str)
    }
}

/// Finds the depth of a section, if `other` is that section or lies within it.
fn depth(section: &SectionRecord, other: &SectionRecord) -> Option<usize> {
    let (path, below) = (&section.heading_path, &other.heading_path);
    let is_same = path == below && section.anchor == other.anchor;
    let is_within = below.len() > path.len() && below.starts_with(path);
    (is_same || is_within).then_some(path.len())
}

/// Returns true if a chunk of an outer section has the section's heading in its text.
fn holds(chunk: &StoredChunk, section: &SectionRecord) -> bool {
    let outer = &chunk.place.section.heading_path;
    let Some((heading, above)) = section.heading_path.split_last() else { return false };
    let is_heading = |line: &str| {
        line.starts_with('#') && {
            let title = line.trim_start_matches('#').trim();
            // What a heading says of itself behind its words, such as `{#id}`, is no part of the path.
            title == heading
                || title.strip_prefix(heading.as_str()).is_some_and(|rest| rest.trim_start().starts_with('{'))
        }
    };
    above.starts_with(outer) && chunk.text.lines().any(is_heading)
}

fn hexadecimal(id: u64) -> String {
    format!("{id:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_document::Document;
    use ibid_document::chunk::{ChunkOptions, chunk};
    use ibid_embed::{Embedder, Embedding, Space, Task};
    use ibid_index::{BuildOptions, Calibration, IndexBuilder};
    use ibid_retrieve::{Query, Retriever};

    const TEA: &str = "---\nurl: https://example.org/tea\n---\n# Tea\n\nSteep it.\n\n## Green tea\n\nAt 80 degrees it \
        gives its best, and at more than that it becomes bitter within a minute or so.\n\n### Storage\n\nKeep it dark.\n\n\
        ## Black tea\n\nBoiling water, and five minutes of patience, is all that this one asks of you in the morning.\n";
    const MATE: &str = "# Mate\n\nDrunk from a gourd.\n";

    fn index(budget: usize, min_size: usize) -> Index {
        let options = ChunkOptions { budget, min_size, ..ChunkOptions::default() };
        let space = Space { name: "x".into(), dimensions: 2, fingerprint: "1".into() };
        let mut builder = IndexBuilder::new(space, options.clone(), BuildOptions::default());
        for (name, text) in [("docs/tea.md", TEA), ("docs/mate.md", MATE), ("docs/copy.md", MATE)] {
            let document = Document::parse(name, text.as_bytes()).unwrap();
            builder.add(&document, &chunk(&document, &options)).unwrap();
        }
        let vectors = vec![Embedding::normalized(vec![1.0, 0.0]); builder.pending_count()];
        builder.embedded(&vectors).unwrap();
        Index::open(builder.assemble().unwrap().finish(Calibration::default()).unwrap()).unwrap()
    }

    /// Finds everything equally near.
    struct Anything(Space);

    impl Embedder for Anything {
        fn space(&self) -> &Space {
            &self.0
        }

        fn embed(&self, texts: &[&str], _task: Task) -> Result<Vec<Embedding>> {
            Ok(vec![Embedding::normalized(vec![1.0, 0.0]); texts.len()])
        }
    }

    /// All chunks of an index as hits, in the order of the index.
    fn hits(index: &Index) -> Vec<Hit> {
        let index = Index::open(index.file().unwrap().to_vec()).unwrap();
        let everything = Anything(index.manifest().space.clone());
        let query = Query { text: "x".into(), limit: 50, ..Query::default() };
        let mut hits = Retriever::new(index, Box::new(everything)).unwrap().retrieve(&query).unwrap().hits;
        hits.sort_by_key(|hit| hit.chunk);
        hits
    }

    fn results(index: &Index, names: &[&str]) -> (Vec<String>, Vec<String>) {
        let lines: Vec<String> = names.iter().map(|name| format!("q\t{name}\t1\n")).collect();
        let judgements = Judgements::parse("qrels", &lines.concat()).unwrap();
        let naming = Naming::new(index, &judgements).unwrap();
        (naming.results(judgements.of("q"), &hits(index)), naming.unknown().to_vec())
    }

    #[test]
    fn documents_have_several_names() {
        let index = index(40, 0);
        let expected = ["docs/copy", "docs/mate", "docs/tea"];
        assert_eq!(results(&index, &["docs/tea"]).0, expected);
        for name in ["https://example.org/tea", "docs/tea.md"] {
            assert_eq!(
                results(&index, &[name]),
                (vec![expected[0].into(), expected[1].into(), name.into()], vec![])
            );
        }
        assert_eq!(results(&index, &["tea", "x#y", "docs/tea#x", "#"]).1, ["#", "docs/tea#x", "tea", "x#y"]);
    }

    #[test]
    fn sections_hold_what_is_below_them() {
        let index = index(40, 0);
        let (found, unknown) = results(&index, &["docs/tea#green-tea", "docs/tea"]);
        assert!(unknown.is_empty());
        assert_eq!(found[2..], ["docs/tea", "docs/tea#green-tea"]);
        // The finest that was judged is what counts, and sections that nobody judged stand on their own.
        let (found, _) = results(&index, &["docs/tea#storage", "docs/tea.md#green-tea"]);
        assert_eq!(
            found[2..],
            ["docs/tea#tea", "docs/tea.md#green-tea", "docs/tea#storage", "docs/tea#black-tea"]
        );
    }

    #[test]
    fn a_merged_section_is_the_chunk_that_has_its_heading() {
        let index = index(800, 64);
        let (found, unknown) = results(&index, &["docs/tea#storage"]);
        assert!(unknown.is_empty(), "{unknown:?}");
        assert!(found.contains(&"docs/tea#storage".to_owned()), "{found:?}");
    }

    #[test]
    fn chunks_are_known_by_their_ids() {
        let index = index(40, 0);
        let id = hits(&index).last().unwrap().id.clone();
        let (found, unknown) = results(&index, &[&id]);
        assert!(unknown.is_empty() && found.contains(&id));
        assert_eq!(found.len(), hits(&index).len());
    }
}
