//! Questions to try a search with.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Judgements, bad_line, lines, nothing, shown};
use ibid_platform::Result;

const FORM: &str =
    "Each line is an object with `_id` and `text`, such as {\"_id\": \"q1\", \"text\": \"How hot?\"}.";

/// A question to try a search with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Question {
    /// Its id, by which judgements name it.
    pub(crate) id: String,
    /// The text that is searched for.
    pub(crate) text: String,
    /// The texts that answer it, where the file says them; any of them will do.
    pub(crate) answers: Vec<String>,
}

/// Questions, and the judgements that stand next to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Questions {
    /// The questions in their order.
    pub(crate) questions: Vec<Question>,
    /// The judgements in the same lines; empty in a file of BEIR.
    pub(crate) judgements: Judgements,
}

#[derive(Deserialize)]
struct QuestionLine {
    #[serde(rename = "_id", alias = "id")]
    id: Option<QuestionId>,
    #[serde(alias = "query", alias = "question")]
    text: String,
    #[serde(default)]
    relevant: Relevant,
    #[serde(default)]
    answer: Value,
    #[serde(default)]
    metadata: Value,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum QuestionId {
    Text(String),
    Number(serde_json::Number),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Relevant {
    None(()),
    One(String),
    List(Vec<String>),
    Graded(BTreeMap<String, i32>),
}

impl Default for Relevant {
    fn default() -> Self {
        Self::None(())
    }
}

/// Reads questions, one JSON object a line: BEIR's `queries.jsonl` with `_id` and `text`, where `relevant` may say what
/// is relevant: a name, a list of names, or an object with grades, and `answer`, or `answer` in `metadata`, the text that
/// answers, or a list of such texts. A line without `_id` has its number as id. Further fields are passed over.
///
/// `file` names the text in errors.
///
/// # Errors
/// [`ErrorCode::InvalidDocument`](ibid_platform::ErrorCode::InvalidDocument) naming the line that is no such object, has no
/// text, or the id of an earlier one; and when there is no question at all.
pub(crate) fn parse_questions(file: &str, text: &str) -> Result<Questions> {
    let mut parsed = Questions::default();
    let mut ids = HashSet::new();
    for (number, line) in lines(text) {
        let fail = |why: &str| bad_line(file, number, why).with_hint(FORM);
        let line: QuestionLine = serde_json::from_str(line).map_err(|error| {
            let error = error.to_string();
            // Each line is parsed on its own, so where serde_json thinks the line to be says nothing.
            fail(error.split(" at line ").next().unwrap_or(&error))
        })?;
        let id = match line.id {
            Some(QuestionId::Text(id)) => id.trim().to_owned(),
            Some(QuestionId::Number(id)) => id.to_string(),
            None => number.to_string(),
        };
        let text = line.text.trim();
        if id.is_empty() || text.is_empty() {
            return Err(fail(if id.is_empty() { "its id is empty" } else { "its text is empty" }));
        }
        if !ids.insert(id.clone()) {
            return Err(fail(&format!("an earlier question has the id `{}`", shown(&id))));
        }
        let relevant = match line.relevant {
            Relevant::None(()) => BTreeMap::new(),
            Relevant::One(name) => [(name, 1)].into(),
            Relevant::List(names) => names.into_iter().map(|name| (name, 1)).collect(),
            Relevant::Graded(grades) => grades,
        };
        for (name, grade) in &relevant {
            parsed.judgements.add(&id, name, *grade);
        }
        let mut answers = texts(&line.answer);
        answers.extend(line.metadata.get("answer").map(texts).unwrap_or_default());
        parsed.questions.push(Question { id, text: text.to_owned(), answers });
    }
    if parsed.questions.is_empty() {
        return Err(nothing(file, "question").with_hint(FORM));
    }
    Ok(parsed)
}

/// Reads a text, or those of a list; nothing of what is neither, which some other program may have written.
fn texts(value: &Value) -> Vec<String> {
    let several = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let texts = several.iter().filter_map(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    texts.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_of_beir_and_of_a_sites_own_list_are_read() {
        let file = "\u{feff}{\"_id\": \"q1\", \"text\": \" How hot? \", \"metadata\": {\"x\": [1]}}\r\n\n\
                    {\"id\": 2, \"question\": \"Why?\", \"relevant\": [\"tea\", \"mate\"]}\n\
                    {\"text\": \"When?\", \"relevant\": {\"tea#storage\": 2, \"tea\": 0}}\n\
                    {\"text\": \"Who?\", \"relevant\": \"tea\"}";
        let parsed = parse_questions("q.jsonl", file).unwrap();
        let seen: Vec<_> = parsed.questions.iter().map(|q| (q.id.as_str(), q.text.as_str())).collect();
        assert_eq!(seen, [("q1", "How hot?"), ("2", "Why?"), ("4", "When?"), ("5", "Who?")]);
        assert!(parsed.judgements.of("q1").is_none());
        let grades = |id| parsed.judgements.of(id).unwrap().clone();
        assert_eq!(grades("2"), BTreeMap::from([("mate".to_owned(), 1), ("tea".to_owned(), 1)]));
        assert_eq!(grades("4"), BTreeMap::from([("tea".to_owned(), 0), ("tea#storage".to_owned(), 2)]));
        assert_eq!(grades("5").len(), 1);
    }

    #[test]
    fn answers_stand_in_the_line_or_in_its_metadata() {
        let answers = |fields: &str| {
            let line = format!("{{\"_id\": \"a\", \"text\": \"x\", {fields}}}");
            parse_questions("q.jsonl", &line).unwrap().questions.remove(0).answers
        };
        assert_eq!(answers("\"answer\": \" 80 degrees\""), ["80 degrees"]);
        assert_eq!(answers("\"answer\": [\"hot\", \"\", 3, \"80\"]"), ["hot", "80"]);
        assert_eq!(answers("\"metadata\": {\"answer\": \"hot\", \"x\": 1}"), ["hot"]);
        assert!(answers("\"answer\": {\"text\": [\"hot\"]}, \"metadata\": [1]").is_empty());
    }

    #[test]
    fn bad_lines_are_named() {
        for (text, line, word) in [
            ("{\"_id\": \"a\", \"text\": \"x\"}\nplain", 2, "expected value"),
            ("\n{\"_id\": \"a\"}", 2, "missing field `text`"),
            ("{\"_id\": \"a\", \"text\": \" \"}", 1, "its text is empty"),
            ("{\"_id\": \"\", \"text\": \"x\"}", 1, "its id is empty"),
            ("{\"_id\": \"a\", \"text\": \"x\"}\n{\"_id\": \"a\", \"text\": \"y\"}", 2, "has the id `a`"),
            ("{\"_id\": \"a\", \"text\": \"x\", \"relevant\": {\"b\": 0.5}}", 1, "did not match"),
            ("[1]", 1, "invalid"),
        ] {
            let error = parse_questions("q.jsonl", text).unwrap_err();
            assert!(error.message().starts_with(&format!("`q.jsonl`, line {line}: ")), "{error}");
            assert!(error.message().contains(word) && error.hint().is_some(), "{error}");
        }
        assert!(parse_questions("q.jsonl", "\n").unwrap_err().message().contains("no question"));
        assert!(parse_questions("q.jsonl", &"[".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_answered(text in "(?s).{0,200}", json in "[{}\\[\\]\",:_idtex0-9 \n]{0,80}") {
            let _ = parse_questions("x", &text);
            let _ = parse_questions("x", &json);
        }
    }
}
