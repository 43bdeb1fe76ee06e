//! What the tests of the format have in common.

#![allow(clippy::needless_pass_by_value, reason = "literals read best without a reference")]

mod requests;
mod streams;

use serde_json::{Value, json};

use super::ECHO;
use crate::testing::{Tested, assistant, call as past_call, hello, result, sse, system, tool, tools, user};
use crate::{
    ChatRequest, FinishReason, ModelReply, OutputForm, Provider, ProviderKind, ReasoningEffort, ReplyPart,
    StreamDecoder, ToolCall, ToolChoice, Usage, encode,
};
use ibid_platform::{Error, ErrorCode};

fn tested(model: &str) -> Tested {
    Tested(Provider::of(ProviderKind::OpenAiResponses, model).unwrap().with_api_key("sk-secret-key"))
}

fn reply(events: &[Value]) -> ModelReply {
    tested("m").reply(&sse(events))
}

fn error(events: &[Value]) -> Error {
    tested("m").error(&sse(events))
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

/// The input items for one past turn of the model.
fn replayed(content: &str, tool_calls: Vec<ToolCall>, echo: Value) -> Vec<Value> {
    let messages = vec![assistant(content, tool_calls, &json!({ECHO: echo}))];
    let request = ChatRequest { messages, ..ChatRequest::default() };
    tested("m").body(&request)["input"].as_array().unwrap().clone()
}
