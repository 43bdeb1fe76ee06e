//! Sections that need not be there when an index is opened: they are fetched later, in pieces of any size.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::container::{SectionEntry, SharedBytes};
use ibid_platform::{Error, ErrorCode, Result};

/// A section that is there, or of which some pieces have been fetched, or nothing.
#[derive(Debug)]
pub(super) struct LaterSection {
    entry: SectionEntry,
    whole: OnceLock<SharedBytes>,
    /// Pieces by where they begin in the file; none overlaps another.
    pieces: Mutex<BTreeMap<u64, SharedBytes>>,
}

impl LaterSection {
    /// `bytes` are the section's verified bytes, if they are there already.
    pub(super) fn new(entry: &SectionEntry, bytes: Option<SharedBytes>) -> Self {
        let whole = OnceLock::new();
        if let Some(bytes) = bytes {
            whole.get_or_init(|| bytes);
        }
        Self { entry: entry.clone(), whole, pieces: Mutex::new(BTreeMap::new()) }
    }

    /// The section's bytes, once all of them are there.
    pub(super) fn get(&self) -> Option<&SharedBytes> {
        self.whole.get()
    }

    /// The same, or the error that they have not been fetched.
    pub(super) fn require(&self) -> Result<&SharedBytes> {
        self.get().ok_or_else(|| {
            Error::new(ErrorCode::IndexIncomplete, "Only a part of this index has been fetched.")
                .with_hint("Fetch what `Index::missing_vectors` names and hand it to `Index::provide`.")
        })
    }

    /// Which bytes of the file have still to be fetched.
    pub(super) fn missing(&self) -> Vec<Range<u64>> {
        if self.whole.get().is_some() {
            return Vec::new();
        }
        let pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        self.gaps(&pieces)
    }

    fn gaps(&self, pieces: &BTreeMap<u64, SharedBytes>) -> Vec<Range<u64>> {
        let mut gaps = Vec::new();
        let mut at = self.entry.range.start;
        for (&start, piece) in pieces {
            if at < start {
                gaps.push(at..start);
            }
            at = start + piece.len() as u64;
        }
        if at < self.entry.range.end {
            gaps.push(at..self.entry.range.end);
        }
        gaps
    }

    /// Takes over what of these bytes of the file belongs to the section and is not there yet. When this makes it
    /// whole, `check` has the last word on it.
    ///
    /// # Errors
    /// [`ErrorCode::IndexCorrupt`] when the whole is not what was written; its pieces are then forgotten.
    pub(super) fn provide(
        &self,
        offset: u64,
        bytes: &SharedBytes,
        check: impl FnOnce(&SharedBytes) -> Result<()>,
    ) -> Result<()> {
        if self.whole.get().is_some() {
            return Ok(());
        }
        let mut pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        let end = offset.saturating_add(bytes.len() as u64);
        for gap in self.gaps(&pieces) {
            let (from, to) = (gap.start.max(offset), gap.end.min(end));
            if from < to
                && let Some(piece) = bytes.slice((from - offset) as usize..(to - offset) as usize)
            {
                pieces.insert(from, piece);
            }
        }
        if !self.gaps(&pieces).is_empty() {
            return Ok(());
        }
        let taken = std::mem::take(&mut *pieces);
        // A single piece is used where it is.
        let whole = match taken.first_key_value() {
            Some((_, piece)) if taken.len() == 1 => piece.clone(),
            _ => taken.values().flat_map(|piece| piece.iter().copied()).collect::<Vec<u8>>().into(),
        };
        let whole = self.entry.verify(Some(whole))?;
        check(&whole)?;
        self.whole.get_or_init(|| whole);
        Ok(())
    }
}
