//! Checks whether two texts can be compared word by word at all.

use super::lists::WordLists;
use super::reading::TextReading;
use ibid_text::{Script, WELL_KNOWN};

/// The language and script of a text, as far as can be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WrittenForm {
    script: Option<u8>,
    language: Option<u8>,
}

/// Counts of what tells how a text is written; those of several texts can be added up.
#[derive(Clone, Debug, Default)]
pub(super) struct Census {
    scripts: [u32; SCRIPTS],
    languages: [u32; WELL_KNOWN],
}

/// The number of scripts.
const SCRIPTS: usize = Script::Hani as usize + 1;

/// The least function words that tell a language.
const TELLING: u32 = 2;

impl Census {
    pub(super) fn add(&mut self, reading: &TextReading, lists: &WordLists) {
        for token in reading.tokens.iter().filter(|token| token.is_word()) {
            // Japanese is written in both.
            let script = token.text.chars().next().and_then(Script::of);
            if let Some(script) = script {
                let script = if script == Script::Kana { Script::Hani } else { script };
                self.scripts[script as usize] += 1;
            }
            let known = lists.get(&token.text).languages;
            // A word of several languages tells little.
            if known.is_power_of_two() {
                self.languages[known.trailing_zeros() as usize] += 1;
            }
        }
    }

    pub(super) fn written(&self) -> WrittenForm {
        let clear = |counts: &[u32], least: u32| {
            let (at, most) = counts.iter().enumerate().max_by_key(|(_, count)| **count)?;
            let all: u32 = counts.iter().sum();
            (*most >= least && *most * 3 > all * 2).then_some(at as u8)
        };
        WrittenForm { script: clear(&self.scripts, 2), language: clear(&self.languages, TELLING) }
    }
}

impl WrittenForm {
    /// Returns true if the two are known to be written in different ways.
    pub(super) fn differs(self, other: Self) -> bool {
        let differ = |one: Option<u8>, other: Option<u8>| matches!((one, other), (Some(one), Some(other)) if one != other);
        differ(self.script, other.script) || differ(self.language, other.language)
    }

    /// The same with what it lacks from another.
    pub(super) fn or(self, other: Self) -> Self {
        Self { script: self.script.or(other.script), language: self.language.or(other.language) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::reading::TermTable;
    use super::*;

    fn written(text: &str) -> WrittenForm {
        let mut terms = TermTable::new();
        let reading = terms.read(text, 0, &[]);
        let mut census = Census::default();
        census.add(&reading, terms.lists);
        census.written()
    }

    #[test]
    fn scripts_and_languages_are_told_apart() {
        let english = written("The dose is given with food and water.");
        for other in [
            "Die Dosis wird nicht mit dem Essen gegeben.",
            "La dose est donnée avec les repas et pour les enfants.",
            "Доза даётся вместе с едой.",
            "用量は一日三回です。",
            "الجرعة مع الطعام",
        ] {
            assert!(written(other).differs(english), "{other}");
        }
        assert!(!written("Zinc 20 mg").differs(english), "too little to tell");
        assert!(!written("Children are given zinc.").differs(english));
    }
}
