//! Clusters where they lie in a file, or where they will lie when they are fetched.

use std::cmp::Reverse;
use std::ops::Range;

use super::super::blocks::BlockStore;
use super::super::candidate::{Best, ChunkCandidate, Scratch};
use super::super::container::{SharedBytes, corrupt, u32_at};
use super::super::graph::Graph;
use super::super::varint::read_varint;
use ibid_embed::Embedding;
use ibid_platform::Result;
use ibid_vectors::Rotation;
use ibid_vectors::codes::{self, TurnedQuery, coarse_bytes, code_bytes};

/// From this share of the clusters on, all are compared instead of walking the graph.
const WALKED_PART: usize = 4;
/// The centroids that a walk keeps beyond the number of clusters that are wanted.
const WALK_MARGIN: usize = 96;

/// The clusters of an index.
#[derive(Debug)]
pub(in super::super) struct Clusters {
    dimensions: usize,
    /// The number of chunks.
    chunks: u32,
    rotation: Rotation,
    factors: SharedBytes,
    lengths: SharedBytes,
    /// The codes of the centroids, unpacked.
    centroids: Vec<u8>,
    graph_bytes: SharedBytes,
    graph: Graph,
    blocks: BlockStore,
}

/// A cluster's stretch of the file, taken apart.
struct ClusterMembers<'a> {
    factors: &'a [[u8; 4]],
    codes: &'a [u8],
    chunks: &'a [u8],
}

impl Clusters {
    /// Reads what is needed first. `length` is that of the section with the codes, which begins at byte `at` of the
    /// file; `section` is that section, if it is there.
    pub(in super::super) fn open(
        head: &SharedBytes,
        chunks: u32,
        dimensions: usize,
        at: u64,
        length: u64,
        section: Option<SharedBytes>,
    ) -> Result<Self> {
        let damaged = || corrupt("its table of clusters contradicts itself");
        let count = u32_at(head, 0) as usize;
        let end = |start: usize, bytes: usize| count.checked_mul(bytes)?.checked_add(start);
        let ends = || {
            let (factors, lengths) = (end(4, 4)?, end(4, 8)?);
            let centroids = end(lengths, coarse_bytes(dimensions))?;
            let table = centroids.checked_add(4)?;
            let table_end = table.checked_add(u32_at(head, centroids) as usize)?;
            Some((factors, lengths, centroids, table, table_end))
        };
        let (factors_end, lengths_end, centroids_end, table, table_end) = ends().ok_or_else(damaged)?;
        let part = |range: Range<usize>| head.slice(range).ok_or_else(damaged);
        let (factors, lengths) = (part(4..factors_end)?, part(factors_end..lengths_end)?);
        if !are_finite(&factors) || !are_finite(&lengths) {
            return Err(damaged());
        }
        let blocks = BlockStore::open("code", &part(table..table_end)?, at, length, section)?;
        if blocks.len() != count || (count == 0) != (chunks == 0) {
            return Err(damaged());
        }
        let graph_bytes = part(table_end..head.len())?;
        let graph = Graph::open(&graph_bytes, count)?;
        let packed = part(lengths_end..centroids_end)?;
        let unpack = |packed| codes::unpack_coarse(packed, dimensions);
        let centroids = packed.chunks_exact(coarse_bytes(dimensions).max(1)).flat_map(unpack).collect();
        let rotation = Rotation::new(dimensions);
        Ok(Self { dimensions, chunks, rotation, factors, lengths, centroids, graph_bytes, graph, blocks })
    }

    pub(in super::super) fn blocks(&self) -> &BlockStore {
        &self.blocks
    }

    /// The number of clusters.
    pub(in super::super) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Makes a query ready to be compared with codes.
    pub(in super::super) fn turn(&self, query: &Embedding) -> TurnedQuery {
        let mut rotated = query.as_slice().to_vec();
        self.rotation.apply(&mut rotated);
        TurnedQuery::new(&rotated)
    }

    /// The clusters nearest to a query, nearest first, with the cosine of the query and their centroid.
    pub(in super::super) fn nearest(
        &self,
        query: &TurnedQuery,
        count: usize,
        scratch: &mut Scratch,
    ) -> Vec<ChunkCandidate> {
        let score =
            |cluster: u32| ChunkCandidate { chunk: cluster, score: self.centroid_score(query, cluster) };
        if count >= self.len() / WALKED_PART {
            let mut best = Best::new(count);
            (0..self.len() as u32).for_each(|cluster| best.push(score(cluster)));
            return best.into_sorted();
        }
        self.graph.search(&self.graph_bytes, self.len(), count + WALK_MARGIN, score, scratch);
        let mut best = Best::new(count);
        scratch.found.drain().for_each(|Reverse(found)| best.push(found));
        best.into_sorted()
    }

    fn centroid_score(&self, query: &TurnedQuery, cluster: u32) -> f32 {
        let (at, bytes) = (cluster as usize, code_bytes(self.dimensions));
        let codes = self.centroids.get(at * bytes..(at + 1) * bytes).unwrap_or_default();
        query.product(codes) * f32::from_bits(u32_at(&self.factors, at * 4))
    }

    /// The length of the mean of a cluster's vectors in the direction of its centroid.
    fn length(&self, cluster: u32) -> f32 {
        f32::from_bits(u32_at(&self.lengths, cluster as usize * 4))
    }

    /// Hands each chunk of a cluster, with an estimate of its cosine, to `each`. The cluster must be there.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::IndexIncomplete`] when it is not, [`ibid_platform::ErrorCode::IndexCorrupt`] when it
    /// contradicts itself.
    pub(in super::super) fn scan(
        &self,
        cluster: ChunkCandidate,
        query: &TurnedQuery,
        mut each: impl FnMut(ChunkCandidate),
    ) -> Result<()> {
        let stretch = self.blocks.get(cluster.chunk as usize)?;
        let members = self.members(cluster.chunk, &stretch)?;
        let rows = members.codes.chunks_exact(code_bytes(self.dimensions).max(1));
        let mean = cluster.score * self.length(cluster.chunk);
        let scores = members.factors.iter().zip(rows).map(|(factor, codes)| {
            (mean + query.product(codes) * f32::from_le_bytes(*factor)).clamp(-1.0, 1.0)
        });
        let mut numbers = ChunkNumbers { bytes: members.chunks, next: 0 };
        for score in scores {
            let chunk = numbers.next().filter(|chunk| *chunk < self.chunks);
            each(ChunkCandidate { chunk: chunk.ok_or_else(|| torn(cluster.chunk))?, score });
        }
        if numbers.bytes.is_empty() { Ok(()) } else { Err(torn(cluster.chunk)) }
    }

    /// The vector of a chunk of a cluster, as far as its codes tell it; `None` when the cluster does not have it, or is
    /// not there.
    pub(in super::super) fn decode(&self, cluster: u32, chunk: u32) -> Option<Embedding> {
        let stretch = self.blocks.get(cluster as usize).ok()?;
        let members = self.members(cluster, &stretch).ok()?;
        let at = ChunkNumbers { bytes: members.chunks, next: 0 }.position(|number| number == chunk)?;
        let bytes = code_bytes(self.dimensions);
        let mut vector = vec![0.0; self.dimensions];
        let mut add = |factor: f32, codes: &[u8], at: usize| {
            codes::decode(factor, codes.get(at * bytes..(at + 1) * bytes).unwrap_or_default(), &mut vector);
        };
        let factor = f32::from_bits(u32_at(&self.factors, cluster as usize * 4));
        add(factor * self.length(cluster), &self.centroids, cluster as usize);
        add(f32::from_le_bytes(*members.factors.get(at)?), members.codes, at);
        self.rotation.undo(&mut vector);
        Some(Embedding::normalized(vector))
    }

    fn members<'a>(&self, cluster: u32, stretch: &'a [u8]) -> Result<ClusterMembers<'a>> {
        let split = || {
            let count = self.blocks.content(cluster as usize).len();
            let (factors, rest) = stretch.split_at_checked(count.checked_mul(4)?)?;
            let (codes, chunks) = rest.split_at_checked(count.checked_mul(code_bytes(self.dimensions))?)?;
            let factors = factors.as_chunks().0;
            are_finite(factors.as_flattened()).then_some(ClusterMembers { factors, codes, chunks })
        };
        split().ok_or_else(|| torn(cluster))
    }
}

/// The numbers of a cluster's chunks, which are written as the differences between them.
struct ChunkNumbers<'a> {
    bytes: &'a [u8],
    next: u32,
}

impl Iterator for ChunkNumbers<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let chunk = read_varint(&mut self.bytes)?.checked_add(self.next)?;
        self.next = chunk.checked_add(1)?;
        Some(chunk)
    }
}

fn are_finite(numbers: &[u8]) -> bool {
    numbers.as_chunks().0.iter().all(|number| f32::from_le_bytes(*number).is_finite())
}

fn torn(cluster: u32) -> ibid_platform::Error {
    corrupt(format!("its cluster {cluster} does not hold what its table says"))
}
