//! From an engine's candidates to hits, by the same rules as in an index.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use super::description::Description;
use super::terms::{self, PassageFields, SparseVector};
use ibid_document::{Metadata, MetadataValue};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::excerpt::{Shown, show};
use ibid_retrieve::highlight::Marker;
use ibid_retrieve::rank::{self, note};
use ibid_retrieve::relevance::relevance;
use ibid_retrieve::{Dropped, Explain, LexicalStep, Parts, Rule};
use ibid_retrieve::{Hit, Mode, Place, Query, Response, fuse, weigh, window};

/// A passage that an engine found.
pub(super) struct EngineCandidate {
    pub(super) hit: Hit,
    pub(super) cosine: Option<f32>,
    pub(super) bm25: Option<f32>,
}

/// Refuses what cannot be done without the passages' vectors, the documents' order or the list of terms, none of which is
/// here. Leaving such a wish out in silence would give other hits than were asked for.
pub(super) fn check(query: &Query) -> Result<()> {
    let unmet = [
        ("like", query.like.is_some()),
        ("mmr", query.mmr.is_some()),
        ("nearDuplicates", query.near_duplicates.is_some()),
        ("neighbours", query.neighbours > 0),
        ("facets", !query.facets.is_empty()),
        ("sort", query.sort.is_some()),
        ("path", query.path.is_some()),
        ("rerank", query.rerank),
    ];
    match unmet.iter().find(|(_, asked)| *asked) {
        Some((name, _)) => {
            let message =
                format!("`{name}` works with an index, but not with a collection in a search engine.");
            Err(Error::new(ErrorCode::InvalidOption, message).with_hint("Omit it from this query."))
        }
        None => Ok(()),
    }
}

/// Computes the candidates wanted of each list: as many as of an index, and twice as many where some may be one chunk in
/// several documents.
pub(super) fn depth(query: &Query, description: &Description) -> usize {
    let copies = if description.copies > 0 && query.filter.is_some() { 2 } else { 1 };
    rank::depth(query) * copies
}

/// Ranks the candidates.
pub(super) fn rank(
    query: &Query,
    mode: Mode,
    description: &Description,
    found: Vec<EngineCandidate>,
) -> Response {
    let text = query.text.trim();
    let terms = terms::of_query(text, &description.lexical);
    let candidates = found.len();
    let phrases = terms::phrases_of(text, &description.lexical);
    let mut ranked: Vec<(Parts, Hit)> = Vec::with_capacity(candidates);
    for (EngineCandidate { hit, cosine, bm25 }, at) in found.into_iter().zip(0..) {
        ranked.push((parts(at, &hit, cosine, bm25, &terms, description), hit));
    }
    score(query, mode, description, &mut ranked);
    let least = query.min_relevance.unwrap_or_default();
    let mut dropped: Vec<Dropped> = Vec::new();
    let mut leave_out =
        |rule: Rule, ranked: &mut Vec<(Parts, Hit)>, keep: &mut dyn FnMut(&(Parts, Hit)) -> bool| {
            let before = ranked.len();
            ranked.retain(keep);
            note(&mut dropped, rule, before - ranked.len());
        };
    if mode != Mode::Vector && !phrases.is_empty() {
        let has = |hit: &Hit, phrase: &Vec<u32>| terms::has_phrase(fields(hit), phrase, &description.lexical);
        leave_out(Rule::Phrase, &mut ranked, &mut |(_, hit)| phrases.iter().all(|phrase| has(hit, phrase)));
    }
    leave_out(Rule::Relevance, &mut ranked, &mut |(_, hit)| hit.relevance >= least);
    leave_out(Rule::EvidenceLevel, &mut ranked, &mut |(parts, _)| {
        parts.evidence.is_none_or(|weight| weight >= 0.0)
    });
    ranked.sort_by(|(a, _), (b, _)| b.fused.total_cmp(&a.fused).then(a.chunk.cmp(&b.chunk)));
    let mut ranked = folded(ranked);
    if let Some(most) = query.most_of_document() {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        leave_out(Rule::Group, &mut ranked, &mut |(_, hit)| {
            let count = counts.entry(hit.document_id.clone()).or_default();
            *count += 1;
            *count <= most
        });
    }
    let before = ranked.len();
    let (ranked, total) = window(ranked, query, |(_, hit)| hit.relevance, |(_, hit)| hit.document_id.clone());
    note(&mut dropped, Rule::Limit, before - ranked.len());
    let explain = query.explain.then(|| Explain {
        mode,
        fusion: (mode == Mode::Hybrid).then_some(query.fusion.of(&description.space)),
        allowed: u64::from(description.chunks),
        vector: None,
        lexical: (mode != Mode::Vector).then_some(LexicalStep { candidates }),
        candidates,
        min_relevance: least,
        dropped,
        hits: ranked.iter().map(|(parts, _)| *parts).collect(),
    });
    let marker = Marker::new(description.lexical.analyzed(), text, &[]);
    let hits = ranked.into_iter().map(|(parts, hit)| shown(&marker, parts, hit)).collect();
    Response { hits, total, explain, ..Response::default() }
}

/// Returns a hit with its scores, and the parts of its text that answer the query.
fn shown(marker: &Marker, Parts { chunk, fused, cosine, bm25, .. }: Parts, hit: Hit) -> Hit {
    let Shown { highlights, excerpt, excerpt_highlights } = show(marker, &hit.text, &hit.source);
    Hit { chunk, score: fused, cosine, bm25, highlights, excerpt, excerpt_highlights, ..hit }
}

pub(super) fn fields(hit: &Hit) -> PassageFields<'_> {
    PassageFields { title: &hit.title, heading_path: &hit.heading_path, text: &hit.text }
}

/// Facts about a candidate before its score.
fn parts(
    at: u32,
    hit: &Hit,
    cosine: Option<f32>,
    bm25: Option<f32>,
    terms: &SparseVector,
    description: &Description,
) -> Parts {
    let share = |fields: PassageFields<'_>| {
        let have: HashSet<u32> = terms::of_fields(fields, &description.lexical);
        Some(description.frequent.coverage(&terms.indices, &have))
    };
    let all = fields(hit);
    Parts {
        chunk: at,
        cosine,
        bm25,
        coverage: share(all),
        headings: share(PassageFields { text: "", ..all }),
        ..Parts::default()
    }
}

/// Fills in each candidate's score and relevance. A weight below zero marks one of too low a level of evidence.
fn score(query: &Query, mode: Mode, description: &Description, ranked: &mut [(Parts, Hit)]) {
    let mut all: Vec<Parts> = ranked.iter().map(|(parts, _)| *parts).collect();
    fuse::score(mode, query.fusion.of(&description.space), &mut all);
    for ((parts, hit), scored) in ranked.iter_mut().zip(all) {
        *parts = scored;
        let coverage = parts.coverage.unwrap_or_default();
        hit.relevance = relevance(mode, &description.space, &description.calibration, parts.cosine, coverage);
        let metadata = metadata(&hit.metadata, description);
        let (evidence, freshness) = weigh::factors(query, &metadata);
        parts.evidence = query.evidence.as_ref().map(|_| evidence.unwrap_or(-1.0));
        parts.freshness = query.freshness.as_ref().map(|_| freshness);
        parts.fused *= evidence.unwrap_or_default() * freshness;
    }
}

/// Reads the document's metadata by the types that the collection names.
fn metadata(values: &BTreeMap<String, Value>, description: &Description) -> Metadata {
    let value = |(name, value): (&String, &Value)| {
        let field_type = *description.fields.get(name)?;
        Some((name.clone(), MetadataValue::of_type(value.clone(), field_type)?))
    };
    Metadata { fields: values.iter().filter_map(value).collect(), ..Metadata::default() }
}

/// Folds the points of one chunk as one hit: the best stays, and the others are places of its.
fn folded(ranked: Vec<(Parts, Hit)>) -> Vec<(Parts, Hit)> {
    let mut kept: Vec<(Parts, Hit)> = Vec::with_capacity(ranked.len());
    for (parts, hit) in ranked {
        match kept.iter_mut().find(|(_, known)| known.id == hit.id) {
            None => kept.push((parts, hit)),
            Some((_, known)) => {
                let is_there = |place: &Place| place.document_id == hit.document_id && place.span == hit.span;
                if !known.duplicates.iter().any(is_there) {
                    known.duplicates.push(place(hit));
                }
            }
        }
    }
    kept
}

fn place(hit: Hit) -> Place {
    let Hit { document_id, title, url, source, heading_path, anchor, span, line, .. } = hit;
    Place { document_id, title, url, source, heading_path, anchor, span, line }
}
