//! Reads PDF and DOCX as HTML, which the room `document` then reads like any other page.
//!
//! A PDF has neither words nor lines, only letters at places. [`html`] finds lines, columns, paragraphs and headings in
//! it. A comment, `<!--page 7-->`, stands before the first word of each page; [`pages`] lists them.

mod docx;
mod html;
mod pdf;

use ibid_platform::{Error, ErrorCode, Result};

/// The endings of names that this room reads.
pub const ENDINGS: [&str; 2] = ["pdf", "docx"];

/// The beginning of the comment before a page's text, and before the pages without text.
const PAGE: &str = "<!--page ";
const EMPTY: &str = "<!--empty ";

/// Returns true for the name of a PDF.
pub fn is_pdf(name: &str) -> bool {
    has_ending(name, "pdf")
}

/// Returns true for the name of a file that this room reads.
pub fn is_paper(name: &str) -> bool {
    ENDINGS.iter().any(|ending| has_ending(name, ending))
}

fn has_ending(name: &str, wanted: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case(wanted))
}

/// Returns the file as HTML. `turn` is called with the number of each page of a PDF before it is read, from 1.
///
/// # Errors
/// [`ErrorCode::InvalidDocument`] for a file that is broken, needs a password, or has no text.
pub fn html(name: &str, bytes: &[u8], turn: &mut dyn FnMut(usize)) -> Result<String> {
    let read = if is_pdf(name) { pdf::html(name, bytes, turn) } else { docx::html(name, bytes) };
    read.map_err(|Fault { why, hint }| {
        let error = Error::new(ErrorCode::InvalidDocument, format!("`{name}` cannot be read: {why}."));
        if hint.is_empty() { error } else { error.with_hint(hint) }
    })
}

/// Returns the byte where each page's text begins, with the page's number from 1.
pub fn pages(html: &str) -> Vec<(usize, usize)> {
    comments(html, PAGE).filter_map(|(end, words)| Some((end, words.trim().parse().ok()?))).collect()
}

/// Returns the numbers of pages that show images and no text, in words; nothing if there are none.
pub fn empty_pages(html: &str) -> Option<&str> {
    comments(html, EMPTY).next().map(|(_, numbers)| numbers)
}

/// The comments that begin like this: the byte behind each, and its words.
fn comments<'a>(html: &'a str, start: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    html.match_indices(start).filter_map(move |(at, _)| {
        let from = at + start.len();
        let length = html[from..].find("-->")?;
        Some((from + length + "-->".len(), &html[from..from + length]))
    })
}

/// The reason why a file cannot be read, without its name.
struct Fault {
    why: &'static str,
    hint: &'static str,
}

impl Fault {
    fn new(why: &'static str, hint: &'static str) -> Self {
        Self { why, hint }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_listed_by_their_comments() {
        let html = "<p><!--page 1-->a</p><p>b<!--page 3--> c</p><!--empty 2, 4-->";
        let found: Vec<_> = pages(html).into_iter().map(|(at, number)| (&html[at..=at], number)).collect();
        assert_eq!(found, [("a", 1), (" ", 3)]);
        assert_eq!(empty_pages(html), Some("2, 4"));
        assert_eq!((pages(""), empty_pages("<p>")), (Vec::new(), None));
    }

    #[test]
    fn endings_tell_papers() {
        assert!(is_paper("a/b.PDF") && is_paper("c.docx") && !is_paper("d.doc") && !is_paper("pdf"));
    }
}
