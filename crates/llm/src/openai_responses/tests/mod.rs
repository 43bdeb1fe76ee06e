//! What the tests of the format have in common.

#![allow(clippy::needless_pass_by_value, reason = "literals read best without a reference")]

mod any_input;
mod requests;
mod streams;

use serde_json::{Value, json};

use super::ECHO;
use crate::testing;
use crate::{
    ChatRequest, FinishReason, Message, ModelReply, OutputForm, Part, Provider, ProviderKind,
    ReasoningEffort, StreamDecoder, ToolCall, ToolChoice, ToolSpec, Usage, encode,
};
use ibid_platform::{Error, ErrorCode, Result};

fn provider(model: &str) -> Provider {
    Provider::of(ProviderKind::OpenAiResponses, model).unwrap().with_api_key("sk-secret-key")
}

fn body(provider: &Provider, request: &ChatRequest) -> Value {
    serde_json::from_slice(&encode(provider, request).unwrap().body).unwrap()
}

fn decode_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<(Vec<Part>, ModelReply)> {
    testing::decode_pieces(&provider("m"), pieces)
}

fn reply(events: &[Value]) -> ModelReply {
    decode_pieces([stream(events).as_bytes()]).unwrap().1
}

fn error(events: &[Value]) -> Error {
    decode_pieces([stream(events).as_bytes()]).unwrap_err()
}

/// A stream of the events given, each under its type as its name.
fn stream(events: &[Value]) -> String {
    events.iter().fold(String::new(), |text, event| {
        let name = event["type"].as_str().map_or(String::new(), |name| format!("event: {name}\n"));
        text + &format!("{name}data: {event}\n\n")
    })
}

fn event(name: &str, index: u32, fields: Value) -> Value {
    let mut event = json!({"type": format!("response.{name}"), "output_index": index});
    event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    event
}

fn added(index: u32, item: Value) -> Value {
    event("output_item.added", index, json!({"item": item}))
}

fn done(index: u32, item: Value) -> Value {
    event("output_item.done", index, json!({"item": item}))
}

fn text(index: u32, delta: &str) -> Value {
    event("output_text.delta", index, json!({"item_id": "m", "content_index": 0, "delta": delta}))
}

fn completed() -> Value {
    json!({"type": "response.completed", "response": {"status": "completed", "output": [], "usage": null}})
}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": name, "arguments": arguments})
}

fn thought(id: &str) -> Value {
    json!({"type": "reasoning", "id": id, "summary": [], "encrypted_content": "gAAA", "status": null, "content": []})
}

fn past_call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned(), extra: None }
}

/// The input items for one past turn of the model.
fn replayed(content: &str, tool_calls: Vec<ToolCall>, echo: Value) -> Vec<Value> {
    let echo = json!({ECHO: echo}).as_object().unwrap().clone();
    let messages = vec![Message::Assistant { content: content.to_owned(), tool_calls, echo }];
    let request = ChatRequest { messages, ..ChatRequest::default() };
    body(&provider("m"), &request)["input"].as_array().unwrap().clone()
}
