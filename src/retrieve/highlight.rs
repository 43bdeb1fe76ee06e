//! Which words of a passage match a word of the query.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::words::is_stop_word;

/// Two words match when they share a beginning of this many characters ...
const LEAST_STEM: usize = 4;
/// ... and neither goes on for more than this many, enough for the endings of English inflection.
const LONGEST_ENDING: usize = 3;

/// Byte ranges of the words (Unicode UAX #29) in `text` that equal a word of the query, or differ from it only in
/// their ending, regardless of case. Frequent words such as "the" match nothing.
pub(super) fn highlights(query: &str, text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<String> = query.unicode_words().map(str::to_lowercase).collect();
    words.retain(|word| !is_stop_word(word));
    words.sort_unstable();
    words.dedup();
    if words.is_empty() {
        return Vec::new();
    }
    let matching = text.unicode_word_indices().filter(|(_, word)| {
        let word = word.to_lowercase();
        words.iter().any(|known| matches(known, &word))
    });
    matching.map(|(at, word)| at..at + word.len()).collect()
}

fn matches(a: &str, b: &str) -> bool {
    let shared = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let longest = a.chars().count().max(b.chars().count());
    shared == longest || (shared >= LEAST_STEM && longest - shared <= LONGEST_ENDING)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(query: &str, text: &str) -> Vec<String> {
        highlights(query, text).into_iter().map(|range| text[range].to_owned()).collect()
    }

    #[test]
    fn words_match_regardless_of_case_and_ending() {
        let text = "The Doses of metformin: one dose, 0.5 mg; dosing is the METFORMIN's.";
        assert_eq!(
            marked("what is the metformin dose?", text),
            ["Doses", "metformin", "dose", "METFORMIN's"]
        );
        assert_eq!(marked("0.5 mg", text), ["0.5", "mg"]);
    }

    #[test]
    fn frequent_words_and_nothing_match_nothing() {
        assert!(marked("what is the", "what is the matter").is_empty());
        assert!(marked("?!", "?!").is_empty());
        assert!(marked("", "text").is_empty());
    }

    #[test]
    fn short_words_match_only_themselves() {
        assert_eq!(marked("eye", "eye eyes ewe"), ["eye"]);
        assert_eq!(marked("naïve", "Naïve"), ["Naïve"]);
    }
}
