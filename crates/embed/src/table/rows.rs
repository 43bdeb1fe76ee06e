//! The rows of a query table: where each lies in the file, and those that are here.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use twox_hash::XxHash64;

use super::group::scales_are_finite;
use crate::packed::invalid;
use ibid_platform::{Error, ErrorCode, Result, order};

/// The bytes of a block's checksum, which stands in front of its rows.
pub(super) const SUM_BYTES: usize = 8;
/// Blocks with fewer bytes between them are fetched by one request.
const WORTH_ONE_REQUEST: u64 = 4 * 1024;

/// The place where blocks of rows lie in a file. Blocks follow each other without padding, and the last may have fewer rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockLayout {
    /// The place where the first block begins.
    pub(super) start: usize,
    /// The rows of all blocks together.
    pub(super) rows: usize,
    pub(super) row_bytes: usize,
    pub(super) block_rows: usize,
    /// The seed of the checksums, so that a block of another version is told from one of this.
    pub(super) seed: u64,
}

impl BlockLayout {
    fn blocks(&self) -> usize {
        self.rows.div_ceil(self.block_rows)
    }

    fn stride(&self) -> usize {
        SUM_BYTES + self.block_rows * self.row_bytes
    }

    /// The place where the last block ends; `None` where no file can be as long.
    pub(super) fn end(&self) -> Option<usize> {
        let rows = self.rows.checked_mul(self.row_bytes)?;
        rows.checked_add(self.blocks().checked_mul(SUM_BYTES)?)?.checked_add(self.start)
    }

    /// The place of a block, with its checksum.
    fn block(&self, number: usize) -> Range<usize> {
        let start = self.start + number * self.stride();
        let rows = self.block_rows.min(self.rows - number * self.block_rows);
        start..start + SUM_BYTES + rows * self.row_bytes
    }

    /// The rows of a block, if they are those that were written.
    fn verify<'a>(&self, block: &'a [u8], number: usize) -> Result<&'a [u8]> {
        let (sum, rows) = block.split_at_checked(SUM_BYTES).unwrap_or_default();
        if XxHash64::oneshot(self.seed, rows).to_le_bytes() != sum {
            return Err(invalid(format!("The checksum of block {number} of the query table does not hold.")));
        }
        check_scales(rows)?;
        Ok(rows)
    }
}

/// Checks that every scale is a finite number.
pub(super) fn check_scales(rows: &[u8]) -> Result<()> {
    if scales_are_finite(rows) { Ok(()) } else { Err(invalid("A scale in the query table is not a number.")) }
}

/// The rows of tokens: all, or those that are here.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) layout: BlockLayout,
    /// The tokens whose rows came with the head, ascending, and their rows.
    pub(super) common: Vec<u32>,
    pub(super) common_bytes: Vec<u8>,
    /// The rows of the blocks that are here, without their checksums.
    pub(super) fetched: Mutex<BTreeMap<usize, Box<[u8]>>>,
}

impl Rows {
    fn fetched(&self) -> MutexGuard<'_, BTreeMap<usize, Box<[u8]>>> {
        // A lock whose holder panicked leaves nothing half done here: each change is a single insertion.
        self.fetched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The place of a token among the common ones, or its row's number among those in blocks.
    fn place(&self, token: u32) -> std::result::Result<usize, usize> {
        self.common.binary_search(&token).map_err(|before| token as usize - before)
    }

    /// Calls `add` with the row of each of these tokens.
    ///
    /// # Errors
    /// [`ErrorCode::ModelIncomplete`] when one is not here.
    pub(super) fn each(&self, tokens: &[u32], mut add: impl FnMut(&[u8])) -> Result<()> {
        let BlockLayout { row_bytes, block_rows, .. } = self.layout;
        let fetched = self.fetched();
        for &token in tokens {
            let (rows, at) = match self.place(token) {
                Ok(at) => (Some(&*self.common_bytes), at),
                Err(row) => (fetched.get(&(row / block_rows)).map(|block| &**block), row % block_rows),
            };
            let row = rows.and_then(|rows| rows.get(at * row_bytes..(at + 1) * row_bytes));
            add(row.ok_or_else(|| {
                Error::new(
                    ErrorCode::ModelIncomplete,
                    "The query table's row of a token has not been fetched yet.",
                )
                .with_hint("Fetch what `TokenTable::missing` names and hand it to `TokenTable::provide`.")
            })?);
        }
        Ok(())
    }

    /// The ranges of the file with rows that have still to be fetched: those of these tokens, or all.
    pub(super) fn missing(&self, tokens: Option<&[u32]>) -> Vec<Range<u64>> {
        let fetched = self.fetched();
        let mut blocks: Vec<usize> = match tokens {
            Some(tokens) => tokens.iter().filter_map(|&token| self.place(token).err()).collect(),
            None => (0..self.layout.rows).step_by(self.layout.block_rows).collect(),
        };
        blocks.iter_mut().for_each(|row| *row /= self.layout.block_rows);
        order::by_key(&mut blocks, |&block| block);
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for block in blocks.into_iter().filter(|block| !fetched.contains_key(block)) {
            let Range { start, end } = self.layout.block(block);
            match ranges.last_mut() {
                Some(last) if start as u64 <= last.end + WORTH_ONE_REQUEST => last.end = end as u64,
                _ => ranges.push(start as u64..end as u64),
            }
        }
        ranges
    }

    /// Takes over the blocks that lie in bytes of the file.
    pub(super) fn provide(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        let mut fetched = self.fetched();
        let Some(end) = offset.checked_add(bytes.len() as u64) else { return Ok(()) };
        let before = offset.saturating_sub(self.layout.start as u64).div_ceil(self.layout.stride() as u64);
        for number in usize::try_from(before).unwrap_or(usize::MAX)..self.layout.blocks() {
            let Range { start: from, end: to } = self.layout.block(number);
            if to as u64 > end {
                break;
            }
            let Some(start) = (from as u64).checked_sub(offset) else { continue };
            let block = bytes.get(start as usize..start as usize + (to - from)).unwrap_or_default();
            fetched.insert(number, self.layout.verify(block, number)?.into());
        }
        Ok(())
    }
}
