//! Character references: `&amp;`, `&#955;`, `&lambda;`.

use crate::tags::{Token, tokens};

/// The longest reference there is, `&CounterClockwiseContourIntegral;`, is as long as this.
const LONGEST: usize = 33;

/// Reads the reference that a text begins with: what it stands for, and its length in bytes. `None` if the `&` is
/// only an ampersand, or names what is not defined: entities that a document declares itself are never expanded, so
/// that no declaration can multiply a text.
///
/// Names are HTML's, which include those of the ISO sets that JATS uses; HTML's own tokenizer looks them up, so that
/// one table serves both formats.
pub(crate) fn reference(text: &str) -> Option<(String, usize)> {
    let bytes = text.as_bytes();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'#';
    let name = bytes.iter().skip(1).take(LONGEST).take_while(|byte| is_part(byte)).count();
    let length = 1 + name + usize::from(bytes.get(1 + name) == Some(&b';'));
    let known = match text.get(..length)? {
        "&amp;" => "&",
        "&lt;" => "<",
        "&gt;" => ">",
        "&quot;" => "\"",
        "&apos;" => "'",
        "&nbsp;" | "&#160;" | "&#xa0;" | "&#x000a0;" => "\u{A0}",
        _ if name == 0 => return None,
        written => {
            let decoded = tokenized(written);
            return (decoded != written).then_some((decoded, length));
        }
    };
    Some((known.to_owned(), length))
}

/// Resolves the references in an attribute's value, or in another text without markup.
pub(crate) fn resolved(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (decoded, length) = reference(rest).unwrap_or_else(|| ("&".to_owned(), 1));
        out.push_str(&decoded);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// A reference as an attribute's value, which the tokenizer resolves.
fn tokenized(written: &str) -> String {
    let tag = format!("<a id=\"{written}\">");
    let value = tokens(&tag).find_map(|token| match token {
        Token::Start(tag) => tag.get("id").map(str::to_owned),
        _ => None,
    });
    value.unwrap_or_else(|| written.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_by_number_and_by_name() {
        for (text, decoded) in [
            ("&#955;", "λ"),
            ("&#x003bb; rest", "λ"),
            ("&lambda;", "λ"),
            ("&thinsp;x", "\u{2009}"),
            ("&CounterClockwiseContourIntegral;", "∳"),
            ("&amp;amp;", "&"),
            ("&#0;", "\u{FFFD}"),
            ("&#x110000;", "\u{FFFD}"),
            ("&#99999999999999999999;", "\u{FFFD}"),
            ("&copy 2026", "©"),
        ] {
            assert_eq!(reference(text).map(|(text, _)| text).as_deref(), Some(decoded), "{text}");
        }
        for text in ["& b", "&", "&unknown;", "&;", "&é", "&#;"] {
            assert_eq!(reference(text), None, "{text}");
        }
        assert_eq!(resolved("a &lt; b & c&#33;"), "a < b & c!");
    }
}
