//! The container: a header, a table of checksummed sections, and the sections themselves.
//!
//! Every byte of a file is covered: by a section's checksum, by the header's, or by the rule that padding is zero.
//! So a single changed byte anywhere is noticed when the file is opened. `docs/index-format.md` has the layout.

mod bytes;
mod failure;
mod layout;

use std::hash::Hasher;

use twox_hash::XxHash64;

pub(super) use bytes::{Bytes, u32_at, u64_at, words};
pub(super) use failure::{corrupt, missing, too_large};
pub use layout::Layout;
pub(super) use layout::{Entry, coalesce};

use ibid_platform::Result;

/// The first eight bytes: a byte with the high bit set, the name, and line ends that a text-mode transfer would
/// change, in the manner of PNG.
const MAGIC: [u8; 8] = *b"\x89ibid\r\n\x1a";
/// The format version that this code writes and reads.
pub const FORMAT_VERSION: u32 = 3;
const ALIGNMENT: usize = 64;
/// The length of the header; the section table follows it.
pub(super) const HEADER_BYTES: usize = 64;
const CHECKED_HEADER_BYTES: usize = 32;
const ENTRY_BYTES: usize = 32;
/// More sections than any file will ever have, so that a damaged count is refused before it is used.
const MAX_SECTIONS: usize = 4096;

/// A section's name in the table: four ASCII letters.
pub(super) type SectionId = [u8; 4];

/// A section on its way into a file.
pub(super) struct Part {
    pub(super) id: SectionId,
    /// The segment it belongs to, from 0.
    pub(super) segment: u32,
    pub(super) bytes: Bytes,
}

impl Part {
    pub(super) fn new(id: SectionId, segment: u32, bytes: Vec<u8>) -> Self {
        Self { id, segment, bytes: Bytes::from(bytes) }
    }
}

/// XXH64 with seed 0, as specified by the xxHash project.
pub(super) fn checksum(parts: &[&[u8]]) -> u64 {
    let mut hasher = XxHash64::with_seed(0);
    for part in parts {
        hasher.write(part);
    }
    hasher.finish()
}

/// Lays the sections out as one file, in the order given.
pub(super) fn write(parts: &[Part]) -> Result<Vec<u8>> {
    if parts.len() > MAX_SECTIONS {
        return Err(too_large("parts", MAX_SECTIONS));
    }
    let table_end = HEADER_BYTES + parts.len() * ENTRY_BYTES;
    let mut offset = table_end.next_multiple_of(ALIGNMENT);
    let mut table = Vec::with_capacity(parts.len() * ENTRY_BYTES);
    for Part { id, segment, bytes } in parts {
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
    file.extend_from_slice(&(parts.len() as u32).to_le_bytes());
    file.extend_from_slice(&0u32.to_le_bytes());
    let sum = checksum(&[&file, &table]);
    file.extend_from_slice(&sum.to_le_bytes());
    file.resize(HEADER_BYTES, 0);
    file.extend_from_slice(&table);
    for part in parts {
        file.resize(file.len().next_multiple_of(ALIGNMENT), 0);
        file.extend_from_slice(&part.bytes);
    }
    file.resize(offset, 0);
    Ok(file)
}

#[cfg(test)]
mod tests;
