//! The page of `ibid preview` that shows why pages are found: searches by the site's index, with settings that are tried.
//!
//! Index, settings and events are read for each request, so that a rebuilt site or an edited `ibid.toml` needs no restart.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};

use crate::target::open_index;
use ibid_index::Manifest;
use ibid_lab::eval::own::{FoundHit, OwnQuestion, find, pages};
use ibid_native::embedding::EmbeddingArgs;
use ibid_native::files;
use ibid_native::settings::SiteSettings;
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::relevance::RELEVANT;
use ibid_retrieve::{Hit, MAX_LIMIT, Mode, Query, Retriever};

/// The page itself.
pub(super) const PAGE: &str = include_str!("tuning.html");
/// The address of the page.
pub(super) const ADDRESS: &str = "/__ibid/";
/// The pages that are shown, as many as the search box shows: how deep a search looks changes what comes last.
const SHOWN: usize = 8;
/// The most queries of visitors that are looked at, the most frequent first.
const MOST_EVENTS: usize = 200;
/// The highest weight that `ibid.toml` can have.
const MOST_WEIGHT: f32 = 10.0;

/// The site whose search is looked at.
pub(super) struct Tuning {
    pub(super) folder: PathBuf,
    pub(super) config: Option<PathBuf>,
    pub(super) events: Option<PathBuf>,
}

/// The query and the settings that are tried.
#[derive(Debug, Default, PartialEq)]
struct Tried {
    query: String,
    /// The weights of files.
    weights: BTreeMap<String, f32>,
    /// Questions that `ibid.toml` does not have yet.
    questions: Vec<(String, String)>,
}

/// The pages and questions that the page shows.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct State {
    pages: Vec<PageState>,
    questions: Vec<QuestionState>,
}

/// A page with the reasons for its place.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PageState {
    title: String,
    url: Option<String>,
    /// Its path below the folder, as `[weights]` names it.
    file: String,
    headings: Vec<String>,
    excerpt: String,
    marks: Vec<std::ops::Range<usize>>,
    relevance: f32,
    score: f32,
    why: Why,
}

/// The reasons for a page's place: of its best passage.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Why {
    is_pinned: bool,
    /// True if its title or heading is the query, so that it stands before all that scores alone put there.
    is_named: bool,
    /// The page's rank by words alone, and the share of the query's words that the passage has.
    words_rank: Option<usize>,
    coverage: Option<f32>,
    bm25: Option<f32>,
    /// The page's rank by vectors alone.
    vectors_rank: Option<usize>,
    cosine: Option<f32>,
    /// The share of the query's words in its headings.
    headings: Option<f32>,
    /// The weight that is built in, and the one that is tried.
    weight: f32,
    tried: Option<f32>,
    synonyms: Vec<String>,
}

/// A question with the rank of its page.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct QuestionState {
    text: String,
    page: String,
    is_known: bool,
    rank: Option<usize>,
    /// The rank without the settings that are tried.
    before: Option<usize>,
}

/// A query of visitors that finds nothing that is relevant.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Missed {
    query: String,
    count: u64,
}

/// A line of the events: the detail of `ibid-query`, and how often it came.
#[derive(Deserialize)]
struct Event {
    query: String,
    #[serde(default = "once")]
    count: u64,
}

fn once() -> u64 {
    1
}

impl Tuning {
    /// Answers a request below the address of the page, as JSON; `None` for another address.
    pub(super) fn answer(&self, path: &str, query: &str) -> Option<Result<Vec<u8>>> {
        let json =
            |value: Result<serde_json::Value>| -> Result<Vec<u8>> { Ok(value?.to_string().into_bytes()) };
        match path.strip_prefix(ADDRESS)? {
            "find" => Some(json(self.state(&tried(query)).and_then(|state| value(&state)))),
            "missed" => Some(json(self.missed().and_then(|missed| value(&missed)))),
            _ => None,
        }
    }

    fn retriever(&self) -> Result<Retriever> {
        open_index(&self.folder.join("site.ibid"), &EmbeddingArgs::default())
    }

    fn state(&self, tried: &Tried) -> Result<State> {
        let retriever = self.retriever()?;
        let settings = SiteSettings::load(self.config.as_deref(), std::slice::from_ref(&self.folder))?;
        let mut asked = settings.questions;
        asked.extend(tried.questions.iter().cloned());
        let none = Tried::default();
        let questions = OwnQuestion::of(retriever.index(), &asked)?;
        let questions = questions.into_iter().map(|question| {
            let rank = |tried: &Tried| Ok(question.rank(&search(&retriever, &question.text, tried)?.0));
            let (rank, before) = (rank(tried)?, rank(&none)?);
            let is_known = question.document_id.is_some();
            Ok(QuestionState { text: question.text, page: question.page, is_known, rank, before })
        });
        Ok(State {
            questions: questions.collect::<Result<_>>()?,
            pages: if tried.query.trim().is_empty() { Vec::new() } else { found(&retriever, tried)? },
        })
    }

    /// The queries of visitors that find nothing relevant now, the most frequent first.
    fn missed(&self) -> Result<Vec<Missed>> {
        let Some(path) = &self.events else { return Ok(Vec::new()) };
        let text = String::from_utf8_lossy(&files::read(path)?).into_owned();
        let retriever = self.retriever()?;
        let mut missed = Vec::new();
        for asked in queries(&files::source_name(path), &text)? {
            let found = find(&retriever, &Query { limit: 1, ..Query::new(&asked.query) })?;
            if found.iter().all(|found| found.hit.relevance < RELEVANT) {
                missed.push(asked);
            }
        }
        Ok(missed)
    }
}

fn value(state: &impl Serialize) -> Result<serde_json::Value> {
    serde_json::to_value(state).map_err(|error| Error::new(ErrorCode::Internal, error.to_string()))
}

/// The queries in a file of events, the most frequent first.
fn queries(name: &str, text: &str) -> Result<Vec<Missed>> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let event: Event = serde_json::from_str(line).map_err(|error| {
            Error::new(ErrorCode::InvalidDocument, format!("`{name}`, line {number}: {error}."))
                .with_hint("Each line is the `detail` of an event `ibid-query`, such as {\"query\": \"tea\", \"hits\": 0}.")
        })?;
        if !event.query.trim().is_empty() {
            *counts.entry(event.query.trim().to_lowercase()).or_default() += event.count;
        }
    }
    let mut asked: Vec<Missed> = counts.into_iter().map(|(query, count)| Missed { query, count }).collect();
    asked.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.query.cmp(&b.query)));
    asked.truncate(MOST_EVENTS);
    Ok(asked)
}

/// Reads the query and what is tried from an address.
fn tried(query: &str) -> Tried {
    let mut tried = Tried::default();
    let decoded = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = decoded(value);
        let weight = |text: &str| text.parse().ok().filter(|weight| (0.0..=MOST_WEIGHT).contains(weight));
        match name {
            "q" => tried.query = value,
            "weight" => {
                let parts = value.rsplit_once('=');
                tried
                    .weights
                    .extend(parts.and_then(|(file, number)| Some((file.to_owned(), weight(number)?))));
            }
            "question" => {
                let parts = value.rsplit_once('=');
                tried.questions.extend(parts.map(|(text, page)| (text.to_owned(), page.to_owned())));
            }
            _ => {}
        }
    }
    tried
}

/// Searches as the box does, by what is tried. Returns the ids of the pages, too, that their title, a heading or a pin puts
/// in front.
fn search(retriever: &Retriever, text: &str, tried: &Tried) -> Result<(Vec<FoundHit>, BTreeSet<String>)> {
    // A weight may bring up what comes later.
    let limit = if tried.weights.is_empty() { SHOWN } else { MAX_LIMIT };
    let mut found = find(retriever, &Query { limit, explain: true, ..Query::new(text) })?;
    let front = in_front(&found);
    if tried.weights.is_empty() {
        return Ok((found, front));
    }
    let mut best: BTreeMap<String, f32> = BTreeMap::new();
    for FoundHit { hit, parts } in &mut found {
        // A page's score grows as its weight does, whatever its further passages add to it.
        if let Some(tried) = tried.weights.get(&hit.source).filter(|_| !front.contains(&hit.document_id)) {
            let weight = retriever.index().weight(hit.chunk);
            let fused = parts.unwrap_or_default().fused.max(0.0);
            hit.score = if weight > 0.0 { hit.score.max(0.0) / weight * tried } else { fused * tried };
        }
        let best = best.entry(hit.document_id.clone()).or_default();
        *best = best.max(hit.score);
    }
    let key = |found: &FoundHit| {
        let id = &found.hit.document_id;
        if front.contains(id) { f32::INFINITY } else { best.get(id).copied().unwrap_or_default() }
    };
    // The order of equal ones stays: they are hits of one page.
    found.sort_by(|a, b| key(b).total_cmp(&key(a)));
    Ok((found, front))
}

/// The pages that take over the score of the best, which is the last of those that have it.
fn in_front(found: &[FoundHit]) -> BTreeSet<String> {
    let most = found.iter().map(|found| found.hit.score).fold(f32::MIN, f32::max);
    let has_most = |id: &&str| {
        let mut hits = found.iter().filter(|found| found.hit.document_id == **id);
        hits.any(|found| found.hit.score.total_cmp(&most).is_eq())
    };
    let mut front: Vec<&str> = pages(found).into_iter().filter(has_most).collect();
    front.pop();
    front.into_iter().map(str::to_owned).collect()
}

fn found(retriever: &Retriever, tried: &Tried) -> Result<Vec<PageState>> {
    let (found, front) = search(retriever, &tried.query, tried)?;
    let alone = |mode: Mode| -> Vec<String> {
        let query = Query { mode: Some(mode), limit: MAX_LIMIT, ..Query::new(&tried.query) };
        // An index need not have vectors that are searched.
        let found = find(retriever, &query).unwrap_or_default();
        let named = found
            .iter()
            .filter(|found| mode == Mode::Vector || found.hit.bm25.is_some_and(|score| score > 0.0));
        let mut ids: Vec<String> = named.map(|found| found.hit.document_id.clone()).collect();
        ids.dedup();
        ids
    };
    let (words, vectors) = (alone(Mode::Lexical), alone(Mode::Vector));
    let rank = |ids: &[String], id: &str| ids.iter().position(|known| known == id).map(|at| at + 1);
    let manifest = retriever.index().manifest();
    let mut shown: Vec<PageState> = Vec::new();
    for id in pages(&found).into_iter().take(SHOWN) {
        let hits = found.iter().filter(|found| found.hit.document_id == id);
        let best = hits.reduce(|best, other| if other.hit.score > best.hit.score { other } else { best });
        let Some(FoundHit { hit, parts }) = best else { continue };
        let parts = parts.unwrap_or_default();
        let weight = retriever.index().weight(hit.chunk);
        let tried_weight = tried.weights.get(&hit.source).copied();
        let is_pinned = shown.is_empty() && is_pinned(manifest, hit);
        shown.push(PageState {
            title: hit.title.clone(),
            url: hit.url.clone(),
            file: hit.source.clone(),
            headings: hit.heading_path.clone(),
            excerpt: hit.excerpt.clone(),
            marks: hit.excerpt_highlights.clone(),
            relevance: hit.relevance,
            score: hit.score,
            why: Why {
                is_pinned,
                is_named: !is_pinned && front.contains(id),
                words_rank: rank(&words, id),
                coverage: parts.coverage,
                bm25: parts.bm25,
                vectors_rank: rank(&vectors, id),
                cosine: parts.cosine,
                headings: parts.headings,
                weight,
                tried: tried_weight,
                synonyms: synonyms(manifest, &tried.query, hit),
            },
        });
    }
    Ok(shown)
}

/// Returns true if the first hit is one that its author pinned: only such a one is certain to be relevant.
fn is_pinned(manifest: &Manifest, hit: &Hit) -> bool {
    hit.relevance >= 1.0 && manifest.settings.pins.iter().any(|pin| pin.chunk == hit.chunk)
}

/// The synonyms of the query's words that a hit has.
fn synonyms(manifest: &Manifest, query: &str, hit: &Hit) -> Vec<String> {
    let [asked, said] = [query, &hit.text].map(words);
    let has = |text: &str, member: &str| text.contains(&words(member));
    let groups =
        manifest.settings.synonyms.iter().filter(|group| group.iter().any(|member| has(&asked, member)));
    groups.flatten().filter(|member| !has(&asked, member) && has(&said, member)).cloned().collect()
}

/// The words of a text in lower case, with spaces around each.
fn words(text: &str) -> String {
    let words: Vec<String> = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
    format!(" {} ", words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_tried_stands_in_the_address() {
        let tried =
            tried("q=green+tea%3F&weight=blog%2Fa%3Db.html=0.5&weight=c=11&question=How%3F%3D%2Fa%2F&x");
        assert_eq!(tried.query, "green tea?");
        assert_eq!(tried.weights.into_iter().collect::<Vec<_>>(), [("blog/a=b.html".to_owned(), 0.5)]);
        assert_eq!(tried.questions, [("How?".to_owned(), "/a/".to_owned())]);
    }

    #[test]
    fn pages_in_front_have_the_score_of_the_best() {
        let front = |scores: &[(&str, f32)]| {
            let hit = |(id, score): &(&str, f32)| Hit {
                document_id: (*id).into(),
                score: *score,
                ..Hit::default()
            };
            let found: Vec<FoundHit> =
                scores.iter().map(|row| FoundHit { hit: hit(row), parts: None }).collect();
            in_front(&found).into_iter().collect::<Vec<_>>()
        };
        assert_eq!(front(&[("b", 0.9), ("b", 0.2), ("a", 0.9), ("c", 0.5)]), ["b"]);
        assert_eq!(front(&[("a", 0.9), ("c", 0.5)]), Vec::<String>::new());
        assert_eq!(front(&[]), Vec::<String>::new());
    }

    #[test]
    fn events_are_counted_by_query() {
        let text = "{\"query\": \"Tea\", \"hits\": 0}\n\n{\"query\": \"tea \", \"count\": 2}\n{\"query\": \"a\"}\n{\"query\": \" \"}\n";
        let counted = queries("e.jsonl", text).unwrap();
        assert_eq!(
            counted,
            [("tea", 3), ("a", 1)].map(|(query, count)| Missed { query: query.into(), count })
        );
        let error = queries("e.jsonl", "\n{}").unwrap_err();
        assert!(error.message().contains("`e.jsonl`, line 2: missing field `query`"), "{error}");
    }
}
