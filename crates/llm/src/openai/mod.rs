//! The Chat Completions format: `POST {base}/chat/completions`, streamed as server-sent events.
//!
//! `OpenAI` made it; Groq, Mistral, xAI, Gemini's compatible endpoint, llama.cpp, Ollama, vLLM and others speak it, each
//! with its own liberties. The request has only what all of them take, and [`ChatCompletions`] accepts what any of them was
//! seen to send.

mod decode;
mod encode;

#[cfg(test)]
mod tests;

pub(super) use decode::{ChatCompletions, usage};
pub(super) use encode::encode;
