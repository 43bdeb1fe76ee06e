//! Texts of questions and replies, read and changed without a model.

use std::collections::BTreeMap;

use serde_json::Value;

use ibid_llm::{FinishReason, ModelReply, ToolCall};
use ibid_platform::case;
use ibid_platform::json::{self, text};

/// The most characters of a query.
const MAX_QUERY_CHARS: usize = 1000;

/// The text with what abbreviations stand for behind their first occurrence, in brackets. An abbreviation is
/// a whole word, written with the same case.
pub(super) fn expand(question: &str, abbreviations: &BTreeMap<String, String>) -> String {
    let mut out = question.to_owned();
    for (short, long) in abbreviations {
        let Some(at) = find_word(&out, short) else { continue };
        if !case::lowercase(&out).contains(&case::lowercase(long)) {
            out.insert_str(at + short.len(), &format!(" ({long})"));
        }
    }
    out
}

fn find_word(text: &str, word: &str) -> Option<usize> {
    if word.trim().is_empty() {
        return None;
    }
    text.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = text[..*at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        [before, after].iter().flatten().all(|c| !c.is_alphanumeric())
    })
}

/// Reads a query that a model wrote alone on a line, without what models put around it; `None` if there is none.
pub(super) fn query_of(reply: &str) -> Option<String> {
    let line = reply.lines().map(str::trim).find(|line| line.chars().any(char::is_alphanumeric))?;
    let line = line.trim_start_matches(|c: char| {
        c.is_ascii_digit() || matches!(c, '.' | ')' | ':' | '-' | '*' | '#' | ' ')
    });
    let prefixes = ["search query:", "refined query:", "rewritten query:", "query:", "question:"];
    let lower = line.to_ascii_lowercase();
    let prefix = prefixes.iter().find(|prefix| lower.starts_with(**prefix)).map_or(0, |prefix| prefix.len());
    let query =
        line[prefix..].trim().trim_matches(|c| matches!(c, '"' | '\'' | '`' | '“' | '”' | '*')).trim();
    let chars = query.chars().count();
    (2..=MAX_QUERY_CHARS).contains(&chars).then(|| query.to_owned())
}

/// Reads the first entries of a numbered or bulleted list; lines that are none of it are passed over.
pub(super) fn list_of(reply: &str, most: usize) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for line in reply.lines().map(str::trim) {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let marked = match line.as_bytes().get(digits) {
            Some(b'.' | b')' | b':') => digits > 0,
            Some(b'-' | b'*') => digits == 0,
            _ => line.starts_with('•'),
        };
        let Some(query) = query_of(line).filter(|_| marked) else { continue };
        if entries.iter().all(|other| !other.eq_ignore_ascii_case(&query)) && entries.len() < most {
            entries.push(query);
        }
    }
    entries
}

/// Makes a text that is nothing but the JSON of a call of a known tool that call. Small local models write
/// `{"name": "search_documents", "arguments": {"query": "…"}}` where they should call the tool.
pub(super) fn read_bare_call(reply: &mut ModelReply, known: &[String]) {
    if !reply.tool_calls.is_empty() || reply.finish_reason.is_cut_off() {
        return;
    }
    let bare = reply.text.trim();
    let bare = bare
        .strip_prefix("<tool_call>")
        .map_or(bare, |rest| rest.trim_end().trim_end_matches("</tool_call>"));
    let Ok(value) = json_of(bare) else { return };
    let call = value.get("function").filter(|function| function.is_object()).unwrap_or(&value);
    let Some(name) = text(call, "name").filter(|name| known.iter().any(|other| other == name)) else {
        return;
    };
    let arguments = ["arguments", "parameters"].iter().find_map(|key| call.get(*key));
    let arguments = match arguments {
        Some(Value::String(text)) => text.clone(),
        Some(value @ Value::Object(_)) => value.to_string(),
        _ => return,
    };
    reply.tool_calls =
        vec![ToolCall { id: "bare00001".to_owned(), name: name.to_owned(), arguments, extra: None }];
    reply.text.clear();
    reply.finish_reason = FinishReason::ToolCalls;
}

/// Reads the JSON of a reply, without the fence that models like to put around it.
pub(super) fn json_of(text: &str) -> Result<Value, String> {
    let text = text.trim();
    let inner = text.strip_prefix("```").and_then(|rest| rest.trim_end().strip_suffix("```"));
    let inner = inner.map_or(text, |inner| inner.split_once('\n').map_or(inner, |(_, rest)| rest));
    json::parse(inner.trim()).map_err(|error| format!("it is not valid JSON ({error})"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn abbreviations_are_whole_words() {
        let map = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
            pairs.iter().map(|(short, long)| ((*short).to_owned(), (*long).to_owned())).collect()
        };
        let known = map(&[("MI", "myocardial infarction"), ("BP", "blood pressure"), ("", "x")]);
        assert_eq!(
            expand("BP after MI? MIT, MI.", &known),
            "BP (blood pressure) after MI (myocardial infarction)? MIT, MI."
        );
        assert_eq!(expand("MIMI mi", &known), "MIMI mi");
        assert_eq!(expand("MI or myocardial infarction", &known), "MI or myocardial infarction");
        assert_eq!(expand("äMI MI", &map(&[("MI", "x")])), "äMI MI (x)");
    }

    #[test]
    fn queries_and_lists_are_read_out_of_replies() {
        for (reply, query) in [
            ("\n Query: \"fever in children\" \n", Some("fever in children")),
            ("1. **dose of metformin**", Some("dose of metformin")),
            ("", None),
            ("---\n...", None),
            ("x", None),
        ] {
            assert_eq!(query_of(reply).as_deref(), query, "{reply}");
        }
        let list = "Here they are:\n1. fever\n2) Rash\n3: cough\n- FEVER\n* itch\nnothing else\n5. too many";
        assert_eq!(list_of(list, 4), ["fever", "Rash", "cough", "itch"]);
        assert!(list_of("no list", 4).is_empty());
    }

    #[test]
    fn a_bare_call_is_taken_against_known_names_only() {
        let known = ["search".to_owned()];
        let read = |text: &str| {
            let mut reply = ModelReply { text: text.to_owned(), ..ModelReply::default() };
            read_bare_call(&mut reply, &known);
            reply.tool_calls.first().map(|call| call.arguments.clone())
        };
        let call = json!({"name": "search", "arguments": {"q": 1}}).to_string();
        assert_eq!(read(&call).unwrap(), "{\"q\":1}");
        assert_eq!(read(&format!("```json\n{call}\n```")).unwrap(), "{\"q\":1}");
        assert_eq!(read(&format!("<tool_call>\n{call}\n</tool_call>")).unwrap(), "{\"q\":1}");
        assert_eq!(
            read(r#"{"type":"function","function":{"name":"search","parameters":"{}"}}"#).unwrap(),
            "{}"
        );
        for other in [
            "search",
            "{\"name\":\"other\",\"arguments\":{}}",
            "{\"name\":\"search\"}",
            "Use {\"name\":\"search\"}",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn any_reply_is_read(reply in any::<String>(), short in ".{0,4}", long in ".{0,8}") {
            if let Some(query) = query_of(&reply) {
                prop_assert!(query.chars().count() >= 2 && !query.contains('\n'));
            }
            prop_assert!(list_of(&reply, 3).len() <= 3);
            let expanded = expand(&reply, &BTreeMap::from([(short, long)]));
            prop_assert!(expanded.len() >= reply.len());
        }
    }
}
