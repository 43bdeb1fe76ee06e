//! Writing a file: the header, the table of sections, and the sections.

use super::bytes::SharedBytes;
use super::failure::too_large;
use super::format::{
    ALIGNMENT, ENTRY_BYTES, FORMAT_VERSION, HEADER_BYTES, MAGIC, MAX_SECTIONS, SectionId, checksum,
};
use ibid_platform::Result;

/// A section on its way into a file.
pub(crate) struct SectionDraft {
    pub(crate) id: SectionId,
    /// The segment it belongs to, from 0.
    pub(crate) segment: u32,
    pub(crate) bytes: SharedBytes,
}

impl SectionDraft {
    pub(crate) fn new(id: SectionId, segment: u32, bytes: Vec<u8>) -> Self {
        Self { id, segment, bytes: SharedBytes::from(bytes) }
    }
}

/// Lays the sections out as one file, in the order given.
pub(crate) fn write(sections: &[SectionDraft]) -> Result<Vec<u8>> {
    if sections.len() > MAX_SECTIONS {
        return Err(too_large("parts", MAX_SECTIONS));
    }
    let table_end = HEADER_BYTES + sections.len() * ENTRY_BYTES;
    let mut offset = table_end.next_multiple_of(ALIGNMENT);
    let mut table = Vec::with_capacity(sections.len() * ENTRY_BYTES);
    for SectionDraft { id, segment, bytes } in sections {
        table.extend_from_slice(id);
        table.extend_from_slice(&segment.to_le_bytes());
        table.extend_from_slice(&(offset as u64).to_le_bytes());
        table.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        table.extend_from_slice(&checksum(&[bytes]).to_le_bytes());
        offset = (offset + bytes.len()).next_multiple_of(ALIGNMENT);
    }

    let mut file = Vec::with_capacity(offset);
    file.extend_from_slice(&MAGIC);
    file.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    file.extend_from_slice(&0u32.to_le_bytes());
    file.extend_from_slice(&(offset as u64).to_le_bytes());
    file.extend_from_slice(&(sections.len() as u32).to_le_bytes());
    file.extend_from_slice(&0u32.to_le_bytes());
    let sum = checksum(&[&file, &table]);
    file.extend_from_slice(&sum.to_le_bytes());
    file.resize(HEADER_BYTES, 0);
    file.extend_from_slice(&table);
    for section in sections {
        file.resize(file.len().next_multiple_of(ALIGNMENT), 0);
        file.extend_from_slice(&section.bytes);
    }
    file.resize(offset, 0);
    Ok(file)
}
