//! The sentences of running text.
//!
//! This is a small part of Unicode's rules (UAX #29), without their tables, which weigh more than the rest of this
//! crate, and with abbreviations, of which they know nothing.

use std::ops::Range;

use ibid_platform::case;

/// Words whose full stop ends no sentence, whatever follows. Single letters (initials, `e.g.`, `i.v.`) need no entry.
const ABBREVIATIONS: &str = " abb al approx assoc bzw ca capt cf col dept dr drs ed eds eq eqs evtl excl fig figs gen \
    ggf hon incl lt messrs mr mrs ms mt prof ref refs resp rev sgt sog spp st subsp suppl vgl viz vs ";

/// Words whose full stop ends no sentence when a number follows.
const BEFORE_NUMBERS: &str = " apr art aug cap ch chap dec feb jan jul jun kap mar max min no nos nov nr oct para pp \
    sec sect sep sept tab tabl vers vol vols ";

/// Citation marks begin with these.
const MARK_OPENS: [char; 3] = ['[', '【', '［'];

/// The most bytes of citation marks behind a full stop that are passed over to see how the text goes on.
const MAX_MARK: usize = 80;

/// The most bytes before a full stop that are looked at to tell whether it belongs to an abbreviation.
const MAX_LOOKED_AT: usize = 48;

/// Quotation marks, brackets and signs of emphasis behind a full stop belong to its sentence.
const CLOSING: [char; 11] = ['"', '\'', '”', '’', '»', ')', '*', '_', '」', '』', '）'];

/// Returns the byte ranges of a text's sentences, without the white space around them.
///
/// Line ends count as spaces. A stretch without a letter, such as the number of an item, is part of the sentence behind
/// it.
///
/// ```
/// let text = "Dr. Okoro gives 2.5 mg. Then (she waits.) Rest";
/// let sentences: Vec<&str> = ibid_text::sentences(text).into_iter().map(|range| &text[range]).collect();
/// assert_eq!(sentences, ["Dr. Okoro gives 2.5 mg.", "Then (she waits.)", "Rest"]);
/// ```
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut push = |end: usize| {
        let sentence = text.get(start..end).unwrap_or_default();
        let trimmed = sentence.trim();
        if !trimmed.is_empty() {
            let from = start + (sentence.len() - sentence.trim_start().len());
            sentences.push(from..from + trimmed.len());
        }
        start = end;
    };
    let mut has_letter = false;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let end = match c {
            '.' | '!' | '?' => ending(text, end),
            '。' | '！' | '？' | '｡' | '؟' | '۔' | '।' | '॥' | '።' | '။' | '‼' | '⁇' | '⁈' | '⁉' => {
                Some(text.len() - closed(&text[end..]).len())
            }
            _ => {
                has_letter |= c.is_alphabetic();
                None
            }
        };
        if let Some(end) = end.filter(|_| has_letter) {
            push(end);
            has_letter = false;
        }
    }
    push(text.len());
    sentences
}

/// Cuts off what closes the sentence before the text.
fn closed(rest: &str) -> &str {
    rest.trim_start_matches(CLOSING)
}

/// Finds the end of the sentence whose full stop, or the like, ends here: there, or behind what closes it. `None` if it
/// goes on: white space or a citation mark has to follow, and then no lower-case letter.
fn ending(text: &str, end: usize) -> Option<usize> {
    let rest = text.get(end..)?;
    let behind = closed(rest);
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
    let before = text.get(text.floor_char_boundary(end.saturating_sub(MAX_LOOKED_AT))..end)?;
    let goes_on = before
        .strip_suffix('.')
        .is_some_and(|before| is_initial(before).unwrap_or_else(|| is_abbreviation(before, rest)));
    (!goes_on).then_some(end + rest.len() - behind.len())
}

/// Says whether a single capital letter is somebody's initial, or part of an abbreviation in capitals, and no name of a thing
/// such as "vitamin C": it stands behind another letter with a full stop, or a word with a capital. `None` if there is
/// none.
fn is_initial(before: &str) -> Option<bool> {
    let letter = before.chars().next_back().filter(|c| c.is_uppercase())?;
    let rest = before.strip_suffix(letter)?;
    if rest.ends_with(char::is_alphanumeric) {
        return None;
    }
    let word = rest.trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
    Some(word.is_empty() || word.ends_with('.') || word.starts_with(char::is_uppercase))
}

/// Says whether the word before a full stop is an abbreviation, by what follows.
fn is_abbreviation(before: &str, rest: &str) -> bool {
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let mut letters = word.chars();
    if letters.next().is_none_or(|first| letters.next().is_none() && first.is_alphabetic()) {
        return !word.is_empty();
    }
    let word = format!(" {} ", case::lowercase(word));
    ABBREVIATIONS.contains(&word)
        || BEFORE_NUMBERS.contains(&word) && rest.trim_start().starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn abbreviations_initials_and_decimals_end_no_sentence() {
        for whole in [
            "Dr. Okoro and Prof. Ada M. Byron agree vs. Mrs. Bell.",
            "J. R. Okoro agrees.",
            "Give 0.5 mg, e.g. Adrenaline, i.e. Epinephrine.",
            "Give 2.5 mg i.v. Adrenaline helps, e.g. Epinephrine.",
            "See Fig. 2 A and Eq. 3 and No. 5 of Smith et al. 2010.",
            "Smith et al. 2010 found approx. 5 % of No. 7 on Jan. 5, p. 12.",
            "The U.S. Army waits.",
            "1. Rest well.",
            "12. Drink, approx. Two liters.",
            "Das gilt z. B. Bei Kindern (vgl. Abb. 3).",
            "5 mg p.o. [1] twice daily.",
            "5 mg p.o.[1] twice daily.",
            "It is 5 mg. [1] or so.",
            "\"Really?\" he asked.",
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
            ("One. Two! \"Three?\" Four… Five", vec!["One.", "Two!", "\"Three?\"", "Four… Five"]),
            ("No. Then go.", vec!["No.", "Then go."]),
            (
                "Is it 5? 6 is more. It was 1999. Then 2000.",
                vec!["Is it 5?", "6 is more.", "It was 1999.", "Then 2000."],
            ),
            ("用量。「次の文！」終", vec!["用量。", "「次の文！」", "終"]),
            ("यह एक है। यह दो है।", vec!["यह एक है।", "यह दो है।"]),
            ("See a.b.c and x.y", vec!["See a.b.c and x.y"]),
            (" \n ", vec![]),
        ] {
            assert_eq!(split(text), sentences, "{text}");
        }
    }

    #[test]
    fn a_megabyte_of_anything_is_read_once() {
        for unit in [
            ".",
            ". ",
            ".)",
            ".\"",
            ".[",
            ". [1",
            "A.",
            " A. ",
            "..[1]a",
            "。",
            "!\u{a0}",
            "1. ",
            "\n1. ",
            " ",
            ")",
            "a.\u{300} ",
            "\u{ad}",
            "e.g. ",
        ] {
            assert!(sentences(&(".".to_owned() + &unit.repeat(300_000))).len() < 700_000);
        }
    }

    proptest! {
        #[test]
        fn nothing_but_white_space_is_left_out(text in "([a-zA-Z0-9.!?)\"' \n\r#|\\[\\]*-]|[éß。【】’■\u{2028}\u{301}]){0,80}") {
            let mut end = 0;
            for sentence in sentences(&text) {
                prop_assert!(sentence.start >= end && text[end..sentence.start].trim().is_empty());
                prop_assert!(!text[sentence.clone()].trim().is_empty());
                end = sentence.end;
            }
            prop_assert!(text[end..].trim().is_empty());
        }
    }
}
