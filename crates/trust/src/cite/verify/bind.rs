//! Checks whether a value in a passage belongs to what a claim says it of.
//!
//! A value belongs to its row, its column and the clause around it, to what stands above them, and half to the sentence
//! before. Where another value of the same unit has more of the claim there, the claim has taken the wrong one.

use std::ops::Range;

use super::claimed::Claimed;
use super::layout::PartForm;
use super::lists::Role;
use super::number::{Quantity, covers};
use super::passage::{Passage, PassageWindow};
use super::reading::TermTable;

/// A claim of more terms is no sentence, and is not looked at.
const MAX_TERMS: usize = 120;

/// The most quantities of a claim of which each helps to tell the place of the others.
pub(super) const MAX_QUANTITIES: usize = 8;

/// The weight of another quantity of the claim that stands there too.
const QUANTITY: f32 = 1.2;

/// The weight of the sentence before, and of the first cell of a row, next to that of the sentence.
const BEFORE: f32 = 0.25;
const FIRST: f32 = 1.0;

/// The most words of a clause that are looked at, on each side.
const AROUND: usize = 12;

/// The cell behind the sign that a row begins with.
const FIRST_CELL: u32 = 1;

/// The share of a claim by which another value must have more next to it: in the cells of a table, in items of lists, in clauses of one
/// sentence, and in other sentences.
const ROW: f32 = 0.25;
const ITEM: f32 = 0.5;
const CLAUSE: f32 = 0.5;
const PROSE: f32 = 0.6;

/// The same where this one has nothing that the other lacks, and the share of a claim that is all of it.
const LITTLE: f32 = 0.2;
const ALL: f32 = 0.95;

/// The least share of a claim by which clauses of one sentence tell which is meant.
const TELLING: f32 = 0.15;

/// The least share of a claim that must stand next to another value of running text.
const SHARE: f32 = 0.5;

/// The places of the values of a passage in what a claim says.
pub(super) struct Binding<'a> {
    claim: &'a Claimed,
    pub(super) passage: &'a Passage,
    terms: &'a TermTable,
    /// For each term of the claim what it weighs in telling a place: nothing for quantities and for what the title says.
    weights: Vec<f32>,
    /// For each sentence how much of the claim it has, with what stands above it.
    base: Vec<f32>,
    /// For each sentence and each of the claim's first quantities how well one there fits.
    fits: Vec<f32>,
    count: usize,
    /// The weight of the words of what is looked at, besides its values.
    total: f32,
    /// The only statement of the claim that is looked at, if it has several.
    statement: Option<u32>,
    /// For each term of the claim, its first place there.
    order: Vec<usize>,
}

/// The way another value stands to one that a claim may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rivalry {
    /// It is not meant.
    None,
    /// It may be, and so the claim cannot be told.
    Open,
    /// It is.
    Won,
}

/// The cell or clause around a value.
#[derive(Clone, Copy, Debug, Default)]
struct Clause {
    /// The terms and quantities of the claim that stand in it, a bit for each, and those of them before the value.
    all: u128,
    leading: u128,
    /// Something stands before the value that the claim does not name.
    foreign: bool,
}

/// A value in a passage, and how much of the claim stands next to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValuePlace {
    pub(super) affinity: f32,
    /// The share of the claim that stands there.
    pub(super) share: f32,
    /// The number of the passage, and the sentence or the row in it.
    passage: u32,
    sentence: usize,
    /// It stands in an item of a list, or in a row.
    pub(super) listed: bool,
    /// The head of its table, and its cell.
    table: Option<(usize, u32)>,
    clause: Clause,
    place: usize,
}

impl ValuePlace {
    /// In no place.
    pub(super) const NOWHERE: Self = Self { affinity: 0.0, passage: u32::MAX, ..Self::ANYWHERE };

    /// In the title, and so in all of it.
    pub(super) const ANYWHERE: Self = Self {
        affinity: f32::INFINITY,
        share: 1.0,
        passage: 0,
        sentence: 0,
        listed: false,
        table: None,
        clause: Clause { all: 0, leading: 0, foreign: false },
        place: 0,
    };
}

impl<'a> Binding<'a> {
    /// For one statement of the claim or all, and for values or a word, whose own weight tells nothing about its place. `None` for
    /// what is too long to be a sentence.
    pub(super) fn new(
        claim: &'a Claimed,
        passage: &'a Passage,
        window: &PassageWindow,
        terms: &'a TermTable,
        statement: Option<u32>,
        own: Option<u32>,
    ) -> Option<Self> {
        if claim.terms.len() > MAX_TERMS {
            return None;
        }
        let quantities = claim.reading.quantities.get(..MAX_QUANTITIES).unwrap_or(&claim.reading.quantities);
        let mut weights = claim.weights.clone();
        for slot in claim.reading.quantities.iter().filter_map(|quantity| claim.slot(quantity)) {
            weights[slot] = 0.0;
        }
        if let Some(slot) = own.and_then(|own| claim.slot_of(own)) {
            weights[slot] = 0.0;
        }
        let mut order = vec![usize::MAX; weights.len()];
        for (at, word) in claim.reading.words.iter().enumerate().rev().filter(|(_, word)| !word.acts) {
            let within = statement.is_none() || claim.statements.get(at).copied() == statement;
            if let Some(place) = claim.slot_of(word.term).and_then(|slot| order.get_mut(slot)) {
                *place = if within { at } else { *place };
            }
        }
        if statement.is_some() {
            for (weight, _) in weights.iter_mut().zip(&order).filter(|(_, place)| **place == usize::MAX) {
                *weight = 0.0;
            }
        }
        let count = quantities.len();
        let total = weights.iter().sum();
        let mut fits = vec![0.0; count * passage.sentences.len()];
        for (found, sentence) in passage.reading.quantities.iter().zip(&passage.places) {
            for (fit, quantity) in fits.iter_mut().skip(sentence * count).zip(quantities) {
                *fit = f32::max(*fit, covers(quantity, found));
            }
        }
        let mut binding =
            Self { claim, passage, terms, weights, base: Vec::new(), fits, count, total, statement, order };
        binding.base = (0..passage.sentences.len()).map(|at| binding.sentence(at, &window.hits)).collect();
        Some(binding)
    }

    fn sentence(&self, at: usize, hits: &[Vec<usize>]) -> f32 {
        let of = |at: usize| bits(hits.get(at).into_iter().flatten().copied());
        let Some(sentence) = self.passage.sentences.get(at) else { return 0.0 };
        let own = self.passage.above(at).fold(of(at), |all, above| all | of(above));
        let mut sum = self.weigh(own);
        if let Some(before) = sentence.part.before {
            let first = self.passage.reading.words.get(sentence.words.start);
            let first = first.and_then(|word| self.passage.reading.tokens.get(word.token));
            let refers = first.is_some_and(|token| self.terms.lists.has(&token.text, Role::Refers));
            sum += if refers { 1.0 } else { BEFORE } * self.weigh(of(before) & !own);
        }
        if sentence.part.form == PartForm::Row {
            // A row is about its first cell.
            let first =
                sentence.words.clone().take_while(|word| self.passage.cells.get(*word) <= Some(&FIRST_CELL));
            sum += FIRST * self.weigh(bits(first.filter_map(|word| self.slot(word))));
        }
        sum
    }

    /// Finds the place of a word of the passage among the claim's terms.
    fn slot(&self, word: usize) -> Option<usize> {
        self.claim.slot_of(self.passage.reading.words.get(word)?.term)
    }

    /// Computes the share of the claim that stands next to a quantity of the passage, which may be meant by the claim's
    /// of that number.
    pub(super) fn of(&self, number: usize, found: usize) -> Option<ValuePlace> {
        let quantity = self.passage.reading.quantities.get(found)?;
        let words = &self.passage.reading.words;
        let place = words.partition_point(|word| word.span.start < quantity.span.start);
        self.at(number, *self.passage.places.get(found)?, place, &quantity.span)
    }

    /// The same of a word of the passage.
    pub(super) fn of_word(&self, place: usize) -> Option<ValuePlace> {
        let at = self.passage.sentences.partition_point(|sentence| sentence.words.end <= place);
        let span = self.passage.reading.words.get(place)?.span.clone();
        self.at(usize::MAX, at, place, &span)
    }

    fn at(&self, number: usize, at: usize, place: usize, span: &Range<usize>) -> Option<ValuePlace> {
        let sentence = self.passage.sentences.get(at)?;
        if sentence.part.form == PartForm::Head {
            return Some(ValuePlace::ANYWHERE);
        }
        let mut affinity = self.base.get(at).copied()?;
        let own = self.claim.reading.quantities.get(number);
        let apart = |other: &usize| {
            let other = self.claim.reading.quantities.get(*other);
            other.is_some_and(|other| {
                own.is_none_or(|own| !own.is_one_date(other)) && self.is_looked_at(other)
            })
        };
        let others: Vec<usize> = (0..self.count).filter(|other| *other != number).filter(apart).collect();
        affinity +=
            others.iter().filter_map(|other| self.fits.get(at * self.count + other)).sum::<f32>() * QUANTITY;
        let total = self.total + QUANTITY * others.len() as f32;
        let share = if total > 0.0 { affinity / total } else { 0.0 };
        let mut table = None;
        if let Some(head) = sentence.part.head {
            affinity += self.column(head, place);
            table = Some((head, self.passage.cells.get(place).copied().unwrap_or_default()));
        }
        let listed = matches!(sentence.part.form, PartForm::Row | PartForm::Item);
        Some(ValuePlace {
            affinity,
            share,
            passage: self.passage.number,
            sentence: at,
            listed,
            table,
            clause: self.clause(number, place, span),
            place,
        })
    }

    /// Tells whether a quantity of the passage may be evidence: one in the head of a column only if the claim speaks of that.
    pub(super) fn may_be_evidence(&self, found: usize) -> bool {
        let place = self.passage.reading.quantities.get(found).zip(self.passage.places.get(found).copied());
        let Some((quantity, at)) = place else { return false };
        let head =
            self.passage.sentences.get(at).is_some_and(|sentence| sentence.part.form == PartForm::Head);
        let words = &self.passage.reading.words;
        let word = words.partition_point(|word| word.span.start < quantity.span.start);
        !head || self.column(at, word) > 0.0
    }

    /// Returns true if all of the claim is looked at.
    pub(super) fn is_whole(&self) -> bool {
        self.statement.is_none()
    }

    /// Returns true if a quantity of the claim stands in the statement that is looked at.
    pub(super) fn is_looked_at(&self, quantity: &Quantity) -> bool {
        self.statement.is_none_or(|statement| self.claim.statement(quantity.span.start) == statement)
    }

    /// Finds the cell or clause around a word.
    fn clause(&self, number: usize, place: usize, own: &Range<usize>) -> Clause {
        let cell = self.passage.cells.get(place).copied();
        let end = (place + AROUND + 1).min(self.passage.reading.words.len());
        let within = |word: &usize| self.passage.cells.get(*word).copied() == cell;
        let first = (place.saturating_sub(AROUND)..place).rev().take_while(within).last().unwrap_or(place);
        let last = (place + 1..end).take_while(within).last().unwrap_or(place);
        let (mut all, mut leading) = (0_u128, 0_u128);
        for (word, slot) in (first..=last).filter_map(|word| Some((word, self.slot(word)?))) {
            all |= 1 << slot;
            leading |= u128::from(word < place) << slot;
        }
        let Some(span) = self.passage.reading.place(&(first..last + 1)) else {
            return Clause::default();
        };
        let found = &self.passage.reading.quantities;
        let from = found.partition_point(|found| found.span.start < span.start);
        let near = found.iter().skip(from).take_while(|found| found.span.end <= span.end);
        for found in near.filter(|found| found.span != *own) {
            for (at, other) in self.claim.reading.quantities.iter().take(self.count).enumerate() {
                if at != number && covers(other, found) > 0.5 && self.is_looked_at(other) {
                    all |= 1 << (MAX_TERMS + at);
                    leading |= u128::from(found.span.start < own.start) << (MAX_TERMS + at);
                }
            }
        }
        let tells = |at: &usize| {
            self.passage.reading.words.get(*at).is_some_and(|word| {
                let token = self.passage.reading.tokens.get(word.token);
                let is_side = token.is_some_and(|token| self.terms.lists.is_side(&token.text));
                !word.acts && !is_side && !self.terms.is_function_word(word.term)
            })
        };
        let claimed = |at: usize| {
            self.slot(at).is_some_and(|slot| self.order.get(slot).is_some_and(|order| *order < usize::MAX))
        };
        let foreign = (first..place).any(|at| tells(&at) && !claimed(at));
        Clause { all, leading, foreign }
    }

    /// Finds the place in the claim of the first of these terms and quantities.
    fn first(&self, bits: u128) -> usize {
        let has = |at: usize| bits >> at & 1 == 1;
        let words = self.order.iter().zip(&self.weights).enumerate();
        let words =
            words.filter(|(slot, (_, weight))| has(*slot) && **weight > 0.0).map(|(_, (order, _))| *order);
        let quantities = self.claim.reading.quantities.iter().take(self.count).enumerate();
        let quantities = quantities.filter(|(at, _)| has(MAX_TERMS + at));
        let place = |quantity: &Quantity| {
            self.claim.reading.words.partition_point(|word| word.span.start < quantity.span.start)
        };
        words.chain(quantities.map(|(_, quantity)| place(quantity))).min().unwrap_or(usize::MAX)
    }

    /// Sums the weight of these terms and quantities of the claim.
    fn weigh(&self, bits: u128) -> f32 {
        let words = self.weights.iter().enumerate().filter(|(slot, _)| bits >> slot & 1 == 1);
        words.map(|(_, weight)| *weight).sum::<f32>() + QUANTITY * (bits >> MAX_TERMS).count_ones() as f32
    }

    /// Tells whether another value has so much more of the claim next to it that it is meant instead, or may be.
    pub(super) fn yields(&self, one: ValuePlace, other: ValuePlace) -> Rivalry {
        let surely = |yields: bool| if yields { Rivalry::Won } else { Rivalry::None };
        let more = other.affinity - one.affinity;
        let here = one.passage == other.passage;
        match (one.table, other.table) {
            (Some((table, cell)), Some((head, another))) if here && table == head => {
                // What a row is about is no value of it, and in another row the value stands in the same column.
                let first = |cell: u32| cell <= FIRST_CELL;
                let beside = one.sentence == other.sentence
                    && self.weigh(other.clause.all & !one.clause.all)
                        - self.weigh(one.clause.all & !other.clause.all)
                        >= CLAUSE;
                surely((more >= ROW || beside) && first(cell) == first(another))
            }
            _ if here && one.sentence == other.sentence => {
                let later = one.place > other.place;
                let own = one.clause.all & !other.clause.all;
                let others = other.clause.all & !one.clause.all;
                if self.weigh(others) < CLAUSE.max(TELLING * self.total) {
                    return Rivalry::None;
                }
                // A later clause names what it is about, and leaves out the rest that an earlier one said.
                let leading = if one.clause.foreign { one.clause.leading } else { u128::MAX };
                if later && self.weigh(own & leading) > 0.0 {
                    return Rivalry::None;
                }
                // A claim is about what it names first.
                let leads = !later && self.weigh(others & other.clause.leading) >= CLAUSE;
                match self.weigh(others) - self.weigh(own) {
                    CLAUSE.. => Rivalry::Won,
                    _ if leads || self.first(others) < self.first(own) => Rivalry::Open,
                    _ => Rivalry::None,
                }
            }
            _ if one.listed && other.listed && more >= ITEM => Rivalry::Won,
            _ if !(one.listed && other.listed) && more >= PROSE && other.share >= SHARE => Rivalry::Won,
            // Another sentence says all of it, and this one does not.
            _ if other.share >= ALL && more >= LITTLE => Rivalry::Open,
            _ => Rivalry::None,
        }
    }

    /// Computes the share of the claim that the head of a word's column has, by the share of the head in the claim.
    fn column(&self, head: usize, place: usize) -> f32 {
        let Some(head) = self.passage.sentences.get(head) else { return 0.0 };
        let cell = self.passage.cells.get(place).copied();
        let named: Vec<usize> =
            head.words.clone().filter(|word| self.passage.cells.get(*word).copied() == cell).collect();
        let telling = named.iter().filter_map(|word| self.passage.reading.words.get(*word));
        let telling = telling.filter(|word| !self.terms.is_function_word(word.term)).count();
        let slots: Vec<usize> = named.iter().filter_map(|word| self.slot(*word)).collect();
        let matched = slots.len() as f32 / telling.max(1) as f32;
        matched.min(1.0) * self.weigh(bits(slots.into_iter()))
    }
}

/// Makes the set of these terms of the claim, a bit for each.
fn bits(slots: impl Iterator<Item = usize>) -> u128 {
    slots.fold(0, |bits, slot| bits | 1 << slot)
}
