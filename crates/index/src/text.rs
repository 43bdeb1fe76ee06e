//! The text of all chunks, in compressed blocks that are checked and unpacked one by one.
//!
//! A page that reads an index over HTTP fetches only the blocks of the hits it shows. A block begins and ends between
//! chunks, so one chunk never needs two.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use miniz_oxide::inflate::decompress_to_vec_with_limit;

use super::blocks::{BlockEntry, BlockStore, BlockWriter, lock};
use super::container::{SharedBytes, corrupt};
use ibid_platform::Result;

/// Text is gathered into a block until it has this many bytes.
const BLOCK_BYTES: usize = 64 * 1024;
/// Deflate cannot pack better than this (RFC 1951: 258 bytes for two bits), so a table that promises more is damaged.
const BEST_RATIO: usize = 1032;
/// Unpacked blocks that are kept at hand: those of the last few results.
const KEPT_BLOCKS: usize = 16;

/// Packs chunks' texts: the table of blocks, and the blocks.
///
/// Bytes of text, which the table counts as content.
pub(super) fn encode<'a>(chunks: impl Iterator<Item = &'a str>) -> Result<(Vec<u8>, Vec<u8>)> {
    let mut writer = BlockWriter::default();
    let (mut block, mut end) = (Vec::new(), 0);
    let mut flush = |block: &mut Vec<u8>, end: usize| {
        let packed = deflate(block);
        writer.push(end, if packed.len() < block.len() { &packed } else { block })?;
        block.clear();
        Ok(())
    };
    for chunk in chunks {
        if !block.is_empty() && block.len() + chunk.len() > BLOCK_BYTES {
            flush(&mut block, end)?;
        }
        block.extend_from_slice(chunk.as_bytes());
        end += chunk.len();
    }
    if !block.is_empty() {
        flush(&mut block, end)?;
    }
    Ok((writer.table, writer.bytes))
}

/// Packs a block with deflate (RFC 1951).
pub(super) fn deflate(block: &[u8]) -> Vec<u8> {
    // Level 9 costs little beside embedding the same text.
    miniz_oxide::deflate::compress_to_vec(block, 9)
}

/// The blocks of a segment's text: all of them, or those that have been fetched.
#[derive(Debug)]
pub(super) struct TextStore {
    blocks: BlockStore,
    unpacked: Mutex<Vec<(usize, Arc<str>)>>,
}

impl TextStore {
    /// Reads the table of blocks. `length` is that of the text section, which begins at byte `at` of the file;
    /// `section` is that section, if it is there.
    pub(super) fn open(table: &[u8], at: u64, length: u64, section: Option<SharedBytes>) -> Result<Self> {
        let blocks = BlockStore::open("text", table, at, length, section)?;
        let sane = |block: &BlockEntry| {
            block.content.len() <= block.packed.len().saturating_mul(BEST_RATIO)
                && block.packed.len() <= block.content.len()
        };
        if !blocks.blocks().iter().all(sane) {
            return Err(corrupt("its table of text blocks contradicts itself"));
        }
        Ok(Self { blocks, unpacked: Mutex::new(Vec::new()) })
    }

    /// The bytes of all text.
    pub(super) fn text_length(&self) -> usize {
        self.blocks.content_end()
    }

    fn block(&self, byte: usize) -> Option<&BlockEntry> {
        self.blocks.blocks().get(self.blocks.block_of(byte))
    }

    /// Whether the range lies within one block.
    pub(super) fn holds(&self, text: &Range<usize>) -> bool {
        text.is_empty() || self.block(text.start).is_some_and(|block| text.end <= block.content.end)
    }

    /// Where in the file the block with this text lies, if it has still to be fetched.
    pub(super) fn missing(&self, text: &Range<usize>) -> Option<Range<u64>> {
        if text.is_empty() { None } else { self.blocks.missing(self.blocks.block_of(text.start)) }
    }

    /// Takes over the blocks that lie in fetched bytes of the file.
    pub(super) fn provide(&self, offset: u64, bytes: &SharedBytes) -> Result<()> {
        self.blocks.provide(offset, bytes)
    }

    /// The text in a range that [`TextStore::holds`].
    pub(super) fn get(&self, text: &Range<usize>) -> Result<String> {
        if text.is_empty() {
            return Ok(String::new());
        }
        let number = self.blocks.block_of(text.start);
        let damaged = || corrupt(format!("its text block {number} does not hold what its table says"));
        let block = self.block(text.start).ok_or_else(damaged)?;
        let unpacked = self.unpack(number, block)?;
        let inside = text.start - block.content.start..text.end.saturating_sub(block.content.start);
        unpacked.get(inside).map(str::to_owned).ok_or_else(damaged)
    }

    fn unpack(&self, number: usize, block: &BlockEntry) -> Result<Arc<str>> {
        let mut kept = lock(&self.unpacked);
        if let Some(at) = kept.iter().position(|(known, _)| *known == number) {
            let entry = kept.remove(at);
            let text = Arc::clone(&entry.1);
            kept.push(entry);
            return Ok(text);
        }
        let packed = self.blocks.get(number)?;
        // A crafted file may have a section with a valid checksum and blocks without.
        self.blocks.verify(number, &packed)?;
        let text = unpack(&packed, block.content.len(), number)?;
        if kept.len() == KEPT_BLOCKS {
            kept.remove(0);
        }
        kept.push((number, Arc::clone(&text)));
        Ok(text)
    }

    /// The whole section, for writing it again.
    pub(super) fn section(&self) -> Result<SharedBytes> {
        self.blocks.section()
    }
}

fn unpack(packed: &[u8], length: usize, number: usize) -> Result<Arc<str>> {
    let damaged = || corrupt(format!("its text block {number} cannot be unpacked"));
    let bytes = if packed.len() == length {
        packed.to_vec()
    } else {
        decompress_to_vec_with_limit(packed, length).map_err(|_| damaged())?
    };
    let text = String::from_utf8(bytes).map_err(|_| damaged())?;
    if text.len() == length { Ok(text.into()) } else { Err(damaged()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_platform::ErrorCode;

    fn chunks() -> Vec<String> {
        (0..400)
            .map(|at| format!("Passage {at} of a text that repeats itself. ").repeat(10 + at % 7))
            .collect()
    }

    fn encoded() -> (Vec<u8>, Vec<u8>) {
        encode(chunks().iter().map(String::as_str)).unwrap()
    }

    #[test]
    fn every_chunk_is_found_again() {
        let (table, packed) = encoded();
        let store = TextStore::open(&table, 0, packed.len() as u64, Some(packed.clone().into())).unwrap();
        assert!(store.blocks.blocks().len() > 2 && packed.len() < store.text_length() / 4);
        let mut start = 0;
        for chunk in chunks() {
            let range = start..start + chunk.len();
            assert!(store.holds(&range) && store.missing(&range).is_none());
            assert_eq!(store.get(&range).unwrap(), chunk);
            start = range.end;
        }
        assert_eq!(start, store.text_length());
        assert!(lock(&store.unpacked).len() <= KEPT_BLOCKS);
        assert!(*store.section().unwrap() == *packed);
    }

    #[test]
    fn blocks_come_when_they_are_fetched() {
        let (table, packed) = encoded();
        let store = TextStore::open(&table, 1000, packed.len() as u64, None).unwrap();
        let second = store.blocks.blocks()[1].content.start..store.blocks.blocks()[1].content.start + 10;
        let code = |range: &Range<usize>| store.get(range).unwrap_err().code();
        assert_eq!(code(&second), ErrorCode::IndexIncomplete);
        assert_eq!(store.section().unwrap_err().code(), ErrorCode::IndexIncomplete);
        let range = store.missing(&second).unwrap();
        let bytes = &packed[range.start as usize - 1000..range.end as usize - 1000];
        store.provide(range.start, &bytes.to_vec().into()).unwrap();
        assert!(store.missing(&second).is_none());
        assert!(store.get(&second).is_ok());
        assert_eq!(code(&(0..5)), ErrorCode::IndexIncomplete);
        let mut damaged = packed.clone();
        damaged[3] ^= 1;
        assert_eq!(store.provide(1000, &damaged.into()).unwrap_err().code(), ErrorCode::IndexCorrupt);
        store.provide(1000, &packed.clone().into()).unwrap();
        assert!(*store.section().unwrap() == *packed);
    }

    #[test]
    fn a_table_that_lies_is_refused() {
        let (table, packed) = encoded();
        let open = |table: &[u8], length: usize| TextStore::open(table, 0, length as u64, None).is_err();
        assert!(open(&table, packed.len() + 1));
        assert!(open(&table[..table.len() - 1], packed.len()));
        let mut promises = table.clone();
        promises[3] = 0xFF;
        assert!(open(&promises, packed.len()));
        let backwards: Vec<u8> = table.chunks(16).rev().flatten().copied().collect();
        assert!(open(&backwards, packed.len()));
        assert!(!open(&[], 0));
    }

    #[test]
    fn what_does_not_shrink_is_stored_as_it_is() {
        let (table, packed) = encode(["a", "b"].into_iter()).unwrap();
        assert_eq!(packed, b"ab");
        let store = TextStore::open(&table, 0, 2, Some(packed.into())).unwrap();
        assert_eq!(store.get(&(1..2)).unwrap(), "b");
    }
}
