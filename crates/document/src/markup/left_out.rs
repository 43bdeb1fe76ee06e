//! Elements in markdown that their author leaves out.

use super::tag::MarkupTag;

/// The marks that leave an element out: of ibid, Pagefind, search engines and Material for `MkDocs`.
const MARKS: [&str; 4] =
    ["data-ibid-ignore", "data-pagefind-ignore", "data-nosnippet", "data-search-exclude"];

/// Returns true for the start tag of an element that is left out.
pub(super) fn is_ignored(text: &str, tag: &MarkupTag<'_>) -> bool {
    let written = &text[tag.range.clone()];
    !tag.is_end && !tag.is_empty && MARKS.iter().any(|mark| written.contains(mark))
}

/// Finds the place of the end tag of an element, and its end: the first of its name, or where `is_nested` the one that
/// closes it.
pub(super) fn end_tag(text: &str, tag: &MarkupTag<'_>, is_nested: bool) -> Option<(usize, usize)> {
    let (mut depth, mut at) = (0, tag.range.end);
    while let Some(length) = text[at..].find('<') {
        at += length;
        let rest = &text[at + 1..];
        let is_end = rest.starts_with('/');
        let of_name = rest[usize::from(is_end)..].strip_prefix(tag.name);
        let is_same = of_name
            .is_some_and(|behind| !behind.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-'));
        match (is_same, is_end) {
            (true, true) if depth == 0 => {
                return Some((at, rest.find('>').map_or(text.len(), |length| at + length + 2)));
            }
            (true, true) => depth -= 1,
            (true, false) => depth += usize::from(is_nested),
            _ => {}
        }
        at += 1;
    }
    None
}
