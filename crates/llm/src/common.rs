//! Parts that the requests of several formats have in common.

use serde_json::{Map, Value};

use super::ToolSpec;

/// JSON as `serde_json`'s macro writes it, in a fraction of the code: that one serializes each value and compiles the
/// insertion anew at each field.
macro_rules! json {
    ({ $($fields:tt)* }) => {{
        #[allow(unused_mut, reason = "an object may have no fields")]
        let mut object = serde_json::Map::new();
        $crate::common::fields!(object; $($fields)*);
        serde_json::Value::Object(object)
    }};
    ([]) => { serde_json::Value::Array(Vec::new()) };
    ([{ $($fields:tt)* }]) => { serde_json::Value::Array(vec![$crate::common::json!({ $($fields)* })]) };
    ([$item:expr]) => { serde_json::Value::Array(vec![$crate::common::ToJson::to_json($item)]) };
    ($value:expr) => { $crate::common::ToJson::to_json($value) };
}

/// Puts the fields of an object literal into an object, one by one.
macro_rules! fields {
    ($object:ident;) => {};
    ($object:ident; $name:literal: { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        $crate::common::put(&mut $object, $name, $crate::common::json!({ $($inner)* }));
        $crate::common::fields!($object; $($($rest)*)?);
    };
    ($object:ident; $name:literal: [ $($inner:tt)* ] $(, $($rest:tt)*)?) => {
        $crate::common::put(&mut $object, $name, $crate::common::json!([ $($inner)* ]));
        $crate::common::fields!($object; $($($rest)*)?);
    };
    ($object:ident; $name:literal: $value:expr $(, $($rest:tt)*)?) => {
        $crate::common::put(&mut $object, $name, $crate::common::ToJson::to_json($value));
        $crate::common::fields!($object; $($($rest)*)?);
    };
}

pub(super) use {fields, json};

/// Puts a field into an object.
#[inline(never)]
pub(super) fn put(object: &mut Map<String, Value>, name: &str, value: Value) {
    object.insert(name.to_owned(), value);
}

/// A value as JSON.
pub(super) trait ToJson {
    fn to_json(self) -> Value;
}

impl ToJson for &str {
    #[inline(never)]
    fn to_json(self) -> Value {
        Value::String(self.to_owned())
    }
}

impl ToJson for &String {
    fn to_json(self) -> Value {
        self.as_str().to_json()
    }
}

impl ToJson for &Value {
    fn to_json(self) -> Value {
        self.clone()
    }
}

macro_rules! by_from {
    ($($kind:ty),*) => {
        $(impl ToJson for $kind {
            fn to_json(self) -> Value {
                self.into()
            }
        })*
    };
}

by_from!(Value, String, bool, u32, Map<String, Value>, Vec<Value>);

/// Writes a setting as it is written: widened digit for digit, 0.3 and not 0.30000001192092896.
pub(super) fn number(value: f32) -> Value {
    ((f64::from(value) * 1000.0).round() / 1000.0).into()
}

/// Reads the arguments of a past tool call as a JSON object. What is no object is sent as an empty one, because
/// servers that read them would refuse the whole conversation; the tool's message says what was wrong with
/// them.
pub(super) fn arguments(text: &str) -> Map<String, Value> {
    match ibid_platform::json::parse(text) {
        Ok(Value::Object(arguments)) => arguments,
        _ => Map::new(),
    }
}

/// The name of a past call's tool; servers refuse one without.
pub(super) fn name(name: &str) -> &str {
    if name.is_empty() { "unknown" } else { name }
}

/// Writes a tool as Chat Completions have it, and Ollama after them.
pub(super) fn function(tool: &ToolSpec) -> Value {
    json!({"type": "function", "function": {
        "name": &tool.name, "description": &tool.description, "parameters": &tool.parameters,
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
