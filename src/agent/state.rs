//! What a run is waiting for.

use serde::{Deserialize, Serialize};

use super::answer::Answer;
use super::memory::Body;
use super::step::Purpose;
use ibid_llm::{FinishReason, ToolCall};
use ibid_retrieve::Query;

/// A text of the model's that can be the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Draft {
    pub(super) text: String,
    pub(super) finish: FinishReason,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum State {
    /// The host is asked what to change about the call that comes then.
    Prepare(Box<State>),
    /// The model is called, with tools as long as it may have any.
    Turn,
    /// What the model asked for is being done.
    Tools(Vec<Pending>),
    /// The host is asked whether to stop.
    AskStop,
    /// The question is made into a query.
    Rewrite,
    Classify,
    Decompose,
    /// The searches of the plan are being made.
    Find,
    /// What was found is being put in order by the host.
    Rerank,
    /// The model writes an answer from what was found.
    Write(Purpose),
    /// The model judges its answer.
    Reflect,
    /// Sources are looked for that would support these claims, as long as they are there.
    Seek(Vec<Option<String>>),
    /// The model judges claims that computation cannot decide.
    Judge,
    /// The model mends its answer.
    Revise,
    /// The answer is put into the form asked for; with what is wrong with the last try.
    Format(Option<Misfit>),
    /// A search with the question, to be quoted from; with the reason why the model gave no answer, if one was asked.
    Quote(Option<NoAnswer>),
    Done(Box<Answer>),
}

impl State {
    /// What the model is called for in this state, if it is.
    pub(super) fn purpose(&self) -> Option<Purpose> {
        Some(match self {
            Self::Turn => Purpose::Answer,
            Self::Rewrite => Purpose::Rewrite,
            Self::Classify => Purpose::Classify,
            Self::Decompose => Purpose::Decompose,
            Self::Write(purpose) => *purpose,
            Self::Reflect => Purpose::Reflect,
            Self::Judge => Purpose::Judge,
            Self::Revise => Purpose::Revise,
            Self::Format(None) => Purpose::Format,
            Self::Format(Some(_)) => Purpose::Repair,
            _ => return None,
        })
    }
}

/// An output that does not fit its schema.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Misfit {
    pub(super) text: String,
    pub(super) problems: Vec<String>,
}

/// Why the model gave no answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NoAnswer {
    pub(super) finish: FinishReason,
    pub(super) why: String,
}

/// A tool call of the current turn, with its result once there is one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Pending {
    pub(super) call: ToolCall,
    pub(super) kind: PendingKind,
    pub(super) body: Option<Body>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum PendingKind {
    Search(Box<Query>, Option<String>),
    Custom,
    /// It has its result already.
    Settled,
}
