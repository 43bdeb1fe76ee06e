//! The place that tells most of a statement: a sentence, a row or an item, with what stands above it.

use std::ops::Range;

use super::claimed::Claimed;
use super::ground::Held;
use super::layout::PartForm;
use super::lists::Role;
use super::passage::{Passage, PassageWindow, Sentence};
use super::reading::{TermTable, TextReading};
use super::word::ReadWord;

/// The share of what the best place tells from which another may be meant as well.
const ALIKE: f32 = 0.8;

/// The best place of each passage for each statement of a claim.
pub(super) struct Together {
    /// The share of the claim that stands there.
    pub(super) share: f32,
    /// A row of a table is about something that the claim names, and is not the best place.
    pub(super) astray: bool,
    /// One of the sentences makes an exception that the claim leaves out.
    pub(super) excepts: bool,
    /// It is a row, and the claim has values, which are held to their row and column.
    pub(super) in_row: bool,
}

/// A statement of a claim.
struct Statement {
    /// For each term of the claim what it weighs in this, and whether the best places tell it.
    weights: Vec<f32>,
    told: Vec<bool>,
}

impl Statement {
    fn weigh(&self, told: &[bool]) -> f32 {
        told.iter().zip(&self.weights).filter(|(told, _)| **told).map(|(_, weight)| weight).sum()
    }
}

impl Together {
    pub(super) fn of(claim: &Claimed, windows: &[(&Held, PassageWindow)], terms: &TermTable) -> Self {
        let any = |slot: usize, of: fn(&PassageWindow) -> &Vec<bool>| {
            windows.iter().any(|(_, window)| of(window).get(slot) == Some(&true))
        };
        // A value is held to its column, so what the head says of that may be taken as said.
        let has_values = claim.reading.quantities.iter().any(|quantity| !quantity.unit.is_none());
        let values: Vec<usize> =
            claim.reading.quantities.iter().filter_map(|quantity| claim.slot(quantity)).collect();
        let is_said = |slot: usize| any(slot, |window| &window.context);
        let mut statements = statements(claim, &values, &is_said, terms);
        let (mut excepts, mut in_row) = (false, false);
        for (held, window) in windows {
            let places = places(&held.passage, window, has_values, terms);
            for statement in &mut statements {
                let shares: Vec<f32> = places.iter().map(|(told, _)| statement.weigh(told)).collect();
                let most = shares.iter().copied().fold(0.0, f32::max);
                let best = shares.iter().position(|share| *share >= most).and_then(|at| places.get(at));
                if let Some((told, sentence)) = best {
                    in_row |= has_values && sentence.part.form == PartForm::Row;
                    statement.told.iter_mut().zip(told).for_each(|(all, told)| *all |= told);
                }
                let near = shares.iter().zip(&places).filter(|(share, _)| **share >= most * ALIKE);
                let mut near = near.map(|(_, (_, sentence))| sentence.words.clone());
                excepts |= near.any(|words| has_exception(&held.passage.reading, words, terms));
            }
        }
        // Quantities are held by their values, and say nothing without what they are of.
        let tells = claim.reading.words.iter().any(|word| {
            let slot = claim.slot_of(word.term);
            slot.is_some_and(|slot| !values.contains(&slot)) && !is_side(claim, word, terms)
        });
        for slot in values.into_iter().filter(|slot| any(*slot, |window| &window.here)) {
            statements.iter_mut().for_each(|statement| statement.told[slot] = true);
        }
        excepts &= !has_exception(&claim.reading, 0..claim.reading.words.len(), terms);
        let total: f32 = statements.iter().flat_map(|statement| &statement.weights).sum();
        let told: f32 = statements.iter().map(|statement| statement.weigh(&statement.told)).sum();
        let share = if total > 0.0 { told / total } else { 1.0 };
        let mut rows = windows.iter().flat_map(|(held, _)| row_terms(&held.passage));
        let astray = rows.any(|term| {
            let slot = claim.slot_of(term).filter(|slot| !is_said(*slot));
            slot.is_some_and(|slot| !statements.iter().any(|statement| statement.told[slot]))
        });
        Self { share: if tells { share } else { 0.0 }, astray, excepts, in_row }
    }
}

/// The sentences and rows of a passage, each with the terms of the claim that it tells.
fn places<'p>(
    passage: &'p Passage,
    window: &PassageWindow,
    has_values: bool,
    terms: &TermTable,
) -> Vec<(Vec<bool>, &'p Sentence)> {
    let sentences = (0..).zip(&passage.sentences);
    let stating = sentences.filter(|(_, sentence)| sentence.part.form != PartForm::Head);
    let places = stating.map(|(at, sentence)| {
        let in_table = has_values && sentence.part.head.is_some();
        let mut told = if in_table { window.context.clone() } else { window.titled.clone() };
        let before = sentence.part.before.filter(|_| passage.refers(sentence, terms));
        let around = passage.above(at).chain(before);
        for slot in std::iter::once(at).chain(around).filter_map(|at| window.hits.get(at)).flatten() {
            told[*slot] = true;
        }
        (told, sentence)
    });
    places.collect()
}

/// The terms that rows of tables begin with.
fn row_terms(passage: &Passage) -> impl Iterator<Item = u32> {
    let rows = passage.sentences.iter().filter(|sentence| sentence.part.form == PartForm::Row);
    let words =
        rows.flat_map(|row| row.words.clone().take_while(|word| passage.cells.get(*word) <= Some(&1)));
    words.filter_map(|word| Some(passage.reading.words.get(word)?.term))
}

/// The statements of a claim; a value alone is said of what stands before. Denials and the sides of numbers are held on
/// their own, and one verb of giving and taking is as good as another, so that these weigh nothing.
fn statements(
    claim: &Claimed,
    values: &[usize],
    is_said: &dyn Fn(usize) -> bool,
    terms: &TermTable,
) -> Vec<Statement> {
    let numbered: Vec<(&ReadWord, &u32)> = claim.reading.words.iter().zip(&claim.statements).collect();
    let mut statements: Vec<Statement> = Vec::new();
    for words in numbered.chunk_by(|one, other| one.1 == other.1) {
        let telling = words.iter().filter(|(word, _)| !word.acts && !is_side(claim, word, terms));
        let slots = telling.filter_map(|(word, _)| Some((claim.slot_of(word.term)?, word.code)));
        let slots: Vec<(usize, bool)> = slots.collect();
        let is_value = |(slot, code): &&(usize, bool)| *code || values.contains(slot);
        let says = slots.iter().any(|word| !is_value(&word) && !is_said(word.0));
        if statements.is_empty() || says || slots.iter().filter(is_value).count() > 1 {
            let count = claim.terms.len();
            statements.push(Statement { weights: vec![0.0; count], told: vec![false; count] });
        }
        if let Some(statement) = statements.last_mut() {
            for (slot, _) in slots {
                statement.weights[slot] = claim.weights.get(slot).copied().unwrap_or_default();
            }
        }
    }
    statements
}

/// Returns true if a word denies, or tells on which side of a number the truth lies.
fn is_side(claim: &Claimed, word: &ReadWord, terms: &TermTable) -> bool {
    let token = claim.reading.token(word);
    token.is_some_and(|token| terms.lists.is_side(&token.text) || terms.lists.has(&token.text, Role::Denies))
}

/// Returns true if words make an exception.
fn has_exception(reading: &TextReading, words: Range<usize>, terms: &TermTable) -> bool {
    let excepts = |word: &ReadWord| {
        reading.token(word).is_some_and(|token| terms.lists.has(&token.text, Role::Excepts))
    };
    reading.words.get(words).unwrap_or_default().iter().any(excepts)
}
