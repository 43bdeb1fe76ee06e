//! The Responses format: `POST {base}/responses`, streamed as server-sent events.
//!
//! `OpenAI` made it to succeed Chat Completions; xAI, `OpenRouter`, llama.cpp, mistral.rs, vLLM and Ollama speak it too. It is
//! used without state: nothing is stored with the provider, and what a model thought before it called a tool goes back
//! to it in encrypted form, as the items that it came in (see [`ECHO`]).

mod decode;
mod encode;

#[cfg(test)]
mod tests;

pub(super) use decode::Responses;
pub(super) use encode::encode;

/// The place where a reply's items are kept in [`ModelReply::echo`](super::ModelReply::echo), in the order they came in: a reasoning
/// item whole, a message as `{type, phase?}` and a call as `{type, call_id}`, since their contents are in the reply itself.
const ECHO: &str = "responses_items";
