//! Searches that the run itself decides on, and the choice from their hits.

use serde::{Deserialize, Serialize};

use crate::agent::inquiry::Inquiry;
use crate::agent::options::Policy;
use crate::agent::step::{SearchCall, SearchOutcome, out_of_turn};
use ibid_platform::order;
use ibid_platform::{Error, Result};
use ibid_retrieve::Hit;

/// The kind of ids of these searches.
const KIND: char = 'q';

/// The hits of each sub-query of a pipeline.
const PIPELINE_HITS: usize = 10;

/// The searches of a plan, and the passages that they have found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::agent) struct Searches {
    subs: Vec<SubQuery>,
    /// The passages that may be chosen, each once.
    candidates: Vec<PassageCandidate>,
}

/// A search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SubQuery {
    query: String,
    /// The name that a person would give it: the query, or the condition that it is about.
    pub(super) name: String,
    pub(super) collection: Option<String>,
    outcome: Option<Result<Vec<Hit>>>,
}

/// A passage that may be chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PassageCandidate {
    hit: Hit,
    /// The number of searches that found it.
    found_by: u32,
    /// The reranker's score, once there is one.
    score: Option<f32>,
}

impl Searches {
    /// Adds a search for each of these queries in each collection.
    pub(super) fn add(&mut self, inquiry: &Inquiry, queries: impl IntoIterator<Item = (String, String)>) {
        let mut names: Vec<_> =
            inquiry.options.collection_names().map(|name| Some(name.to_owned())).collect();
        if names.is_empty() {
            names.push(None);
        }
        for (query, name) in queries {
            let query = inquiry.topic(&query);
            for collection in &names {
                let (query, name, collection) = (query.clone(), name.clone(), collection.clone());
                self.subs.push(SubQuery { query, name, collection, outcome: None });
            }
        }
    }

    /// Lists the searches that are still to be made.
    pub(in crate::agent) fn calls(&self, inquiry: &Inquiry) -> Vec<SearchCall> {
        let limit = (inquiry.options.policy == Policy::Pipeline).then_some(PIPELINE_HITS);
        let open = self.subs.iter().enumerate().filter(|(_, sub)| sub.outcome.is_none());
        open.map(|(at, sub)| SearchCall {
            id: SearchCall::id(KIND, at),
            collection: sub.collection.clone(),
            query: inquiry.options.query(sub.query.clone(), limit),
        })
        .collect()
    }

    /// Lists the different queries, in order.
    pub(in crate::agent) fn queries(&self) -> Vec<String> {
        let mut queries: Vec<String> = Vec::new();
        for sub in &self.subs {
            if !queries.contains(&sub.query) {
                queries.push(sub.query.clone());
            }
        }
        queries
    }

    /// Takes in the outcome of a search, and tells whether it was the last. One that failed does not sink the
    /// rest: its error is returned where all have failed.
    pub(super) fn take(&mut self, inquiry: &mut Inquiry, outcome: SearchOutcome<'_>) -> Result<bool> {
        let SearchOutcome { id, hits } = outcome;
        let at = SearchCall::place(KIND, id);
        let sub = at.and_then(|at| self.subs.get_mut(at)).filter(|sub| sub.outcome.is_none());
        let Some((sub, at)) = sub.zip(at) else { return Err(out_of_turn("the hits of a search")) };
        let step = match inquiry.options.policy {
            Policy::Classic => "retrieve".to_owned(),
            _ => format!("retrieve_sub_{}", at + 1),
        };
        inquiry.progress.searches += 1;
        inquiry.journal.searched(step, &sub.query, sub.collection.as_deref(), hits.as_deref());
        sub.outcome = Some(hits);
        let mut errors: Vec<&Error> = Vec::new();
        for sub in &self.subs {
            match &sub.outcome {
                None => return Ok(false),
                Some(Ok(_)) => {}
                Some(Err(error)) => errors.push(error),
            }
        }
        match errors.first() {
            Some(first) if errors.len() == self.subs.len() => Err((*first).clone()),
            _ => Ok(true),
        }
    }

    /// Takes the hits of each search that has any to give, with its id.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = (String, &SubQuery, Vec<Hit>)> {
        // Hits that were taken are not taken again when a later search has been made.
        self.subs.iter_mut().enumerate().filter_map(|(at, sub)| {
            let hits = sub.outcome.replace(Ok(Vec::new()))?.ok()?;
            Some((SearchCall::id(KIND, at), &*sub, hits))
        })
    }

    /// Puts the hits of all searches together, each passage once, with its best scores. Returns how many
    /// there were.
    pub(super) fn gather(&mut self) -> usize {
        let mut candidates = std::mem::take(&mut self.candidates);
        let mut count = candidates.len();
        for hit in self.drain().flat_map(|(_, _, hits)| hits) {
            count += 1;
            let same = |other: &&mut PassageCandidate| {
                other.hit.id == hit.id && other.hit.document_id == hit.document_id
            };
            match candidates.iter_mut().find(same) {
                Some(known) => {
                    known.found_by += 1;
                    if (hit.relevance, hit.score) > (known.hit.relevance, known.hit.score) {
                        known.hit = hit;
                    }
                }
                None => candidates.push(PassageCandidate { hit, found_by: 1, score: None }),
            }
        }
        self.candidates = candidates;
        count
    }

    /// The number of candidates.
    pub(super) fn count(&self) -> usize {
        self.candidates.len()
    }

    /// Lists the texts of the candidates.
    pub(in crate::agent) fn texts(&self) -> Vec<String> {
        self.candidates.iter().map(|candidate| candidate.hit.text.clone()).collect()
    }

    /// Takes in a reranker's score for each candidate; without one for each, none has any.
    pub(super) fn score(&mut self, scores: Option<&[f32]>) {
        let fits = scores.filter(|scores| scores.len() == self.candidates.len());
        for (at, candidate) in self.candidates.iter_mut().enumerate() {
            candidate.score = fits.map(|scores| scores[at]).filter(|score| score.is_finite());
        }
    }

    /// Puts the best candidates first: by the reranker's scores if there are any, then by relevance, by
    /// how many searches found a passage, and by its score.
    pub(super) fn sort(&mut self) {
        order::by(&mut self.candidates, |a, b| {
            let reranked = b.score.unwrap_or(f32::MIN).total_cmp(&a.score.unwrap_or(f32::MIN));
            reranked
                .then(b.hit.relevance.total_cmp(&a.hit.relevance))
                .then(b.found_by.cmp(&a.found_by))
                .then(b.hit.score.total_cmp(&a.hit.score))
        });
    }

    /// Takes the first candidates.
    pub(super) fn first(&self, count: usize) -> Vec<Hit> {
        self.candidates.iter().take(count).map(|candidate| candidate.hit.clone()).collect()
    }
}
