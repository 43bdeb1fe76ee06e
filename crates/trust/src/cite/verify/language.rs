//! Whether two texts can be compared word by word at all.

use super::lists::WordLists;
use super::reading::TextReading;
use ibid_text::WELL_KNOWN;

/// What a text is written in, as far as can be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WrittenForm {
    script: Option<u8>,
    language: Option<u8>,
}

/// Counts of what tells how a text is written; those of several texts can be added up.
#[derive(Clone, Debug, Default)]
pub(super) struct Census {
    scripts: [u32; SCRIPTS.len()],
    languages: [u32; WELL_KNOWN],
}

/// The scripts by ranges of characters; those of one language together.
const SCRIPTS: [&[(u32, u32)]; 10] = [
    &[(0x41, 0x24f), (0x1e00, 0x1eff)],
    &[(0x370, 0x3ff), (0x1f00, 0x1fff)],
    &[(0x400, 0x52f)],
    &[(0x590, 0x5ff)],
    &[(0x600, 0x77f)],
    &[(0x900, 0x97f)],
    &[(0x980, 0xdff)],
    &[(0xe00, 0x10ff)],
    &[(0x3041, 0x30ff), (0x3400, 0x9fff), (0x20000, 0x3ffff)],
    &[(0xac00, 0xd7af), (0x1100, 0x11ff)],
];

/// How many function words at least tell a language.
const TELLING: u32 = 2;

impl Census {
    pub(super) fn add(&mut self, reading: &TextReading, lists: &WordLists) {
        for token in reading.tokens.iter().filter(|token| token.is_word()) {
            if let Some(c) = token.text.chars().next() {
                let c = c as u32;
                let script =
                    SCRIPTS.iter().position(|ranges| ranges.iter().any(|(a, b)| (*a..=*b).contains(&c)));
                if let Some(count) = script.and_then(|script| self.scripts.get_mut(script)) {
                    *count += 1;
                }
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
    /// Whether the two are known to be written in different ways.
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
