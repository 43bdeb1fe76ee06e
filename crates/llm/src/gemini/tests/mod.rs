//! What the tests of the format have in common.

#![allow(clippy::needless_pass_by_value, reason = "literals read best without a reference")]

mod any_input;
mod requests;
mod streams;

use serde_json::{Value, json};

use super::SIGNED_TEXT;
use crate::testing;
use crate::{
    ChatRequest, FinishReason, Message, ModelReply, OutputForm, Part, Provider, ProviderKind,
    ReasoningEffort, ToolCall, ToolChoice, ToolSpec, Usage, encode,
};
use ibid_platform::{ErrorCode, Result};

fn provider(model: &str) -> Provider {
    Provider::of(ProviderKind::Gemini, model).unwrap().with_api_key("AI-secret-key")
}

fn body(provider: &Provider, request: &ChatRequest) -> Value {
    serde_json::from_slice(&encode(provider, request).unwrap().body).unwrap()
}

/// The contents sent to a model for those messages.
fn contents(model: &str, messages: Vec<Message>) -> Value {
    body(&provider(model), &ChatRequest { messages, ..ChatRequest::default() })["contents"].clone()
}

fn user(content: &str) -> Message {
    Message::User { content: content.to_owned() }
}

fn result(call_id: &str, content: &str) -> Message {
    Message::Tool { call_id: call_id.to_owned(), content: content.to_owned(), is_error: false }
}

fn call(id: &str, name: &str, signature: Option<&str>) -> ToolCall {
    let extra = signature.map(|signature| json!({"google": {"thought_signature": signature}}));
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: r#"{"q":1}"#.to_owned(), extra }
}

fn said(content: &str, tool_calls: Vec<ToolCall>, echo: Value) -> Message {
    let echo = echo.as_object().cloned().unwrap_or_default();
    Message::Assistant { content: content.to_owned(), tool_calls, echo }
}

fn decode_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<(Vec<Part>, ModelReply)> {
    testing::decode_pieces(&provider("gemini-2.5-flash"), pieces)
}

fn reply(chunks: &[Value]) -> ModelReply {
    decode_pieces([stream(chunks).as_bytes()]).unwrap().1
}

fn stream(chunks: &[Value]) -> String {
    chunks.iter().fold(String::new(), |text, chunk| text + &format!("data: {chunk}\r\n\r\n"))
}

fn chunk(parts: Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}], "modelVersion": "g"})
}

fn finish(reason: &str) -> Value {
    json!({"candidates": [{"content": {}, "finishReason": reason}]})
}
