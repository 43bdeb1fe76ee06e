//! The nearest vectors of one file: those of the clusters near a query, or of all chunks that a filter leaves.
//!
//! Coarse codes tell which chunks may be the nearest; these are compared again by their rows.

use std::ops::Range;

use serde::Serialize;

use super::allowed::Allowed;
use super::bits::Bits;
use super::candidate::{Best, ChunkCandidate, Scratch};
use super::open_file::OpenFile;
use ibid_platform::Result;
use ibid_vectors::QueryCodes;
use ibid_vectors::codes::TurnedQuery;

/// No more chunks than these, where a filter leaves no others, are compared one by one.
const FEW: usize = 400;
/// The best by coarse codes that are compared by their rows. They have 995 in 1,000 of the nearest ten that are in the
/// clusters of a million passages.
const COMPARED_AGAIN: usize = 30;

/// A way to find the nearest vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum VectorPath {
    /// Comparing the chunks of the clusters that are nearest to the query, by their codes.
    Clusters,
    /// Comparing all allowed chunks by their rows.
    Exact,
}

ibid_platform::deserialize!(VectorPath by name: "clusters" => Clusters, "exact" => Exact);

/// A query in the forms in which it is compared.
pub(super) struct PreparedQuery {
    pub(super) codes: QueryCodes,
    pub(super) turned: TurnedQuery,
}

/// A chunk that was compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Compared {
    pub(super) candidate: ChunkCandidate,
    /// The cluster that it was found in; `None` if its row was compared.
    pub(super) cluster: Option<u32>,
}

/// A search, as one file sees it.
pub(super) struct FileSearch<'a> {
    pub(super) file: &'a OpenFile,
    pub(super) query: &'a PreparedQuery,
    pub(super) limit: usize,
    pub(super) probes: usize,
    /// The file's first chunk by its number in the index.
    pub(super) first: u32,
    pub(super) allowed: &'a Allowed,
}

/// Results of searching files, and the bytes that they lack.
#[derive(Default)]
pub(super) struct NearestFound {
    pub(super) compared: Vec<Compared>,
    pub(super) probed: usize,
    pub(super) missing: Vec<Range<u64>>,
    /// The rows that are missing of chunks whose codes were compared.
    pub(super) missing_rows: Vec<Range<u64>>,
}

impl FileSearch<'_> {
    /// Adds what the file has to what was found; returns the way that was taken.
    pub(super) fn run(
        &self,
        path: Option<VectorPath>,
        scratch: &mut Scratch,
        found: &mut NearestFound,
    ) -> Result<VectorPath> {
        let among = self.allowed.count_in(self.chunks()) as usize;
        let is_strict = among <= FEW && !self.allowed.is_all();
        let path = path.unwrap_or(if is_strict { VectorPath::Exact } else { VectorPath::Clusters });
        match path {
            VectorPath::Exact => self.exact(found)?,
            VectorPath::Clusters => self.clusters(among, scratch, found)?,
        }
        Ok(path)
    }

    /// The file's chunks by their numbers in the index.
    fn chunks(&self) -> Range<u32> {
        self.first..self.first + self.file.chunk_count()
    }

    fn push(&self, candidate: ChunkCandidate, cluster: Option<u32>, found: &mut NearestFound) {
        let candidate = ChunkCandidate { chunk: candidate.chunk + self.first, ..candidate };
        found.compared.push(Compared { candidate, cluster });
    }

    fn exact(&self, found: &mut NearestFound) -> Result<()> {
        let rows = &self.file.rows;
        for chunk in self.allowed.iter_in(self.chunks()).map(|chunk| chunk - self.first) {
            if let Some(range) = rows.missing(chunk) {
                found.missing.push(range);
            } else {
                let score = rows.score(&self.query.codes, chunk)?;
                self.push(ChunkCandidate { chunk, score }, None, found);
            }
        }
        Ok(())
    }

    /// Compares the clusters nearest to the query. With a filter, as many more as it leaves fewer of their chunks; and
    /// more again until there are as many chunks as are wanted, if the file has them.
    fn clusters(&self, among: usize, scratch: &mut Scratch, found: &mut NearestFound) -> Result<()> {
        let (clusters, count) = (&self.file.clusters, self.chunks().len());
        let before = found.compared.len();
        let enough = before + self.limit.min(among);
        let mut wanted = self.probes.saturating_mul(count).div_ceil(among.max(1)).min(clusters.len());
        let mut seen = Bits::none(count as u32);
        let mut probed = Bits::none(clusters.len() as u32);
        let mut missing = Vec::new();
        while wanted > 0 {
            let near = clusters.nearest(&self.query.turned, wanted, scratch, &mut missing)?;
            if !missing.is_empty() {
                found.missing.append(&mut missing);
                break;
            }
            for cluster in near {
                if probed.contains(cluster.chunk) {
                    continue;
                }
                probed.insert(cluster.chunk);
                if let Some(range) = clusters.blocks().missing(cluster.chunk as usize) {
                    found.missing.push(range);
                    continue;
                }
                clusters.scan(cluster, &self.query.turned, |candidate| {
                    // A chunk that is in several clusters counts as the nearest of them tells it.
                    if !seen.contains(candidate.chunk) && self.allowed.contains(self.first + candidate.chunk)
                    {
                        seen.insert(candidate.chunk);
                        self.push(candidate, Some(cluster.chunk), found);
                    }
                })?;
            }
            let is_done = found.compared.len() >= enough || wanted == clusters.len();
            if is_done || !found.missing.is_empty() {
                break;
            }
            wanted = (2 * wanted).min(clusters.len());
        }
        found.probed += probed.count() as usize;
        if clusters.are_coarse() && found.missing.is_empty() {
            self.compare_again(before, found)?;
        }
        Ok(())
    }

    /// Compares the best of those from `first` on by their rows.
    fn compare_again(&self, first: usize, found: &mut NearestFound) -> Result<()> {
        let (rows, compared) = (&self.file.rows, &mut found.compared[first..]);
        let mut best = Best::new(COMPARED_AGAIN);
        compared.iter().for_each(|compared| best.push(compared.candidate));
        let Some(last) = best.into_sorted().pop() else { return Ok(()) };
        for compared in compared.iter_mut().filter(|compared| compared.candidate >= last) {
            let chunk = compared.candidate.chunk - self.first;
            if let Some(range) = rows.missing(chunk) {
                found.missing_rows.push(range);
                continue;
            }
            compared.candidate.score = rows.score(&self.query.codes, chunk)?;
            compared.cluster = None;
        }
        Ok(())
    }
}
