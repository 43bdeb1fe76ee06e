//! Words that say nothing about what a text is about.
//!
//! The lists are short on purpose: articles, pronouns, the commonest prepositions, conjunctions and auxiliaries, and the
//! words that begin a question. A word that is missing costs little, since a frequent word weighs little by its
//! inverse document frequency; a word too many could be one that a query is about.

use std::cmp::Ordering;

use super::stemmed::Language;

/// Returns the stop words of a language in order, between spaces: in lower case and with their accents.
///
/// A module has the lists of those languages alone that it names.
pub const fn stop_words(language: Language) -> &'static str {
    match language {
        Language::None => "",
        Language::Arabic => include_str!("stop_words/ar.txt"),
        Language::Danish => include_str!("stop_words/da.txt"),
        Language::German => include_str!("stop_words/de.txt"),
        Language::Greek => include_str!("stop_words/el.txt"),
        Language::English => include_str!("stop_words/en.txt"),
        Language::Spanish => include_str!("stop_words/es.txt"),
        Language::Finnish => include_str!("stop_words/fi.txt"),
        Language::French => include_str!("stop_words/fr.txt"),
        Language::Hungarian => include_str!("stop_words/hu.txt"),
        Language::Italian => include_str!("stop_words/it.txt"),
        Language::Dutch => include_str!("stop_words/nl.txt"),
        Language::Norwegian => include_str!("stop_words/no.txt"),
        Language::Portuguese => include_str!("stop_words/pt.txt"),
        Language::Romanian => include_str!("stop_words/ro.txt"),
        Language::Russian => include_str!("stop_words/ru.txt"),
        Language::Swedish => include_str!("stop_words/sv.txt"),
        Language::Tamil => include_str!("stop_words/ta.txt"),
        Language::Turkish => include_str!("stop_words/tr.txt"),
    }
}

/// Says whether a word, in lower case and with its accents, is in a list of stop words. Two texts that share such a frequent
/// word share nothing.
pub fn is_stop_word(listed: &str, word: &str) -> bool {
    let (listed, word) = (listed.as_bytes(), word.as_bytes());
    let (mut start, mut end) = (0, listed.len());
    while start < end {
        // The word around the middle.
        let middle = start.midpoint(end);
        let from = listed[start..middle]
            .iter()
            .rposition(u8::is_ascii_whitespace)
            .map_or(start, |at| start + at + 1);
        let to = listed[middle..end].iter().position(u8::is_ascii_whitespace).map_or(end, |at| middle + at);
        match listed[from..to].cmp(word) {
            Ordering::Less => start = to + 1,
            Ordering::Equal => return true,
            Ordering::Greater => end = from.saturating_sub(1),
        }
    }
    false
}

/// Returns the same of English.
pub fn is_english_stop_word(word: &str) -> bool {
    is_stop_word(stop_words(Language::English), word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_a_list() {
        for language in Language::ALL {
            let words: Vec<_> = stop_words(language).split_ascii_whitespace().collect();
            assert_eq!(words.is_empty(), language == Language::None, "{language}");
            assert!(words.is_sorted_by(|a, b| a < b), "{language}: {words:?}");
            assert!(words.iter().all(|word| is_stop_word(stop_words(language), word)));
        }
        for other in ["", " ", "\n", "a ", "aa", "dose", "th", "thee", "zzz"] {
            assert!(
                Language::ALL.iter().all(|&language| !is_stop_word(stop_words(language), other)),
                "{other:?}"
            );
        }
        assert!(!is_english_stop_word("dose") && is_english_stop_word("the"));
    }
}
