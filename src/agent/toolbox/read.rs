//! Reading the arguments of the model's tool calls, as leniently as can be.

use serde_json::{Map, Value};

use ibid_platform::json::{self, list};

/// The most entries of a list that are read.
const MAX_ENTRIES: usize = 50;

/// The most characters of an entry of a list.
const MAX_ENTRY_CHARS: usize = 500;

/// The reason why a call is not made, as the model is told it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::agent) struct Refusal(pub(in crate::agent) String);

impl<T: Into<String>> From<T> for Refusal {
    fn from(told: T) -> Self {
        Self(told.into())
    }
}

/// The arguments of a call.
pub(super) struct Arguments<'a>(pub(super) &'a Value);

impl Arguments<'_> {
    /// Reads a text that has to be there.
    pub(super) fn text(&self, name: &str) -> Result<String, Refusal> {
        let problem = match self.0.get(name) {
            Some(Value::String(text)) if !text.trim().is_empty() => return Ok(text.trim().to_owned()),
            Some(Value::String(_)) => "is empty",
            Some(_) => "must be a string",
            None => "is missing",
        };
        Err(Refusal(format!("The argument {name} {problem}.")))
    }

    /// Reads a number, which some models write as a text.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        let number = match self.0.get(name)? {
            Value::String(text) => text.trim().parse().ok(),
            value => value.as_f64(),
        };
        number.filter(|number: &f64| !number.is_nan())
    }

    /// Reads a list of whole numbers from 1; some models write them as texts, with brackets too.
    pub(super) fn numbers(&self, name: &str) -> Vec<u32> {
        let number = |value: &Value| match value {
            Value::String(text) => text.trim_matches(|c: char| !c.is_ascii_digit()).parse().ok(),
            value => value.as_u64().and_then(|number| u32::try_from(number).ok()),
        };
        list(self.0, name).iter().take(MAX_ENTRIES).filter_map(number).filter(|number| *number > 0).collect()
    }

    /// Reads a list of texts; a single text is a list of one.
    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let one = self.0.get(name).filter(|value| value.is_string());
        let entries = one.map_or_else(|| list(self.0, name), std::slice::from_ref);
        let texts = entries.iter().take(MAX_ENTRIES).filter_map(Value::as_str).map(str::trim);
        texts
            .filter(|text| !text.is_empty())
            .map(|text| text.chars().take(MAX_ENTRY_CHARS).collect())
            .collect()
    }

    /// Reads the filter, if there is one that says anything. Fields that are null or empty say nothing, and some
    /// models write the object as a text.
    pub(super) fn filter(&self) -> Result<Option<Value>, Refusal> {
        let refusal = || Refusal("The filter is no JSON object.".to_owned());
        let given = match self.0.get("filter") {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(None),
            Some(Value::String(text)) => json::parse(text).map_err(|_| refusal())?,
            Some(value) => value.clone(),
        };
        let Value::Object(fields) = given else { return Err(refusal()) };
        let says = |value: &Value| match value {
            Value::Null => false,
            Value::String(text) => !text.is_empty(),
            Value::Array(list) => !list.is_empty(),
            Value::Object(fields) => !fields.is_empty(),
            _ => true,
        };
        let fields = json::object(fields.into_iter().filter(|(_, value)| says(value)));
        Ok((!fields.is_empty()).then_some(Value::Object(fields)))
    }
}

/// Reads the arguments of a call of that tool, as an object.
pub(super) fn parse(tool: &str, arguments: &str) -> Result<Value, Refusal> {
    let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
    let refusal = |problem: &str| {
        let again = format!("Call {tool} again with a JSON object as its schema says.");
        Refusal(format!("The arguments are {problem}. {again}"))
    };
    let not_json = |error: serde_json::Error| refusal(&format!("not valid JSON ({error})"));
    let value = json::parse(arguments).map_err(not_json)?;
    // Some models encode the object twice.
    let value = match value {
        Value::String(inner) => json::parse(&inner).map_err(not_json)?,
        value => value,
    };
    match value {
        Value::Object(_) => Ok(value),
        Value::Null => Ok(Value::Object(Map::new())),
        _ => Err(refusal("not a JSON object")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn arguments(text: &str) -> Value {
        parse("f", text).unwrap()
    }

    #[test]
    fn arguments_are_an_object_somehow() {
        assert_eq!(arguments(r#"{"query":"q"}"#), json!({"query": "q"}));
        assert_eq!(arguments(r#""{\"query\":\"twice\"}""#), json!({"query": "twice"}));
        for nothing in ["", "  ", "null", "{}"] {
            assert_eq!(arguments(nothing), json!({}), "{nothing}");
        }
        for (broken, problem) in [
            ("{\"query\":\"fe", "not valid JSON"),
            ("\"{\"", "not valid JSON"),
            ("[\"q\"]", "not a JSON object"),
        ] {
            assert!(parse("f", broken).unwrap_err().0.contains(problem), "{broken}");
        }
    }

    #[test]
    fn values_are_taken_as_they_can_be() {
        let value = json!({"a": " x ", "b": "", "c": 7, "n": "3.0", "m": "NaN", "s": ["[2]", 4, "x", -1, 0], "t": "one",
            "l": ["a", "", 3, "b"]});
        let arguments = Arguments(&value);
        assert_eq!(arguments.text("a").unwrap(), "x");
        for (name, problem) in [("b", "is empty"), ("c", "must be a string"), ("d", "is missing")] {
            assert!(arguments.text(name).unwrap_err().0.contains(problem));
        }
        assert_eq!((arguments.number("n"), arguments.number("m")), (Some(3.0), None));
        assert_eq!(arguments.numbers("s"), [2, 4]);
        assert_eq!(
            (arguments.texts("t"), arguments.texts("l")),
            (vec!["one".to_owned()], vec!["a".to_owned(), "b".to_owned()])
        );
    }

    #[test]
    fn a_filter_that_says_nothing_is_none() {
        for nothing in [
            json!({}),
            json!({"filter": null}),
            json!({"filter": {"year": null, "tag": []}}),
            json!({"filter": ""}),
        ] {
            assert_eq!(Arguments(&nothing).filter(), Ok(None), "{nothing}");
        }
        let one = json!({"filter": "{\"year\": 2020, \"tag\": \"\"}"});
        assert_eq!(Arguments(&one).filter(), Ok(Some(json!({"year": 2020}))));
        assert!(Arguments(&json!({"filter": [1]})).filter().is_err());
    }

    proptest! {
        #[test]
        fn any_arguments_are_read_or_explained(text in any::<String>()) {
            match parse("f", &text) {
                Err(Refusal(told)) => prop_assert!(!told.is_empty() && told.len() < 1000),
                Ok(value) => prop_assert!(value.is_object()),
            }
        }
    }
}
