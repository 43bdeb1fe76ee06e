//! The terms where they lie in a file, or where they will lie when they are fetched.

use std::ops::Range;

use super::codec::{self, LONGEST_TERM, PostingsEntry};
use crate::blocks::{BlockSection, BlockStore};
use crate::container::{SharedBytes, corrupt, u32_at};
use ibid_platform::Result;
use ibid_terms::Language;

/// A file's terms, with the number in the index of its first chunk.
pub(super) type FileTerms<'a> = (u32, &'a TermStore);

/// The terms of a file.
#[derive(Debug)]
pub(crate) struct TermStore {
    language: Language,
    /// The number of chunks.
    chunks: u32,
    blocks: BlockStore,
    head: SharedBytes,
    /// The range of the head with the beginning of each block's first term, which tells it from the block before.
    firsts: Vec<Range<usize>>,
}

impl TermStore {
    /// Reads the head; the section has the blocks.
    pub(crate) fn open(head: SharedBytes, chunks: u32, section: BlockSection) -> Result<Self> {
        let damaged = || corrupt("its table of terms contradicts itself");
        let name_end = 1 + usize::from(*head.first().ok_or_else(damaged)?);
        let name = head.get(1..name_end).and_then(|name| std::str::from_utf8(name).ok());
        let language = name.and_then(Language::from_name).ok_or_else(damaged)?;
        let table = name_end + 4;
        let table_end = table.checked_add(u32_at(&head, name_end) as usize).ok_or_else(damaged)?;
        let entries = head.get(table..table_end).ok_or_else(damaged)?;
        let blocks = BlockStore::open("term", entries, section)?;
        let mut firsts: Vec<Range<usize>> = Vec::with_capacity(blocks.len());
        let mut start = table_end;
        for number in 0..blocks.len() {
            let length = usize::from(*head.get(start).ok_or_else(damaged)?);
            let range = start + 1..start + 1 + length;
            let term = head.get(range.clone()).ok_or_else(damaged)?;
            let before = firsts.last().and_then(|range| head.get(range.clone())).unwrap_or_default();
            if (number > 0 && term <= before) || length > LONGEST_TERM {
                return Err(damaged());
            }
            start = range.end;
            firsts.push(range);
        }
        if start != head.len() {
            return Err(damaged());
        }
        Ok(Self { language, chunks, blocks, head, firsts })
    }

    pub(super) fn language(&self) -> Language {
        self.language
    }

    pub(super) fn chunks(&self) -> u32 {
        self.chunks
    }

    pub(crate) fn blocks(&self) -> &BlockStore {
        &self.blocks
    }

    fn first(&self, block: usize) -> &[u8] {
        self.firsts.get(block).and_then(|range| self.head.get(range.clone())).unwrap_or_default()
    }

    /// Finds the block that a term would be in; `None` when it comes before all terms.
    fn block_of(&self, term: &[u8]) -> Option<usize> {
        let first = |range: &Range<usize>| self.head.get(range.clone()).unwrap_or_default() <= term;
        self.firsts.partition_point(first).checked_sub(1)
    }

    /// Finds the blocks that terms with that beginning would be in, as far as they have at most `bytes`.
    pub(super) fn blocks_of(&self, prefix: &[u8], most: usize) -> Range<usize> {
        let start = self.block_of(prefix).unwrap_or_default();
        let beyond = |&block: &usize| self.first(block) > prefix && !self.first(block).starts_with(prefix);
        let end = (start..self.firsts.len()).find(beyond).unwrap_or(self.firsts.len());
        start..end.min(self.blocks.within(start, most))
    }

    /// Finds a term's block and its postings there. The block is named in `missing` if it has to be fetched first.
    pub(super) fn find(
        &self,
        term: &[u8],
        missing: &mut Vec<Range<u64>>,
    ) -> Result<Option<(SharedBytes, PostingsEntry)>> {
        let Some(number) = self.block_of(term) else { return Ok(None) };
        let Some(block) = self.block(number, missing)? else { return Ok(None) };
        Ok(codec::find(&block, term)?.map(|entry| (block, entry)))
    }

    /// Reads the bytes of a block, or `None` if they have to be fetched first.
    pub(super) fn block(&self, number: usize, missing: &mut Vec<Range<u64>>) -> Result<Option<SharedBytes>> {
        if let Some(range) = self.blocks.missing(number) {
            missing.push(range);
            return Ok(None);
        }
        self.blocks.get(number).map(Some)
    }
}
