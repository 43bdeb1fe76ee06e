//! A conversation as a Responses request.

use serde_json::{Map, Value};

use super::ECHO;
use crate::common::{arguments, is_reasoning_model, json, name, number};
use crate::image::{content, images_of};
use crate::structured::is_strict;
use crate::{ChatRequest, Message, Provider, ReasoningEffort, ToolCall, ToolChoice};
use ibid_platform::json::{list, text};

/// Writes the body of a request for the conversation's next message.
pub(crate) fn encode(provider: &Provider, request: &ChatRequest) -> Map<String, Value> {
    let model = provider.model_of(request);
    let reasons = is_reasoning_model(model);
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| {
        crate::common::put(&mut body, name, value);
    };
    put("model", model.into());
    put("stream", true.into());
    // What people ask stays with them: nothing is kept for thirty days, as it would be by default.
    put("store", false.into());
    let (instructions, input) = messages(request);
    if !instructions.is_empty() {
        put("instructions", instructions.into());
    }
    put("input", input.into());
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            // Without the word, a tool counts as strict here, and its optional arguments as required.
            json!({
                "type": "function", "name": &tool.name, "description": &tool.description,
                "parameters": &tool.parameters, "strict": is_strict(&tool.parameters),
            })
        });
        put("tools", tools.collect());
        let choice = match &request.tool_choice {
            ToolChoice::Auto => "auto".into(),
            ToolChoice::None => "none".into(),
            ToolChoice::Required => "required".into(),
            ToolChoice::Tool(name) => json!({"type": "function", "name": name}),
        };
        put("tool_choice", choice);
    }
    if let Some(form) = &request.output {
        let strict = is_strict(&form.schema);
        let format =
            json!({"type": "json_schema", "name": &form.name, "schema": &form.schema, "strict": strict});
        put("text", json!({"format": format}));
    }
    if let Some(limit) = provider.max_tokens {
        put("max_output_tokens", limit.into());
    }
    if let Some(value) = provider.temperature.filter(|_| !reasons) {
        put("temperature", number(value));
    }
    match provider.reasoning {
        Some(ReasoningEffort::None) => put("reasoning", json!({"effort": "none"})),
        // Summaries are asked for only with an effort: organizations that are not verified may not have them.
        Some(effort) => put("reasoning", json!({"effort": effort.word(), "summary": "auto"})),
        None => {}
    }
    // Models that do not reason refuse to be asked for their reasoning.
    let effort = provider.reasoning.is_some_and(|effort| effort != ReasoningEffort::None);
    if reasons || effort || model.contains("grok") {
        put("include", json!(["reasoning.encrypted_content"]));
    }
    body
}

/// Writes the instructions that the conversation begins with, and everything after them as items.
fn messages(request: &ChatRequest) -> (String, Vec<Value>) {
    let (mut instructions, mut input) = (String::new(), Vec::new());
    for said in &request.messages {
        match said {
            Message::System { content } if input.is_empty() => {
                if !instructions.is_empty() {
                    instructions.push_str("\n\n");
                }
                instructions.push_str(content);
            }
            Message::System { content } => input.push(message("system", content.as_str().into())),
            Message::User { content: text } => {
                let images = images_of(request, said).iter();
                let parts = images.map(|image| json!({"type": "input_image", "image_url": image.data_url()}));
                input.push(message("user", content(text, "input_text", parts.collect())));
            }
            Message::Assistant { content, tool_calls, echo } => {
                assistant(content, tool_calls, echo, &mut input);
            }
            Message::Tool { call_id, content, .. } => {
                input.push(json!({"type": "function_call_output", "call_id": call_id, "output": content}));
            }
        }
    }
    (instructions, input)
}

fn message(role: &str, content: Value) -> Value {
    json!({"type": "message", "role": role, "content": content})
}

/// Writes the words of the model, as the items that it came in, as far as they are known; else the text before the calls.
///
/// Reasoning goes back only with tool calls, because afterwards it is of no use to the model. It is refused without the
/// item that it led to, and so it goes where that goes.
fn assistant(content: &str, calls: &[ToolCall], echo: &Map<String, Value>, input: &mut Vec<Value>) {
    let mut content = Some(content).filter(|content| !content.is_empty());
    let mut calls: Vec<&ToolCall> = calls.iter().collect();
    let with_calls = !calls.is_empty();
    let mut reasoning = Vec::new();
    for item in echo.get(ECHO).and_then(Value::as_array).into_iter().flatten() {
        let led_to = match text(item, "type") {
            Some("reasoning") => {
                reasoning.extend(with_calls.then(|| item.clone()));
                continue;
            }
            Some("message") => content.take().map(|content| {
                let mut message = message("assistant", content.into());
                if let Some(phase) = text(item, "phase") {
                    message["phase"] = phase.into();
                }
                message
            }),
            Some("function_call") => {
                let at = calls.iter().position(|call| Some(call.id.as_str()) == text(item, "call_id"));
                at.map(|at| function_call(calls.remove(at)))
            }
            _ => None,
        };
        if led_to.is_some() {
            input.append(&mut reasoning);
            input.extend(led_to);
        } else {
            reasoning.clear();
        }
    }
    input.append(&mut reasoning);
    input.extend(content.map(|content| message("assistant", content.into())));
    input.extend(calls.into_iter().map(function_call));
}

fn function_call(call: &ToolCall) -> Value {
    json!({
        "type": "function_call", "call_id": &call.id, "name": name(&call.name),
        "arguments": Value::Object(arguments(&call.arguments)).to_string(),
    })
}

/// Writes the parts of a reasoning item that go back; nothing for one that the provider could only look up in its store.
pub(super) fn reasoning(item: &Value) -> Option<Value> {
    text(item, "encrypted_content").or_else(|| list(item, "content").first().map(|_| ""))?;
    let mut item = item.as_object()?.clone();
    // Its status is no input, and neither are the nulls and empty lists that some send back.
    item.retain(|name, value| {
        name == "summary" || !(name == "status" || value.is_null() || *value == json!([]))
    });
    item.entry("summary").or_insert_with(|| json!([]));
    Some(Value::Object(item))
}
