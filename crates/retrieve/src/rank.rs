//! A query to ranked candidates, without a byte of text.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use super::author;
use super::check::check;
use super::explain::{Dropped, Explain, LexicalStep, Parts, Rule, VectorStep};
use super::fuse::{SCALED_BY, fuse, score};
use super::order::{LONG, Ranked, by_documents};
use super::query::{Fusion, Mode, Query};
use super::relevance::{is_far, relevance};
use super::weigh;
use ibid_embed::{Embedder, Embedding, Task};
use ibid_index::{
    Allowed, Facet, Index, LexicalMatches, LexicalScratch, Manifest, Nearest, VectorSearch, if_fetched,
};
use ibid_platform::{Error, ErrorCode, Result, lazily, order};

// A page fetches the code behind these before a search that needs it.
lazily!(fn restrict(ranker: &Ranker<'_>, query: &Query, ranking: &mut Ranking) -> Result<bool> = Ranker::restrict);
lazily!(fn count(ranker: &Ranker<'_>, query: &Query, mode: Mode, ranking: &mut Ranking, dropped: &mut Vec<Dropped>)
    -> Result<()> = Ranker::count);
lazily!(fn given_embedding(ranker: &Ranker<'_>, query: &Query, ranking: &mut Ranking) -> Result<Option<Embedding>>
    = Ranker::given_embedding);
lazily!(fn weigh(ranker: &Ranker<'_>, query: &Query, ranking: &mut Ranking, dropped: &mut Vec<Dropped>) -> Result<()>
    = Ranker::weigh);

/// The candidates that each list has for each hit that is wanted, beyond those that scores are scaled by.
const PER_HIT: usize = 4;
/// The words of a question from which on feedback ranks better than its own vector.
const LONG_QUESTION: usize = 11;
/// The passages with words of the query that are looked at where hits are sorted by a field.
const SORTED: usize = 1000;
/// The passages that feed back.
const FED_BACK: usize = 3;

/// The ranking of a query, before anything is looked up.
#[derive(Debug, Default)]
pub(super) struct Ranking {
    /// Best first.
    pub(super) candidates: Vec<Ranked>,
    /// The chunk that its author put first.
    pub(super) pinned: Option<u32>,
    pub(super) allowed: Allowed,
    /// The query's fusion, with the weight that words have in it.
    pub(super) fusion: Fusion,
    pub(super) facets: Vec<Facet>,
    /// The terms of the query with the share of what it tells, where the index was searched for them.
    pub(super) terms: Vec<(String, f32)>,
    pub(super) explain: Option<Explain>,
    /// The result of the search for vectors.
    pub(super) nearest: Nearest,
    /// The ranges that have to be fetched first; then the rest is not complete.
    pub(super) missing: Vec<Range<u64>>,
    /// Rows of vectors that have to be fetched, which may change the order of the candidates.
    pub(super) missing_rows: Vec<Range<u64>>,
}

impl Ranking {
    /// Says whether nothing has to be fetched first.
    pub(super) fn is_whole(&self) -> bool {
        self.missing.is_empty() && self.missing_rows.is_empty()
    }
}

/// The words that were looked for, and where they are.
struct FoundWords<'a> {
    matches: &'a LexicalMatches,
    scratch: &'a LexicalScratch,
}

/// The input of ranking.
pub(super) struct Ranker<'a> {
    pub(super) index: &'a Index,
    pub(super) embedder: &'a dyn Embedder,
    pub(super) scratch: &'a RefCell<LexicalScratch>,
}

impl Ranker<'_> {
    pub(super) fn rank(&self, query: &Query) -> Result<Ranking> {
        check(query)?;
        let mode = self.mode(query)?;
        let fusion = query.fusion.of(&self.index.manifest().space);
        let mut ranking = Ranking { allowed: self.index.all_allowed(), fusion, ..Ranking::default() };
        let is_counted = query.sort.is_some() || !query.facets.is_empty();
        if (is_counted || query.filter.is_some()) && !restrict(self, query, &mut ranking)? {
            return Ok(ranking);
        }
        let (mut vector, mut lexical) = (None, None);
        let mut parts = match mode {
            Mode::Vector => self.by_vector(query, &mut ranking, &mut vector)?,
            Mode::Lexical => self.by_words(query, &mut ranking, &mut lexical)?,
            Mode::Hybrid => self.by_both(query, &mut ranking, &mut vector, &mut lexical)?,
        };
        if !ranking.missing.is_empty() {
            return Ok(ranking);
        }
        let found = parts.len();
        let Manifest { calibration, space, .. } = self.index.manifest();
        let fusion = ranking.fusion;
        score(mode, fusion, &mut parts);
        let least = vector.as_ref().map(|step: &VectorStep| step.least);
        let ranked = |parts: Parts| Ranked {
            relevance: relevance(
                mode,
                space,
                calibration,
                // A passage that vectors did not find is at most as near as the last that they found.
                parts.cosine.or(least),
                parts.coverage.unwrap_or_default(),
            ),
            score: parts.fused,
            parts,
            folded: Vec::new(),
        };
        ranking.candidates = parts.into_iter().map(ranked).collect();
        let mut dropped = Vec::new();
        let min_relevance = query.min_relevance.unwrap_or_default();
        self.drop_irrelevant(query, min_relevance, &mut ranking.candidates, &mut dropped);
        if query.evidence.is_some() || query.freshness.is_some() {
            weigh(self, query, &mut ranking, &mut dropped)?;
        }
        author::weigh(self.index, &mut ranking.candidates);
        if mode != Mode::Vector {
            by_documents(&mut ranking.candidates, |candidate| {
                let document = self.index.document_number(candidate.parts.chunk);
                (document, document.is_some_and(|document| self.index.chunk_of(document, LONG - 1).is_some()))
            });
        }
        author::pin(self.index, query, &mut ranking);
        if is_counted {
            count(self, query, mode, &mut ranking, &mut dropped)?;
        }
        if query.explain {
            ranking.explain = Some(Explain {
                mode,
                fusion: (mode == Mode::Hybrid).then_some(fusion),
                allowed: ranking.allowed.len(),
                vector,
                lexical,
                candidates: found,
                min_relevance,
                dropped,
                hits: Vec::new(),
            });
        }
        Ok(ranking)
    }

    /// Returns how the query is ranked.
    pub(super) fn mode(&self, query: &Query) -> Result<Mode> {
        if query.is_list() {
            return Ok(Mode::Vector);
        }
        let has_text = !query.text.trim().is_empty();
        let mode = match query.mode {
            Some(mode) => mode,
            None if !has_text => Mode::Vector,
            None if query.vector.is_none() && self.index.manifest().words_alone().is_some() => Mode::Lexical,
            None => Mode::Hybrid,
        };
        if mode == Mode::Vector {
            return Ok(mode);
        }
        if !has_text {
            return Err(Error::new(ErrorCode::QueryEmpty, "The query has no words to search for.")
                .with_hint("Give it a text, or search by vectors alone."));
        }
        Ok(mode)
    }

    /// Computes the vector to be near to, and `None` for a text that the embedder knows nothing of.
    /// Notes what has to be fetched first.
    fn embedding(&self, query: &Query, ranking: &mut Ranking) -> Result<Option<Embedding>> {
        let embedding = if query.vector.is_some() || query.like.is_some() {
            given_embedding(self, query, ranking)?
        } else {
            self.embedder.embed(&[query.text.trim()], Task::Query)?.pop()
        };
        Ok(embedding.filter(|embedding| !embedding.is_zero()))
    }

    /// Finds the vector that a query brings along, or that of the passage that others are to be like.
    fn given_embedding(&self, query: &Query, ranking: &mut Ranking) -> Result<Option<Embedding>> {
        if let Some(vector) = &query.vector {
            let dimensions = self.index.manifest().space.dimensions as usize;
            if vector.len() != dimensions {
                let message = format!("`vector` has {} numbers, but the index {dimensions}.", vector.len());
                let hint = format!("Embed queries with {}.", self.index.manifest().space.name);
                return Err(Error::new(ErrorCode::ModelMismatch, message).with_hint(hint));
            }
            // Squares of very large numbers would be infinite.
            let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
            Ok(Some(Embedding::normalized(vector.iter().map(|x| x / largest).collect())))
        } else if let Some(like) = query.like {
            if self.index.document_number(like.chunk).is_none() {
                let message = format!("There is no chunk {} that others could be like.", like.chunk);
                return Err(Error::new(ErrorCode::InvalidOption, message));
            }
            ranking.missing = self.index.missing_vectors(&[like.chunk]);
            if !ranking.missing.is_empty() {
                return Ok(None);
            }
            self.index.embedding(like.chunk)
        } else {
            Ok(None)
        }
    }

    fn by_vector(
        &self,
        query: &Query,
        ranking: &mut Ranking,
        step: &mut Option<VectorStep>,
    ) -> Result<Vec<Parts>> {
        let Some(embedding) = self.embedding(query, ranking)? else { return Ok(Vec::new()) };
        let nearest = self.nearest(query, &embedding, ranking, step)?;
        let parts = nearest.candidates.iter().map(|candidate| Parts {
            chunk: candidate.chunk,
            cosine: Some(candidate.score),
            ..Parts::default()
        });
        let parts = parts.collect();
        ranking.nearest = nearest;
        Ok(parts)
    }

    /// Finds the passages near a vector; nothing if something has to be fetched first.
    fn nearest(
        &self,
        query: &Query,
        embedding: &Embedding,
        ranking: &mut Ranking,
        step: &mut Option<VectorStep>,
    ) -> Result<Nearest> {
        let options = VectorSearch { limit: depth(query), path: query.path, ..VectorSearch::default() };
        let found = self.index.nearest_so_far(embedding, &options, &ranking.allowed)?;
        let nearest = found.nearest;
        let lacks = if found.is_estimate { &mut ranking.missing_rows } else { &mut ranking.missing };
        lacks.extend(found.missing);
        *step = Some(VectorStep {
            probed: nearest.probed,
            compared: nearest.compared(),
            candidates: nearest.candidates.len(),
            paths: nearest.paths.clone(),
            least: nearest.least(),
        });
        Ok(nearest)
    }

    fn by_words(
        &self,
        query: &Query,
        ranking: &mut Ranking,
        step: &mut Option<LexicalStep>,
    ) -> Result<Vec<Parts>> {
        let scratch = &mut *self.scratch.borrow_mut();
        let Some(matches) = self.matches(query, ranking, scratch, step)? else { return Ok(Vec::new()) };
        let parts = |chunk| Parts {
            chunk,
            bm25: Some(matches.score_of(scratch, chunk)),
            coverage: Some(matches.coverage(scratch, chunk)),
            ..Parts::default()
        };
        Ok(matches.candidates.iter().map(|candidate| parts(candidate.chunk)).collect())
    }

    /// Gathers the findings by words; `None` when something has to be fetched first.
    fn matches(
        &self,
        query: &Query,
        ranking: &mut Ranking,
        scratch: &mut LexicalScratch,
        step: &mut Option<LexicalStep>,
    ) -> Result<Option<LexicalMatches>> {
        let limit = if query.sort.is_some() { SORTED.max(depth(query)) } else { depth(query) };
        let text = query.text.as_str();
        let found = if_fetched(self.index.lexical(text, limit, &ranking.allowed, scratch))?;
        if let Some(matches) = &found {
            *step = Some(LexicalStep { candidates: matches.candidates.len() });
            ranking.terms = matches.terms().to_vec();
            ranking.fusion = ranking.fusion.knowing(matches.known());
        } else {
            let missing = self.index.lexical_missing(text, limit, &ranking.allowed, scratch)?;
            ranking.missing.extend(missing);
        }
        Ok(found)
    }

    fn by_both(
        &self,
        query: &Query,
        ranking: &mut Ranking,
        vector: &mut Option<VectorStep>,
        lexical: &mut Option<LexicalStep>,
    ) -> Result<Vec<Parts>> {
        let embedding = self.embedding(query, ranking)?;
        let mut nearest = match &embedding {
            Some(embedding) => self.nearest(query, embedding, ranking, vector)?,
            None => Nearest::default(),
        };
        let scratch = &mut *self.scratch.borrow_mut();
        let matches = self.matches(query, ranking, scratch, lexical)?;
        let Some(matches) = matches.filter(|_| ranking.missing.is_empty()) else { return Ok(Vec::new()) };
        let is_own = query.vector.is_some() || query.like.is_some();
        if !is_own && matches.known() <= 0.0 && is_far(self.index.manifest(), nearest.candidates.first()) {
            return Ok(Vec::new());
        }
        if let (Some(embedding), Some(best)) = (&embedding, matches.candidates.first()) {
            // Often no cluster near the query has it, and without a cosine it would rank too low.
            ranking.missing_rows.extend(self.index.compare_also(&mut nearest, embedding, best.chunk)?);
        }
        let found = |nearest: &Nearest| -> Vec<u32> {
            nearest.candidates.iter().map(|candidate| candidate.chunk).collect()
        };
        let mut chunks = found(&nearest);
        chunks.extend(matches.candidates.iter().map(|candidate| candidate.chunk));
        let words = FoundWords { matches: &matches, scratch };
        let mut parts = scored(chunks, &nearest, &words);
        let Some(embedding) = embedding.filter(|_| is_long(&query.text)) else {
            ranking.nearest = nearest;
            return Ok(parts);
        };
        if !ranking.missing_rows.is_empty() {
            // The best feed back, which the rows tell.
            ranking.missing.append(&mut ranking.missing_rows);
            return Ok(Vec::new());
        }
        fuse(ranking.fusion, &mut parts);
        let moved = self.feedback(&embedding, &nearest, &mut parts);
        let mut chunks: Vec<u32> = parts.iter().map(|parts| parts.chunk).collect();
        let again = self.nearest(query, &moved, ranking, &mut None)?;
        chunks.extend(found(&again));
        let mut parts = scored(chunks, &nearest, &words);
        let chunks: Vec<u32> = parts.iter().map(|parts| parts.chunk).collect();
        for (parts, near) in parts.iter_mut().zip(again.scores(&chunks)) {
            parts.near = Some(near.unwrap_or(again.least()));
        }
        ranking.nearest = nearest;
        Ok(parts)
    }

    /// Moves a query toward the best of its candidates, each weighed by its score (Rocchio, 1971, with vectors of passages in place of
    /// terms). A sum of token rows says less about a long question than the passages that it finds.
    fn feedback(&self, query: &Embedding, nearest: &Nearest, candidates: &mut [Parts]) -> Embedding {
        let mut sum = vec![0.0; query.as_slice().len()];
        order::by(candidates, |a, b| b.fused.total_cmp(&a.fused).then(a.chunk.cmp(&b.chunk)));
        for parts in candidates.iter().take(FED_BACK) {
            let Some(passage) = self.index.compared_embedding(nearest, parts.chunk) else { continue };
            sum.iter_mut().zip(passage.as_slice()).for_each(|(sum, x)| *sum += parts.fused * x);
        }
        let best = Embedding::normalized(sum);
        Embedding::normalized(query.as_slice().iter().zip(best.as_slice()).map(|(a, b)| a + b).collect())
    }

    fn drop_irrelevant(
        &self,
        query: &Query,
        min_relevance: f32,
        candidates: &mut Vec<Ranked>,
        dropped: &mut Vec<Dropped>,
    ) {
        if let Some(like) = query.like {
            let document = self.index.document_number(like.chunk).filter(|_| !like.same_document);
            let is_other = |chunk: u32| {
                chunk != like.chunk && (document.is_none() || self.index.document_number(chunk) != document)
            };
            keep(candidates, Rule::Like, dropped, |candidate| is_other(candidate.parts.chunk));
        }
        keep(candidates, Rule::Relevance, dropped, |candidate| candidate.relevance >= min_relevance);
    }

    /// Multiplies scores by what is known of the documents.
    fn weigh(&self, query: &Query, ranking: &mut Ranking, dropped: &mut Vec<Dropped>) -> Result<()> {
        let mut factors: HashMap<Option<u64>, (Option<f32>, f32)> = HashMap::new();
        for candidate in &mut ranking.candidates {
            let chunk = candidate.parts.chunk;
            let document = self.index.document_number(chunk);
            let (evidence, freshness) = if let Some(known) = factors.get(&document) {
                *known
            } else {
                let Some(record) = if_fetched(self.index.document_of(chunk))? else {
                    ranking.missing = self.index.missing_directory();
                    return Ok(());
                };
                let found = weigh::factors(query, &record.unwrap_or_default().metadata);
                factors.insert(document, found);
                found
            };
            candidate.parts.evidence = evidence;
            candidate.parts.freshness = query.freshness.as_ref().map(|_| freshness);
            // A factor would raise what is below nothing.
            candidate.score = candidate.score.max(0.0) * evidence.unwrap_or_default() * freshness;
        }
        keep(&mut ranking.candidates, Rule::EvidenceLevel, dropped, |candidate| {
            candidate.parts.evidence.is_some()
        });
        if query.evidence.is_none() {
            ranking.candidates.iter_mut().for_each(|candidate| candidate.parts.evidence = None);
        }
        Ok(())
    }
}

/// Fills in all scores of chunks, whichever list they come from. One that lacks a phrase that was asked for is left out,
/// near though it may be.
fn scored(mut chunks: Vec<u32>, nearest: &Nearest, words: &FoundWords) -> Vec<Parts> {
    let FoundWords { matches, scratch } = words;
    order::by_key(&mut chunks, |&chunk| chunk);
    chunks.dedup();
    chunks.retain(|&chunk| !matches.has_phrases() || matches.score_of(scratch, chunk) > 0.0);
    let cosines = nearest.scores(&chunks);
    let parts = |(chunk, cosine)| Parts {
        chunk,
        cosine,
        bm25: Some(matches.score_of(scratch, chunk)),
        coverage: Some(matches.coverage(scratch, chunk)),
        headings: Some(matches.heading_coverage(scratch, chunk)),
        ..Parts::default()
    };
    chunks.into_iter().zip(cosines).map(parts).collect()
}

fn is_long(question: &str) -> bool {
    question.split_whitespace().nth(LONG_QUESTION - 1).is_some()
}

/// Returns the number of candidates each list has; twice as many where hits are chosen by more than their scores.
pub fn depth(query: &Query) -> usize {
    let chosen = query.evidence.is_some()
        || query.freshness.is_some()
        || query.mmr.is_some()
        || query.near_duplicates.is_some()
        || query.most_of_document().is_some()
        || query.like.is_some();
    SCALED_BY.max(query.depth() * PER_HIT) * if chosen { 2 } else { 1 }
}

/// Keeps the candidates that pass, and notes how many did not.
pub(super) fn keep(
    candidates: &mut Vec<Ranked>,
    rule: Rule,
    dropped: &mut Vec<Dropped>,
    pass: impl Fn(&Ranked) -> bool,
) {
    let before = candidates.len();
    candidates.retain(pass);
    note(dropped, rule, before - candidates.len());
}

/// Adds to the list that a rule dropped some, where it did.
pub fn note(dropped: &mut Vec<Dropped>, rule: Rule, count: usize) {
    if count > 0 {
        dropped.push(Dropped { rule, count });
    }
}
