//! Records of documents, sections and chunks.

use serde::Serialize;

use ibid_document::{Document, Metadata, Section};
use ibid_platform::deserialize;

/// A document as the index remembers it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DocumentRecord {
    /// The file that the document was read from, as it was named when the index was built.
    pub source: String,
    /// Its id (unique in the index), title, address and further fields.
    pub metadata: Metadata,
    /// A checksum of what the document was read from, by which an update knows it again. Empty where the document is
    /// told with a chunk.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub content_hash: String,
    /// The number of chunks it was cut into, those included that another document has too.
    pub chunks: u32,
}

deserialize!(DocumentRecord by fields: source, metadata, content_hash or String::new(), chunks);

impl DocumentRecord {
    /// Without the checksum, which is made of metadata that are settled.
    pub(super) fn new(document: &Document, chunks: usize) -> Self {
        Self {
            source: document.source.clone(),
            metadata: document.metadata.clone(),
            content_hash: String::new(),
            chunks: chunks as u32,
        }
    }
}

/// A section as the index remembers it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SectionRecord {
    /// The headings above and of the section, outermost first; the first is the document's title.
    pub heading_path: Vec<String>,
    /// The id of the section's heading in the rendered page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
}

deserialize!(SectionRecord by fields: heading_path, anchor);

impl From<&Section> for SectionRecord {
    fn from(section: &Section) -> Self {
        Self { heading_path: section.heading_path.clone(), anchor: section.anchor.clone() }
    }
}

/// The place where a chunk was cut from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlaceRecord {
    /// The section's number in the file.
    pub(super) section: u32,
    /// The chunk's number in its document, from 0.
    pub(super) index: u32,
    /// The line in the source file, from 1.
    pub(super) line: u32,
    /// The byte range in the source file.
    pub(super) span: (u32, u32),
    /// The number of bytes at the beginning of its text an earlier chunk has too.
    pub(super) repeated: u32,
    pub(super) anchors: Vec<TextAnchor>,
}

/// The id of a heading that stands in a chunk's text, and the byte of the text where the heading begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextAnchor {
    /// The byte.
    pub at: u32,
    /// The id of the heading in the rendered page.
    pub anchor: String,
}

/// A chunk: its first place, and its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChunkRecord {
    pub(super) place: PlaceRecord,
    pub(super) id: u64,
}

/// A further place of a chunk that occurs more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DuplicateRecord {
    pub(super) chunk: u32,
    pub(super) place: PlaceRecord,
}
