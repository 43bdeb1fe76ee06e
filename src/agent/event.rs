//! What happens on the way to an answer, for those who watch.

use serde::{Deserialize, Serialize};

use crate::cite::Source;

/// Something that happened during a run.
///
/// In JSON an event is an object whose `type` is the variant's name in kebab case and whose fields are in camel case,
/// such as `{"type":"retry","attempt":1,"delayMs":2000,"reason":"…"}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum AskEvent {
    /// The model is called. Text of earlier turns was not the answer: what follows starts anew.
    Turn {
        /// The turn, from 1.
        turn: u32,
        /// Whether the model may search in it.
        tools: bool,
    },
    /// More of the turn's text.
    Text {
        /// The text to append.
        delta: String,
    },
    /// A search begins.
    Search {
        /// Names the search within the run.
        id: String,
        /// What is looked for.
        query: String,
        /// The most hits it returns.
        max_results: usize,
    },
    /// A search has ended.
    Sources {
        /// The search.
        id: String,
        /// What was looked for.
        query: String,
        /// What was found, best first.
        sources: Vec<Source>,
    },
    /// The model called a tool in a way that cannot be done. It was told and may try again.
    ToolError {
        /// The tool call.
        id: String,
        /// The tool's name as the model wrote it.
        name: String,
        /// What the model was told.
        message: String,
    },
    /// A call of the model failed and will be made again.
    Retry {
        /// Which retry this is, from 1.
        attempt: u32,
        /// The wait before it in milliseconds.
        delay_ms: u64,
        /// What went wrong.
        reason: String,
    },
}
