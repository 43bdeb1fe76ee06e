//! The Chat Completions format: `POST {base}/chat/completions`, streamed as server-sent events.
//!
//! OpenAI made it; Groq, Mistral, xAI, Gemini's compatible endpoint, llama.cpp, Ollama, vLLM and others speak it, each with its own liberties. [`encode`] sends only what all of them take, and [`StreamDecoder`]
//! accepts what any of them was seen to send.

mod decode;
mod encode;
mod tool_calls;

#[cfg(test)]
mod tests;

pub use decode::StreamDecoder;
pub use encode::encode;
