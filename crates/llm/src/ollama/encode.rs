//! A conversation as a request of Ollama's chat.

use serde_json::{Map, Value};

use super::THINKING;
use crate::common::{ToJson, arguments, function, json, name, number, put};
use crate::image::images_of;
use crate::{ChatRequest, Message, Provider, ReasoningEffort, ToolCall, ToolChoice, ToolSpec};

/// Writes the body of a request for the conversation's next message.
pub(crate) fn encode(provider: &Provider, request: &ChatRequest) -> Map<String, Value> {
    let model = provider.model_of(request);
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| put(&mut body, name, value);
    set("model", model.into());
    set("stream", true.into());
    set("messages", request.messages.iter().map(|one| message(one, request)).collect());
    let tools: Vec<Value> =
        request.tools.iter().filter(|tool| is_offered(tool, request)).map(function).collect();
    // A form holds the model from its first word on, so that it could not call a tool. While it may, the form has to wait.
    if let Some(form) = request.output.as_ref().filter(|_| tools.is_empty()) {
        set("format", form.schema.clone());
    }
    if !tools.is_empty() {
        set("tools", tools.into());
    }
    if let Some(effort) = provider.reasoning {
        set("think", think(effort, model));
    }
    let mut options = Map::new();
    if let Some(value) = provider.temperature {
        put(&mut options, "temperature", number(value));
    }
    if let Some(limit) = provider.max_tokens {
        put(&mut options, "num_predict", limit.into());
    }
    if !options.is_empty() {
        set("options", options.into());
    }
    body
}

/// Returns true if the model is told of the tool. There is no other way to choose: a tool that is not told of is not called.
fn is_offered(tool: &ToolSpec, request: &ChatRequest) -> bool {
    match &request.tool_choice {
        ToolChoice::Auto | ToolChoice::Required => true,
        ToolChoice::None => false,
        ToolChoice::Tool(name) => tool.name == *name,
    }
}

/// gpt-oss thinks always and knows efforts only; all others know on and off.
fn think(effort: ReasoningEffort, model: &str) -> Value {
    if !model.to_ascii_lowercase().contains("gpt-oss") {
        return (effort != ReasoningEffort::None).into();
    }
    match effort {
        ReasoningEffort::None => ReasoningEffort::Low.word().into(),
        effort => effort.word().into(),
    }
}

fn message(message: &Message, request: &ChatRequest) -> Value {
    match message {
        Message::System { content } => json!({"role": "system", "content": content}),
        Message::User { content } => {
            let mut fields = Map::new();
            put(&mut fields, "role", "user".into());
            put(&mut fields, "content", content.as_str().into());
            let images = images_of(request, message);
            if !images.is_empty() {
                put(
                    &mut fields,
                    "images",
                    images.iter().map(|image| image.data.as_str().to_json()).collect(),
                );
            }
            fields.into()
        }
        Message::Tool { call_id, content, .. } => json!({
            "role": "tool", "tool_name": name(request.tool_of(call_id)), "tool_call_id": call_id, "content": content,
        }),
        Message::Assistant { content, tool_calls, echo } => {
            let mut fields = Map::new();
            put(&mut fields, "role", "assistant".into());
            put(&mut fields, "content", content.as_str().into());
            // What was thought goes on with the tools' results, and is of no use afterwards.
            if !tool_calls.is_empty() {
                if let Some(thoughts) = echo.get(THINKING).filter(|thoughts| thoughts.is_string()) {
                    put(&mut fields, THINKING, thoughts.clone());
                }
                put(&mut fields, "tool_calls", tool_calls.iter().map(tool_call).collect());
            }
            fields.into()
        }
    }
}

fn tool_call(call: &ToolCall) -> Value {
    json!({"id": &call.id, "function": {"name": name(&call.name), "arguments": arguments(&call.arguments)}})
}
