//! An answer that somebody hands over to be checked: its text and its sources. Claims, citations and flags are
//! computed anew, since a file may say anything about them.

use std::collections::HashSet;

use serde_json::Value;

use super::source::Source;
use ibid_platform::json;
use ibid_platform::{Error, ErrorCode, Result};

/// An answer that somebody hands over to be checked: of this program, or of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// Its content.
    pub text: String,
    /// Its sources. What they lack besides number and text is as it is by default.
    pub sources: Vec<Source>,
}

impl Given {
    /// Reads a JSON object with `text` and `sources`; of each source, `number` and `text` are needed.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidDocument`], with what is wrong with it.
    pub fn read(answer: &str) -> Result<Self> {
        read(answer).map_err(|what| {
            Error::new(ErrorCode::InvalidDocument, format!("This is not an answer: {what}.")).with_hint(
                "Use an object with `text` and `sources`, such as the output of `ibid ask --json`.",
            )
        })
    }
}

fn read(answer: &str) -> std::result::Result<Given, String> {
    let value = json::parse(answer).map_err(|error| format!("it is not JSON ({error})"))?;
    let Value::Object(mut fields) = value else { return Err("it is not a JSON object".to_owned()) };
    let Some(Value::String(text)) = fields.remove("text") else {
        return Err("it has no `text`".to_owned());
    };
    let Some(Value::Array(values)) = fields.remove("sources") else {
        return Err("it has no list of `sources`".to_owned());
    };
    let mut sources = Vec::new();
    let mut numbers = HashSet::new();
    for (at, value) in (1..).zip(values) {
        let source = source(value).map_err(|what| format!("source {at} of the list {what}"))?;
        if !numbers.insert(source.number) {
            return Err(format!("two sources have the number {}", source.number));
        }
        sources.push(source);
    }
    Ok(Given { text, sources })
}

/// Reads a source with what is there of it: number and text are needed, the rest helps.
fn source(value: Value) -> std::result::Result<Source, String> {
    if !value.get("number").is_some_and(Value::is_u64) {
        return Err("has no `number`".to_owned());
    }
    if !value.get("text").is_some_and(Value::is_string) {
        return Err("has no `text`".to_owned());
    }
    let unreadable = |error| format!("cannot be read ({error})");
    // What another program has left out is taken for empty.
    let mut whole = json::tree(&Source::default()).map_err(unreadable)?;
    if let (Value::Object(whole), Value::Object(given)) = (&mut whole, value) {
        given.into_iter().for_each(|(name, value)| drop(whole.insert(name, value)));
    }
    json::of(whole).map_err(unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_answer_is_told() {
        for (text, what) in [
            ("not json", "not JSON"),
            ("[]", "not a JSON object"),
            ("{}", "no `text`"),
            (r#"{"text": "A."}"#, "no list of `sources`"),
            (r#"{"text": "A.", "sources": [{"text": "B"}]}"#, "source 1 of the list has no `number`"),
            (r#"{"text": "A.", "sources": [{"number": 1}]}"#, "has no `text`"),
            (r#"{"text": "A.", "sources": [{"number": 1, "text": "B", "line": "x"}]}"#, "cannot be read"),
            (
                r#"{"text": "A.", "sources": [{"number": 1, "text": "B"}, {"number": 1, "text": "C"}]}"#,
                "the number 1",
            ),
        ] {
            let error = Given::read(text).unwrap_err();
            assert!(error.message().contains(what), "{error}");
            assert_eq!(error.code(), ErrorCode::InvalidDocument);
        }
    }

    #[test]
    fn number_and_text_are_enough() {
        let given = Given::read(r#"{"text": "A [7].", "sources": [{"number": 7, "text": "B"}], "flags": 5}"#)
            .unwrap();
        assert_eq!((given.sources[0].number, given.sources[0].hit.text.as_str()), (7, "B"));
    }
}
