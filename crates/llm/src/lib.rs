//! Talks to language models: one form for a request, and codecs that turn it into HTTP and back.
//!
//! [`encode`] turns a [`ChatRequest`] for a [`Provider`] into an [`HttpRequest`](ibid_platform::HttpRequest), and
//! [`StreamDecoder`] the bytes of the response, in pieces of any size, into [`ReplyPart`]s and at the end a [`ModelReply`];
//! neither touches the network. [`failure`] turns a refused request into an [`Error`](ibid_platform::Error). A [`Model`] is who
//! replies to a request: [`HttpModel`] calls a provider, with retries and time limits, [`FallbackModels`] calls the next where one
//! fails, and a page may bring its own.
//!
//! | format ([`Api`](ibid_platform::Api)) | room | who speaks it |
//! | --- | --- | --- |
//! | Chat Completions | `openai` | `OpenAI` and most others, local servers too |
//! | Responses | `openai_responses` | `OpenAI`, xAI |
//! | Messages | `anthropic` | Anthropic |
//! | `generateContent` | `gemini` | Google |
//! | Ollama's chat | `ollama` | Ollama |

mod anthropic;
mod call;
mod common;
mod custom;
mod decode;
mod encode;
pub mod failure;
mod fallback;
mod gemini;
mod image;
mod message;
mod ollama;
mod openai;
mod openai_responses;
mod provider;
mod sse;
mod structured;
#[cfg(test)]
mod testing;
mod too_long;

pub use call::{CallEvent, HttpModel, Model};
pub use custom::CustomReply;
pub use decode::StreamDecoder;
pub use encode::encode;
pub use fallback::FallbackModels;
pub use image::Image;
pub use message::{
    ChatRequest, FinishReason, Message, ModelReply, OutputForm, ReplyPart, ToolCall, ToolChoice, ToolSpec,
    Usage,
};
pub use structured::{check as check_schema, partial as partial_json};

pub use provider::{Provider, ReasoningEffort};

pub use ibid_platform::{Endpoint, ProviderKind, RetryPolicy, Secret};
