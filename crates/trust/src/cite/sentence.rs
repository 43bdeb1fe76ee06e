//! The sentences of an answer, and of a passage.

use std::ops::Range;

use super::markdown::{BlockForm, blocks};
use ibid_document::chunk::goes_on;

/// What a citation mark begins with.
const MARK_OPENS: [char; 2] = ['[', '【'];

/// The most bytes of citation marks behind a full stop that are passed over to see how the text goes on.
const MAX_MARK: usize = 80;

/// The most bytes before a full stop that are looked at to tell whether it belongs to an abbreviation.
const MAX_LOOKED_AT: usize = 48;

/// The byte ranges of what can be quoted: sentences, and whole tables and blocks of code, which mean nothing in part.
/// Headings are left out. Of an item, its first sentence has the form of one.
pub(super) fn sentences(text: &str) -> Vec<(BlockForm, Range<usize>)> {
    let mut sentences = Vec::new();
    for (form, block) in blocks(text) {
        let (mut start, mut next) = (block.start, form);
        let mut push = |end: usize| {
            let Some(raw) = text.get(start..end) else { return };
            let sentence = raw.trim();
            let from = start + (raw.len() - raw.trim_start().len());
            start = end;
            if sentence.chars().any(char::is_alphanumeric) {
                sentences.push((next, from..from + sentence.len()));
                next = if form == BlockForm::Item { BlockForm::Paragraph } else { form };
            }
        };
        let prose = if form.is_whole() { "" } else { text.get(block.clone()).unwrap_or_default() };
        for (at, c) in prose.char_indices() {
            let end = at + c.len_utf8();
            let end = match c {
                '。' | '！' | '？' => Some(end),
                '.' | '!' | '?' => ending(prose, end),
                _ => None,
            };
            if let Some(end) = end {
                push(block.start + end);
            }
        }
        push(block.end);
    }
    sentences
}

/// Where the sentence ends whose full stop, or the like, ends here: there, or behind the quotation marks, brackets and signs
/// of emphasis that follow. `None` if it goes on.
///
/// This is a small part of Unicode's rules (UAX #29), without their tables, which weigh more than the rest of this room:
/// white space or a citation mark has to follow, and then no lower-case letter.
fn ending(prose: &str, end: usize) -> Option<usize> {
    let rest = prose.get(end..)?;
    let behind = rest.trim_start_matches(['"', '\'', '”', '’', '»', ')', '*', '_']);
    if !behind.is_empty() && !behind.starts_with(char::is_whitespace) && !behind.starts_with(MARK_OPENS) {
        return None;
    }
    // "5 mg p.o. twice" goes on, and so does "5 mg p.o. [1] twice".
    let next = behind.trim_start();
    let is_mark = next.starts_with(MARK_OPENS);
    let next = next.get(..next.floor_char_boundary(MAX_MARK)).unwrap_or_default();
    let next = next.trim_start_matches(|c: char| !c.is_alphabetic() && is_mark);
    if next.starts_with(char::is_lowercase) && !(is_mark && next.starts_with("source")) {
        return None;
    }
    let from = prose.floor_char_boundary(end.saturating_sub(MAX_LOOKED_AT));
    let before = prose.get(from..end)?;
    let goes_on = before.strip_suffix('.').is_some_and(|word| {
        // The number of an item.
        (from == 0 && word.trim().bytes().all(|byte| byte.is_ascii_digit()))
            || is_initial(word).unwrap_or_else(|| goes_on(before, rest))
    });
    (!goes_on).then_some(end + rest.len() - behind.len())
}

/// Whether a single capital letter is somebody's initial, or part of an abbreviation in capitals, and no name of a thing such
/// as "vitamin C": it stands behind another letter with a full stop, or a word with a capital. `None` if there is none.
fn is_initial(before: &str) -> Option<bool> {
    let letter = before.chars().next_back().filter(|c| c.is_uppercase())?;
    let rest = before.strip_suffix(letter)?;
    if rest.ends_with(char::is_alphanumeric) {
        return None;
    }
    let word = rest.trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
    Some(word.is_empty() || word.ends_with('.') || word.starts_with(char::is_uppercase))
}

/// The sentences, with tables by rows. A table's head, which is the row above its line of dashes, claims nothing.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|(_, span)| &text[span]).collect()
    }

    #[test]
    fn abbreviations_initials_and_decimals_end_no_sentence() {
        for whole in [
            "Dr. Okoro and Prof. Ada M. Byron agree.",
            "J. R. Okoro agrees.",
            "Give 2.5 mg i.v. Adrenaline helps, e.g. Epinephrine.",
            "See Fig. 2 and No. 5 of Smith et al. 2010.",
            "The U.S. Army waits.",
            "1. Rest well.",
            "12. Drink, approx. Two liters.",
            "Das gilt z. B. Bei Kindern (vgl. Abb. 3).",
            "5 mg p.o. [1] twice daily.",
            "5 mg p.o.[1] twice daily.",
            "It is 5 mg. [1] or so.",
        ] {
            assert_eq!(split(whole), [whole]);
        }
    }

    #[test]
    fn sentences_end_where_they_end() {
        for (text, sentences) in [
            (
                "Take vitamin C. Then rest. It is type 2. Go!",
                vec!["Take vitamin C.", "Then rest.", "It is type 2.", "Go!"],
            ),
            (
                "He said \"go.\" Then (he left.) **Now.** End",
                vec!["He said \"go.\"", "Then (he left.)", "**Now.**", "End"],
            ),
            (
                "Daily.[1] Then weekly. [2] And so【3】. Last",
                vec!["Daily.", "[1] Then weekly.", "[2] And so【3】.", "Last"],
            ),
            (
                "Daily. [source: 2] Next. [Source: A b] Then",
                vec!["Daily.", "[source: 2] Next.", "[Source: A b] Then"],
            ),
            ("Is it 5? 6 is more.", vec!["Is it 5?", "6 is more."]),
            ("用量。次の文！", vec!["用量。", "次の文！"]),
            ("See a.b.c and x.y", vec!["See a.b.c and x.y"]),
        ] {
            assert_eq!(split(text), sentences, "{text}");
        }
    }

    #[test]
    fn a_megabyte_of_anything_is_read_once() {
        for unit in [
            ".", ". ", ".)", ".\"", ".[", ". [1", "A.", " A. ", "..[1]a", "。", "!\u{a0}", "1. ", "\n1. ",
            "|\n", "```\n",
        ] {
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
