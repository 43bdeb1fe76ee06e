//! Finding what may be a citation mark by its brackets.

use std::ops::Range;

use super::form::{Named, lenticular, square};

/// The brackets of marks: those of Markdown, and those that models write in Chinese and Japanese.
const BRACKETS: [(char, char); 3] = [('[', ']'), ('【', '】'), ('［', '］')];

/// The brackets that open a mark.
pub(super) const OPENS: [char; 3] = ['[', '【', '［'];

/// The brackets that close a mark.
pub(super) const CLOSES: [char; 3] = [']', '】', '］'];

/// The most bytes between the brackets of a mark.
const MAX_LENGTH: usize = 64;

/// The most bytes of an address that are looked through.
const LONGEST_ADDRESS: usize = 300;

/// The most bytes between the brackets of a mark that names a source by its title.
pub(super) const MAX_LABEL: usize = 300;

/// A citation mark: where it stands and what it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitationMark {
    /// The byte range with both brackets.
    pub span: Range<usize>,
    /// The numbers in the order they are named, each once; none if it names a title.
    pub numbers: Vec<u32>,
    /// The byte range of the title that it names in place of numbers, with the year if there is one.
    pub label: Option<Range<usize>>,
}

/// All that a text has in brackets of a mark's form, in order; what of it is code or a link, Markdown tells.
pub(super) fn candidates(text: &str) -> Vec<CitationMark> {
    let mut found: Vec<CitationMark> = Vec::new();
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find(OPENS)).map(|open| at + open) {
        at = match candidate(text, start) {
            Some(marker) => {
                let end = marker.span.end;
                found.push(marker);
                end
            }
            None => start + 1,
        };
        at = text.ceil_char_boundary(at);
    }
    found
}

/// Reads the mark whose bracket opens here, if it is one that is neither escaped nor that of a definition.
fn candidate(text: &str, start: usize) -> Option<CitationMark> {
    let (before, rest) = text.split_at_checked(start)?;
    let (open, close) = BRACKETS.into_iter().find(|(open, _)| rest.starts_with(*open))?;
    let (square_one, lenticular_one) = (open == '[', open == '【');
    let inner = start + open.len_utf8();
    let rest = rest.get(open.len_utf8()..)?;
    let rest = rest.get(..rest.floor_char_boundary(MAX_LABEL + close.len_utf8()))?;
    let (said, _) =
        rest.split_once([open, close, '\n']).filter(|(said, _)| rest[said.len()..].starts_with(close))?;
    let end = inner + said.len() + close.len_utf8();
    let (numbers, label) = match if lenticular_one { lenticular(said) } else { square(said) }? {
        Named::Numbers(numbers) if said.len() <= MAX_LENGTH => (numbers, None),
        Named::Numbers(_) => return None,
        Named::Label(label) => (Vec::new(), Some(inner + label.start..inner + label.end)),
    };
    let defines = || text.get(end..).is_some_and(|rest| rest.starts_with(':')) && begins_line(before);
    let foreign = square_one && (is_escaped(before) || defines());
    (!foreign && !is_in_address(before, &text[end..])).then_some(CitationMark {
        span: start..end,
        numbers,
        label,
    })
}

/// Returns whether an address goes on from the text before a bracket to the text behind it. A mark at the end of
/// an address stands behind it.
fn is_in_address(before: &str, behind: &str) -> bool {
    let goes_on = behind.starts_with(|c: char| c.is_ascii_alphanumeric() || "/=&?#%_-".contains(c));
    let run = &before[before.ceil_char_boundary(before.len().saturating_sub(LONGEST_ADDRESS))..];
    goes_on && run.rsplit(char::is_whitespace).next().is_some_and(|run| run.contains("://"))
}

/// Returns whether the sign behind this text is escaped by a backslash.
pub(super) fn is_escaped(before: &str) -> bool {
    (before.len() - before.trim_end_matches('\\').len()) % 2 == 1
}

/// Returns whether what stands behind this text begins a line, but for indentation.
pub(super) fn begins_line(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t', '>']);
    before.is_empty() || before.ends_with('\n')
}
