//! The place where a block may be cut: ranges that cover all of it but white space.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::markup::{begins_item, fence_of};

/// Lists the lines that are not blank, each with its indentation and without white space at its end.
pub(super) fn lines(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut start = range.start;
    text[range].split_inclusive('\n').filter_map(move |line| {
        let at = start;
        start += line.len();
        let length = line.trim_end().len();
        (length > 0).then(|| at..at + length)
    })
}

/// Lists the items of a list, or the lines of a quotation, with the lines that continue them.
pub(super) fn items(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut in_code = false;
    let mut lines = lines(text, range)
        .map(move |line| {
            let is_fence = is_fence(&text[line.clone()]);
            let begins = !in_code && begins_item(&text[line.clone()]);
            in_code ^= is_fence;
            (line, begins)
        })
        .peekable();
    std::iter::from_fn(move || {
        let (mut item, _) = lines.next()?;
        while let Some((line, _)) = lines.next_if(|(_, begins)| !begins) {
            item.end = line.end;
        }
        Some(item)
    })
}

/// Returns whether code begins or ends on a line, perhaps as the first of an item.
pub(super) fn is_fence(line: &str) -> bool {
    fence_of(line).is_some_and(|fence| fence.mark != ':')
}

/// Lists the words between white space.
pub(super) fn words(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = range.start;
    let end = range.end;
    std::iter::from_fn(move || {
        let rest = &text[at..end];
        let start = at + (rest.len() - rest.trim_start().len());
        let length = text[start..end].find(char::is_whitespace).unwrap_or(end - start);
        at = start + length;
        (length > 0).then_some(start..at)
    })
}

/// Characters as a reader sees them (UAX #29, extended grapheme clusters).
pub(super) fn graphemes(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let offset = range.start;
    text[range].grapheme_indices(true).map(move |(at, grapheme)| offset + at..offset + at + grapheme.len())
}

/// Single code points.
pub(super) fn characters(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let offset = range.start;
    text[range].char_indices().map(move |(at, char)| offset + at..offset + at + char.len_utf8())
}
