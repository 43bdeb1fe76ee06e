//! The graph over the centroids of clusters, as it is stored: flat rows of neighbours that are searched where they lie.
//!
//! Hierarchical navigable small worlds (Malkov and Yashunin, arXiv:1603.09320): a few upper layers, each a sparser
//! graph than the one below, lead from an entry point to the neighbourhood of the query; a beam search over the base
//! layer then collects the nearest. [`super::hnsw`] has `instant-distance` build the layers; here they are only
//! read. Layout: see `docs/index-format.md`.

use std::cmp::Reverse;

use super::candidate::{ChunkCandidate, Scratch};
use super::container::{corrupt, words};
use ibid_platform::Result;

/// Neighbours kept for a node in the base layer, nearest and most diverse first.
pub(super) const BASE_WIDTH: usize = 8;
/// Neighbours kept for a node in each upper layer.
pub(super) const UPPER_WIDTH: usize = 6;
/// Fills a row that has fewer neighbours.
pub(super) const NO_NEIGHBOUR: u32 = u32::MAX;
const MAX_LAYERS: usize = 16;
/// Wider rows than are ever written.
const MAX_WIDTH: usize = 64;
/// The numbers at the beginning of the section, before those that say how many nodes each layer has.
const HEAD_WORDS: usize = 5;

/// The layers of a graph before they are stored.
#[derive(Default)]
pub(super) struct Layers {
    /// A row for each node.
    pub(super) base: Vec<[u32; BASE_WIDTH]>,
    /// From the sparsest layer to the densest: a node with its row, sorted by node.
    pub(super) upper: Vec<Vec<(u32, [u32; UPPER_WIDTH])>>,
    /// The place where every search starts.
    pub(super) entry: u32,
}

impl Layers {
    /// Entry point, bytes of an id, width of base rows and of upper rows, number of upper layers, their node counts
    /// (all `u32`); then, in ids, the base rows, and for each upper layer its nodes followed by their rows.
    pub(super) fn encode(&self) -> Vec<u8> {
        let wide = is_wide(self.base.len());
        let id_bytes = if wide { 4 } else { 2 };
        let head = [self.entry, id_bytes, BASE_WIDTH as u32, UPPER_WIDTH as u32, self.upper.len() as u32];
        let counts = self.upper.iter().map(|layer| layer.len() as u32);
        let mut out: Vec<u8> = head.into_iter().chain(counts).flat_map(u32::to_le_bytes).collect();
        let mut put = |id: u32| {
            // The mark of an empty place becomes the narrow one by losing its upper half.
            out.extend_from_slice(&id.to_le_bytes()[..id_bytes as usize]);
        };
        self.base.iter().flatten().for_each(|id| put(*id));
        for layer in &self.upper {
            layer.iter().for_each(|(node, _)| put(*node));
            layer.iter().flat_map(|(_, row)| row).for_each(|id| put(*id));
        }
        out
    }
}

/// Returns true if ids take four bytes: two hold those below 65,535, which itself marks an empty place.
fn is_wide(vectors: usize) -> bool {
    vectors > usize::from(u16::MAX)
}

/// The place where the parts of a stored graph lie in its section; all ids in them have been checked.
#[derive(Debug)]
pub(super) struct Graph {
    entry: u32,
    wide: bool,
    /// The bytes of a row.
    base_row: usize,
    upper_row: usize,
    base: usize,
    /// Start and node count of each upper layer, sparsest first.
    upper: Vec<(usize, usize)>,
}

impl Graph {
    /// Checks the whole section once, so that searching needs no further checks.
    pub(super) fn open(section: &[u8], count: usize) -> Result<Self> {
        let damaged = || corrupt("its graph does not fit its clusters");
        let mut head = words(section).map(|word| word as usize);
        let mut next = || head.next().ok_or_else(damaged);
        let (entry, id_bytes, base_width, upper_width, layers) =
            (next()?, next()?, next()?, next()?, next()?);
        let widths_are_sane = [base_width, upper_width].iter().all(|width| (1..=MAX_WIDTH).contains(width));
        let wide = is_wide(count);
        if layers > MAX_LAYERS
            || !widths_are_sane
            || id_bytes != if wide { 4 } else { 2 }
            || (count > 0 && entry >= count)
        {
            return Err(damaged());
        }
        let base = (HEAD_WORDS + layers) * 4;
        let (base_row, upper_row) = (base_width * id_bytes, upper_width * id_bytes);
        let after = |start: usize, nodes: usize, bytes: usize| {
            nodes.checked_mul(bytes).and_then(|rows| rows.checked_add(start)).ok_or_else(damaged)
        };
        let mut start = after(base, count, base_row)?;
        let mut upper = Vec::with_capacity(layers);
        for _ in 0..layers {
            let nodes = next()?;
            upper.push((start, nodes));
            start = after(start, nodes, upper_row + id_bytes)?;
        }
        if start != section.len() {
            return Err(damaged());
        }
        let known = |id: u32| id == NO_NEIGHBOUR || (id as usize) < count;
        if !ids(&section[base..], wide).all(known) {
            return Err(damaged());
        }
        Ok(Self { entry: entry as u32, wide, base_row, upper_row, base, upper })
    }

    /// Leaves the `ef` best nodes found, of all `count`, in the buffer for them.
    pub(super) fn search(
        &self,
        section: &[u8],
        count: usize,
        ef: usize,
        score: impl Fn(u32) -> ChunkCandidate,
        scratch: &mut Scratch,
    ) {
        scratch.found.clear();
        if count == 0 {
            return;
        }
        let mut best = score(self.entry);
        for &(start, nodes) in &self.upper {
            // A greedy walk: each step must improve, so it ends after at most as many steps as there are nodes.
            while let Some(next) = self.upper_row(section, start, nodes, best.chunk).map(&score).max()
                && next > best
            {
                best = next;
            }
        }
        let neighbours = |node: u32| {
            let start = self.base + node as usize * self.base_row;
            row(&section[start..start + self.base_row], self.wide)
        };
        scratch.forget(count);
        beam(best, ef.max(1), neighbours, score, scratch);
    }

    /// Lists the neighbours of `node` in an upper layer; none if it is not in that layer.
    fn upper_row<'a>(
        &self,
        section: &'a [u8],
        start: usize,
        nodes: usize,
        node: u32,
    ) -> impl Iterator<Item = u32> + use<'a> {
        let id_bytes = if self.wide { 4 } else { 2 };
        let (keys, rows) =
            section[start..start + nodes * (id_bytes + self.upper_row)].split_at(nodes * id_bytes);
        let key = |at: usize| ids(&keys[at * id_bytes..][..id_bytes], self.wide).next();
        // The nodes are sorted.
        let (mut low, mut high) = (0, nodes);
        while low < high {
            let middle = usize::midpoint(low, high);
            if key(middle) < Some(node) { low = middle + 1 } else { high = middle }
        }
        let found = (low < nodes && key(low) == Some(node)).then_some(low * self.upper_row);
        let row_bytes = found.map_or(&[][..], |start| &rows[start..start + self.upper_row]);
        row(row_bytes, self.wide)
    }
}

/// Walks the base layer, always from the best node not yet left, until none can improve the `ef` best found.
fn beam<R: Iterator<Item = u32>>(
    entry: ChunkCandidate,
    ef: usize,
    neighbours: impl Fn(u32) -> R,
    score: impl Fn(u32) -> ChunkCandidate,
    scratch: &mut Scratch,
) {
    scratch.first_visit(entry.chunk);
    scratch.open.clear();
    scratch.open.push(entry);
    scratch.found.push(Reverse(entry));
    while let Some(current) = scratch.open.pop() {
        if scratch.found.len() >= ef && scratch.found.peek().is_some_and(|Reverse(worst)| current < *worst) {
            break;
        }
        for id in neighbours(current.chunk) {
            if !scratch.first_visit(id) {
                continue;
            }
            let next = score(id);
            if scratch.found.len() >= ef && scratch.found.peek().is_some_and(|Reverse(worst)| next <= *worst)
            {
                continue;
            }
            scratch.open.push(next);
            if scratch.found.len() >= ef {
                scratch.found.pop();
            }
            scratch.found.push(Reverse(next));
        }
    }
}

/// All ids in the bytes, empty places among them.
fn ids(bytes: &[u8], wide: bool) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks_exact(if wide { 4 } else { 2 }).map(|id| match *id {
        [a, b] if [a, b] == [0xFF, 0xFF] => NO_NEIGHBOUR,
        [a, b] => u32::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
        _ => NO_NEIGHBOUR,
    })
}

/// Lists the neighbours in a row, up to the first empty place.
fn row(bytes: &[u8], wide: bool) -> impl Iterator<Item = u32> + '_ {
    ids(bytes, wide).take_while(|&id| id != NO_NEIGHBOUR)
}
