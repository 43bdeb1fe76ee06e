//! Vectors to clusters with their codes, and these to sections of a file.

use super::super::blocks::{BlockSection, BlockWriter};
use super::super::candidate::{Best, ChunkCandidate, Scratch};
use super::super::hnsw;
use super::super::varint::write_varint;
use super::Clusters;
use super::group::{self, Group, LARGE, on_all};
use super::store::{COARSE_BITS, FINE_BITS};
use ibid_embed::Embedding;
use ibid_platform::{Result, order};
use ibid_vectors::Rotation;
use ibid_vectors::codes::{self, read_number, write_number};
use ibid_vectors::{QueryCodes, VectorCodes};

/// The clusters of an index on their way into a file.
#[derive(Default)]
pub(in super::super) struct ClusterBuild {
    /// The part that is read first: the groups' centroids, the tables of groups and clusters, the graph.
    pub(in super::super) head: Vec<u8>,
    /// The clusters' centroids, group by group.
    pub(in super::super) centroids: Vec<u8>,
    /// The clusters' codes.
    pub(in super::super) codes: Vec<u8>,
}

/// The share of the nearest that is to be found, and the number of the nearest. By words and vectors, 45 clusters rank six
/// collections as well as all (nDCG@10 of 0.7015), and 20 at 0.7000; this share takes 32 to 52. For 0.98, 55 to 81 and 32 to
/// 65 KB more are fetched.
const RECALL: f32 = 0.95;
const NEAREST: usize = 10;
/// In a large index a smaller share does: the last ones cost a page about as much as all others.
const LARGE_RECALL: f32 = 0.92;
/// No search compares more codes than about these, 310 KB, whatever share that finds.
const MOST_COMPARED: usize = 4_600;
/// The comparisons that measure how many clusters it takes: all queries but on an index of millions.
const COMPARISONS: usize = 400_000_000;
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
        let whole = |bytes: &Vec<u8>| BlockSection {
            at: 0,
            length: bytes.len() as u64,
            bytes: Some(bytes.clone().into()),
        };
        let sections = [whole(&self.centroids), whole(&self.codes)];
        let clusters = Clusters::open(&self.head.clone().into(), vectors.len() as u32, dimensions, sections)?;
        let most = (COMPARISONS / vectors.len()).clamp(20, queries.len().max(20)).min(queries.len());
        let step = queries.len().div_ceil(most);
        let measured: Vec<&Embedding> = queries.iter().step_by(step).collect();
        // The number of clusters until each of the nearest of each query has been come across.
        let needed = on_all(measured.len(), |at| needed(&clusters, vectors, measured[at]));
        let mut needed: Vec<usize> =
            needed.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
        order::by(&mut needed, Ord::cmp);
        let recall = if vectors.len() > LARGE { LARGE_RECALL } else { RECALL };
        let found = ((needed.len() as f32 * recall).ceil() as usize).clamp(1, needed.len().max(1));
        let codes = clusters.blocks().content_end();
        let most = (MOST_COMPARED * clusters.len() / codes.max(1)).min(clusters.len());
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
    let reached = clusters.reached(&turned);
    let order = clusters.nearest(&turned, clusters.len(), &mut Scratch::default(), &mut Vec::new())?;
    let mut needed = Vec::with_capacity(nearest.len());
    for (probes, cluster) in (1..).zip(order) {
        if nearest.is_empty() {
            break;
        }
        clusters.scan(cluster, &turned, |candidate| {
            if let Some(at) = nearest.iter().position(|chunk| *chunk == candidate.chunk) {
                nearest.swap_remove(at);
                needed.push(reached[cluster.chunk as usize].max(probes));
            }
        })?;
    }
    Ok(needed)
}

/// Puts vectors of `dimensions` components into clusters.
pub(in super::super) fn build(vectors: &[VectorCodes], dimensions: usize) -> Result<ClusterBuild> {
    let rotation = Rotation::new(dimensions);
    let are_coarse = vectors.len() > LARGE;
    let groups = group::clusters(vectors);
    let (mut factors, mut group_codes) = (Vec::new(), Vec::new());
    let (mut centroids, mut codes) = (BlockWriter::default(), BlockWriter::default());
    let (mut clusters, mut entries) = (0, 0);
    for (centroid, members) in &groups {
        let at = group_codes.len();
        let factor = noted(codes::encode(&rotated(centroid, &rotation), &mut group_codes), &mut factors);
        let mut middle = vec![0.0; dimensions];
        codes::decode(factor, &group_codes[at..], &mut middle);
        let mut writer = CentroidWriter::default();
        let means: Vec<Vec<f32>> =
            members.iter().map(|cluster| writer.push(cluster, vectors, &middle, &rotation)).collect();
        clusters += members.len();
        centroids.push(clusters, &writer.stretch())?;
        let stretches = on_all(members.len(), |at| {
            let mut stretch = ClusterWriter { are_coarse, ..Default::default() };
            for &chunk in &members[at].members {
                stretch.push(chunk, &vectors[chunk as usize], &means[at], &rotation);
            }
            stretch.stretch()
        });
        for (stretch, cluster) in stretches.iter().zip(members) {
            entries += cluster.members.len();
            codes.push(entries, stretch)?;
        }
    }
    let middles: Vec<VectorCodes> = groups.into_iter().map(|(centroid, _)| centroid).collect();
    let bits = if are_coarse { COARSE_BITS } else { FINE_BITS };
    let mut head = [middles.len() as u32, bits].map(u32::to_le_bytes).concat();
    let length = |bytes: &[u8]| (bytes.len() as u32).to_le_bytes().to_vec();
    let lengths = [length(&centroids.table), length(&codes.table)];
    let [groups_length, clusters_length] = lengths;
    let graph = hnsw::build(&middles)?.encode();
    let parts = [factors, group_codes, groups_length, centroids.table, clusters_length, codes.table, graph];
    parts.into_iter().for_each(|part| head.extend(part));
    Ok(ClusterBuild { head, centroids: centroids.bytes, codes: codes.bytes })
}

fn rotated(vector: &VectorCodes, rotation: &Rotation) -> Vec<f32> {
    let mut rotated: Vec<f32> = vector.components().collect();
    rotation.apply(&mut rotated);
    rotated
}

/// Writes a number, and returns it as a reader will see it.
fn noted(number: f32, out: &mut Vec<u8>) -> f32 {
    let written = write_number(number);
    out.extend(written);
    read_number(written)
}

/// Writes the centroids of a group's clusters.
#[derive(Default)]
struct CentroidWriter {
    /// The parts of the group's centroid in each, the factors of what is left, and the lengths of the clusters.
    numbers: [Vec<u8>; 3],
    codes: Vec<u8>,
}

impl CentroidWriter {
    /// Adds a cluster of the group around `middle`; returns the mean of its vectors, as a reader will see it.
    fn push(
        &mut self,
        cluster: &Group,
        vectors: &[VectorCodes],
        middle: &[f32],
        rotation: &Rotation,
    ) -> Vec<f32> {
        let mut rest = rotated(&cluster.centroid, rotation);
        let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let [shares, factors, lengths] = &mut self.numbers;
        let share = noted(product(&rest, middle) / product(middle, middle).max(f32::MIN_POSITIVE), shares);
        rest.iter_mut().zip(middle).for_each(|(x, middle)| *x -= share * middle);
        let (factor, coarse) = codes::encode_coarse(&rest, &mut self.codes);
        let factor = noted(factor, factors);
        // The mean of the members lies this far in the centroid's direction.
        let sum: f32 =
            cluster.members.iter().map(|&chunk| cluster.centroid.cosine(&vectors[chunk as usize])).sum();
        let length = noted(sum / cluster.members.len().max(1) as f32, lengths);
        let mut mean: Vec<f32> = middle.iter().map(|x| length * share * x).collect();
        codes::decode(length * factor, &coarse, &mut mean);
        mean
    }

    fn stretch(self) -> Vec<u8> {
        let [shares, factors, lengths] = self.numbers;
        [shares, factors, lengths, self.codes].concat()
    }
}

/// Writes a cluster's stretch of the file.
#[derive(Default)]
struct ClusterWriter {
    are_coarse: bool,
    factors: Vec<u8>,
    codes: Vec<u8>,
    chunks: Vec<u8>,
    next: u32,
}

impl ClusterWriter {
    fn push(&mut self, chunk: u32, vector: &VectorCodes, mean: &[f32], rotation: &Rotation) {
        let mut residual = rotated(vector, rotation);
        residual.iter_mut().zip(mean).for_each(|(x, mean)| *x -= mean);
        let factor = if self.are_coarse {
            codes::encode_coarse(&residual, &mut self.codes).0
        } else {
            codes::encode(&residual, &mut self.codes)
        };
        noted(factor, &mut self.factors);
        write_varint(&mut self.chunks, chunk - self.next);
        self.next = chunk + 1;
    }

    fn stretch(self) -> Vec<u8> {
        [self.factors, self.codes, self.chunks].concat()
    }
}
