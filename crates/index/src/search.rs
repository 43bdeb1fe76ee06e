//! The chunks nearest to a query, among those that are allowed.

use std::mem::take;
use std::ops::Range;

use super::allowed::Allowed;
use super::candidate::{Best, ChunkCandidate};
use super::container::incomplete;
use super::nearest::{Compared, FileSearch, NearestFound, PreparedQuery, VectorPath};
use super::open::Index;
use super::open_file::with_first_chunks;
use ibid_embed::Embedding;
use ibid_platform::ranges::requests;
use ibid_platform::{Error, ErrorCode, Result};
use ibid_vectors::QueryCodes;

/// The clusters that are compared in an index where that was not measured.
const PROBES: usize = 16;

/// The way to search for vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorSearch {
    /// The most chunks to return; 10 by default.
    pub limit: usize,
    /// The clusters to compare: more finds more of the true nearest, reads more and takes longer. By default as many as
    /// the index was measured to need ([`Calibration::probes`](super::Calibration::probes)).
    pub probes: Option<usize>,
    /// The way to search; by default by clusters, and one by one what a strict filter leaves.
    pub path: Option<VectorPath>,
}

impl Default for VectorSearch {
    fn default() -> Self {
        Self { limit: 10, probes: None, path: None }
    }
}

/// The result of a search for vectors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nearest {
    /// The chunks, best first.
    pub candidates: Vec<ChunkCandidate>,
    /// The way that was taken, for each file.
    pub paths: Vec<VectorPath>,
    /// The number of clusters that were compared.
    pub probed: usize,
    compared: Vec<Compared>,
}

/// The result of a search for vectors of an index that need not be whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NearestSoFar {
    /// The result; if something is missing, what it is without that.
    pub nearest: Nearest,
    /// Bytes of the file to fetch before the same search can tell more. None when nothing is missing. When they have come, it
    /// may ask for others.
    pub missing: Vec<Range<u64>>,
    /// Only rows of the best are missing. They may change the order, so the result is near the one to come.
    pub is_estimate: bool,
}

impl Nearest {
    /// Returns the number of vectors that were compared.
    pub fn compared(&self) -> usize {
        self.compared.len()
    }

    /// Returns the scores of chunks, whose numbers ascend: those that were compared, whether they are among the best
    /// or not.
    pub fn scores(&self, chunks: &[u32]) -> Vec<Option<f32>> {
        let mut scores = vec![None; chunks.len()];
        for Compared { candidate, .. } in &self.compared {
            if let Ok(at) = chunks.binary_search(&candidate.chunk) {
                scores[at] = Some(candidate.score);
            }
        }
        scores
    }

    /// Returns the score of the last of the best. A chunk that was not compared is hardly nearer.
    pub fn least(&self) -> f32 {
        self.candidates.last().map_or(0.0, |candidate| candidate.score)
    }
}

impl Index {
    /// Returns the chunks nearest to a query, among those that are allowed: `limit` of them, or all where there are
    /// fewer. Scores are cosines: exact to the second decimal by rows, estimates within some hundredths by clusters'
    /// codes.
    ///
    /// A query of zeros, or with numbers that are not finite, is near to nothing, and finds nothing.
    ///
    /// # Errors
    /// [`ErrorCode::ModelMismatch`] when the query has not the index's dimensions, [`ErrorCode::IndexIncomplete`] when
    /// something has to be fetched first ([`Index::nearest_so_far`]).
    pub fn nearest(&self, query: &Embedding, options: &VectorSearch, allowed: &Allowed) -> Result<Nearest> {
        let found = self.nearest_so_far(query, options, allowed)?;
        if found.missing.is_empty() {
            return Ok(found.nearest);
        }
        Err(incomplete("A part of the index that this search needs", "`Index::nearest_so_far`"))
    }

    /// Returns the same, with what has been fetched.
    ///
    /// # Errors
    /// [`ErrorCode::ModelMismatch`] as [`Index::nearest`].
    pub fn nearest_so_far(
        &self,
        query: &Embedding,
        options: &VectorSearch,
        allowed: &Allowed,
    ) -> Result<NearestSoFar> {
        let codes = self.encode_query(query)?;
        if codes.is_zero() || options.limit == 0 {
            return Ok(NearestSoFar::default());
        }
        let measured = Some(self.manifest.calibration.probes as usize).filter(|probes| *probes > 0);
        let probes = options.probes.or(measured).unwrap_or(PROBES);
        // A search that runs next to another one brings its own buffers.
        let mut scratch = self.scratch.try_lock().map(|mut kept| take(&mut *kept)).unwrap_or_default();
        let mut found = NearestFound::default();
        let mut prepared: Option<PreparedQuery> = None;
        let mut paths = Vec::new();
        for (first, file) in with_first_chunks(&self.files) {
            // All files have vectors of the same length, and turn them alike.
            let query = prepared.get_or_insert_with(|| PreparedQuery {
                codes: codes.clone(),
                turned: file.clusters.turn(query),
            });
            let search = FileSearch { file, query, limit: options.limit, probes, first, allowed };
            paths.push(search.run(options.path, &mut scratch, &mut found)?);
        }
        if let Ok(mut kept) = self.scratch.try_lock() {
            *kept = scratch;
        }
        let NearestFound { compared, probed, mut missing, missing_rows } = found;
        let mut best = Best::new(options.limit);
        compared.iter().for_each(|compared| best.push(compared.candidate));
        let nearest = Nearest { candidates: best.into_sorted(), paths, probed, compared };
        let is_estimate = missing.is_empty() && !missing_rows.is_empty();
        missing.extend(missing_rows);
        Ok(NearestSoFar { nearest, missing: requests(missing), is_estimate })
    }

    /// Compares a chunk by its row, if a search has not compared it. Returns the bytes of the file to fetch first.
    ///
    /// # Errors
    /// [`ErrorCode::ModelMismatch`] as [`Index::nearest`].
    pub fn compare_also(
        &self,
        nearest: &mut Nearest,
        query: &Embedding,
        chunk: u32,
    ) -> Result<Option<Range<u64>>> {
        let is_known = nearest.compared.iter().any(|compared| compared.candidate.chunk == chunk);
        let Some((file, number)) = self.locate(chunk).filter(|_| !is_known) else { return Ok(None) };
        if let Some(range) = file.rows.missing(number) {
            return Ok(Some(range));
        }
        let score = file.rows.score(&self.encode_query(query)?, number)?;
        nearest.compared.push(Compared { candidate: ChunkCandidate { chunk, score }, cluster: None });
        Ok(None)
    }

    /// Returns the `limit` chunks nearest to the query that a search by clusters finds, best first.
    ///
    /// # Errors
    /// As [`Index::nearest`].
    pub fn search(&self, query: &Embedding, limit: usize) -> Result<Vec<ChunkCandidate>> {
        let options = VectorSearch { limit, ..VectorSearch::default() };
        Ok(self.nearest(query, &options, &self.allowed(None)?)?.candidates)
    }

    /// Returns the `limit` chunks nearest to the query, by comparing all; what [`Index::search`] is measured against.
    ///
    /// # Errors
    /// As [`Index::search`].
    pub fn scan(&self, query: &Embedding, limit: usize) -> Result<Vec<ChunkCandidate>> {
        let options = VectorSearch { limit, path: Some(VectorPath::Exact), ..VectorSearch::default() };
        Ok(self.nearest(query, &options, &self.allowed(None)?)?.candidates)
    }

    /// Returns the vector of a stored chunk, as exact as it is stored; `None` if no chunk has the number.
    ///
    /// # Errors
    /// [`ErrorCode::IndexIncomplete`] when it has to be fetched first ([`Index::missing_vectors`]).
    pub fn embedding(&self, chunk: u32) -> Result<Option<Embedding>> {
        let Some((file, number)) = self.locate(chunk) else { return Ok(None) };
        file.rows.get(number).map(|vector| Some(vector.embedding()))
    }

    /// Returns the bytes of the file to fetch before the vectors of these chunks can be read.
    pub fn missing_vectors(&self, chunks: &[u32]) -> Vec<Range<u64>> {
        let row = |&chunk: &u32| {
            let (file, number) = self.locate(chunk)?;
            file.rows.missing(number)
        };
        requests(chunks.iter().filter_map(row).collect())
    }

    /// Returns the vector of a chunk that a search has compared, as far as the search knew it; `None` of another.
    pub fn compared_embedding(&self, nearest: &Nearest, chunk: u32) -> Option<Embedding> {
        let compared = nearest.compared.iter().find(|compared| compared.candidate.chunk == chunk)?;
        let (file, number) = self.locate(chunk)?;
        match compared.cluster {
            Some(cluster) => file.clusters.decode(cluster, number),
            None => file.rows.get(number).ok().map(|vector| vector.embedding()),
        }
    }

    fn encode_query(&self, query: &Embedding) -> Result<QueryCodes> {
        if query.as_slice().len() == self.manifest.space.dimensions as usize {
            return Ok(QueryCodes::new(query));
        }
        Err(Error::new(
            ErrorCode::ModelMismatch,
            format!(
                "The query has {} dimensions, the index {}.",
                query.as_slice().len(),
                self.manifest.space.dimensions
            ),
        )
        .with_hint(format!("Embed queries with the model of the index, {}.", self.manifest.space.name)))
    }
}
