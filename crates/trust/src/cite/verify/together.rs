//! The place that tells most of a statement: a sentence, a row or an item, with what stands above it.

use super::claimed::Claimed;
use super::ground::Held;
use super::hold::is_in;
use super::layout::PartForm;
use super::lists::Role;
use super::passage::{Passage, PassageWindow, Sentence};
use super::reading::TermTable;
use super::word::ReadWord;

/// The least number of values that say what a claim is about.
const SEVERAL: usize = 2;

/// The best place of each passage for each statement of a claim.
pub(super) struct Together {
    /// The share of the claim that stands there.
    pub(super) share: f32,
    /// Its values tell its place: a row whose columns they fit, or a place with all of several.
    pub(super) by_values: bool,
    /// The passage has its subject, the words before its verb and its names, there or nowhere.
    pub(super) about: bool,
    /// Something speaks against it: a row of a table is about something that the claim names, and is not the best place; or a
    /// place denies what a condition of the claim affirms.
    pub(super) doubtful: bool,
}

/// A place that may bear out a statement: a sentence, one side of a semicolon in it, a row or an item.
struct Place<'p> {
    sentence: &'p Sentence,
    /// For each term of the claim whether it stands there or around.
    told: Vec<bool>,
    /// The terms of the claim's conditions that are denied there and not in the claim, or here alone.
    turned: Vec<usize>,
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

    /// Chooses the place that tells most of it, and says whether it is turned there.
    fn best<'p>(&self, places: &'p [Place<'p>]) -> Option<(&'p Place<'p>, bool)> {
        let most = places.iter().map(|place| self.weigh(&place.told)).fold(0.0, f32::max);
        let mut bests = places.iter().filter(|place| self.weigh(&place.told) >= most);
        let is_turned = |place: &Place<'_>| place.turned.iter().any(|slot| self.weights[*slot] > 0.0);
        let straight = bests.clone().find(|place| !is_turned(place));
        straight.map(|place| (place, false)).or_else(|| Some((bests.next()?, true)))
    }
}

/// Returns true if a claim has several values, all of them told.
fn has_several(claim: &Claimed, values: &[usize], statements: &[Statement]) -> bool {
    let is_value =
        |word: &&ReadWord| word.code || claim.slot_of(word.term).is_some_and(|slot| values.contains(&slot));
    let mut slots = claim.reading.words.iter().filter(is_value).filter_map(|word| claim.slot_of(word.term));
    slots.clone().count() >= SEVERAL
        && slots.all(|slot| statements.iter().any(|statement| statement.told[slot]))
}

impl Together {
    pub(super) fn of(claim: &Claimed, windows: &[(&Held, PassageWindow)], terms: &TermTable) -> Self {
        // A value is held to its column, so what the head says of that may be taken as said.
        let has_values = claim.reading.quantities.iter().any(|quantity| !quantity.unit.is_none());
        let values: Vec<usize> =
            claim.reading.quantities.iter().filter_map(|quantity| claim.slot(quantity)).collect();
        let is_said = |slot: usize| is_in(windows, slot, |window| &window.context);
        let mut statements = statements(claim, &values, &is_said, terms);
        let (mut in_row, mut turned) = (false, false);
        for (held, window) in windows {
            let places = places(claim, &held.passage, window, has_values);
            for statement in &mut statements {
                let Some((place, is_turned)) = statement.best(&places) else {
                    continue;
                };
                turned |= is_turned && statement.weigh(&place.told) > 0.0;
                in_row |= has_values && place.sentence.part.form == PartForm::Row;
                statement.told.iter_mut().zip(&place.told).for_each(|(all, told)| *all |= told);
            }
        }
        // Quantities are held by their values, and say nothing without what they are of.
        let tells = claim.reading.words.iter().any(|word| {
            let slot = claim.slot_of(word.term);
            slot.is_some_and(|slot| !values.contains(&slot)) && !is_side(claim, word, terms)
        });
        for slot in values.iter().copied().filter(|slot| is_in(windows, *slot, |window| &window.here)) {
            statements.iter_mut().for_each(|statement| statement.told[slot] = true);
        }
        let total: f32 = statements.iter().flat_map(|statement| &statement.weights).sum();
        let told: f32 = statements.iter().map(|statement| statement.weigh(&statement.told)).sum();
        let share = if total > 0.0 { told / total } else { 1.0 };
        let elsewhere = |slot: usize| {
            is_in(windows, slot, |window| &window.anywhere)
                && !is_said(slot)
                && !statements.iter().any(|statement| statement.told[slot])
        };
        let named: Vec<usize> = claim.names.iter().flat_map(|name| name.words.iter().copied()).collect();
        let before = claim.reading.words.iter().take_while(|word| !word.led && !word.acts);
        let named = claim.reading.words.iter().filter(|word| named.contains(&word.token));
        let subject: Vec<usize> = before.chain(named).filter_map(|word| claim.slot_of(word.term)).collect();
        let mut rows = windows.iter().flat_map(|(held, _)| row_terms(&held.passage));
        let astray = rows.any(|term| {
            let slot = claim.slot_of(term).filter(|slot| !is_said(*slot));
            slot.is_some_and(|slot| !statements.iter().any(|statement| statement.told[slot]))
        });
        Self {
            share: if tells { share } else { 0.0 },
            by_values: in_row || has_several(claim, &values, &statements),
            about: !subject.into_iter().any(elsewhere),
            doubtful: astray || turned,
        }
    }
}

/// Finds the places of a passage that have words of the claim, each with the terms of the claim that it tells.
fn places<'p>(
    claim: &Claimed,
    passage: &'p Passage,
    window: &PassageWindow,
    has_values: bool,
) -> Vec<Place<'p>> {
    let mut places = Vec::new();
    for ((at, sentence), hits) in (0..).zip(&passage.sentences).zip(&window.hits) {
        if sentence.part.form == PartForm::Head || hits.is_empty() {
            continue;
        }
        let in_table = has_values && sentence.part.head.is_some();
        let mut around = if in_table { window.context.clone() } else { window.titled.clone() };
        let before = sentence.part.before.filter(|_| sentence.sides.iter().any(|side| side.refers));
        let above = passage.above(at).chain(before);
        for slot in above.filter_map(|at| window.hits.get(at)).flatten() {
            around[*slot] = true;
        }
        let mut last = Vec::new();
        for side in &sentence.sides {
            let mut told = around.clone();
            if side.refers {
                last.iter().for_each(|slot: &usize| told[*slot] = true);
            }
            let here = passage.reading.words.get(side.words.clone()).unwrap_or_default();
            last = match sentence.sides.len() {
                1 => hits.clone(),
                _ => here.iter().filter_map(|word| claim.slot_of(word.term)).collect(),
            };
            last.iter().for_each(|slot| told[*slot] = true);
            let turned = claim.conditions().filter(|slot| is_turned(claim, *slot, here)).collect();
            places.push(Place { sentence, told, turned });
        }
    }
    places
}

/// Returns true if words deny what a condition of the claim affirms, or the other way round: "not when the engine is made".
fn is_turned(claim: &Claimed, slot: usize, words: &[ReadWord]) -> bool {
    let Some(term) = claim.terms.get(slot) else { return false };
    let denied = |words: &[ReadWord]| -> Vec<bool> {
        let of = words.iter().filter(|word| word.term == *term && word.subordinate);
        of.map(|word| word.denied.is_some()).collect()
    };
    let (own, there) = (denied(&claim.reading.words), denied(words));
    !own.is_empty() && !there.is_empty() && !own.iter().any(|denied| there.contains(denied))
}

/// Finds the terms that rows of tables begin with.
fn row_terms(passage: &Passage) -> impl Iterator<Item = u32> {
    let rows = passage.sentences.iter().filter(|sentence| sentence.part.form == PartForm::Row);
    let words =
        rows.flat_map(|row| row.words.clone().take_while(|word| passage.cells.get(*word) <= Some(&1)));
    words.filter_map(|word| Some(passage.reading.words.get(word)?.term))
}

/// Finds the statements of a claim; a value alone is said of what stands before. Denials and the sides of numbers are
/// held on their own, and one verb of giving and taking is as good as another, so that these weigh nothing.
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
            for slot in slots.into_iter().map(|(slot, _)| slot) {
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
