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

/// The best candidates so far, of all segments.
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

    /// The candidates, best first.
    pub(super) fn into_sorted(self) -> Vec<ChunkCandidate> {
        self.heap.into_sorted_vec().into_iter().map(|Reverse(candidate)| candidate).collect()
    }
}

/// Buffers that are kept from search to search.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The vectors that a walk has come across, a bit for each.
    pub(super) visited: Vec<u64>,
    /// Those of them that it has still to leave.
    pub(super) open: BinaryHeap<ChunkCandidate>,
    /// The vectors that a walk has found.
    pub(super) found: BinaryHeap<Reverse<ChunkCandidate>>,
    /// In how many signs each vector differs from the query.
    pub(super) distances: Vec<u16>,
    /// The number of vectors that differ in that many signs.
    pub(super) counts: Vec<u32>,
}
