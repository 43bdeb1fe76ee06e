//! NXML: articles in JATS (ANSI/NISO Z39.96) and books in BITS, as `PubMed` Central and the NCBI Bookshelf have them.
//!
//! Sections make the tree; the titles of a book, its part and their sections make the path. Lists of references,
//! acknowledgements and the front matter are left out, but for the abstract. Superscript is written `10^9`,
//! subscript `CO2`, a fraction `a/b`. A number that only refers to the list of references is dropped if it is set
//! as superscript.

mod element;
mod front;
mod reader;

use quick_xml::Reader as Xml;
use quick_xml::events::Event;

use super::encoding::Decoded;
use super::{Document, Warning, invalid, skipped};
use ibid_platform::Result;
use reader::NxmlReader;

/// The beginnings of the names of files that hold a book's front matter, references and acknowledgements.
const LEFT_OUT: [(&str, &str); 3] =
    [("fm-", "front matter"), ("rl-", "a list of references"), ("ak-", "acknowledgements")];

/// Reads an article, a book or a part of one; `book` is the book's title, for parts that do not say.
pub(super) fn parse(source: String, decoded: Decoded, book: Option<&str>) -> Result<Document> {
    let name = source.rsplit('/').next().unwrap_or(&source).to_ascii_lowercase();
    if let Some((_, what)) = LEFT_OUT.iter().find(|(start, _)| name.starts_with(start)) {
        return Err(skipped(&source, what));
    }
    if name == "toc.nxml" {
        return Err(skipped(&source, "table of contents"));
    }
    let Decoded { text, origin, mut warnings } = decoded;
    let mut reader = NxmlReader::new(&text, origin, book);
    if let Some((at, why)) = read(&text, &mut reader) {
        let line = memchr::memchr_iter(b'\n', &text.as_bytes()[..at.min(text.len())]).count() + 1;
        if reader.is_empty() {
            return Err(invalid(&source, &format!("its XML is broken on line {line} ({why})")));
        }
        let about = format!("line {line} ({why})");
        warnings.push(Warning::new("XML is ignored after the place where it is broken", about));
    }
    if reader.is_empty() {
        return Err(skipped(&source, "it has only front matter and references"));
    }
    Ok(reader.finish(source, warnings))
}

/// Hands all that is in the file to the reader. Returns where and why it could not go on, if so.
fn read<'a>(text: &'a str, reader: &mut NxmlReader<'a>) -> Option<(usize, String)> {
    let mut xml = Xml::from_str(text);
    let config = xml.config_mut();
    // The reader matches names itself, and gets over what does not match.
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let mut at = 0;
    loop {
        let event = match xml.read_event() {
            Ok(event) => event,
            Err(error) => return Some((at, error.to_string())),
        };
        let end = xml.buffer_position() as usize;
        match event {
            Event::Start(tag) => reader.start(&tag, at, end),
            Event::Empty(tag) => {
                reader.start(&tag, at, end);
                reader.end_last();
            }
            Event::End(tag) => reader.end(tag.local_name().into_inner()),
            Event::Text(_) | Event::GeneralRef(_) => reader.text(at..end),
            Event::CData(_) => {
                let (start, end) = (at + "<![CDATA[".len(), end.saturating_sub("]]>".len()));
                reader.verbatim(start..end.max(start));
            }
            Event::Eof => {
                return reader
                    .is_open()
                    .then(|| (text.len(), "it ends before all elements are closed".to_owned()));
            }
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
        at = end;
    }
}

/// Finds the title that a book's table of contents gives it; for archives, whose chapters may not repeat it.
pub(super) fn book_title(decoded: Decoded) -> Option<String> {
    let Decoded { text, origin, .. } = decoded;
    let mut reader = NxmlReader::new(&text, origin, None);
    let _ = read(&text, &mut reader);
    reader.into_title()
}

#[cfg(test)]
mod tests;
