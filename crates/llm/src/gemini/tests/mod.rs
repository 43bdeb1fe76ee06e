//! What the tests of the format have in common.

#![allow(clippy::needless_pass_by_value, reason = "literals read best without a reference")]

mod requests;
mod streams;

use serde_json::{Value, json};

use super::SIGNED_TEXT;
use crate::testing::{Tested, assistant as said, result, sse, system, tool, tools, user};
use crate::{
    ChatRequest, FinishReason, Message, ModelReply, OutputForm, Provider, ProviderKind, ReasoningEffort,
    ReplyPart, ToolCall, ToolChoice, Usage, encode,
};
use ibid_platform::ErrorCode;

fn tested(model: &str) -> Tested {
    Tested(Provider::of(ProviderKind::Gemini, model).unwrap().with_api_key("AI-secret-key"))
}

/// The contents sent to a model for those messages.
fn contents(model: &str, messages: Vec<Message>) -> Value {
    tested(model).body(&ChatRequest { messages, ..ChatRequest::default() })["contents"].clone()
}

fn call(id: &str, name: &str, signature: Option<&str>) -> ToolCall {
    let extra = signature.map(|signature| json!({"google": {"thought_signature": signature}}));
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: r#"{"q":1}"#.to_owned(), extra }
}

fn reply(chunks: &[Value]) -> ModelReply {
    tested("gemini-2.5-flash").reply(&sse(chunks))
}

fn chunk(parts: Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}], "modelVersion": "g"})
}

fn finish(reason: &str) -> Value {
    json!({"candidates": [{"content": {}, "finishReason": reason}]})
}
