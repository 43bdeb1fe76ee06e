//! The quantities of a claim, compared with those of its passages.

use std::ops::Range;

use super::super::flag::{Flag, FlagKind};
use super::bind::{Binding, MAX_QUANTITIES, Rivalry, ValuePlace};
use super::claimed::Claimed;
use super::ground::{Ground, Held, flag, place};
use super::number::{Agreement, Quantity, QuantityKind, agreement, is_comparable, is_the_number};
use super::passage::PassageWindow;
use super::word::ReadWord;

/// The share by which a quantity and the same in another unit may differ by rounding.
const CONVERTED: f64 = 0.025;

/// A place in a source: its number, and the range there.
type SourcePlace = (u32, Range<usize>);

/// The verdict of the passages on one quantity.
#[derive(Default)]
struct Said {
    agrees: Option<Agreement>,
    place: Option<SourcePlace>,
    /// The value that belongs to what the claim speaks of, if it is another.
    instead: Option<(Agreement, SourcePlace)>,
    /// Another value may be meant.
    open: bool,
    /// It stands nowhere, and nothing else of its kind stands where the claim does.
    added: bool,
}

/// The check of a claim's quantities against passages.
#[derive(Default)]
pub(super) struct Values {
    pub(super) problems: Vec<Flag>,
    /// A value may belong to something else or lie beyond a limit; or it is a day, a year or a small number that stands
    /// nowhere, and no other one of its kind in its place.
    pub(super) unclear: bool,
}

impl Ground<'_> {
    /// Finds the quantities that no passage bears out. Those that one does count as covered, however they are written
    /// there.
    pub(super) fn values(&self, claim: &Claimed, windows: &mut [(&Held, PassageWindow)]) -> Values {
        let mut values = self.code(claim, windows);
        let quantities = &claim.reading.quantities;
        if quantities.is_empty() {
            return values;
        }
        let bindings = self.bindings(claim, windows, None, None);
        let mut found: Vec<Said> =
            (0..quantities.len()).map(|at| self.value(claim, at, windows, &bindings)).collect();
        self.crossed(claim, windows, &mut found);
        for (at, (quantity, said)) in quantities.iter().zip(&found).enumerate() {
            let same = |at: usize| found.get(at).is_some_and(|said| said.agrees == Some(Agreement::Same));
            // "355 feet (108 m)" says it twice.
            let again = |first: usize| is_conversion(claim, first) && (same(first) || same(first + 1));
            let shown = self.quoted(&quantity.span);
            let (kind, message, source) = match (said.agrees, &said.instead) {
                (Some(Agreement::Same), None) => {
                    values.unclear |= said.open;
                    continue;
                }
                _ if said.added => {
                    values.unclear = true;
                    continue;
                }
                (Some(Agreement::Same), Some((Agreement::None, place))) => (
                    FlagKind::ValueElsewhere,
                    format!(
                        "“{shown}” belongs to something else in the source; the marked value belongs here"
                    ),
                    Some(place.clone()),
                ),
                (_, Some((Agreement::Opposite, _))) | (Some(Agreement::Opposite), None) => (
                    FlagKind::ComparatorMismatch,
                    format!("“{shown}” is the opposite limit in the source"),
                    said.instead.as_ref().map(|(_, place)| place).or(said.place.as_ref()).cloned(),
                ),
                _ if again(at) || at > 0 && again(at - 1) => continue,
                _ => {
                    let nearest = said.instead.as_ref().map(|(_, place)| place.clone());
                    let nearest = nearest.or_else(|| nearest_of(quantity, windows));
                    (FlagKind::NumberUnsupported, format!("“{shown}” is in no cited source"), nearest)
                }
            };
            values.problems.push(flag(kind, quantity.span.clone(), message, source));
        }
        values
    }

    /// Binds what the claim says, or one of its statements, in each passage; `own` is a word whose own weight tells nothing.
    fn bindings<'b>(
        &'b self,
        claim: &'b Claimed,
        windows: &[(&'b Held, PassageWindow)],
        statement: Option<u32>,
        own: Option<u32>,
    ) -> Vec<Option<Binding<'b>>> {
        let bind = |(held, window): &(&'b Held, PassageWindow)| {
            Binding::new(claim, &held.passage, window, self.terms, statement, own)
        };
        windows.iter().map(bind).collect()
    }

    /// Finds the words of code that belong to something else in a passage: `strict` where that is the default of another
    /// option.
    fn code(&self, claim: &Claimed, windows: &[(&Held, PassageWindow)]) -> Values {
        let mut values = Values::default();
        let several = claim.statements.last() > Some(&0);
        let words = &claim.reading.words;
        let numbered = words.iter().zip(&claim.statements);
        let code = numbered.filter(|(word, _)| word.code && !self.terms.is_function_word(word.term));
        let code: Vec<(&ReadWord, &u32)> = code.collect();
        // The last is said of the first; where that is a number, it is held as one.
        for named in code.chunk_by(|one, other| one.1 == other.1).take(MAX_QUANTITIES) {
            let Some((word, _)) = named.last() else { continue };
            // A part of a symbol is none: it is the whole that a source has or not.
            if claim.reading.is_joined(word) {
                continue;
            }
            let statement = claim.statement(word.span.start);
            let mut numbers = claim.reading.quantities.iter().map(|quantity| quantity.span.start);
            if named.len() == 1 && numbers.any(|start| claim.statement(start) == statement) {
                continue;
            }
            let looked = several.then_some(statement);
            let bindings = self.bindings(claim, windows, looked, Some(word.term));
            let places = bindings.iter().flatten().flat_map(|binding| {
                let words = (0..).zip(&binding.passage.reading.words);
                let own = words.filter(|(_, found)| found.term == word.term);
                own.filter_map(|(at, _)| binding.of_word(at))
            });
            let mine = places.max_by(|one, other| one.affinity.total_cmp(&other.affinity));
            let Some(mine) = mine else { continue };
            // The statement's other words cannot replace this one.
            let said = |term: u32| {
                let own = words.iter().zip(&claim.statements).filter(|(_, number)| **number == statement);
                own.into_iter().any(|(word, _)| word.term == term)
            };
            let mut rival = None;
            for binding in bindings.iter().flatten() {
                let words = (0..).zip(&binding.passage.reading.words);
                for (at, found) in words.filter(|(_, found)| found.code) {
                    let place = binding.of_word(at).filter(|place| place.affinity < f32::INFINITY);
                    let stands = place.map_or(Rivalry::None, |place| binding.yields(mine, place));
                    if stands != Rivalry::None && !said(found.term) {
                        values.unclear = true;
                        let won = stands == Rivalry::Won;
                        rival = rival.or(won.then(|| (binding.passage.number, found.span.clone())));
                    }
                }
            }
            let Some(rival) = rival.filter(|_| named.len() > 1) else { continue };
            let message = format!(
                "“{}” belongs to something else in the source; the marked value belongs here",
                self.quoted(&word.span)
            );
            values.problems.push(flag(FlagKind::ValueElsewhere, word.span.clone(), message, Some(rival)));
            break;
        }
        values
    }

    /// Looks at each statement of a claim on its own, if it has several: a value of one may belong to what another is about.
    fn crossed(&self, claim: &Claimed, windows: &mut [(&Held, PassageWindow)], found: &mut [Said]) {
        if claim.statements.last().is_none_or(|last| *last == 0) {
            return;
        }
        let mut looked = None;
        let mut bindings = Vec::new();
        for (at, (quantity, said)) in
            claim.reading.quantities.iter().zip(found).enumerate().take(MAX_QUANTITIES)
        {
            let statement = claim.statement(quantity.span.start);
            if looked != Some(statement) {
                looked = Some(statement);
                bindings = self.bindings(claim, windows, looked, None);
            }
            if said.agrees == Some(Agreement::Same) && said.instead.is_none() {
                said.instead = self.value(claim, at, windows, &bindings).instead;
            }
        }
    }

    /// Finds the verdict of the passages on the claim's quantity of that number, with its place.
    fn value(
        &self,
        claim: &Claimed,
        number: usize,
        windows: &mut [(&Held, PassageWindow)],
        bindings: &[Option<Binding>],
    ) -> Said {
        let Some(quantity) = claim.reading.quantities.get(number) else { return Said::default() };
        let mut said = Said::default();
        let mut mine: Option<(bool, ValuePlace)> = None;
        for ((held, window), binding) in windows.iter_mut().zip(bindings) {
            let passage = &held.passage;
            let mut seen = false;
            for (at, found) in passage.reading.quantities.iter().enumerate() {
                let here = window.span.contains(&found.span.start);
                let agrees = agreement(quantity, found);
                if agrees == Agreement::None {
                    continue;
                }
                let exact = is_the_number(quantity, found);
                if agrees == Agreement::Same && is_small(quantity) && !here {
                    continue;
                }
                if binding.as_ref().is_some_and(|binding| !binding.may_be_evidence(at)) {
                    continue;
                }
                if said.agrees < Some(agrees) {
                    said.agrees = Some(agrees);
                    said.place = Some((passage.number, found.span.clone()));
                }
                if agrees != Agreement::Same {
                    continue;
                }
                seen = true;
                if here {
                    borne_out(claim, quantity, window);
                }
                let place = binding.as_ref().and_then(|binding| binding.of(number, at));
                // The very number is meant rather than one within a range or beyond a limit.
                let place = place.map(|place| (exact, place));
                mine = mine.into_iter().chain(place).max_by(|one, other| {
                    one.0.cmp(&other.0).then_with(|| one.1.affinity.total_cmp(&other.1.affinity))
                });
            }
            // What title, headings and metadata say belongs to all of it.
            let context = passage.context.quantities.iter().map(|found| agreement(quantity, found)).max();
            if context.is_some_and(|agrees| agrees > Agreement::None && said.agrees < Some(agrees)) {
                said.agrees = context;
                said.place = None;
            }
            if context == Some(Agreement::Same) && !seen {
                borne_out(claim, quantity, window);
                mine = Some((true, ValuePlace::ANYWHERE));
            }
        }
        if said.agrees.is_none() && may_be_added(quantity) {
            (said.instead, _) = instead(self, claim, number, (true, ValuePlace::NOWHERE), bindings);
            said.added = said.instead.is_none();
        }
        if let Some((exact, mine)) = mine.filter(|_| number < MAX_QUANTITIES) {
            (said.instead, said.open) = instead(self, claim, number, (exact, mine), bindings);
        }
        said
    }

    /// Returns true if both quantities have the same word before them, "Node 18" and "Node 20", or behind them, "80 rooms" and
    /// "95 rooms". "In 2.1" labels only a version.
    fn is_labelled_alike(
        &self,
        words: &[ReadWord],
        one: &Quantity,
        others: &[ReadWord],
        other: &Quantity,
    ) -> bool {
        let before = |words: &[ReadWord], quantity: &Quantity| {
            let at = words.partition_point(|word| word.span.start < quantity.span.start);
            at.checked_sub(1).and_then(|at| words.get(at)).map(|word| word.term)
        };
        let behind = |words: &[ReadWord], quantity: &Quantity| {
            let at = words.partition_point(|word| word.span.start < quantity.span.end);
            words.get(at).map(|word| word.term)
        };
        let tells = |term: &u32| !self.terms.is_function_word(*term);
        let labels = |term: &u32| tells(term) || self.quoted(&one.span).contains('.');
        before(words, one).filter(labels).is_some_and(|own| before(others, other) == Some(own))
            || behind(words, one).filter(tells).is_some_and(|own| behind(others, other) == Some(own))
    }
}

/// Finds the value that has more of the claim next to it than the one that agrees.
fn instead(
    ground: &Ground<'_>,
    claim: &Claimed,
    number: usize,
    (exact, mine): (bool, ValuePlace),
    bindings: &[Option<Binding>],
) -> (Option<(Agreement, SourcePlace)>, bool) {
    let Some(quantity) = claim.reading.quantities.get(number) else { return (None, false) };
    let mut open = false;
    let whole = bindings.iter().flatten().all(Binding::is_whole);
    // Another quantity of the statement cannot replace this one; one of another statement may.
    let numbered = (0..).zip(claim.reading.quantities.iter().take(MAX_QUANTITIES));
    let (others, swapped): (Vec<&Quantity>, Vec<&Quantity>) = numbered
        .filter(|(at, _)| *at != number)
        .map(|(_, other)| other)
        .partition(|other| bindings.iter().flatten().all(|binding| binding.is_looked_at(other)));
    let mut best: Option<(f32, Agreement, SourcePlace)> = None;
    for binding in bindings.iter().flatten() {
        let passage = binding.passage;
        for (at, found) in passage.reading.quantities.iter().enumerate() {
            let agrees = agreement(quantity, found);
            let same = agrees == Agreement::Same && (!exact || is_the_number(quantity, found));
            if same || agrees == Agreement::None && !is_comparable(quantity, found) {
                continue;
            }
            let is =
                |other: &&Quantity| is_the_number(other, found) && agreement(other, found) == Agreement::Same;
            if others.iter().any(is) {
                continue;
            }
            let Some(place) = binding
                .of(number, at)
                .filter(|place| place.affinity < f32::INFINITY)
                // Small numbers stand everywhere: only rows, items and labels tell that one is another's.
                .filter(|place| {
                    let words = (&claim.reading.words, &passage.reading.words);
                    let labelled = || ground.is_labelled_alike(words.0, quantity, words.1, found);
                    place.listed || !is_small(quantity) || swapped.iter().any(is) || labelled()
                })
            else {
                continue;
            };
            // In one of several statements, only a value that another one has is surely crossed.
            let won = match binding.yields(mine, place) {
                Rivalry::None => continue,
                stands if whole => stands == Rivalry::Won,
                _ => swapped.iter().any(is),
            };
            if !won {
                open = true;
                continue;
            }
            if best.as_ref().is_none_or(|(most, ..)| *most < place.affinity) {
                let agrees = if agrees == Agreement::Opposite { agrees } else { Agreement::None };
                best = Some((place.affinity, agrees, (passage.number, found.span.clone())));
            }
        }
    }
    (best.map(|(_, agrees, place)| (agrees, place)), open)
}

/// Counts a quantity as covered.
fn borne_out(claim: &Claimed, quantity: &Quantity, window: &mut PassageWindow) {
    if let Some(slot) = claim.slot(quantity) {
        window.here[slot] = true;
        window.anywhere[slot] = true;
    }
}

/// Returns true if the quantity behind this one is the same in another unit, in brackets.
fn is_conversion(claim: &Claimed, at: usize) -> bool {
    let Some([first, second]) = claim.reading.quantities.get(at..at + 2) else { return false };
    let sign = |at: usize, sign: &str| claim.reading.tokens.get(at).is_some_and(|token| token.is_sign(sign));
    let bracketed = first.tokens.end + 1 == second.tokens.start
        && sign(first.tokens.end, "(")
        && sign(second.tokens.end, ")");
    let alike = !first.unit.is_none() && is_comparable(first, second);
    bracketed && alike && (first.low - second.low).abs() <= CONVERTED * first.low.abs()
}

/// Returns true if a claim may have a quantity from what it knows besides: when something was, or how many of a few.
fn may_be_added(quantity: &Quantity) -> bool {
    matches!(quantity.kind, QuantityKind::Date | QuantityKind::Year | QuantityKind::Ordinal)
        || is_small(quantity)
}

/// A number that is found by chance in most passages.
fn is_small(quantity: &Quantity) -> bool {
    quantity.unit.is_none()
        && matches!(quantity.kind, QuantityKind::Number | QuantityKind::Ordinal)
        && quantity.high < 100.0
}

/// Finds the quantity that the one meant could be: of the same unit, in a window if there is one, and of the nearest
/// value.
fn nearest_of(quantity: &Quantity, windows: &[(&Held, PassageWindow)]) -> Option<(u32, Range<usize>)> {
    let distance = |found: &Quantity| {
        let (one, other) = (quantity.low.abs().max(1e-9), found.low.abs().max(1e-9));
        (one / other).ln().abs()
    };
    let found = windows.iter().flat_map(|(held, window)| {
        let quantities =
            held.passage.reading.quantities.iter().filter(|found| is_comparable(quantity, found));
        quantities.map(move |found| (held.passage.number, found, window.span.contains(&found.span.start)))
    });
    let best = found
        .min_by(|one, other| other.2.cmp(&one.2).then_with(|| distance(one.1).total_cmp(&distance(other.1))));
    best.map(|(number, found, _)| (number, found.span.clone())).or_else(|| windows.first().map(place))
}
