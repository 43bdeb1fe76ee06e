//! JSON in which characters are torn apart.
//!
//! JSON writes a character beyond U+FFFF as the escapes of its two surrogates (RFC 8259, section 7), and a program that
//! cuts text by UTF-16 units or by bytes may write one of them without the other: at the end of one piece of a stream, or
//! nowhere at all. No Rust string can hold that half, so readers refuse the whole document. Here it is read: halves that
//! meet in the pieces of a stream are joined, and one that stays alone is U+FFFD, as the Encoding Standard has it.

use std::borrow::Cow;

use serde_json::Value;

/// The first of the 2,048 characters that stand for halves between the reading of a document and [`Joiner`]. They are the
/// end of the last private plane. Where a provider sends one of them itself, it is lost only in a reply that has a torn
/// character besides.
const MARKS: u32 = 0x10_F800;

/// Reads JSON; what is half a character is U+FFFD.
///
/// # Errors
/// As of [`serde_json::from_slice`], for what is no JSON even so.
pub fn parse(json: &str) -> serde_json::Result<Value> {
    // From bytes like all else that is read, so that the parser is compiled once.
    serde_json::from_slice(json.as_bytes()).or_else(|error| match mended(json) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(mended) => serde_json::from_slice(mended.as_bytes()),
    })
}

/// Reads JSON that is a piece of a stream, and tells whether any half is in it. Its strings then have marks in place of
/// halves, and must go through a [`Joiner`] or [`without_halves`].
///
/// # Errors
/// As of [`serde_json::from_slice`], for what is no JSON even so.
pub fn parse_piece(json: &[u8]) -> serde_json::Result<(Value, bool)> {
    serde_json::from_slice(json).map(|value| (value, false)).or_else(|error| {
        match str::from_utf8(json).map(|json| replaced(json, mark)) {
            Ok(Cow::Owned(marked)) => Ok((serde_json::from_slice(marked.as_bytes())?, true)),
            Ok(Cow::Borrowed(_)) | Err(_) => Err(error),
        }
    })
}

/// Returns the same JSON with U+FFFD in place of escapes that are half a character. What is no JSON stays none.
pub fn mended(json: &str) -> Cow<'_, str> {
    replaced(json, |_| char::REPLACEMENT_CHARACTER)
}

/// Text that comes in pieces with marks of halves in it.
#[derive(Clone, Debug, Default)]
pub struct Joiner {
    /// The first half of a character at the end of what has come.
    first: Option<u16>,
}

impl Joiner {
    /// Returns the part that is text with another piece: all of it but a first half at its end.
    pub fn push(&mut self, piece: &str) -> String {
        let mut text = String::with_capacity(piece.len());
        for c in piece.chars() {
            let half = half_of(c);
            let first = self.first.take();
            if let (Some(first), Some(half)) = (first, half)
                && let Some(Ok(whole)) = char::decode_utf16([first, half]).next()
            {
                text.push(whole);
                continue;
            }
            text.extend(first.map(|_| char::REPLACEMENT_CHARACTER));
            match half {
                Some(0xD800..=0xDBFF) => self.first = half,
                Some(_) => text.push(char::REPLACEMENT_CHARACTER),
                None => text.push(c),
            }
        }
        text
    }

    /// Returns true if a half waits for its other half.
    pub fn waits(&self) -> bool {
        self.first.is_some()
    }

    /// Returns the replacement of a half that has waited in vain; nothing if there is none.
    pub fn rest(&mut self) -> &'static str {
        if self.first.take().is_some() { "\u{FFFD}" } else { "" }
    }
}

/// Returns a text of a document with marks that has no other pieces.
pub fn joined(text: &str) -> String {
    let mut joiner = Joiner::default();
    let mut whole = joiner.push(text);
    whole.push_str(joiner.rest());
    whole
}

/// Returns a value with marks as one without.
pub fn without_halves(value: &Value) -> Value {
    // As text it needs no way through its depths, and no mark means anything to JSON.
    serde_json::from_slice(joined(&value.to_string()).as_bytes()).unwrap_or_default()
}

fn mark(half: u16) -> char {
    char::from_u32(MARKS + u32::from(half) - 0xD800).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Reads the half that a character marks.
fn half_of(c: char) -> Option<u16> {
    let at = u32::from(c).checked_sub(MARKS)?;
    u16::try_from(at + 0xD800).ok()
}

/// Writes the JSON with something in place of each escape of a half that has no other half next to it.
fn replaced(json: &str, by: impl Fn(u16) -> char) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(found) = json[at..].find('\\') {
        let escape = at + found;
        let Some(unit) = unit(json, escape) else {
            // A backslash and a character of any length, which may be another backslash.
            at = escape + 1 + json[escape + 1..].chars().next().map_or(0, char::len_utf8);
            continue;
        };
        at = escape + 6;
        match unit {
            0xD800..=0xDBFF if matches!(self::unit(json, at), Some(0xDC00..=0xDFFF)) => at += 6,
            0xD800..=0xDFFF => {
                out.push_str(&json[copied..escape]);
                out.push(by(unit));
                copied = at;
            }
            _ => {}
        }
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(&json[copied..]);
    Cow::Owned(out)
}

/// Reads the unit of UTF-16 that is escaped at a place.
fn unit(json: &str, at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
    // A sign is no digit, though it may stand in a number.
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Units that are often halves, of few different characters, so that halves meet.
    fn units() -> impl Strategy<Value = Vec<u16>> {
        let unit = prop_oneof![
            4 => prop::sample::select(vec![0xD83D, 0xDBFF, 0xD800, 0xDE00, 0xDC00, 0xDFFF]),
            3 => prop::sample::select(vec![0x22, 0x5C, 0x75, 0x61, 0xE9, 0x20AC, 0xFFFD, 0xD7FF, 0xE000]),
            1 => any::<u16>(),
        ];
        prop::collection::vec(unit, 0..40)
    }

    fn escaped(units: &[u16]) -> String {
        units.iter().fold(String::new(), |json, unit| json + &format!("\\u{unit:04X}"))
    }

    #[test]
    fn what_is_not_torn_stays_as_it_is() {
        for json in [r#""\ud83d\ude00""#, r#""\\ud83d""#, r#""\\\\ud83d \u00e9""#, r#""é\n""#, "7", "{}", ""]
        {
            assert!(matches!(mended(json), Cow::Borrowed(_)), "{json}");
        }
        let (value, torn) = parse_piece(br#"{"a":"\ud83d\ude00"}"#).unwrap();
        assert_eq!((value, torn), (json!({"a": "😀"}), false));
    }

    #[test]
    fn halves_alone_are_replaced_in_names_and_values() {
        for (json, expected) in [
            (r#"{"\ud83d":["\udE00",1]}"#, json!({"\u{FFFD}": ["\u{FFFD}", 1]})),
            (r#""a\ud83db""#, json!("a\u{FFFD}b")),
            (r#""\ud83d\ud83d\ude00""#, json!("\u{FFFD}😀")),
            (r#""\ude00\ud83d""#, json!("\u{FFFD}\u{FFFD}")),
            (r#""\\\ud83d\n""#, json!("\\\u{FFFD}\n")),
        ] {
            assert_eq!(parse(json).unwrap(), expected, "{json}");
            let (marked, torn) = parse_piece(json.as_bytes()).unwrap();
            assert!(torn);
            assert_eq!(without_halves(&marked), expected, "{json}");
        }
    }

    #[test]
    fn what_is_no_json_stays_none() {
        for json in
            ["", "{", r#""\ud83d"#, r#""\ud83"#, r#""\u+83d""#, r#""\ud83d\u""#, r"\", r#""\é\ud83d""#]
        {
            assert!(parse(json).is_err() && parse_piece(json.as_bytes()).is_err(), "{json}");
        }
        assert!(parse_piece(b"\"\\ud83d\xFF\"").is_err());
    }

    proptest! {
        #[test]
        fn pieces_are_joined_as_the_whole_is_read(units in units(), cuts in prop::collection::vec(0usize..40, 0..6)) {
            let expected = String::from_utf16_lossy(&units);
            prop_assert_eq!(parse(&format!("\"{}\"", escaped(&units))).unwrap(), json!(expected.clone()));
            let mut places: Vec<usize> = cuts.iter().map(|cut| (*cut).min(units.len())).collect();
            places.extend([0, units.len()]);
            places.sort_unstable();
            let mut joiner = Joiner::default();
            let mut text = String::new();
            for cut in places.windows(2) {
                let json = format!("[\"{}\"]", escaped(&units[cut[0]..cut[1]]));
                let (piece, _) = parse_piece(json.as_bytes()).unwrap();
                text.push_str(&joiner.push(piece[0].as_str().unwrap()));
            }
            text.push_str(joiner.rest());
            // The private characters that halves are marked by are the one thing that is not kept.
            prop_assume!(!expected.chars().any(|c| half_of(c).is_some()));
            prop_assert_eq!(text, expected);
        }

        #[test]
        fn any_text_is_taken(json in r#"[\\ud8e0"a{}é]{0,40}"#) {
            let mended = mended(&json);
            prop_assert_eq!(self::mended(&mended), &*mended, "there is nothing to mend twice");
            let _ = parse(&json);
            if let Ok((value, torn)) = parse_piece(json.as_bytes()) {
                let whole = if torn { without_halves(&value) } else { value };
                prop_assert_eq!(whole, parse(&json).unwrap());
            }
        }
    }
}
