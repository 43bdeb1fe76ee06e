//! The machine that decides on searches itself, and has the model write from their hits.
//!
//! The classic policy makes one search. A pipeline takes the question apart, and judges and improves its
//! answer. A case is searched for by each of its conditions.

mod class;
mod searches;

use serde::{Deserialize, Serialize};

pub(super) use self::class::Class;
use self::searches::Searches;
use super::case::CaseFile;
use super::inquiry::Inquiry;
use super::memory::FoundSources;
use super::options::Policy;
use super::query::{expand, list_of, query_of};
use super::quote::quote;
use super::state::{DraftAnswer, Next, NoAnswer, RunState};
use super::step::{Purpose, SearchOutcome};
use super::stop::Left;
use ibid_llm::{FinishReason, ModelReply};
use ibid_platform::{Result, lazily};

// A page fetches the code behind this before a question that needs it.
lazily!(fn start_with_model(plan: &mut Plan, inquiry: &mut Inquiry) -> Next = Plan::start_with_model);

/// The most sub-queries.
const MOST_SUB_QUERIES: usize = 4;

/// The passages that a pipeline answers from.
const PIPELINE_SOURCES: usize = 5;

/// The number of times that a pipeline may write its answer.
const MOST_ITERATIONS: u32 = 3;

/// The searches of a run, and the sources that it writes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Plan {
    pub(super) class: Class,
    pub(super) searches: Searches,
    /// The sources that the model is given, a list for each search that is shown apart.
    pub(super) selected: Vec<FoundSources>,
    /// The number of answers that were written.
    iteration: u32,
}

impl Plan {
    /// The beginning of a run.
    pub(super) fn start(&mut self, inquiry: &mut Inquiry) -> Next {
        match inquiry.options.policy {
            Policy::Extractive => Next::Wait(RunState::Quote(None)),
            _ => start_with_model(self, inquiry),
        }
    }

    pub(super) fn start_with_model(&mut self, inquiry: &mut Inquiry) -> Next {
        match inquiry.options.policy {
            Policy::Extractive | Policy::Tools | Policy::Auto => Next::call(Purpose::Answer),
            Policy::Case => self.start_case(inquiry),
            // All that was said before is needed to understand a question that goes on from there.
            Policy::Classic | Policy::Pipeline if inquiry.options.enhance.rewrite || inquiry.begin > 0 => {
                Next::call(Purpose::Rewrite)
            }
            Policy::Classic | Policy::Pipeline => self.understood(inquiry),
        }
    }

    /// Goes on by the classic policy with a model that answers from memory. The draft is kept in case nothing is found.
    pub(super) fn search_first(&mut self, inquiry: &mut Inquiry, draft: DraftAnswer) -> Next {
        inquiry.options.policy = Policy::Classic;
        inquiry.draft = Some(draft);
        inquiry.journal.last().says("the model did not search; answered by the classic policy");
        self.start_with_model(inquiry)
    }

    /// A question that is a case itself is assessed at once; any other begins or continues the interview.
    fn start_case(&mut self, inquiry: &mut Inquiry) -> Next {
        let Some(CaseFile { conditions, findings, .. }) = CaseFile::parse(&inquiry.question) else {
            return Next::call(Purpose::Answer);
        };
        let known = &mut inquiry.conversation.case;
        if known.closed {
            *known = CaseFile::default();
        }
        known.add(&conditions, &findings);
        self.assess(inquiry)
    }

    /// Searches for each condition of the case, with all findings.
    pub(super) fn assess(&mut self, inquiry: &mut Inquiry) -> Next {
        let case = &mut inquiry.conversation.case;
        case.assessed = false;
        let queries: Vec<_> =
            case.conditions.iter().map(|condition| (case.query(condition), condition.clone())).collect();
        self.find(inquiry, queries)
    }

    /// Goes on when the question can be understood without what was said before.
    fn understood(&mut self, inquiry: &mut Inquiry) -> Next {
        match inquiry.options.policy {
            Policy::Pipeline if inquiry.left() == Left::Enough => Next::call(Purpose::Classify),
            Policy::Pipeline => self.decomposed(inquiry, ""),
            _ => self.find(inquiry, [(inquiry.query.clone(), inquiry.query.clone())]),
        }
    }

    /// Takes in the question as a query; without one, the question is the query.
    pub(super) fn rewritten(&mut self, inquiry: &mut Inquiry, reply: &str) -> Next {
        if let Some(query) = query_of(reply) {
            inquiry.query = expand(&query, &inquiry.options.enhance.abbreviations);
        }
        inquiry.journal.last().says(&inquiry.query);
        self.understood(inquiry)
    }

    /// Takes in the kind of question.
    pub(super) fn classified(&mut self, inquiry: &mut Inquiry, reply: &str) -> Next {
        self.class = Class::read(reply);
        inquiry.journal.last().says(self.class.as_str());
        if self.class != Class::Simple && inquiry.left() == Left::Enough {
            Next::call(Purpose::Decompose)
        } else {
            self.decomposed(inquiry, "")
        }
    }

    /// Takes in the sub-queries; without any, the question is the only one.
    pub(super) fn decomposed(&mut self, inquiry: &mut Inquiry, reply: &str) -> Next {
        let mut queries = list_of(reply, MOST_SUB_QUERIES);
        if self.class != Class::Simple {
            inquiry.journal.last().count(queries.len());
        }
        if queries.is_empty() {
            queries.push(inquiry.query.clone());
        }
        self.find(inquiry, queries.into_iter().map(|query| (query.clone(), query)))
    }

    /// Searches for these queries, each with its name.
    fn find(&mut self, inquiry: &Inquiry, queries: impl IntoIterator<Item = (String, String)>) -> Next {
        self.searches.add(inquiry, queries);
        Next::Wait(RunState::Find)
    }

    /// Takes in the outcome of a search. The error is the run's if no search has worked and nothing is written.
    pub(super) fn searched(&mut self, inquiry: &mut Inquiry, outcome: SearchOutcome<'_>) -> Result<Next> {
        let complete = self.searches.take(inquiry, outcome);
        if complete.is_err()
            && let Some(draft) = inquiry.draft.take()
        {
            return Ok(Next::Review(draft));
        }
        if !complete? {
            return Ok(Next::Wait(RunState::Find));
        }
        Ok(match inquiry.options.policy {
            Policy::Case => {
                for (id, sub, hits) in self.searches.drain() {
                    self.selected.push(inquiry.register(&id, &sub.name, sub.collection.clone(), hits));
                }
                self.write(inquiry, Purpose::Assess)
            }
            Policy::Pipeline => {
                let before = self.searches.gather();
                let count = self.searches.count();
                inquiry.journal.note("deduplicate").count(count).says(format!("of {before}"));
                if inquiry.options.rerank && count > 1 {
                    Next::Wait(RunState::Rerank)
                } else {
                    self.choose(inquiry)
                }
            }
            _ => {
                self.searches.gather();
                if inquiry.options.collections.len() > 1 {
                    self.searches.sort();
                }
                self.select(inquiry, "q1", inquiry.options.max_results);
                match inquiry.draft.take() {
                    Some(draft) if self.has_no_sources() => Next::Review(draft),
                    _ => self.write(inquiry, Purpose::Answer),
                }
            }
        })
    }

    /// Takes in the scores of a reranker, or `None` if there is none after all.
    pub(super) fn reranked(&mut self, inquiry: &mut Inquiry, scores: Option<&[f32]>) -> Next {
        self.searches.score(scores);
        self.choose(inquiry)
    }

    fn choose(&mut self, inquiry: &mut Inquiry) -> Next {
        self.searches.sort();
        inquiry.journal.end("rerank").count(self.searches.count().min(PIPELINE_SOURCES));
        self.select(inquiry, "selected", PIPELINE_SOURCES);
        self.write(inquiry, Purpose::Synthesize)
    }

    /// Makes the first candidates the sources that the model writes from.
    fn select(&mut self, inquiry: &mut Inquiry, id: &str, count: usize) {
        let query = inquiry.query.clone();
        self.selected = vec![inquiry.register(id, &query, None, self.searches.first(count))];
    }

    fn has_no_sources(&self) -> bool {
        self.selected.iter().all(|found| found.numbers.is_empty())
    }

    /// Has the model write from the sources, or says that there are none.
    fn write(&mut self, inquiry: &mut Inquiry, purpose: Purpose) -> Next {
        if self.has_no_sources() {
            return quote(inquiry, &[], None);
        }
        inquiry.spent().unwrap_or(Next::call(purpose))
    }

    /// Takes in an answer that was written from the sources.
    pub(super) fn written(&mut self, inquiry: &mut Inquiry, purpose: Purpose, reply: &ModelReply) -> Next {
        let draft = DraftAnswer::new(reply.text.trim(), reply.finish_reason);
        if !draft.text.is_empty() {
            keep_the_better(inquiry, draft);
        }
        let Some(draft) = inquiry.draft.clone() else {
            return Next::Unanswered(NoAnswer::silent(reply.finish_reason));
        };
        if purpose == Purpose::Assess {
            inquiry.conversation.case.assessed = true;
        }
        self.iteration += 1;
        let again = self.iteration < MOST_ITERATIONS && !draft.finish.is_cut_off();
        if purpose == Purpose::Synthesize && again && inquiry.left() == Left::Enough {
            Next::call(Purpose::Reflect)
        } else {
            Next::Review(draft)
        }
    }

    /// Takes in the judgement: if something is missing and there is a query for it that was not made, it
    /// is searched for and the answer is written again.
    pub(super) fn reflected(&mut self, inquiry: &mut Inquiry, reply: &str) -> Next {
        let upper = reply.to_ascii_uppercase();
        let refined = upper.find("INSUFFICIENT").and_then(|at| {
            let rest = reply.get(at + "INSUFFICIENT".len()..)?;
            query_of(rest.trim_start_matches(|c: char| !c.is_alphanumeric()))
        });
        let made = self.searches.queries();
        let refined = refined.filter(|query| made.iter().all(|other| !other.eq_ignore_ascii_case(query)));
        inquiry.journal.last().says(refined.as_deref().unwrap_or("SUFFICIENT"));
        match (refined, inquiry.draft.clone()) {
            (Some(query), _) => self.find(inquiry, [(query.clone(), query)]),
            (None, Some(draft)) => Next::Review(draft),
            (None, None) => Next::Unanswered(NoAnswer::silent(FinishReason::Stop)),
        }
    }
}

/// Replaces the draft by a later one, unless that was cut off or cites nothing where the earlier did.
fn keep_the_better(inquiry: &mut Inquiry, draft: DraftAnswer) {
    let worse = inquiry.draft.as_ref().is_some_and(|before| {
        draft.finish.is_cut_off() || (inquiry.cites(&before.text) && !inquiry.cites(&draft.text))
    });
    if !worse {
        inquiry.draft = Some(draft);
    }
}
