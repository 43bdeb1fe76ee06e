//! What is read of an answer: its text and its sources. Claims, citations and flags are computed anew, since a file may say
//! anything about them.

use std::collections::HashSet;
use std::io::Read;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::super::files;
use crate::cite::Source;
use crate::error::{Error, ErrorCode, Result};

/// The most bytes of a file with an answer. One with fifty long sources has about half a megabyte.
const MAX_BYTES: usize = 64 << 20;

const HINT: &str = "Give the object that `ibid ask --json` prints.";

/// An answer to be checked.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) text: String,
    pub(super) sources: Vec<Source>,
}

impl Given {
    pub(super) fn read(path: &Path) -> Result<Self> {
        Self::parse(&text(path)?, &path.display().to_string())
    }

    fn parse(text: &str, name: &str) -> Result<Self> {
        let invalid = |what: String| {
            Error::new(ErrorCode::InvalidDocument, format!("`{name}` is no answer: {what}.")).with_hint(HINT)
        };
        let value: Value =
            serde_json::from_str(text).map_err(|error| invalid(format!("it is no JSON ({error})")))?;
        let Value::Object(mut fields) = value else { return Err(invalid("it is no JSON object".to_owned())) };
        let Some(Value::String(text)) = fields.remove("text") else {
            return Err(invalid("it has no `text`".to_owned()));
        };
        let Some(Value::Array(values)) = fields.remove("sources") else {
            return Err(invalid("it has no list of `sources`".to_owned()));
        };
        let mut sources = Vec::new();
        let mut numbers = HashSet::new();
        for (at, value) in (1..).zip(values) {
            let source = source(value).map_err(|what| invalid(format!("source {at} of the list {what}")))?;
            if !numbers.insert(source.number) {
                return Err(invalid(format!("two sources have the number {}", source.number)));
            }
            sources.push(source);
        }
        Ok(Self { text, sources })
    }
}

/// A source with what is there of it: number and text are needed, the rest helps.
fn source(value: Value) -> std::result::Result<Source, String> {
    if !value.get("number").is_some_and(Value::is_u64) {
        return Err("has no `number`".to_owned());
    }
    if !value.get("text").is_some_and(Value::is_string) {
        return Err("has no `text`".to_owned());
    }
    // What another program has left out is taken for empty.
    let mut whole =
        serde_json::to_value(Source::default()).map_err(|error| format!("cannot be read ({error})"))?;
    if let (Value::Object(whole), Value::Object(given)) = (&mut whole, value) {
        whole.extend(given);
    }
    Source::deserialize(whole).map_err(|error| format!("cannot be read ({error})"))
}

/// The text of a file, or of standard input.
pub(super) fn text(path: &Path) -> Result<String> {
    let bytes =
        if path.as_os_str() == "-" {
            let mut bytes = Vec::new();
            let most = MAX_BYTES as u64 + 1;
            std::io::stdin().lock().take(most).read_to_end(&mut bytes).map_err(|error| {
                Error::new(ErrorCode::Io, format!("Standard input cannot be read: {error}."))
            })?;
            bytes
        } else {
            files::read(path)?
        };
    let name = path.display();
    if bytes.len() > MAX_BYTES {
        let message = format!("`{name}` has more than {} MB.", MAX_BYTES >> 20);
        return Err(Error::new(ErrorCode::InvalidDocument, message).with_hint(HINT));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::new(ErrorCode::InvalidDocument, format!("`{name}` is no text in UTF-8, from byte {at} on."))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_answer_is_told() {
        for (text, what) in [
            ("not json", "no JSON"),
            ("[]", "no JSON object"),
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
            let error = Given::parse(text, "a.json").unwrap_err();
            assert!(error.message().contains(what) && error.message().contains("a.json"), "{error}");
            assert_eq!(error.code(), ErrorCode::InvalidDocument);
        }
    }

    #[test]
    fn number_and_text_are_enough() {
        let given =
            Given::parse(r#"{"text": "A [7].", "sources": [{"number": 7, "text": "B"}], "flags": 5}"#, "a")
                .unwrap();
        assert_eq!((given.sources[0].number, given.sources[0].hit.text.as_str()), (7, "B"));
    }
}
