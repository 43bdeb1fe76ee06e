//! Bytes to a [`Document`]: metadata, and a tree of sections whose every block can be traced to the byte.
//!
//! Whatever the format, a document has one text, and its sections are ranges of it. Of markdown and plain text that
//! text is the file itself; of formats with markup it is what a person reads, written as light markdown (`## Heading`,
//! `- item`, `| cell | cell |`), and [`Document::origin`] knows where each stretch of it stands in the file.

mod front_matter;
mod markdown;
mod origin;

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use origin::{Origin, Place};

use crate::error::{Error, ErrorCode, Result};

/// A file that has been read and taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The file's name as the caller gave it, with `/` between folders.
    pub source: String,
    /// The text that sections and chunks are ranges of.
    pub text: String,
    /// Where that text stands in the file.
    pub origin: Origin,
    /// What is known about the document as a whole.
    pub metadata: Metadata,
    /// Its sections in reading order, a parent before its children, those without any text of their own included.
    pub sections: Vec<Section>,
    /// What was passed over while reading, in words for a person.
    pub warnings: Vec<String>,
}

/// What is known about a document as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metadata {
    /// Unique among the documents of an index: from the front matter, else the file's name without its ending.
    pub document_id: String,
    /// From the front matter, else the first heading of level 1, else the file's name without folder and ending.
    pub title: String,
    /// Where the document can be read, if its front matter says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// All further front matter, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, MetadataValue>,
}

/// A value in a document's metadata.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MetadataValue {
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// Any other finite number.
    Float(f64),
    /// A word or a text; dates too, as they are written.
    Keyword(String),
    /// Several of them.
    Keywords(Vec<String>),
}

/// A part of a document under one heading, up to the next heading of any level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// The document's title, then the headings above and of this section, outermost first.
    pub heading_path: Vec<String>,
    /// The number of the section that this one is a part of, always less than its own number.
    pub parent: Option<usize>,
    /// The id that the heading has in the rendered page: its own, else one made from its text as GitHub does.
    pub anchor: Option<String>,
    /// Where the heading stands in the document's text; empty where there is none.
    pub heading: Range<usize>,
    /// The section's own blocks in order, without those of the sections below it.
    pub blocks: Vec<Block>,
}

/// A paragraph, a list, a table or the like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What it is, which decides where it may be cut.
    pub kind: BlockKind,
    /// Where it stands in the document's text.
    pub range: Range<usize>,
}

/// What a block is, which decides where it may be cut when it is larger than a chunk may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Running text, to be cut between sentences.
    Paragraph,
    /// A list or a quotation, to be cut between its lines, each of which may be cut like a paragraph.
    List,
    /// A table, to be cut between its rows, of which each is a line.
    Table {
        /// The lines that every part must begin with, as a range of the document's text at the block's beginning.
        header: Range<usize>,
    },
    /// Code or other text whose lines mean something, to be cut between them.
    Code,
    /// A chunk that somebody else has made: never joined with another block, cut like a paragraph if it must be.
    Ready,
}

impl Document {
    /// Reads a markdown file: `CommonMark` with tables, task lists, footnotes, strikethrough and YAML front matter.
    ///
    /// `source` names the file, in errors and in citations. Files ending in `.md` or `.markdown` are accepted.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidDocument`] when the name has another ending, the bytes are not UTF-8, or the front
    /// matter is not a YAML mapping.
    pub fn parse(source: &str, bytes: &[u8]) -> Result<Self> {
        let source = source.replace('\\', "/");
        let ending = source.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        if !matches!(ending.as_str(), "md" | "markdown") {
            return Err(invalid(&source, "its format is not known")
                .with_hint("Give files ending in .md or .markdown."));
        }
        let body = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let text = std::str::from_utf8(body).map_err(|error| {
            invalid(&source, &format!("byte {} is not valid UTF-8", error.valid_up_to()))
                .with_hint("Save the file with UTF-8 encoding.")
        })?;
        let mut origin = Origin::of(bytes);
        origin.push(0..text.len(), bytes.len() - body.len()..bytes.len());
        markdown::parse(source, text.to_owned(), origin)
    }
}

/// The error for a document that cannot be read.
fn invalid(source: &str, why: &str) -> Error {
    Error::new(ErrorCode::InvalidDocument, format!("`{source}` cannot be read: {why}."))
}
