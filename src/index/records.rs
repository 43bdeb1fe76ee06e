//! What is stored about documents, sections and chunks.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::format::{u32_at, u64_at};
use crate::document::{Document, Metadata, Section};

/// The bytes of one [`ChunkRecord`].
pub(super) const CHUNK_BYTES: usize = 48;

/// A document as the index remembers it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DocumentRecord {
    /// The file that the document was read from, as it was named when the index was built.
    pub source: String,
    /// Its id (unique in the index), title, address and further fields.
    #[serde(flatten, with = "crate::document::plain")]
    pub metadata: Metadata,
}

impl From<&Document> for DocumentRecord {
    fn from(document: &Document) -> Self {
        Self { source: document.source.clone(), metadata: document.metadata.clone() }
    }
}

/// A section as the index remembers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionRecord {
    /// The headings above and of the section, outermost first; the first is the document's title.
    pub heading_path: Vec<String>,
    /// The id of the section's heading in the rendered page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
}

impl From<&Section> for SectionRecord {
    fn from(section: &Section) -> Self {
        Self { heading_path: section.heading_path.clone(), anchor: section.anchor.clone() }
    }
}

/// Where a chunk belongs and where its text lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChunkRecord {
    /// The document's number.
    pub(super) document: u32,
    /// The section's number.
    pub(super) section: u32,
    /// The byte range in the text section.
    pub(super) text: Range<u64>,
    /// The byte range in the source file.
    pub(super) span: Range<u64>,
    /// The line in the source file, from 1.
    pub(super) line: u32,
}

impl ChunkRecord {
    /// Document, section, line, zero (`u32`); text start and end, span start and end (`u64`).
    pub(super) fn encode(&self) -> [u8; CHUNK_BYTES] {
        let mut out = [0; CHUNK_BYTES];
        let words = [self.document, self.section, self.line, 0].map(u32::to_le_bytes);
        let longs = [self.text.start, self.text.end, self.span.start, self.span.end].map(u64::to_le_bytes);
        let bytes = words.as_flattened().iter().chain(longs.as_flattened());
        out.iter_mut().zip(bytes).for_each(|(slot, &byte)| *slot = byte);
        out
    }

    pub(super) fn decode(bytes: &[u8; CHUNK_BYTES]) -> Self {
        Self {
            document: u32_at(bytes, 0),
            section: u32_at(bytes, 4),
            line: u32_at(bytes, 8),
            text: u64_at(bytes, 16)..u64_at(bytes, 24),
            span: u64_at(bytes, 32)..u64_at(bytes, 40),
        }
    }
}
