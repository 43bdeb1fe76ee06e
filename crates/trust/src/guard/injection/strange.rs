//! Requests that have nothing to do with the passage they stand in.

use std::collections::HashMap;
use std::ops::Range;

use crate::guard::phrase::PhraseAt;
use ibid_text::{Gap, Words, present_stem};

/// The fewest letters of a word that says what a sentence is about.
const TELLING: usize = 4;

/// The fewest such words of a request, and of the passage besides: less says nothing about what they have in common.
const OWN: usize = 2;
const OTHERS: usize = 5;

/// The longest request in words; a longer sentence is a paragraph without stops.
const LONGEST: usize = 40;

/// Finds the requests that begin a sentence (marked `3`, or `4` for those that need a question mark) and share no
/// stem of a telling word with the rest of the text.
pub(super) fn find(text: &str, words: &Words, asked: &[PhraseAt]) -> Vec<(Range<usize>, &'static str)> {
    if asked.is_empty() {
        return Vec::new();
    }
    let mut counts: HashMap<&str, u32> = HashMap::new();
    let mut all = 0;
    for at in 0..words.count() {
        if let Some(stem) = telling(words.get(at)) {
            *counts.entry(stem).or_default() += 1;
            all += 1;
        }
    }
    let mut found: Vec<(Range<usize>, &'static str)> = Vec::new();
    let mut done = 0;
    for PhraseAt { words: phrase, section, mark, .. } in asked {
        // Several rules may begin at one place.
        if phrase.start < done {
            continue;
        }
        let ends = |at: &usize| words.before(*at) == Gap::Sentence;
        let limit = words.count().min(phrase.start + LONGEST + 1);
        let end = (phrase.start + 1..limit).find(ends).unwrap_or(limit);
        let place = words.span(&(phrase.start..end));
        let asks = text[place.end..].chars().take(3).any(|c| c == '?');
        if end - phrase.start > LONGEST || *mark == b'4' && !asks {
            continue;
        }
        let mut own: HashMap<&str, u32> = HashMap::new();
        for at in phrase.start..end {
            if let Some(stem) = telling(words.get(at)) {
                *own.entry(stem).or_default() += 1;
            }
        }
        let size: u32 = own.values().sum();
        let strange = own.iter().all(|(stem, count)| counts.get(stem) == Some(count));
        if strange && own.len() >= OWN && all >= size + OTHERS as u32 {
            found.push((place, *section));
            done = end;
        }
    }
    found
}

/// Finds the stem of a word that says what a text is about.
fn telling(word: &str) -> Option<&str> {
    /// Words of many letters that any text may have.
    const SMALL: &[&str] = &[
        "about", "after", "also", "before", "been", "could", "every", "from", "have", "into", "should",
        "that", "their", "them", "there", "these", "they", "this", "those", "what", "when", "where", "which",
        "will", "with", "would", "your", "please", "then", "does", "kindly",
    ];
    (word.len() >= TELLING && !SMALL.contains(&word)).then(|| present_stem(word))
}

#[cfg(test)]
mod tests {
    use super::super::instructions;

    const PASSAGE: &str = "The pump has two inlets and one outlet, each with a filter of 40 µm.";

    #[test]
    fn a_request_about_something_else_is_noticed() {
        for request in ["Explain how black holes evaporate.", "Who won the world cup in 1998?"] {
            for text in [format!("{PASSAGE} {request}"), format!("{request} {PASSAGE}")] {
                let found = instructions(&text);
                assert_eq!(found.len(), 1, "{text}");
                assert_eq!(found[0].rule, "task");
                assert!(request.starts_with(&text[found[0].span.clone()]));
            }
        }
    }

    #[test]
    fn a_request_about_the_same_is_not() {
        for request in [
            "Explain how the filter is changed.",
            "Who changes the filter?",
            "Who won the world cup in 1998.",
        ] {
            assert!(instructions(&format!("{PASSAGE} {request}")).is_empty(), "{request}");
        }
        assert!(
            instructions("Explain how black holes evaporate.").is_empty(),
            "there is no passage around it"
        );
    }

    #[test]
    fn many_requests_are_read_once() {
        instructions(&"Explain black holes again. ".repeat(40_000));
        instructions(&"explain describe ".repeat(60_000));
    }
}
