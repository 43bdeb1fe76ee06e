//! The nearest vectors of one segment, by whichever way is fastest.
//!
//! A graph visits more of itself the fewer of its chunks are allowed, and can miss them all where they lie apart. So
//! what a filter leaves is compared directly: by the codes when that is little, else by the signs first. Every way
//! returns as many chunks as are wanted, if there are so many.

use std::cmp::Reverse;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::allowed::Allowed;
use super::candidate::{Best, ChunkCandidate, Scratch};
use super::segment::Segment;
use super::vectors::QueryCodes;

/// For each candidate that is wanted in the end, how many vectors the scan over the signs hands on to be compared
/// exactly. On 10,000 passages of four collections (256 components, noisy copies of passages as queries), 64 candidates
/// and a factor of 4 found 91 of the true 100 nearest, 8 found 95, and 16 found 98. On 23,000 sentences of three
/// collections (384 components, other sentences as queries) 16 found all, where the graph found 99.8.
const SIGN_CANDIDATES: usize = 16;
/// In Chromium's engine comparing two vectors by their codes takes as long as comparing the signs of so many: 33 ns to 5,
/// with 384 components.
const SIGNS_PER_CODE: usize = 6;
/// How many comparisons by codes take as long as a walk does for each candidate that it keeps. It compares 10 to 20, here
/// and there in memory, and keeps them in order, which takes four times as long as one after the other.
const GRAPH_PER_CANDIDATE: usize = 64;

/// Whether testing each chunk is faster than listing those that are allowed.
fn is_dense(among: usize, count: usize) -> bool {
    among >= count / 4
}

/// A way to find the nearest vectors of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VectorPath {
    /// Walking the graph. Segments without one are searched by their signs.
    Graph,
    /// Comparing the signs of all allowed vectors, then the best by their codes.
    Signs,
    /// Comparing all allowed vectors by their codes.
    Exact,
}

/// A search, as one segment sees it.
pub(super) struct SegmentSearch<'a> {
    pub(super) segment: &'a Segment,
    pub(super) query: &'a QueryCodes,
    pub(super) limit: usize,
    pub(super) ef: usize,
    /// The segment's first chunk by its number in the index.
    pub(super) first: u32,
    pub(super) allowed: &'a Allowed,
}

impl SegmentSearch<'_> {
    /// Adds what the segment has to the best; returns the way that was taken, and how many vectors were compared by
    /// their codes.
    pub(super) fn run(
        &self,
        path: Option<VectorPath>,
        scratch: &mut Scratch,
        best: &mut Best,
    ) -> (VectorPath, usize) {
        let among = self.allowed.count_in(self.chunks()) as usize;
        match path.unwrap_or_else(|| self.choose(among)) {
            VectorPath::Exact => (VectorPath::Exact, self.exact(best)),
            VectorPath::Graph if self.segment.can_walk() => {
                let compared = self.walk(scratch);
                if scratch.found.len() < self.limit.min(among) {
                    // The graph has parts that no walk from its entry reaches, if only because a file is crafted.
                    return (VectorPath::Exact, compared + self.exact(best));
                }
                scratch.found.drain().for_each(|Reverse(candidate)| self.push(candidate, best));
                (VectorPath::Graph, compared)
            }
            VectorPath::Graph | VectorPath::Signs => (VectorPath::Signs, self.signs(among, scratch, best)),
        }
    }

    /// The segment's chunks by their numbers in the index.
    fn chunks(&self) -> Range<u32> {
        self.first..self.first + self.segment.chunk_count()
    }

    /// The way that compares the least.
    fn choose(&self, among: usize) -> VectorPath {
        let keep = self.ef.saturating_mul(SIGN_CANDIDATES);
        if among <= keep {
            // The signs would hand on all of them.
            return VectorPath::Exact;
        }
        let count = self.chunks().len();
        // Listing what is allowed takes as long again as comparing it.
        let scanned = if is_dense(among, count) { count } else { 2 * among };
        let signs = (scanned / SIGNS_PER_CODE).saturating_add(keep);
        // A walk goes on until it has found enough that is allowed.
        let walk = self.ef.saturating_mul(GRAPH_PER_CANDIDATE).saturating_mul(count) / among;
        if self.segment.can_walk() && walk < signs { VectorPath::Graph } else { VectorPath::Signs }
    }

    fn push(&self, candidate: ChunkCandidate, best: &mut Best) {
        best.push(ChunkCandidate { chunk: candidate.chunk + self.first, ..candidate });
    }

    fn exact(&self, best: &mut Best) -> usize {
        let comparison = self.segment.comparison(self.query);
        let mut compared = 0;
        for chunk in self.allowed.iter_in(self.chunks()) {
            best.push(ChunkCandidate { chunk, score: comparison.score(chunk - self.first) });
            compared += 1;
        }
        compared
    }

    fn signs(&self, among: usize, scratch: &mut Scratch, best: &mut Best) -> usize {
        let keep = self.ef.saturating_mul(SIGN_CANDIDATES);
        let Some(signs) = self.segment.signs() else { return 0 };
        let comparison = self.segment.comparison(self.query);
        let mut compared = 0;
        let take = |chunk: u32| {
            self.push(ChunkCandidate { chunk, score: comparison.score(chunk) }, best);
            compared += 1;
        };
        let query = self.query.signs();
        let count = self.chunks().len();
        if among == count {
            signs.nearest(&query, keep, 0..count as u32, |_| true, scratch, take);
        } else if is_dense(among, count) {
            let allowed = |chunk| self.allowed.contains(self.first + chunk);
            signs.nearest(&query, keep, 0..count as u32, allowed, scratch, take);
        } else {
            let local = self.allowed.iter_in(self.chunks()).map(|chunk| chunk - self.first);
            let local: Vec<u32> = local.collect();
            signs.nearest(&query, keep, local.iter().copied(), |_| true, scratch, take);
        }
        compared
    }

    /// Leaves what was found in the buffer.
    fn walk(&self, scratch: &mut Scratch) -> usize {
        if self.allowed.is_all() {
            self.segment.walk(self.query, self.ef, |_| true, scratch)
        } else {
            self.segment.walk(self.query, self.ef, |chunk| self.allowed.contains(self.first + chunk), scratch)
        }
    }
}
