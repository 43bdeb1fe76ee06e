//! Ollama's own chat: `POST {base}/api/chat`, streamed as lines of JSON.
//!
//! It has what its Chat Completions endpoint lacks: switching thinking on and off, and the size of the context by
//! [`Provider::extra_body`](super::Provider::extra_body).
//!
//! Spec: <https://docs.ollama.com/api/chat>.

mod decode;
mod encode;

#[cfg(test)]
mod tests;

pub(super) use decode::Chat;
pub(super) use encode::encode;

/// The field of a message, and of the echo, that has what the model thought.
const THINKING: &str = "thinking";
