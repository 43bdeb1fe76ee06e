//! Bytes to text: UTF-8, with or without a byte order mark, what is nearly UTF-8, and what a file declares itself to be.

use super::{Origin, Warning, invalid};
use ibid_platform::{Error, Result};

/// A larger file is no document that somebody reads, and its offsets would not fit the index of a page.
const MAX_BYTES: usize = 1 << 30;
/// The share of bytes that may be zero, which some editors and exports leave in a text, as 1 in this many.
const MOST_ZEROS: usize = 200;
/// The share of bytes that may be undecodable before a file counts as something else than text, as 1 in this many.
const MOST_REPLACED: usize = 10;

/// A file's text, and where it stands in the file's bytes.
#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) text: String,
    pub(super) origin: Origin,
    pub(super) warnings: Vec<Warning>,
}

/// Decodes a file. What is not UTF-8 becomes U+FFFD, with a warning that counts.
///
/// # Errors
/// [`ErrorCode::InvalidDocument`](ibid_platform::ErrorCode::InvalidDocument) for a file that is empty, larger than 1 GiB,
/// UTF-16 without a mark, binary, or undecodable in more than a tenth of its bytes.
pub(super) fn decode(source: &str, bytes: &[u8]) -> Result<Decoded> {
    if bytes.len() > MAX_BYTES {
        return Err(invalid(source, "it is larger than 1 GiB").with_hint("Divide it into smaller files."));
    }
    let mut origin = Origin::of(bytes);
    let mut warnings = Vec::new();
    let lost = |kind: &'static str, count: usize| Warning::new(kind, format!("{count} of them"));
    #[cfg(not(target_arch = "wasm32"))]
    if let Some((text, count)) = super::charset::read(source, bytes, &mut origin) {
        let kind = "bytes that are invalid in their encoding are replaced by U+FFFD";
        warnings.extend((count > 0).then(|| lost(kind, count)));
        return finished(source, text, origin, warnings);
    }
    if let Some(error) = foreign(source, bytes) {
        return Err(error);
    }
    let body = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mark = bytes.len() - body.len();
    let text = if let Ok(text) = std::str::from_utf8(body) {
        origin.push(0..text.len(), mark..bytes.len());
        text.to_owned()
    } else {
        let (text, count) = replace(source, body, mark, &mut origin)?;
        warnings.push(lost("bytes that are not UTF-8 are replaced by U+FFFD", count));
        text
    };
    finished(source, text, origin, warnings)
}

/// Makes a file's text without zero bytes.
fn finished(source: &str, text: String, origin: Origin, mut warnings: Vec<Warning>) -> Result<Decoded> {
    let text = if text.contains('\0') {
        warnings.push(Warning::new(
            "zero bytes are replaced by spaces",
            format!("{} of them", text.matches('\0').count()),
        ));
        text.replace('\0', " ")
    } else {
        text
    };
    if text.trim().is_empty() {
        return Err(invalid(source, "it is empty"));
    }
    Ok(Decoded { text, origin, warnings })
}

/// Makes the error for bytes that are certainly not UTF-8 text.
fn foreign(source: &str, bytes: &[u8]) -> Option<Error> {
    let utf16 = || invalid(source, "it is UTF-16").with_hint("Save the file with UTF-8 encoding.");
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        return Some(utf16());
    }
    memchr::memchr(0, bytes)?;
    // In UTF-16 without a mark, every other byte of Latin text is zero, and it has no other zeros.
    let head = &bytes[..bytes.len().min(256) & !1];
    let zeros = |parity: usize| head.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    if even.min(odd) == 0 && even.max(odd) * 4 > head.len() {
        return Some(utf16());
    }
    let count = memchr::memchr_iter(0, bytes).count();
    let is_binary = count > 1 && count * MOST_ZEROS > bytes.len();
    is_binary.then(|| invalid(source, "it is a binary file").with_hint("Give text, or leave the file out."))
}

/// Decodes what is not UTF-8 throughout. Each maximal ill-formed sequence becomes one replacement character, as the
/// Unicode Standard recommends (section 3.9, U+FFFD substitution of maximal subparts).
fn replace(source: &str, body: &[u8], mark: usize, origin: &mut Origin) -> Result<(String, usize)> {
    let mut text = String::with_capacity(body.len());
    let (mut at, mut count, mut lost) = (mark, 0, 0);
    for part in body.utf8_chunks() {
        let (valid, invalid) = (part.valid(), part.invalid());
        origin.push(text.len()..text.len() + valid.len(), at..at + valid.len());
        text.push_str(valid);
        at += valid.len();
        if !invalid.is_empty() {
            let start = text.len();
            text.push(char::REPLACEMENT_CHARACTER);
            origin.push(start..text.len(), at..at + invalid.len());
            at += invalid.len();
            count += 1;
            lost += invalid.len();
        }
    }
    if lost * MOST_REPLACED > body.len() {
        return Err(invalid(source, "more than a tenth of it is not UTF-8")
            .with_hint("Save the file with UTF-8 encoding, or leave it out if it is not text."));
    }
    Ok((text, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(bytes: &[u8]) -> String {
        decode("a.txt", bytes).unwrap_err().to_string()
    }

    #[test]
    fn a_byte_order_mark_shifts_the_origin() {
        let decoded = decode("a.txt", b"\xEF\xBB\xBFabc").unwrap();
        assert_eq!((decoded.text.as_str(), decoded.origin.place(&(1..2)).span), ("abc", 4..5));
    }

    #[test]
    fn what_is_not_utf8_is_replaced_and_counted() {
        let bytes = b"one \xFF two words \xE2\x82 three and quite a few words more\n";
        let decoded = decode("a.txt", bytes).unwrap();
        assert!(decoded.text.starts_with("one \u{FFFD} two words \u{FFFD} three"));
        assert!(decoded.warnings[0].about.starts_with("2 "));
        for word in ["one", "two", "words", "three", "quite", "more"] {
            let at = decoded.text.find(word).unwrap();
            let span = decoded.origin.place(&(at..at + word.len())).span;
            assert_eq!(&bytes[span], word.as_bytes());
        }
    }

    #[test]
    fn what_is_no_text_is_an_error_with_a_reason() {
        assert!(why(b"").contains("it is empty"));
        assert!(why(b" \n\t").contains("it is empty"));
        assert!(why(b"a\0b\0c\0d\0").contains("UTF-16"));
        assert!(why(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").contains("binary"));
        assert!(why(&[0xE9; 100]).contains("a tenth"));
    }
}
