//! Finding phrases of a table in a text, in a time that grows with the text's length alone.
//!
//! A phrase that may begin at a word is followed word by word with all the places where it could be at once, as the bits
//! of one number; so nothing is ever tried again, and a phrase costs at most its own length times its reach.

mod loose;
mod table;

use std::ops::Range;

use ibid_text::{Gap, Words};
pub(super) use table::Table;
use table::{REACH, Step};

/// A phrase that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The section of the table that it stands in.
    pub(super) section: &'static str,
    /// The character in front of it in the table.
    pub(super) mark: u8,
    /// Its number in the table.
    pub(super) phrase: u16,
    /// The words that it covers.
    pub(super) words: Range<usize>,
}

/// Of two halves that tell something only together, `with` and `what`, the stretches from one to the other where no more
/// than `reach` words lie between them: of each `what` with the nearest `with` on either side. Both are in order of their
/// beginnings.
pub(super) fn pairs(with: &[Range<usize>], what: &[Range<usize>], reach: usize) -> Vec<Range<usize>> {
    /// How many neighbours are looked at, so that the time stays in proportion to the halves.
    const NEIGHBOURS: usize = 6;
    let mut found = Vec::new();
    for one in what {
        let at = with.partition_point(|other| other.start < one.start);
        let before =
            with[at.saturating_sub(NEIGHBOURS)..at].iter().rev().find(|other| other.end <= one.start);
        let behind = with[at..with.len().min(at + NEIGHBOURS)].iter().find(|other| other.start >= one.end);
        if let Some(before) = before.filter(|before| one.start - before.end <= reach) {
            found.push(before.start..one.end);
        } else if let Some(behind) = behind.filter(|behind| behind.start - one.end <= reach) {
            found.push(one.start..behind.end);
        }
    }
    found
}

/// The text's words as the table's symbols.
struct Signs {
    /// Of each word, where its symbols begin in `all`; one more for the end.
    starts: Vec<u32>,
    all: Vec<u16>,
}

impl Signs {
    fn of(&self, word: usize) -> &[u16] {
        let start = self.starts.get(word).map_or(0, |&at| at as usize);
        let end = self.starts.get(word + 1).map_or(start, |&at| at as usize);
        &self.all[start..end]
    }

    fn is(&self, word: usize, symbol: u16) -> bool {
        self.of(word).contains(&symbol)
    }
}

impl Table {
    /// The phrases in a text, by the word they begin with. Of what a phrase could cover from there, it covers the most.
    pub(super) fn find(&self, words: &Words) -> Vec<Found> {
        let mut signs = Signs { starts: Vec::with_capacity(words.count() + 1), all: Vec::new() };
        let mut present = vec![false; self.symbol_count()];
        for index in 0..words.count() {
            signs.starts.push(signs.all.len() as u32);
            self.symbols(words.get(index), |symbols| {
                for &symbol in symbols {
                    present[usize::from(symbol)] = true;
                    signs.all.push(symbol);
                }
            });
        }
        signs.starts.push(signs.all.len() as u32);
        // Most phrases need a word that the text does not have at all.
        let possible: Vec<bool> = self
            .phrases
            .iter()
            .map(|phrase| {
                phrase.steps.iter().all(|step| match step {
                    Step::Symbol(symbol) => present[usize::from(*symbol)],
                    Step::Maybe(_) | Step::Gap(_) => true,
                })
            })
            .collect();
        let mut found = Vec::new();
        let mut sentence = 0;
        for index in 0..words.count() {
            if index >= sentence {
                sentence = (index + 1..words.count())
                    .find(|&next| words.before(next) == Gap::Sentence)
                    .unwrap_or(words.count());
            }
            for &symbol in signs.of(index) {
                for &number in &self.starts[usize::from(symbol)] {
                    if !possible[usize::from(number)] {
                        continue;
                    }
                    let phrase = &self.phrases[usize::from(number)];
                    if phrase.first && words.before(index) != Gap::Sentence {
                        continue;
                    }
                    if let Some(length) = follow(&phrase.steps, &signs, index, sentence - index) {
                        found.push(Found {
                            section: phrase.section,
                            mark: phrase.mark,
                            phrase: number,
                            words: index..index + length,
                        });
                    }
                }
            }
        }
        found
    }
}

/// How many words the steps cover at most from `start` on, of the `room` that are left in the sentence.
fn follow(steps: &[Step], signs: &Signs, start: usize, room: usize) -> Option<usize> {
    let room = room.min(REACH);
    // A place is how many words have been covered; no place is beyond the last word.
    let within = u64::MAX >> (63 - room);
    let mut places = 1_u64;
    for step in steps {
        let passed = |symbol: u16| {
            let mut open = places;
            let mut passed = 0;
            while open != 0 {
                let place = open.trailing_zeros() as usize;
                open &= open - 1;
                if place < room && signs.is(start + place, symbol) {
                    passed |= 1 << (place + 1);
                }
            }
            passed
        };
        places = match *step {
            Step::Symbol(symbol) => passed(symbol),
            Step::Maybe(symbol) => places | passed(symbol),
            Step::Gap(count) => (0..count).fold(places, |places, _| (places | places << 1) & within),
        };
        if places == 0 {
            return None;
        }
    }
    Some(63 - places.leading_zeros() as usize)
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "lists of one place are what is tested")]
mod tests {
    use super::*;

    fn found(table: &'static str, text: &str) -> Vec<String> {
        let table = Table::read(table);
        assert!(table.wrong.is_empty(), "{:?}", table.wrong);
        let words = Words::of(text);
        table.find(&words).iter().map(|found| text[words.span(&found.words)].to_owned()).collect()
    }

    #[test]
    fn phrases_have_gaps_choices_and_stems() {
        let table = "= kin dad mum\n[a]\n! my|our @kin ~2 collaps*\n! no pulse|breath\n! took # of? pill*";
        assert_eq!(found(table, "My dad has just collapsed."), ["My dad has just collapsed"]);
        assert_eq!(found(table, "our mum collapses"), ["our mum collapses"]);
        assert!(found(table, "my dad has only just now collapsed").is_empty());
        assert!(found(table, "My dad. Collapsed.").is_empty());
        assert_eq!(found(table, "took 30 of pills, took 5 pills"), ["took 30 of pills", "took 5 pills"]);
        assert_eq!(found(table, "there's NO pulse"), ["NO pulse"]);
        assert!(found(table, "no pulses").is_empty());
    }

    #[test]
    fn a_phrase_may_have_to_begin_a_sentence() {
        let table = "[a]\n? ^ how is";
        assert_eq!(found(table, "How is it? See how is not."), ["How is"]);
    }

    #[test]
    fn words_that_begin_each_other_are_all_seen() {
        let table = "[a]\n! a*\n! ab\n! ab*\n! abc\n! abd*";
        assert_eq!(found(table, "abc").len(), 3);
        assert_eq!(found(table, "abde").len(), 3);
        assert_eq!(found(table, "ab").len(), 3);
        assert_eq!(found(table, "ac").len(), 1);
        assert!(found(table, "b").is_empty());
    }

    #[test]
    fn the_longest_reach_ends_at_the_sentence() {
        let table = "[a]\n! a ~60 b";
        let text = format!("a {}b", "x ".repeat(60));
        assert_eq!(found(table, &text), [text.as_str()]);
        assert!(found(table, &format!("a {}b", "x ".repeat(61))).is_empty());
        assert_eq!(found(table, "a b"), ["a b"]);
        assert!(found(table, "a").is_empty());
    }

    #[test]
    fn what_is_no_phrase_is_not_read() {
        for wrong in
            ["! ~2 a", "! a ~2", "!a b", "! @none", "! a-b", "! ~x", "! b?", "! a ~60 b ~9 c", "!! a", "!"]
        {
            let table = Table::read(wrong);
            assert_eq!(table.wrong, [wrong]);
        }
    }

    #[test]
    fn halves_are_joined_with_the_nearest() {
        assert_eq!(pairs(&[0..2, 4..5], &[6..8], 3), [4..8]);
        assert_eq!(pairs(&[9..10], &[6..8], 3), [6..10]);
        assert!(pairs(&[0..2], &[6..8], 3).is_empty());
        assert!(pairs(&[6..7], &[6..8], 3).is_empty(), "no half is its own other half");
        assert!(pairs(&[], &[6..8], 3).is_empty());
    }

    #[test]
    fn characters_that_are_words() {
        assert_eq!(found("[a]\n! 忽略 ~4 指令", "请忽略之前的指令。"), ["忽略之前的指令"]);
    }
}
