//! Finding the phrases of a table, in a time that grows with the text's length alone.
//!
//! A phrase that may begin at a word is followed step by step with all the places where it could be at once, as the bits
//! of one number; so nothing is ever tried again, and a phrase costs at most its own length times its reach.

use std::ops::Range;

use super::table::{CLASS, Phrase, PhraseStep, RuleTable, StepTest, TraitCheck, WordTraits, class_bit};
use ibid_text::{Gap, Words};

/// The most words that a phrase can cover: the places after its first word are the bits of a number.
pub(super) const REACH: usize = 63;

/// A text in which phrases are looked for.
pub(in crate::guard) trait PhraseRow {
    /// How many words it has.
    fn count(&self) -> usize;
    /// A word, folded as the table's are.
    fn folded(&self, index: usize) -> &str;
    /// Whether no phrase goes on here from the word before.
    fn parted(&self, index: usize) -> bool;
    /// What is known of a word besides its letters and classes.
    fn traits(&self, _index: usize) -> WordTraits {
        WordTraits::default()
    }
}

impl PhraseRow for Words {
    fn count(&self) -> usize {
        self.count()
    }

    fn folded(&self, index: usize) -> &str {
        self.get(index)
    }

    fn parted(&self, index: usize) -> bool {
        self.before(index) == Gap::Sentence
    }
}

/// A phrase that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::guard) struct PhraseAt {
    /// The section of the table that it stands in.
    pub(in crate::guard) section: &'static str,
    /// The character in front of it in the table.
    pub(in crate::guard) mark: u8,
    /// Its number in the table.
    pub(in crate::guard) phrase: u16,
    /// The words that it covers.
    pub(in crate::guard) words: Range<usize>,
}

/// The text's words as the table's symbols.
#[derive(Default)]
pub(in crate::guard) struct WordSigns {
    /// Of each word, where its symbols begin in `all`; one more for the end.
    starts: Vec<u32>,
    all: Vec<u16>,
    /// By symbol, whether it is there at all.
    present: Vec<bool>,
    parted: Vec<bool>,
    /// Of each word, its traits and classes.
    pub(in crate::guard) traits: Vec<WordTraits>,
}

impl WordSigns {
    fn of(&self, word: usize) -> &[u16] {
        let start = self.starts.get(word).map_or(0, |&at| at as usize);
        let end = self.starts.get(word + 1).map_or(start, |&at| at as usize);
        &self.all[start..end]
    }

    fn holds(&self, word: usize, any: &[TraitCheck]) -> bool {
        let Some(traits) = self.traits.get(word) else { return false };
        any.iter().any(|one| {
            traits.bits & one.all == one.all
                && traits.bits & one.none == 0
                && (one.width.0..=one.width.1).contains(&traits.width)
                && (one.value.0..=one.value.1).contains(&traits.value)
                && one.symbol.is_none_or(|symbol| self.of(word).contains(&symbol))
        })
    }
}

impl RuleTable {
    /// A text's words as the table knows them.
    pub(in crate::guard) fn signs(&self, row: &dyn PhraseRow) -> WordSigns {
        let count = row.count();
        let mut signs = WordSigns {
            starts: Vec::with_capacity(count + 1),
            all: Vec::new(),
            present: vec![false; self.starts.len()],
            parted: Vec::with_capacity(count),
            traits: Vec::with_capacity(count),
        };
        for index in 0..count {
            signs.starts.push(signs.all.len() as u32);
            let mut traits = row.traits(index);
            self.numbers(row.folded(index), &mut |number| {
                traits.bits |= class_bit(number);
                let one = [number];
                let class = number.checked_sub(CLASS).map(|class| self.classes.get(usize::from(class)));
                for &symbol in class.map_or(&one[..], |symbols| symbols.map_or(&[], |symbols| symbols)) {
                    signs.present[usize::from(symbol)] = true;
                    signs.all.push(symbol);
                }
            });
            signs.traits.push(traits);
            signs.parted.push(row.parted(index));
        }
        signs.starts.push(signs.all.len() as u32);
        signs
    }

    /// The phrases in a text, by the word they begin with. Of what a phrase could cover from there, it covers the most.
    pub(in crate::guard) fn find(&self, row: &dyn PhraseRow) -> Vec<PhraseAt> {
        self.find_in(&self.signs(row), |_| true)
    }

    /// The phrases with certain marks.
    pub(in crate::guard) fn find_in(&self, signs: &WordSigns, wanted: impl Fn(u8) -> bool) -> Vec<PhraseAt> {
        // Most phrases need a word that the text does not have at all.
        let is_there = |step: &PhraseStep| match step.test {
            StepTest::Symbol(symbol) => step.least == 0 || signs.present[usize::from(symbol)],
            _ => true,
        };
        let possible: Vec<bool> = self
            .phrases
            .iter()
            .map(|phrase| phrase.steps.iter().all(is_there) && wanted(phrase.mark))
            .collect();
        let mut found = Vec::new();
        let mut sentence = 0;
        let count = signs.parted.len();
        for index in 0..count {
            if index >= sentence {
                sentence = (index + 1..count).find(|&next| signs.parted[next]).unwrap_or(count);
            }
            let mut look = |numbers: &[u16]| {
                for &number in numbers {
                    if !possible[usize::from(number)] {
                        continue;
                    }
                    let phrase = &self.phrases[usize::from(number)];
                    if phrase.first && !signs.parted[index] {
                        continue;
                    }
                    let room = (sentence - index).min(REACH);
                    let walk = PhraseWalk { table: self, signs, start: index, room };
                    if let Some(words) = walk.whole(phrase) {
                        let Phrase { section, mark, .. } = *phrase;
                        found.push(PhraseAt { section, mark, phrase: number, words });
                    }
                }
            };
            for &symbol in signs.of(index) {
                look(&self.starts[usize::from(symbol)]);
            }
            for (condition, numbers) in &self.openers {
                if signs.holds(index, &self.conditions[usize::from(*condition)]) {
                    look(numbers);
                }
            }
        }
        found
    }
}

/// A phrase that is followed from a word on. A place is how many words have been covered.
struct PhraseWalk<'a> {
    table: &'a RuleTable,
    signs: &'a WordSigns,
    start: usize,
    /// How many words are left in the sentence.
    room: usize,
}

impl PhraseWalk<'_> {
    /// The words of what is found.
    fn whole(&self, phrase: &Phrase) -> Option<Range<usize>> {
        let (from, to) = (usize::from(phrase.found.0), usize::from(phrase.found.1));
        let (lead, found, behind) = (&phrase.steps[..from], &phrase.steps[from..to], &phrase.steps[to..]);
        let mut begins = self.steps(lead, 1);
        while begins != 0 {
            let begin = begins & begins.wrapping_neg();
            begins ^= begin;
            let mut ends = self.steps(found, begin);
            while ends != 0 {
                let end = 63 - ends.leading_zeros() as usize;
                if behind.is_empty() || self.steps(behind, 1 << end) != 0 {
                    return Some(self.start + begin.trailing_zeros() as usize..self.start + end);
                }
                ends ^= 1 << end;
            }
        }
        None
    }

    fn steps(&self, steps: &[PhraseStep], places: u64) -> u64 {
        steps.iter().fold(places, |places, step| if places == 0 { 0 } else { self.step(step, places) })
    }

    fn step(&self, step: &PhraseStep, places: u64) -> u64 {
        let mut reached = if step.least == 0 { places } else { 0 };
        let mut front = places;
        for count in 1..=step.most {
            front = self.once(step.test, front);
            if front == 0 {
                break;
            }
            if count >= step.least {
                reached |= front;
            }
        }
        reached
    }

    fn once(&self, test: StepTest, places: u64) -> u64 {
        let passed = |is: &dyn Fn(usize) -> bool| {
            let (mut open, mut passed) = (places, 0);
            while open != 0 {
                let place = open.trailing_zeros() as usize;
                open &= open - 1;
                if place < self.room && is(self.start + place) {
                    passed |= 1 << (place + 1);
                }
            }
            passed
        };
        match test {
            StepTest::Symbol(symbol) => passed(&|word| self.signs.of(word).contains(&symbol)),
            StepTest::Check(at) => {
                passed(&|word| self.signs.holds(word, &self.table.conditions[usize::from(at)]))
            }
            // No place is beyond the last word.
            StepTest::Any => places << 1 & u64::MAX >> (63 - self.room),
            StepTest::Part(part) => {
                let ways = &self.table.parts[usize::from(part)];
                ways.iter().fold(0, |reached, way| reached | self.steps(way, places))
            }
        }
    }
}
