//! Vectors to clusters with their codes, and these to sections of a file.

use super::super::blocks::BlockWriter;
use super::super::candidate::{Best, ChunkCandidate, Scratch};
use super::super::hnsw;
use super::super::varint::write_varint;
use super::Clusters;
use super::group::{Groups, group, on_all};
use ibid_embed::Embedding;
use ibid_platform::Result;
use ibid_vectors::Rotation;
use ibid_vectors::codes;
use ibid_vectors::{QueryCodes, VectorCodes};

/// The clusters of an index on their way into a file.
#[derive(Default)]
pub(in super::super) struct ClusterBuild {
    /// The part that is read first: centroids, the table of clusters, the graph.
    pub(in super::super) centroids: Vec<u8>,
    /// The clusters' codes.
    pub(in super::super) codes: Vec<u8>,
}

/// The share of the nearest that is to be found, and the number of the nearest.
const RECALL: f32 = 0.98;
const NEAREST: usize = 10;
/// In an index of more passages than these a smaller share does: the last ones cost a page about as much as all others.
const LARGE: usize = 20_000;
const LARGE_RECALL: f32 = 0.95;
/// No search compares more passages than about these, a megabyte of codes, whatever share that finds.
const MOST_COMPARED: usize = 8_000;
/// The comparisons that measure how many clusters it takes: all queries on a small index, fewer on a large one.
const COMPARISONS: usize = 40_000_000;
/// Fewer clusters than these are compared on no index.
const LEAST_PROBES: usize = 4;

impl ClusterBuild {
    /// See [`IndexDraft::probes`](super::super::draft::IndexDraft::probes).
    pub(in super::super) fn probes(
        &self,
        vectors: &[VectorCodes],
        dimensions: usize,
        queries: &[Embedding],
    ) -> Result<(u32, f32)> {
        if queries.is_empty() || vectors.is_empty() {
            return Ok((0, 0.0));
        }
        let (head, codes) = (self.centroids.clone().into(), self.codes.clone());
        let length = codes.len() as u64;
        let clusters =
            Clusters::open(&head, vectors.len() as u32, dimensions, 0, length, Some(codes.into()))?;
        let most = (COMPARISONS / vectors.len()).clamp(20, queries.len().max(20)).min(queries.len());
        let step = queries.len().div_ceil(most);
        let measured: Vec<&Embedding> = queries.iter().step_by(step).collect();
        // The number of clusters until each of the nearest of each query has been come across.
        let needed = on_all(measured.len(), |at| needed(&clusters, vectors, measured[at]));
        let mut needed: Vec<usize> =
            needed.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
        needed.sort_unstable();
        let recall = if vectors.len() > LARGE { LARGE_RECALL } else { RECALL };
        let found = ((needed.len() as f32 * recall).ceil() as usize).clamp(1, needed.len().max(1));
        let most = (MOST_COMPARED * clusters.len() / vectors.len()).min(clusters.len());
        let probes = needed.get(found - 1).copied().unwrap_or(1).max(LEAST_PROBES).min(most.max(1));
        let within = needed.iter().filter(|needed| **needed <= probes).count();
        Ok((probes as u32, within as f32 / needed.len().max(1) as f32))
    }
}

fn needed(clusters: &Clusters, vectors: &[VectorCodes], query: &Embedding) -> Result<Vec<usize>> {
    let codes = QueryCodes::new(query);
    let mut best = Best::new(NEAREST);
    for (chunk, vector) in (0..).zip(vectors) {
        best.push(ChunkCandidate { chunk, score: vector.score(&codes) });
    }
    let mut nearest: Vec<u32> = best.into_sorted().into_iter().map(|candidate| candidate.chunk).collect();
    let turned = clusters.turn(query);
    let order = clusters.nearest(&turned, clusters.len(), &mut Scratch::default());
    let mut needed = Vec::with_capacity(nearest.len());
    for (probes, cluster) in (1..).zip(order) {
        if nearest.is_empty() {
            break;
        }
        clusters.scan(cluster, &turned, |candidate| {
            if let Some(at) = nearest.iter().position(|chunk| *chunk == candidate.chunk) {
                nearest.swap_remove(at);
                needed.push(probes);
            }
        })?;
    }
    Ok(needed)
}

/// Puts vectors of `dimensions` components into clusters.
pub(in super::super) fn build(vectors: &[VectorCodes], dimensions: usize) -> Result<ClusterBuild> {
    let rotation = Rotation::new(dimensions);
    let Groups { centroids, members } = group(vectors);
    let (mut factors, mut lengths, mut centroid_codes) = (Vec::new(), Vec::new(), Vec::new());
    let mut means = Vec::with_capacity(centroids.len());
    for (centroid, members) in centroids.iter().zip(&members) {
        let mut coarse = Vec::with_capacity(codes::code_bytes(dimensions));
        let factor = codes::encode_coarse(&rotated(centroid, &rotation), &mut coarse);
        codes::pack_coarse(&coarse, &mut centroid_codes);
        // The mean of the members lies this far in the centroid's direction.
        let sum: f32 = members.iter().map(|&chunk| centroid.cosine(&vectors[chunk as usize])).sum();
        let length = sum / members.len().max(1) as f32;
        let mut mean = vec![0.0; dimensions];
        codes::decode(factor * length, &coarse, &mut mean);
        factors.extend(factor.to_le_bytes());
        lengths.extend(length.to_le_bytes());
        means.push(mean);
    }
    let stretches = on_all(members.len(), |at| {
        let mut stretch = ClusterWriter::default();
        for &chunk in &members[at] {
            stretch.push(chunk, &vectors[chunk as usize], &means[at], &rotation);
        }
        stretch.stretch()
    });
    let (mut writer, mut entries) = (BlockWriter::default(), 0);
    for (stretch, members) in stretches.iter().zip(&members) {
        entries += members.len();
        writer.push(entries, stretch)?;
    }
    let mut head = (members.len() as u32).to_le_bytes().to_vec();
    let table_bytes = (writer.table.len() as u32).to_le_bytes().to_vec();
    let graph = hnsw::build(&centroids)?.encode();
    for part in [factors, lengths, centroid_codes, table_bytes, writer.table, graph] {
        head.extend(part);
    }
    Ok(ClusterBuild { centroids: head, codes: writer.bytes })
}

fn rotated(vector: &VectorCodes, rotation: &Rotation) -> Vec<f32> {
    let mut rotated: Vec<f32> =
        vector.codes.iter().map(|&code| f32::from(code as i8) * vector.scale).collect();
    rotation.apply(&mut rotated);
    rotated
}

/// Writes a cluster's stretch of the file.
#[derive(Default)]
struct ClusterWriter {
    factors: Vec<u8>,
    codes: Vec<u8>,
    chunks: Vec<u8>,
    next: u32,
}

impl ClusterWriter {
    fn push(&mut self, chunk: u32, vector: &VectorCodes, mean: &[f32], rotation: &Rotation) {
        let mut residual = rotated(vector, rotation);
        residual.iter_mut().zip(mean).for_each(|(x, mean)| *x -= mean);
        let factor = codes::encode(&residual, &mut self.codes);
        self.factors.extend(factor.to_le_bytes());
        write_varint(&mut self.chunks, chunk - self.next);
        self.next = chunk + 1;
    }

    fn stretch(self) -> Vec<u8> {
        [self.factors, self.codes, self.chunks].concat()
    }
}
