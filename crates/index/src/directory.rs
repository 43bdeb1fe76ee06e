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

/// Documents that follow each other.
#[derive(Debug)]
pub(super) struct DocumentBlock(pub(super) Vec<DocumentRecord>);

/// Sections that follow each other.
#[derive(Debug)]
pub(super) struct HeadingBlock(pub(super) Vec<HeadingRecord>);

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

impl RecordBlock for DocumentBlock {
    const WHAT: &'static str = "document";

    fn read(block: &[u8], records: usize) -> Option<Self> {
        read_array(block, records).map(Self)
    }
}

impl RecordBlock for HeadingBlock {
    const WHAT: &'static str = "heading";

    fn read(block: &[u8], records: usize) -> Option<Self> {
        read_array(block, records).map(Self)
    }
}

/// Reads a block that is an array of JSON.
fn read_array<T: DeserializeOwned>(block: &[u8], records: usize) -> Option<Vec<T>> {
    let array: Vec<T> = json::read(std::str::from_utf8(block).ok()?).ok()?;
    (array.len() == records).then_some(array)
}

fn write_array(array: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(array).map_err(|error| Error::new(ErrorCode::Internal, error.to_string()))
}

/// Writes the blocks of documents.
pub(super) fn encode_documents(documents: &[DocumentRecord]) -> Result<BlockWriter> {
    let mut writer = BlockWriter::default();
    for (block, end) in documents.chunks(BLOCK_RECORDS).zip((1..).map(|at| at * BLOCK_RECORDS)) {
        push_block(&mut writer, end.min(documents.len()), write_array(&block)?)?;
    }
    Ok(writer)
}

/// Writes the blocks of sections, each given with the number of its document.
pub(super) fn encode_headings(
    sections: &[(u32, SectionRecord)],
    chunks: &[ChunkRecord],
    duplicates: &[DuplicateRecord],
) -> Result<BlockWriter> {
    let mut counts = vec![0u32; sections.len()];
    let places = chunks.iter().map(|chunk| &chunk.place).chain(duplicates.iter().map(|place| &place.place));
    for place in places {
        counts[place.section as usize] += 1;
    }
    let mut records = sections.iter().zip(counts).map(|((document, section), chunks)| HeadingRecord {
        document: *document,
        section: section.clone(),
        chunks,
    });
    let mut writer = BlockWriter::default();
    let mut end = 0;
    loop {
        let block: Vec<HeadingRecord> = records.by_ref().take(BLOCK_RECORDS).collect();
        if block.is_empty() {
            return Ok(writer);
        }
        end += block.len();
        push_block(&mut writer, end, write_array(&block)?)?;
    }
}
