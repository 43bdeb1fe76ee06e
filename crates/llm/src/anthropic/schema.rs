//! JSON Schemas as the API takes them.
//!
//! For the form of a reply it takes a part of JSON Schema, and refuses the request for any other keyword. What it does not
//! take is left out: replies are checked against the whole schema when they have come.
//!
//! Spec: <https://platform.claude.com/docs/en/build-with-claude/structured-outputs>, "JSON Schema limitations".

use serde_json::{Map, Value};

use ibid_platform::json;

/// The keywords that are taken as they are.
const PLAIN: [&str; 8] = ["type", "required", "$ref", "description", "title", "default", "enum", "const"];

/// The values of `format` that are taken.
const FORMATS: [&str; 10] =
    ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

/// The depth to which schemas within schemas are looked at.
const MAX_DEPTH: usize = 64;

/// Writes the schema of a reply's form.
///
/// Objects that say nothing of further properties get the `additionalProperties: false` that the API wants. An object that does
/// allow them stays as it is: the API's refusal makes the caller ask in another way, which is better than to forbid what
/// the form is about.
pub(super) fn form(schema: &Value) -> Value {
    normalized(schema, 0)
}

fn normalized(schema: &Value, depth: usize) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    if depth > MAX_DEPTH {
        return schema.clone();
    }
    let inner = |schema: &Value| normalized(schema, depth + 1);
    let mut taken = Map::new();
    for (name, value) in fields {
        let (name, value) = match (name.as_str(), value) {
            ("properties" | "$defs" | "definitions", Value::Object(schemas)) => {
                let schemas = schemas.iter().map(|(name, schema)| (name.clone(), inner(schema)));
                (name.as_str(), Value::Object(json::object(schemas)))
            }
            ("items", value) => ("items", inner(value)),
            ("anyOf" | "allOf", Value::Array(schemas)) => {
                (name.as_str(), schemas.iter().map(inner).collect())
            }
            // That only one may fit is checked when the reply is there.
            ("oneOf", Value::Array(schemas)) => ("anyOf", schemas.iter().map(inner).collect()),
            ("format", Value::String(format)) if FORMATS.contains(&format.as_str()) => {
                ("format", value.clone())
            }
            ("minItems", value) if value.as_u64().is_some_and(|least| least <= 1) => {
                ("minItems", value.clone())
            }
            ("additionalProperties", value) => ("additionalProperties", value.clone()),
            (name, value) if PLAIN.contains(&name) => (name, value.clone()),
            _ => continue,
        };
        taken.insert(name.to_owned(), value);
    }
    if is_object(&taken) {
        taken.entry("additionalProperties").or_insert(Value::Bool(false));
    }
    Value::Object(taken)
}

/// Writes the schema of a tool's arguments, which has to say that they are an object.
pub(super) fn arguments(schema: &Value) -> Value {
    let mut fields = schema.as_object().cloned().unwrap_or_default();
    if fields.get("type").and_then(Value::as_str) != Some("object") {
        fields.insert("type".to_owned(), "object".into());
    }
    Value::Object(fields)
}

fn is_object(fields: &Map<String, Value>) -> bool {
    match fields.get("type") {
        Some(Value::String(name)) => name == "object",
        Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
        _ => fields.contains_key("properties"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_taken_is_sent() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Dose", "type": "object",
            "properties": {
                "mg": {"type": "number", "minimum": 0, "maximum": 4000, "description": "each"},
                "minimum": {"type": "string", "minLength": 1, "pattern": "^a", "format": "date"},
                "code": {"type": "string", "format": "icd-10"},
                "routes": {"type": "array", "minItems": 1, "maxItems": 3, "uniqueItems": true, "items": {"$ref": "#/$defs/route"}},
                "two": {"type": "array", "minItems": 2, "items": {"enum": ["a", 1]}},
                "either": {"oneOf": [{"type": "null"}, {"type": "object", "properties": {}}]},
            },
            "required": ["mg"],
            "$defs": {"route": {"const": "oral"}},
        });
        assert_eq!(
            form(&schema),
            json!({
                "title": "Dose", "type": "object", "additionalProperties": false,
                "properties": {
                    "mg": {"type": "number", "description": "each"},
                    "minimum": {"type": "string", "format": "date"},
                    "code": {"type": "string"},
                    "routes": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/route"}},
                    "two": {"type": "array", "items": {"enum": ["a", 1]}},
                    "either": {"anyOf": [{"type": "null"}, {"type": "object", "properties": {}, "additionalProperties": false}]},
                },
                "required": ["mg"],
                "$defs": {"route": {"const": "oral"}},
            })
        );
    }

    #[test]
    fn objects_with_free_names_are_left_to_be_refused() {
        let map = json!({"type": ["object", "null"], "additionalProperties": {"type": "string"}});
        assert_eq!(form(&map), map);
        let open = json!({"type": "object", "additionalProperties": true});
        assert_eq!(form(&open), open);
    }

    #[test]
    fn what_is_no_schema_is_survived() {
        for odd in [json!(true), json!(null), json!([]), json!({"properties": 1, "items": [1], "anyOf": {}})]
        {
            let _ = form(&odd);
            assert_eq!(arguments(&odd)["type"], "object");
        }
        let mut deep = json!({"type": "string"});
        for _ in 0..100 {
            deep = json!({"items": deep});
        }
        assert_eq!(form(&deep), deep);
    }

    #[test]
    fn arguments_are_objects() {
        assert_eq!(arguments(&json!({})), json!({"type": "object"}));
        assert_eq!(
            arguments(&json!({"type": "object", "maxProperties": 2})),
            json!({"type": "object", "maxProperties": 2})
        );
    }
}
