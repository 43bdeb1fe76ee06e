//! Pictures and other files within a text, as base64: nobody reads or searches them.

use memchr::memmem;

use super::encoding::Decoded;
use super::rewrite::{Rewriter, rewritten};
use std::ops::Range;

/// A shorter run of letters and digits may be a name, a key or a checksum.
const LEAST_RUN: usize = 120;
/// A shorter address of data may be an example.
const LEAST_ADDRESS: usize = 64;
/// The shortest line of base64 that may go on in the next one.
const LEAST_LINE: usize = 60;
/// The most bytes between `data:` and the comma before the data.
const MOST_HEAD: usize = 100;

/// Puts an ellipsis in place of data, whatever format the file has.
pub(super) fn without_data(decoded: Decoded) -> Decoded {
    let data = data(&decoded.text);
    if data.is_empty() {
        return decoded;
    }
    let mut out = Rewriter::new(&decoded);
    let mut at = 0;
    for range in data {
        out.keep(at..range.start);
        at = range.end;
        out.put("…", range);
    }
    out.keep(at..decoded.text.len());
    rewritten(out.finish(), decoded)
}

/// Finds the stretches of a text that are data, in order.
fn data(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut addresses = memmem::find_iter(bytes, "data:").peekable();
    let mut at = 0;
    while at < bytes.len() {
        while addresses.next_if(|address| *address < at).is_some() {}
        if addresses.peek() == Some(&at)
            && let Some(data) = address(bytes, at)
        {
            at = data.end;
            found.push(data);
            continue;
        }
        let end = at + run(&bytes[at..]);
        let (end, length) = lines(bytes, at, end);
        if length >= LEAST_RUN && is_base64(&bytes[at..end]) {
            found.push(at..end);
        }
        at = end.max(at + 1);
    }
    found
}

fn is_sign(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
}

/// Computes the length of the run of base64's signs that bytes begin with.
fn run(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| is_sign(**byte)).count()
}

/// Finds the end of the run at `start..end` with the whole lines of the same below it, and the number of its signs.
fn lines(bytes: &[u8], start: usize, end: usize) -> (usize, usize) {
    let (mut end, mut last) = (end, end - start);
    let mut signs = last;
    while last >= LEAST_LINE {
        let line = end + bytes[end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let next = run(&bytes[line..]);
        let is_next_line = bytes[end..line].iter().filter(|byte| **byte == b'\n').count() == 1;
        let ends_line = bytes.get(line + next).is_none_or(|byte| !matches!(byte, b' ' | b'.' | b'-'));
        if !is_next_line || next < 20 || (next < LEAST_LINE && !ends_line) {
            break;
        }
        (end, last, signs) = (line + next, next, signs + next);
    }
    (end, signs)
}

/// Returns true for a mixture of capitals, small letters and digits that no words or paths have.
fn is_base64(run: &[u8]) -> bool {
    let count = |is_one: fn(&u8) -> bool| run.iter().filter(|byte| is_one(byte)).count();
    let (capitals, small, digits) =
        (count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase), count(u8::is_ascii_digit));
    small > 0 && digits > 0 && capitals > 0 && 3 * (capitals + digits) > run.len()
}

/// Finds the data of the `data:` address at a place.
fn address(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let head = &bytes[at..bytes.len().min(at + MOST_HEAD)];
    let comma = memchr::memchr(b',', head)?;
    let kind = head[5..comma].iter();
    if !kind.clone().all(|byte| byte.is_ascii_alphanumeric() || b"/.+-;=_".contains(byte)) {
        return None;
    }
    let start = at + comma + 1;
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`<>()[]{}\\".contains(byte);
    let length = bytes[start..].iter().position(is_end).unwrap_or(bytes.len() - start);
    let end = lines(bytes, start, start + length).0;
    (kind.len() > 0 && end - start >= LEAST_ADDRESS).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Document, encoding};

    fn base64(length: usize) -> String {
        let signs = "QmFzZTY0IGlz+IG5vdCB3b3JkczEyMzQ1Njc4OTA/YWJjZGVmR0hJSktM";
        signs.chars().cycle().take(length).collect()
    }

    fn read(text: &str) -> String {
        without_data(encoding::decode("a.md", text.as_bytes()).unwrap()).text
    }

    #[test]
    fn pictures_are_left_out_wherever_they_stand() {
        let data = base64(900);
        let lines: Vec<String> = (0..9).map(|_| base64(76)).collect();
        let lines = lines.join("\n    ");
        for (before, behind) in [
            ("![A cup](data:image/png;base64,", ")"),
            ("[The cup](data:image/png;base64,", " \"title\")"),
            ("<img src='data:image/webp;base64,", "' alt=cup>"),
            ("[cup]: data:image/png;base64,", "\n"),
            (".. image:: data:image/png;base64,", "\n"),
            ("```css\na { background: url(data:font/woff2;charset=utf-8;base64,", "); }\n```"),
            ("{\"image/png\": \"", "\\n\"}"),
            ("The bytes are ", "."),
        ] {
            for data in [&data, &lines] {
                assert_eq!(read(&[before, data, behind].concat()), [before, "…", behind].concat());
            }
        }
        let svg = "%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22%20".repeat(9);
        assert_eq!(read(&format!("![x](data:image/svg+xml,{svg})")), "![x](data:image/svg+xml,…)");
        let in_links = base64(300).replace('+', "-").replace('/', "_");
        assert_eq!(read(&format!("[x](/play#{in_links})")), "[x](/play#…)");
        for source in ["a.md", "a.rst", "a.txt", "a.html"] {
            let text = format!("<p>One ![A cup](data:image/png;base64,{data}) two.</p>");
            let document = Document::parse(source, text.as_bytes()).unwrap();
            assert!(document.text.len() < 100, "{}", document.text);
            let at = document.text.find("two").unwrap();
            assert!(text[document.origin.place(&(at..at + 3)).span].contains("two"), "{source}");
        }
    }

    #[test]
    fn names_keys_and_words_stay() {
        let path = "/Library/Application/Support/Kettle/Documents/2026/Measurements/Temperatures/March/Third/Week/Raw/Copies/Old";
        for text in [
            "data:text/plain;base64,SGVsbG8sIFdvcmxkIQ==".to_owned(),
            format!("the data: {}", "word ".repeat(60)),
            "metadata:name,other".to_owned(),
            format!("sha512-{}", base64(88)),
            "0123456789abcdef".repeat(32),
            "ACGTTGCA".repeat(60),
            "Donaudampfschifffahrt".repeat(9),
            path.repeat(3),
            "-".repeat(500),
            "a-long-slug-of-a-Page-in-2026/".repeat(9),
            "SOME_CONSTANT_NAME_".repeat(9),
            "=".repeat(500),
            "1/2+".repeat(90),
        ] {
            assert_eq!(read(&text), text);
        }
    }

    #[test]
    fn long_texts_are_read_in_linear_time() {
        for piece in ["data:", "data:a/b,", "A1b", "A1b \n", "data:a,\n\n"] {
            let text = piece.repeat(1_000_000 / piece.len());
            assert!(data(&text).len() < 2);
        }
    }
}
