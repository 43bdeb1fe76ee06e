//! Words that say nothing about what a text is about.
//!
//! The lists are short on purpose: articles, pronouns, the commonest prepositions, conjunctions and auxiliaries, and the
//! words that begin a question. A word that is missing costs little, since a frequent word weighs little by its
//! inverse document frequency; a word too many could be one that a query is about.

use std::sync::OnceLock;

use super::stemmed::Language;

/// Those of English, apart from the others so that a module that asks for no other has only these.
const ENGLISH: &str = "a about am an and any anybody anyone are as at be been being but by can \
    could did do does for from had has have he her his how i if in into is it its may me my no \
    not of on or our shall she should so somebody someone such than that the their them then \
    there these they this to was we were what when where which who whom whose why will with would \
    you your";

/// Those of the other languages: a line for each, which begins with its name.
const OTHERS: &str = include_str!("stop_words.txt");

/// Says whether a word, in lower case and with its accents, is so frequent in its language that two texts that share it
/// share nothing.
pub fn is_stop_word(language: Language, word: &str) -> bool {
    // Longer ones are in no list.
    word.len() <= 24 && lists().get(language as usize).is_some_and(|list| list.binary_search(&word).is_ok())
}

/// The same of English alone.
pub fn is_english_stop_word(word: &str) -> bool {
    ENGLISH.split(' ').any(|listed| listed == word)
}

/// The lists by language; that of none is empty.
fn lists() -> &'static [Vec<&'static str>] {
    static LISTS: OnceLock<Vec<Vec<&str>>> = OnceLock::new();
    LISTS.get_or_init(|| {
        let mut lists = vec![Vec::new(); Language::ALL.len()];
        let named = OTHERS.lines().filter_map(|line| line.split_once(' '));
        for (name, words) in named.chain([("en", ENGLISH)]) {
            let list = Language::from_name(name).and_then(|language| lists.get_mut(language as usize));
            list.into_iter().for_each(|list| *list = words.split(' ').collect());
        }
        lists
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_as_the_search_needs() {
        for language in Language::ALL {
            let words = &lists()[language as usize];
            assert_eq!(words.is_empty(), language == Language::None, "{language}");
            assert!(words.is_sorted_by(|a, b| a < b), "{language}: {words:?}");
            assert!(words.iter().all(|word| is_stop_word(language, word)));
        }
        assert!(!is_stop_word(Language::English, "dose") && !is_stop_word(Language::None, "the"));
        assert!(is_english_stop_word("the") && !is_english_stop_word("dose"));
    }
}
