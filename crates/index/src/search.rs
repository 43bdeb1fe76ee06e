//! The chunks nearest to a query, among those that are allowed.

use std::mem::take;

use super::allowed::Allowed;
use super::candidate::{Best, ChunkCandidate};
use super::nearest::{SegmentSearch, VectorPath};
use super::open::Index;
use super::segment::with_first_chunks;
use super::vectors::QueryCodes;
use ibid_embed::Embedding;
use ibid_platform::{Error, ErrorCode, Result};

/// The breadth of a search that says none: so many for each chunk that is wanted, and at least so many.
const EF_PER_HIT: usize = 4;
const LEAST_EF: usize = 64;

/// How to search for vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorSearch {
    /// The most chunks to return; 10 by default.
    pub limit: usize,
    /// The breadth: candidates kept on the way, at least `limit`. More finds more of the true nearest and takes longer.
    /// By default four times the limit, and at least 64.
    pub ef: Option<usize>,
    /// How to search; by default whatever is fastest for the size of each segment and the share of it that is allowed.
    pub path: Option<VectorPath>,
}

impl Default for VectorSearch {
    fn default() -> Self {
        Self { limit: 10, ef: None, path: None }
    }
}

/// What a search for vectors found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nearest {
    /// The chunks, best first.
    pub candidates: Vec<ChunkCandidate>,
    /// The way that was taken, for each segment.
    pub paths: Vec<VectorPath>,
    /// How many vectors were compared by their codes.
    pub compared: usize,
}

impl Index {
    /// The chunks nearest to a query, among those that are allowed: as many as the limit, if there are so many.
    ///
    /// A query of zeros, or with numbers that are not finite, is near to nothing, and finds nothing.
    ///
    /// # Errors
    /// [`ErrorCode::ModelMismatch`] when the query has not the index's dimensions.
    pub fn nearest(&self, query: &Embedding, options: &VectorSearch, allowed: &Allowed) -> Result<Nearest> {
        let codes = self.encode_query(query)?;
        let mut nearest = Nearest::default();
        if codes.is_zero() || options.limit == 0 {
            return Ok(nearest);
        }
        let default = || LEAST_EF.max(options.limit.saturating_mul(EF_PER_HIT));
        let ef = options.ef.unwrap_or_else(default).max(options.limit);
        // A search that runs beside another one brings its own buffers.
        let mut scratch = self.scratch.try_lock().map(|mut kept| take(&mut *kept)).unwrap_or_default();
        let mut best = Best::new(options.limit);
        for (first, segment) in with_first_chunks(&self.segments) {
            let search = SegmentSearch { segment, query: &codes, limit: options.limit, ef, first, allowed };
            let (path, compared) = search.run(options.path, &mut scratch, &mut best);
            nearest.paths.push(path);
            nearest.compared += compared;
        }
        if let Ok(mut kept) = self.scratch.try_lock() {
            *kept = scratch;
        }
        nearest.candidates = best.into_sorted();
        Ok(nearest)
    }

    /// The cosines between the query and given chunks, in their order; 0 for numbers that no chunk has. Estimates, as
    /// long as vectors are missing; see [`Index::missing_vectors`].
    ///
    /// # Errors
    /// As [`Index::nearest`].
    pub fn cosines(&self, query: &Embedding, chunks: &[u32]) -> Result<Vec<f32>> {
        let codes = self.encode_query(query)?;
        let mut cosines = vec![0.0; chunks.len()];
        for (first, segment) in with_first_chunks(&self.segments) {
            let end = first + segment.chunk_count();
            let comparison = segment.comparison(&codes);
            for (cosine, chunk) in cosines.iter_mut().zip(chunks) {
                if (first..end).contains(chunk) {
                    *cosine = comparison.score(chunk - first);
                }
            }
        }
        Ok(cosines)
    }

    /// The `limit` chunks nearest to the query that a search of breadth `ef` finds, best first.
    ///
    /// `ef` is the number of candidates kept on the way (at least `limit`): more finds more of the true nearest and
    /// takes longer. In this room's test, on 3,000 made-up vectors in clusters, 64 finds at least 97 of the true 100,
    /// by the graph as well as by the signs.
    ///
    /// # Errors
    /// [`ErrorCode::ModelMismatch`] when the query has not the index's dimensions.
    pub fn search(&self, query: &Embedding, limit: usize, ef: usize) -> Result<Vec<ChunkCandidate>> {
        let options = VectorSearch { limit, ef: Some(ef), path: None };
        Ok(self.nearest(query, &options, &self.allowed(None)?)?.candidates)
    }

    /// The `limit` chunks nearest to the query, by comparing all; what [`Index::search`] is measured against.
    ///
    /// # Errors
    /// As [`Index::search`].
    pub fn scan(&self, query: &Embedding, limit: usize) -> Result<Vec<ChunkCandidate>> {
        let options = VectorSearch { limit, ef: None, path: Some(VectorPath::Exact) };
        Ok(self.nearest(query, &options, &self.allowed(None)?)?.candidates)
    }

    /// The cosine between two stored chunks; `None` if one of the numbers is of no chunk.
    pub fn similarity(&self, a: u32, b: u32) -> Option<f32> {
        let vector = |chunk| self.locate(chunk).map(|(segment, number)| segment.vector_or_preview(number));
        Some(vector(a)?.cosine(&vector(b)?))
    }

    /// The vector of a stored chunk, as exact as it is stored and there; `None` if no chunk has the number.
    pub fn embedding(&self, chunk: u32) -> Option<Embedding> {
        self.locate(chunk).map(|(segment, number)| segment.vector_or_preview(number).embedding())
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
