//! Checks whether a claim denies what its source affirms, or says the opposite of it.
//!
//! Each clause of a claim is checked against the sentences of the passage that share its words. Where the sentence that shares
//! most denies what the claim affirms, or the other way round, the claim is turned around if the verb is shared too; if not,
//! it cannot be told.

use std::ops::Range;
use std::sync::OnceLock;

use super::claimed::Claimed;
use super::layout::PartForm;
use super::lists::{Role, lines};
use super::passage::{Passage, PassageWindow};
use super::reading::{TermTable, TextReading};
use super::word::ReadWord;
use ibid_platform::order;
use ibid_text::rough_stem;

/// The most clauses of a claim, and of its words of direction, that are held.
const MAX_CLAUSES: usize = 8;

/// The weight of a word in a condition or a relative clause, and of the verb where it is one of the known ones.
const SUBORDINATE: f32 = 0.6;
const ACT: f32 = 0.4;

/// The most words of an item of a list that may be what its heading says of it.
const ENTRY: usize = 8;

/// The weight of a word that stands in another clause of the sentence, above it or before it.
const AROUND: f32 = 0.4;

/// The weight of a sentence that does not share the verb.
const WITHOUT_VERB: f32 = 0.5;

/// The share of a clause that another sentence must share more, to speak against it at all, and to turn it around.
const MORE: f32 = 0.08;
const SOME: f32 = 0.3;
const MOST: f32 = 0.5;
const ALONE: f32 = 0.6;

/// The way a claim stands to what its source affirms and denies.
pub(super) enum Polarity {
    /// Nothing speaks against it.
    Fine,
    /// It cannot be told.
    Unclear,
    /// One says the opposite of the other.
    Turned(Turned),
}

/// Something in a claim that its source turns around.
pub(super) struct Turned {
    /// The place in the claim.
    pub(super) claim: Range<usize>,
    /// The place in the source's text.
    pub(super) source: Range<usize>,
}

/// A claim and the passage that it is checked against.
pub(super) struct Opposed<'a> {
    pub(super) claim: &'a Claimed,
    pub(super) passage: &'a Passage,
    pub(super) window: &'a PassageWindow,
    pub(super) terms: &'a TermTable,
}

/// The share of a clause that a sentence has.
#[derive(Default)]
struct Shared {
    agree: f32,
    differ: f32,
    /// The words that conditions and the sentence before share.
    rest: f32,
    /// The verb is shared.
    verb: bool,
    unclear: bool,
    /// A word that differs, in the claim and in the source.
    word: Option<Range<usize>>,
    place: Option<Range<usize>>,
}

impl Shared {
    fn all(&self) -> f32 {
        self.agree + self.differ + self.rest
    }
}

impl Opposed<'_> {
    /// Returns true if what the claim denies stands affirmed in the passage, or what that denies stands affirmed in the claim.
    pub(super) fn denial(&self) -> Polarity {
        let denies = |word: &ReadWord| word.denied.is_some() || word.unclear;
        let claimed = &self.claim.reading.words;
        if !claimed.iter().chain(&self.passage.reading.words).any(denies) {
            return Polarity::Fine;
        }
        let mut result = Polarity::Fine;
        let clauses = claimed.chunk_by(|one, other| one.clause == other.clause);
        for clause in clauses.take(MAX_CLAUSES) {
            match self.clause(clause) {
                Polarity::Fine => {}
                Polarity::Unclear => result = Polarity::Unclear,
                turned @ Polarity::Turned(_) => return turned,
            }
        }
        result
    }

    /// The weight of a word in telling what a clause is about.
    fn weight(&self, word: &ReadWord) -> f32 {
        let slot = self.claim.terms.binary_search(&word.term).ok();
        let titled = slot.is_some_and(|slot| self.window.titled.get(slot) == Some(&true));
        if word.acts || titled {
            return 0.0;
        }
        let weight = slot.and_then(|slot| self.claim.weights.get(slot)).copied().unwrap_or_default();
        if word.subordinate { weight * SUBORDINATE } else { weight }
    }

    fn clause(&self, clause: &[ReadWord]) -> Polarity {
        let total: f32 = clause.iter().map(|word| self.weight(word)).sum();
        if total <= 0.0 {
            return Polarity::Fine;
        }
        let (mut same, mut other): (f32, Option<Shared>) = (0.0, None);
        for at in 0..self.passage.sentences.len() {
            for shared in self.sentence(clause, at) {
                if shared.agree >= shared.differ {
                    let weight = if shared.verb { 1.0 } else { WITHOUT_VERB };
                    same = same.max(shared.all() * weight);
                } else if other.as_ref().is_none_or(|other| other.all() < shared.all()) {
                    other = Some(shared);
                }
            }
        }
        let Some(other) = other else { return Polarity::Fine };
        let share = other.all() / total;
        if share < SOME || other.all() <= same + MORE * total {
            return Polarity::Fine;
        }
        let unclear = other.unclear || clause.iter().any(|word| word.unclear);
        // A denial that the source alone has may be of something else in it.
        let denies = clause.iter().any(|word| word.denied.is_some());
        let most = if denies { share >= MOST } else { other.verb && other.differ >= ALONE * total };
        if unclear || !most {
            return Polarity::Unclear;
        }
        let cue = clause.iter().find_map(|word| word.denied);
        let cue = cue.and_then(|cue| self.claim.reading.tokens.get(cue)).map(|token| token.span.clone());
        match cue.or(other.word).zip(other.place) {
            Some((claim, source)) => Polarity::Turned(Turned { claim, source }),
            None => Polarity::Unclear,
        }
    }

    /// The share of a clause that those of a sentence of the passage have, as it stands and turned around.
    fn sentence(&self, clause: &[ReadWord], at: usize) -> Vec<Shared> {
        let none = self.window.hits.get(at).is_none_or(Vec::is_empty);
        let sentence =
            self.passage.sentences.get(at).filter(|sentence| sentence.part.form != PartForm::Head && !none);
        let words = sentence.and_then(|sentence| self.passage.reading.words.get(sentence.words.clone()));
        let Some((sentence, words)) = sentence.zip(words) else { return Vec::new() };
        // The items of a list are what its lead-in says of them, if they say nothing themselves.
        let bare = !words.iter().any(|word| word.acts || word.led || word.denied.is_some());
        let above = sentence.part.above.filter(|_| bare).and_then(|above| self.passage.sentences.get(above));
        let lead =
            above.and_then(|lead| self.passage.reading.words.get(lead.words.clone())).unwrap_or_default();
        let headed = above.is_some_and(|above| above.part.form == PartForm::Heading);
        let over = lead.iter().find_map(|word| word.denied).filter(|_| !headed);
        let unclear = headed && words.len() <= ENTRY && lead.iter().any(|word| word.denied.is_some());
        let lead = if headed { &[] } else { lead };
        // What the sentence says elsewhere, and what stands above and before it.
        let above = self.passage.above(at).filter_map(|above| self.passage.sentences.get(above));
        let above = above.filter_map(|above| self.passage.reading.words.get(above.words.clone())).flatten();
        let around: Vec<u32> =
            words.iter().chain(above).chain(self.referred(at, words)).map(|word| word.term).collect();
        let parts = words.chunk_by(|one, other| one.clause == other.clause);
        parts
            .filter_map(|part| {
                let shared = self.part(clause, part, lead, over, &around)?;
                Some(Shared { unclear: shared.unclear || unclear, ..shared })
            })
            .collect()
    }

    /// The words of the sentence before, if a sentence begins with a word that stands for something there.
    fn referred(&self, at: usize, words: &[ReadWord]) -> &[ReadWord] {
        let token = words.first().and_then(|word| self.passage.reading.tokens.get(word.token));
        let refers = token.is_some_and(|token| self.terms.lists.has(&token.text, Role::Refers));
        let before = self.passage.sentences.get(at).and_then(|sentence| sentence.part.before);
        let before = before.filter(|_| refers).and_then(|before| self.passage.sentences.get(before));
        before.and_then(|before| self.passage.reading.words.get(before.words.clone())).unwrap_or_default()
    }

    /// The share of a clause that one of the passage has. `None` if nothing of it.
    fn part(
        &self,
        clause: &[ReadWord],
        words: &[ReadWord],
        lead: &[ReadWord],
        over: Option<usize>,
        around: &[u32],
    ) -> Option<Shared> {
        let mut shared = Shared::default();
        let acts = |word: &&ReadWord| word.acts && !word.subordinate;
        let own = clause.iter().find(acts);
        for word in clause {
            let weight = self.weight(word);
            if weight <= 0.0 {
                continue;
            }
            let found = || words.iter().filter(|found| found.term == word.term);
            let denied = |found: &ReadWord| found.denied.or(over).is_some();
            let Some(first) = found().next() else {
                if around.contains(&word.term) {
                    shared.rest += if word.subordinate { weight } else { weight * AROUND };
                }
                continue;
            };
            shared.unclear |= found().all(|found| found.unclear);
            if word.subordinate || first.subordinate {
                shared.rest += weight;
                continue;
            }
            shared.verb |= word.led;
            if found().any(|found| denied(found) == word.denied.is_some()) {
                shared.agree += weight;
            } else {
                shared.differ += weight;
                shared.word.get_or_insert_with(|| word.span.clone());
                shared.place.get_or_insert_with(|| first.span.clone());
            }
        }
        let mut verbs = words.iter().chain(lead).filter(acts).peekable();
        if let (Some(own), Some(verb), true) = (own, verbs.peek(), shared.agree + shared.differ > 0.0) {
            shared.verb = true;
            let span = verb.span.clone();
            if verbs.any(|verb| verb.denied.or(over).is_some() == own.denied.is_some()) {
                shared.agree += ACT;
            } else {
                shared.differ += ACT;
                shared.word = Some(own.span.clone());
                shared.place.get_or_insert(span);
            }
        }
        (shared.agree + shared.differ > 0.0).then_some(shared)
    }

    /// A word of the claim whose opposite the passage has in its place.
    pub(super) fn direction(&self) -> Polarity {
        let opposites = Opposites::all();
        let words = &self.claim.reading.words;
        let mut result = Polarity::Fine;
        let mut left = MAX_CLAUSES;
        for (at, word) in words.iter().enumerate() {
            let Some(token) = self.claim.reading.tokens.get(word.token) else { continue };
            let others: Vec<u32> = opposites
                .of(&rough_stem(&token.text))
                .filter_map(|other| self.terms.find_stem(other))
                .collect();
            if others.is_empty() || words.iter().any(|word| others.contains(&word.term)) {
                continue;
            }
            match self.towards(at, &others) {
                Polarity::Fine => {}
                Polarity::Unclear => result = Polarity::Unclear,
                turned @ Polarity::Turned(_) => return turned,
            }
            left -= 1;
            if left == 0 {
                break;
            }
        }
        result
    }

    /// Checks the direction of a word of the claim against the parts of sentences that have it, or its opposite.
    fn towards(&self, at: usize, others: &[u32]) -> Polarity {
        let words = &self.claim.reading.words;
        let Some(own) = words.get(at) else { return Polarity::Fine };
        let within = words.iter().filter(|word| word.clause == own.clause && word.term != own.term);
        let clause: Vec<&ReadWord> = within.collect();
        let behind_own = words.get(at + 1..).unwrap_or_default();
        let weigh = |word: &&ReadWord| if word.acts { 0.0 } else { self.weight(word) };
        let total: f32 = clause.iter().map(weigh).sum();
        let sum = |of: &mut dyn Iterator<Item = &ReadWord>, among: &[ReadWord]| -> f32 {
            of.filter(|word| among.iter().any(|found| found.term == word.term)).map(|word| weigh(&word)).sum()
        };
        let (mut same, mut most, mut place) = (0.0_f32, 0.0_f32, None);
        for (number, sentence) in self.passage.sentences.iter().enumerate() {
            let range = sentence.words.clone();
            if sentence.part.form == PartForm::Head || self.window.hits.get(number).is_none_or(Vec::is_empty)
            {
                continue;
            }
            for there in range.clone() {
                let Some(found) = self.passage.reading.words.get(there) else { continue };
                let opposite = others.contains(&found.term);
                if !opposite && found.term != own.term {
                    continue;
                }
                let cell = self.passage.cells.get(there);
                let within = |place: &usize| self.passage.cells.get(*place) == cell && range.contains(place);
                let start = (0..there).rev().take(REACH).take_while(within).last().unwrap_or(there);
                let end = (there + 1..range.end).take(REACH).take_while(within).last().unwrap_or(there);
                let part = |range: Range<usize>| self.passage.reading.words.get(range).unwrap_or_default();
                let pronoun = |word: &ReadWord| {
                    let token = self.passage.reading.token(word);
                    token.is_some_and(|token| matches!(token.text.as_str(), "it" | "them" | "that" | "this"))
                };
                // "Raises it" is said of what stands before.
                let from = sentence.part.before.and_then(|before| self.passage.sentences.get(before));
                let from = from.map_or(range.start, |before| before.words.start);
                let earlier = part(there + 1..end + 1).iter().any(pronoun);
                let earlier = if earlier { part(from..start) } else { &[] };
                let mut later = behind_own.iter().filter(|word| word.clause == own.clause);
                let shared =
                    sum(&mut clause.iter().copied(), part(start..end + 1)) + sum(&mut later, earlier);
                let denied = found.denied.is_some() != own.denied.is_some();
                // A denial of the opposite turns it back.
                if opposite == denied {
                    same = same.max(shared);
                } else if shared > most {
                    most = shared;
                    place = Some(found.span.clone());
                }
            }
        }
        if most <= same + MORE * total || most < SOME * total {
            return Polarity::Fine;
        }
        match place.filter(|_| most >= MOST * total) {
            Some(source) => Polarity::Turned(Turned { claim: own.span.clone(), source }),
            None => Polarity::Unclear,
        }
    }
}

/// The reach of a part of a sentence around a word of direction.
const REACH: usize = 24;

/// Pairs of stems that say the opposite of each other, in both directions and in order.
struct Opposites(Vec<(String, String)>);

impl Opposites {
    /// The opposites, which are read once.
    fn all() -> &'static Self {
        static OPPOSITES: OnceLock<Opposites> = OnceLock::new();
        OPPOSITES.get_or_init(|| {
            let mut pairs = Vec::new();
            for (one, other) in lines("opposites").filter_map(|pair| pair.split_once(' ')) {
                let (one, other) = (rough_stem(one), rough_stem(other));
                pairs.extend([(one.clone(), other.clone()), (other, one)]);
            }
            order::by_key(&mut pairs, |(one, _)| one.clone());
            Self(pairs)
        })
    }

    fn of(&self, stem: &str) -> impl Iterator<Item = &str> {
        let first = self.0.partition_point(|(one, _)| one.as_str() < stem);
        let stem = stem.to_owned();
        self.0.iter().skip(first).take_while(move |(one, _)| *one == stem).map(|(_, other)| other.as_str())
    }
}

/// The words of a text of which it has the opposite, too.
pub(super) fn opposed(reading: &TextReading, terms: &TermTable) -> Vec<u32> {
    let opposites = Opposites::all();
    let has = |term: u32| reading.words.iter().any(|word| word.term == term);
    let both = |word: &&ReadWord| {
        let stem = reading.token(word).map(|token| rough_stem(&token.text));
        stem.is_some_and(|stem| opposites.of(&stem).any(|other| terms.find_stem(other).is_some_and(has)))
    };
    reading.words.iter().filter(both).map(|word| word.term).collect()
}
