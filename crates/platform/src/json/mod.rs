//! Types from and to JSON in as little code as it goes, and lenient access to JSON that others wrote, in which a field of an
//! unexpected type counts as absent.
//!
//! Serde compiles a type once more for each way to read or write it. So everything is read from a tree and written as text,
//! with the other forms made of these; that is slower, and the module that answers questions is a twelfth smaller.

mod fields;
mod reader;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Result, Value};

pub use fields::{Fields, by_fields, by_name};

/// JSON as a tree. Halves of characters, which JavaScript's strings may hold, are U+FFFD.
pub fn parse(text: &str) -> Result<Value> {
    super::surrogate::parse(text)
}

/// Reads JSON.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T> {
    of(parse(text)?)
}

/// Returns the content of a tree of JSON.
pub fn of<T: DeserializeOwned>(value: Value) -> Result<T> {
    T::deserialize(reader::TreeReader(value))
}

/// Returns the value as a tree of JSON.
pub fn tree(value: &impl Serialize) -> Result<Value> {
    serde_json::from_slice(&serde_json::to_vec(value)?)
}

/// Returns an object of these fields; of those of the same name the last counts.
pub fn object(fields: impl IntoIterator<Item = (String, Value)>) -> Map<String, Value> {
    let mut object = Map::new();
    for (name, value) in fields {
        object.insert(name, value);
    }
    object
}

/// Returns the text at `key`, unless it is absent, no string or empty.
pub fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// Returns the whole number at `key`; a number written as `3.0` counts too.
pub fn number(value: &Value, key: &str) -> Option<u64> {
    let value = value.get(key)?;
    value.as_u64().or_else(|| {
        value
            .as_f64()
            .filter(|number| number.fract() == 0.0 && (0.0..9.0e15).contains(number))
            .map(|number| number as u64)
    })
}

/// Returns the elements at `key`, none if it is absent or no array.
pub fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the value at `key`, unless it is absent or null.
pub fn present<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    value.get(key).filter(|value| !value.is_null())
}
