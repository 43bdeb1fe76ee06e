//! The steps that a run asks for.

use serde::{Deserialize, Serialize};

use super::answer::Answer;
use super::stop::Progress;
use ibid_llm::{ChatRequest, Message, ToolCall, ToolChoice};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::{Hit, Query};

/// A step to be taken next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Hand the changes of the next call of the model to [`AgentRun::prepared`](super::AgentRun::prepared).
    Prepare(Box<StepState>),
    /// Call the model and hand its reply to [`AgentRun::model_replied`](super::AgentRun::model_replied).
    CallModel(Box<ModelCall>),
    /// Make these searches, side by side if possible, and hand the hits of each to
    /// [`AgentRun::retrieved`](super::AgentRun::retrieved).
    Retrieve(Vec<SearchCall>),
    /// The same, and run these tools and hand the result of each to
    /// [`AgentRun::tool_returned`](super::AgentRun::tool_returned).
    CallTools {
        /// The searches.
        searches: Vec<SearchCall>,
        /// The calls of the host's tools.
        tools: Vec<ToolCall>,
    },
    /// Hand a score for each text to [`AgentRun::reranked`](super::AgentRun::reranked).
    Rerank {
        /// The query that the texts were found for.
        query: String,
        /// The texts.
        texts: Vec<String>,
    },
    /// Call [`AgentRun::verify`](super::AgentRun::verify), which takes its time.
    Verify,
    /// Nothing: this is the answer.
    Done(Box<Answer>),
}

/// A call of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelCall {
    /// Its purpose.
    pub purpose: Purpose,
    /// The request that is sent.
    pub request: ChatRequest,
}

/// The purpose of a call of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// To answer, or to call tools.
    Answer,
    /// To make the question into a query.
    Rewrite,
    /// To tell the question's kind.
    Classify,
    /// To take the question apart.
    Decompose,
    /// To answer from what several queries found.
    Synthesize,
    /// To judge the answer.
    Reflect,
    /// To assess a case.
    Assess,
    /// To say which claims their sources support.
    Judge,
    /// To mend an answer that its sources do not support.
    Revise,
    /// To put the answer into the form asked for.
    Format,
    /// To do so again, since the first try did not fit.
    Repair,
}

impl Purpose {
    /// Returns true if the model's words are, or may become, the answer's text.
    pub const fn is_answer(self) -> bool {
        matches!(self, Self::Answer | Self::Synthesize | Self::Assess | Self::Revise)
    }

    /// Returns true if the model has to see the images that the question is about.
    pub(super) const fn is_about_images(self) -> bool {
        matches!(self, Self::Answer | Self::Rewrite | Self::Synthesize | Self::Assess)
    }

    /// Returns true if the model writes the answer's output.
    pub const fn is_output(self) -> bool {
        matches!(self, Self::Format | Self::Repair)
    }

    /// Returns true if a run can do without the reply: without a better query, or with the answer as it is.
    pub(super) const fn is_optional(self) -> bool {
        !matches!(self, Self::Answer | Self::Synthesize | Self::Assess)
    }

    /// Names the step in the trace.
    pub(super) const fn step(self) -> &'static str {
        match self {
            Self::Answer => "model",
            Self::Rewrite => "rewrite",
            Self::Classify => "classify",
            Self::Decompose => "decompose",
            Self::Synthesize => "synthesize",
            Self::Reflect => "reflect",
            Self::Assess => "assess",
            Self::Judge => "judge",
            Self::Revise => "revise",
            Self::Format | Self::Repair => "format",
        }
    }
}

/// A search to be made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchCall {
    /// Names the search within the run.
    pub id: String,
    /// The collection to search; the only one if there is no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// The query.
    pub query: Query,
}

/// The state of a run, for a host that has a say in how it goes on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepState {
    /// The question.
    pub question: String,
    /// The purpose of the next call of the model.
    pub purpose: Purpose,
    /// The turn that is next, from 1.
    pub turn: u32,
    /// The work done so far.
    #[serde(flatten)]
    pub progress: Progress,
    /// The number of sources found.
    pub sources: usize,
    /// The messages that the model is to be called with.
    pub messages: Vec<Message>,
}

/// Changes that a host makes to a call of the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct StepChange {
    /// Another model of the same provider.
    pub model: Option<String>,
    /// The names of the tools that it may use in this turn, among those there are.
    pub tools: Option<Vec<String>>,
    /// The choice between them. In the last turn it has none, whatever this says.
    pub tool_choice: Option<ToolChoice>,
    /// Other standing instructions.
    pub system: Option<String>,
    /// Other messages instead of all but the standing instructions.
    pub messages: Option<Vec<Message>>,
}

/// The outcome of a search: its id, with its hits or the reason why it failed.
pub(super) struct SearchOutcome<'a> {
    pub(super) id: &'a str,
    pub(super) hits: Result<Vec<Hit>>,
}

impl SearchCall {
    /// Makes the id of the search of that place among those of a kind, from 0.
    pub(super) fn id(kind: char, at: usize) -> String {
        format!("{kind}{}", at + 1)
    }

    /// Reads the place that an id stands for.
    pub(super) fn place(kind: char, id: &str) -> Option<usize> {
        id.strip_prefix(kind)?.parse::<usize>().ok()?.checked_sub(1)
    }
}

/// Makes the error of a result that was not awaited.
pub(super) fn out_of_turn(what: &str) -> Error {
    Error::new(ErrorCode::Internal, format!("The run got {what} that it did not request."))
}
