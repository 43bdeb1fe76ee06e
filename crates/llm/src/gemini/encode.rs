//! A conversation as a `generateContent` request.

use serde_json::{Map, Value};

use super::SIGNED_TEXT;
use crate::common::{ToJson, arguments, json, name, number, put};
use crate::image::images_of;
use crate::provider::TEMPERATURE;
use crate::{ChatRequest, Image, Message, Provider, ReasoningEffort, ToolCall, ToolChoice, ToolSpec};
use ibid_platform::json::text;

/// The value that Gemini takes in place of a signature that nobody has, since the call was another model's.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// Writes the body of a request for the conversation's next message.
pub(crate) fn encode(provider: &Provider, request: &ChatRequest) -> Map<String, Value> {
    let model = provider.model_of(request);
    let model = GeminiModel { name: model.rsplit('/').next().unwrap_or_default() };
    let mut body = Map::new();
    let mut instructions: Vec<&str> = Vec::new();
    for message in &request.messages {
        if let Message::System { content } = message {
            instructions.push(content);
        }
    }
    let mut contents = Contents::default();
    if model.is_gemma() {
        // Gemma has no place for instructions but the first thing that is said.
        instructions
            .iter()
            .for_each(|instruction| contents.push(Speaker::User, json!({"text": *instruction})));
    } else if !instructions.is_empty() {
        let parts: Vec<Value> = instructions.iter().map(|text| json!({"text": *text})).collect();
        put(&mut body, "systemInstruction", json!({"parts": parts}));
    }
    conversation(request, model, &mut contents);
    put(&mut body, "contents", contents.done.into());
    if !request.tools.is_empty() {
        let functions: Vec<Value> = request.tools.iter().map(function).collect();
        put(&mut body, "tools", json!([{"functionDeclarations": functions}]));
        let calling = match &request.tool_choice {
            ToolChoice::Auto => json!({"mode": "AUTO"}),
            ToolChoice::None => json!({"mode": "NONE"}),
            ToolChoice::Required => json!({"mode": "ANY"}),
            ToolChoice::Tool(name) => json!({"mode": "ANY", "allowedFunctionNames": [name]}),
        };
        put(&mut body, "toolConfig", json!({"functionCallingConfig": calling}));
    }
    let config = generation_config(provider, request, model);
    if !config.is_empty() {
        put(&mut body, "generationConfig", config.into());
    }
    body
}

/// Writes the path of a model's streams; a name may come with its folder.
pub(crate) fn path(model: &str) -> String {
    let folder = if model.contains('/') { "" } else { "models/" };
    format!("{folder}{model}:streamGenerateContent")
}

/// A model by its name, on which depends what it takes.
#[derive(Clone, Copy)]
struct GeminiModel<'a> {
    /// Without the folder that it may have in front.
    name: &'a str,
}

impl GeminiModel<'_> {
    fn is_gemma(self) -> bool {
        self.name.starts_with("gemma")
    }

    /// Reads the whole number of its version, 2 for `gemini-2.5-pro`; none for a name such as `gemini-flash-latest`.
    fn generation(self) -> Option<u32> {
        let rest = self.name.strip_prefix("gemini-")?;
        rest.split(['.', '-']).next()?.parse().ok()
    }

    /// Returns true if it refuses tool calls without a signature; a name without a version is that of the newest.
    fn wants_signatures(self) -> bool {
        self.name.starts_with("gemini") && self.generation().is_none_or(|generation| generation >= 3)
    }
}

fn generation_config(
    provider: &Provider,
    request: &ChatRequest,
    model: GeminiModel<'_>,
) -> Map<String, Value> {
    let mut config = Map::new();
    let mut put = |name: &str, value: Value| {
        put(&mut config, name, value);
    };
    if let Some(limit) = provider.max_tokens {
        put("maxOutputTokens", limit.into());
    }
    // From version 3 on, Google advises against less than 1, which makes the models repeat themselves. Our own default is
    // no reason to go against that; another value is somebody's wish.
    let advised = model.generation().is_some_and(|generation| generation >= 3);
    let wished = provider.temperature.filter(|value| !advised || Some(*value) != TEMPERATURE);
    if let Some(value) = wished {
        put("temperature", number(value));
    }
    if let Some(form) = &request.output {
        put("responseMimeType", "application/json".into());
        put("responseJsonSchema", form.schema.clone());
    }
    if let Some(thinking) = provider.reasoning.and_then(|effort| thinking(model, effort)) {
        put("thinkingConfig", thinking);
    }
    config
}

/// Writes the effort that a model spends on thinking: by a level from version 3 on, by tokens before; older ones do not
/// think and refuse to be told.
fn thinking(model: GeminiModel<'_>, effort: ReasoningEffort) -> Option<Value> {
    let thoughts = effort != ReasoningEffort::None;
    if model.is_gemma() || ["gemini-1", "gemini-2.0"].iter().any(|old| model.name.starts_with(old)) {
        return None;
    }
    if model.generation().is_some_and(|generation| generation >= 3) {
        let minimal =
            ["gemini-3-flash", "gemini-3.1-flash"].iter().any(|flash| model.name.starts_with(flash));
        let level = match effort {
            ReasoningEffort::None if minimal => "minimal",
            ReasoningEffort::None => "low",
            // The first of them knows two levels only.
            ReasoningEffort::Medium if model.name.starts_with("gemini-3-pro") => "high",
            effort => effort.word(),
        };
        return Some(json!({"thinkingLevel": level, "includeThoughts": thoughts}));
    }
    let budget = match effort {
        // The one that cannot be kept from thinking.
        ReasoningEffort::None if model.name.contains("-pro") => 128,
        ReasoningEffort::None => 0,
        ReasoningEffort::Low => 1024,
        ReasoningEffort::Medium => 8192,
        ReasoningEffort::High => 24_576,
    };
    Some(json!({"thinkingBudget": budget, "includeThoughts": thoughts}))
}

/// Writes a tool. Its parameters go under `parametersJsonSchema`, which takes JSON Schema as it is; `parameters` takes a
/// dialect of its own that knows neither `$ref` nor `additionalProperties`.
fn function(tool: &ToolSpec) -> Value {
    let mut function = json!({"name": &tool.name, "description": &tool.description});
    let properties = tool.parameters.get("properties").and_then(Value::as_object);
    // An object without properties is refused as one; a function may have no parameters at all.
    if properties.is_some_and(|properties| !properties.is_empty()) {
        function["parametersJsonSchema"] = tool.parameters.clone();
    }
    function
}

/// The speaker; the results of calls are the user's, but stand alone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    User,
    Results,
    Model,
}

/// The contents so far. What one side says in one go is one content.
#[derive(Default)]
struct Contents {
    done: Vec<Value>,
    last: Option<Speaker>,
}

impl Contents {
    fn push(&mut self, kind: Speaker, part: Value) {
        if self.last != Some(kind) {
            let role = if kind == Speaker::Model { "model" } else { "user" };
            self.done.push(json!({"role": role, "parts": []}));
            self.last = Some(kind);
        }
        if let Some(Value::Array(parts)) = self.done.last_mut().and_then(|content| content.get_mut("parts")) {
            parts.push(part);
        }
    }
}

fn conversation(request: &ChatRequest, model: GeminiModel<'_>, contents: &mut Contents) {
    // The calls of the turn that results belong to: ids that this crate made up are told apart within a turn only.
    let mut calls: &[ToolCall] = &[];
    for message in &request.messages {
        match message {
            Message::System { .. } => {}
            Message::User { content } => {
                contents.push(Speaker::User, json!({"text": content}));
                for Image { media_type, data } in images_of(request, message) {
                    contents
                        .push(Speaker::User, json!({"inlineData": {"mimeType": media_type, "data": data}}));
                }
            }
            Message::Assistant { content, tool_calls, echo } => {
                calls = tool_calls;
                for part in said(content, echo) {
                    contents.push(Speaker::Model, part);
                }
                let signed = tool_calls.iter().any(|call| signature(call).is_some());
                for (n, call) in tool_calls.iter().enumerate() {
                    let missing = (n == 0 && !signed && model.wants_signatures()).then_some(NO_SIGNATURE);
                    contents.push(Speaker::Model, function_call(call, signature(call).or(missing)));
                }
            }
            Message::Tool { call_id, content, is_error } => {
                let of_turn = calls.iter().find(|call| call.id == *call_id);
                let tool = of_turn.map_or_else(|| request.tool_of(call_id), |call| call.name.as_str());
                let key = if *is_error { "error" } else { "output" };
                let mut said = Map::new();
                put(&mut said, key, content.to_json());
                let mut response = json!({"name": name(tool), "response": said});
                put_id(&mut response, call_id);
                contents.push(Speaker::Results, json!({"functionResponse": response}));
            }
        }
    }
}

/// Writes the text of a message, its end apart if that has a signature.
fn said(content: &str, echo: &Map<String, Value>) -> Vec<Value> {
    let signed = echo.get(SIGNED_TEXT).filter(|part| text(part, "thoughtSignature").is_some());
    let end = signed.map(|part| text(part, "text").unwrap_or_default());
    match (end.and_then(|end| content.strip_suffix(end)), signed) {
        (Some(""), Some(part)) => vec![part.clone()],
        (Some(start), Some(part)) => vec![json!({"text": start}), part.clone()],
        _ if content.is_empty() => Vec::new(),
        _ => vec![json!({"text": content})],
    }
}

/// Reads the signature that came with a call.
fn signature(call: &ToolCall) -> Option<&str> {
    text(call.extra.as_ref()?.get("google")?, "thought_signature")
}

fn function_call(call: &ToolCall, signature: Option<&str>) -> Value {
    let mut function = json!({"name": name(&call.name), "args": arguments(&call.arguments)});
    put_id(&mut function, &call.id);
    let mut part = json!({"functionCall": function});
    if let Some(signature) = signature {
        part["thoughtSignature"] = signature.into();
    }
    part
}

/// Writes the id of a call, unless it was made up here; older models and Vertex know no ids and go by the order.
fn put_id(value: &mut Value, id: &str) {
    let made_up = id
        .strip_prefix("call")
        .is_some_and(|rest| rest.len() == 5 && rest.bytes().all(|byte| byte.is_ascii_digit()));
    if !made_up {
        value["id"] = id.into();
    }
}
