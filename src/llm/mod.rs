//! Talking to language models: a request in the crate's own words, and codecs that turn it into HTTP and back.
//!
//! Nothing here touches the network. A codec encodes a [`ChatRequest`] for a [`Provider`] into an
//! [`HttpRequest`](crate::platform::HttpRequest), and decodes the bytes of the response, in pieces of any size, into
//! [`Part`]s and at the end a [`ModelReply`]. [`failure`] turns a refused request into an [`Error`](crate::Error), and
//! [`RetryPolicy`] says whether and when to send it again.
//!
//! There is one codec so far, [`openai`]: the Chat Completions format that most providers and local servers speak.

pub mod failure;
mod message;
pub mod openai;
mod provider;
pub mod sse;

pub use message::{
    ChatRequest, FinishReason, Message, ModelReply, Part, ToolCall, ToolChoice, ToolSpec, Usage,
};
pub use provider::Provider;

pub use crate::platform::{RetryPolicy, Secret};
