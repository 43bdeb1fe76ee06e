//! A file as a folder: its beginning as the file `head`, and the rest in parts.
//!
//! Joined in order, head and parts are the file. A part's name is its checksum, so that a part that is the same after an
//! update keeps its name, and stays in every cache.

use std::ops::Range;

use super::bytes::{SharedBytes, u32_at, u64_at};
use super::failure::{corrupt, truncated};
use super::format::{ALIGNMENT, PARTS};
use super::layout::{FileLayout, SectionEntry};
use super::write::write_beginning;
use ibid_platform::{Error, ErrorCode, Result, checksum};

/// The most bytes of a part.
const MAX_PART_BYTES: u32 = 16 << 20;
/// The bytes of a line in the table of parts.
const LINE_BYTES: usize = 12;

/// A part of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderPart {
    /// The bytes of the whole file that it has.
    pub range: Range<u64>,
    checksum: u64,
}

impl FolderPart {
    /// Returns the name of its file.
    pub fn name(&self) -> String {
        format!("{:016x}.part", self.checksum)
    }

    /// Returns the error for a part that is not there.
    pub fn missing(&self) -> Error {
        Error::new(ErrorCode::IndexTruncated, format!("This index lacks its part `{}`.", self.name()))
            .with_hint("Copy or upload the folder again, with all of its parts.")
    }

    /// Checks that these are the part's bytes.
    ///
    /// # Errors
    /// [`ErrorCode::IndexTruncated`] or [`ErrorCode::IndexCorrupt`].
    pub fn verify(&self, bytes: &[u8]) -> Result<()> {
        self.verify_length(bytes.len() as u64)?;
        if checksum(&[bytes]) == self.checksum {
            return Ok(());
        }
        Err(corrupt(format!("the checksum of its part `{}` does not match", self.name())))
    }

    /// Checks that a part's file is as long as it should be.
    ///
    /// # Errors
    /// As [`FolderPart::verify`].
    pub fn verify_length(&self, have: u64) -> Result<()> {
        let want = self.range.end - self.range.start;
        match have {
            _ if have == want => Ok(()),
            _ if have < want => Err(truncated(have, Some(want))),
            _ => Err(corrupt(format!("its part `{}` has {have} bytes instead of {want}", self.name()))),
        }
    }
}

/// The parts of a folder, as its head names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartTable {
    /// The length in bytes that the writer cut longer sections at.
    pub part_bytes: u32,
    /// The length of the head.
    pub head_length: u64,
    /// The parts in the order of their bytes.
    pub parts: Vec<FolderPart>,
}

impl PartTable {
    /// Reads the table of a head; `None` for a file that has no parts.
    ///
    /// # Errors
    /// As [`FileLayout::parse`]; [`ErrorCode::IndexTruncated`] where the head ends early.
    pub fn read(head: &[u8]) -> Result<Option<Self>> {
        let layout = FileLayout::parse(head)?;
        let Some(entry) = layout.find(PARTS) else { return Ok(None) };
        let range = entry.range.start as usize..entry.range.end as usize;
        let Some(section) = head.get(range) else {
            return Err(truncated(head.len() as u64, Some(entry.range.end)));
        };
        let section = entry.verify(Some(SharedBytes::from(section.to_vec())))?;
        let damaged = || corrupt("its table of parts contradicts itself");
        let (lines, rest) = section.get(4..).ok_or_else(damaged)?.as_chunks::<LINE_BYTES>();
        let lengths = lines.iter().map(|line| u32_at(line, 0));
        let all: u64 = lengths.clone().map(u64::from).sum();
        let head_length = layout.file_length().checked_sub(all).ok_or_else(damaged)?;
        let is_possible = lengths.clone().all(|length| (1..=MAX_PART_BYTES).contains(&length));
        if !rest.is_empty() || !is_possible || layout.needed().iter().any(|range| range.end > head_length) {
            return Err(damaged());
        }
        let mut start = head_length;
        let part = |line: &[u8; LINE_BYTES]| {
            let range = start..start + u64::from(u32_at(line, 0));
            start = range.end;
            FolderPart { range, checksum: u64_at(line, 4) }
        };
        let parts = lines.iter().map(part).collect();
        Ok(Some(Self { part_bytes: u32_at(&section, 0), head_length, parts }))
    }
}

/// A file that was cut.
pub struct CutFile<'a> {
    /// The bytes of the file `head`.
    pub head: Vec<u8>,
    /// The parts, each with its bytes.
    pub parts: Vec<(FolderPart, &'a [u8])>,
}

/// Cuts a file into a head and parts of at most `part_bytes`. A part begins before a section that would make it longer
/// than that; only a section that is longer itself is cut.
///
/// # Errors
/// As [`FileLayout::parse`]; [`ErrorCode::InvalidOption`] where parts would be longer than 16 MiB.
pub fn cut(file: &[u8], part_bytes: u32) -> Result<CutFile<'_>> {
    if !(1..=MAX_PART_BYTES).contains(&part_bytes) {
        let message = format!("A part can have from 1 to {MAX_PART_BYTES} bytes.");
        return Err(Error::new(ErrorCode::InvalidOption, message));
    }
    let layout = FileLayout::of_file(file)?;
    let needed = layout.entries().iter().filter(|entry| entry.is_needed());
    let old_end = needed.map(|entry| entry.range.end).max().unwrap_or_default();
    let old_end = old_end.next_multiple_of(ALIGNMENT as u64).min(layout.file_length());
    let ranges = cuts(&layout, old_end, part_bytes);

    let mut table = part_bytes.to_le_bytes().to_vec();
    let mut sums = Vec::with_capacity(ranges.len());
    for range in &ranges {
        let sum = checksum(&[&file[range.start as usize..range.end as usize]]);
        table.extend_from_slice(&((range.end - range.start) as u32).to_le_bytes());
        table.extend_from_slice(&sum.to_le_bytes());
        sums.push(sum);
    }
    let draft = |entry: &&SectionEntry| {
        let bytes = SharedBytes::from(file[entry.range.start as usize..entry.range.end as usize].to_vec());
        Ok((entry.id, entry.verify(Some(bytes))?))
    };
    let (first, later): (Vec<_>, Vec<_>) = layout
        .entries()
        .iter()
        .filter(|entry| entry.id != PARTS)
        .partition(|entry| entry.range.start < old_end || entry.is_needed());
    let mut drafts = first.iter().map(draft).collect::<Result<Vec<_>>>()?;
    drafts.push((PARTS, table.into()));
    let head = write_beginning(drafts, &later, old_end..file.len() as u64)?;

    let mut at = head.len() as u64;
    let parts = ranges.into_iter().zip(sums).map(|(range, checksum)| {
        let part = FolderPart { range: at..at + (range.end - range.start), checksum };
        at = part.range.end;
        (part, &file[range.start as usize..range.end as usize])
    });
    let parts = parts.collect();
    Ok(CutFile { head, parts })
}

/// Lists the stretches of a file from `start` on that become parts.
fn cuts(layout: &FileLayout, mut start: u64, part_bytes: u32) -> Vec<Range<u64>> {
    let most = u64::from(part_bytes);
    let mut ranges = Vec::new();
    let mut cut = |start: &mut u64, end: u64| {
        if *start < end {
            ranges.push(*start..end);
            *start = end;
        }
    };
    let later: Vec<_> = layout.entries().iter().filter(|entry| entry.range.start >= start).collect();
    for (at, entry) in later.iter().enumerate() {
        let end = later.get(at + 1).map_or(layout.file_length(), |next| next.range.start);
        if end - start > most {
            cut(&mut start, entry.range.start);
        }
        while end - start > most {
            let next = start + most;
            cut(&mut start, next);
        }
    }
    cut(&mut start, layout.file_length());
    ranges
}
