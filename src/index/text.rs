//! The text of all chunks, in compressed blocks that are checked and unpacked one by one.
//!
//! A page that reads an index over HTTP fetches only the blocks of the hits it shows. A block begins and ends between
//! chunks, so one chunk never needs two.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use miniz_oxide::inflate::decompress_to_vec_with_limit;

use super::container::{Bytes, checksum, corrupt, too_large, u32_at, u64_at};
use crate::error::{Error, ErrorCode, Result};

/// Text is gathered into a block until it has this many bytes.
const BLOCK_BYTES: usize = 64 * 1024;
/// The bytes of a line in the table of blocks.
const ENTRY_BYTES: usize = 16;
/// Deflate cannot pack better than this (RFC 1951: 258 bytes for two bits), so a table that promises more is damaged.
const BEST_RATIO: usize = 1032;
/// Unpacked blocks that are kept at hand: those of the last few results.
const KEPT_BLOCKS: usize = 16;

/// Packs chunks' texts: the table of blocks, and the blocks.
///
/// For each block the table has the end of its text and of its packed bytes, both counted from the beginning of all,
/// and the checksum of its packed bytes. `pack` may return `None` to leave a block as it is.
pub(super) fn encode<'a>(
    chunks: impl Iterator<Item = &'a str>,
    pack: impl Fn(&[u8]) -> Option<Vec<u8>>,
) -> Result<(Vec<u8>, Vec<u8>)> {
    let (mut table, mut packed) = (Vec::new(), Vec::new());
    let (mut block, mut end) = (Vec::new(), 0);
    let mut flush = |block: &mut Vec<u8>, end: usize| {
        let bytes = pack(block).filter(|bytes| bytes.len() < block.len());
        let bytes = bytes.map_or(Cow::Borrowed(block.as_slice()), Cow::Owned);
        packed.extend_from_slice(&bytes);
        let limit = || too_large("bytes of text", u32::MAX as usize);
        for end in [end, packed.len()] {
            table.extend_from_slice(&u32::try_from(end).map_err(|_| limit())?.to_le_bytes());
        }
        table.extend_from_slice(&checksum(&[&bytes]).to_le_bytes());
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
    Ok((table, packed))
}

/// Packs a block with deflate (RFC 1951).
pub(super) fn deflate(block: &[u8]) -> Vec<u8> {
    // Level 9 costs little beside embedding the same text.
    miniz_oxide::deflate::compress_to_vec(block, 9)
}

/// The blocks of a segment: all of them, or those that have been fetched.
#[derive(Debug)]
pub(super) struct TextStore {
    blocks: Vec<Block>,
    /// Where the blocks begin in the file.
    at: u64,
    packed: Mutex<Packed>,
    unpacked: Mutex<Vec<(usize, Arc<str>)>>,
}

#[derive(Debug)]
struct Block {
    text: Range<usize>,
    packed: Range<usize>,
    checksum: u64,
}

#[derive(Debug)]
enum Packed {
    Whole(Bytes),
    Fetched(BTreeMap<usize, Bytes>),
}

impl TextStore {
    /// Reads the table of blocks. `length` is that of the text section, which begins at byte `at` of the file;
    /// `section` is that section, if it is there.
    pub(super) fn open(table: &[u8], at: u64, length: u64, section: Option<Bytes>) -> Result<Self> {
        let damaged = || corrupt("its table of text blocks contradicts itself");
        let (entries, rest) = table.as_chunks::<ENTRY_BYTES>();
        let (mut text, mut packed) = (0, 0);
        let mut blocks = Vec::with_capacity(entries.len());
        for entry in entries {
            let (text_end, packed_end) = (u32_at(entry, 0) as usize, u32_at(entry, 4) as usize);
            let block =
                Block { text: text..text_end, packed: packed..packed_end, checksum: u64_at(entry, 8) };
            if text_end <= text
                || packed_end <= packed
                || block.text.len() > block.packed.len().saturating_mul(BEST_RATIO)
                || block.packed.len() > block.text.len()
            {
                return Err(damaged());
            }
            (text, packed) = (text_end, packed_end);
            blocks.push(block);
        }
        if !rest.is_empty() || packed as u64 != length {
            return Err(damaged());
        }
        let packed = section.map_or_else(|| Packed::Fetched(BTreeMap::new()), Packed::Whole);
        Ok(Self { blocks, at, packed: Mutex::new(packed), unpacked: Mutex::new(Vec::new()) })
    }

    /// The bytes of all text.
    pub(super) fn text_length(&self) -> usize {
        self.blocks.last().map_or(0, |block| block.text.end)
    }

    /// The block that holds a byte of the text.
    fn block_of(&self, byte: usize) -> usize {
        self.blocks.partition_point(|block| block.text.end <= byte)
    }

    /// Whether the range lies within one block.
    pub(super) fn holds(&self, text: &Range<usize>) -> bool {
        text.is_empty()
            || self.blocks.get(self.block_of(text.start)).is_some_and(|block| text.end <= block.text.end)
    }

    /// Where in the file the block with this text lies, if it has still to be fetched.
    pub(super) fn missing(&self, text: &Range<usize>) -> Option<Range<u64>> {
        let number = self.block_of(text.start);
        let block = self.blocks.get(number).filter(|_| !text.is_empty())?;
        match &*lock(&self.packed) {
            Packed::Whole(_) => None,
            Packed::Fetched(blocks) if blocks.contains_key(&number) => None,
            Packed::Fetched(_) => {
                Some(self.at + block.packed.start as u64..self.at + block.packed.end as u64)
            }
        }
    }

    /// Takes over the blocks that lie in fetched bytes of the file.
    pub(super) fn provide(&self, offset: u64, bytes: &Bytes) -> Result<()> {
        let mut packed = lock(&self.packed);
        let Packed::Fetched(fetched) = &mut *packed else { return Ok(()) };
        for (number, block) in self.blocks.iter().enumerate() {
            let start = (self.at + block.packed.start as u64).checked_sub(offset);
            // What does not fit into an address lies outside the bytes that are there.
            let start = start.and_then(|start| usize::try_from(start).ok());
            let range = start.and_then(|start| Some(start..start.checked_add(block.packed.len())?));
            if let Some(part) = range.and_then(|range| bytes.slice(range)) {
                block.verify(&part, number)?;
                fetched.insert(number, part);
            }
        }
        Ok(())
    }

    /// The text in a range that [`TextStore::holds`].
    pub(super) fn get(&self, text: &Range<usize>) -> Result<String> {
        if text.is_empty() {
            return Ok(String::new());
        }
        let number = self.block_of(text.start);
        let damaged = || corrupt(format!("its text block {number} does not hold what its table says"));
        let block = self.blocks.get(number).ok_or_else(damaged)?;
        let unpacked = self.unpack(number, block)?;
        let inside = text.start - block.text.start..text.end.saturating_sub(block.text.start);
        unpacked.get(inside).map(str::to_owned).ok_or_else(damaged)
    }

    fn unpack(&self, number: usize, block: &Block) -> Result<Arc<str>> {
        let mut kept = lock(&self.unpacked);
        if let Some(at) = kept.iter().position(|(known, _)| *known == number) {
            let entry = kept.remove(at);
            let text = Arc::clone(&entry.1);
            kept.push(entry);
            return Ok(text);
        }
        let text = block.unpack(&self.packed_block(number, block)?, number)?;
        if kept.len() == KEPT_BLOCKS {
            kept.remove(0);
        }
        kept.push((number, Arc::clone(&text)));
        Ok(text)
    }

    fn packed_block(&self, number: usize, block: &Block) -> Result<Bytes> {
        let part = match &*lock(&self.packed) {
            Packed::Whole(section) => section.slice(block.packed.clone()),
            Packed::Fetched(blocks) => blocks.get(&number).cloned(),
        };
        let part = part.ok_or_else(|| {
            Error::new(ErrorCode::IndexIncomplete, "The text of this passage has not been fetched yet.")
                .with_hint("Fetch what `Index::missing` names and hand it to `Index::provide`.")
        })?;
        block.verify(&part, number)?;
        Ok(part)
    }

    /// The whole section, for writing it again.
    pub(super) fn section(&self) -> Result<Bytes> {
        match &*lock(&self.packed) {
            Packed::Whole(section) => Ok(section.clone()),
            Packed::Fetched(blocks) => {
                let mut whole = Vec::new();
                for number in 0..self.blocks.len() {
                    let block = blocks.get(&number).ok_or_else(|| {
                        Error::new(ErrorCode::IndexIncomplete, "Only a part of this index has been fetched.")
                            .with_hint("Load the whole file to write it again.")
                    })?;
                    whole.extend_from_slice(block);
                }
                Ok(Bytes::from(whole))
            }
        }
    }
}

impl Block {
    fn verify(&self, packed: &[u8], number: usize) -> Result<()> {
        if packed.len() == self.packed.len() && checksum(&[packed]) == self.checksum {
            return Ok(());
        }
        Err(corrupt(format!("the checksum of its text block {number} does not match")))
    }

    fn unpack(&self, packed: &[u8], number: usize) -> Result<Arc<str>> {
        let damaged = || corrupt(format!("its text block {number} cannot be unpacked"));
        let bytes = if packed.len() == self.text.len() {
            packed.to_vec()
        } else {
            decompress_to_vec_with_limit(packed, self.text.len()).map_err(|_| damaged())?
        };
        let text = String::from_utf8(bytes).map_err(|_| damaged())?;
        if text.len() == self.text.len() { Ok(text.into()) } else { Err(damaged()) }
    }
}

/// A lock whose holder panicked leaves nothing half done here: each change is a single insertion.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks() -> Vec<String> {
        (0..400)
            .map(|at| format!("Passage {at} of a text that repeats itself. ").repeat(10 + at % 7))
            .collect()
    }

    fn encoded() -> (Vec<u8>, Vec<u8>) {
        encode(chunks().iter().map(String::as_str), |block| Some(deflate(block))).unwrap()
    }

    #[test]
    fn every_chunk_is_found_again() {
        let (table, packed) = encoded();
        let store = TextStore::open(&table, 0, packed.len() as u64, Some(packed.clone().into())).unwrap();
        assert!(store.blocks.len() > 2 && packed.len() < store.text_length() / 4);
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
        let second = store.blocks[1].text.start..store.blocks[1].text.start + 10;
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
        let (table, packed) = encode(["a", "b"].into_iter(), |block| Some(deflate(block))).unwrap();
        assert_eq!(packed, b"ab");
        let store = TextStore::open(&table, 0, 2, Some(packed.into())).unwrap();
        assert_eq!(store.get(&(1..2)).unwrap(), "b");
    }
}
