//! Anthropic's Messages format: `POST {base}/messages`, streamed as server-sent events.
//!
//! A reply is a list of content blocks, and thinking is among them: signed, and to be handed back as it came, where it came,
//! when tools are used. The blocks are kept for that in [`ModelReply::echo`](super::ModelReply::echo) under [`ECHO`].
//!
//! Spec: <https://platform.claude.com/docs/en/api/messages>.

mod decode;
mod encode;
mod schema;
mod traits;

#[cfg(test)]
mod tests;

pub(super) use decode::Messages;
pub(super) use encode::{HEADERS, encode};

/// The echo's name, which other codecs pass over.
///
/// It is an array of the reply's blocks in their order. Texts and tool calls in it only mark their places, since the message
/// has them itself.
const ECHO: &str = "anthropic_content";
