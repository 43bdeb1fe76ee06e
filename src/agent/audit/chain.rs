//! Linking a record to the entry before it.

use serde_json::{Value, json};

use super::canonical::{VERSION, canonical, is_hash, sha256};
use ibid_platform::json;

/// Returns the record as an entry of the log: one line, without the line feed that ends it.
///
/// `previous` is the hash of the last entry of the log ([`entry_hash`] or
/// [`LogReport::head`](super::LogReport::head)); `None` begins a log. The record's own members `previous` and
/// `hash`, if it has any, are replaced; what is no object becomes the member `record` of one.
pub fn chain(previous: Option<&str>, record: &Value) -> String {
    let mut entry = match record {
        Value::Object(members) => members.clone(),
        other => json::object([("record".to_owned(), other.clone())]),
    };
    entry.remove("hash");
    entry.insert("previous".to_owned(), previous.into());
    let hash = sha256(canonical(&Value::Object(entry.clone())).as_bytes());
    entry.insert("hash".to_owned(), hash.into());
    canonical(&Value::Object(entry))
}

/// Returns the line that stands instead of the oldest entries of a log when they are dropped, and comes first in
/// it.
///
/// `dropped` is how many entries are gone, those that an earlier checkpoint stood for included; `last` is the
/// hash of the last of them, which the first that is kept has as its `previous`; `time` is when, as ISO 8601
/// in UTC.
pub fn checkpoint(dropped: u64, last: &str, time: &str) -> String {
    chain(Some(last), &json!({"version": VERSION, "kind": "checkpoint", "time": time, "dropped": dropped}))
}

/// Returns the hash that the next entry has as its `previous`, if the line is a whole entry whose own hash is right.
///
/// For a checkpoint that is the hash of the last entry that it stands for.
pub fn entry_hash(line: &str) -> Option<String> {
    let (body, claimed) = apart(line)?;
    let entry = json::parse(line).ok().filter(Value::is_object)?;
    if sha256(body.as_bytes()) != claimed {
        return None;
    }
    match entry.get("kind").and_then(Value::as_str) {
        Some("checkpoint") => {
            entry.get("previous").and_then(Value::as_str).filter(|hash| is_hash(hash)).map(str::to_owned)
        }
        _ => Some(claimed.to_owned()),
    }
}

/// Reads the line without its member `hash`, and the hash. `None` if the line is no object with such a member.
///
/// This works on the text, since numbers have more than one spelling and a parser keeps none of them.
pub(super) fn apart(line: &str) -> Option<(String, &str)> {
    const NAME: &str = "\"hash\":\"";
    let bytes = line.as_bytes();
    let (mut depth, mut quoted, mut at) = (0_usize, false, 0);
    // The last byte outside of strings: a string behind `{` or `,` in an object is a name.
    let mut before = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if quoted => at += 1,
            b'"' if quoted => quoted = false,
            b'"' => {
                if depth == 1 && matches!(before, b'{' | b',') && line.get(at..)?.starts_with(NAME) {
                    let start = at + NAME.len();
                    let hash = line.get(start..start + 64).filter(|hash| is_hash(hash))?;
                    let end = start + 64;
                    if bytes.get(end) != Some(&b'"') {
                        return None;
                    }
                    let (from, to) = match bytes.get(end + 1) {
                        Some(b',') => (at, end + 2),
                        _ if before == b',' => (at - 1, end + 1),
                        _ => (at, end + 1),
                    };
                    return Some((format!("{}{}", line.get(..from)?, line.get(to..)?), hash));
                }
                quoted = true;
            }
            _ if quoted => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if !quoted {
            before = *byte;
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The documentation shows this: changing the layout of a line breaks every log that there is.
    #[test]
    fn a_line_is_canonical_json_with_its_place_in_the_chain() {
        let first = chain(None, &json!({"version": 1, "kind": "run", "question": "Wie oft?", "hash": "x"}));
        assert!(first.starts_with("{\"hash\":\""), "{first}");
        assert!(
            first.ends_with("\",\"kind\":\"run\",\"previous\":null,\"question\":\"Wie oft?\",\"version\":1}"),
            "{first}"
        );
        let body = "{\"kind\":\"run\",\"previous\":null,\"question\":\"Wie oft?\",\"version\":1}";
        assert_eq!(entry_hash(&first), Some(sha256(body.as_bytes())));
        let second = chain(entry_hash(&first).as_deref(), &json!("no object"));
        let entry: Value = serde_json::from_str(&second).unwrap();
        assert_eq!(
            (entry["previous"].as_str(), &entry["record"]),
            (entry_hash(&first).as_deref(), &json!("no object"))
        );
    }

    #[test]
    fn what_follows_a_checkpoint_goes_on_from_what_was_dropped() {
        let last = sha256(b"last");
        let line = checkpoint(12, &last, "2026-11-22T08:15:30.250Z");
        assert_eq!(entry_hash(&line), Some(last));
    }

    #[test]
    fn a_changed_or_broken_line_has_no_hash() {
        let line = chain(None, &json!({"a": "b", "n": 0.1}));
        assert!(entry_hash(&line).is_some());
        for broken in [
            line.replace("\"b\"", "\"c\""),
            line.replace("0.1", "0.10"),
            line.replace(',', ", "),
            line[..line.len() - 1].to_owned(),
            format!("{line}\r"),
            format!("{line}{line}"),
            format!("[{line}]"),
            String::new(),
            "{}".to_owned(),
            "{\"hash\":\"\"}".to_owned(),
            format!("{{\"a\":{{\"hash\":\"{}\"}}}}", sha256(b"")),
            format!("{{\"a\":\"\\\"hash\\\":\\\"{}\\\"\"}}", sha256(b"")),
        ] {
            assert_eq!(entry_hash(&broken), None, "{broken}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_chained_is_whole(name in any::<String>(), text in any::<String>(), number in any::<f64>()) {
            let line = chain(None, &json!({name.clone(): {"hash": text}, "zz": [number, {name: "hash"}]}));
            prop_assert!(!line.contains('\n'));
            prop_assert!(entry_hash(&line).is_some());
        }

        #[test]
        fn any_line_is_taken_apart(line in any::<String>(), cut in 0_usize..200) {
            entry_hash(&line);
            let whole = chain(None, &json!({"q": line}));
            entry_hash(whole.get(..cut).unwrap_or_default());
        }
    }
}
