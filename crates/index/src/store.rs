//! Records in packed blocks that are checked, unpacked and read one by one.
//!
//! A page that reads an index over HTTP fetches only the blocks of what it shows. A block is packed with deflate.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::blocks::{BlockSection, BlockStore, BlockWriter};
use super::container::{corrupt, u32_at};
use super::stretches::lock;
use ibid_platform::Result;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// The length of a block, unpacked, before it.
const HEAD_BYTES: usize = 4;
/// Deflate cannot pack better than this (RFC 1951: 258 bytes for two bits), so a block that promises more is damaged.
const BEST_RATIO: usize = 1032;
/// The unpacked bytes of blocks that are kept at hand: those of the last results.
const KEPT_BYTES: usize = 4 << 20;

/// The records of a block.
pub(super) trait RecordBlock: Sized {
    /// Their name in messages: `text`.
    const WHAT: &'static str;

    /// Reads a block; `None` if it does not hold that number of records and all that these refer to.
    fn read(block: &[u8], records: usize) -> Option<Self>;
}

/// Appends a block whose records end with number `end`.
pub(super) fn push_block(writer: &mut BlockWriter, end: usize, block: Vec<u8>) -> Result<()> {
    let length = (block.len() as u32).to_le_bytes();
    // Level 9 costs little compared with embedding the same text.
    let packed = miniz_oxide::deflate::compress_to_vec(&block, 9);
    let body = if packed.len() < block.len() { packed } else { block };
    writer.push(end, &[&length, body.as_slice()].concat())
}

/// Records in blocks: all of them, or those that have been fetched.
#[derive(Debug)]
pub(super) struct RecordStore<T> {
    blocks: BlockStore,
    /// Blocks that were read, the last one last.
    kept: Mutex<Vec<KeptBlock<T>>>,
}

#[derive(Debug)]
struct KeptBlock<T> {
    number: usize,
    bytes: usize,
    block: Arc<T>,
}

impl<T: RecordBlock> RecordStore<T> {
    /// Reads the table of the blocks of `count` records.
    pub(super) fn open(table: &[u8], count: u32, section: BlockSection) -> Result<Self> {
        let blocks = BlockStore::open(T::WHAT, table, section)?;
        if blocks.content_end() != count as usize {
            return Err(corrupt(format!("its table of {} blocks contradicts its counts", T::WHAT)));
        }
        Ok(Self { blocks, kept: Mutex::new(Vec::new()) })
    }

    pub(super) fn blocks(&self) -> &BlockStore {
        &self.blocks
    }

    /// Finds the range of the file with a record's block, if it has still to be fetched.
    pub(super) fn missing(&self, record: u32) -> Option<Range<u64>> {
        self.blocks.missing(self.blocks.block_of(record as usize))
    }

    /// Finds the block of a record, and the record's number in it; `None` past the last.
    pub(super) fn find(&self, record: u32) -> Result<Option<(Arc<T>, usize)>> {
        let number = self.blocks.block_of(record as usize);
        if number == self.blocks.len() {
            return Ok(None);
        }
        Ok(Some((self.block(number)?, record as usize - self.blocks.content(number).start)))
    }

    /// Reads a block by its number.
    pub(super) fn block(&self, number: usize) -> Result<Arc<T>> {
        let mut kept = lock(&self.kept);
        if let Some(at) = kept.iter().position(|kept| kept.number == number) {
            let known = kept.remove(at);
            let block = Arc::clone(&known.block);
            kept.push(known);
            return Ok(block);
        }
        let bytes = self.blocks.get_checked(number)?;
        let records = self.blocks.content(number).len();
        let damaged = || corrupt(format!("its {} block {number} does not hold what its table says", T::WHAT));
        let unpacked = unpack(&bytes).ok_or_else(damaged)?;
        let block = Arc::new(T::read(&unpacked, records).ok_or_else(damaged)?);
        kept.push(KeptBlock { number, bytes: unpacked.len(), block: Arc::clone(&block) });
        let mut all: usize = kept.iter().map(|kept| kept.bytes).sum();
        let beyond = |kept: &KeptBlock<T>| {
            let is_beyond = all > KEPT_BYTES;
            all -= kept.bytes;
            is_beyond
        };
        let beyond = kept.iter().map(beyond).take_while(|is_beyond| *is_beyond).count();
        // The one that is asked for stays, however large it is.
        let beyond = beyond.min(kept.len() - 1);
        kept.drain(..beyond);
        Ok(block)
    }
}

/// Unpacks a block of [`push_block`]; `None` if it is damaged.
pub(super) fn unpack(block: &[u8]) -> Option<Vec<u8>> {
    let (head, packed) = block.split_at_checked(HEAD_BYTES)?;
    let length = u32_at(head, 0) as usize;
    if packed.len() == length {
        return Some(packed.to_vec());
    }
    let is_sane = length > packed.len() && length <= packed.len().saturating_mul(BEST_RATIO);
    let block = is_sane.then(|| decompress_to_vec_with_limit(packed, length).ok()).flatten()?;
    (block.len() == length).then_some(block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_platform::ErrorCode;

    #[derive(Debug)]
    struct Words(Vec<String>);

    impl RecordBlock for Words {
        const WHAT: &'static str = "word";

        fn read(block: &[u8], records: usize) -> Option<Self> {
            let words: Vec<String> = std::str::from_utf8(block).ok()?.split('|').map(str::to_owned).collect();
            (words.len() == records).then_some(Self(words))
        }
    }

    fn written() -> BlockWriter {
        let mut writer = BlockWriter::default();
        for block in 0..5 {
            let word = |at| format!("word {at} of block {block}, which repeats itself");
            let words = (0..20).map(word).collect::<Vec<_>>().join("|");
            push_block(&mut writer, (block + 1) * 20, words.into_bytes()).unwrap();
        }
        writer
    }

    fn open(table: &[u8], bytes: &[u8], count: u32, whole: bool) -> Result<RecordStore<Words>> {
        let (length, bytes) = (bytes.len() as u64, whole.then(|| bytes.to_vec().into()));
        RecordStore::open(table, count, BlockSection { at: 1000, length, bytes })
    }

    #[test]
    fn every_record_is_found_again() {
        let BlockWriter { table, bytes, .. } = written();
        let store = open(&table, &bytes, 100, true).unwrap();
        for record in 0..100 {
            let (block, at) = store.find(record).unwrap().unwrap();
            assert!(block.0[at].starts_with(&format!("word {} of block {}", record % 20, record / 20)));
        }
        assert!(store.find(100).unwrap().is_none());
        assert!(bytes.len() < 5 * 20 * 30, "it is packed");
    }

    #[test]
    fn blocks_come_when_they_are_fetched() {
        let BlockWriter { table, bytes, .. } = written();
        let store = open(&table, &bytes, 100, false).unwrap();
        assert_eq!(store.find(25).unwrap_err().code(), ErrorCode::IndexIncomplete);
        let range = store.missing(25).unwrap();
        let piece = bytes[range.start as usize - 1000..range.end as usize - 1000].to_vec();
        store.blocks().provide(range.start, &piece.clone().into()).unwrap();
        assert!(store.find(39).unwrap().is_some() && store.missing(20).is_none());
        assert_eq!(store.find(19).unwrap_err().code(), ErrorCode::IndexIncomplete);
        let mut damaged = piece;
        damaged[9] ^= 1;
        let error = store.blocks().provide(range.start, &damaged.into()).unwrap_err();
        assert_eq!(error.code(), ErrorCode::IndexCorrupt);
    }

    #[test]
    fn some_megabytes_of_blocks_are_kept_at_hand() {
        let mut writer = BlockWriter::default();
        for block in 0..40 {
            push_block(&mut writer, block + 1, vec![b'a' + block as u8 % 26; 240_000]).unwrap();
        }
        let store = open(&writer.table, &writer.bytes, 40, true).unwrap();
        let kept = || lock(&store.kept).iter().map(|kept| kept.number).collect::<Vec<_>>();
        (0..40).for_each(|record| drop(store.find(record).unwrap()));
        assert_eq!(kept(), (23..40).collect::<Vec<_>>());
        store.find(25).unwrap();
        assert_eq!((kept().len(), kept().last()), (17, Some(&25)));
    }

    #[test]
    fn what_lies_is_refused() {
        let BlockWriter { table, bytes, .. } = written();
        assert!(open(&table, &bytes, 99, true).is_err());
        assert!(open(&table[..table.len() - 1], &bytes, 100, true).is_err());
        assert!(open(&table, &bytes[1..], 100, true).is_err());
        for (records, block) in [
            (3, &b"\x04\0\0\0a|b "[..]),
            (2, &b"\x02\0\0\0a|b"[..]),
            (1, &b"\x03\0\0\0a|b"[..]),
            (2, &b"\xff\xff\xff\xffa|b"[..]),
            (1, &b"\x03\0"[..]),
            (1, &b"\x02\0\0\0\xff\xff"[..]),
        ] {
            let mut writer = BlockWriter::default();
            writer.push(records, block).unwrap();
            let store = open(&writer.table, &writer.bytes, records as u32, true).unwrap();
            assert_eq!(store.find(0).unwrap_err().code(), ErrorCode::IndexCorrupt, "{block:?}");
        }
    }
}
