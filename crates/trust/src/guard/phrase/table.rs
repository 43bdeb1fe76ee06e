//! A table of words and phrases, as the guards' rule files have them.
//!
//! ```text
//! # A note.
//! = kin father mother dad        a class: the words after its name; further lines with that name add to it
//! = kin,child baby toddler       words of two classes
//! [cardiac]                      a section: what the lines below it stand for
//! ! my @kin ~2 collaps*          a phrase, behind a mark of one character
//! " Call for help.               a text as it is, for the code that reads the section
//! : flat apt|flat .? @Number     a part, for use in phrases as $flat; further lines are other ways to say it
//! ```
//!
//! A phrase is a sequence of these, within one sentence:
//!
//! | written | stands for |
//! | --- | --- |
//! | `pain` | that word, folded as the text's are; or a sign, such as `,` |
//! | `\#` | the sign, where it would mean something else |
//! | `collaps*`, `*gasse` | a word that begins or ends so, and is longer |
//! | `@kin` | a word of that class |
//! | `#` | a word that begins with a digit |
//! | `pain\|ache*\|@kin` | any of them |
//! | `the?` | what stands before the question mark, or nothing |
//! | `the{0,2}` | the same up to twice |
//! | `~3` | up to three words of any kind |
//! | `^` | the beginning of a sentence; only in front of all else |
//! | `$flat` | a part; it has to be written above |
//! | `$` | the end of the sentence |
//! | `>x`, `!$x` | nothing, but `x` has to follow, or must not |
//! | `<` | what stands before it only has to be there, what is found begins behind |
//!
//! Where the text's reader says more about a word than its letters, a trait is asked for like a class, with a capital:
//! `@Capital`. `&` joins what has to hold together, `!` denies, `:2-4` counts characters and `=1-31` is a number's value:
//! `@Capital&!@kin`, `@Number:5`, `@Number=1-31`. `+x` is `x` directly behind the word before, without a space, and `_x` is
//! `x` on the same line.
//!
//! `collaps*` is also the word itself; `*gasse` is not.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::loose::{SLIP, slipped};

/// No parent: what begins a chain of words that begin each other.
pub(super) const NONE: u16 = u16::MAX;

/// From here on a number stands for a class instead of a symbol.
pub(super) const CLASS: u16 = 1 << 15;

/// One word, or several, of a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepTest {
    /// A word that the symbol stands for.
    Symbol(u16),
    /// A word that a condition holds for.
    Check(u16),
    /// Any word.
    Any,
    /// One of the ways of a part.
    Part(u16),
    /// Nothing more in the sentence.
    End,
}

/// A step of a phrase, from `least` to `most` times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PhraseStep {
    pub(super) test: StepTest,
    pub(super) least: u8,
    pub(super) most: u8,
    pub(super) look: Look,
}

/// The work of a step on the words that it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// Covers them.
    No,
    /// Asks that they follow.
    Ahead,
    /// Asks that they do not.
    Away,
}

/// Facts about a word besides its letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::guard) struct WordTraits {
    /// The traits and classes that it has, by their places among the names that the table was read with.
    pub(in crate::guard) bits: u64,
    pub(in crate::guard) width: u16,
    /// The value of a number.
    pub(in crate::guard) value: u32,
}

/// Traits that hold together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TraitCheck {
    pub(super) all: u64,
    pub(super) none: u64,
    pub(super) width: (u16, u16),
    pub(super) value: (u32, u32),
    pub(super) symbol: Option<u16>,
}

/// A phrase of a table.
#[derive(Debug)]
pub(in crate::guard) struct Phrase {
    /// The name of the section it stands in.
    pub(in crate::guard) section: &'static str,
    /// The character in front of it.
    pub(in crate::guard) mark: u8,
    pub(super) first: bool,
    pub(super) steps: Vec<PhraseStep>,
    /// The number of steps that only have to be there before what is found.
    pub(super) lead: u8,
}

/// A word, or the beginning of words, that phrases name.
#[derive(Debug)]
pub(super) struct RuleWord {
    pub(super) text: &'static str,
    /// The longest other that this one begins with.
    pub(super) parent: u16,
    /// Symbols and classes of exactly this word.
    pub(super) whole: Vec<u16>,
    /// Symbols and classes of every word that begins so.
    pub(super) start: Vec<u16>,
}

/// A table that has been read.
#[derive(Debug, Default)]
pub(in crate::guard) struct RuleTable {
    pub(super) phrases: Vec<Phrase>,
    /// By symbol, the phrases that begin with it.
    pub(super) starts: Vec<Vec<u16>>,
    /// By check, the ways to pass it.
    pub(super) checks: Vec<Vec<TraitCheck>>,
    /// By bit of a trait, the phrases that begin with a word that has it and passes the check.
    pub(super) openers: Vec<Vec<(TraitCheck, u16)>>,
    /// The bits of these.
    pub(super) opening: u64,
    /// By part, its ways.
    pub(super) parts: Vec<Vec<Vec<PhraseStep>>>,
    /// In order of their texts.
    pub(super) words: Vec<RuleWord>,
    /// By the first byte of a word's text, how many begin with a lower one.
    pub(super) first: Vec<u16>,
    /// By the last byte, how words end.
    pub(super) endings: BTreeMap<u8, Vec<(&'static str, u16)>>,
    /// By class, the symbols that stand for its words.
    pub(super) classes: Vec<Vec<u16>>,
    pub(super) number: Vec<u16>,
    /// The stems of a table that is read loosely, the stems of its words with what stands for them, in order.
    pub(super) stems: Vec<(&'static str, Vec<u16>)>,
    pub(super) loose: bool,
    pub(super) texts: Vec<(&'static str, &'static str)>,
    /// Lines that could not be read; a test sees that there are none.
    #[cfg(test)]
    pub(in crate::guard) wrong: Vec<&'static str>,
}

impl RuleTable {
    /// Lists the texts of a section, in their order.
    pub(in crate::guard) fn texts(&self, section: &str) -> impl Iterator<Item = &'static str> {
        self.texts.iter().filter(move |(of, _)| *of == section).map(|&(_, text)| text)
    }

    /// Lists the words of a section's texts.
    pub(in crate::guard) fn list(&self, section: &str) -> impl Iterator<Item = &'static str> {
        self.texts(section).flat_map(str::split_ascii_whitespace)
    }

    /// Finds the symbols and classes of a folded word, handed to `hand`.
    pub(super) fn numbers(&self, word: &str, hand: &mut dyn FnMut(u16)) {
        if word.starts_with(|char: char| char.is_ascii_digit()) {
            self.number.iter().copied().for_each(&mut *hand);
        }
        // Every text that the word begins with is the last one not after it, or begins that one.
        let Some(&first) = word.as_bytes().first() else { return };
        let bound = |byte: usize| self.first.get(byte).map_or(self.words.len(), |&at| usize::from(at));
        let (from, to) = (bound(usize::from(first)), bound(usize::from(first) + 1));
        let Some(near) = self.words.get(from..to) else { return };
        let after = near.partition_point(|entry| entry.text <= word);
        // What begins with the same byte is all that can begin the word.
        let mut at = if after == 0 { usize::MAX } else { from + after - 1 };
        let known = Cell::new(false);
        let mut hand = |numbers: &[u16]| {
            known.set(known.get() || !numbers.is_empty());
            numbers.iter().copied().for_each(&mut *hand);
        };
        while let Some(entry) = self.words.get(at) {
            if word.starts_with(entry.text) {
                // What is read loosely has its words under their stems.
                if word.len() == entry.text.len() && !self.loose {
                    hand(&entry.whole);
                }
                hand(&entry.start);
            }
            at = if entry.parent == NONE { usize::MAX } else { usize::from(entry.parent) };
        }
        if let Some(endings) = word.as_bytes().last().and_then(|last| self.endings.get(last)) {
            for (ending, number) in endings {
                if word.len() > ending.len() && word.ends_with(ending) {
                    hand(&[*number]);
                }
            }
        }
        if !self.loose {
            return;
        }
        let stem = ibid_text::present_stem(word);
        if let Ok(at) = self.stems.binary_search_by(|(other, _)| (*other).cmp(stem)) {
            hand(&self.stems[at].1);
        }
        if !known.get() && word.len() >= SLIP && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            for entry in near {
                if !entry.start.is_empty() && slipped(word, entry.text, true) {
                    hand(&entry.start);
                }
                if !entry.whole.is_empty() && slipped(word, entry.text, false) {
                    hand(&entry.whole);
                }
            }
        }
    }

    /// Lists the sections and marks of all phrases.
    #[cfg(test)]
    pub(in crate::guard) fn sections(&self) -> impl Iterator<Item = (&'static str, u8)> {
        self.phrases.iter().map(|phrase| (phrase.section, phrase.mark))
    }
}

/// Computes the bit of a class, where those beyond the traits share the last; none for a symbol.
pub(super) fn class_bit(number: u16) -> u64 {
    number.checked_sub(CLASS).map_or(0, |class| 1 << class.min(63))
}
