//! Reading what a tool is called with. What cannot be read is told in words that a model can act on; nothing is guessed
//! that it would have to know.

use rmcp::model::JsonObject;
use serde_json::Value;

use super::section::{LEAST_LENGTH, MOST_LENGTH, SECTION_LENGTH};
use ibid_index::Filter;

/// The most passages that a search may ask for.
pub(super) const MOST_RESULTS: usize = 20;
/// The passages of a search that says nothing.
pub(super) const RESULTS: usize = 5;
/// The most characters of a query.
pub(super) const MAX_QUERY_CHARS: usize = 1000;
/// The most characters of any other text.
const MAX_NAME_CHARS: usize = 1000;

/// The arguments of `search_documents`.
#[derive(Debug, PartialEq)]
pub(super) struct SearchArguments {
    pub(super) query: String,
    /// 1 to [`MOST_RESULTS`].
    pub(super) max_results: usize,
    pub(super) filter: Option<Filter>,
    pub(super) collection: Option<String>,
}

/// The arguments of `read_section`: a passage or a document, or both where the passage stands in several.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ReadArguments {
    pub(super) passage: Option<u64>,
    pub(super) document: Option<String>,
    pub(super) section: Option<String>,
    /// The first character to return, counted from the beginning of the section.
    pub(super) offset: Option<usize>,
    /// The most characters to return.
    pub(super) max_chars: usize,
    pub(super) collection: Option<String>,
}

/// Reads the arguments of a search, or what to tell the model.
pub(super) fn search(arguments: &JsonObject) -> Result<SearchArguments, String> {
    only(arguments, &["query", "max_results", "filter", "collection"])?;
    let query = text(arguments, "query", MAX_QUERY_CHARS)?
        .ok_or("The argument `query` is missing or empty. Say what to look for.")?;
    let max_results = number(arguments, "max_results")?.map_or(RESULTS, |count| count.clamp(1, MOST_RESULTS));
    Ok(SearchArguments {
        query,
        max_results,
        filter: filter(arguments.get("filter"))?,
        collection: text(arguments, "collection", MAX_NAME_CHARS)?,
    })
}

/// Reads the arguments of reading, or what to tell the model.
pub(super) fn read(arguments: &JsonObject) -> Result<ReadArguments, String> {
    only(arguments, &["passage", "document", "section", "offset", "max_chars", "collection"])?;
    let passage = text(arguments, "passage", MAX_NAME_CHARS)?.as_deref().map(passage_id).transpose()?;
    let document = text(arguments, "document", MAX_NAME_CHARS)?;
    if passage.is_none() && document.is_none() {
        return Err(
            "Name what to read: `passage` (an id from search_documents), or `document`, with `section` \
                    if not all of it is wanted."
                .to_owned(),
        );
    }
    let section = match arguments.get("section") {
        // As results have it, heading by heading.
        Some(Value::Array(path)) => {
            let path: Option<Vec<&str>> = path.iter().map(Value::as_str).collect();
            let path = path.ok_or("The argument `section` must be a text, or a list of headings.")?;
            Some(path.join(" > ")).filter(|path| !path.is_empty())
        }
        _ => text(arguments, "section", MAX_NAME_CHARS)?,
    };
    let max_chars = number(arguments, "max_chars")?.unwrap_or(SECTION_LENGTH);
    Ok(ReadArguments {
        passage,
        document,
        section,
        offset: number(arguments, "offset")?,
        max_chars: max_chars.clamp(LEAST_LENGTH, MOST_LENGTH),
        collection: text(arguments, "collection", MAX_NAME_CHARS)?,
    })
}

/// Refuses arguments that there are not: one that is misspelt would else be left out without a word.
fn only(arguments: &JsonObject, known: &[&str]) -> Result<(), String> {
    match arguments.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => {
            let name: String = name.chars().take(60).collect();
            Err(format!("There is no argument {name:?}. The arguments are: {}.", known.join(", ")))
        }
        None => Ok(()),
    }
}

/// Reads a text without the space around it; nothing for `null` and for an empty one.
fn text(arguments: &JsonObject, name: &str, most: usize) -> Result<Option<String>, String> {
    let text = match arguments.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.trim(),
        Some(_) => return Err(format!("The argument `{name}` must be a text.")),
    };
    if text.chars().count() > most {
        return Err(format!("The argument `{name}` is longer than {most} characters. Make it shorter."));
    }
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

/// Reads a whole number that is not negative. Models write it as text too.
fn number(arguments: &JsonObject, name: &str) -> Result<Option<usize>, String> {
    let number = match arguments.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.trim().parse::<f64>().ok(),
        Some(value) => value.as_f64(),
    };
    let whole = number.filter(|number| number.is_finite() && *number >= 0.0 && number.fract() == 0.0);
    // Numbers that are too large become the largest there is.
    whole
        .map(|number| Some(number as usize))
        .ok_or_else(|| format!("The argument `{name}` must be a whole number that is not negative."))
}

fn filter(value: Option<&Value>) -> Result<Option<Filter>, String> {
    let parsed;
    let value = match value {
        None | Some(Value::Null) => return Ok(None),
        // Some models write objects as text.
        Some(Value::String(text)) if text.trim().is_empty() => return Ok(None),
        Some(Value::String(text)) => {
            parsed = serde_json::from_str(text)
                .map_err(|error| format!("The argument `filter` is not valid JSON ({error})."))?;
            &parsed
        }
        Some(value) => value,
    };
    let filter = Filter::from_json(value).map_err(|error| error.in_words())?;
    Ok(Some(filter).filter(|filter| !filter.is_empty()))
}

fn passage_id(text: &str) -> Result<u64, String> {
    let is_id = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let id = is_id.then(|| u64::from_str_radix(text, 16).ok()).flatten();
    id.ok_or_else(|| {
        "The argument `passage` must be the id of a passage as search_documents returns it: 16 hexadecimal digits."
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> JsonObject {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_search_is_read() {
        let read = search(&object(json!({ "query": " fever " }))).unwrap();
        let plain =
            SearchArguments { query: "fever".to_owned(), max_results: 5, filter: None, collection: None };
        assert_eq!(read, plain);
        for (given, wanted) in
            [(json!(3), 3), (json!("3"), 3), (json!(3.0), 3), (json!(999), 20), (json!(0), 1)]
        {
            let read = search(&object(json!({ "query": "q", "max_results": given }))).unwrap();
            assert_eq!(read.max_results, wanted);
        }
        let filter = json!({ "year": { "gte": 2020 } });
        let same = [filter.clone(), json!(filter.to_string())];
        for given in same {
            let read = search(&object(json!({ "query": "q", "filter": given, "collection": "a" }))).unwrap();
            assert_eq!(read.filter, Some(Filter::from_json(&filter).unwrap()));
            assert_eq!(read.collection.as_deref(), Some("a"));
        }
        for empty in [json!({}), json!(null), json!(" ")] {
            assert_eq!(search(&object(json!({ "query": "q", "filter": empty }))).unwrap().filter, None);
        }
    }

    #[test]
    fn what_is_to_be_read_is_read() {
        let passage = read(&object(json!({ "passage": "00000000000000ff", "offset": "40" }))).unwrap();
        assert_eq!(
            (passage.passage, passage.offset, passage.max_chars),
            (Some(255), Some(40), SECTION_LENGTH)
        );
        let section = read(&object(json!({ "document": "tea.md", "section": ["Tea", "Black"] }))).unwrap();
        assert_eq!(section.section.as_deref(), Some("Tea > Black"));
        let bounded =
            |most: Value| read(&object(json!({ "document": "d", "max_chars": most }))).unwrap().max_chars;
        assert_eq!((bounded(json!(1)), bounded(json!(1e12))), (LEAST_LENGTH, MOST_LENGTH));
    }

    #[test]
    fn what_is_wrong_is_explained() {
        for (arguments, problem) in [
            (json!({}), "`query` is missing"),
            (json!({ "query": "  " }), "`query` is missing"),
            (json!({ "query": 7 }), "`query` must be a text"),
            (json!({ "query": "x".repeat(1001) }), "longer than 1000"),
            (json!({ "query": "q", "filters": {} }), "no argument \"filters\""),
            (json!({ "query": "q", "max_results": "many" }), "whole number"),
            (json!({ "query": "q", "max_results": -1 }), "whole number"),
            (json!({ "query": "q", "max_results": 1.5 }), "whole number"),
            (json!({ "query": "q", "filter": "{" }), "not valid JSON"),
            (json!({ "query": "q", "filter": [1] }), "filter"),
            (json!({ "query": "q", "filter": { "year": { "gte": [] } } }), "year"),
        ] {
            let told = search(&object(arguments.clone())).unwrap_err();
            assert!(told.contains(problem), "{arguments}: {told}");
        }
        for (arguments, problem) in [
            (json!({}), "Name what to read"),
            (json!({ "section": "A" }), "Name what to read"),
            (json!({ "passage": "12" }), "16 hexadecimal digits"),
            (json!({ "passage": "+000000000000000" }), "16 hexadecimal digits"),
            (json!({ "passage": 12 }), "must be a text"),
            (json!({ "document": "d", "section": [1] }), "list of headings"),
            (json!({ "document": "d", "offset": "next" }), "whole number"),
        ] {
            let told = read(&object(arguments.clone())).unwrap_err();
            assert!(told.contains(problem), "{arguments}: {told}");
        }
    }

    proptest! {
        #[test]
        fn any_arguments_are_read_or_explained(name in "[a-z_]{1,12}", text in any::<String>(), number in any::<f64>()) {
            for value in [json!(text), json!(number), json!([text]), json!({ "a": text }), json!(null)] {
                for name in ["query", "max_results", "filter", "passage", "section", "offset", &name] {
                    let arguments = object(json!({ "query": "q", "document": "d", name: value }));
                    let _ = (search(&arguments), read(&arguments));
                }
            }
        }
    }
}
