//! Clusters where they lie in a file, or where they will lie when they are fetched.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::OnceLock;

use super::super::blocks::{BlockSection, BlockStore};
use super::super::candidate::{Best, ChunkCandidate, Scratch};
use super::super::container::{CENTROIDS, SharedBytes, corrupt, is_needed, u32_at};
use super::super::graph::Graph;
use super::super::varint::read_varint;
use ibid_embed::Embedding;
use ibid_platform::Result;
use ibid_vectors::Rotation;
use ibid_vectors::codes::{self, NUMBER_BYTES, TurnedQuery, coarse_bytes, code_bytes, read_number};

/// The bits of a component in the codes of chunks.
pub(super) const FINE_BITS: u32 = 4;
pub(super) const COARSE_BITS: u32 = 2;
/// A search looks at the clusters of the nearest groups, until they have this many times as many as it compares.
const LOOKED_AT: usize = 32;
/// Where their centroids have to be fetched, it looks at this share of all clusters at most.
const FETCHED_PART: usize = 3;
/// It then looks at this many times as many as it compares, even if that is more.
const FETCHED_LEAST: usize = 2;
/// From this share of the groups on, all are compared instead of walking the graph.
const WALKED_PART: usize = 4;
/// The groups that a walk keeps beyond the number that is expected to do.
const WALK_MARGIN: usize = 32;

/// The clusters of an index, and the groups that these are in.
#[derive(Debug)]
pub(in super::super) struct Clusters {
    dimensions: usize,
    /// The number of chunks.
    chunks: u32,
    /// The chunks have coarse codes.
    are_coarse: bool,
    rotation: Rotation,
    /// Those of the groups' centroids.
    factors: SharedBytes,
    codes: SharedBytes,
    graph_bytes: SharedBytes,
    graph: Graph,
    /// The clusters' centroids are not read first.
    are_fetched: bool,
    /// The centroids of the groups' clusters, and those that have been taken apart.
    centroids: BlockStore,
    opened: Vec<OnceLock<ClusterGroup>>,
    blocks: BlockStore,
}

/// The centroids of a group's clusters.
#[derive(Debug)]
struct ClusterGroup {
    clusters: usize,
    /// The parts of the group's centroid in theirs, the factors of what is left, and the clusters' lengths.
    numbers: Vec<f32>,
    /// The codes of what is left, unpacked.
    codes: Vec<u8>,
}

/// A cluster's stretch of the file, taken apart.
struct ClusterMembers<'a> {
    factors: &'a [[u8; NUMBER_BYTES]],
    /// Unpacked.
    codes: Cow<'a, [u8]>,
    chunks: &'a [u8],
}

impl Clusters {
    /// Reads what is needed first. The sections are those with the centroids and the codes.
    pub(in super::super) fn open(
        head: &SharedBytes,
        chunks: u32,
        dimensions: usize,
        [centroids, codes]: [BlockSection; 2],
    ) -> Result<Self> {
        let damaged = || corrupt("its table of clusters contradicts itself");
        let count = u32_at(head, 0) as usize;
        let are_coarse = match u32_at(head, 4) {
            FINE_BITS => false,
            COARSE_BITS => true,
            _ => return Err(damaged()),
        };
        let mut at = 8usize;
        let mut part = |length: Option<usize>| {
            let end = length.and_then(|length| at.checked_add(length)).ok_or_else(damaged)?;
            let part = head.slice(at..end).ok_or_else(damaged);
            at = end;
            part
        };
        let factors = part(count.checked_mul(NUMBER_BYTES))?;
        let group_codes = part(count.checked_mul(code_bytes(dimensions)))?;
        let mut table = |what, section: BlockSection| {
            let length = u32_at(&part(Some(4))?, 0) as usize;
            BlockStore::open(what, &part(Some(length))?, section)
        };
        let are_fetched = !is_needed(CENTROIDS, centroids.length);
        let centroids = table("centroids", centroids)?;
        let blocks = table("code", codes)?;
        let has_chunks = chunks > 0;
        if !are_finite(&factors)
            || centroids.len() != count
            || centroids.content_end() != blocks.len()
            || (count > 0) != has_chunks
            || (blocks.len() > 0) != has_chunks
        {
            return Err(damaged());
        }
        let graph_bytes = head.slice(at..head.len()).ok_or_else(damaged)?;
        let graph = Graph::open(&graph_bytes, count)?;
        let rotation = Rotation::new(dimensions);
        let opened = (0..count).map(|_| OnceLock::new()).collect();
        let codes = group_codes;
        Ok(Self {
            dimensions,
            chunks,
            are_coarse,
            rotation,
            factors,
            codes,
            graph_bytes,
            graph,
            are_fetched,
            centroids,
            opened,
            blocks,
        })
    }

    /// Says whether codes tell no more than which chunks may be the nearest.
    pub(in super::super) fn are_coarse(&self) -> bool {
        self.are_coarse
    }

    /// The clusters' codes.
    pub(in super::super) fn blocks(&self) -> &BlockStore {
        &self.blocks
    }

    /// The clusters' centroids, group by group.
    pub(in super::super) fn centroids(&self) -> &BlockStore {
        &self.centroids
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

    /// Finds the clusters nearest to a query, nearest first, with the cosine of the query and their centroid. What has to
    /// be fetched before they can be told goes to `missing`.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::IndexCorrupt`] when a group contradicts itself, and those of reading.
    pub(in super::super) fn nearest(
        &self,
        query: &TurnedQuery,
        count: usize,
        scratch: &mut Scratch,
        missing: &mut Vec<Range<u64>>,
    ) -> Result<Vec<ChunkCandidate>> {
        let mut best = Best::new(count);
        for near in self.nearest_groups(query, self.looked_at(count), scratch) {
            if let Some(range) = self.centroids.missing(near.chunk as usize) {
                missing.push(range);
                continue;
            }
            let group = self.group(near.chunk as usize)?;
            for (at, cluster) in self.centroids.content(near.chunk as usize).enumerate() {
                let score = near.score * group.share(at)
                    + query.product(group.codes(at, self.dimensions)) * group.factor(at);
                best.push(ChunkCandidate { chunk: cluster as u32, score });
            }
        }
        Ok(best.into_sorted())
    }

    /// Counts the clusters that a search looks at which compares that many.
    fn looked_at(&self, compared: usize) -> usize {
        let most = (self.len() / FETCHED_PART).max(compared.saturating_mul(FETCHED_LEAST));
        let all = compared.saturating_mul(LOOKED_AT);
        if self.are_fetched { all.min(most) } else { all }
    }

    /// Finds the groups nearest to a query, nearest first, until they have that many clusters.
    fn nearest_groups(
        &self,
        query: &TurnedQuery,
        clusters: usize,
        scratch: &mut Scratch,
    ) -> impl Iterator<Item = ChunkCandidate> {
        let count = self.centroids.len();
        let score = |group: u32| {
            let (at, bytes) = (group as usize, code_bytes(self.dimensions));
            let codes = self.codes.get(at * bytes..(at + 1) * bytes).unwrap_or_default();
            ChunkCandidate { chunk: group, score: query.product(codes) * self.factor(at) }
        };
        let mut best = Best::new(count);
        let expected = clusters.min(self.len()) * count / self.len().max(1);
        if expected >= count / WALKED_PART {
            (0..count as u32).for_each(|group| best.push(score(group)));
        } else {
            self.graph.search(&self.graph_bytes, count, expected + WALK_MARGIN, score, scratch);
            scratch.found.drain().for_each(|Reverse(found)| best.push(found));
        }
        let mut seen = 0;
        best.into_sorted().into_iter().take_while(move |group| {
            let before = seen;
            seen += self.centroids.content(group.chunk as usize).len();
            before < clusters
        })
    }

    /// The factor of a group's centroid.
    fn factor(&self, group: usize) -> f32 {
        self.factors.as_chunks().0.get(group).map_or(0.0, |number| read_number(*number))
    }

    /// For each cluster, the least number of clusters to compare with which a search looks at it.
    pub(super) fn reached(&self, query: &TurnedQuery) -> Vec<usize> {
        let (mut reached, mut seen) = (vec![0; self.len()], 0);
        for group in self.nearest_groups(query, self.len(), &mut Scratch::default()) {
            let clusters = self.centroids.content(group.chunk as usize);
            let is_late = self.are_fetched && seen >= self.len() / FETCHED_PART;
            reached[clusters.clone()].fill(seen / if is_late { FETCHED_LEAST } else { LOOKED_AT } + 1);
            seen += clusters.len();
        }
        reached
    }

    /// Reads a group whose bytes are there.
    fn group(&self, number: usize) -> Result<&ClusterGroup> {
        let torn = || corrupt(format!("its group of clusters {number} does not hold what its table says"));
        let place = self.opened.get(number).ok_or_else(torn)?;
        if let Some(group) = place.get() {
            return Ok(group);
        }
        let clusters = self.centroids.content(number).len();
        let opened = ClusterGroup::open(&self.centroids.get(number)?, clusters, self.dimensions);
        let opened = opened.ok_or_else(torn)?;
        Ok(place.get_or_init(|| opened))
    }

    /// Finds the group of a cluster, by its number, and the cluster's place in it.
    fn group_of(&self, cluster: u32) -> Result<(usize, usize, &ClusterGroup)> {
        let number = self.centroids.block_of(cluster as usize);
        let place = cluster as usize - self.centroids.content(number).start;
        Ok((number, place, self.group(number)?))
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
        let (_, place, group) = self.group_of(cluster.chunk)?;
        let mean = cluster.score * group.length(place);
        let scores = members
            .factors
            .iter()
            .zip(rows)
            .map(|(factor, codes)| (mean + query.product(codes) * read_number(*factor)).clamp(-1.0, 1.0));
        let mut numbers = ChunkNumbers { bytes: members.chunks, next: 0 };
        for score in scores {
            let chunk = numbers.next().filter(|chunk| *chunk < self.chunks);
            each(ChunkCandidate { chunk: chunk.ok_or_else(|| torn(cluster.chunk))?, score });
        }
        if numbers.bytes.is_empty() { Ok(()) } else { Err(torn(cluster.chunk)) }
    }

    /// Computes the vector of a chunk of a cluster, as far as its codes tell it; `None` when the cluster does not have
    /// it, or is not there.
    pub(in super::super) fn decode(&self, cluster: u32, chunk: u32) -> Option<Embedding> {
        let stretch = self.blocks.get(cluster as usize).ok()?;
        let members = self.members(cluster, &stretch).ok()?;
        let at = ChunkNumbers { bytes: members.chunks, next: 0 }.position(|number| number == chunk)?;
        let bytes = code_bytes(self.dimensions);
        let mut vector = vec![0.0; self.dimensions];
        let mut add = |factor: f32, codes: &[u8], at: usize| {
            codes::decode(factor, codes.get(at * bytes..(at + 1) * bytes).unwrap_or_default(), &mut vector);
        };
        let (number, place, group) = self.group_of(cluster).ok()?;
        add(self.factor(number) * group.share(place) * group.length(place), &self.codes, number);
        add(group.factor(place) * group.length(place), &group.codes, place);
        add(read_number(*members.factors.get(at)?), &members.codes, at);
        self.rotation.undo(&mut vector);
        Some(Embedding::normalized(vector))
    }

    fn members<'a>(&self, cluster: u32, stretch: &'a [u8]) -> Result<ClusterMembers<'a>> {
        let split = || {
            let count = self.blocks.content(cluster as usize).len();
            let bytes = if self.are_coarse { coarse_bytes } else { code_bytes };
            let (factors, rest) = stretch.split_at_checked(count.checked_mul(NUMBER_BYTES)?)?;
            let (codes, chunks) = rest.split_at_checked(count.checked_mul(bytes(self.dimensions))?)?;
            let factors = factors.as_chunks().0;
            let codes = if self.are_coarse {
                Cow::Owned(codes::unpack_coarse(codes, self.dimensions))
            } else {
                Cow::Borrowed(codes)
            };
            are_finite(factors.as_flattened()).then_some(ClusterMembers { factors, codes, chunks })
        };
        split().ok_or_else(|| torn(cluster))
    }
}

impl ClusterGroup {
    fn open(bytes: &[u8], clusters: usize, dimensions: usize) -> Option<Self> {
        let (numbers, packed) = bytes.split_at_checked(clusters.checked_mul(3 * NUMBER_BYTES)?)?;
        let numbers: Vec<f32> = numbers.as_chunks().0.iter().map(|number| read_number(*number)).collect();
        let is_whole = Some(packed.len()) == clusters.checked_mul(coarse_bytes(dimensions));
        if !is_whole || !numbers.iter().all(|number| number.is_finite()) {
            return None;
        }
        Some(Self { clusters, numbers, codes: codes::unpack_coarse(packed, dimensions) })
    }

    /// Computes the part of the group's centroid in that of a cluster.
    fn share(&self, at: usize) -> f32 {
        self.numbers[at]
    }

    /// Computes the factor of what is left of the cluster's centroid without it.
    fn factor(&self, at: usize) -> f32 {
        self.numbers[self.clusters + at]
    }

    /// Computes the length of the mean of the cluster's vectors in the direction of its centroid.
    fn length(&self, at: usize) -> f32 {
        self.numbers[2 * self.clusters + at]
    }

    fn codes(&self, at: usize, dimensions: usize) -> &[u8] {
        let bytes = code_bytes(dimensions);
        &self.codes[at * bytes..(at + 1) * bytes]
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
    numbers.as_chunks().0.iter().all(|number| read_number(*number).is_finite())
}

fn torn(cluster: u32) -> ibid_platform::Error {
    corrupt(format!("its cluster {cluster} does not hold what its table says"))
}
