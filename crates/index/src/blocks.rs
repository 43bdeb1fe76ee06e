//! Blocks that are fetched and checked one by one: the table that says where they are, and those that are there.
//!
//! A page that reads an index over HTTP fetches only the blocks it needs. What is in a block, its owner knows: `text` has
//! compressed text in them, `lexical` terms with their postings.

use std::ops::Range;

use super::container::{SharedBytes, corrupt, incomplete, too_large};
use super::stretches::Stretches;
use super::varint::{read_varint, write_varint};
use ibid_platform::{Result, checksum};

/// The bytes of a block's checksum that its line in the table has, so that a block of another version of the file is
/// noticed. The block begins with the others.
const TABLE_CHECK: usize = 2;
const BLOCK_CHECK: usize = 6;

/// Writes blocks, and the table of them.
///
/// For each block the table has how much content it holds, in whatever its owner counts, the number of its bytes, and a
/// part of their checksum.
#[derive(Default)]
pub(super) struct BlockWriter {
    pub(super) table: Vec<u8>,
    pub(super) bytes: Vec<u8>,
    content_end: usize,
}

impl BlockWriter {
    /// Adds a block whose content ends at `content_end`, counted from the beginning of the first block.
    pub(super) fn push(&mut self, content_end: usize, block: &[u8]) -> Result<()> {
        let sum = checksum(&[block]).to_le_bytes();
        let (in_table, in_block) = sum.split_at(TABLE_CHECK);
        self.bytes.extend_from_slice(in_block);
        self.bytes.extend_from_slice(block);
        if self.bytes.len().max(content_end) > u32::MAX as usize {
            return Err(too_large("bytes of text", u32::MAX as usize));
        }
        write_varint(&mut self.table, (content_end - self.content_end) as u32);
        write_varint(&mut self.table, (BLOCK_CHECK + block.len()) as u32);
        self.table.extend_from_slice(in_table);
        self.content_end = content_end;
        Ok(())
    }
}

/// A line of the table.
#[derive(Debug)]
struct BlockEnd {
    /// The end of the block's content, counted from the beginning of the first block.
    content: u32,
    /// The end of its bytes in the section.
    packed: u32,
    check: [u8; TABLE_CHECK],
}

/// The content of a block, the number of its bytes and what the table has of its checksum; `None` for none.
fn read_line(table: &mut &[u8]) -> Option<(u32, u32, [u8; TABLE_CHECK])> {
    let (records, bytes) = (read_varint(table)?, read_varint(table)?);
    let (check, rest) = table.split_first_chunk()?;
    *table = rest;
    (records > 0 && bytes as usize > BLOCK_CHECK).then_some((records, bytes, *check))
}

/// A section of the file with blocks.
pub(super) struct BlockSection {
    /// The first byte in the file.
    pub(super) at: u64,
    pub(super) length: u64,
    /// Its bytes, if they are there.
    pub(super) bytes: Option<SharedBytes>,
}

/// The blocks of a section: all of them, or those that have been fetched.
#[derive(Debug)]
pub(super) struct BlockStore {
    /// The content of the blocks, for messages: `text`.
    what: &'static str,
    ends: Vec<BlockEnd>,
    /// Their bytes in the file.
    pub(super) packed: Stretches,
}

impl BlockStore {
    /// Reads the table of a section's blocks.
    pub(super) fn open(what: &'static str, table: &[u8], section: BlockSection) -> Result<Self> {
        let BlockSection { at, length, bytes } = section;
        let damaged = || corrupt(format!("its table of {what} blocks contradicts itself"));
        let (mut content, mut packed, mut rest) = (0u32, 0u32, table);
        let mut ends = Vec::new();
        while !rest.is_empty() {
            let (records, bytes, check) = read_line(&mut rest).ok_or_else(damaged)?;
            content = content.checked_add(records).ok_or_else(damaged)?;
            packed = packed.checked_add(bytes).ok_or_else(damaged)?;
            ends.push(BlockEnd { content, packed, check });
        }
        if u64::from(packed) != length {
            return Err(damaged());
        }
        Ok(Self { what, ends, packed: Stretches::new(at, bytes) })
    }

    /// The number of blocks.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Sums the content and the bytes that come before a block.
    fn before(&self, number: usize) -> (u32, u32) {
        let before = number.checked_sub(1).and_then(|before| self.ends.get(before));
        before.map_or((0, 0), |end| (end.content, end.packed))
    }

    /// Computes the content that a block holds; none past the last.
    pub(super) fn content(&self, number: usize) -> Range<usize> {
        let start = self.before(number).0 as usize;
        start..self.ends.get(number).map_or(start, |end| end.content as usize)
    }

    /// Computes a block's range in the section.
    fn place(&self, number: usize) -> Option<Range<u64>> {
        Some(u64::from(self.before(number).1)..u64::from(self.ends.get(number)?.packed))
    }

    /// The end of all content.
    pub(super) fn content_end(&self) -> usize {
        self.before(self.len()).0 as usize
    }

    /// Finds the block that holds that much of the content.
    pub(super) fn block_of(&self, content: usize) -> usize {
        self.ends.partition_point(|end| end.content as usize <= content)
    }

    /// Finds the end of the run of blocks from `first` on that has at most `bytes`; one block at least.
    pub(super) fn within(&self, first: usize, bytes: usize) -> usize {
        let end = (self.before(first).1 as usize).saturating_add(bytes);
        self.ends.partition_point(|block| block.packed as usize <= end).max(first + 1)
    }

    /// Finds the place of a block in the file, if it has still to be fetched.
    pub(super) fn missing(&self, number: usize) -> Option<Range<u64>> {
        self.packed.missing(number, self.place(number)?)
    }

    /// The same for each block that has still to be fetched.
    pub(super) fn all_missing(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        (0..self.len()).filter_map(|number| self.missing(number))
    }

    /// Takes over the blocks that lie in fetched bytes of the file.
    pub(super) fn provide(&self, offset: u64, bytes: &SharedBytes) -> Result<()> {
        let before = offset.saturating_sub(self.packed.at);
        let first = self.ends.partition_point(|end| u64::from(end.packed) <= before);
        let mut blocks = (first..self.len()).filter_map(|number| Some((number, self.place(number)?)));
        self.packed.provide(offset, bytes, &mut blocks, &|number, block| self.verify(number, block))
    }

    /// Reads a block's bytes in the file.
    fn stretch(&self, number: usize) -> Result<SharedBytes> {
        let verify = |number: usize, block: &[u8]| self.verify(number, block);
        let part = match self.place(number) {
            Some(place) => self.packed.get(number, place, &verify)?,
            None => None,
        };
        part.ok_or_else(|| {
            let what = format!("A block of {} of this index", self.what);
            incomplete(&what, "`Index::missing`, or the method for what is read,")
        })
    }

    /// Reads the content of a block, which was checked when it came: alone, or with its section.
    pub(super) fn get(&self, number: usize) -> Result<SharedBytes> {
        Ok(content_of(&self.stretch(number)?))
    }

    /// The same, checked alone. A crafted file may have a section with a valid checksum and blocks without.
    pub(super) fn get_checked(&self, number: usize) -> Result<SharedBytes> {
        let stretch = self.stretch(number)?;
        self.verify(number, &stretch)?;
        Ok(content_of(&stretch))
    }

    /// Returns an error when a block's bytes in the file are not those that were written.
    fn verify(&self, number: usize, stretch: &[u8]) -> Result<()> {
        let (in_block, block) = stretch.split_at_checked(BLOCK_CHECK).unwrap_or_default();
        let sum = checksum(&[block]).to_le_bytes();
        let (in_table, rest) = sum.split_at(TABLE_CHECK);
        if rest == in_block && self.ends.get(number).is_some_and(|end| end.check == in_table) {
            return Ok(());
        }
        Err(corrupt(format!("the checksum of its {} block {number} does not match", self.what)))
    }
}

/// Cuts off the checksum that a block begins with.
fn content_of(stretch: &SharedBytes) -> SharedBytes {
    stretch.slice(BLOCK_CHECK..stretch.len()).unwrap_or_default()
}
