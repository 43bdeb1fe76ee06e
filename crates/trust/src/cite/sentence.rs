//! The sentences of an answer, and of a passage.

use std::ops::Range;

use super::markdown::{BlockForm, blocks};

/// Finds the byte ranges of what can be quoted: sentences, and whole tables and blocks of code, which mean nothing in
/// part. Headings are left out. Of an item, its first sentence has the form of one.
pub(super) fn sentences(text: &str) -> Vec<(BlockForm, Range<usize>)> {
    let mut sentences = Vec::new();
    for (form, block) in blocks(text) {
        let prose = text.get(block.clone()).unwrap_or_default();
        let found = if form.is_whole() {
            std::iter::once(0..prose.len()).collect()
        } else {
            ibid_text::sentences(prose)
        };
        let mut next = form;
        for Range { start, end } in found {
            let sentence = prose[start..end].trim();
            if sentence.chars().any(char::is_alphanumeric) {
                let start = block.start + end - prose[start..end].trim_start().len();
                sentences.push((next, start..start + sentence.len()));
                next = if form == BlockForm::Item { BlockForm::Paragraph } else { form };
            }
        }
    }
    sentences
}

/// Finds the sentences, with tables by rows. A table's head, which is the row above its line of dashes, claims nothing.
pub(super) fn statements(text: &str) -> Vec<(BlockForm, Range<usize>)> {
    let mut pieces = Vec::new();
    for (form, span) in sentences(text) {
        let Some(table) = text.get(span.clone()).filter(|_| form == BlockForm::Table) else {
            pieces.push((form, span));
            continue;
        };
        let mut at = span.start;
        let mut first = pieces.len();
        for line in table.split_inclusive('\n') {
            let row = line.trim();
            let from = at + (line.len() - line.trim_start().len());
            at += line.len();
            if !row.is_empty() && row.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t')) {
                pieces.truncate(first);
            } else {
                first = pieces.len();
                pieces.push((form, from..from + row.len()));
            }
        }
    }
    pieces
}

/// Returns whether a text is nothing but a quote from a passage, such as an extractive answer has: its lines stand there in
/// the same order. Items of a list and rows of a table may be left out between them.
pub(super) fn is_quote(text: &str, passage: &str) -> bool {
    let (quote, passage) = (quoted(text), passage.replace("\\[", "["));
    let mut rest = passage.as_str();
    let mut lines = quote.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    lines.peek().is_some()
        && lines.all(|line| match rest.split_once(line) {
            Some((_, behind)) => {
                rest = behind;
                true
            }
            None => false,
        })
}

/// Returns whether a claim is a sentence of a passage, or a row of a table in it, in the same words.
pub(super) fn is_sentence_of(claim: &str, passage: &str) -> bool {
    let (claim, passage) = (quoted(claim), passage.replace("\\[", "["));
    statements(&passage).into_iter().any(|(_, span)| passage.get(span) == Some(&claim))
}

/// Finds the words of a quote as they stand in the passage, whose brackets may be escaped too.
fn quoted(text: &str) -> String {
    text.trim().trim_end_matches('…').trim_end().replace("\\[", "[")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_megabyte_of_anything_is_read_once() {
        for unit in [". ", ".[", ". [1", "..[1]a", "1. ", "\n1. ", "|\n", "```\n"] {
            sentences(&unit.repeat(300_000));
        }
    }

    proptest! {
        #[test]
        fn they_are_in_order_and_hold_all_letters(text in "([a-zA-Z0-9.!?)\"' \n#|\\[\\]*-]|[éß。【】’]){0,80}") {
            let mut end = 0;
            for (_, Range { start, end: stop }) in sentences(&text) {
                prop_assert!(start >= end && start < stop);
                prop_assert!(text.is_char_boundary(start) && text.is_char_boundary(stop));
                end = stop;
            }
        }
    }
}
