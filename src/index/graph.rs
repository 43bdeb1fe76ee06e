//! The graph as it is stored: flat rows of neighbours that are searched where they lie.
//!
//! Hierarchical navigable small worlds (Malkov and Yashunin, arXiv:1603.09320): a few upper layers, each a sparser
//! graph than the one below, lead from an entry point to the neighbourhood of the query; a beam search over the base
//! layer then collects the nearest. [`super::builder`] has `instant-distance` build the layers; here they are only
//! read. Layout: see `docs/index-format.md`.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::format::{corrupt, u32_at};
use super::vectors::{QueryCodes, Vectors};
use crate::error::Result;

/// Neighbours kept for a vector in the base layer, nearest and most diverse first.
pub(super) const BASE_WIDTH: usize = 32;
/// Neighbours kept for a vector in each upper layer.
pub(super) const UPPER_WIDTH: usize = 16;
/// Fills a row that has fewer neighbours.
pub(super) const NO_NEIGHBOUR: u32 = u32::MAX;
const MAX_LAYERS: usize = 16;
const ROW: usize = BASE_WIDTH * 4;
const UPPER_ROW: usize = 4 + UPPER_WIDTH * 4;

/// A chunk's number with its score, ordered by score, ties by the lower number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The chunk's number in the index, from 0.
    pub chunk: u32,
    /// The cosine between query and chunk.
    pub score: f32,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(other.chunk.cmp(&self.chunk))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The layers of a graph before they are stored.
#[derive(Default)]
pub(super) struct Layers {
    /// A row for each vector.
    pub(super) base: Vec<[u32; BASE_WIDTH]>,
    /// From the sparsest layer to the densest: a node with its row, sorted by node.
    pub(super) upper: Vec<Vec<(u32, [u32; UPPER_WIDTH])>>,
    /// Where every search starts.
    pub(super) entry: u32,
}

impl Layers {
    /// Entry point, number of upper layers, their node counts, base rows, upper rows; all `u32`.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut words = vec![self.entry, self.upper.len() as u32];
        words.extend(self.upper.iter().map(|layer| layer.len() as u32));
        words.extend(self.base.iter().flatten());
        for (node, row) in self.upper.iter().flatten() {
            words.push(*node);
            words.extend(row);
        }
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// Where the parts of a stored graph lie in its section; all ids in them have been checked.
#[derive(Debug)]
pub(super) struct Graph {
    entry: u32,
    base: usize,
    /// Start and node count of each upper layer, sparsest first.
    upper: Vec<(usize, usize)>,
}

impl Graph {
    /// Checks the whole section once, so that searching needs no further checks.
    pub(super) fn open(section: &[u8], vectors: usize) -> Result<Self> {
        let damaged = || corrupt("its graph does not fit its vectors");
        if section.len() < 8 {
            return Err(damaged());
        }
        let entry = u32_at(section, 0);
        let layer_count = u32_at(section, 4) as usize;
        let base = 8 + layer_count.min(MAX_LAYERS) * 4;
        if layer_count > MAX_LAYERS || section.len() < base || (vectors > 0 && entry as usize >= vectors) {
            return Err(damaged());
        }
        let mut start =
            vectors.checked_mul(ROW).and_then(|rows| rows.checked_add(base)).ok_or_else(damaged)?;
        let mut upper = Vec::with_capacity(layer_count);
        for layer in 0..layer_count {
            let nodes = u32_at(section, 8 + layer * 4) as usize;
            upper.push((start, nodes));
            start =
                nodes.checked_mul(UPPER_ROW).and_then(|rows| rows.checked_add(start)).ok_or_else(damaged)?;
        }
        if start != section.len() {
            return Err(damaged());
        }
        let ids = section[base..].as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
        if ids.into_iter().any(|id| id != NO_NEIGHBOUR && id as usize >= vectors) {
            return Err(damaged());
        }
        Ok(Self { entry, base, upper })
    }

    /// The `ef` best candidates found, best first.
    pub(super) fn search(
        &self,
        section: &[u8],
        vectors: Vectors<'_>,
        query: &QueryCodes,
        ef: usize,
    ) -> Vec<Candidate> {
        if vectors.len() == 0 {
            return Vec::new();
        }
        let score = |chunk: u32| Candidate { chunk, score: vectors.score(query, chunk as usize) };
        let mut best = score(self.entry);
        for &(start, nodes) in &self.upper {
            // A greedy walk: each step must improve, so it ends after at most as many steps as there are nodes.
            while let Some(next) =
                upper_row(section, start, nodes, best.chunk).map(score).max().filter(|next| *next > best)
            {
                best = next;
            }
        }
        self.beam(section, vectors.len(), best, ef.max(1), score)
    }

    fn beam(
        &self,
        section: &[u8],
        count: usize,
        entry: Candidate,
        ef: usize,
        score: impl Fn(u32) -> Candidate,
    ) -> Vec<Candidate> {
        let mut visited = vec![0u64; count.div_ceil(64)];
        let mut first_visit = |id: u32| {
            let (word, bit) = (id as usize / 64, 1u64 << (id % 64));
            let fresh = visited[word] & bit == 0;
            visited[word] |= bit;
            fresh
        };
        first_visit(entry.chunk);
        let mut open = BinaryHeap::from([entry]);
        let mut found = BinaryHeap::from([Reverse(entry)]);
        while let Some(current) = open.pop() {
            let worst = found.peek().map_or(current, |Reverse(worst)| *worst);
            if found.len() >= ef && current < worst {
                break;
            }
            for id in row(section, self.base + current.chunk as usize * ROW, BASE_WIDTH) {
                if !first_visit(id) {
                    continue;
                }
                let next = score(id);
                if found.len() < ef {
                    found.push(Reverse(next));
                    open.push(next);
                } else if found.peek().is_some_and(|Reverse(worst)| next > *worst) {
                    found.pop();
                    found.push(Reverse(next));
                    open.push(next);
                }
            }
        }
        let mut best: Vec<Candidate> = found.into_iter().map(|Reverse(candidate)| candidate).collect();
        best.sort_unstable_by(|a, b| b.cmp(a));
        best
    }
}

/// The neighbours in the row that starts at `start`.
fn row(section: &[u8], start: usize, width: usize) -> impl Iterator<Item = u32> + '_ {
    let words = section[start..start + width * 4].as_chunks().0.iter();
    words.map(|word| u32::from_le_bytes(*word)).take_while(|&id| id != NO_NEIGHBOUR)
}

/// The neighbours of `node` in an upper layer whose rows are sorted by node; none if it is not in that layer.
fn upper_row(section: &[u8], start: usize, nodes: usize, node: u32) -> impl Iterator<Item = u32> + '_ {
    let rows = section[start..start + nodes * UPPER_ROW].as_chunks::<UPPER_ROW>().0;
    let found = rows.binary_search_by_key(&node, |row| u32_at(row, 0)).ok();
    found.into_iter().flat_map(move |at| row(section, start + at * UPPER_ROW + 4, UPPER_WIDTH))
}
