//! An open index and the embedder of its queries, together: what answers a [`Query`].

use std::ops::Range;

use super::highlight::highlights;
use super::{Hit, Place, Query, Search};
use crate::embed::{Embedder, Space, Task};
use crate::error::{Error, ErrorCode, Result};
use crate::index::{Candidate, Index, StoredPlace};

/// The most hits that one query may ask for.
pub const MAX_LIMIT: usize = 50;
/// The longest query in characters, as long as the longest question.
const MAX_QUERY_CHARACTERS: usize = 10_000;
/// Candidates kept while searching the graph, whatever the limit; see [`Index::search`].
const LEAST_EF: usize = 64;

/// Searches one index.
pub struct Retriever {
    index: Index,
    embedder: Box<dyn Embedder>,
}

impl Retriever {
    /// Puts an index and an embedder together.
    ///
    /// # Errors
    /// [`ErrorCode::ModelMismatch`] when the embedder's space is not the one the index was built in: similarities
    /// between different spaces mean nothing, and would look like results all the same.
    pub fn new(index: Index, embedder: Box<dyn Embedder>) -> Result<Self> {
        check_space(&index, embedder.as_ref())?;
        Ok(Self { index, embedder })
    }

    /// Puts another index in the place of the one that was searched.
    ///
    /// # Errors
    /// As [`Retriever::new`]; then the former index stays.
    pub fn replace_index(&mut self, index: Index) -> Result<()> {
        check_space(&index, self.embedder.as_ref())?;
        self.index = index;
        Ok(())
    }

    /// The index that is searched.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The index that is searched, to be changed.
    pub fn index_mut(&mut self) -> &mut Index {
        &mut self.index
    }

    /// Finds the passages nearest to the query whose score reaches the threshold, best first.
    ///
    /// # Errors
    /// [`ErrorCode::QueryEmpty`] when the query has no text, [`ErrorCode::InvalidOption`] when it is longer than
    /// 10,000 characters or an option is out of range, [`ErrorCode::IndexIncomplete`] when the text of a hit has not
    /// been fetched, see [`Retriever::missing`].
    pub fn retrieve(&self, query: &Query) -> Result<Vec<Hit>> {
        let mut hits = Vec::new();
        for candidate in self.candidates(query)? {
            hits.extend(self.resolve(candidate, query.text.trim())?);
        }
        Ok(hits)
    }

    /// Which bytes of the index file have to be fetched before [`Retriever::retrieve`] can answer the query; see
    /// [`Index::missing`].
    ///
    /// # Errors
    /// As [`Retriever::retrieve`].
    pub fn missing(&self, query: &Query) -> Result<Vec<Range<u64>>> {
        let chunks: Vec<u32> = self.candidates(query)?.iter().map(|candidate| candidate.chunk).collect();
        Ok(self.index.missing(&chunks))
    }

    fn candidates(&self, query: &Query) -> Result<Vec<Candidate>> {
        let text = query.text.trim();
        check(query, text)?;
        let embedding = self.embedder.embed(&[text], Task::Query)?.pop();
        let Some(embedding) = embedding.filter(|embedding| !embedding.is_zero()) else {
            return Ok(Vec::new());
        };
        let threshold = query.threshold.unwrap_or(self.index.manifest().calibration.threshold);
        let mut found = self.index.search(&embedding, query.limit, LEAST_EF.max(query.limit * 4))?;
        found.retain(|candidate| candidate.score >= threshold);
        Ok(found)
    }

    fn resolve(&self, candidate: Candidate, query: &str) -> Result<Option<Hit>> {
        let Some(chunk) = self.index.chunk(candidate.chunk)? else { return Ok(None) };
        let StoredPlace { document, section, index, span, line } = chunk.place;
        Ok(Some(Hit {
            chunk: candidate.chunk,
            id: format!("{:016x}", chunk.id),
            score: candidate.score,
            document_id: document.metadata.document_id,
            title: document.metadata.title,
            url: document.metadata.url,
            source: document.source,
            heading_path: section.heading_path,
            anchor: section.anchor,
            highlights: highlights(query, &chunk.text),
            text: chunk.text,
            span,
            line,
            repeated: chunk.repeated,
            chunk_index: index,
            total_chunks: document.chunks,
            duplicates: chunk.duplicates.into_iter().map(Place::from).collect(),
        }))
    }
}

impl From<StoredPlace> for Place {
    fn from(place: StoredPlace) -> Self {
        let metadata = place.document.metadata;
        Self {
            document_id: metadata.document_id,
            title: metadata.title,
            url: metadata.url,
            source: place.document.source,
            heading_path: place.section.heading_path,
            anchor: place.section.anchor,
            span: place.span,
            line: place.line,
        }
    }
}

impl Search for Retriever {
    async fn search(&self, query: &Query) -> Result<Vec<Hit>> {
        self.retrieve(query)
    }
}

fn check_space(index: &Index, embedder: &dyn Embedder) -> Result<()> {
    let (theirs, ours) = (&index.manifest().space, embedder.space());
    if theirs == ours {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::ModelMismatch,
        format!(
            "This index was built with the model {}, but queries would be embedded with {}.",
            describe(theirs),
            describe(ours)
        ),
    )
    .with_hint("Build the index again with this version of ibid, or load the model it was built with."))
}

fn check(query: &Query, text: &str) -> Result<()> {
    if text.is_empty() {
        return Err(Error::new(ErrorCode::QueryEmpty, "The query is empty.")
            .with_hint("Enter some words to look for."));
    }
    let problem = if text.chars().nth(MAX_QUERY_CHARACTERS).is_some() {
        format!("The query is longer than {MAX_QUERY_CHARACTERS} characters.")
    } else if !(1..=MAX_LIMIT).contains(&query.limit) {
        format!("`limit` is {}; it must be from 1 to {MAX_LIMIT}.", query.limit)
    } else if query.threshold.is_some_and(|threshold| !(-1.0..=1.0).contains(&threshold)) {
        "`threshold` must be a number from -1 to 1.".to_owned()
    } else {
        return Ok(());
    };
    Err(Error::new(ErrorCode::InvalidOption, problem))
}

fn describe(space: &Space) -> String {
    format!("{} ({} dimensions, fingerprint {})", space.name, space.dimensions, space.fingerprint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::{ChunkOptions, chunk};
    use crate::document::Document;
    use crate::embed::Embedding;
    use crate::index::{BuildOptions, Calibration, IndexBuilder};

    /// Counts three letters: enough of a language model to tell texts apart.
    struct Letters(Space);

    impl Letters {
        fn new() -> Self {
            Self(Space { name: "letters".into(), dimensions: 3, fingerprint: "1".into() })
        }
    }

    impl Embedder for Letters {
        fn space(&self) -> &Space {
            &self.0
        }

        fn embed(&self, texts: &[&str], _task: Task) -> Result<Vec<Embedding>> {
            let count = |text: &str, letter| text.chars().filter(|c| *c == letter).count() as f32;
            let vector =
                |text: &&str| Embedding::normalized(['x', 'y', 'z'].map(|letter| count(text, letter)).into());
            Ok(texts.iter().map(vector).collect())
        }
    }

    fn retriever(threshold: f32) -> Retriever {
        let document = Document::parse("a.md", b"# T\n\nxxx\n\n# Y\n\nyyy\n\n# Z\n\nxy\n").unwrap();
        let chunks = chunk(&document, &ChunkOptions { min_size: 0, ..ChunkOptions::default() });
        let mut builder =
            IndexBuilder::new(Letters::new().0, ChunkOptions::default(), BuildOptions::default());
        builder.add(&document, &chunks).unwrap();
        builder.embedded(&Letters::new().embed(&builder.pending(10), Task::Document).unwrap()).unwrap();
        let calibration = Calibration { threshold, ..Calibration::default() };
        let bytes = builder.assemble().unwrap().finish(calibration).unwrap();
        Retriever::new(Index::open(bytes).unwrap(), Box::new(Letters::new())).unwrap()
    }

    fn query(text: &str) -> Query {
        Query { text: text.into(), ..Query::default() }
    }

    #[test]
    fn hits_are_resolved_and_ordered() {
        let hits = retriever(0.1).retrieve(&query(" xxx ")).unwrap();
        let seen: Vec<_> =
            hits.iter().map(|hit| (hit.text.as_str(), hit.heading_path.join("/"), hit.line)).collect();
        assert_eq!(seen, [("xxx", "T".to_owned(), 3), ("xy", "T/Z".to_owned(), 11)]);
        assert_eq!(hits[0].source, "a.md");
        assert_eq!(hits[0].highlights.first(), Some(&(0..3)));
        assert!(hits[0].score > 0.999 && (hits[1].score - 0.707).abs() < 0.01);
    }

    #[test]
    fn the_threshold_is_the_querys_or_the_indexs() {
        let retriever = retriever(0.9);
        assert_eq!(retriever.retrieve(&query("x")).unwrap().len(), 1);
        let all = Query { threshold: Some(-1.0), ..query("x") };
        assert_eq!(retriever.retrieve(&all).unwrap().len(), 3);
        assert_eq!(retriever.retrieve(&Query { limit: 2, ..all }).unwrap().len(), 2);
    }

    #[test]
    fn nothing_known_finds_nothing() {
        assert!(retriever(-1.0).retrieve(&query("qqq")).unwrap().is_empty());
    }

    #[test]
    fn bad_queries_are_refused() {
        let code = |query: Query| retriever(0.0).retrieve(&query).unwrap_err().code();
        assert_eq!(code(query(" \n ")), ErrorCode::QueryEmpty);
        assert_eq!(code(query(&"x".repeat(10_001))), ErrorCode::InvalidOption);
        assert_eq!(code(Query { limit: 0, ..query("x") }), ErrorCode::InvalidOption);
        assert_eq!(code(Query { limit: 51, ..query("x") }), ErrorCode::InvalidOption);
        assert_eq!(code(Query { threshold: Some(f32::NAN), ..query("x") }), ErrorCode::InvalidOption);
    }

    #[test]
    fn a_foreign_model_is_refused() {
        let index = retriever(0.0).index;
        let mut other = Letters::new();
        other.0.fingerprint = "2".into();
        let error = Retriever::new(index, Box::new(other)).err().unwrap();
        assert_eq!(error.code(), ErrorCode::ModelMismatch);
    }
}
