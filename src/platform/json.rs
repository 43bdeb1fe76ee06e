//! Lenient access to JSON that others wrote: a field of an unexpected type counts as absent.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads JSON by way of a tree of it. That is slower than reading it into the type at once, and a type that is also read from
/// a tree elsewhere is then compiled once and not twice, which is worth a tenth of the module that answers questions.
/// Halves of characters, which JavaScript's strings may hold, are U+FFFD.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_value(super::surrogate::parse(text)?)
}

/// The text at `key`, unless it is absent, no string or empty.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// The whole number at `key`; a number written as `3.0` counts too.
pub(crate) fn number(value: &Value, key: &str) -> Option<u64> {
    let value = value.get(key)?;
    value.as_u64().or_else(|| {
        value
            .as_f64()
            .filter(|number| number.fract() == 0.0 && (0.0..9.0e15).contains(number))
            .map(|number| number as u64)
    })
}

/// The elements at `key`, none if it is absent or no array.
pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The value at `key`, unless it is absent or null.
pub(crate) fn present<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    value.get(key).filter(|value| !value.is_null())
}
