//! Parts that the requests of several formats have in common.

use serde_json::{Map, Value, json};

use super::ToolSpec;
use ibid_platform::json;

/// A setting as it is written: widened digit for digit, 0.3 and not 0.30000001192092896.
pub(super) fn number(value: f32) -> Value {
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
/// the limit of tokens. A model of tomorrow is taken for one of its family: `o` and a number, or GPT from 5 on, of
/// which only the first chat model does not reason.
pub(super) fn is_reasoning_model(model: &str) -> bool {
    let name = model.trim().rsplit('/').next().unwrap_or_default();
    let number = |rest: &str| -> Option<u32> {
        let (digits, rest) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
        (rest.is_empty() || rest.starts_with(['-', '.'])).then(|| digits.parse().ok()).flatten()
    };
    // The series goes up slowly; a large number is another's name.
    name.strip_prefix('o').and_then(number).is_some_and(|number| (1..100).contains(&number))
        || (name.strip_prefix("gpt-").and_then(number).is_some_and(|number| number >= 5)
            && !name.starts_with("gpt-5-chat"))
}
