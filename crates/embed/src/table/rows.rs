//! The rows of a query table: where each lies in the file, and those that are here.

use std::ops::Range;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use twox_hash::XxHash64;

use super::group::scales_are_finite;
use super::incomplete;
use crate::packed::invalid;
use ibid_platform::Result;
use ibid_platform::ranges::requests;

/// The bytes of a row's checksum, which stands in front of it.
pub(super) const SUM_BYTES: usize = 8;

/// The place where the rows that are not in the head lie in a file: one after the other, without padding.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowLayout {
    /// The place where the first row's checksum begins.
    pub(super) start: usize,
    pub(super) rows: usize,
    pub(super) row_bytes: usize,
    /// The seed of the checksums, so that a row of another version is told from one of this.
    pub(super) seed: u64,
}

impl RowLayout {
    fn stride(&self) -> usize {
        SUM_BYTES + self.row_bytes
    }

    /// Computes the place where the last row ends; `None` if no file can be as long.
    pub(super) fn end(&self) -> Option<usize> {
        self.rows.checked_mul(self.stride())?.checked_add(self.start)
    }

    /// Verifies and returns a row of which this is the checksum and what follows it, if it is the one that was written.
    fn verify<'a>(&self, stretch: &'a [u8], number: usize) -> Result<&'a [u8]> {
        let (sum, row) = stretch.split_at_checked(SUM_BYTES).unwrap_or_default();
        if XxHash64::oneshot(self.seed, row).to_le_bytes() != sum {
            return Err(invalid(format!("The checksum of row {number} of the query table does not match.")));
        }
        check_scales(row)?;
        Ok(row)
    }
}

/// Checks that every scale is a finite number.
pub(super) fn check_scales(rows: &[u8]) -> Result<()> {
    if scales_are_finite(rows) { Ok(()) } else { Err(invalid("A scale in the query table is not a number.")) }
}

/// The rows of tokens: all, or those that are here.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) layout: RowLayout,
    /// The tokens whose rows came with the head, ascending, and their rows.
    pub(super) common: Vec<u32>,
    pub(super) common_bytes: Vec<u8>,
    /// The other rows that are here: one run where the file came as a whole, else about one for each request.
    pub(super) fetched: RwLock<Vec<Run>>,
}

/// Rows that came side by side, without their checksums.
#[derive(Debug)]
pub(super) struct Run {
    /// The number of the first among all rows that are not in the head.
    first: usize,
    rows: Vec<u8>,
}

impl Run {
    fn row(&self, number: usize, row_bytes: usize) -> Option<&[u8]> {
        let start = number.checked_sub(self.first)? * row_bytes;
        self.rows.get(start..start + row_bytes)
    }
}

impl Rows {
    /// Those that are here. A lock whose holder panicked leaves nothing half done: each change is a single push.
    fn fetched(&self) -> RwLockReadGuard<'_, Vec<Run>> {
        self.fetched.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds the place of a token among the common ones, or its row's number among the others.
    fn place(&self, token: u32) -> std::result::Result<usize, usize> {
        self.common.binary_search(&token).map_err(|before| token as usize - before)
    }

    /// Calls `add` with the row of each of these tokens.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::ModelIncomplete`] when one is not here.
    pub(super) fn each(&self, tokens: &[u32], mut add: impl FnMut(&[u8])) -> Result<()> {
        let row_bytes = self.layout.row_bytes;
        let fetched = self.fetched();
        for &token in tokens {
            let row = match self.place(token) {
                Ok(at) => self.common_bytes.get(at * row_bytes..(at + 1) * row_bytes),
                Err(number) => fetched.iter().find_map(|run| run.row(number, row_bytes)),
            };
            add(row.ok_or_else(|| incomplete("rows"))?);
        }
        Ok(())
    }

    /// Lists the ranges of the file with rows that have still to be fetched: those of these tokens, or all.
    pub(super) fn missing(&self, tokens: Option<&[u32]>) -> Vec<Range<u64>> {
        let fetched = self.fetched();
        let numbers: Vec<usize> = match tokens {
            Some(tokens) => tokens.iter().filter_map(|&token| self.place(token).err()).collect(),
            None => (0..self.layout.rows).collect(),
        };
        let is_here = |number| fetched.iter().any(|run| run.row(number, self.layout.row_bytes).is_some());
        let stride = self.layout.stride() as u64;
        let start = |number: usize| self.layout.start as u64 + number as u64 * stride;
        let missing = numbers.into_iter().filter(|&number| !is_here(number));
        requests(missing.map(|number| start(number)..start(number) + stride).collect())
    }

    /// Takes over the rows that lie in bytes of the file.
    pub(super) fn provide(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        let (start, stride) = (self.layout.start as u64, self.layout.stride());
        let first = offset.saturating_sub(start).div_ceil(stride as u64);
        let skipped = first.saturating_mul(stride as u64).saturating_add(start) - offset;
        let first = usize::try_from(first).unwrap_or(usize::MAX);
        let stretches = usize::try_from(skipped).ok().and_then(|skipped| bytes.get(skipped..));
        let mut rows = Vec::with_capacity(bytes.len());
        for (number, stretch) in
            (first..self.layout.rows).zip(stretches.unwrap_or_default().chunks_exact(stride))
        {
            rows.extend_from_slice(self.layout.verify(stretch, number)?);
        }
        if !rows.is_empty() {
            self.fetched.write().unwrap_or_else(PoisonError::into_inner).push(Run { first, rows });
        }
        Ok(())
    }
}
