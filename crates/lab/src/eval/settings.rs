//! Settings of a search, written in one line.

use serde::Serialize;
use serde_json::{Map, Value};

use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::{MAX_LIMIT, Query};

/// Options of a query that are objects: named alone, they are on with all that they have by default.
const OBJECTS: [&str; 3] = ["evidence", "mmr", "nearDuplicates"];
/// Fields of a query that are no settings: they belong to one query, change nothing in what is found, or need a service.
const NO_SETTINGS: [&str; 7] = ["text", "vector", "like", "explain", "facets", "neighbours", "rerank"];
/// The longest label that a table gets.
const LABEL: usize = 60;

/// By what queries are embedded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum EncoderChoice {
    /// The token table that pages have.
    #[default]
    Table,
    /// The transformer that embeds documents.
    Transformer,
}

/// The way to search.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Settings {
    /// The name of them in a table: as written.
    pub(super) label: String,
    pub encoder: EncoderChoice,
    /// A query without its text.
    pub(super) query: Query,
}

impl Settings {
    /// Reads settings: `name=value` with commas between them, the names being those of a query's options in JavaScript.
    ///
    /// Values are JSON, or else text; a name alone switches something on. For shortness, `weight` is the share of words,
    /// `fusion` the kind of fusion, and `encoder` says by what queries are embedded. All that is not said has its default,
    /// but for two: the limit is `k`, and nothing is left out for being of little relevance, because what is measured
    /// is the order.
    pub(super) fn parse(text: &str, k: usize) -> Result<Self> {
        let mut fields = Map::new();
        let mut encoder = EncoderChoice::default();
        for part in split(text) {
            let (name, value) =
                part.split_once('=').map_or((part, None), |(name, value)| (name, Some(value.trim())));
            let name = camel_case(name.trim());
            match (name.as_str(), value) {
                ("encoder", Some("table")) => encoder = EncoderChoice::Table,
                ("encoder", Some("transformer")) => encoder = EncoderChoice::Transformer,
                ("encoder", _) => return Err(wrong(text, "`encoder` is `table` or `transformer`")),
                ("weight", Some(value)) => put(&mut fields, "fusion", "lexicalWeight", plain(value)),
                ("fusion", Some(value)) if !value.starts_with('{') => {
                    put(&mut fields, "fusion", "kind", Value::String(camel_case(value)));
                }
                (name, _) if NO_SETTINGS.contains(&name) => {
                    return Err(wrong(text, &format!("`{name}` is no setting")));
                }
                (name, Some(value)) => match name.split_once('.') {
                    Some((outer, inner)) => put(&mut fields, outer, inner, plain(value)),
                    None => {
                        fields.insert(name.to_owned(), plain(value));
                    }
                },
                (name, None) => {
                    let on =
                        if OBJECTS.contains(&name) { Value::Object(Map::new()) } else { Value::Bool(true) };
                    fields.insert(name.to_owned(), on);
                }
            }
        }
        if let Some(Value::Object(fusion)) = fields.get_mut("fusion") {
            fusion.entry("kind").or_insert_with(|| Value::String("minMax".to_owned()));
        }
        fields.entry("limit").or_insert_with(|| k.into());
        let query: Query =
            serde_json::from_value(Value::Object(fields)).map_err(|error| wrong(text, &error.to_string()))?;
        if !(1..=MAX_LIMIT).contains(&query.limit) {
            return Err(wrong(text, &format!("`limit` must be from 1 to {MAX_LIMIT}")));
        }
        Ok(Self { label: label(text), encoder, query })
    }
}

/// Writes the name of settings in a table.
fn label(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() {
        return "default".to_owned();
    }
    // A bar would end a cell of the table.
    let text = text.replace('|', "/");
    if text.chars().count() <= LABEL {
        return text;
    }
    text.chars().take(LABEL - 1).chain(['…']).collect()
}

/// Splits a text into the parts between commas; those in brackets, braces and quotation marks are none.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    let is_comma = move |c: char| {
        if quoted {
            (quoted, escaped) = (escaped || c != '"', !escaped && c == '\\');
            return false;
        }
        match c {
            '"' => quoted = true,
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    text.split(is_comma).map(str::trim).filter(|part| !part.is_empty())
}

/// Reads a value as JSON if it is some, else as text.
fn plain(value: &str) -> Value {
    serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()))
}

fn put(fields: &mut Map<String, Value>, outer: &str, inner: &str, value: Value) {
    let object = fields.entry(outer).or_insert_with(|| Value::Object(Map::new()));
    if !object.is_object() {
        *object = Value::Object(Map::new());
    }
    if let Value::Object(object) = object {
        object.insert(inner.to_owned(), value);
    }
}

/// `min-relevance` as `minRelevance`, and everything else as it is.
fn camel_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut upper = false;
    for c in name.chars() {
        match c {
            '-' => upper = true,
            c if std::mem::take(&mut upper) => out.extend(c.to_uppercase()),
            c => out.push(c),
        }
    }
    out
}

fn wrong(text: &str, why: &str) -> Error {
    Error::new(ErrorCode::InvalidOption, format!("The settings `{}` cannot be used: {why}.", label(text)))
        .with_hint("Write for instance `mode=hybrid,weight=0.4,encoder=transformer`.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_index::VectorPath;
    use ibid_retrieve::{Fusion, Mode};

    fn min_max(weight: f32) -> Fusion {
        serde_json::from_value(serde_json::json!({"kind": "minMax", "lexicalWeight": weight})).unwrap()
    }

    fn parsed(text: &str) -> Settings {
        Settings::parse(text, 10).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn settings_are_the_options_of_a_query() {
        let default = parsed(" ");
        assert_eq!((default.label.as_str(), default.encoder), ("default", EncoderChoice::Table));
        let expected = Query { limit: 10, ..Query::default() };
        assert_eq!(default.query, expected);

        let settings =
            parsed("mode=hybrid, weight=0.25,encoder=transformer,path=exact,group=2,mmr.lambda=0.5");
        assert_eq!(settings.encoder, EncoderChoice::Transformer);
        assert_eq!(settings.query.mode, Some(Mode::Hybrid));
        assert_eq!(settings.query.fusion, min_max(0.25));
        assert_eq!((settings.query.path, settings.query.group), (Some(VectorPath::Exact), Some(2)));
        assert_eq!(settings.query.mmr.map(|mmr| mmr.lambda.to_string()), Some("0.5".into()));

        assert_eq!(parsed("fusion=rrf").query.fusion, Fusion::Rrf { k: 60.0 });
        assert_eq!(parsed("fusion={\"kind\": \"rrf\", \"k\": 2}").query.fusion, Fusion::Rrf { k: 2.0 });
        assert_eq!(parsed("fusion=min-max").query.fusion, Fusion::default());
        let filtered = parsed("filter={\"year\": [2025, 2026], \"a\": \"x,}\\\",\"},limit=3,mmr");
        assert_eq!((filtered.query.limit, filtered.query.mmr.is_some()), (3, true));
        assert!(filtered.query.filter.is_some());
        assert_eq!(parsed("min-relevance=0.5").query.min_relevance, Some(0.5));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, word) in [
            ("mode=magic", "magic"),
            ("speed=1", "speed"),
            ("encoder=student", "table"),
            ("text=x", "no setting"),
            ("rerank", "no setting"),
            ("limit=0", "1 to 50"),
            ("limit=51", "1 to 50"),
            ("limit=many", "many"),
            ("fusion=rrf,weight=1", "lexicalWeight"),
            ("filter={", "filter"),
        ] {
            let Err(error) = Settings::parse(text, 10) else {
                assert_eq!(text, "filter={", "{text} was accepted");
                continue;
            };
            assert_eq!(error.code(), ErrorCode::InvalidOption);
            assert!(error.message().contains(word) && error.hint().is_some(), "{text}: {error}");
        }
        assert!(Settings::parse(&"[".repeat(100_000), 10).is_err());
    }

    #[test]
    fn labels_fit_into_a_cell() {
        assert_eq!(parsed("filter={\"a\": \"x|y\"}").label, "filter={\"a\": \"x/y\"}");
        let long = parsed(&format!("filter={{\"a\": \"{}\"}}", "x".repeat(100)));
        assert_eq!(long.label.chars().count(), LABEL);
    }
}
