//! JSON that has come in part.

use serde_json::Value;

use ibid_platform::json;

/// Returns the value that the beginning of a JSON text stands for so far; none before its first bracket and
/// in the middle of an escape.
///
/// Strings are as long as they are, and open lists and objects hold what is complete in them. A number that
/// may go on and a name without its value are left out.
///
/// ```
/// use ibid_llm::partial_json;
/// use serde_json::json;
///
/// let text = r#"{"drug": "metformin", "doses": [500, 10"#;
/// assert_eq!(partial_json(text), Some(json!({"drug": "metformin", "doses": [500]})));
/// ```
pub fn partial(text: &str) -> Option<Value> {
    // Models write a fence or a sentence in front of it.
    let text = &text[text.find(['{', '['])?..];
    let mut open: Vec<Opened> = Vec::new();
    let mut rest = text;
    // The text is valid up to here, once what is open is closed.
    let mut valid = 0;
    let mut in_string = false;
    while let Some(first) = rest.chars().next() {
        let at = text.len() - rest.len();
        let length = match first {
            '{' | '[' => {
                let is_object = first == '{';
                open.push(Opened { is_object, names: is_object });
                valid = at + 1;
                1
            }
            '}' | ']' => {
                open.pop();
                valid = at + 1;
                if open.is_empty() {
                    break;
                }
                1
            }
            '"' => {
                let is_name = open.last().is_some_and(|opened| opened.names);
                let length = string(rest);
                if !is_name {
                    valid = at + length.unwrap_or(rest.len());
                    in_string = length.is_none();
                }
                length.unwrap_or(rest.len())
            }
            ',' | ':' => {
                if let Some(opened) = open.last_mut() {
                    opened.names = first == ',' && opened.is_object;
                }
                1
            }
            first if first.is_ascii_whitespace() => 1,
            _ => {
                let end = rest.find([',', ']', '}', ' ', '\n', '\r', '\t']);
                valid = end.map_or(valid, |end| at + end);
                end.unwrap_or(rest.len())
            }
        };
        rest = &rest[length..];
    }
    let mut whole = text[..valid].to_owned();
    if in_string {
        whole.push('"');
    }
    whole.extend(open.iter().rev().map(|opened| if opened.is_object { '}' } else { ']' }));
    json::parse(&whole).ok()
}

/// A bracket that is not closed.
struct Opened {
    is_object: bool,
    /// True where the next string is the name of a field.
    names: bool,
}

/// Computes the length of the string that a text begins with, its quotation marks included; none if it has not come to
/// its end.
fn string(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map(|end| end + 2)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, json};

    use super::*;

    #[test]
    fn what_is_complete_is_there() {
        for (text, value) in [
            ("", None),
            ("Here it is: ", None),
            ("```json\n{", Some(json!({}))),
            ("[", Some(json!([]))),
            (r#"{"a"#, Some(json!({}))),
            (r#"{"a""#, Some(json!({}))),
            (r#"{"a":"#, Some(json!({}))),
            (r#"{"a":12"#, Some(json!({}))),
            (r#"{"a":12,"#, Some(json!({"a": 12}))),
            (r#"{"a":12 "#, Some(json!({"a": 12}))),
            (r#"{"a":tru"#, Some(json!({}))),
            (r#"{"a":true}"#, Some(json!({"a": true}))),
            (r#"{"a":true} and more ]"#, Some(json!({"a": true}))),
            (r#"{"a":"b"#, Some(json!({"a": "b"}))),
            (r#"{"a":"b\"#, None),
            (r#"{"a":"b\n"#, Some(json!({"a": "b\n"}))),
            (r#"{"a":"b\u00e"#, None),
            (r#"{"a":"b\ud83d\ude0"#, None),
            (r#"{"a":"b\ud83d\ude00"#, Some(json!({"a": "b\u{1f600}"}))),
            (r#"{"a":[{"b":[1,2"#, Some(json!({"a": [{"b": [1]}]}))),
            (r#"{"a":["x","y"#, Some(json!({"a": ["x", "y"]}))),
            (r#"{"a":{"b":1},"c"#, Some(json!({"a": {"b": 1}}))),
            ("{a: 1,", None),
            ("{]", None),
        ] {
            assert_eq!(partial(text), value, "{text}");
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..5)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_beginning_of_json_is_read(value in any_json(), pretty in any::<bool>()) {
            let value = json!({"value": value});
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
            for (end, _) in text.char_indices().skip(1) {
                let so_far = partial(&text[..end]);
                // In the middle of an escape, such as the one of a control character, there is none.
                let begins = |value: &Value| value.is_object();
                prop_assert!(so_far.as_ref().map_or(text.contains('\\'), begins), "{}", &text[..end]);
            }
            prop_assert_eq!(partial(&text), Some(value));
        }

        #[test]
        fn any_text_is_read(text in r#"([{}\[\],:"\\ua1-9 ]|\PC){0,40}"#) {
            let _ = partial(&text);
        }
    }
}
