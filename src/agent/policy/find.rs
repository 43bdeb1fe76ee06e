//! Searches that the run itself decides on, and what is chosen from their hits.

use serde::{Deserialize, Serialize};

use super::pipeline::Class;
use crate::agent::event::AskEvent;
use crate::agent::memory::Found;
use crate::agent::options::{AgentOptions, Policy};
use crate::agent::run::{AgentRun, out_of_turn};
use crate::agent::state::{NoAnswer, State};
use crate::agent::step::{Purpose, SearchCall};
use ibid_llm::FinishReason;
use ibid_platform::order;
use ibid_platform::{Error, Result};
use ibid_retrieve::Hit;
use ibid_trust::cite::Source;
use ibid_trust::guard::injection::instructions;

/// The hits of each sub-query of a pipeline.
const PIPELINE_HITS: usize = 10;
/// The passages that a pipeline answers from.
const PIPELINE_SOURCES: usize = 5;

/// What is searched for, and what was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::agent) struct Plan {
    pub(in crate::agent) class: Class,
    pub(super) subs: Vec<Sub>,
    /// What was found and may be chosen, each once.
    pub(in crate::agent) candidates: Vec<Candidate>,
    /// What the model is given, a list for each search that is shown by itself.
    pub(in crate::agent) selected: Vec<Found>,
    /// How often an answer was written.
    pub(super) iteration: u32,
}

/// A search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Sub {
    pub(super) query: String,
    /// What a person would call it: the query, or the condition that it is about.
    pub(super) name: String,
    pub(super) collection: Option<String>,
    pub(super) outcome: Option<Result<Vec<Hit>>>,
}

/// A passage that may be chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::agent) struct Candidate {
    pub(in crate::agent) hit: Hit,
    /// How many searches found it.
    pub(super) found_by: u32,
    /// The reranker's score, once there is one.
    pub(super) score: Option<f32>,
}

impl Plan {
    /// The searches that are still to be made.
    pub(in crate::agent) fn searches(&self, options: &AgentOptions) -> Vec<SearchCall> {
        let limit = (options.policy == Policy::Pipeline).then_some(PIPELINE_HITS);
        let open = self.subs.iter().enumerate().filter(|(_, sub)| sub.outcome.is_none());
        open.map(|(at, sub)| SearchCall {
            id: format!("q{}", at + 1),
            collection: sub.collection.clone(),
            query: options.query(sub.query.clone(), limit),
        })
        .collect()
    }

    /// The different queries, in order.
    pub(in crate::agent) fn queries(&self) -> Vec<String> {
        let mut queries: Vec<String> = Vec::new();
        for sub in &self.subs {
            if !queries.contains(&sub.query) {
                queries.push(sub.query.clone());
            }
        }
        queries
    }
}

impl AgentRun {
    /// Searches for each of these in each collection.
    pub(super) fn find(&mut self, queries: impl IntoIterator<Item = (String, String)>) {
        let mut names: Vec<_> = self.options.collection_names().map(|name| Some(name.to_owned())).collect();
        if names.is_empty() {
            names.push(None);
        }
        for (query, name) in queries {
            let query = self.topic(&query);
            for collection in &names {
                let (query, name, collection) = (query.clone(), name.clone(), collection.clone());
                self.plan.subs.push(Sub { query, name, collection, outcome: None });
            }
        }
        self.state = State::Find;
    }

    /// Takes in what came of a search. One that failed does not sink the rest.
    pub(in crate::agent) fn sub_found(&mut self, id: &str, outcome: Result<Vec<Hit>>) -> Result<()> {
        let at = id.strip_prefix('q').and_then(|number| number.parse::<usize>().ok()?.checked_sub(1));
        let sub = at.and_then(|at| self.plan.subs.get_mut(at)).filter(|sub| sub.outcome.is_none());
        let Some((sub, at)) = sub.zip(at) else { return Err(out_of_turn("the hits of a search")) };
        self.progress.searches = self.progress.searches.saturating_add(1);
        if let (Some(trail), Ok(hits)) = (&mut self.trail, &outcome) {
            trail.searched(&sub.query, sub.collection.as_deref(), hits);
        }
        let name = if self.options.policy == Policy::Classic {
            "retrieve".to_owned()
        } else {
            format!("retrieve_sub_{}", at + 1)
        };
        let step = self.trace.end(name);
        match &outcome {
            Ok(hits) => step.count(hits.len()).says(&sub.query),
            Err(error) => step.count(0).says(format!("failed: {}", error.message())),
        };
        sub.outcome = Some(outcome);
        if self.plan.subs.iter().any(|sub| sub.outcome.is_none()) {
            return Ok(());
        }
        let failure = |sub: &Sub| sub.outcome.as_ref().and_then(|outcome| outcome.as_ref().err()).cloned();
        if self.plan.subs.iter().all(|sub| failure(sub).is_some()) {
            let first: Option<Error> = self.plan.subs.iter().find_map(failure);
            return first.map_or(Ok(()), Err);
        }
        self.all_found();
        Ok(())
    }

    fn all_found(&mut self) {
        match self.options.policy {
            Policy::Case => {
                for at in 0..self.plan.subs.len() {
                    let sub = &mut self.plan.subs[at];
                    let Some(Ok(hits)) = sub.outcome.replace(Ok(Vec::new())) else { continue };
                    let (name, collection) = (sub.name.clone(), sub.collection.clone());
                    let found = self.register(&format!("q{}", at + 1), &name, collection, hits);
                    self.plan.selected.push(found);
                }
                self.write_from_sources(Purpose::Assess);
            }
            Policy::Pipeline => {
                let before = self.gather();
                let count = self.plan.candidates.len();
                self.trace.note("deduplicate").count(count).says(format!("of {before}"));
                if self.options.rerank && count > 1 {
                    self.state = State::Rerank;
                } else {
                    self.choose_best();
                }
            }
            _ => {
                self.gather();
                if self.options.collections.len() > 1 {
                    sort(&mut self.plan.candidates);
                }
                let limit = self.options.max_results;
                let hits =
                    self.plan.candidates.drain(..).map(|candidate| candidate.hit).take(limit).collect();
                let query = self.query.clone();
                let found = self.register("q1", &query, None, hits);
                self.plan.selected = vec![found];
                self.write_from_sources(Purpose::Answer);
            }
        }
    }

    /// Puts the hits of all searches together, each passage once, with its best scores. Returns how many there were.
    fn gather(&mut self) -> usize {
        let mut count = self.plan.candidates.len();
        for sub in &mut self.plan.subs {
            // What was gathered is not gathered again when a later search has been made.
            let Some(Ok(hits)) = sub.outcome.replace(Ok(Vec::new())) else { continue };
            for hit in hits {
                count += 1;
                let same = |other: &&mut Candidate| {
                    other.hit.id == hit.id && other.hit.document_id == hit.document_id
                };
                match self.plan.candidates.iter_mut().find(same) {
                    Some(known) => {
                        known.found_by += 1;
                        if (hit.relevance, hit.score) > (known.hit.relevance, known.hit.score) {
                            known.hit = hit;
                        }
                    }
                    None => self.plan.candidates.push(Candidate { hit, found_by: 1, score: None }),
                }
            }
        }
        count
    }

    /// Takes in the scores of a reranker, or `None` where there is none after all.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`](ibid_platform::ErrorCode::Internal) if none were awaited.
    pub fn reranked(&mut self, scores: Option<&[f32]>) -> Result<()> {
        if !matches!(self.state, State::Rerank) {
            return Err(out_of_turn("a reranker's scores"));
        }
        let fits = scores.filter(|scores| scores.len() == self.plan.candidates.len());
        for (at, candidate) in self.plan.candidates.iter_mut().enumerate() {
            candidate.score = fits.map(|scores| scores[at]).filter(|score| score.is_finite());
        }
        self.choose_best();
        Ok(())
    }

    fn choose_best(&mut self) {
        sort(&mut self.plan.candidates);
        let best = self.plan.candidates.iter().take(PIPELINE_SOURCES);
        let hits: Vec<Hit> = best.map(|candidate| candidate.hit.clone()).collect();
        self.trace.end("rerank").count(hits.len());
        let query = self.query.clone();
        let found = self.register("selected", &query, None, hits);
        self.plan.selected = vec![found];
        self.write_from_sources(Purpose::Synthesize);
    }

    /// Has the model answer, or says that nothing was found.
    fn write_from_sources(&mut self, purpose: Purpose) {
        let nothing = self.plan.selected.iter().all(|found| found.numbers.is_empty());
        if nothing {
            self.quote(&[], None);
        } else if let crate::agent::stop::Left::Nothing(by) = self.left() {
            self.stopped = Some(by);
            self.quote_what_was_found(FinishReason::Stop, "The budget for this question is used up.");
        } else {
            self.enter(State::Write(purpose));
        }
    }

    /// Gives the hits their numbers.
    pub(in crate::agent) fn register(
        &mut self,
        id: &str,
        query: &str,
        collection: Option<String>,
        hits: Vec<Hit>,
    ) -> Found {
        let mut sources: Vec<Source> = Vec::new();
        for hit in hits {
            let source = self.enter_into_register(hit);
            if sources.iter().any(|other| other.number == source.number) {
                continue;
            }
            match self.found.iter_mut().find(|(number, _)| *number == source.number) {
                Some((_, score)) => *score = score.max(source.hit.score),
                None => self.found.push((source.number, source.hit.score)),
            }
            sources.push(source);
        }
        let relevances = || sources.iter().map(|source| source.hit.relevance);
        let found = Found {
            query: query.to_owned(),
            collection: collection.clone(),
            search: self.progress.searches,
            numbers: sources.iter().map(|source| source.number).collect(),
            best: relevances().fold(0.0, f32::max),
            average: relevances().sum::<f32>() / sources.len().max(1) as f32,
        };
        let (id, query) = (id.to_owned(), self.said(query));
        self.tell(AskEvent::Sources { id, query, collection, sources });
        found
    }

    /// Gives a hit its number. What in it addresses the model is noted.
    pub(in crate::agent) fn enter_into_register(&mut self, hit: Hit) -> Source {
        let known = self.conversation.register.sources().len();
        let source = self.conversation.register.register_with(hit, |text| {
            instructions(text).into_iter().map(|instruction| instruction.span).collect()
        });
        if source.number as usize > known && !source.instructions.is_empty() {
            let (number, title) = (source.number, &source.hit.title);
            self.trace
                .note("guard")
                .count(source.instructions.len())
                .says(format!("[{number}] {title}: text that addresses the model"));
        }
        source
    }

    /// The sources of these numbers.
    pub(in crate::agent) fn sources_of(&self, numbers: &[u32]) -> Vec<Source> {
        numbers.iter().filter_map(|number| self.conversation.register.get(*number).cloned()).collect()
    }

    /// Ends the run with quotes from these sources, in that order.
    pub(in crate::agent) fn quote(&mut self, numbers: &[u32], no_answer: Option<&NoAnswer>) {
        let sources = self.sources_of(numbers);
        let instead = no_answer.map(|none| (none.finish, none.why.as_str()));
        let mut answer = self.by_quotes(&sources, instead);
        if self.options.output.is_some() {
            answer.output_problem = Some("Quotes have no form: no model wrote the answer.".to_owned());
        }
        self.done(answer);
    }

    /// Ends the run with quotes from all that was found for this question, because the model gives no answer. Where nothing was
    /// found, the question itself is searched for first.
    pub(in crate::agent) fn quote_what_was_found(&mut self, finish: FinishReason, why: &str) {
        let no_answer = NoAnswer { finish, why: why.to_owned() };
        if self.found.is_empty() {
            self.state = State::Quote(Some(no_answer));
        } else {
            self.quote(&self.best_found(), Some(&no_answer));
        }
    }

    /// The numbers of what was found for this question, best first.
    pub(in crate::agent) fn best_found(&self) -> Vec<u32> {
        let mut found = self.found.clone();
        // One search has ranked its own hits; those of several are ranked here. The sort keeps the order of equals.
        if self.progress.searches > 1 {
            order::by(&mut found, |a, b| b.1.total_cmp(&a.1));
        }
        found.into_iter().map(|(number, _)| number).collect()
    }
}

/// Best first: by the reranker's scores where there are any, then by relevance, by how many searches found a passage, and by
/// its score.
fn sort(candidates: &mut [Candidate]) {
    order::by(candidates, |a, b| {
        let reranked = b.score.unwrap_or(f32::MIN).total_cmp(&a.score.unwrap_or(f32::MIN));
        reranked
            .then(b.hit.relevance.total_cmp(&a.hit.relevance))
            .then(b.found_by.cmp(&a.found_by))
            .then(b.hit.score.total_cmp(&a.hit.score))
    });
}
