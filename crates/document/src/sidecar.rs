//! Metadata from TOML and JSON, and from a file beside a document.

use std::str::FromStr;

use toml::Value as Toml;

use super::{Date, MetadataValue, Warning, front_matter, invalid};
use ibid_platform::Result;

/// Fields in the order in which they were read.
pub(super) type SidecarFields = Vec<(String, MetadataValue)>;

/// What a sidecar's name ends in, behind the whole name of its document: `guide.md.meta.yaml`.
pub const SIDECAR_ENDINGS: [&str; 4] = [".meta.yaml", ".meta.yml", ".meta.toml", ".meta.json"];

/// Reads a sidecar by the ending of its name.
pub(super) fn read(name: &str, text: &str, warnings: &mut Vec<Warning>) -> Result<SidecarFields> {
    let lower = name.to_ascii_lowercase();
    match SIDECAR_ENDINGS.iter().position(|ending| lower.ends_with(ending)) {
        Some(0 | 1) => front_matter::read_yaml(name, text, warnings),
        Some(2) => read_toml(name, text, warnings),
        Some(_) => read_json(name, text, warnings),
        None => Err(invalid(name, "its name is not that of a sidecar")
            .with_hint("Sidecars end in .meta.yaml, .meta.yml, .meta.toml or .meta.json.")),
    }
}

/// Reads TOML; the `toml` crate bounds how deep it nests.
pub(super) fn read_toml(name: &str, text: &str, warnings: &mut Vec<Warning>) -> Result<SidecarFields> {
    let table = toml::Table::from_str(text)
        .map_err(|error| invalid(name, &format!("its metadata is not TOML ({})", error.message())))?;
    let mut fields = SidecarFields::new();
    for (key, value) in table {
        let found = match value {
            Toml::Array(items) => items
                .into_iter()
                .map(|item| toml_scalar(item).map(|value| value.to_string()))
                .collect::<Option<_>>()
                .map(MetadataValue::Keywords),
            value => toml_scalar(value),
        };
        keep(key, found, &mut fields, warnings);
    }
    Ok(fields)
}

fn toml_scalar(value: Toml) -> Option<MetadataValue> {
    match value {
        Toml::String(text) => Some(MetadataValue::Keyword(text)),
        Toml::Integer(number) => Some(MetadataValue::Integer(number)),
        Toml::Float(number) => number.is_finite().then_some(MetadataValue::Float(number)),
        Toml::Boolean(flag) => Some(MetadataValue::Boolean(flag)),
        Toml::Datetime(time) => Some(match time.date {
            Some(date) => MetadataValue::Date(Date::new(date.year, Some(date.month), Some(date.day))?),
            None => MetadataValue::Keyword(time.to_string()),
        }),
        Toml::Array(_) | Toml::Table(_) => None,
    }
}

/// Reads a JSON object; `serde_json` bounds how deep it nests.
fn read_json(name: &str, text: &str, warnings: &mut Vec<Warning>) -> Result<SidecarFields> {
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text)
        .map_err(|error| invalid(name, &format!("its metadata is not a JSON object ({error})")))?;
    let mut fields = SidecarFields::new();
    for (key, value) in object {
        if !value.is_null() {
            keep(key, json_value(value), &mut fields, warnings);
        }
    }
    Ok(fields)
}

/// A value from JSON, in which a date is a text of the form `2026-03-01`. `None` for what is nested, and for `null`.
pub(super) fn json_value(value: serde_json::Value) -> Option<MetadataValue> {
    use serde_json::Value as Json;
    match value {
        Json::Array(items) => items
            .into_iter()
            .map(|item| json_value(item).filter(|item| !matches!(item, MetadataValue::Keywords(_))))
            .map(|item| item.map(|item| item.to_string()))
            .collect::<Option<_>>()
            .map(MetadataValue::Keywords),
        Json::String(text) => {
            let date = if text.len() == "2026-03-01".len() { text.parse().ok() } else { None };
            Some(date.map_or(MetadataValue::Keyword(text), MetadataValue::Date))
        }
        Json::Bool(flag) => Some(MetadataValue::Boolean(flag)),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Some(MetadataValue::Integer(number)),
            None => number.as_f64().filter(|number| number.is_finite()).map(MetadataValue::Float),
        },
        Json::Null | Json::Object(_) => None,
    }
}

fn keep(name: String, value: Option<MetadataValue>, fields: &mut SidecarFields, warnings: &mut Vec<Warning>) {
    match value {
        Some(value) => fields.push((name, value)),
        None => warnings.push(front_matter::nested(&name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toml_keeps_its_types() {
        let mut warnings = Vec::new();
        let text = "a = 1\nb = 1.5\nc = 2026-03-01T10:00:00Z\nd = [1, 'x']\ne = true\n[extra]\nf = 1\n";
        let fields = read_toml("a.md", text, &mut warnings).unwrap();
        let expected = [
            ("a", MetadataValue::Integer(1)),
            ("b", MetadataValue::Float(1.5)),
            ("c", MetadataValue::Date("2026-03-01".parse().unwrap())),
            ("d", MetadataValue::Keywords(vec!["1".into(), "x".into()])),
            ("e", MetadataValue::Boolean(true)),
        ];
        assert_eq!(fields, expected.map(|(name, value)| (name.to_owned(), value)));
        assert_eq!(warnings.len(), 1);
    }

    #[test]
    fn nesting_without_end_is_an_error() {
        for (name, text) in
            [("a.meta.toml", "a = ".to_owned() + &"[".repeat(60_000)), ("a.meta.json", "[".repeat(60_000))]
        {
            assert!(read(name, &text, &mut Vec::new()).is_err());
        }
    }
}
