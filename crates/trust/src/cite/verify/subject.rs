//! Checks whether what a claim says stands where its subject stands: in the same row, item or sentence.

use std::ops::Range;

use super::claimed::Claimed;
use super::ground::Held;
use super::layout::PartForm;
use super::lists::{Role, is_drug};
use super::passage::{Passage, PassageWindow, Sentence};
use super::reading::{TermTable, TextReading};
use super::word::ReadWord;

/// The most subjects of a claim that are looked at.
const MAX_SUBJECTS: usize = 6;

/// The share of the rest of a claim that one sentence must have for a subject to belong there, and the share of that which
/// the best sentence with the subject must have.
const TOLD: f32 = 0.5;
const ALL_TOLD: f32 = 0.8;
const NEAR: f32 = 0.6;

/// The share of what the best sentence tells from which another may be meant as well.
const ALIKE: f32 = 0.8;

/// The least weight by which the two must differ.
const LACK: f32 = 0.35;

/// Returns true if a subject of the claim stands in other sentences of the passage than what the claim says of it, or in none.
///
/// Subjects are the first word that tells something, names of drugs, and what rows of tables begin with.
pub(super) fn is_astray(
    claim: &Claimed,
    passage: &Passage,
    window: &PassageWindow,
    terms: &TermTable,
) -> bool {
    let rows = row_terms(passage);
    // What the title or the head of a table says is said in each sentence.
    let titled = |slot: usize| window.context.get(slot) == Some(&true);
    let slot = |word: &ReadWord| claim.terms.binary_search(&word.term).ok().filter(|slot| !titled(*slot));
    let counted: Vec<usize> =
        claim.reading.quantities.iter().filter_map(|quantity| claim.slot(quantity)).collect();
    let mut subjects: Vec<usize> = Vec::new();
    let mut first = true;
    for word in &claim.reading.words {
        let Some(token) = claim.reading.tokens.get(word.token).filter(|token| token.is_word()) else {
            continue;
        };
        let is_quantity = claim.terms.binary_search(&word.term).is_ok_and(|slot| counted.contains(&slot));
        if word.acts || is_quantity || terms.is_function_word(word.term) {
            continue;
        }
        let leads = first && terms.is_rare(word.term);
        first &= !leads;
        if (leads || is_drug(&token.text) || rows.binary_search(&word.term).is_ok())
            && let Some(slot) = slot(word).filter(|slot| !subjects.contains(slot))
        {
            subjects.push(slot);
        }
    }
    subjects.into_iter().take(MAX_SUBJECTS).any(|subject| {
        let weight = |slot: usize| {
            if slot == subject || titled(slot) {
                0.0
            } else {
                claim.weights.get(slot).copied().unwrap_or_default()
            }
        };
        let rest: f32 = (0..claim.weights.len()).map(weight).sum();
        let mut seen = vec![usize::MAX; claim.weights.len()];
        let (mut with, mut most, mut anywhere) = (0.0_f32, 0.0_f32, false);
        for (at, sentence) in passage.sentences.iter().enumerate() {
            if sentence.part.form == PartForm::Head || window.hits.get(at).is_none_or(Vec::is_empty) {
                continue;
            }
            let (mut sum, mut has) = (0.0, false);
            let before = sentence.part.before.filter(|_| refers(passage, at, terms));
            let places = std::iter::once(at).chain(passage.above(at)).chain(before);
            for slot in places.filter_map(|at| window.hits.get(at)).flatten() {
                has |= *slot == subject;
                if let Some(seen) = seen.get_mut(*slot).filter(|seen| **seen != at) {
                    *seen = at;
                    sum += weight(*slot);
                }
            }
            most = most.max(sum);
            anywhere |= has;
            if has {
                with = with.max(sum);
            }
        }
        let told = if anywhere { TOLD } else { ALL_TOLD };
        rest > 0.0 && most >= told * rest && with < NEAR * most && most - with >= LACK
    })
}

/// The share of a claim that one sentence of each passage tells, with what stands above and before it.
pub(super) struct Together {
    /// The share of the claim.
    pub(super) share: f32,
    /// One of the sentences makes an exception that the claim leaves out.
    pub(super) excepts: bool,
    /// It is a row, and the claim has values, which are held to their row and column.
    pub(super) in_row: bool,
}

impl Together {
    pub(super) fn of(claim: &Claimed, windows: &[(&Held, PassageWindow)], terms: &TermTable) -> Self {
        let mut weights = claim.weights.clone();
        // Denials and the sides of numbers are held on their own, and one verb of giving and taking is as good as another.
        let is_side = |word: &ReadWord| {
            let token = claim.reading.tokens.get(word.token);
            token.is_some_and(|token| {
                terms.lists.is_side(&token.text) || terms.lists.has(&token.text, Role::Denies)
            })
        };
        let apart = claim.reading.words.iter().filter(|word| is_side(word) || word.acts);
        for slot in apart.filter_map(|word| claim.terms.binary_search(&word.term).ok()) {
            weights[slot] = 0.0;
        }
        let total: f32 = weights.iter().sum();
        let weigh = |seen: &[bool]| -> f32 {
            seen.iter().zip(&weights).filter(|(seen, _)| **seen).map(|(_, weight)| weight).sum()
        };
        // A value is held to its column, so what the head says of that may be taken as said.
        let has_values = claim.reading.quantities.iter().any(|quantity| !quantity.unit.is_none());
        let mut told = vec![false; claim.weights.len()];
        let (mut excepts, mut in_row) = (false, false);
        for (held, window) in windows {
            let passage = &held.passage;
            let sentences = (0..).zip(&passage.sentences);
            let stating = sentences.filter(|(_, sentence)| sentence.part.form != PartForm::Head);
            let seen = stating.map(|(at, sentence)| {
                let in_table = has_values && sentence.part.head.is_some();
                let mut seen = if in_table { window.context.clone() } else { window.titled.clone() };
                let around = passage.above(at).chain(sentence.part.before);
                for slot in std::iter::once(at).chain(around).filter_map(|at| window.hits.get(at)).flatten() {
                    seen[*slot] = true;
                }
                (weigh(&seen), seen, sentence)
            });
            let seen: Vec<(f32, Vec<bool>, &Sentence)> = seen.collect();
            let most = seen.iter().map(|(sum, ..)| *sum).fold(0.0, f32::max);
            if let Some((_, best, sentence)) = seen.iter().find(|(sum, ..)| *sum >= most) {
                in_row |= has_values && sentence.part.form == PartForm::Row;
                told.iter_mut().zip(best).for_each(|(told, seen)| *told |= seen);
            }
            let near = seen.iter().filter(|(sum, ..)| *sum >= most * ALIKE);
            excepts |= near
                .map(|(.., near)| near.words.clone())
                .any(|words| has_exception(&passage.reading, words, terms));
        }
        // Quantities are held by their values, and say nothing without what they are of.
        let slots: Vec<usize> =
            claim.reading.quantities.iter().filter_map(|quantity| claim.slot(quantity)).collect();
        let tells = claim.reading.words.iter().any(|word| {
            let slot = claim.terms.binary_search(&word.term);
            slot.is_ok_and(|slot| !slots.contains(&slot)) && !is_side(word)
        });
        for slot in slots {
            told[slot] |= windows.iter().any(|(_, window)| window.here.get(slot) == Some(&true));
        }
        excepts &= !has_exception(&claim.reading, 0..claim.reading.words.len(), terms);
        let share = if total > 0.0 { weigh(&told) / total } else { 1.0 };
        Self { share: if tells { share } else { 0.0 }, excepts, in_row }
    }
}

/// Returns true if words make an exception or a denial.
fn has_exception(reading: &TextReading, words: Range<usize>, terms: &TermTable) -> bool {
    reading.words.get(words).unwrap_or_default().iter().any(|word| {
        let token = reading.tokens.get(word.token);
        token.is_some_and(|token| terms.lists.has(&token.text, Role::Excepts))
    })
}

/// The terms that rows of tables begin with.
fn row_terms(passage: &Passage) -> Vec<u32> {
    let rows = passage.sentences.iter().filter(|sentence| sentence.part.form == PartForm::Row);
    let words =
        rows.flat_map(|row| row.words.clone().take_while(|word| passage.cells.get(*word) <= Some(&1)));
    super::passage::distinct(words.filter_map(|word| Some(passage.reading.words.get(word)?.term)))
}

/// Returns true if a sentence has a word that stands for something before it.
fn refers(passage: &Passage, at: usize, terms: &TermTable) -> bool {
    let words =
        passage.sentences.get(at).and_then(|sentence| passage.reading.words.get(sentence.words.clone()));
    words.unwrap_or_default().iter().any(|word| {
        passage.reading.tokens.get(word.token).is_some_and(|token| terms.lists.has(&token.text, Role::Refers))
    })
}
