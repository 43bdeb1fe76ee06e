//! Sentences, as ranges, in text whose lines mean something.

use std::ops::Range;

use crate::markup::begins_item;

/// Returns the sentences of a stretch of running text, without the white space around them.
///
/// Line ends count as spaces, except before a line that begins an item and behind a hard line break (two spaces or
/// a backslash).
pub fn sentences(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut start = range.start;
    for end in forced_breaks(&text[range.clone()]) {
        let end = range.start + end;
        let found = ibid_text::sentences(&text[start..end]);
        out.extend(found.into_iter().map(|sentence| start + sentence.start..start + sentence.end));
        start = end;
    }
    out
}

/// Finds the ends of sentences whatever their words say, the end of the text included.
fn forced_breaks(text: &str) -> Vec<usize> {
    let mut breaks = Vec::new();
    let mut line = 0;
    for (at, _) in text.match_indices('\n') {
        let end = at + 1;
        let before = text[line..at].trim_end_matches('\r');
        let next = text[end..].split('\n').next().unwrap_or_default();
        let hard = before.ends_with("  ") || before.ends_with('\\');
        if hard || next.trim().is_empty() || begins_item(next) {
            breaks.push(end);
        }
        line = end;
    }
    if breaks.last() != Some(&text.len()) {
        breaks.push(text.len());
    }
    breaks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text, 0..text.len()).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn lines_are_joined_unless_they_begin_something() {
        assert_eq!(split("A visit to\nLondon. It\r\nrained."), ["A visit to\nLondon.", "It\r\nrained."]);
        assert_eq!(
            split("Signs\n■ Fever\n■ Pain\n1. Rest\n2. Water"),
            ["Signs", "■ Fever", "■ Pain", "1. Rest", "2. Water"]
        );
        assert_eq!(
            split("A hard  \nbreak\\\nhere\n\nA paragraph"),
            ["A hard", "break\\", "here", "A paragraph"]
        );
    }

    proptest! {
        #[test]
        fn nothing_but_white_space_is_left_out(text in "([a-zA-Z0-9.!?)\"' \n\r\\\\-]|[é。■\u{2028}\u{301}]){0,80}") {
            let mut end = 0;
            for sentence in sentences(&text, 0..text.len()) {
                prop_assert!(sentence.start >= end && text[end..sentence.start].trim().is_empty());
                prop_assert!(!text[sentence.clone()].trim().is_empty());
                end = sentence.end;
            }
            prop_assert!(text[end..].trim().is_empty());
        }
    }
}
