//! Bytes to a [`Document`]: metadata, and sections that know their heading path and their place in the source.
//!
//! A section's text is never rewritten: it is a range of the source, so whatever is shown or cited later can be
//! traced to the byte.

mod front_matter;
mod markdown;

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorCode, Result};

/// A file that has been read and taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The file's name as the caller gave it, with `/` between folders.
    pub source: String,
    /// The whole text of the file, without a byte order mark.
    pub text: String,
    /// What is known about the document as a whole.
    pub metadata: Metadata,
    /// Its sections in reading order, those without any text of their own included.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The document's title, then the headings above and of this section, outermost first.
    pub heading_path: Vec<String>,
    /// The id that the heading has in the rendered page: its own, else one made from its text as GitHub does.
    pub anchor: Option<String>,
    /// The byte ranges of the section's blocks (paragraphs, lists, tables, code) in the document's text, in order.
    pub blocks: Vec<Range<usize>>,
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
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let text = std::str::from_utf8(bytes).map_err(|error| {
            invalid(&source, &format!("byte {} is not valid UTF-8", error.valid_up_to()))
                .with_hint("Save the file with UTF-8 encoding.")
        })?;
        markdown::parse(source, text.to_owned())
    }

    /// The line that a byte of the text lies on, from 1.
    pub fn line_of(&self, byte: usize) -> u32 {
        let before = &self.text.as_bytes()[..byte.min(self.text.len())];
        before.iter().filter(|&&byte| byte == b'\n').count() as u32 + 1
    }
}

/// The error for a document that cannot be read.
fn invalid(source: &str, why: &str) -> Error {
    Error::new(ErrorCode::InvalidDocument, format!("`{source}` cannot be read: {why}."))
}
