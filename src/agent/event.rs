//! Events on the way to an answer, for those who watch.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::guarded::Guarded;
use super::step::Purpose;
use super::trace::TraceStep;
use ibid_trust::cite::Source;

/// Something that happened during a run.
///
/// In JSON an event is an object whose `type` is the variant's name in kebab case and whose fields are in
/// camel case, such as `{"type":"retry","attempt":1,"delayMs":2000,"reason":"…"}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum AskEvent {
    /// The question was looked at; this is the first event.
    Guard {
        /// The guard's verdict.
        guard: Guarded,
    },
    /// The model is called.
    Turn {
        /// The turn, from 1.
        turn: u32,
        /// The purpose of the call.
        purpose: Purpose,
        /// True if the model may call tools in it.
        tools: bool,
    },
    /// More of the answer's text.
    Text {
        /// The text to append.
        delta: String,
        /// True if the answer's text starts anew with this piece: any text before it was a try.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        restart: bool,
    },
    /// The [output](super::Answer::output) as far as the model has written it, not checked against its schema yet.
    Output {
        /// The value so far; one that begins anew takes the place of an earlier try.
        partial: Value,
    },
    /// More of what a reasoning model thinks aloud.
    Reasoning {
        /// The text to append.
        delta: String,
    },
    /// A search begins.
    Search {
        /// Names the search within the run.
        id: String,
        /// The query.
        query: String,
        /// The collection, if there are several.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        collection: Option<String>,
        /// The most hits it returns.
        max_results: usize,
    },
    /// Sources were found. The searches of a pipeline are one, named `selected`.
    Sources {
        /// The search.
        id: String,
        /// The query.
        query: String,
        /// The collection, if there are several.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        collection: Option<String>,
        /// The sources, best first.
        sources: Vec<Source>,
    },
    /// A tool of the host's begins.
    ToolCall {
        /// The tool call.
        id: String,
        /// The tool's name.
        name: String,
        /// Its arguments, as JSON.
        arguments: String,
    },
    /// A tool of the host's has returned.
    ToolResult {
        /// The tool call.
        id: String,
        /// The tool's name.
        name: String,
        /// The text that the model is told.
        content: String,
        /// True if it failed.
        is_error: bool,
    },
    /// The model called a tool in a way that cannot be done. It was told and may try again.
    ToolError {
        /// The tool call.
        id: String,
        /// The tool's name as the model wrote it.
        name: String,
        /// The text that the model was told.
        message: String,
    },
    /// A call of the model failed and will be made again.
    Retry {
        /// The number of the retry, from 1.
        attempt: u32,
        /// The wait before it in milliseconds.
        delay_ms: u64,
        /// The fault of the call before.
        reason: String,
    },
    /// A step has ended.
    Step {
        /// The step.
        step: TraceStep,
    },
}
