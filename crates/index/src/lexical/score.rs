//! BM25 over all files: every posting adds to its chunk, and the best chunks are taken out in the end.
//!
//! Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009): a term's frequency in a
//! chunk is the sum of those in its fields, each times the boost of its field, before it is saturated. The inverse
//! document frequency is Lucene's, which is never negative, and so is leaving out the constant factor of k1 + 1.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::postings::{Posting, impact, read_postings};
use super::query::MOST_MARKED;
use crate::candidate::ChunkCandidate;
use crate::container::SharedBytes;
use ibid_platform::Result;

/// Facts about a chunk in the course of a query.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ScoreCell {
    pub(super) score: f32,
    /// The query's words that it has, a bit for each.
    pub(super) mask: u32,
    /// The words that its headings have.
    pub(super) headings: u32,
}

/// The buffers that a search writes to, kept from query to query so that none has to allocate and clear it anew.
#[derive(Debug, Default)]
pub struct LexicalScratch {
    pub(super) cells: Vec<ScoreCell>,
    /// Told apart from those of the queries before, so that old matches are not answered from new cells.
    pub(super) query: u64,
    best: BinaryHeap<Reverse<ChunkCandidate>>,
}

impl LexicalScratch {
    /// Nothing yet; it grows to twelve bytes for each chunk of the index with the first query.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes room for a query over that many chunks.
    pub(super) fn begin(&mut self, chunks: usize) {
        self.cells.clear();
        self.cells.resize(chunks, ScoreCell::default());
        self.query += 1;
    }

    /// Finds the best chunks that have all required words and are allowed, best first.
    pub(super) fn best(
        &mut self,
        limit: usize,
        required: u32,
        allowed: &dyn Fn(u32) -> bool,
    ) -> Vec<ChunkCandidate> {
        self.best.clear();
        let mut least = 0.0;
        for (chunk, cell) in (0..).zip(&self.cells) {
            // A chunk that is only as good as the last comes after it.
            if cell.score <= least || cell.mask & required != required || !allowed(chunk) {
                continue;
            }
            if self.best.len() == limit {
                self.best.pop();
            }
            if limit > 0 {
                self.best.push(Reverse(ChunkCandidate { chunk, score: cell.score }));
            }
            if self.best.len() == limit {
                least = self.best.peek().map_or(f32::INFINITY, |worst| worst.0.score);
            }
        }
        let best = std::mem::take(&mut self.best).into_sorted_vec();
        best.into_iter().map(|candidate| candidate.0).collect()
    }
}

/// Returns how much a term tells that is in that many of all chunks (Lucene's `BM25Similarity`).
pub(super) fn idf(all: u32, chunks: u32) -> f32 {
    let (all, with) = (all as f32, chunks.min(all) as f32);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

/// A term's postings in a file.
#[derive(Debug)]
pub(super) struct List {
    pub(super) file: usize,
    pub(super) bytes: SharedBytes,
    /// In how many chunks the term is, as its block says.
    pub(super) chunks: u32,
}

/// Adds what the postings are worth to the cells of a file; `None` when they are damaged.
pub(super) fn accumulate(cells: &mut [ScoreCell], list: &List, weight: f32, mask: u32) -> Option<()> {
    let chunks = cells.len() as u32;
    read_postings(&list.bytes, list.chunks, chunks, |chunk, Posting { level, in_heading }| {
        let Some(cell) = cells.get_mut(chunk as usize) else { return };
        cell.mask |= mask;
        cell.headings |= if in_heading { mask } else { 0 };
        cell.score += weight * impact(level);
    })
}

/// The result of a lexical search. It refers to the scratch that the search was made with, until the next one is.
#[derive(Clone, Debug, PartialEq)]
pub struct LexicalMatches {
    /// The best chunks, best first, with their scores.
    pub candidates: Vec<ChunkCandidate>,
    pub(super) query: u64,
    pub(super) required: u32,
    /// Chunks that have all words of the phrases, but not as phrases, in order.
    pub(super) rejected: Vec<u32>,
    /// The weight of each word of the query.
    pub(super) masses: [f32; MOST_MARKED],
    /// The words that the index has, or has others for.
    pub(super) known: u32,
    pub(super) terms: Vec<(String, f32)>,
}

impl LexicalMatches {
    /// Returns the BM25 score of any chunk; 0 when nothing matched, when a phrase of the query is not in it, or when
    /// the scratch has been used for another search since.
    pub fn score_of(&self, scratch: &LexicalScratch, chunk: u32) -> f32 {
        self.cell(scratch, chunk).map_or(0.0, |cell| cell.score)
    }

    /// Returns the share, from 0 to 1, of what the query's words tell (the sum of their inverse document frequencies)
    /// that the chunk's matching words have. Words that the index lacks count as the rarest. Stop words count only
    /// where the query consists of them, and of more than 32 words the first do.
    pub fn coverage(&self, scratch: &LexicalScratch, chunk: u32) -> f32 {
        self.share(self.cell(scratch, chunk).map_or(0, |cell| cell.mask))
    }

    /// Returns the same share of those that the headings above the chunk or in it have.
    pub fn heading_coverage(&self, scratch: &LexicalScratch, chunk: u32) -> f32 {
        self.share(self.cell(scratch, chunk).map_or(0, |cell| cell.headings))
    }

    /// Computes the share of what all words tell that those with these bits do.
    fn share(&self, mask: u32) -> f32 {
        let total: f32 = self.masses.iter().sum();
        let has = |&(bit, _): &(usize, &f32)| mask >> bit & 1 == 1;
        let matched: f32 = self.masses.iter().enumerate().filter(has).map(|(_, mass)| mass).sum();
        if total > 0.0 { (matched / total).min(1.0) } else { 0.0 }
    }

    /// Returns the query's terms that [`LexicalMatches::coverage`] counts, each with its share of what they tell
    /// together.
    pub fn terms(&self) -> &[(String, f32)] {
        &self.terms
    }

    /// Returns the share of what the query's words tell that those have which the index knows, be it with a typing
    /// error less.
    pub fn known(&self) -> f32 {
        self.share(self.known)
    }

    /// Returns true if the query has phrases, so that a chunk without a score must not be a result, however near its vector is.
    pub fn has_phrases(&self) -> bool {
        self.required != 0
    }

    fn cell<'a>(&self, scratch: &'a LexicalScratch, chunk: u32) -> Option<&'a ScoreCell> {
        let cell = scratch.cells.get(chunk as usize).filter(|_| scratch.query == self.query)?;
        let has_all =
            cell.mask & self.required == self.required && self.rejected.binary_search(&chunk).is_err();
        has_all.then_some(cell)
    }
}

/// The error for postings that are not those of their file.
pub(super) fn check(read: Option<()>) -> Result<()> {
    read.ok_or_else(super::codec::damaged)
}
