//! Blocks that are fetched and checked one by one: the table that says where they are, and those that are there.
//!
//! A page that reads an index over HTTP fetches only the blocks it needs. What is in a block, its owner knows: `text` has
//! compressed text in them, `lexical` terms with their postings.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::container::{SharedBytes, checksum, corrupt, incomplete, too_large, u32_at, u64_at};
use ibid_platform::Result;

/// The bytes of a line in the table of blocks.
const ENTRY_BYTES: usize = 16;

/// Writes blocks, and the table of them.
///
/// For each block the table has how far its content reaches, counted in whatever its owner counts from the beginning of
/// the first block, where its bytes end, and their checksum.
#[derive(Default)]
pub(super) struct BlockWriter {
    pub(super) table: Vec<u8>,
    pub(super) bytes: Vec<u8>,
}

impl BlockWriter {
    /// Adds a block whose content ends at `content_end`.
    pub(super) fn push(&mut self, content_end: usize, block: &[u8]) -> Result<()> {
        self.bytes.extend_from_slice(block);
        for end in [content_end, self.bytes.len()] {
            let end = u32::try_from(end).map_err(|_| too_large("bytes of text", u32::MAX as usize))?;
            self.table.extend_from_slice(&end.to_le_bytes());
        }
        self.table.extend_from_slice(&checksum(&[block]).to_le_bytes());
        Ok(())
    }
}

/// A line of the table.
#[derive(Debug)]
pub(super) struct BlockEntry {
    /// Which part of the content it holds.
    pub(super) content: Range<usize>,
    /// Where its bytes lie in the section.
    pub(super) packed: Range<usize>,
    checksum: u64,
}

/// The blocks of a section: all of them, or those that have been fetched.
#[derive(Debug)]
pub(super) struct BlockStore {
    /// What the blocks hold, for messages: `text`.
    what: &'static str,
    blocks: Vec<BlockEntry>,
    /// Where the blocks begin in the file.
    at: u64,
    packed: Mutex<BlockBytes>,
}

#[derive(Debug)]
enum BlockBytes {
    Whole(SharedBytes),
    Fetched(BTreeMap<usize, SharedBytes>),
}

impl BlockStore {
    /// Reads the table of blocks. `length` is that of their section, which begins at byte `at` of the file; `section` is
    /// that section, if it is there.
    pub(super) fn open(
        what: &'static str,
        table: &[u8],
        at: u64,
        length: u64,
        section: Option<SharedBytes>,
    ) -> Result<Self> {
        let damaged = || corrupt(format!("its table of {what} blocks contradicts itself"));
        let (entries, rest) = table.as_chunks::<ENTRY_BYTES>();
        let (mut content, mut packed) = (0, 0);
        let mut blocks = Vec::with_capacity(entries.len());
        for entry in entries {
            let (content_end, packed_end) = (u32_at(entry, 0) as usize, u32_at(entry, 4) as usize);
            if content_end <= content || packed_end <= packed {
                return Err(damaged());
            }
            let checksum = u64_at(entry, 8);
            blocks.push(BlockEntry { content: content..content_end, packed: packed..packed_end, checksum });
            (content, packed) = (content_end, packed_end);
        }
        if !rest.is_empty() || packed as u64 != length {
            return Err(damaged());
        }
        let packed = section.map_or_else(|| BlockBytes::Fetched(BTreeMap::new()), BlockBytes::Whole);
        Ok(Self { what, blocks, at, packed: Mutex::new(packed) })
    }

    pub(super) fn blocks(&self) -> &[BlockEntry] {
        &self.blocks
    }

    /// The end of all content.
    pub(super) fn content_end(&self) -> usize {
        self.blocks.last().map_or(0, |block| block.content.end)
    }

    /// The block that holds that much of the content.
    pub(super) fn block_of(&self, content: usize) -> usize {
        self.blocks.partition_point(|block| block.content.end <= content)
    }

    /// Where in the file a block lies, if it has still to be fetched.
    pub(super) fn missing(&self, number: usize) -> Option<Range<u64>> {
        let block = self.blocks.get(number)?;
        match &*lock(&self.packed) {
            BlockBytes::Whole(_) => None,
            BlockBytes::Fetched(blocks) if blocks.contains_key(&number) => None,
            BlockBytes::Fetched(_) => {
                Some(self.at + block.packed.start as u64..self.at + block.packed.end as u64)
            }
        }
    }

    /// Takes over the blocks that lie in fetched bytes of the file.
    pub(super) fn provide(&self, offset: u64, bytes: &SharedBytes) -> Result<()> {
        let mut packed = lock(&self.packed);
        let BlockBytes::Fetched(fetched) = &mut *packed else { return Ok(()) };
        for (number, block) in self.blocks.iter().enumerate() {
            let start = (self.at + block.packed.start as u64).checked_sub(offset);
            // What does not fit into an address lies outside the bytes that are there.
            let start = start.and_then(|start| usize::try_from(start).ok());
            let range = start.and_then(|start| Some(start..start.checked_add(block.packed.len())?));
            if let Some(part) = range.and_then(|range| bytes.slice(range)) {
                self.verify(number, &part)?;
                fetched.insert(number, part);
            }
        }
        Ok(())
    }

    /// A block's bytes. They were checked when they came: with their section, or by themselves.
    pub(super) fn get(&self, number: usize) -> Result<SharedBytes> {
        let part = match &*lock(&self.packed) {
            BlockBytes::Whole(section) => {
                self.blocks.get(number).and_then(|block| section.slice(block.packed.clone()))
            }
            BlockBytes::Fetched(blocks) => blocks.get(&number).cloned(),
        };
        part.ok_or_else(|| {
            let what = format!("A block of {} of this index", self.what);
            incomplete(&what, "`Index::missing`, or the method for what is read,")
        })
    }

    /// Whether the bytes are those of that block.
    pub(super) fn verify(&self, number: usize, bytes: &[u8]) -> Result<()> {
        let block = self.blocks.get(number);
        if block
            .is_some_and(|block| bytes.len() == block.packed.len() && checksum(&[bytes]) == block.checksum)
        {
            return Ok(());
        }
        Err(corrupt(format!("the checksum of its {} block {number} does not match", self.what)))
    }

    /// The whole section, for writing it again.
    pub(super) fn section(&self) -> Result<SharedBytes> {
        match &*lock(&self.packed) {
            BlockBytes::Whole(section) => Ok(section.clone()),
            BlockBytes::Fetched(blocks) => {
                let mut whole = Vec::new();
                for number in 0..self.blocks.len() {
                    let block = blocks
                        .get(&number)
                        .ok_or_else(|| incomplete("A part of this index", "`Index::missing_all`"))?;
                    whole.extend_from_slice(block);
                }
                Ok(SharedBytes::from(whole))
            }
        }
    }
}

/// A lock whose holder panicked leaves nothing half done here: each change is a single insertion.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
