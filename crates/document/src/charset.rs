//! Other encodings than UTF-8, where a file says that it has one: in its mark, its XML declaration or a `<meta>`.
//!
//! The tables are large, so pages do without; a visitor's files are UTF-8.

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

use super::{Format, Origin};

/// The bytes in which a declaration is looked for. HTML wants it in the first 1,024; some tools put comments before it.
const HEAD: usize = 4096;

/// Reads the text of a file in the encoding that it declares, with the number of its bytes that mean nothing there;
/// `None` for one in UTF-8, or that says nothing.
pub(super) fn read(source: &str, bytes: &[u8], origin: &mut Origin) -> Option<(String, usize)> {
    let (encoding, mark) = match Encoding::for_bom(bytes) {
        Some((encoding, mark)) => (encoding, mark),
        None => (declared(source, bytes)?, 0),
    };
    // A page that is UTF-8 throughout was converted, and its declaration forgotten.
    let is_utf8 = || encoding != ISO_2022_JP && std::str::from_utf8(bytes).is_ok();
    if encoding == UTF_8 || (mark == 0 && is_utf8()) {
        return None;
    }
    let is_wide = encoding == UTF_16LE || encoding == UTF_16BE;
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 2);
    let (mut at, mut lost) = (mark, 0);
    while at < bytes.len() {
        let end = part_end(&bytes[at..], is_wide) + at;
        let start = text.len();
        let part = &bytes[at..end];
        text.reserve(decoder.max_utf8_buffer_length(part.len())?);
        let (_, _, has_lost) = decoder.decode_to_string(part, &mut text, end == bytes.len());
        lost += usize::from(has_lost);
        origin.push(start..text.len(), at..end);
        at = end;
    }
    Some((text, lost))
}

/// Finds the end of the first line, or of the first tag in it. In all encodings of pages but UTF-16 these bytes are never
/// a part of another character.
fn part_end(bytes: &[u8], is_wide: bool) -> usize {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'>');
    if is_wide {
        let end = bytes.chunks(2).position(|pair| pair.iter().any(is_end) && pair.contains(&0));
        return end.map_or(bytes.len(), |at| (2 * at + 2).min(bytes.len()));
    }
    bytes.iter().position(is_end).map_or(bytes.len(), |at| at + 1)
}

/// Reads the encoding that a page in HTML or XML declares.
fn declared(source: &str, bytes: &[u8]) -> Option<&'static Encoding> {
    if !matches!(Format::of_name(source), Some(Format::Html | Format::Nxml) | None) {
        return None;
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]).to_ascii_lowercase();
    let of = |text: &str, key: &str| {
        let value = text.split_once(key)?.1.trim_start().strip_prefix('=')?.trim_start();
        let value = value.trim_start_matches(['"', '\'']);
        let end = value.find(|c: char| c.is_whitespace() || "\"';/>?".contains(c)).unwrap_or(value.len());
        Encoding::for_label(&value.as_bytes()[..end])
    };
    let xml = head.trim_start().strip_prefix("<?xml").and_then(|rest| rest.split_once("?>"));
    let mut metas = head.split("<meta").skip(1).filter_map(|rest| rest.split_once('>'));
    let found = xml.and_then(|(xml, _)| of(xml, "encoding"));
    let found = found.or_else(|| metas.find_map(|(meta, _)| of(meta, "charset")))?;
    // A declaration that can be read in single bytes is not in UTF-16.
    Some(if found == UTF_16LE || found == UTF_16BE { UTF_8 } else { found })
}

#[cfg(test)]
mod tests {
    use crate::Document;

    /// The text of a page and the bytes that it was read from, for a word in it.
    fn read(name: &str, bytes: &[u8], word: &str) -> (String, Vec<u8>) {
        let document = Document::parse(name, bytes).unwrap();
        let at = document.text.find(word).unwrap_or_else(|| panic!("{:?}", document.text));
        let span = document.origin.place(&(at..at + word.len())).span;
        (document.text, bytes[span].to_vec())
    }

    #[test]
    fn declared_encodings_are_read() {
        let page = |head: &str, encoding: &'static encoding_rs::Encoding, text: &str| {
            let body = format!("{head}<title>t</title><h1>{text}</h1>\n<p>Words.");
            (encoding.encode(&body).0.into_owned(), encoding.encode(text).0.into_owned())
        };
        for (name, head, encoding, text) in [
            ("a.html", "<meta charset=windows-1251>", encoding_rs::WINDOWS_1251, "Привет"),
            (
                "a.html",
                "<META http-equiv='Content-Type' content='text/html; charset=Shift_JIS'>",
                encoding_rs::SHIFT_JIS,
                "ソ東京",
            ),
            ("a.htm", "<meta charset=\"iso-2022-jp\">", encoding_rs::ISO_2022_JP, "東京"),
            ("a.xhtml", "<?xml version='1.0' encoding='ISO-8859-2'?>", encoding_rs::ISO_8859_2, "Zażółć"),
        ] {
            let (bytes, own) = page(head, encoding, text);
            let (read, span) = read(name, &bytes, text);
            assert!(read.starts_with(&format!("# {text}\n\nWords.")), "{read}");
            assert!(span.windows(own.len()).any(|part| part == own), "{head}");
        }
        for wide in [&b"\xFF\xFE"[..], b"\xFE\xFF"] {
            let units = "Zwei\nWörter\n".encode_utf16();
            let bytes: Vec<u8> = if wide[0] == 0xFF {
                units.flat_map(u16::to_le_bytes).collect()
            } else {
                units.flat_map(u16::to_be_bytes).collect()
            };
            let (_, span) = read("a.txt", &[wide, &bytes].concat(), "Wörter");
            assert_eq!(span.len(), "Wörter\n".encode_utf16().count() * 2);
        }
    }

    #[test]
    fn utf8_stays_what_it_is_whatever_is_declared() {
        let page = "<meta charset=iso-8859-1><h1>Café</h1><p>Words.";
        assert!(read("a.html", page.as_bytes(), "Café").0.starts_with("# Café"));
        let markdown = "Write `<meta charset=utf-16>`: caf\u{e9}.";
        assert!(read("a.md", markdown.as_bytes(), "caf\u{e9}").0.contains("utf-16"));
    }
}
