//! Ready-made chunks, one JSON object a line: what `ibid chunk` writes, and what other programs can write too. Test
//! collections in the layout of BEIR (Thakur et al., 2021) are lines too, each of a whole document: `_id`, `title`,
//! `text`.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::encoding::Decoded;
use super::{Block, BlockKind, Document, MetadataValue, Place, Section, Warning, invalid, outline, text};
use crate::chunk::Chunk;
use ibid_platform::{Error, ErrorCode, Result, json};

/// Warnings about single lines, before they are only counted.
const MAX_WARNINGS: usize = 10;

/// One line of a file of chunks, with its fields in the order in which they are written.
///
/// Written by hand or by another program, a line needs `source` and `content` only. Then `section` may also be one
/// text with ` > ` between headings and be called `heading_path`, `content` may be called `text`, and any field that
/// is not listed here belongs to the document's metadata, as what is in `metadata` does. Lines of the same
/// `document_id`, or else of the same `source`, are of one document; what they say of it counts the first time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ChunkLine {
    /// The file that the chunk was made from.
    pub source: String,
    /// The document's id; by default the file's name without its ending.
    pub document_id: String,
    /// The document's title; by default the heading that all its chunks stand under, else the file's name.
    pub title: String,
    /// The place where the document can be read.
    pub url: Option<String>,
    /// The headings above the chunk, outermost first; the first is the document's title.
    pub section: Vec<String>,
    /// The id of the section's heading in the rendered page.
    pub anchor: Option<String>,
    /// The chunk's number in its document, from 0.
    pub chunk_index: usize,
    /// The number of chunks of the document.
    pub total_chunks: usize,
    /// The chunk's id, which is made from what it says.
    pub id: String,
    /// The text, without the headings.
    pub content: String,
    /// The number of bytes at the beginning of `content` that are repeated from an earlier chunk.
    pub repeated: usize,
    /// The place where the rest of `content` stands in the source.
    pub span: Option<Range<usize>>,
    /// The line of the source that it starts on, from 1.
    pub line: Option<u32>,
    /// The document's further metadata, in the plain form; text like `2026-03-01` is a date.
    #[serde(serialize_with = "plain_fields")]
    pub metadata: BTreeMap<String, MetadataValue>,
}

impl ChunkLine {
    /// Returns a document's chunks in the form that is read again: a line each.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] should a line not be written as JSON.
    pub fn lines(document: &Document, chunks: &[Chunk]) -> Result<String> {
        let mut out = String::new();
        for (chunk, chunk_index) in chunks.iter().zip(0..) {
            let metadata = &document.metadata;
            let section = document.sections.get(chunk.section);
            let line = Self {
                source: document.source.clone(),
                document_id: metadata.document_id.clone(),
                title: metadata.title.clone(),
                url: metadata.url.clone(),
                section: section.map_or_else(Vec::new, |section| section.heading_path.clone()),
                anchor: match document.leaves() {
                    [] => section.and_then(|section| section.anchor.clone()),
                    _ => chunk.anchors(document).into_iter().next().map(|(_, anchor)| anchor),
                },
                chunk_index,
                total_chunks: chunks.len(),
                id: format!("{:016x}", chunk.id()),
                content: chunk.text.clone(),
                repeated: chunk.repeated,
                span: Some(chunk.span.clone()),
                line: Some(chunk.line),
                metadata: metadata.fields.clone(),
            };
            let line = serde_json::to_string(&line)
                .map_err(|error| Error::new(ErrorCode::Internal, error.to_string()))?;
            out.push_str(&line);
            out.push('\n');
        }
        Ok(out)
    }
}

fn plain_fields<S: Serializer>(
    fields: &BTreeMap<String, MetadataValue>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(fields.iter().map(|(name, value)| (name, Value::from(value.clone()))))
}

/// A line as it may be written.
#[derive(Deserialize)]
struct Written {
    /// The field that marks a line as a whole document, which is chunked like any other.
    #[serde(rename = "_id")]
    whole: Option<LineId>,
    source: Option<String>,
    document_id: Option<String>,
    title: Option<String>,
    url: Option<String>,
    #[serde(default, alias = "heading_path")]
    section: Headings,
    anchor: Option<String>,
    // Those that are made anew are read so that they do not become metadata.
    #[serde(default, rename = "chunk_index")]
    _chunk_index: serde::de::IgnoredAny,
    #[serde(default, rename = "total_chunks")]
    _total_chunks: serde::de::IgnoredAny,
    #[serde(default, rename = "id")]
    _id: serde::de::IgnoredAny,
    #[serde(alias = "text")]
    content: String,
    repeated: Option<usize>,
    span: Option<Range<usize>>,
    line: Option<u32>,
    #[serde(default)]
    metadata: serde_json::Map<String, Value>,
    #[serde(flatten)]
    further: serde_json::Map<String, Value>,
}

/// An id, which some programs write as a number.
#[derive(Deserialize)]
#[serde(untagged)]
enum LineId {
    Text(String),
    Number(serde_json::Number),
}

impl Written {
    /// Checks that there is something to search, and makes a line of a whole document one like the others: its id is
    /// the document's, its title is what it says, and its title is its text if it has no other.
    fn completed(mut self) -> Result<Self, String> {
        if let Some(id) = &self.whole {
            let id = match id {
                LineId::Text(id) => id.trim().to_owned(),
                LineId::Number(id) => id.to_string(),
            };
            if id.is_empty() {
                return Err("its `_id` is empty".to_owned());
            }
            let title = self.title.take().unwrap_or_default().trim().to_owned();
            if self.content.trim().is_empty() {
                self.content.clone_from(&title);
            }
            if matches!(self.section, Headings::None(())) && !title.is_empty() {
                self.section = Headings::List(vec![title.clone()]);
            }
            self.title = Some(if title.is_empty() { id.clone() } else { title });
            self.document_id = Some(id);
        }
        if self.content.trim().is_empty() { Err("its content is empty".to_owned()) } else { Ok(self) }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Headings {
    None(()),
    Joined(String),
    List(Vec<String>),
}

impl Default for Headings {
    fn default() -> Self {
        Self::None(())
    }
}

impl Headings {
    fn into_path(self) -> Vec<String> {
        let headings = match self {
            Self::None(()) => Vec::new(),
            Self::Joined(text) => text.split(" > ").map(str::to_owned).collect(),
            Self::List(headings) => headings,
        };
        let headings = headings.iter().map(|heading| outline::shortened(heading.trim()));
        headings.filter(|heading| !heading.is_empty()).take(outline::MAX_DEPTH).collect()
    }
}

pub(super) fn parse(source: &str, decoded: &Decoded) -> Result<Vec<Document>> {
    let mut drafts: Vec<LineDraft> = Vec::new();
    let mut by_key: HashMap<String, usize> = HashMap::new();
    let mut bad: Vec<String> = Vec::new();
    let mut at = 0;
    for (number, line) in decoded.text.split_inclusive('\n').enumerate() {
        let range = at..at + line.trim_end().len();
        at += line.len();
        if line.trim().is_empty() {
            continue;
        }
        let written = json::read::<Written>(line).map_err(|error| error.to_string());
        match written.and_then(Written::completed) {
            Ok(written) => {
                let file = written.source.clone().unwrap_or_else(|| source.to_owned());
                let key = written.document_id.clone().unwrap_or_else(|| file.clone());
                if written.whole.is_some() && by_key.contains_key(&key) {
                    bad.push(format!("line {} (an earlier line has the same `_id`)", number + 1));
                    continue;
                }
                let draft = *by_key.entry(key).or_insert_with(|| {
                    drafts.push(LineDraft::new(&file));
                    drafts.len() - 1
                });
                let span = decoded.origin.place(&range).span;
                drafts[draft].add(written, Place { span, line: number as u32 + 1 });
            }
            Err(why) => bad.push(format!("line {} ({why})", number + 1)),
        }
    }
    if drafts.is_empty() {
        let why = bad.first().map_or("it has no line", String::as_str);
        return Err(invalid(source, why).with_hint("Each line is an object with `source` and `content`."));
    }
    let more = bad.len().saturating_sub(MAX_WARNINGS);
    bad.truncate(MAX_WARNINGS);
    if more > 0 {
        bad.push(format!("{more} more"));
    }
    let mut documents: Vec<Document> = drafts.into_iter().map(LineDraft::into_document).collect();
    if let Some(first) = documents.first_mut() {
        let bad = bad.into_iter().map(|line| Warning::new("lines that cannot be read are skipped", line));
        first.warnings.extend(decoded.warnings.iter().cloned().chain(bad));
    }
    Ok(documents)
}

/// A document whose lines are being read.
struct LineDraft {
    document: Document,
    /// True if all paths so far begin with the same heading.
    common: Option<String>,
    is_common: bool,
    /// True if it is a whole document, whose title may be no more than its id and then is no heading.
    is_whole: bool,
}

impl LineDraft {
    fn new(source: &str) -> Self {
        let document = Document { source: source.replace('\\', "/"), ..Document::default() };
        Self { document, common: None, is_common: true, is_whole: false }
    }

    /// Adds a chunk that stands at a place of the file of chunks.
    fn add(&mut self, written: Written, place: Place) {
        let Document { text, origin, metadata, sections, warnings, .. } = &mut self.document;
        for (kept, said) in
            [(&mut metadata.document_id, written.document_id), (&mut metadata.title, written.title)]
        {
            if kept.is_empty() {
                *kept = said.unwrap_or_default();
            }
        }
        if metadata.url.is_none() {
            metadata.url = written.url;
        }
        let fields = written.metadata.into_iter().chain(written.further);
        let new = fields.filter(|(name, _)| !metadata.fields.contains_key(name));
        let new: Vec<_> =
            new.filter_map(|(name, value)| Some((name, MetadataValue::from_json(value)?))).collect();
        metadata.put_all(new, warnings);

        let path = written.section.into_path();
        match (&self.common, path.first()) {
            (None, Some(first)) if sections.is_empty() => self.common = Some(first.clone()),
            (Some(common), Some(first)) if common == first => {}
            _ => self.is_common = false,
        }
        let before = sections.last().and_then(|section| section.blocks.last());
        let before = before.map_or("", |block| &text[block.range.clone()]);
        // Repeated words stand somewhere else; the rest is what the span tells the place of. Words that the chunk
        // before lacks, since it was left out or there is none, are this one's own.
        let is_repeated =
            |at: &usize| written.content.get(..*at).is_some_and(|start| before.contains(start.trim()));
        let repeated = written.repeated.filter(is_repeated).unwrap_or(0);
        let range = append(text, &written.content);
        // Lines count from 1, so 0 says nothing.
        let told = written.line.filter(|line| *line > 0);
        let line = told.unwrap_or(if written.span.is_some() { 1 } else { place.line });
        let span = written.span.map_or(place.span, |span| span.start..span.end.max(span.start));
        origin.push_placed(range.start + repeated..range.end, Place { span, line });

        let anchor = written.anchor;
        let mut blocks = vec![Block { kind: BlockKind::Ready { repeated }, range: range.clone() }];
        if written.whole.is_some() {
            self.is_whole = true;
            let shifted = |block: Range<usize>| range.start + block.start..range.start + block.end;
            blocks = text::paragraphs(&written.content)
                .map(|block| Block { kind: BlockKind::Paragraph, range: shifted(block) })
                .collect();
        } else if let Some(last) = sections.last_mut()
            && last.heading_path == path
            && last.anchor == anchor
        {
            return last.blocks.append(&mut blocks);
        }
        sections.push(Section { heading_path: path, anchor, blocks, ..Section::default() });
    }

    fn into_document(self) -> Document {
        let mut document = self.document;
        let common = self.common.filter(|_| self.is_common);
        document.metadata.complete(&document.source, common.as_deref());
        let title = outline::shortened(&document.metadata.title);
        for section in &mut document.sections {
            if self.is_whole && section.heading_path.is_empty() {
                continue;
            }
            if section.heading_path.first() != Some(&title) {
                section.heading_path.insert(0, title.clone());
            }
        }
        document
    }
}

/// Adds a chunk behind a blank line. Returns where it stands.
fn append(text: &mut String, content: &str) -> Range<usize> {
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    let start = text.len();
    text.push_str(content);
    start..text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use ibid_platform::ErrorCode;

    fn line() -> ChunkLine {
        ChunkLine {
            source: "guide/a.md".into(),
            document_id: "a".into(),
            title: "Tea".into(),
            url: Some("/tea".into()),
            section: vec!["Tea".into(), "Storage".into()],
            anchor: Some("storage".into()),
            chunk_index: 1,
            total_chunks: 2,
            id: "x".into(),
            content: "Header\nKeep it dark.".into(),
            repeated: 7,
            span: Some(90..103),
            line: Some(9),
            metadata: [
                ("year".to_owned(), MetadataValue::Integer(2026)),
                ("checked".to_owned(), MetadataValue::Date("2026-03-01".parse().unwrap())),
                ("drugs".to_owned(), MetadataValue::Keywords(vec!["tea".into()])),
            ]
            .into(),
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let mut first = line();
        first.section.pop();
        (first.anchor, first.repeated, first.content) = (None, 0, "Header\nSteep.".into());
        let file = [first, line()].map(|line| serde_json::to_string(&line).unwrap()).join("\n");
        assert!(file.starts_with(
            r#"{"source":"guide/a.md","document_id":"a","title":"Tea","url":"/tea","section":"#
        ));
        let documents = parse("chunks.jsonl", file.as_bytes()).unwrap();
        let [document] = documents.as_slice() else { panic!("{} documents", documents.len()) };
        assert_eq!(document.source, "guide/a.md");
        assert_eq!((document.metadata.document_id.as_str(), document.metadata.title.as_str()), ("a", "Tea"));
        assert_eq!(document.metadata.fields, line().metadata);
        assert_eq!(document.text, "Header\nSteep.\n\nHeader\nKeep it dark.");
        assert_eq!(document.sections.len(), 2);
        let section = &document.sections[1];
        assert_eq!((&section.heading_path, &section.anchor), (&line().section, &line().anchor));
        let [Block { kind: BlockKind::Ready { repeated: 7 }, range }] = section.blocks.as_slice() else {
            panic!("no block")
        };
        assert_eq!(document.origin.place(range), Place { span: 90..103, line: 9 });
    }

    #[test]
    fn words_that_no_chunk_before_has_are_not_repeated() {
        let file = "{\"content\": \"One two.\", \"repeated\": 4}\n{\"content\": \"two. Three.\", \"repeated\": 4}\n\
                    {\"content\": \"two. Four.\", \"repeated\": 4}\n{\"content\": \"\u{e9}\", \"repeated\": 1}\n\
                    {\"source\": \"b\", \"content\": \"two. Five.\", \"repeated\": 4}\n";
        let documents = parse("a.jsonl", file.as_bytes()).unwrap();
        let blocks = documents.iter().flat_map(|document| &document.sections[0].blocks);
        let repeated: Vec<_> = blocks
            .map(|block| match block.kind {
                BlockKind::Ready { repeated } => repeated,
                _ => panic!("{block:?}"),
            })
            .collect();
        assert_eq!(repeated, [0, 4, 4, 0, 0]);
        assert_eq!(documents[0].origin.place(&(0..8)).span, 0..file.find('\n').unwrap());
    }

    #[test]
    fn other_programs_may_write_less() {
        let file = "{\"source\": \"b.txt\", \"section\": \"One > Two\", \"text\": \"x\", \"level\": 3}\n\n\
                    {\"source\": \"b.txt\", \"heading_path\": [\"One\"], \"content\": \"y\"}\n\
                    {\"document_id\": \"c\", \"content\": \"z\", \"section\": null}\n";
        let documents = parse("chunks.jsonl", file.as_bytes()).unwrap();
        let ids: Vec<_> =
            documents.iter().map(|d| (d.metadata.document_id.as_str(), d.metadata.title.as_str())).collect();
        assert_eq!(ids, [("b", "One"), ("c", "chunks")]);
        let paths: Vec<_> = documents[0].sections.iter().map(|s| s.heading_path.join(" > ")).collect();
        assert_eq!(paths, ["One > Two", "One"]);
        assert_eq!(documents[0].metadata.fields["level"], MetadataValue::Integer(3));
        let place = documents[1].origin.place(&(0..1));
        assert_eq!((place.line, file[place.span].starts_with("{\"document_id\"")), (4, true));
    }

    #[test]
    fn a_line_may_be_a_whole_document() {
        let file = "{\"_id\": \"a\", \"title\": \"Tea\", \"text\": \"One.\\n\\nTwo.\", \"metadata\": {\"year\": 2026}}\n\
                    {\"_id\": 7, \"title\": \"\", \"text\": \"z\"}\n\
                    {\"_id\": \"c\", \"title\": \"Only a title\", \"text\": \"\"}\n\
                    {\"_id\": \"a\", \"text\": \"again\"}\n{\"_id\": \"\", \"text\": \"x\"}\n";
        let documents = parse("corpus.jsonl", file.as_bytes()).unwrap();
        let ids: Vec<_> =
            documents.iter().map(|d| (d.metadata.document_id.as_str(), d.metadata.title.as_str())).collect();
        assert_eq!(ids, [("a", "Tea"), ("7", "7"), ("c", "Only a title")]);
        let paths: Vec<_> = documents.iter().map(|d| d.sections[0].heading_path.join(" > ")).collect();
        assert_eq!(paths, ["Tea", "", "Only a title"]);
        let blocks: Vec<_> =
            documents[0].sections[0].blocks.iter().map(|b| (&b.kind, b.range.clone())).collect();
        assert_eq!(blocks, [(&BlockKind::Paragraph, 0..5), (&BlockKind::Paragraph, 6..10)]);
        assert_eq!(documents[0].metadata.fields["year"], MetadataValue::Integer(2026));
        assert_eq!(documents[1].origin.place(&(0..1)).line, 2);
        assert_eq!(documents[2].text, "Only a title");
        assert_eq!(documents[0].warnings.len(), 2, "{:?}", documents[0].warnings);
    }

    #[test]
    fn a_line_of_zero_says_nothing() {
        let file = r#"{"content": "x", "line": 0, "span": {"start": 3, "end": 4}}"#;
        let document = &parse("a.jsonl", file.as_bytes()).unwrap()[0];
        assert_eq!(document.origin.place(&(0..1)), Place { span: 3..4, line: 1 });
    }

    #[test]
    fn bad_lines_are_named_and_all_bad_is_an_error() {
        let file = "{\"content\": \"x\"}\n{\"content\": }\n{\"source\": \"b\"}\n{\"content\": \" \"}\n[1]\n";
        let documents = parse("c.jsonl", file.as_bytes()).unwrap();
        assert_eq!(documents[0].warnings.len(), 4);
        assert!(documents[0].warnings[0].about.starts_with("line 2 "), "{:?}", documents[0].warnings);
        let many = "{\"content\": \"x\"}\n".to_owned() + &"{}\n".repeat(50);
        assert_eq!(parse("c.jsonl", many.as_bytes()).unwrap()[0].warnings.len(), MAX_WARNINGS + 1);
        let error = parse("c.jsonl", b"{}\n").unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidDocument);
        assert!(error.message().contains("line 1"), "{error}");
        assert!(parse("c.jsonl", "[".repeat(100_000).as_bytes()).is_err());
    }
}
