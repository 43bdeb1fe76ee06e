//! Arguments of a call that come in pieces: values, each with the JSON Path of its place.

use serde_json::{Map, Value};

use ibid_platform::json::{list, present, text};

/// The most steps of a path, which is how deep arguments may be nested.
const MAX_STEPS: usize = 32;

/// The most bytes of a call's arguments, names of fields included.
const MAX_BYTES: usize = 1 << 20;

/// The arguments as far as they have arrived.
pub(super) struct PartialArgs {
    value: Value,
    bytes: usize,
}

/// One step of a path.
enum ArgumentStep<'a> {
    Field(&'a str),
    Element(usize),
}

impl Default for PartialArgs {
    fn default() -> Self {
        Self { value: Value::Object(Map::new()), bytes: 0 }
    }
}

impl PartialArgs {
    /// Takes in what a chunk says of the arguments: pieces of them, or some of them whole.
    pub(super) fn push(&mut self, call: &Value) {
        for piece in list(call, "partialArgs") {
            self.piece(piece);
        }
        if let (Some(Value::Object(whole)), Value::Object(fields)) = (call.get("args"), &mut self.value) {
            fields.extend(whole.clone());
        }
    }

    fn piece(&mut self, piece: &Value) {
        let Some(path) = text(piece, "jsonPath") else { return };
        let string = piece.get("stringValue").and_then(Value::as_str);
        self.bytes = self.bytes.saturating_add(path.len() + string.map_or(8, str::len));
        if self.bytes > MAX_BYTES {
            return;
        }
        let Some(place) = steps(path).and_then(|steps| place(&mut self.value, &steps)) else { return };
        let value = present(piece, "numberValue").or_else(|| present(piece, "boolValue"));
        match (string, place) {
            (Some(string), Value::String(before)) => before.push_str(string),
            (Some(string), place) => *place = string.into(),
            (None, place) => {
                if let Some(value) = value.filter(|value| value.is_number() || value.is_boolean()) {
                    *place = value.clone();
                } else if piece.get("nullValue").is_some() {
                    *place = Value::Null;
                }
            }
        }
    }

    /// Writes the arguments as JSON. Those that are cut off are no JSON, so that nobody takes them for the whole.
    pub(super) fn finish(self) -> String {
        let mut json = self.value.to_string();
        if self.bytes > MAX_BYTES {
            json.pop();
        }
        json
    }
}

/// Finds the place that the steps lead to, with all that has to be there on the way.
///
/// An array grows by one element at a time; one further on would be out of order, and is passed over.
fn place<'a>(root: &'a mut Value, steps: &[ArgumentStep<'_>]) -> Option<&'a mut Value> {
    let mut place = root;
    for step in steps {
        match step {
            ArgumentStep::Field(name) => {
                if !place.is_object() {
                    *place = Value::Object(Map::new());
                }
                place = place.as_object_mut()?.entry(*name).or_insert(Value::Null);
            }
            ArgumentStep::Element(at) => {
                if !place.is_array() {
                    *place = Value::Array(Vec::new());
                }
                let elements = place.as_array_mut()?;
                if *at == elements.len() {
                    elements.push(Value::Null);
                }
                place = elements.get_mut(*at)?;
            }
        }
    }
    Some(place)
}

/// Reads the steps of a path such as `$.doses[0].mg` or `$['odd name']` (RFC 9535, of which one place is all that is
/// used); nothing for what is no such path.
fn steps(path: &str) -> Option<Vec<ArgumentStep<'_>>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if steps.len() == MAX_STEPS {
            return None;
        }
        let step;
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            (step, rest) = (ArgumentStep::Field(&after[..end]), &after[end..]);
        } else {
            let after = rest.strip_prefix('[')?;
            let quote = after.chars().next().filter(|first| matches!(first, '\'' | '"'));
            if let Some(quote) = quote {
                let (name, after) = after[1..].split_once(quote)?;
                (step, rest) = (ArgumentStep::Field(name), after.strip_prefix(']')?);
            } else {
                let (at, after) = after.split_once(']')?;
                (step, rest) = (ArgumentStep::Element(at.parse().ok()?), after);
            }
        }
        steps.push(step);
    }
    // The root itself is the object of all arguments.
    matches!(steps.first(), Some(ArgumentStep::Field(_))).then_some(steps)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn assembled(pieces: &[Value]) -> Value {
        let mut args = PartialArgs::default();
        for piece in pieces {
            args.push(&json!({"partialArgs": [piece]}));
        }
        serde_json::from_str(&args.finish()).unwrap()
    }

    #[test]
    fn values_find_their_places() {
        let string = |path: &str, value: &str| json!({"jsonPath": path, "stringValue": value});
        assert_eq!(
            assembled(&[
                string("$.q", "Ren"),
                string("$.q", "al"),
                string("$.q", ""),
                json!({"jsonPath": "$.doses[0].mg", "numberValue": 2.5}),
                json!({"jsonPath": "$.doses[0].daily", "boolValue": true}),
                json!({"jsonPath": "$.doses[1]", "nullValue": "NULL_VALUE"}),
                string("$['odd.name'][\"x y\"][0][0]", "deep"),
                json!({"jsonPath": "$.limit", "numberValue": 5}),
            ]),
            json!({"q": "Renal", "doses": [{"mg": 2.5, "daily": true}, null], "limit": 5,
                "odd.name": {"x y": [["deep"]]}})
        );
    }

    #[test]
    fn what_is_no_path_is_passed_over() {
        for path in [
            "",
            "$",
            "q",
            "$q",
            "$[0]",
            "$.a[9]",
            "$.a[",
            "$.a[-1]",
            "$.a['b",
            "$.a['b'",
            "$.a[99999999999999999999]",
        ] {
            let value = assembled(&[json!({"jsonPath": path, "stringValue": "x"})]);
            assert!(!value.to_string().contains('x'), "{path}: {value}");
        }
        let deep = format!("${}", ".a".repeat(MAX_STEPS + 1));
        assert_eq!(assembled(&[json!({"jsonPath": deep, "stringValue": "x"})]), json!({}));
    }

    #[test]
    fn endless_arguments_are_cut_off_and_no_json() {
        let mut args = PartialArgs::default();
        for _ in 0..40 {
            args.push(&json!({"partialArgs": [{"jsonPath": "$.q", "stringValue": "x".repeat(30_000)}]}));
        }
        let json = args.finish();
        assert!(json.len() <= MAX_BYTES + 100 && serde_json::from_str::<Value>(&json).is_err());
    }

    proptest! {
        #[test]
        fn any_path_is_survived(paths in prop::collection::vec("\\$?[.\\[\\]'\"a0-9$é]{0,12}", 0..8)) {
            let pieces: Vec<Value> =
                paths.iter().map(|path| json!({"jsonPath": path, "stringValue": "x"})).collect();
            prop_assert!(assembled(&pieces).is_object());
        }
    }
}
