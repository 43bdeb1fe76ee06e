//! Writing a file: the header, the table of sections, and the sections.

use std::ops::Range;

use super::bytes::SharedBytes;
use super::failure::too_large;
use super::format::{ALIGNMENT, ENTRY_BYTES, FORMAT_VERSION, HEADER_BYTES, MAGIC, MAX_SECTIONS, SectionId};
use super::layout::SectionEntry;
use ibid_platform::{Result, checksum};

/// Lays the sections out as one file, in the order given. Each is freed as soon as it is in the file.
pub(crate) fn write(sections: Vec<(SectionId, SharedBytes)>) -> Result<Vec<u8>> {
    write_beginning(sections, &[], 0..0)
}

/// Lays sections out as the beginning of a file whose `later` sections, with their padding, lie in `rest` of another.
pub(super) fn write_beginning(
    sections: Vec<(SectionId, SharedBytes)>,
    later: &[&SectionEntry],
    rest: Range<u64>,
) -> Result<Vec<u8>> {
    let count = sections.len() + later.len();
    if count > MAX_SECTIONS {
        return Err(too_large("parts", MAX_SECTIONS));
    }
    let table_end = HEADER_BYTES + count * ENTRY_BYTES;
    let mut end = table_end.next_multiple_of(ALIGNMENT);
    let mut table = Vec::with_capacity(count * ENTRY_BYTES);
    let mut line = |id: SectionId, start: u64, length: u64, checksum: u64| {
        table.extend_from_slice(&id);
        table.extend_from_slice(&[0; 4]);
        for number in [start, length, checksum] {
            table.extend_from_slice(&number.to_le_bytes());
        }
    };
    for (id, bytes) in &sections {
        line(*id, end as u64, bytes.len() as u64, checksum(&[bytes]));
        end = (end + bytes.len()).next_multiple_of(ALIGNMENT);
    }
    for SectionEntry { id, range, checksum } in later {
        let start = end as u64 + (range.start - rest.start);
        line(*id, start, range.end - range.start, *checksum);
    }

    let mut file = Vec::with_capacity(end);
    file.extend_from_slice(&MAGIC);
    file.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    file.extend_from_slice(&0u32.to_le_bytes());
    file.extend_from_slice(&(end as u64 + (rest.end - rest.start)).to_le_bytes());
    file.extend_from_slice(&(count as u32).to_le_bytes());
    file.extend_from_slice(&0u32.to_le_bytes());
    let sum = checksum(&[&file, &table]);
    file.extend_from_slice(&sum.to_le_bytes());
    file.resize(HEADER_BYTES, 0);
    file.extend_from_slice(&table);
    for (_, bytes) in sections {
        file.resize(file.len().next_multiple_of(ALIGNMENT), 0);
        file.extend_from_slice(&bytes);
    }
    file.resize(end, 0);
    Ok(file)
}
