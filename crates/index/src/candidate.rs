//! Chunks with their scores, and the buffers in which a search gathers them.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A chunk's number with its score, ordered by score, ties by the lower number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChunkCandidate {
    /// The chunk's number in the index, from 0.
    pub chunk: u32,
    /// The cosine between query and chunk.
    pub score: f32,
}

impl Eq for ChunkCandidate {}

impl Ord for ChunkCandidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(other.chunk.cmp(&self.chunk))
    }
}

impl PartialOrd for ChunkCandidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The best candidates so far, of all files.
pub(super) struct Best {
    limit: usize,
    heap: BinaryHeap<Reverse<ChunkCandidate>>,
}

impl Best {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, heap: BinaryHeap::new() }
    }

    #[inline]
    pub(super) fn push(&mut self, candidate: ChunkCandidate) {
        if self.heap.len() < self.limit {
            self.heap.push(Reverse(candidate));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && candidate > worst.0
        {
            worst.0 = candidate;
        }
    }

    /// Sorts the candidates, best first.
    pub(super) fn into_sorted(self) -> Vec<ChunkCandidate> {
        self.heap.into_sorted_vec().into_iter().map(|Reverse(candidate)| candidate).collect()
    }
}

/// Buffers that are kept from search to search.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The nodes that a walk has come across, or the chunks that were compared: a bit for each.
    pub(super) visited: Vec<u64>,
    /// The nodes that a walk has still to leave.
    pub(super) open: BinaryHeap<ChunkCandidate>,
    /// The nodes that a walk has found.
    pub(super) found: BinaryHeap<Reverse<ChunkCandidate>>,
}

impl Scratch {
    /// Makes room for `count` numbers, none of which has been seen.
    pub(super) fn forget(&mut self, count: usize) {
        self.visited.clear();
        self.visited.resize(count.div_ceil(64), 0);
    }

    /// Returns whether a number is seen for the first time.
    #[inline]
    pub(super) fn first_visit(&mut self, number: u32) -> bool {
        let (word, bit) = (number as usize / 64, 1u64 << (number % 64));
        let Some(word) = self.visited.get_mut(word) else { return false };
        let fresh = *word & bit == 0;
        *word |= bit;
        fresh
    }
}
