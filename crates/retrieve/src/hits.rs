//! Ranked candidates to hits: what is folded and chosen, and then looked up.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::author::marked;
use super::excerpt::{Shown, show};
use super::explain::{Dropped, Explain, Rule};
use super::highlight::Marker;
use super::hit::{Hit, Neighbour, Place, Response};
use super::options::NearDuplicates;
use super::order::{Ranked, diversify, fold, group, sort, window};
use super::query::{Mode, Query};
use super::rank::{Ranking, note};
use super::title::{names, titled_first};
use ibid_embed::Embedding;
use ibid_index::{Allowed, Analyzer, Index, Nearest, StoredChunk, StoredPlace, TextAnchor, if_fetched};
use ibid_platform::{Result, lazily, order};

// A page fetches the code behind these before a search that needs it.
lazily!(fn rerank_lazily(hits: &mut Vec<Ranked>, scores: &[(u32, f32)]) -> () = rerank);
lazily!(fn compare_lazily(comparing: Comparing<'_>, hits: &mut Vec<Ranked>, dropped: &mut Vec<Dropped>)
    -> Result<(Vec<u32>, Vec<u32>)> = compare);

/// The number of candidates for each hit that are compared with each other where hits are chosen by more than their scores.
const COMPARED_PER_HIT: usize = 4;

/// The hits of a ranking before they are looked up, with what was left out on the way.
pub(super) struct Chosen {
    pub(super) hits: Vec<Ranked>,
    /// The number of relevant candidates.
    total: usize,
    pub(super) explain: Option<Explain>,
    /// Chunks whose text has to be fetched before hits can be chosen.
    pub(super) wanted: Vec<u32>,
    /// Chunks whose vectors have.
    pub(super) wanted_vectors: Vec<u32>,
}

/// Chooses among the candidates; with `scores` of a reranker, by chunk, those come first and in its order.
pub(super) fn choose(
    index: &Index,
    query: &Query,
    ranking: &Ranking,
    scores: &[(u32, f32)],
) -> Result<Chosen> {
    let mut hits = ranking.candidates.clone();
    let mut explain = ranking.explain.clone();
    let mut dropped =
        explain.as_mut().map(|explain| std::mem::take(&mut explain.dropped)).unwrap_or_default();
    if !scores.is_empty() {
        rerank_lazily(&mut hits, scores);
    }
    let (mut wanted, mut wanted_vectors) = (Vec::new(), Vec::new());
    if query.near_duplicates.is_some() || query.mmr.is_some() {
        let comparing = Comparing { index, query, ranking };
        (wanted, wanted_vectors) = compare_lazily(comparing, &mut hits, &mut dropped)?;
    } else if let Some(most) = query.most_of_document() {
        limit_documents(index, most, &mut hits, &mut dropped);
    }
    let before = hits.len();
    let document = |hit: &Ranked| index.document_number(hit.parts.chunk);
    let (hits, total) = window(hits, query, |hit| hit.relevance, document);
    note(&mut dropped, Rule::Limit, before - hits.len());
    if let Some(explain) = &mut explain {
        explain.dropped = dropped;
    }
    Ok(Chosen { hits, total, explain, wanted, wanted_vectors })
}

fn limit_documents(index: &Index, most: usize, hits: &mut Vec<Ranked>, dropped: &mut Vec<Dropped>) {
    let before = hits.len();
    group(hits, most, |chunk| index.document_number(chunk));
    note(dropped, Rule::Group, before - hits.len());
}

/// The query that passages are compared with each other for.
#[derive(Clone, Copy)]
struct Comparing<'a> {
    index: &'a Index,
    query: &'a Query,
    ranking: &'a Ranking,
}

/// Folds near duplicates, limits documents, and puts what is alike apart. Returns the chunks whose texts, and those whose
/// vectors have to be fetched first.
fn compare(
    Comparing { index, query, ranking }: Comparing<'_>,
    hits: &mut Vec<Ranked>,
    dropped: &mut Vec<Dropped>,
) -> Result<(Vec<u32>, Vec<u32>)> {
    let mut wanted = Vec::new();
    let vectors = HitVectors { index, nearest: &ranking.nearest, known: RefCell::default() };
    if let Some(options) = query.near_duplicates {
        let words = HitWords::new(index, &ranking.allowed, &vectors);
        let before = hits.len();
        let enough = query.depth().saturating_mul(COMPARED_PER_HIT);
        *hits = fold(std::mem::take(hits), enough, |a, b| words.nearly_same(options, a, b))?;
        note(dropped, Rule::NearDuplicate, before - hits.len());
        wanted = words.wanted.into_inner();
    }
    if let Some(most) = query.most_of_document() {
        limit_documents(index, most, hits, dropped);
    }
    if let Some(mmr) = query.mmr {
        let compared = hits.len().min(query.depth().saturating_mul(COMPARED_PER_HIT));
        let alike = |a, b| vectors.cosine(a, b).unwrap_or_default();
        diversify(&mut hits[..compared], mmr, query.depth(), alike);
    }
    Ok((wanted, vectors.missing()?))
}

/// The vectors of passages that are compared with each other: as the search knew them, else their rows.
struct HitVectors<'a> {
    index: &'a Index,
    nearest: &'a Nearest,
    known: RefCell<HashMap<u32, Result<Option<Embedding>>>>,
}

impl HitVectors<'_> {
    /// Computes the cosine between two passages; `None` if one has to be fetched first.
    fn cosine(&self, a: u32, b: u32) -> Option<f32> {
        let mut known = self.known.borrow_mut();
        for chunk in [a, b] {
            known.entry(chunk).or_insert_with(|| match self.index.compared_embedding(self.nearest, chunk) {
                Some(embedding) => Ok(Some(embedding)),
                None => self.index.embedding(chunk),
            });
        }
        let vector = |chunk: &u32| known.get(chunk)?.as_ref().ok()?.as_ref();
        Some(vector(&a)?.cosine(vector(&b)?))
    }

    /// Lists the passages whose vectors were looked for and have to be fetched.
    fn missing(self) -> Result<Vec<u32>> {
        let mut missing = Vec::new();
        for (chunk, vector) in self.known.into_inner() {
            if if_fetched(vector)?.is_none() {
                missing.push(chunk);
            }
        }
        Ok(missing)
    }
}

/// Puts what a reranker has scored first.
fn rerank(hits: &mut Vec<Ranked>, scores: &[(u32, f32)]) {
    let scores: HashMap<u32, f32> = scores.iter().copied().collect();
    let (mut first, rest): (Vec<Ranked>, Vec<Ranked>) =
        hits.drain(..).partition(|hit| scores.contains_key(&hit.parts.chunk));
    for hit in &mut first {
        let score = scores.get(&hit.parts.chunk).copied();
        hit.parts.rerank = score;
        hit.score = score.unwrap_or_default();
    }
    sort(&mut first);
    hits.extend(first);
    hits.extend(rest);
}

/// The words of passages, for telling near duplicates.
struct HitWords<'a> {
    index: &'a Index,
    allowed: &'a Allowed,
    vectors: &'a HitVectors<'a>,
    known: RefCell<HashMap<u32, HashSet<String>>>,
    wanted: RefCell<Vec<u32>>,
}

impl<'a> HitWords<'a> {
    fn new(index: &'a Index, allowed: &'a Allowed, vectors: &'a HitVectors<'a>) -> Self {
        Self { index, allowed, vectors, known: RefCell::default(), wanted: RefCell::default() }
    }

    fn nearly_same(&self, options: NearDuplicates, a: u32, b: u32) -> Result<bool> {
        if self.vectors.cosine(a, b).is_none_or(|cosine| cosine < options.cosine) {
            return Ok(false);
        }
        for chunk in [a, b] {
            if self.known.borrow().contains_key(&chunk) {
                continue;
            }
            let Some(stored) = if_fetched(self.index.chunk_allowed(chunk, self.allowed))? else {
                self.wanted.borrow_mut().push(chunk);
                return Ok(false);
            };
            let text = stored.map(|stored| stored.text).unwrap_or_default();
            let analyzer = Analyzer::new(self.index.manifest().build.lexical.analyzed());
            let words = analyzer.tokens(&text).map(|token| token.term.into_owned()).collect();
            self.known.borrow_mut().insert(chunk, words);
        }
        let known = self.known.borrow();
        let (Some(a), Some(b)) = (known.get(&a), known.get(&b)) else { return Ok(false) };
        let shared = a.intersection(b).count() as f32;
        let all = (a.len() + b.len()) as f32 - shared;
        Ok(all > 0.0 && shared / all >= options.overlap)
    }
}

/// Looks up everything of the hits that were chosen.
pub(super) fn resolve(index: &Index, query: &Query, ranking: &Ranking, chosen: Chosen) -> Result<Response> {
    let language = index.manifest().build.lexical.analyzed();
    let marker = Marker::new(language, &marked(index, &query.text), &ranking.terms);
    let mut found = Vec::with_capacity(chosen.hits.len());
    for ranked in chosen.hits {
        if let Some(chunk) = index.chunk_allowed(ranked.parts.chunk, &ranking.allowed)? {
            found.push((ranked, chunk));
        }
    }
    // A reranker has read the headings.
    let is_reranked = found.iter().any(|(ranked, _)| ranked.parts.rerank.is_some());
    if query.offset == 0 && query.sort.is_none() && query.mode != Some(Mode::Vector) && !is_reranked {
        let by_page = query.group_by.is_some();
        found = titled_first(Analyzer::new(language), &query.text, by_page, ranking.pinned, found);
    }
    let mut explain = chosen.explain;
    if let Some(explain) = &mut explain {
        explain.hits = found.iter().map(|(ranked, _)| ranked.parts).collect();
    }
    let look_up = |(ranked, chunk)| hit(index, query, &marker, &ranking.allowed, ranked, chunk);
    let hits = found.into_iter().map(look_up).collect::<Result<_>>()?;
    Ok(Response { hits, total: chosen.total, facets: ranking.facets.clone(), explain })
}

/// Lists the chunks whose text is needed to look up the hits.
pub(super) fn needed(index: &Index, query: &Query, chosen: &Chosen) -> Vec<u32> {
    let mut chunks = chosen.wanted.clone();
    for ranked in &chosen.hits {
        chunks.push(ranked.parts.chunk);
        chunks.extend(&ranked.folded);
        if query.neighbours > 0 {
            chunks.extend(index.beside(ranked.parts.chunk, query.neighbours as u32));
        }
    }
    order::by_key(&mut chunks, |&chunk| chunk);
    chunks.dedup();
    chunks
}

fn around(at: u32, count: usize) -> impl Iterator<Item = u32> {
    let count = count as u32;
    (at.saturating_sub(count)..at).chain(at.saturating_add(1)..=at.saturating_add(count))
}

fn hit(
    index: &Index,
    query: &Query,
    marker: &Marker,
    allowed: &Allowed,
    ranked: Ranked,
    chunk: StoredChunk,
) -> Result<Hit> {
    let StoredPlace { document, document_number, section, index: at, span, line, anchors } = chunk.place;
    let mut duplicates: Vec<Place> = chunk.duplicates.into_iter().map(Place::from).collect();
    for folded in ranked.folded {
        if let Some(folded) = index.chunk_allowed(folded, allowed)? {
            duplicates.push(folded.place.into());
            duplicates.extend(folded.duplicates.into_iter().map(Place::from));
        }
    }
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for at_beside in around(at, query.neighbours) {
        let beside = index.chunk_of(document_number, at_beside);
        let stored = beside.map(|number| index.chunk(number)).transpose()?.flatten();
        let Some((number, stored)) = beside.zip(stored) else { continue };
        let side = if at_beside < at { &mut before } else { &mut after };
        side.extend(neighbour(number, stored, &document.metadata.document_id, at_beside));
    }
    let Shown { highlights, excerpt, excerpt_highlights } = show(marker, &chunk.text, &document.source);
    let heading =
        |at: u32| chunk.text.get(at as usize..).and_then(|text| text.lines().next()).unwrap_or_default();
    let named =
        anchors.iter().find(|part| names(heading(part.at), &query.text)).map(|part| part.anchor.clone());
    Ok(Hit {
        chunk: ranked.parts.chunk,
        id: format!("{:016x}", chunk.id),
        score: ranked.score,
        cosine: ranked.parts.cosine,
        bm25: ranked.parts.bm25,
        relevance: ranked.relevance,
        document_id: document.metadata.document_id,
        title: document.metadata.title,
        url: document.metadata.url,
        source: document.source,
        metadata: document.metadata.fields.into_iter().map(|(name, value)| (name, value.into())).collect(),
        heading_path: section.heading_path,
        anchor: named.or_else(|| best_anchor(anchors, &highlights)).or(section.anchor),
        highlights,
        excerpt,
        excerpt_highlights,
        text: chunk.text,
        span,
        line,
        repeated: chunk.repeated,
        chunk_index: at,
        total_chunks: document.chunks,
        duplicates,
        before,
        after,
    })
}

/// Returns the anchor of the part of a text that has most matches, the first of several; none where that part stands
/// before all headings in the text. A text on several pages without matches leads to the first.
fn best_anchor(anchors: Vec<TextAnchor>, highlights: &[Range<usize>]) -> Option<String> {
    let mut best = (highlights.partition_point(|range| range.start < start_of(anchors.first())), None);
    for (number, part) in anchors.iter().enumerate() {
        let until = start_of(anchors.get(number + 1));
        let within = |range: &&Range<usize>| (start_of(Some(part))..until).contains(&range.start);
        let matches = highlights.iter().filter(within).count();
        if matches > best.0 {
            best = (matches, Some(number));
        }
    }
    let is_paged = anchors.first().is_some_and(|part| part.at == 0 && part.anchor.starts_with("page="));
    let best = best.1.or(is_paged.then_some(0));
    anchors.into_iter().nth(best?).map(|part| part.anchor)
}

/// Returns the byte where a part of a text begins; the end of every text where there is no such part.
fn start_of(part: Option<&TextAnchor>) -> usize {
    part.map_or(usize::MAX, |part| part.at as usize)
}

/// Reads the chunk as it is in that document.
fn neighbour(number: u32, chunk: StoredChunk, document_id: &str, at: u32) -> Option<Neighbour> {
    let mut places = std::iter::once(chunk.place).chain(chunk.duplicates);
    let place =
        places.find(|place| place.document.metadata.document_id == document_id && place.index == at)?;
    Some(Neighbour {
        chunk: number,
        heading_path: place.section.heading_path,
        text: chunk.text,
        span: place.span,
        line: place.line,
        repeated: chunk.repeated,
        chunk_index: at,
    })
}

impl From<StoredPlace> for Place {
    fn from(place: StoredPlace) -> Self {
        let metadata = place.document.metadata;
        Self {
            document_id: metadata.document_id,
            title: metadata.title,
            url: metadata.url,
            source: place.document.source,
            heading_path: place.section.heading_path,
            anchor: place.section.anchor,
            span: place.span,
            line: place.line,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_leads_to_the_heading_of_the_part_that_matches_most() {
        let anchors = || {
            [(10, "green"), (30, "black")].map(|(at, anchor)| TextAnchor { at, anchor: anchor.to_owned() })
        };
        let best = |starts: &[usize]| {
            let highlights: Vec<_> = starts.iter().map(|start| *start..start + 3).collect();
            best_anchor(anchors().to_vec(), &highlights)
        };
        assert_eq!(best(&[12, 31, 40]).as_deref(), Some("black"));
        assert_eq!(best(&[12, 31]).as_deref(), Some("green"));
        assert_eq!((best(&[0, 4, 12]), best(&[])), (None, None));
        assert_eq!(best_anchor(Vec::new(), &[]), None);
    }
}
