//! Whether a value in a passage belongs to what a claim says it of.
//!
//! A value belongs to its row, its column and the clause around it, to what stands above them, and half to the sentence
//! before. Where another value of the same unit has more of the claim there, the claim has taken the wrong one.

use super::claimed::Claimed;
use super::layout::PartForm;
use super::lists::Role;
use super::number::{Quantity, covers};
use super::passage::{Passage, PassageWindow};
use super::reading::TermTable;

/// A claim of more terms is no sentence, and is not looked at.
const MAX_TERMS: usize = 128;

/// The most quantities of a claim of which each helps to tell the place of the others.
pub(super) const MAX_QUANTITIES: usize = 8;

/// The weight of another quantity of the claim that stands there too.
const QUANTITY: f32 = 1.2;

/// The weight of the sentence before, of the clause around, and of the first cell of a row, beside that of the sentence.
const BEFORE: f32 = 0.5;
const CLAUSE: f32 = 0.5;
const FIRST: f32 = 1.0;

/// The weight of a limit in the claim that the head of a column names: "at most" under "Maximum".
const LIMIT: f32 = 0.5;

/// The most words of a clause that are looked at, on each side.
const AROUND: usize = 12;

/// The cell behind the sign that a row begins with.
const FIRST_CELL: u32 = 1;

/// How much more of a claim another value must have beside it: in the cells of a table, in items of lists, and in running text.
const ROW: f32 = 0.25;
const ITEM: f32 = 0.5;
const PROSE: f32 = 0.6;

/// The least share of a claim that must stand beside another value of running text.
const SHARE: f32 = 0.5;

/// The places of the values of a passage in what a claim says.
pub(super) struct Binding<'a> {
    claim: &'a Claimed,
    passage: &'a Passage,
    terms: &'a TermTable,
    /// For each term of the claim what it weighs in telling a place: nothing for quantities and for what the title says.
    weights: Vec<f32>,
    /// For each sentence how much of the claim it has, with what stands above it.
    base: Vec<f32>,
    /// For each sentence and each of the claim's first quantities how well one there fits.
    fits: Vec<f32>,
    count: usize,
    total: f32,
    stamps: Vec<u32>,
    stamp: u32,
}

/// A value in a passage, and how much of the claim stands beside it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValuePlace {
    pub(super) affinity: f32,
    /// The share of the claim that stands there.
    share: f32,
    /// The sentence, or the row.
    sentence: usize,
    /// It stands in an item of a list, or in a row.
    listed: bool,
    /// The head of its table, its cell, and how much of the claim the head of the column has.
    table: Option<(usize, u32, f32)>,
    /// It stands in a row of which the claim names nothing else.
    pub(super) adrift: bool,
}

impl ValuePlace {
    /// In the title, and so in all of it.
    pub(super) const ANYWHERE: Self =
        Self { affinity: f32::INFINITY, share: 1.0, sentence: 0, listed: false, table: None, adrift: false };

    /// Tells whether another value has so much more of the claim beside it that this one is not what is meant.
    pub(super) fn yields_to(self, other: Self) -> bool {
        let more = other.affinity - self.affinity;
        match (self.table, other.table) {
            (Some((table, cell, column)), Some((head, another, named))) if table == head => {
                // What a row is about is no value of it, and in another row the value stands in the same column.
                let first = |cell: u32| cell <= FIRST_CELL;
                let alike = cell == another || named > column;
                let may_be = if self.sentence == other.sentence { cell != another } else { alike };
                more >= ROW && may_be && first(cell) == first(another)
            }
            _ if self.listed && other.listed => more >= ITEM,
            _ => more >= PROSE && other.share >= SHARE,
        }
    }
}

impl<'a> Binding<'a> {
    /// `None` for what is too long to be a sentence.
    pub(super) fn new(
        claim: &'a Claimed,
        passage: &'a Passage,
        window: &PassageWindow,
        terms: &'a TermTable,
    ) -> Option<Self> {
        if claim.terms.len() > MAX_TERMS {
            return None;
        }
        let quantities = claim.reading.quantities.get(..MAX_QUANTITIES).unwrap_or(&claim.reading.quantities);
        let mut weights = claim.weights.clone();
        for slot in claim.reading.quantities.iter().filter_map(|quantity| claim.slot(quantity)) {
            weights[slot] = 0.0;
        }
        for (weight, _) in weights.iter_mut().zip(&window.titled).filter(|(_, titled)| **titled) {
            *weight = 0.0;
        }
        let count = quantities.len();
        let total = weights.iter().sum::<f32>() + QUANTITY * (count.saturating_sub(1)) as f32;
        let mut fits = vec![0.0; count * passage.sentences.len()];
        for (found, sentence) in passage.reading.quantities.iter().zip(&passage.places) {
            for (fit, quantity) in fits.iter_mut().skip(sentence * count).zip(quantities) {
                *fit = f32::max(*fit, covers(quantity, found));
            }
        }
        let stamps = vec![0; weights.len()];
        let mut binding =
            Self { claim, passage, terms, weights, base: Vec::new(), fits, count, total, stamps, stamp: 0 };
        binding.base = (0..passage.sentences.len()).map(|at| binding.sentence(at, &window.hits)).collect();
        Some(binding)
    }

    /// The weight of these terms of the claim that has not been counted yet.
    fn add(&mut self, slots: impl Iterator<Item = usize>) -> f32 {
        let mut sum = 0.0;
        for slot in slots {
            if let Some(stamp) = self.stamps.get_mut(slot).filter(|stamp| **stamp != self.stamp) {
                *stamp = self.stamp;
                sum += self.weights[slot];
            }
        }
        sum
    }

    fn sentence(&mut self, at: usize, hits: &[Vec<usize>]) -> f32 {
        self.stamp += 1;
        let of = |at: usize| hits.get(at).into_iter().flatten().copied();
        let Some(sentence) = self.passage.sentences.get(at) else { return 0.0 };
        let mut sum = self.add(of(at));
        for above in self.passage.above(at) {
            sum += self.add(of(above));
        }
        if let Some(before) = sentence.part.before {
            let first = self.passage.reading.words.get(sentence.words.start);
            let first = first.and_then(|word| self.passage.reading.tokens.get(word.token));
            let refers = first.is_some_and(|token| self.terms.lists.has(&token.text, Role::Refers));
            sum += if refers { 1.0 } else { BEFORE } * self.add(of(before));
        }
        if sentence.part.form == PartForm::Row {
            // A row is about its first cell.
            self.stamp += 1;
            let first =
                sentence.words.clone().take_while(|word| self.passage.cells.get(*word) <= Some(&FIRST_CELL));
            let slots: Vec<usize> = first.filter_map(|word| self.slot(word)).collect();
            sum += FIRST * self.add(slots.into_iter());
        }
        sum
    }

    /// The place of a word of the passage among the claim's terms.
    fn slot(&self, word: usize) -> Option<usize> {
        let word = self.passage.reading.words.get(word)?;
        self.claim.terms.binary_search(&word.term).ok()
    }

    /// How much of the claim stands beside a quantity of the passage, which may be meant by the claim's of that number.
    pub(super) fn of(&mut self, number: usize, found: usize) -> Option<ValuePlace> {
        let quantity = self.passage.reading.quantities.get(found)?;
        let at = *self.passage.places.get(found)?;
        let sentence = self.passage.sentences.get(at)?;
        let mut affinity = self.base.get(at).copied()?;
        let others = (0..self.count).filter(|other| *other != number);
        affinity += others.filter_map(|other| self.fits.get(at * self.count + other)).sum::<f32>() * QUANTITY;
        let share = if self.total > 0.0 { affinity / self.total } else { 0.0 };
        let words = &self.passage.reading.words;
        let place = words.partition_point(|word| word.span.start < quantity.span.start);
        affinity += CLAUSE * self.clause(number, place, quantity);
        let mut table = None;
        if let Some(head) = sentence.part.head {
            let named = self.column(number, head, place);
            affinity += named;
            table = Some((head, self.passage.cells.get(place).copied().unwrap_or_default(), named));
        }
        let adrift = sentence.part.form == PartForm::Row && affinity <= 0.0;
        let listed = sentence.part.form == PartForm::Row
            || sentence.part.form == PartForm::Item
            || sentence
                .part
                .above
                .and_then(|above| self.passage.sentences.get(above))
                .is_some_and(|above| above.part.form == PartForm::Item);
        Some(ValuePlace { affinity, share, sentence: at, listed, table, adrift })
    }

    /// How much of the claim stands in the cell or clause around a word.
    fn clause(&mut self, number: usize, place: usize, own: &Quantity) -> f32 {
        let cell = self.passage.cells.get(place).copied();
        let near = place.saturating_sub(AROUND)..(place + AROUND + 1).min(self.passage.reading.words.len());
        let sentence = |word: &usize| self.passage.cells.get(*word).copied() == cell;
        let before: Vec<usize> = (near.start..place).rev().take_while(sentence).collect();
        let after: Vec<usize> = (place + 1..near.end).take_while(sentence).collect();
        let words: Vec<usize> = before.into_iter().chain(after).collect();
        let slots: Vec<usize> = words.iter().filter_map(|word| self.slot(*word)).collect();
        self.stamp += 1;
        let mut sum = self.add(slots.into_iter());
        let (Some(first), Some(last)) = (words.iter().min(), words.iter().max()) else { return sum };
        let span = |word: &usize| self.passage.reading.words.get(*word).map(|word| word.span.clone());
        let (Some(first), Some(last)) = (span(first), span(last)) else { return sum };
        let all = &self.passage.reading.quantities;
        let from = all.partition_point(|found| found.span.start < first.start);
        let near = all
            .iter()
            .skip(from)
            .take_while(|found| found.span.end <= last.end)
            .filter(|found| found.span != own.span);
        let claimed = self.claim.reading.quantities.iter().take(MAX_QUANTITIES).enumerate();
        let others: Vec<&Quantity> =
            claimed.filter(|(at, _)| *at != number).map(|(_, other)| other).collect();
        for found in near {
            sum += QUANTITY * others.iter().map(|other| covers(other, found)).fold(0.0, f32::max);
        }
        sum
    }

    /// How much of the claim the head of the column of a word has, by how much of the head is in the claim.
    fn column(&mut self, number: usize, head: usize, place: usize) -> f32 {
        let Some(head) = self.passage.sentences.get(head) else { return 0.0 };
        let cell = self.passage.cells.get(place).copied();
        let named: Vec<usize> =
            head.words.clone().filter(|word| self.passage.cells.get(*word).copied() == cell).collect();
        let telling = named.iter().filter_map(|word| self.passage.reading.words.get(*word));
        let telling: Vec<u32> =
            telling.map(|word| word.term).filter(|term| !self.terms.is_function_word(*term)).collect();
        let slots: Vec<usize> = named.iter().filter_map(|word| self.slot(*word)).collect();
        self.stamp += 1;
        let matched = slots.len() as f32 / telling.len().max(1) as f32;
        let mut sum = matched.min(1.0) * self.add(slots.into_iter());
        let limit = self.claim.reading.quantities.get(number).and_then(Quantity::limit);
        let limits = |word: &usize| {
            let token = self
                .passage
                .reading
                .words
                .get(*word)
                .and_then(|word| self.passage.reading.tokens.get(word.token));
            token.is_some_and(|token| limit.is_some_and(|limit| self.terms.lists.has(&token.text, limit)))
        };
        if named.iter().any(limits) {
            sum += LIMIT;
        }
        sum
    }
}
