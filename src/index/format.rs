//! The container: a header, a table of checksummed sections, and the sections themselves.
//!
//! Every byte of a file is covered: by a section's checksum, by the header's, or by the rule that padding is zero.
//! So a single changed byte anywhere is noticed when the file is opened. `docs/index-format.md` has the layout.

use std::hash::Hasher;
use std::ops::Range;

use twox_hash::XxHash64;

use crate::error::{Error, ErrorCode, Result};

/// The first eight bytes: a byte with the high bit set, the name, and line ends that a text-mode transfer would
/// change, in the manner of PNG.
pub(super) const MAGIC: [u8; 8] = *b"\x89ibid\r\n\x1a";
/// The format version this code writes, and the newest it reads.
pub const FORMAT_VERSION: u32 = 1;
const ALIGNMENT: usize = 64;
const HEADER_BYTES: usize = 64;
const CHECKED_HEADER_BYTES: usize = 32;
const ENTRY_BYTES: usize = 32;
/// More sections than any version will ever have, so that a damaged count is refused before it is used.
const MAX_SECTIONS: usize = 64;

/// A section's name in the table: four ASCII letters.
pub(super) type SectionId = [u8; 4];

/// XXH64 with seed 0, as specified by the xxHash project.
fn checksum(parts: &[&[u8]]) -> u64 {
    let mut hasher = XxHash64::with_seed(0);
    for part in parts {
        hasher.write(part);
    }
    hasher.finish()
}

/// Lays the sections out as one file, in the order given.
pub(super) fn write(sections: &[(SectionId, Vec<u8>)]) -> Vec<u8> {
    let table_end = HEADER_BYTES + sections.len() * ENTRY_BYTES;
    let mut offset = table_end.next_multiple_of(ALIGNMENT);
    let mut table = Vec::with_capacity(sections.len() * ENTRY_BYTES);
    for (id, bytes) in sections {
        table.extend_from_slice(id);
        table.extend_from_slice(&0u32.to_le_bytes());
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
    for (_, bytes) in sections {
        file.resize(file.len().next_multiple_of(ALIGNMENT), 0);
        file.extend_from_slice(bytes);
    }
    file.resize(offset, 0);
    file
}

/// The sections of a file whose checksums have been verified.
#[derive(Debug)]
pub(super) struct Sections(Vec<(SectionId, Range<usize>)>);

impl Sections {
    /// Where the section lies in the file; a missing one means damage, since every version writes all of its own.
    pub(super) fn range(&self, id: SectionId) -> Result<Range<usize>> {
        self.0
            .iter()
            .find(|(known, _)| *known == id)
            .map(|(_, range)| range.clone())
            .ok_or_else(|| corrupt(format!("its section `{}` is missing", String::from_utf8_lossy(&id))))
    }

    /// All sections with the bytes they take.
    pub(super) fn sizes(&self) -> impl Iterator<Item = (&SectionId, usize)> {
        self.0.iter().map(|(id, range)| (id, range.len()))
    }
}

/// Checks header, table, checksums and padding of a whole file.
pub(super) fn read(file: &[u8]) -> Result<Sections> {
    let count = read_header(file)?;
    let table_end = HEADER_BYTES + count * ENTRY_BYTES;
    let Some(table) = file.get(HEADER_BYTES..table_end) else {
        return Err(corrupt(format!("its section table of {count} entries does not fit into it")));
    };
    let stored = u64_at(file, CHECKED_HEADER_BYTES);
    if checksum(&[&file[..CHECKED_HEADER_BYTES], table]) != stored {
        return Err(corrupt("the checksum of its header does not match"));
    }

    let mut sections = Vec::with_capacity(count);
    let mut covered = CHECKED_HEADER_BYTES + 8..HEADER_BYTES;
    check_padding(file, covered.clone())?;
    covered.start = table_end;
    for entry in table.as_chunks::<ENTRY_BYTES>().0 {
        let id: SectionId = [entry[0], entry[1], entry[2], entry[3]];
        let name = String::from_utf8_lossy(&id);
        let start = usize::try_from(u64_at(entry, 8)).unwrap_or(usize::MAX);
        let length = usize::try_from(u64_at(entry, 16)).unwrap_or(usize::MAX);
        let end = start.saturating_add(length);
        if start < covered.start || start % ALIGNMENT != 0 || end > file.len() {
            return Err(corrupt(format!(
                "its section `{name}` lies outside the file or over another section"
            )));
        }
        if checksum(&[&file[start..end]]) != u64_at(entry, 24) {
            return Err(corrupt(format!("the checksum of its section `{name}` does not match")));
        }
        check_padding(file, covered.start..start)?;
        covered.start = end;
        sections.push((id, start..end));
    }
    check_padding(file, covered.start..file.len())?;
    Ok(Sections(sections))
}

/// Checks everything in the header that can be checked without the table; returns the number of sections.
fn read_header(file: &[u8]) -> Result<usize> {
    let known = file.len().min(MAGIC.len());
    if file.is_empty() || file[..known] != MAGIC[..known] {
        return Err(foreign(file));
    }
    if file.len() < HEADER_BYTES {
        return Err(truncated(file.len(), None));
    }
    let version = u32_at(file, 8);
    let features = u32_at(file, 12);
    if version > FORMAT_VERSION || (version == FORMAT_VERSION && features != 0) {
        return Err(Error::new(
            ErrorCode::IndexVersion,
            format!(
                "This index has format version {version} (features {features:#x}); this ibid reads up to version {FORMAT_VERSION}."
            ),
        )
        .with_hint("Update ibid, or build the index with the version that will read it."));
    }
    let length = u64_at(file, 16);
    if length > file.len() as u64 {
        return Err(truncated(file.len(), Some(length)));
    }
    if length < file.len() as u64 {
        return Err(corrupt(format!("it says that it has {length} bytes, but there are {}", file.len())));
    }
    let count = u32_at(file, 24) as usize;
    if version == 0 || count > MAX_SECTIONS {
        return Err(corrupt("its header holds impossible values"));
    }
    Ok(count)
}

fn check_padding(file: &[u8], range: Range<usize>) -> Result<()> {
    match file.get(range) {
        Some(padding) if padding.iter().all(|&byte| byte == 0) => Ok(()),
        _ => Err(corrupt("bytes between its sections are not zero")),
    }
}

/// Reads a little-endian number at a place that the caller knows to exist.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes[at..].first_chunk().map_or(0, |chunk| u32::from_le_bytes(*chunk))
}

/// Reads a little-endian number at a place that the caller knows to exist.
pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

/// The error for a file that contradicts itself.
pub(super) fn corrupt(what: impl AsRef<str>) -> Error {
    Error::new(ErrorCode::IndexCorrupt, format!("This index is damaged: {}.", what.as_ref()))
        .with_hint("Download or build it again.")
}

fn truncated(have: usize, want: Option<u64>) -> Error {
    let whole = want.map_or(String::new(), |want| format!(" of {want}"));
    Error::new(
        ErrorCode::IndexTruncated,
        format!("This index ends early: only {have}{whole} bytes are there."),
    )
    .with_hint("Download it again; if that does not help, build and upload it again.")
}

fn foreign(file: &[u8]) -> Error {
    let looks_like_page = file.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'<');
    let (what, hint) = if file.is_empty() {
        ("it is empty", "Check that the upload of the index completed.")
    } else if looks_like_page {
        (
            "it looks like an HTML page",
            "Check the index's address: the server may have answered with an error page.",
        )
    } else {
        ("its first bytes are not those of one", "Build one with `ibid build DOCUMENTS -o FILE`.")
    };
    Error::new(ErrorCode::IndexForeign, format!("This is not an ibid index: {what}.")).with_hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        write(&[(*b"aaaa", b"hello".to_vec()), (*b"bbbb", Vec::new()), (*b"cccc", vec![7; 100])])
    }

    #[test]
    fn what_is_written_is_read() {
        let file = sample();
        let sections = read(&file).unwrap();
        assert_eq!(&file[sections.range(*b"aaaa").unwrap()], b"hello");
        assert!(sections.range(*b"bbbb").unwrap().is_empty());
        assert_eq!(sections.range(*b"cccc").unwrap().start % ALIGNMENT, 0);
        assert_eq!(sections.range(*b"dddd").unwrap_err().code(), ErrorCode::IndexCorrupt);
        assert_eq!(sections.sizes().map(|(_, size)| size).sum::<usize>(), 105);
    }

    #[test]
    fn every_truncation_is_an_error() {
        let file = sample();
        for end in 1..file.len() {
            let code = read(&file[..end]).unwrap_err().code();
            assert_eq!(code, ErrorCode::IndexTruncated, "cut at {end}");
        }
        assert_eq!(read(&[]).unwrap_err().code(), ErrorCode::IndexForeign);
    }

    #[test]
    fn every_changed_byte_is_an_error() {
        let file = sample();
        for at in 0..file.len() {
            for bit in 0..8 {
                let mut changed = file.clone();
                changed[at] ^= 1 << bit;
                assert!(read(&changed).is_err(), "bit {bit} of byte {at}");
            }
        }
    }

    #[test]
    fn a_newer_file_names_both_versions() {
        let mut file = sample();
        file[8] = 9;
        let error = read(&file).unwrap_err();
        assert_eq!(error.code(), ErrorCode::IndexVersion);
        assert!(error.message().contains("version 9") && error.message().contains("version 1"));
    }

    #[test]
    fn an_error_page_is_recognized() {
        let error = read(b"\n<!doctype html><title>404</title>").unwrap_err();
        assert_eq!(error.code(), ErrorCode::IndexForeign);
        assert!(error.message().contains("HTML"));
    }

    #[test]
    fn trailing_bytes_are_an_error() {
        let mut file = sample();
        file.push(0);
        assert_eq!(read(&file).unwrap_err().code(), ErrorCode::IndexCorrupt);
    }
}
