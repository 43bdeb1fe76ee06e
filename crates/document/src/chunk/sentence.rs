//! Sentences, as ranges: Unicode's rules (UAX #29), mended where they know too little of abbreviations and lines.

use std::borrow::Cow;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::pieces::begins_item;

/// Words whose full stop ends no sentence, whatever follows. Single letters (initials, `e.g.`, `i.v.`) need no entry.
const ABBREVIATIONS: [&str; 44] = [
    "abb", "al", "approx", "assoc", "bzw", "ca", "capt", "cf", "col", "dept", "dr", "drs", "ed", "eds", "eq",
    "eqs", "evtl", "excl", "fig", "figs", "gen", "ggf", "hon", "incl", "lt", "messrs", "mr", "mrs", "ms",
    "mt", "prof", "ref", "refs", "resp", "rev", "sgt", "sog", "spp", "st", "subsp", "suppl", "vgl", "viz",
    "vs",
];

/// Words whose full stop ends no sentence when a number follows.
const BEFORE_NUMBERS: [&str; 31] = [
    "apr", "art", "aug", "cap", "ch", "chap", "dec", "feb", "jan", "jul", "jun", "kap", "mar", "max", "min",
    "no", "nos", "nov", "nr", "oct", "para", "pp", "sec", "sect", "sep", "sept", "tab", "tabl", "vers",
    "vol", "vols",
];

/// The longest word that is looked up.
const LONGEST: usize = 24;

/// Behind a full stop, Unicode's rule SB8 looks ahead from every space and bracket for the next letter. A text that
/// has nothing but those for so many characters gets a boundary there, so that the time stays linear.
const MOST_AHEAD: usize = 64;

/// The sentences of a stretch of running text, without the white space around them.
///
/// Line ends count as spaces, except before a line that begins an item and behind a hard line break (two spaces or
/// a backslash). A stretch without a letter, such as the number of an item, is part of the sentence behind it.
pub fn sentences(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let offset = range.start;
    let text = &text[range];
    let flat = flatten(text);
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for end in forced_breaks(text) {
        let stretch = &flat[start..end];
        let mut sentence = start..start;
        let mut has_letter = false;
        while sentence.end < end {
            let part = sentence.end;
            sentence.end = start + boundary(stretch, part - start);
            has_letter = has_letter || flat[part..sentence.end].chars().any(char::is_alphabetic);
            if has_letter && !goes_on(&flat[sentence.clone()], &flat[sentence.end..end]) {
                push(&mut out, &flat, sentence.clone(), offset);
                sentence.start = sentence.end;
                has_letter = false;
            }
        }
        push(&mut out, &flat, sentence, offset);
        start = end;
    }
    out
}

/// Where Unicode's rules see the first end of a sentence in a text behind `from`, which must be one itself.
///
/// They look up each character in tables. Most texts are quicker read up to the word that ends a sentence perhaps, and
/// by the rules from there on.
fn boundary(text: &str, from: usize) -> usize {
    let Some(at) = text[from..].find(may_end) else { return text.len() };
    let word = text[from..from + at].rfind(' ').map_or(from, |space| from + space);
    text[word..].split_sentence_bounds().next().map_or(text.len(), |sentence| word + sentence.len())
}

/// Whether a character has a part in ending a sentence. Some that have none may be among those that have; what is left
/// out are whole blocks of letters and symbols.
fn may_end(c: char) -> bool {
    match c {
        '\0'..='\u{7f}' => matches!(c, '.' | '!' | '?' | '\n' | '\r'),
        '\u{a0}'..='\u{588}'
        | '\u{2000}'..='\u{2023}'
        | '\u{2030}'..='\u{203b}'
        | '\u{2070}'..='\u{2bff}'
        | '\u{3040}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{1f300}'..='\u{1faff}' => false,
        _ => true,
    }
}

fn push(out: &mut Vec<Range<usize>>, text: &str, range: Range<usize>, offset: usize) {
    let sentence = &text[range.clone()];
    let start = offset + range.start + (sentence.len() - sentence.trim_start().len());
    let trimmed = sentence.trim();
    if !trimmed.is_empty() {
        out.push(start..start + trimmed.len());
    }
}

/// The same bytes with spaces for line ends, which for Unicode's rules end a sentence.
fn flatten(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r']) {
        Cow::Owned(text.replace(['\n', '\r'], " "))
    } else {
        Cow::Borrowed(text)
    }
}

/// Where a sentence ends whatever its words say, the end of the text included.
fn forced_breaks(text: &str) -> Vec<usize> {
    let mut breaks = Vec::new();
    let mut line = 0;
    // Characters that the rule SB8 has to be asked about, since the last full stop without a letter behind it.
    let mut ahead: Option<usize> = None;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match c {
            '.' | '\u{2024}' | '\u{fe52}' | '\u{ff0e}' => ahead = Some(0),
            _ if ahead.is_none() => {}
            _ if c.is_ascii_alphanumeric() || c.is_lowercase() || c.is_uppercase() => ahead = None,
            _ => {}
        }
        if let Some(count) = &mut ahead
            && !c.is_alphanumeric()
        {
            *count += 1;
            if *count > MOST_AHEAD {
                breaks.push(end);
                ahead = None;
            }
        }
        if c == '\n' {
            let before = text[line..at].trim_end_matches('\r');
            let next = text[end..].split('\n').next().unwrap_or_default();
            let hard = before.ends_with("  ") || before.ends_with('\\');
            if (hard || next.trim().is_empty() || begins_item(next)) && breaks.last() != Some(&end) {
                breaks.push(end);
            }
            line = end;
        }
    }
    if breaks.last() != Some(&text.len()) {
        breaks.push(text.len());
    }
    breaks
}

/// Whether what looks like the end of a sentence is the full stop of an abbreviation or an initial.
pub fn goes_on(sentence: &str, rest: &str) -> bool {
    let Some(before) = sentence.trim_end().strip_suffix('.') else { return false };
    let window = &before[before.ceil_char_boundary(before.len().saturating_sub(LONGEST))..];
    // What stands before the window is a word too long to be an abbreviation.
    let word = window.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    if word.is_empty() {
        return false;
    }
    let mut letters = word.chars();
    if letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none() {
        return true;
    }
    let word = word.to_lowercase();
    let is_among = |list: &[&str]| list.binary_search(&word.as_str()).is_ok();
    is_among(&ABBREVIATIONS)
        || is_among(&BEFORE_NUMBERS) && rest.trim_start().starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text, 0..text.len()).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn abbreviations_and_decimals_end_no_sentence() {
        for whole in [
            "Give 0.5 mg, e.g. Adrenaline, i.e. Epinephrine.",
            "Dr. Smith and Prof. J. R. Okoro agree vs. Mrs. Bell.",
            "See Fig. 2 A and Eq. 3.",
            "Smith et al. 2010 found approx. 5 % of No. 7 on Jan. 5, p. 12.",
            "Give 5 mg i.v. Adrenaline in the U.S. Army.",
            "Das gilt z. B. Bei Kindern (vgl. Abb. 3).",
        ] {
            assert_eq!(split(whole), [whole]);
        }
    }

    #[test]
    fn sentences_end_where_they_end() {
        assert_eq!(split("One. Two! \"Three?\" Four… Five"), ["One.", "Two!", "\"Three?\"", "Four… Five"]);
        assert_eq!(split("No. Then go."), ["No.", "Then go."]);
        assert_eq!(
            split("Is it 5? 6 is more. It was 1999. Then 2000."),
            ["Is it 5?", "6 is more.", "It was 1999.", "Then 2000."]
        );
        assert_eq!(split("これは一。これは二。"), ["これは一。", "これは二。"]);
        assert_eq!(split(" \n "), Vec::<&str>::new());
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

    #[test]
    fn the_lists_can_be_searched() {
        assert!(ABBREVIATIONS.is_sorted() && BEFORE_NUMBERS.is_sorted());
        let all = ABBREVIATIONS.iter().chain(&BEFORE_NUMBERS);
        assert!(all.clone().all(|word| word.len() < LONGEST && word.chars().all(|c| c.is_ascii_lowercase())));
    }

    #[test]
    fn what_makes_unicodes_rules_slow_does_not() {
        for unit in [
            " ",
            ")",
            ". ",
            ".)",
            "1. ",
            "\u{301})",
            "\u{94d})",
            "a.\u{300} ",
            "\u{ad}",
            "\n",
            "- \n",
            "e.g. ",
        ] {
            let text = ".".to_owned() + &unit.repeat(400_000);
            assert!(!sentences(&text, 0..text.len()).is_empty());
        }
    }

    #[test]
    fn what_is_passed_over_ends_no_sentence() {
        for c in (char::MIN..=char::MAX).filter(|c| !may_end(*c)) {
            assert_eq!(format!("a{c} B").split_sentence_bounds().count(), 1, "{c:?}");
        }
    }

    proptest! {
        #[test]
        fn boundaries_are_unicodes(text in "([a-cA-C.!?)(\"' ,0-9\r\n]|[é。■…’\u{2028}\u{85}\u{301}\u{200d}漢]){0,60}") {
            let mut at = 0;
            for sentence in text.split_sentence_bounds() {
                prop_assert_eq!(boundary(&text, at), at + sentence.len());
                at += sentence.len();
            }
        }

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
