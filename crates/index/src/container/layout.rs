//! The beginning of a file: what it holds, and where.

use std::ops::Range;

use super::bytes::{SharedBytes, u32_at, u64_at};
use super::failure::{corrupt, foreign, missing, other_version, truncated};
use super::format::{
    ALIGNMENT, CHECKED_HEADER_BYTES, ENTRY_BYTES, FORMAT_VERSION, HEADER_BYTES, MAGIC, MAX_SECTIONS,
    SectionId, is_needed,
};
use ibid_platform::{Result, checksum, ranges};

/// The header and the section table, verified by their checksum: enough to know which bytes of a file on a
/// server are worth fetching.
#[derive(Clone, Debug)]
pub struct FileLayout {
    file_length: u64,
    entries: Vec<SectionEntry>,
}

/// A line of the section table.
#[derive(Clone, Debug)]
pub(crate) struct SectionEntry {
    pub(crate) id: SectionId,
    pub(crate) range: Range<u64>,
    pub(super) checksum: u64,
}

impl SectionEntry {
    /// The section's name as text.
    pub(crate) fn name(&self) -> String {
        String::from_utf8_lossy(&self.id).into_owned()
    }

    /// Says whether the section must be there when the index is opened.
    pub(crate) fn is_needed(&self) -> bool {
        is_needed(self.id, self.range.end - self.range.start)
    }

    /// Verifies the section's bytes, when they are the ones that were written.
    pub(crate) fn verify(&self, bytes: Option<SharedBytes>) -> Result<SharedBytes> {
        match bytes {
            Some(bytes) if checksum(&[&bytes]) == self.checksum => Ok(bytes),
            Some(_) => Err(corrupt(format!("the checksum of its section `{}` does not match", self.name()))),
            None => Err(corrupt(format!("the bytes of its section `{}` are not there", self.name()))),
        }
    }
}

impl FileLayout {
    /// Returns the number of bytes from its beginning a file's header and section table take, by its first 64 bytes.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::IndexForeign`], [`ibid_platform::ErrorCode::IndexVersion`], [`ibid_platform::ErrorCode::IndexTruncated`] or
    /// [`ibid_platform::ErrorCode::IndexCorrupt`].
    pub fn head_length(head: &[u8]) -> Result<usize> {
        let known = head.len().min(MAGIC.len());
        if head.is_empty() || head[..known] != MAGIC[..known] {
            return Err(foreign(head));
        }
        if head.len() < HEADER_BYTES {
            return Err(truncated(head.len() as u64, None));
        }
        let (version, features) = (u32_at(head, 8), u32_at(head, 12));
        if version != FORMAT_VERSION || features != 0 {
            return Err(other_version(version, features));
        }
        let count = u32_at(head, 24) as usize;
        if count > MAX_SECTIONS {
            return Err(corrupt("its header holds impossible values"));
        }
        Ok(HEADER_BYTES + count * ENTRY_BYTES)
    }

    /// Reads the header and the section table from the beginning of a file; further bytes are not looked at.
    ///
    /// # Errors
    /// As [`FileLayout::head_length`]; [`ibid_platform::ErrorCode::IndexTruncated`] when `head` is shorter than that length.
    pub fn parse(head: &[u8]) -> Result<Self> {
        let end = Self::head_length(head)?;
        let file_length = u64_at(head, 16);
        let Some(table) = head.get(HEADER_BYTES..end) else {
            return Err(truncated(head.len() as u64, Some(file_length)));
        };
        if checksum(&[&head[..CHECKED_HEADER_BYTES], table]) != u64_at(head, CHECKED_HEADER_BYTES) {
            return Err(corrupt("the checksum of its header does not match"));
        }
        check_padding(head, CHECKED_HEADER_BYTES + 8..HEADER_BYTES)?;

        let mut entries = Vec::with_capacity(table.len() / ENTRY_BYTES);
        let mut free = end as u64;
        for line in table.as_chunks::<ENTRY_BYTES>().0 {
            let start = u64_at(line, 8);
            let range = start..start.saturating_add(u64_at(line, 16));
            let entry =
                SectionEntry { id: [line[0], line[1], line[2], line[3]], range, checksum: u64_at(line, 24) };
            if u32_at(line, 4) != 0 {
                return Err(corrupt("its table of sections holds impossible values"));
            }
            if start < free || !start.is_multiple_of(ALIGNMENT as u64) || entry.range.end > file_length {
                return Err(corrupt(format!(
                    "its section `{}` lies outside the file or over another section",
                    entry.name()
                )));
            }
            free = entry.range.end;
            entries.push(entry);
        }
        Ok(Self { file_length, entries })
    }

    /// Checks a file as a whole: that all its bytes are there and that those between its sections are zero.
    pub(crate) fn of_file(file: &[u8]) -> Result<Self> {
        // A file that lacks its end may lack a part of its table too; that it was cut is then the better answer.
        Self::head_length(file)?;
        let (length, have) = (u64_at(file, 16), file.len() as u64);
        if length > have {
            return Err(truncated(have, Some(length)));
        }
        let layout = Self::parse(file)?;
        layout.check_length(have)?;
        let mut gap = HEADER_BYTES + layout.entries.len() * ENTRY_BYTES;
        for entry in &layout.entries {
            check_padding(file, gap..entry.range.start as usize)?;
            gap = entry.range.end as usize;
        }
        check_padding(file, gap..file.len())?;
        Ok(layout)
    }

    /// Checks that a file of this length is whole.
    pub(crate) fn check_length(&self, have: u64) -> Result<()> {
        let length = self.file_length;
        match have {
            _ if have == length => Ok(()),
            _ if have < length => Err(truncated(have, Some(length))),
            _ => Err(corrupt(format!("it says that it has {length} bytes, but there are {have}"))),
        }
    }

    /// Returns the bytes of the file that an index needs before it can search: everything but what comes last, which
    /// is the text, the blocks of terms, vectors and graph.
    pub fn needed(&self) -> Vec<Range<u64>> {
        let needed = self.entries.iter().filter(|entry| entry.is_needed() && !entry.range.is_empty());
        ranges::join(needed.map(|entry| entry.range.clone()).collect(), ALIGNMENT as u64)
    }

    /// The length of the whole file in bytes.
    pub(crate) fn file_length(&self) -> u64 {
        self.file_length
    }

    pub(crate) fn entries(&self) -> &[SectionEntry] {
        &self.entries
    }

    /// Finds the section of that name, if the file has it.
    pub(crate) fn find(&self, id: SectionId) -> Option<&SectionEntry> {
        self.entries.iter().find(|entry| entry.id == id)
    }

    /// The same, or the error that it is missing.
    pub(crate) fn require(&self, id: SectionId) -> Result<&SectionEntry> {
        self.find(id).ok_or_else(|| missing(id))
    }
}

fn check_padding(file: &[u8], range: Range<usize>) -> Result<()> {
    match file.get(range) {
        Some(padding) if padding.iter().all(|&byte| byte == 0) => Ok(()),
        _ => Err(corrupt("bytes between its sections are not zero")),
    }
}
