//! Denials and words of direction, which a source may turn around.
//!
//! Each clause of a claim is compared with the clauses of the passage that share its words. If the one that shares most denies
//! what the claim affirms, or the other way round, the claim is turned around if the verb is shared too; if not, it cannot be
//! told. A word of direction is held in the same way, against clauses that have it or its opposite.

use std::ops::Range;
use std::sync::OnceLock;

use super::claimed::Claimed;
use super::layout::PartForm;
use super::lists::{Role, lines};
use super::passage::{Passage, PassageWindow, Sentence};
use super::reading::TermTable;
use super::word::ReadWord;
use ibid_platform::order;
use ibid_text::rough_stem;

/// The most clauses of a claim, and of its words of direction, that are held.
const MAX_CLAUSES: usize = 8;

/// The weight of the verb if it is one of the known ones.
const ACT: f32 = 0.4;

/// The weight of a word that stands in another clause of the sentence, above it or before it.
const AROUND: f32 = 0.4;

/// The weight of a sentence that does not share the verb.
const WITHOUT_VERB: f32 = 0.5;

/// The share of a clause that another sentence must share more, to speak against it at all, and to turn it around.
const MORE: f32 = 0.08;
const SOME: f32 = 0.3;
const MOST: f32 = 0.5;
const ALONE: f32 = 0.6;

/// A denial or a word of direction, in a claim or against it.
pub(super) struct Stance {
    /// It is a word of direction.
    pub(super) directs: bool,
    /// The place in the claim: the word that denies or directs, or one that the source denies.
    pub(super) claim: Range<usize>,
    /// The place in the source's text that says the same, or the opposite.
    pub(super) source: Option<Range<usize>>,
    pub(super) verdict: StanceVerdict,
}

/// The way a stance is to be found in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StanceVerdict {
    /// Nothing speaks against it.
    Fine,
    /// It cannot be told.
    Open,
    /// The source says the opposite.
    Turned,
}

/// A claim and the passage that it is compared with.
pub(super) struct Opposed<'a> {
    pub(super) claim: &'a Claimed,
    pub(super) passage: &'a Passage,
    pub(super) window: &'a PassageWindow,
    pub(super) terms: &'a TermTable,
}

/// A word of direction of a claim, with the terms that are its opposites, and those that are the opposites of these.
type Toward<'a> = Option<(&'a ReadWord, &'a [u32], &'a [u32])>;

/// The share of a clause that one of the passage has.
#[derive(Default)]
struct Shared {
    agree: f32,
    differ: f32,
    /// The words that conditions and what stands around share.
    rest: f32,
    /// The verb is shared.
    verb: bool,
    /// It says the opposite.
    turned: bool,
    /// A word that differs, in the claim; and one of the source.
    word: Option<Range<usize>>,
    place: Option<Range<usize>>,
}

impl Shared {
    fn all(&self) -> f32 {
        self.agree + self.differ + self.rest
    }
}

impl Opposed<'_> {
    /// Finds the denials and the words of direction of the claim, and what the passage denies of it.
    pub(super) fn stances(&self) -> Vec<Stance> {
        let words = &self.claim.reading.words;
        let clauses = || words.chunk_by(|one, other| one.clause == other.clause);
        let mut stances = Vec::new();
        if words.iter().chain(&self.passage.reading.words).any(|word| word.denied.is_some()) {
            stances.extend(clauses().take(MAX_CLAUSES).filter_map(|clause| self.clause(clause, None)));
        }
        let opposites = Opposites::all();
        let mut left = MAX_CLAUSES;
        for clause in clauses() {
            for word in clause {
                let Some(token) = self.claim.reading.token(word) else { continue };
                let stem = rough_stem(&token.text);
                let others: Vec<u32> =
                    opposites.of(&stem).filter_map(|other| self.terms.find_stem(other)).collect();
                if left == 0 || others.is_empty() || words.iter().any(|word| others.contains(&word.term)) {
                    continue;
                }
                left -= 1;
                let allies = opposites.of(&stem).flat_map(|other| opposites.of(other));
                let allies: Vec<u32> = allies.filter_map(|ally| self.terms.find_stem(ally)).collect();
                stances.extend(self.clause(clause, Some((word, &others, &allies))));
            }
        }
        stances
    }

    /// Weighs a word in telling what a clause is about.
    fn weight(&self, word: &ReadWord) -> f32 {
        let slot = self.claim.slot_of(word.term).filter(|_| !word.acts);
        slot.and_then(|slot| self.claim.weights.get(slot)).copied().unwrap_or_default()
    }

    fn clause(&self, clause: &[ReadWord], toward: Toward<'_>) -> Option<Stance> {
        let is_own = |word: &&ReadWord| toward.is_some_and(|(own, ..)| own.term == word.term);
        let total: f32 = clause.iter().filter(|word| !is_own(word)).map(|word| self.weight(word)).sum();
        let (mut same, mut place) = (0.0_f32, None);
        let mut other = Shared::default();
        for at in 0..self.passage.sentences.len() {
            for shared in self.sentence(clause, at, toward) {
                let all = shared.all();
                if shared.turned && all > other.all() {
                    other = shared;
                } else if !shared.turned {
                    let all = if shared.verb { all } else { all * WITHOUT_VERB };
                    place = if all > same { shared.place } else { place };
                    same = same.max(all);
                }
            }
        }
        let cue = clause.iter().find_map(|word| word.denied);
        let cue = cue.and_then(|cue| self.claim.reading.tokens.get(cue)).map(|token| token.span.clone());
        let denies = toward.is_some() || cue.is_some();
        let span = toward.map(|(own, ..)| own.span.clone()).or(cue);
        let directs = toward.is_some();
        if total <= 0.0 || other.all() < SOME * total || other.all() <= same + MORE * total {
            let verdict = StanceVerdict::Fine;
            return span.map(|claim| Stance { directs, claim, source: place, verdict });
        }
        // A denial that the source alone has may be of something else in it.
        let most =
            if denies { other.all() >= MOST * total } else { other.verb && other.differ >= ALONE * total };
        let verdict = if most { StanceVerdict::Turned } else { StanceVerdict::Open };
        let claim = span.or(other.word).or_else(|| clause.first().map(|word| word.span.clone()))?;
        Some(Stance { directs, claim, source: other.place, verdict })
    }

    /// Computes the shares of a clause that those of a sentence of the passage have.
    fn sentence(&self, clause: &[ReadWord], at: usize, toward: Toward<'_>) -> Vec<Shared> {
        let none = self.window.hits.get(at).is_none_or(Vec::is_empty);
        let sentence =
            self.passage.sentences.get(at).filter(|sentence| sentence.part.form != PartForm::Head && !none);
        let words = sentence.and_then(|sentence| self.passage.reading.words.get(sentence.words.clone()));
        let Some((sentence, words)) = sentence.zip(words) else { return Vec::new() };
        // What the sentence says elsewhere, and what stands above and before it.
        let above = self.passage.above(at).filter_map(|above| self.passage.sentences.get(above));
        let above = above.filter_map(|above| self.passage.reading.words.get(above.words.clone())).flatten();
        let around: Vec<u32> =
            words.iter().chain(above).chain(self.referred(sentence)).map(|word| word.term).collect();
        // Another direction may stand behind each comma.
        let number = |at: &usize| match toward {
            Some(_) => self.passage.cells.get(*at).copied(),
            None => self.passage.reading.words.get(*at).map(|word| word.clause),
        };
        let places: Vec<usize> = sentence.words.clone().collect();
        let parts = places.chunk_by(|one, other| number(one) == number(other));
        let parts = parts.filter_map(|part| self.passage.reading.words.get(*part.first()?..part.last()? + 1));
        parts.filter_map(|part| self.part(clause, part, &around, toward)).collect()
    }

    /// Finds the words of the sentence before, if a word of this one stands for something there.
    fn referred(&self, sentence: &Sentence) -> &[ReadWord] {
        let before = sentence.part.before.filter(|_| sentence.sides.iter().any(|side| side.refers));
        let before = before.and_then(|before| self.passage.sentences.get(before));
        before.and_then(|before| self.passage.reading.words.get(before.words.clone())).unwrap_or_default()
    }

    fn refers(&self, word: &ReadWord) -> bool {
        let token = self.passage.reading.token(word);
        token.is_some_and(|token| self.terms.lists.has(&token.text, Role::Refers))
    }

    /// Computes the share of a clause that one of the passage has. `None` if nothing of it.
    fn part(
        &self,
        clause: &[ReadWord],
        words: &[ReadWord],
        around: &[u32],
        toward: Toward<'_>,
    ) -> Option<Shared> {
        let mut shared = Shared::default();
        // "Raises it" is said of what the claim names behind its verb.
        let refers = toward.is_some() && words.iter().any(|word| self.refers(word));
        let near = |word: &ReadWord| match toward {
            None if word.subordinate => 1.0,
            None => AROUND,
            Some((own, ..)) => f32::from(u8::from(refers && word.span.start > own.span.start)),
        };
        for word in clause.iter().filter(|word| toward.is_none_or(|(own, ..)| own.term != word.term)) {
            let weight = self.weight(word);
            if weight <= 0.0 {
                continue;
            }
            let found = || words.iter().filter(|found| found.term == word.term);
            let Some(first) = found().next() else {
                if around.contains(&word.term) {
                    shared.rest += weight * near(word);
                }
                continue;
            };
            if word.subordinate || first.subordinate {
                shared.rest += weight;
                continue;
            }
            shared.verb |= word.led;
            if found().any(|found| found.denied.is_some() == word.denied.is_some()) {
                shared.agree += weight;
            } else {
                shared.differ += weight;
                shared.word.get_or_insert_with(|| word.span.clone());
            }
            shared.place.get_or_insert_with(|| first.span.clone());
        }
        if let Some(toward) = toward {
            direct(&mut shared, words, toward)?;
        } else {
            act(&mut shared, clause, words);
            shared.turned = shared.differ > shared.agree;
        }
        (shared.agree + shared.differ > 0.0 || toward.is_some()).then_some(shared)
    }
}

/// Looks in a clause of the passage for a word of direction or one that says the same, or for its opposite, whose denial turns it
/// back. `None` if none is there.
fn direct(
    shared: &mut Shared,
    words: &[ReadWord],
    (own, others, allies): (&ReadWord, &[u32], &[u32]),
) -> Option<()> {
    let is_turned =
        |found: &ReadWord| others.contains(&found.term) == (found.denied.is_some() == own.denied.is_some());
    let directs = |term: u32| term == own.term || others.contains(&term) || allies.contains(&term);
    let mut found = words.iter().filter(|found| directs(found.term));
    let first = found.clone().next()?;
    let straight = found.find(|found| !is_turned(found));
    shared.turned = straight.is_none();
    shared.place = Some(straight.unwrap_or(first).span.clone());
    shared.verb = true;
    Some(())
}

/// Compares the verbs of two clauses that share anything.
fn act(shared: &mut Shared, clause: &[ReadWord], words: &[ReadWord]) {
    let acts = |word: &&ReadWord| word.acts && !word.subordinate;
    let mut verbs = words.iter().filter(acts).peekable();
    let Some((own, verb)) = clause.iter().find(acts).zip(verbs.peek().copied()) else { return };
    if shared.agree + shared.differ <= 0.0 {
        return;
    }
    shared.verb = true;
    if verbs.any(|verb| verb.denied.is_some() == own.denied.is_some()) {
        shared.agree += ACT;
    } else {
        shared.differ += ACT;
        shared.word = Some(own.span.clone());
        shared.place.get_or_insert_with(|| verb.span.clone());
    }
}

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
