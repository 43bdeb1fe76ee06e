//! The documents and headings of a file, in blocks: what lists and suggests, and what filters by a document's own names
//! need, but no hit.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::blocks::BlockWriter;
use super::records::{ChunkRecord, DocumentRecord, DuplicateRecord, SectionRecord};
use super::store::{RecordBlock, push_block};
use ibid_platform::{Error, ErrorCode, Result, json};

/// The documents or headings of a block.
const BLOCK_RECORDS: usize = 512;

/// A section of a document.
#[derive(Debug, Serialize)]
pub(super) struct HeadingRecord {
    /// The number of its document.
    pub(super) document: u32,
    pub(super) section: SectionRecord,
    /// The number of chunks right below it.
    pub(super) chunks: u32,
}

ibid_platform::deserialize!(HeadingRecord by fields: document, section, chunks);

/// A record of the directory, whose blocks are arrays of JSON.
pub(super) trait DirectoryRecord: DeserializeOwned {
    /// Its name in messages: `document`.
    const WHAT: &'static str;
}

impl DirectoryRecord for DocumentRecord {
    const WHAT: &'static str = "document";
}

impl DirectoryRecord for HeadingRecord {
    const WHAT: &'static str = "heading";
}

impl<T: DirectoryRecord> RecordBlock for Vec<T> {
    const WHAT: &'static str = T::WHAT;

    fn read(block: &[u8], records: usize) -> Option<Self> {
        let array: Self = json::read(std::str::from_utf8(block).ok()?).ok()?;
        (array.len() == records).then_some(array)
    }
}

/// Writes records in blocks.
pub(super) fn encode<T: Serialize>(mut records: impl Iterator<Item = T>) -> Result<BlockWriter> {
    let mut writer = BlockWriter::default();
    let mut end = 0;
    loop {
        let block: Vec<T> = records.by_ref().take(BLOCK_RECORDS).collect();
        if block.is_empty() {
            return Ok(writer);
        }
        end += block.len();
        let bytes = serde_json::to_vec(&block);
        let bytes = bytes.map_err(|error| Error::new(ErrorCode::Internal, error.to_string()))?;
        push_block(&mut writer, end, bytes)?;
    }
}

/// Lists the sections, each given with the number of its document.
pub(super) fn headings(
    sections: &[(u32, SectionRecord)],
    chunks: &[ChunkRecord],
    duplicates: &[DuplicateRecord],
) -> impl Iterator<Item = HeadingRecord> {
    let mut counts = vec![0u32; sections.len()];
    let places = chunks.iter().map(|chunk| &chunk.place).chain(duplicates.iter().map(|place| &place.place));
    for place in places {
        counts[place.section as usize] += 1;
    }
    sections.iter().zip(counts).map(|((document, section), chunks)| HeadingRecord {
        document: *document,
        section: section.clone(),
        chunks,
    })
}
