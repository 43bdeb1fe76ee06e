//! The parts of compounds in languages that write them as one word, by the words that the index has.

use std::collections::{BTreeMap, HashMap};

use ibid_terms::Language;

/// The fewest letters of a part that the index has as a word, and of both if it has one of them only.
const LEAST: usize = 4;
const LEAST_OF_ONE: usize = 5;
/// The letters that may stand between a word's stem and the next: of its ending, or to join both.
const JOINTS: [&str; 10] = ["", "e", "s", "n", "es", "en", "er", "ens", "ns", "o"];

/// Says whether compounds of a language are written as one word.
pub(super) fn joins(language: Language) -> bool {
    matches!(
        language,
        Language::German | Language::Dutch | Language::Swedish | Language::Danish | Language::Norwegian
    )
}

/// The terms that compounds are taken apart to, each with the compounds that have it, by their numbers.
///
/// Both parts are words of the index, or at least one is: the stem of a compound ends as that of its last part does. Longer
/// last parts come first, since they tell most.
pub(super) fn parts_of_compounds(numbers: &HashMap<Box<str>, u32>) -> BTreeMap<String, Vec<u32>> {
    let has = |part: &str, letters: usize| part.chars().nth(letters - 1).is_some();
    let is_known = |term: &str| has(term, LEAST) && numbers.contains_key(term);
    let mut found: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (whole, &number) in numbers.iter().filter(|(term, _)| term.chars().all(char::is_alphabetic)) {
        let splits = || whole.char_indices().skip(LEAST).map(|(at, _)| whole.split_at(at));
        let stem_of = |first: &'_ str| {
            let stem = |joint: &&str| first.strip_suffix(*joint).filter(|stem| is_known(stem)).map(str::len);
            JOINTS.iter().find_map(stem)
        };
        let both = splits()
            .filter(|(_, last)| is_known(last))
            .find_map(|(first, last)| Some((&first[..stem_of(first)?], last)));
        let one = || {
            let mut long = splits().filter(|(a, b)| has(a, LEAST_OF_ONE) && has(b, LEAST_OF_ONE));
            long.find(|(first, last)| is_known(first) || is_known(last))
        };
        if let Some((first, last)) = both.or_else(one) {
            for part in [first, last] {
                found.entry(part.to_owned()).or_default().push(number);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(words: &[&str], whole: &str) -> Vec<String> {
        let numbers = words.iter().chain([&whole]).zip(0..).map(|(word, at)| ((*word).into(), at)).collect();
        let of_whole =
            |(part, numbers): (String, Vec<u32>)| numbers.contains(&(words.len() as u32)).then_some(part);
        parts_of_compounds(&numbers).into_iter().filter_map(of_whole).collect()
    }

    #[test]
    fn compounds_are_taken_apart_at_words_of_the_index() {
        assert_eq!(parts(&["send", "gebuhr"], "sendegebuhr"), ["gebuhr", "send"]);
        assert_eq!(parts(&["arbeit", "platz"], "arbeitsplatz"), ["arbeit", "platz"]);
        for known in ["hockey", "schlag"] {
            assert_eq!(parts(&[known], "hockeyschlag"), ["hockey", "schlag"], "{known}");
        }
        assert!(parts(&["stud"], "student").is_empty(), "an ending is no word");
        assert!(parts(&["land"], "england").is_empty() && parts(&["il", "6"], "il6").is_empty());
    }
}
