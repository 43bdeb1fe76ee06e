//! Finding the phrases of a table, in a time that grows with the text's length alone.
//!
//! A phrase that may begin at a word is followed step by step with all the places where it could be at once, as the bits
//! of one number; and where a part can end that begins at a word is kept, as packrat parsers do (Ford 2002). So nothing is
//! ever tried again, and a phrase costs at most its own length times its reach.

use std::ops::Range;

use super::table::{CLASS, Look, Phrase, PhraseStep, RuleTable, StepTest, TraitCheck, WordTraits, class_bit};
use ibid_text::{Gap, Words};

/// The most words that a phrase can cover: the places after its first word are the bits of a number.
pub(super) const REACH: usize = 62;

/// A text in which phrases are looked for.
pub(in crate::guard) trait PhraseRow {
    /// Counts the words.
    fn count(&self) -> usize;
    /// Reads a word, folded as the table's are.
    fn folded(&self, index: usize) -> &str;
    /// Says whether no phrase goes on here from the word before.
    fn parted(&self, index: usize) -> bool;
    /// Facts about a word besides its letters and classes.
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
    /// The beginning of each word's symbols in `all`; one more for the end.
    starts: Vec<u32>,
    all: Vec<u16>,
    /// By symbol, whether it is there at all.
    present: Vec<bool>,
    parted: Vec<bool>,
    /// The traits and classes of each word.
    pub(in crate::guard) traits: Vec<WordTraits>,
}

impl WordSigns {
    fn of(&self, word: usize) -> &[u16] {
        let start = self.starts.get(word).map_or(0, |&at| at as usize);
        let end = self.starts.get(word + 1).map_or(start, |&at| at as usize);
        &self.all[start..end]
    }

    fn passes(&self, word: usize, one: &TraitCheck) -> bool {
        let Some(traits) = self.traits.get(word) else { return false };
        traits.bits & one.all == one.all
            && traits.bits & one.none == 0
            && (one.width.0..=one.width.1).contains(&traits.width)
            && (one.value.0..=one.value.1).contains(&traits.value)
            && one.symbol.is_none_or(|symbol| self.of(word).contains(&symbol))
    }
}

impl RuleTable {
    /// Looks up a text's words as the table knows them.
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

    /// Finds the phrases in a text, by the word they begin with. Of what a phrase could cover from there, it covers the
    /// most.
    pub(in crate::guard) fn find(&self, row: &dyn PhraseRow) -> Vec<PhraseAt> {
        self.find_in(&self.signs(row), &|_| true, &|_, _| true)
    }

    /// Finds the phrases with certain marks. Of what a phrase could cover, it covers the most that passes a check by its
    /// section.
    pub(in crate::guard) fn find_in(
        &self,
        signs: &WordSigns,
        wanted: &dyn Fn(u8) -> bool,
        passes: &dyn Fn(&'static str, &Range<usize>) -> bool,
    ) -> Vec<PhraseAt> {
        let mut walk = PhraseWalk::new(self, signs);
        let mut possible: Vec<Option<bool>> = vec![None; self.phrases.len()];
        let mut is_possible = |walk: &mut PhraseWalk, number: u16| {
            let phrase = &self.phrases[usize::from(number)];
            *possible[usize::from(number)]
                .get_or_insert_with(|| wanted(phrase.mark) && walk.are_there(&phrase.steps))
        };
        // By bit of a trait, what may begin with a word that has it.
        let mut openers: Vec<Vec<&(TraitCheck, u16)>> = vec![Vec::new(); self.openers.len()];
        let mut opening = 0;
        for bit in bits(self.opening & walk.traits) {
            let open = self.openers[bit].iter().filter(|(_, number)| is_possible(&mut walk, *number));
            openers[bit].extend(open);
            opening |= u64::from(!openers[bit].is_empty()) << bit;
        }
        // A word may have several traits that a phrase can begin with.
        let mut looked = vec![usize::MAX; self.phrases.len()];
        let mut found = Vec::new();
        for index in 0..signs.parted.len() {
            let mut look = |walk: &mut PhraseWalk, number: u16| {
                let phrase = &self.phrases[usize::from(number)];
                let again = std::mem::replace(&mut looked[usize::from(number)], index) == index;
                if !again
                    && (!phrase.first || signs.parted[index])
                    && let Some(words) = walk.whole(phrase, index, passes)
                {
                    let Phrase { section, mark, .. } = *phrase;
                    found.push(PhraseAt { section, mark, phrase: number, words });
                }
            };
            for &symbol in signs.of(index) {
                for &number in &self.starts[usize::from(symbol)] {
                    if is_possible(&mut walk, number) {
                        look(&mut walk, number);
                    }
                }
            }
            for bit in bits(signs.traits[index].bits & opening) {
                for (check, number) in openers[bit].iter().copied() {
                    if signs.passes(index, check) {
                        look(&mut walk, *number);
                    }
                }
            }
        }
        found
    }
}

/// Lists the places of the bits of a number.
fn bits(mut open: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = open.trailing_zeros() as usize;
        let some = open != 0;
        open &= open.wrapping_sub(1);
        some.then_some(bit)
    })
}

/// Phrases that are followed through a text. A place is how many words have been covered from some word on.
struct PhraseWalk<'a> {
    table: &'a RuleTable,
    signs: &'a WordSigns,
    /// The number of words left in the sentence, for each word, up to the reach of a phrase.
    rooms: Vec<u8>,
    /// The traits that some word has.
    traits: u64,
    /// By part, whether the text has the words for it at all, once that has been asked.
    viable: Vec<Option<bool>>,
    /// By part, of the last words it was asked for at, each at its place in a ring, the places where it can end; empty
    /// until one is asked for.
    ends: Vec<Vec<(usize, u64)>>,
}

/// The words of a ring, which no phrase reaches beyond.
const RING: usize = REACH + 2;

impl<'a> PhraseWalk<'a> {
    fn new(table: &'a RuleTable, signs: &'a WordSigns) -> Self {
        let mut rooms = vec![0; signs.parted.len()];
        let mut room = 0;
        for (at, of) in rooms.iter_mut().enumerate().rev() {
            room = REACH.min(room + 1);
            *of = room as u8;
            if signs.parted[at] {
                room = 0;
            }
        }
        let traits = signs.traits.iter().fold(0, |bits, traits| bits | traits.bits);
        let parts = table.parts.len();
        Self { table, signs, rooms, traits, viable: vec![None; parts], ends: vec![Vec::new(); parts] }
    }

    /// Says whether the text has the words for a part.
    fn is_viable(&mut self, part: u16) -> bool {
        let at = usize::from(part);
        if self.viable[at].is_none() {
            self.viable[at] = Some(self.table.parts[at].iter().any(|way| self.are_there(way)));
        }
        self.viable[at] == Some(true)
    }

    /// Says whether the text has the words for steps, in whatever order. Most phrases need one that it has not.
    fn are_there(&mut self, steps: &[PhraseStep]) -> bool {
        steps.iter().filter(|step| step.least > 0 && step.look != Look::Away).all(|step| match step.test {
            StepTest::Symbol(symbol) => self.signs.present[usize::from(symbol)],
            StepTest::Check(at) => {
                let here = |symbol| self.signs.present[usize::from(symbol)];
                let ways = &self.table.checks[usize::from(at)];
                ways.iter().any(|way| way.all & !self.traits == 0 && way.symbol.is_none_or(here))
            }
            StepTest::Part(part) => self.is_viable(part),
            StepTest::Any | StepTest::End => true,
        })
    }

    /// The words of what is found by a phrase from a word on.
    fn whole(
        &mut self,
        phrase: &Phrase,
        start: usize,
        passes: &dyn Fn(&'static str, &Range<usize>) -> bool,
    ) -> Option<Range<usize>> {
        let (lead, found) = phrase.steps.split_at(usize::from(phrase.lead));
        for begin in bits(self.steps(lead, start, 1)) {
            let mut ends = self.steps(found, start, 1 << begin);
            while ends != 0 {
                let end = 63 - ends.leading_zeros() as usize;
                let words = start + begin..start + end;
                if passes(phrase.section, &words) {
                    return Some(words);
                }
                ends ^= 1 << end;
            }
        }
        None
    }

    fn steps(&mut self, steps: &[PhraseStep], start: usize, mut places: u64) -> u64 {
        for step in steps {
            if places == 0 {
                return 0;
            }
            places = self.step(*step, start, places);
        }
        places
    }

    fn step(&mut self, step: PhraseStep, start: usize, places: u64) -> u64 {
        let mut reached = if step.least == 0 { places } else { 0 };
        if step.look != Look::No {
            let keeps =
                |place: &usize| (self.once(step.test, start, 1 << place) != 0) == (step.look == Look::Ahead);
            return bits(places).filter(keeps).fold(0, |kept, place| kept | 1 << place);
        }
        let mut front = places;
        for count in 1..=step.most {
            front = self.once(step.test, start, front);
            if front == 0 {
                break;
            }
            if count >= step.least {
                reached |= front;
            }
        }
        reached
    }

    fn once(&mut self, test: StepTest, start: usize, places: u64) -> u64 {
        let room = self.rooms.get(start).map_or(0, |&room| usize::from(room));
        // No place is beyond the last word.
        let within = (2 << room) - 1;
        let standing = places & within >> 1;
        let signs = self.signs;
        match test {
            StepTest::Any => places << 1 & within,
            StepTest::End if room < REACH => places & 1 << room,
            StepTest::End => 0,
            StepTest::Symbol(symbol) => passed(standing, |place| signs.of(start + place).contains(&symbol)),
            StepTest::Check(at) => {
                let ways = &self.table.checks[usize::from(at)];
                passed(standing, |place| ways.iter().any(|way| signs.passes(start + place, way)))
            }
            StepTest::Part(part) if !self.is_viable(part) => 0,
            StepTest::Part(part) => {
                let mut part = |place| self.part(usize::from(part), start + place) << place;
                bits(places).fold(0, |reached, place| reached | part(place)) & within
            }
        }
    }

    /// Finds the places where a part can end that begins at a word.
    fn part(&mut self, part: usize, word: usize) -> u64 {
        let at = word % RING;
        if let Some((_, ends)) = self.ends[part].get(at).filter(|(known, _)| *known == word) {
            return *ends;
        }
        let ways = &self.table.parts[part];
        let ends = ways.iter().fold(0, |ends, way| ends | self.steps(way, word, 1));
        let ring = &mut self.ends[part];
        ring.resize(RING, (usize::MAX, 0));
        ring[at] = (word, ends);
        ends
    }
}

/// Finds the places behind those at which something holds.
fn passed(open: u64, holds: impl Fn(usize) -> bool) -> u64 {
    bits(open).filter(|place| holds(*place)).fold(0, |passed, place| passed | 2 << place)
}
