//! The states of a run, and the way from one to the next.
//!
//! Three machines share an [`Inquiry`](super::inquiry::Inquiry), and each decides what comes after its own
//! states:
//!
//! | machine | the run waits for | then for |
//! | --- | --- | --- |
//! | none | `Names`, where a name may be the index's own | the plan |
//! | plan | `Call(Rewrite)` | `Call(Classify)` in a pipeline, else `Find` |
//! | plan | `Call(Classify)` | `Call(Decompose)`, or `Find` for a simple question |
//! | plan | `Call(Decompose)` | `Find` |
//! | plan | `Find` | `Rerank` where the host has a say, else `Call` of the policy's writing |
//! | plan | `Rerank` | `Call(Synthesize)` |
//! | plan | `Call` of writing: `Answer` (classic), `Synthesize`, `Assess` | `Call(Reflect)` in a pipeline, else review |
//! | plan | `Call(Reflect)` | `Find` for what is missing, else review |
//! | turn | `Call(Answer)` | `Tools`, `Find` if nothing was searched for, or review |
//! | turn | `Tools` | `Find` for a case that is assessed, else `Call(Answer)` |
//! | review | `Call(Judge)`, `Call(Revise)` | the next of them that is wanted, each once a draft; then the form |
//! | review | `Verify`, for a long draft | as for a short one, which needs no step of its own |
//! | review | `Call(Format)` | `Call(Repair)` for JSON that does not fit, else `Done` |
//! | review | `Call(Repair)` | `Done` |
//! | none | `Quote` | `Done`, with quotes instead of an answer of the model's |
//!
//! Each `Call` has its `Prepare` before it where the host may change calls. A model that gives no answer,
//! time that is over or a budget that is used up lead to `Quote` or `Done` from anywhere.

use serde::{Deserialize, Serialize};

use super::answer::Answer;
use super::step::Purpose;
use ibid_llm::FinishReason;
use ibid_platform::Error;

/// The thing that a run waits for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum RunState {
    /// What the index says of names in the question.
    Names,
    /// The host's changes of the call that comes then.
    Prepare(Purpose),
    /// The model's reply.
    Call(Purpose),
    /// The results of the tools that the model has called.
    Tools,
    /// The hits of the plan's searches.
    Find,
    /// The host's scores of the plan's hits.
    Rerank,
    /// A long text of the model's that is checked against its sources.
    Verify,
    /// The hits of a search with the question, to be quoted from; with the reason where the model gave no
    /// answer.
    Quote(Option<NoAnswer>),
    /// Nothing.
    Done(Box<Answer>),
}

/// The way that a machine takes out of a state.
pub(super) enum Next {
    /// To a state.
    Wait(RunState),
    /// To the plan, which assesses the case.
    Assess,
    /// To the review, with a text that is the answer unless that finds against it.
    Review(DraftAnswer),
    /// To quotes, since the model gives no answer.
    Unanswered(NoAnswer),
}

impl Next {
    /// The way to a call of the model.
    pub(super) const fn call(purpose: Purpose) -> Self {
        Self::Wait(RunState::Call(purpose))
    }

    /// The way to the end.
    pub(super) fn done(answer: Answer) -> Self {
        Self::Wait(RunState::Done(Box::new(answer)))
    }
}

/// A text of the model's that can be the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DraftAnswer {
    pub(super) text: String,
    pub(super) finish: FinishReason,
}

impl DraftAnswer {
    /// A draft of a reply.
    pub(super) fn new(text: impl Into<String>, finish: FinishReason) -> Self {
        Self { text: text.into(), finish: ended(finish) }
    }
}

/// The reason why the model gave no answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NoAnswer {
    pub(super) finish: FinishReason,
    pub(super) why: String,
}

impl NoAnswer {
    /// The model wrote none.
    pub(super) fn silent(finish: FinishReason) -> Self {
        Self { finish: ended(finish), why: "The model gave no answer.".to_owned() }
    }

    /// The model failed.
    pub(super) fn failed(error: &Error) -> Self {
        Self { finish: FinishReason::Error, why: error.in_words() }
    }

    /// The model was not asked for one.
    pub(super) fn unasked(why: &str) -> Self {
        Self { finish: FinishReason::Stop, why: why.to_owned() }
    }
}

/// Finds the reason why a reply ended. Calls that are not made are none.
fn ended(finish: FinishReason) -> FinishReason {
    if finish == FinishReason::ToolCalls { FinishReason::Stop } else { finish }
}
