//! The machines of a run: the step that each state asks for, the machine that takes each result, and the
//! state that its way leads to.

use serde::{Deserialize, Serialize};

use super::inquiry::Inquiry;
use super::options::Policy;
use super::plan::Plan;
use super::quote;
use super::request::model_call;
use super::review::Review;
use super::state::{Next, RunState};
use super::step::{Purpose, SearchOutcome, Step, StepState, out_of_turn};
use super::turn::Turn;
use ibid_llm::ModelReply;
use ibid_platform::{Result, lazily};

// A page fetches the code behind these before a question that needs it.
lazily!(fn rare_step(machines: &Machines, inquiry: &Inquiry, state: &RunState) -> Step = Machines::rare_step);
lazily!(fn rarely_searched(machines: &mut Machines, inquiry: &mut Inquiry, state: &RunState, outcome: SearchOutcome<'_>)
    -> Result<Next> = Machines::rarely_searched);
lazily!(fn rare_way(machines: &mut Machines, inquiry: &mut Inquiry, next: Next) -> Next = Machines::rare_way);

/// The machines of a run, each with its own part of the work.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Machines {
    pub(super) plan: Plan,
    pub(super) turn: Turn,
    pub(super) review: Review,
}

impl Machines {
    /// Chooses the step that a state asks for.
    pub(super) fn step(&self, inquiry: &Inquiry, state: &RunState) -> Step {
        match state {
            RunState::Quote(_) => Step::Retrieve(inquiry.outgoing(vec![quote::search(inquiry)])),
            RunState::Verify => Step::Verify,
            RunState::Done(answer) => Step::Done(answer.clone()),
            _ => rare_step(self, inquiry, state),
        }
    }

    /// Chooses the step that a state of a run with a model asks for.
    fn rare_step(&self, inquiry: &Inquiry, state: &RunState) -> Step {
        match state {
            RunState::Prepare(purpose) => Step::Prepare(Box::new(self.stand(inquiry, *purpose))),
            RunState::Call(purpose) => {
                Step::CallModel(Box::new(model_call(*purpose, inquiry, &self.plan, &self.review)))
            }
            RunState::Tools => self.turn.step(inquiry),
            RunState::Names => Step::Retrieve(
                inquiry.lookup.iter().flat_map(|lookup| lookup.calls(&inquiry.options)).collect(),
            ),
            RunState::Find => Step::Retrieve(inquiry.outgoing(self.plan.searches.calls(inquiry))),
            RunState::Rerank => {
                Step::Rerank { query: inquiry.searchable(&inquiry.query), texts: self.plan.searches.texts() }
            }
            RunState::Quote(_) | RunState::Verify | RunState::Done(_) => self.step(inquiry, state),
        }
    }

    /// Tells whether the question itself is to be searched for before anything is quoted.
    fn must_search(&self, inquiry: &Inquiry) -> bool {
        let own = self.plan.searches.queries();
        inquiry.found.is_empty() || own.is_empty() && !inquiry.is_over_time()
    }

    /// The state of the run as the host is told it, with the purpose of the next call.
    fn stand(&self, inquiry: &Inquiry, purpose: Purpose) -> StepState {
        let next = model_call(purpose, inquiry, &self.plan, &self.review);
        StepState {
            question: inquiry.question.clone(),
            purpose,
            turn: inquiry.turn(),
            progress: inquiry.progress.clone(),
            sources: inquiry.conversation.register.sources().len(),
            messages: next.request.messages,
        }
    }

    /// Hands the model's reply to the machine that has asked for it; in its turn the model had tools of these
    /// names.
    pub(super) fn replied(
        &mut self,
        inquiry: &mut Inquiry,
        purpose: Purpose,
        reply: ModelReply,
        tools: &[String],
    ) -> Next {
        let Self { plan, turn, review } = self;
        match purpose {
            Purpose::Answer if inquiry.options.policy != Policy::Classic => {
                match turn.replied(inquiry, reply, tools) {
                    Next::Review(draft) if !tools.is_empty() && inquiry.is_unsearched() => {
                        plan.search_first(inquiry, draft)
                    }
                    next => next,
                }
            }
            Purpose::Answer | Purpose::Synthesize | Purpose::Assess => plan.written(inquiry, purpose, &reply),
            Purpose::Rewrite => plan.rewritten(inquiry, &reply.text),
            Purpose::Classify => plan.classified(inquiry, &reply.text),
            Purpose::Decompose => plan.decomposed(inquiry, &reply.text),
            Purpose::Reflect => plan.reflected(inquiry, &reply.text),
            Purpose::Judge => review.judgement(inquiry, &reply.text),
            Purpose::Revise => review.revised(inquiry, &reply.text, reply.finish_reason),
            Purpose::Format | Purpose::Repair => review.formatted(inquiry, &reply.text),
        }
    }

    /// Hands the outcome of a search to the machine that has asked for it. The error is the run's where it
    /// cannot do without.
    pub(super) fn searched(
        &mut self,
        inquiry: &mut Inquiry,
        state: &RunState,
        outcome: SearchOutcome<'_>,
    ) -> Result<Next> {
        match state {
            RunState::Quote(instead) if outcome.id == quote::QUOTE_ID => {
                quote::found(inquiry, outcome.hits, instead.as_ref())
            }
            _ => rarely_searched(self, inquiry, state, outcome),
        }
    }

    fn rarely_searched(
        &mut self,
        inquiry: &mut Inquiry,
        state: &RunState,
        outcome: SearchOutcome<'_>,
    ) -> Result<Next> {
        match state {
            RunState::Names => {
                let all = inquiry.looked_up(outcome)?;
                Ok(if all { self.plan.start(inquiry) } else { Next::Wait(RunState::Names) })
            }
            RunState::Tools => self.turn.searched(inquiry, outcome),
            RunState::Find => self.plan.searched(inquiry, outcome),
            _ => Err(outcome.hits.err().unwrap_or_else(|| out_of_turn("the hits of a search"))),
        }
    }

    /// Enters the state that a way leads to.
    pub(super) fn reach(&mut self, inquiry: &mut Inquiry, next: Next) -> RunState {
        let next = match next {
            // The host may change the call first.
            Next::Wait(RunState::Call(purpose)) if inquiry.options.prepare_step => {
                return RunState::Prepare(purpose);
            }
            Next::Wait(state) => return state,
            // The model's last search need not be the question.
            Next::Unanswered(why) if self.must_search(inquiry) => return RunState::Quote(Some(why)),
            Next::Unanswered(why) => quote::quote(inquiry, &inquiry.best_found(), Some(&why)),
            other => rare_way(self, inquiry, other),
        };
        self.reach(inquiry, next)
    }

    fn rare_way(&mut self, inquiry: &mut Inquiry, next: Next) -> Next {
        match next {
            Next::Assess => self.plan.assess(inquiry),
            Next::Review(draft) => self.review.begin(inquiry, draft),
            other => other,
        }
    }
}
