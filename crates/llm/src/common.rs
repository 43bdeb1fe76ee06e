//! Parts that the requests of several formats have in common.

use serde_json::{Map, Value, json};

use super::ToolSpec;
use ibid_platform::json;

/// A temperature as it is written: widened digit for digit, 0.3 and not 0.30000001192092896.
pub(super) fn temperature(value: f32) -> Value {
    ((f64::from(value) * 1000.0).round() / 1000.0).into()
}

/// The arguments of a past tool call as a JSON object. What is no object is sent as an empty one, because
/// servers that read them would refuse the whole conversation; the tool's message says what was wrong with
/// them.
pub(super) fn arguments(text: &str) -> Map<String, Value> {
    match json::parse(text) {
        Ok(Value::Object(arguments)) => arguments,
        _ => Map::new(),
    }
}

/// The name of a past call's tool; servers refuse one without.
pub(super) fn name(name: &str) -> &str {
    if name.is_empty() { "unknown" } else { name }
}

/// A tool as Chat Completions have it, and Ollama after them.
pub(super) fn function(tool: &ToolSpec) -> Value {
    json!({"type": "function", "function": {
        "name": tool.name, "description": tool.description, "parameters": tool.parameters,
    }})
}

/// True for those of `OpenAI`'s models that reason: they refuse `temperature`, and have their own words for
/// the limit of tokens.
pub(super) fn is_reasoning_model(model: &str) -> bool {
    let name = model.trim().rsplit('/').next().unwrap_or_default();
    let o_series = ["o1", "o3", "o4"]
        .iter()
        .any(|series| name.strip_prefix(series).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')));
    o_series || (name.starts_with("gpt-5") && !name.contains("-chat"))
}
