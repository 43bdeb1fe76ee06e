//! Gemini's own format: `POST {base}/models/{model}:streamGenerateContent?alt=sse`.
//!
//! A thinking model signs its tool calls, and refuses a conversation in which they come back without. The signature is
//! kept with the call in the form that Google's Chat Completions endpoint has for it,
//! `{"google": {"thought_signature": ..}}`, so that a conversation may go on by either way. That of a text is kept in
//! [`ModelReply::echo`](super::ModelReply::echo), under [`SIGNED_TEXT`].

mod decode;
mod encode;
mod partial_args;

#[cfg(test)]
mod tests;

pub(super) use decode::GenerateContent;
pub(super) use encode::{encode, path};

/// The place where the last piece of a text that has a signature is kept: `{text, thoughtSignature}`, as it came.
const SIGNED_TEXT: &str = "gemini_signed_text";
