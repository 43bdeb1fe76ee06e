//! Canonical JSON, and hashes of it.

use ibid_platform::order;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The version of the layout of entries.
pub const VERSION: u32 = 1;

/// The most bytes that a line may have. A log is read line by line, and a text without a line feed for longer
/// than this is no log.
pub const MAX_LINE: usize = 16 << 20;

/// Writes the value as canonical JSON, as [the room](super) defines it.
///
/// It recurses as deep as the value is nested, which a parser of JSON has limited before, as it has for
/// `serde_json` itself.
pub(super) fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value);
    out
}

fn write(out: &mut String, value: &Value) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                write(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => {
            // Features that other crates may ask for decide if serde_json keeps them sorted.
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            order::by(&mut members, |(one, _), (other, _)| one.cmp(other));
            out.push('{');
            for (n, (name, value)) in members.into_iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                write(out, &Value::String(name.clone()));
                out.push(':');
                write(out, value);
            }
            out.push('}');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

/// Computes the SHA-256 of these bytes in lower-case hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        hex.push(DIGITS[usize::from(byte >> 4)]);
        hex.push(DIGITS[usize::from(byte & 15)]);
    }
    hex
}

/// Returns true if this is a hash as [`sha256`] writes it.
pub(super) fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn members_are_sorted_and_only_what_must_be_is_escaped() {
        let value = json!({"b": [1, 0.5, -2, true, null], "a": {"ä": "é\u{7f}\u{1F600}", "z": "\"\\\n\t\u{1}"}, "B": {}});
        assert_eq!(
            canonical(&value),
            "{\"B\":{},\"a\":{\"z\":\"\\\"\\\\\\n\\t\\u0001\",\"ä\":\"é\u{7f}\u{1F600}\"},\"b\":[1,0.5,-2,true,null]}"
        );
    }

    #[test]
    fn the_hash_is_the_standards() {
        // The examples of FIPS 180-2, appendix B.
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let two_blocks = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(sha256(two_blocks), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        assert!(is_hash(&sha256(b"")) && !is_hash("abc") && !is_hash(&"A".repeat(64)));
    }

    proptest! {
        #[test]
        fn it_is_json_for_the_same_text(text in any::<String>()) {
            let value = json!({text.clone(): [text]});
            prop_assert_eq!(serde_json::from_str::<Value>(&canonical(&value)).unwrap(), value);
        }
    }
}
