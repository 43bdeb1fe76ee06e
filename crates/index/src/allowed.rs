//! The chunks that a search may return.

use std::ops::Range;
use std::sync::Arc;

use super::bits::Bits;

/// The chunks that a search may return: those that have not been removed, and, with a filter, of those the ones that
/// stand in a document for which it holds. Made by [`super::Index::allowed`], and valid until the index changes. Cheap to
/// clone. The default allows nothing.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    /// `None` when all chunks are.
    pub(super) chunks: Option<Arc<Bits>>,
    /// One more than the greatest number of a chunk.
    pub(super) end: u32,
    pub(super) len: u32,
    /// For each file what the filter holds for; `None` without a filter.
    pub(super) matching: Option<Arc<Vec<Matching>>>,
}

/// The documents and chunks of a file that a filter holds for.
#[derive(Clone, Debug)]
pub(super) struct Matching {
    pub(super) documents: Bits,
    /// Chunks whose ids the filter names, by their numbers in the file and in order, and for which of their
    /// documents it holds.
    pub(super) named: Vec<(u32, Arc<Bits>)>,
}

impl Matching {
    /// The documents that count for a chunk.
    pub(super) fn documents_for(&self, chunk: u32) -> &Bits {
        let named = self.named.binary_search_by_key(&chunk, |(chunk, _)| *chunk);
        named.map_or(&self.documents, |at| &self.named[at].1)
    }
}

impl Allowed {
    /// Chunks by their numbers, for tests.
    #[cfg(test)]
    pub(super) fn of(end: u32, allowed: impl Iterator<Item = u32>) -> Self {
        let mut chunks = Bits::none(end);
        allowed.for_each(|at| chunks.insert(at));
        Self { len: chunks.count(), chunks: Some(Arc::new(chunks)), end, matching: None }
    }

    /// Says whether the chunk of that number, counted over the whole index, may be returned.
    #[inline]
    pub fn contains(&self, chunk: u32) -> bool {
        self.chunks.as_ref().map_or(chunk < self.end, |chunks| chunks.contains(chunk))
    }

    /// Returns the number of these chunks.
    pub fn len(&self) -> u64 {
        u64::from(self.len)
    }

    /// Says whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Says whether all chunks of the index may be returned, so that none need be asked for.
    pub(crate) fn is_all(&self) -> bool {
        self.chunks.is_none()
    }

    /// Their numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.iter_in(0..self.end)
    }

    /// Their numbers in a range, in order.
    pub(super) fn iter_in(&self, range: Range<u32>) -> impl Iterator<Item = u32> {
        let all = if self.is_all() { range.start..range.end.min(self.end) } else { 0..0 };
        self.chunks.iter().flat_map(move |chunks| chunks.iter_in(range.clone())).chain(all)
    }

    /// Counts them in a range.
    pub(super) fn count_in(&self, range: Range<u32>) -> u32 {
        match &self.chunks {
            Some(chunks) => chunks.count_in(range),
            None => range.end.min(self.end).saturating_sub(range.start),
        }
    }

    pub(super) fn matching(&self, file: usize) -> Option<&Matching> {
        self.matching.as_ref()?.get(file)
    }
}
