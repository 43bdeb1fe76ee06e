//! Reading the model's tool calls.

use serde_json::Value;

use crate::llm::ToolCall;

/// The name of the one tool.
pub const SEARCH_TOOL: &str = "search_documents";

/// The most hits a search may ask for.
pub(super) const MOST_RESULTS: usize = 10;

/// The most characters of a query.
const MAX_QUERY_CHARS: usize = 1000;

/// What a call of the search tool asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SearchArguments {
    pub(super) query: String,
    /// 1 to 10, if given.
    pub(super) max_results: Option<usize>,
}

/// The arguments of a search, or what to tell the model.
///
/// The number of results is taken as it can be: models write it as text too, and one out of range is as good as the
/// nearest in it. A query that cannot be had is the model's to mend.
pub(super) fn read(call: &ToolCall) -> Result<SearchArguments, String> {
    if call.name != SEARCH_TOOL {
        let name: String = call.name.chars().take(60).collect();
        return Err(format!("There is no tool named {name:?}. The only tool is {SEARCH_TOOL}."));
    }
    let arguments = parse(&call.arguments).map_err(|problem| {
        format!("The arguments are {problem}. Call {SEARCH_TOOL} again with arguments such as {{\"query\": \"...\"}}.")
    })?;
    let query = match arguments.get("query") {
        Some(Value::String(query)) => query.trim(),
        Some(_) => return Err("The argument query must be a string.".to_owned()),
        None => return Err("The argument query is missing.".to_owned()),
    };
    if query.is_empty() {
        return Err("The argument query is empty. Say what to look for.".to_owned());
    }
    if query.chars().count() > MAX_QUERY_CHARS {
        return Err(format!("The query is longer than {MAX_QUERY_CHARS} characters. Use a few key words."));
    }
    let max_results = arguments.get("max_results").and_then(|value| match value {
        Value::String(text) => text.trim().parse().ok(),
        value => value.as_f64(),
    });
    let max_results = max_results.map(|number: f64| number.clamp(1.0, MOST_RESULTS as f64) as usize);
    Ok(SearchArguments { query: query.to_owned(), max_results: max_results.filter(|count| *count > 0) })
}

/// The arguments as an object, or what they are instead.
fn parse(arguments: &str) -> Result<Value, String> {
    let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
    let not_json = |error: serde_json::Error| format!("not valid JSON ({error})");
    let value: Value = serde_json::from_str(arguments).map_err(not_json)?;
    // Some models encode the object twice.
    let value = match value {
        Value::String(inner) => serde_json::from_str(&inner).map_err(not_json)?,
        value => value,
    };
    match value {
        Value::Object(_) => Ok(value),
        Value::Null => Ok(Value::Object(serde_json::Map::new())),
        _ => Err("not a JSON object".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read_search(arguments: &str) -> Result<SearchArguments, String> {
        read(&ToolCall {
            id: "a".to_owned(),
            name: SEARCH_TOOL.to_owned(),
            arguments: arguments.to_owned(),
            extra: None,
        })
    }

    fn ok(arguments: &str) -> (String, Option<usize>) {
        let read = read_search(arguments).unwrap();
        (read.query, read.max_results)
    }

    #[test]
    fn good_arguments() {
        assert_eq!(ok(r#"{"query":" fever "}"#), ("fever".to_owned(), None));
        for (given, wanted) in
            [("3", 3), ("\"3\"", 3), ("3.0", 3), ("99", 10), ("0", 1), ("-5", 1), ("1e99", 10)]
        {
            let arguments = format!(r#"{{"query":"q","max_results":{given},"other":1}}"#);
            assert_eq!(ok(&arguments).1, Some(wanted), "{given}");
        }
        for given in ["null", "\"many\"", "[]", "\"NaN\""] {
            assert_eq!(ok(&format!(r#"{{"query":"q","max_results":{given}}}"#)).1, None, "{given}");
        }
        assert_eq!(ok(r#""{\"query\":\"twice\"}""#).0, "twice");
    }

    #[test]
    fn bad_arguments_are_explained() {
        for (arguments, problem) in [
            ("{\"query\":\"fe", "not valid JSON"),
            ("\"{\"", "not valid JSON"),
            ("[\"q\"]", "not a JSON object"),
            ("", "query is missing"),
            ("null", "query is missing"),
            ("{}", "query is missing"),
            ("{\"query\":7}", "must be a string"),
            ("{\"query\":\"  \"}", "is empty"),
        ] {
            let told = read_search(arguments).unwrap_err();
            assert!(told.contains(problem), "{arguments}: {told}");
        }
        assert!(
            read_search(&format!("{{\"query\":\"{}\"}}", "x".repeat(1001))).unwrap_err().contains("1000")
        );
        let call = ToolCall {
            id: "a".to_owned(),
            name: "web_search".to_owned(),
            arguments: "{}".to_owned(),
            extra: None,
        };
        assert!(read(&call).unwrap_err().contains("no tool named \"web_search\""));
    }

    proptest! {
        #[test]
        fn any_arguments_are_read_or_explained(arguments in any::<String>()) {
            if let Err(told) = read_search(&arguments) {
                prop_assert!(!told.is_empty() && told.len() < 1000);
            }
        }
    }
}
