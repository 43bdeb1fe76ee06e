//! Holding JSON against a JSON Schema.
//!
//! The vocabulary of draft 2020-12 that providers take for structured output is checked: `type`, `enum`, `const`,
//! `properties`, `required`, `additionalProperties`, `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`, `minLength`,
//! `maxLength`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `anyOf`, `oneOf`, `allOf`, `not`, and `$ref` within
//! the schema. `pattern`, `format` and what else there is are passed over: a library that knows all of it, with the
//! regular expressions it needs, is larger than all codecs together.

use serde_json::Value;

use ibid_platform::json::{list, number};

/// The most problems that are told.
const MAX_PROBLEMS: usize = 10;
/// The depth to which values and references are followed.
const MAX_DEPTH: usize = 64;

/// Returns the faults of a value by a schema, each with its place as a JSON Pointer (RFC 6901); nothing if it fits.
pub fn check(schema: &Value, value: &Value) -> Vec<String> {
    let mut checker = Checker { root: schema, problems: Vec::new(), steps: 0 };
    checker.check(schema, value, "", 0);
    checker.problems
}

struct Checker<'s> {
    root: &'s Value,
    problems: Vec<String>,
    /// Alternatives within alternatives could be tried for ever.
    steps: usize,
}

/// The most schemas that are checked against a value or a part of it.
const MAX_STEPS: usize = 200_000;

impl<'s> Checker<'s> {
    fn problem(&mut self, place: &str, what: impl Into<String>) {
        if self.problems.len() < MAX_PROBLEMS {
            let place = if place.is_empty() { "the value" } else { place };
            self.problems.push(format!("{place} {}", what.into()));
        }
    }

    fn fits(&mut self, schema: &'s Value, value: &Value, depth: usize) -> bool {
        let before = std::mem::take(&mut self.problems);
        self.check(schema, value, "", depth);
        std::mem::replace(&mut self.problems, before).is_empty()
    }

    fn check(&mut self, schema: &'s Value, value: &Value, place: &str, depth: usize) {
        self.steps += 1;
        if self.problems.len() >= MAX_PROBLEMS {
            return;
        }
        if depth > MAX_DEPTH || self.steps > MAX_STEPS {
            return self.problem(place, "is nested too deeply to be checked");
        }
        if schema == &Value::Bool(false) {
            return self.problem(place, "is not allowed");
        }
        let Value::Object(fields) = schema else { return };
        if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
            match reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)) {
                Some(target) => self.check(target, value, place, depth + 1),
                None => self.problem(place, format!("cannot be checked: the schema has no {reference}")),
            }
        }
        if let Some(types) = fields.get("type")
            && !is_of(types, value)
        {
            let types = types.as_str().map_or_else(|| types.to_string(), str::to_owned);
            return self.problem(place, format!("is {}, not {types}", kind(value)));
        }
        if fields.contains_key("enum") && !list(schema, "enum").contains(value) {
            self.problem(place, format!("is none of {}", Value::from(list(schema, "enum").to_vec())));
        }
        if let Some(constant) = fields.get("const").filter(|constant| *constant != value) {
            self.problem(place, format!("is not {constant}"));
        }
        self.combinations(schema, value, place, depth);
        match value {
            Value::Object(_) => self.object(schema, value, place, depth),
            Value::Array(items) => self.array(schema, items, place, depth),
            Value::String(text) => {
                let length = text.chars().count() as u64;
                self.range(schema, length, place, ("minLength", "maxLength"), "characters");
            }
            Value::Number(_) => self.number(schema, value.as_f64().unwrap_or_default(), place),
            _ => {}
        }
    }

    fn combinations(&mut self, schema: &'s Value, value: &Value, place: &str, depth: usize) {
        for inner in list(schema, "allOf") {
            self.check(inner, value, place, depth + 1);
        }
        for (name, exactly) in [("anyOf", false), ("oneOf", true)] {
            let choices = list(schema, name);
            if choices.is_empty() {
                continue;
            }
            let fitting = choices.iter().filter(|inner| self.fits(inner, value, depth + 1)).count();
            if fitting == 0 {
                self.problem(place, format!("fits none of the schema's {name}"));
            } else if exactly && fitting > 1 {
                self.problem(place, format!("fits {fitting} of the schema's {name}, not one"));
            }
        }
        if let Some(inner) = schema.get("not")
            && self.fits(inner, value, depth + 1)
        {
            self.problem(place, "is what the schema excludes");
        }
    }

    fn object(&mut self, schema: &'s Value, value: &Value, place: &str, depth: usize) {
        for name in list(schema, "required").iter().filter_map(Value::as_str) {
            if value.get(name).is_none() {
                self.problem(place, format!("lacks {name:?}"));
            }
        }
        let properties = schema.get("properties");
        let others = schema.get("additionalProperties");
        for (name, inner) in value.as_object().into_iter().flatten() {
            let place = format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"));
            match (properties.and_then(|properties| properties.get(name)), others) {
                (None, Some(Value::Bool(false))) => self.problem(&place, "is not in the schema"),
                (Some(schema), _) | (None, Some(schema)) => self.check(schema, inner, &place, depth + 1),
                (None, None) => {}
            }
        }
    }

    fn array(&mut self, schema: &'s Value, items: &[Value], place: &str, depth: usize) {
        self.range(schema, items.len() as u64, place, ("minItems", "maxItems"), "items");
        let first = list(schema, "prefixItems");
        for (at, item) in items.iter().enumerate() {
            if let Some(schema) = first.get(at).or_else(|| schema.get("items")) {
                self.check(schema, item, &format!("{place}/{at}"), depth + 1);
            }
        }
        let unique = schema.get("uniqueItems") == Some(&Value::Bool(true));
        let mut texts: Vec<String> = items.iter().filter(|_| unique).map(Value::to_string).collect();
        texts.sort_unstable();
        if texts.windows(2).any(|pair| pair[0] == pair[1]) {
            self.problem(place, "has the same item twice");
        }
    }

    fn range(&mut self, schema: &Value, count: u64, place: &str, (least, most): (&str, &str), what: &str) {
        if let Some(least) = number(schema, least).filter(|least| count < *least) {
            self.problem(place, format!("has fewer than {least} {what}"));
        }
        if let Some(most) = number(schema, most).filter(|most| count > *most) {
            self.problem(place, format!("has more than {most} {what}"));
        }
    }

    fn number(&mut self, schema: &Value, value: f64, place: &str) {
        let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
        for (name, broken, what) in [
            ("minimum", bound("minimum").is_some_and(|bound| value < bound), "less than"),
            ("maximum", bound("maximum").is_some_and(|bound| value > bound), "more than"),
            ("exclusiveMinimum", bound("exclusiveMinimum").is_some_and(|bound| value <= bound), "not above"),
            ("exclusiveMaximum", bound("exclusiveMaximum").is_some_and(|bound| value >= bound), "not below"),
        ] {
            if broken {
                self.problem(place, format!("is {what} {}", bound(name).unwrap_or_default()));
            }
        }
        if let Some(step) = bound("multipleOf").filter(|step| *step > 0.0) {
            let times = value / step;
            if (times - times.round()).abs() > 1e-9 * times.abs().max(1.0) {
                self.problem(place, format!("is no multiple of {step}"));
            }
        }
    }
}

fn is_of(types: &Value, value: &Value) -> bool {
    let is = |name: &str| match name {
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        name => kind(value) == name,
    };
    match types {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn fits(schema: &Value, value: &Value) -> bool {
        check(schema, value).is_empty()
    }

    #[test]
    fn each_keyword() {
        for (schema, good, bad) in [
            (json!({"type": "integer"}), json!(3.0), json!(3.5)),
            (json!({"type": ["string", "null"]}), json!(null), json!(1)),
            (json!({"enum": ["a", 1]}), json!(1), json!("b")),
            (json!({"const": {"a": 1}}), json!({"a": 1}), json!({"a": 2})),
            (json!({"minLength": 2, "maxLength": 3}), json!("äö"), json!("ä")),
            (json!({"maxLength": 3}), json!("äöü"), json!("äöüß")),
            (json!({"minimum": 1, "exclusiveMaximum": 2}), json!(1), json!(2)),
            (json!({"multipleOf": 0.1}), json!(0.3), json!(0.35)),
            (json!({"items": {"type": "string"}, "minItems": 1}), json!(["a"]), json!([])),
            (json!({"prefixItems": [{"type": "string"}], "items": false}), json!(["a"]), json!(["a", 1])),
            (json!({"uniqueItems": true}), json!([1, 2]), json!([1, 1])),
            (json!({"required": ["a"]}), json!({"a": null}), json!({"b": 1})),
            (
                json!({"properties": {"a": {"type": "string"}}, "additionalProperties": false}),
                json!({"a": "x"}),
                json!({"b": 1}),
            ),
            (json!({"additionalProperties": {"type": "number"}}), json!({"x": 1}), json!({"x": "1"})),
            (json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), json!("a"), json!(1)),
            (json!({"oneOf": [{"type": "integer"}, {"minimum": 5}]}), json!(3), json!(7)),
            (json!({"allOf": [{"minimum": 1}, {"maximum": 2}]}), json!(2), json!(3)),
            (json!({"not": {"type": "string"}}), json!(1), json!("a")),
            (
                json!({"$ref": "#/$defs/dose", "$defs": {"dose": {"required": ["mg"]}}}),
                json!({"mg": 1}),
                json!({}),
            ),
        ] {
            assert!(fits(&schema, &good), "{schema} takes {good}: {:?}", check(&schema, &good));
            assert!(!fits(&schema, &bad), "{schema} refuses {bad}");
        }
    }

    #[test]
    fn problems_have_their_places() {
        let schema = json!({"type": "object", "properties": {"a/b": {"items": {"type": "integer"}}}});
        assert_eq!(check(&schema, &json!({"a/b": [1, "x"]})), ["/a~1b/1 is string, not integer"]);
        assert_eq!(check(&schema, &json!([])), ["the value is array, not object"]);
        assert_eq!(check(&json!({"items": {"type": "null"}}), &json!(vec![0; 50])).len(), MAX_PROBLEMS);
    }

    #[test]
    fn endless_schemas_end() {
        let endless = json!({"$ref": "#"});
        assert!(!fits(&endless, &json!(1)));
        let branching = json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#"}]});
        assert!(!fits(&branching, &json!(1)));
        assert!(!fits(&json!({"$ref": "https://h/x"}), &json!(1)));
    }

    proptest! {
        #[test]
        fn any_schema_is_survived(
            keyword in prop::sample::select(vec!["type", "enum", "items", "anyOf", "$ref", "required", "minimum", "properties", "not"]),
            leaf in prop::sample::select(vec!["null", "-1", "\"\"", "\"#\"", "[]", "{}", "[null]", "[[]]", "true", "[{\"type\":3}]"]),
            value in prop::sample::select(vec!["null", "1", "\"x\"", "[1]", "{\"a\":{}}"]),
        ) {
            let schema = serde_json::from_str(&format!("{{\"{keyword}\":{leaf}}}")).unwrap();
            let _ = check(&schema, &serde_json::from_str(value).unwrap());
            let _ = is_of(&schema, &schema);
        }
    }
}
