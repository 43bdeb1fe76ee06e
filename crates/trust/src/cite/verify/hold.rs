//! Holding one claim against some passages.

use std::ops::Range;

use super::super::claim::{ClaimCheck, ClaimEvidence, ClaimStatus};
use super::super::flag::{Flag, FlagKind, SourceSpan};
use super::super::source::Source;
use super::claimed::Claimed;
use super::entity::{ClaimName, Names, is_missing};
use super::language::{Census, WrittenForm};
use super::number::{Agreement, Quantity, QuantityKind, agreement, is_comparable};
use super::passage::{Passage, PassageWindow};
use super::place::{MAX_NAMES, NamePlace, Places};
use super::polarity::{Opposites, denial};
use super::quote::{flat, is_quoted};
use super::reading::{ReadWord, TermTable};

/// The least coverage of a claim that counts as supported, and the least of one that is not unsupported. They come from
/// the development claims: see docs/verification.md, which has the command that shows it.
pub(super) const SUPPORTED: f32 = 0.6;
pub(super) const PARTLY: f32 = 0.35;

/// What a word that stands in the passage, but not in the window, counts for.
const ELSEWHERE: f32 = 0.5;

/// How far apart a quantity and the same in another unit may be by rounding, as a share.
const CONVERTED: f64 = 0.025;

/// How many words around a number are compared, on each side.
const AROUND: usize = 5;

/// A source with all that is derived from it once.
pub(super) struct Held {
    pub(super) passage: Passage,
    names: Names,
    flat: String,
    written: WrittenForm,
}

impl Held {
    pub(super) fn new(source: &Source, terms: &mut TermTable) -> Self {
        let passage = Passage::new(source, terms);
        let mut names = Names::default();
        names.add(&passage.context);
        names.add(&passage.reading);
        let mut census = Census::default();
        census.add(&passage.reading, terms.lists);
        let flat = flat(passage.reading.tokens.iter());
        Self { passage, names, flat, written: census.written() }
    }
}

/// What the parts of a check share.
pub(super) struct Ground<'a> {
    pub(super) text: &'a str,
    pub(super) terms: &'a TermTable,
    pub(super) opposites: &'a Opposites,
    /// How the whole answer is written, where a sentence is too short to tell.
    pub(super) written: WrittenForm,
}

impl Ground<'_> {
    /// Holds a claim against passages, of which each may bear out a part; with what speaks against it. `slots` is scratch, one
    /// for each term, all 0.
    pub(super) fn hold(
        &self,
        claim: &Claimed,
        cited: &[&Held],
        slots: &mut [u32],
    ) -> (ClaimCheck, Vec<Flag>) {
        for (slot, term) in (1..).zip(&claim.terms) {
            if let Some(place) = slots.get_mut(*term as usize) {
                *place = slot;
            }
        }
        let mut windows: Vec<(&Held, PassageWindow)> = cited
            .iter()
            .filter_map(|held| Some((*held, held.passage.window(&claim.weights, slots)?)))
            .collect();
        for term in &claim.terms {
            if let Some(place) = slots.get_mut(*term as usize) {
                *place = 0;
            }
        }
        let wrong_numbers = self.numbers(claim, &mut windows);
        let coverage = union(&claim.weights, &windows);
        let enough = coverage >= PARTLY || covered_without(claim, &wrong_numbers, &windows) >= PARTLY;
        let mut check = ClaimCheck { coverage, ..ClaimCheck::default() };
        check.evidence = windows
            .iter()
            .map(|(held, window)| ClaimEvidence {
                number: held.passage.number,
                span: window.span.clone(),
                coverage: window.coverage,
            })
            .collect();
        let mut problems = quotes(claim, &windows);
        problems.extend(wrong_numbers);
        let foreign = coverage < SUPPORTED
            && !windows.is_empty()
            && windows.iter().all(|(held, _)| claim.census.written().or(self.written).differs(held.written));
        let span = claim.reading.tokens.first().map_or(0, |token| token.span.start)
            ..claim.reading.tokens.last().map_or(0, |token| token.span.end);
        if foreign {
            let checked = !problems.is_empty();
            check.status = if checked { ClaimStatus::Unsupported } else { ClaimStatus::NotChecked };
            let message =
                "This is in another language or script than its sources, so only its numbers were checked.";
            problems.push(Flag::new(FlagKind::NotComparable, span, message));
            return (check, problems);
        }
        problems.extend(self.names(claim, &windows));
        if coverage >= PARTLY {
            // A limit on the other side has been told already.
            let told = problems.iter().any(|problem| problem.kind == FlagKind::ComparatorMismatch);
            problems.extend(
                self.turned(claim, &windows)
                    .filter(|turned| !told || turned.kind != FlagKind::ComparatorMismatch),
            );
        }
        let elsewhere = if coverage >= PARTLY { self.astray(claim, &windows) } else { Vec::new() };
        check.status = match coverage {
            _ if !problems.is_empty() => ClaimStatus::Unsupported,
            coverage if coverage >= SUPPORTED && elsewhere.is_empty() => ClaimStatus::Supported,
            coverage if coverage >= PARTLY => ClaimStatus::Partly,
            _ => ClaimStatus::Unsupported,
        };
        problems.extend(elsewhere);
        if !enough {
            let message =
                format!("Only {:.0} % of what this says stands in the sources it cites", coverage * 100.0);
            problems.push(flag(FlagKind::LowCoverage, span, message, best(&windows).map(place)));
        }
        (check, problems)
    }

    fn quoted(&self, span: &Range<usize>) -> &str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    /// The quantities that no passage bears out. Those that one does count as covered, however they are written there.
    fn numbers(&self, claim: &Claimed, windows: &mut [(&Held, PassageWindow)]) -> Vec<Flag> {
        let quantities = &claim.reading.quantities;
        let found: Vec<_> = quantities.iter().map(|quantity| self.number(claim, quantity, windows)).collect();
        let mut problems = Vec::new();
        for (at, (quantity, (agrees, place))) in quantities.iter().zip(&found).enumerate() {
            let same = |at: usize| found.get(at).is_some_and(|(agrees, _)| *agrees == Agreement::Same);
            // "355 feet (108 m)" says it twice.
            let again = |first: usize| is_conversion(claim, first) && (same(first) || same(first + 1));
            let shown = self.quoted(&quantity.span);
            let (kind, message, source) = match agrees {
                Agreement::Same => continue,
                Agreement::Opposite => (
                    FlagKind::ComparatorMismatch,
                    format!("“{shown}” is a limit of the other side in the source"),
                    place.clone(),
                ),
                Agreement::None if again(at) || at > 0 && again(at - 1) => continue,
                Agreement::None => {
                    let nearest = nearest(quantity, windows);
                    (FlagKind::NumberUnsupported, format!("“{shown}” stands in no cited source"), nearest)
                }
            };
            problems.push(flag(kind, quantity.span.clone(), message, source));
        }
        problems
    }

    /// What the passages say about a quantity, and where.
    fn number(
        &self,
        claim: &Claimed,
        quantity: &Quantity,
        windows: &mut [(&Held, PassageWindow)],
    ) -> (Agreement, Option<(u32, Range<usize>)>) {
        let mut best = (Agreement::None, None);
        for (held, window) in windows.iter_mut() {
            let own = held.passage.reading.quantities.iter().map(|found| (found, true));
            let context = held.passage.context.quantities.iter().map(|found| (found, false));
            for (found, in_text) in own.chain(context) {
                let mut agrees = agreement(quantity, found);
                if agrees == Agreement::Same
                    && in_text
                    && is_small(quantity)
                    && !window.span.contains(&found.span.start)
                    && !self.same_words(claim, quantity, &held.passage, found)
                {
                    agrees = Agreement::None;
                }
                if agrees > best.0 {
                    best = (agrees, in_text.then(|| (held.passage.number, found.span.clone())));
                }
                if agrees == Agreement::Same {
                    let here = !in_text || window.span.contains(&found.span.start);
                    if let Some(slot) = claim.slot(quantity).filter(|_| here) {
                        window.here[slot] = true;
                        window.anywhere[slot] = true;
                    }
                    break;
                }
            }
        }
        best
    }

    /// Whether something around a quantity in a passage stands around it in the claim, too.
    fn same_words(&self, claim: &Claimed, quantity: &Quantity, passage: &Passage, found: &Quantity) -> bool {
        let around = |words: &[ReadWord], span: &Range<usize>| -> Vec<u32> {
            let at = words.partition_point(|word| word.span.start < span.start);
            let near =
                words.get(at.saturating_sub(AROUND)..(at + AROUND + 1).min(words.len())).unwrap_or_default();
            let near = near.iter().filter(|word| word.span != *span).map(|word| word.term);
            near.filter(|term| !self.terms.is_function_word(*term)).collect()
        };
        let there = around(&passage.reading.words, &found.span);
        around(&claim.reading.words, &quantity.span).iter().any(|term| there.contains(term))
    }

    fn names(&self, claim: &Claimed, windows: &[(&Held, PassageWindow)]) -> Vec<Flag> {
        let sources: Vec<&Names> = windows.iter().map(|(held, _)| &held.names).collect();
        let missing = claim.names.iter().filter(|name| is_missing(name, &claim.reading, &sources));
        missing
            .map(|name| {
                let span = claim.reading.span(&name.tokens);
                let message = format!("“{}” stands in no cited source", self.quoted(&span));
                flag(FlagKind::EntityUnsupported, span, message, windows.first().map(place))
            })
            .collect()
    }

    /// The names that each passage that has them has elsewhere than the rest of the claim.
    fn astray(&self, claim: &Claimed, windows: &[(&Held, PassageWindow)]) -> Vec<Flag> {
        let sources: Vec<&Names> = windows.iter().map(|(held, _)| &held.names).collect();
        let mut places: Vec<Places> = windows
            .iter()
            .map(|(held, window)| Places::new(claim, &held.passage, window, self.terms))
            .collect();
        let mut astray = |name: &ClaimName| {
            let mut found = None;
            for (place, (held, window)) in places.iter_mut().zip(windows) {
                match place.of(name) {
                    NamePlace::Fits => return None,
                    NamePlace::Absent => {}
                    NamePlace::Astray(rival) => found = found.or(Some((held, window, rival))),
                }
            }
            let (held, window, rival) = found?;
            let span = claim.reading.span(&name.tokens);
            let mut message =
                format!("“{}” stands elsewhere in the source than the rest of this", self.quoted(&span));
            let place = rival.unwrap_or_else(|| {
                message.push_str(", which stands here");
                window.span.clone()
            });
            Some(flag(FlagKind::EntityElsewhere, span, message, Some((held.passage.number, place))))
        };
        let names = claim.names.iter().take(MAX_NAMES);
        names.filter(|name| !is_missing(name, &claim.reading, &sources)).filter_map(&mut astray).collect()
    }

    /// What the best window turns around.
    fn turned(&self, claim: &Claimed, windows: &[(&Held, PassageWindow)]) -> Option<Flag> {
        let (held, window) = best(windows)?;
        let passage = &held.passage;
        if let Some(turned) = denial(&claim.reading, passage, &window.sentences, self.terms) {
            let message = "One of this and its source denies what the other affirms".to_owned();
            let source = Some((passage.number, turned.source));
            return Some(flag(FlagKind::NegationMismatch, turned.claim, message, source));
        }
        let words = passage.reading.words.get(passage.words(&window.sentences)).unwrap_or_default();
        let turned = self.opposites.find(&claim.reading, words, self.terms)?;
        let message =
            format!("“{}” is the opposite of what the source says there", self.quoted(&turned.claim));
        let source = Some((passage.number, turned.source));
        Some(flag(FlagKind::ComparatorMismatch, turned.claim, message, source))
    }
}

fn flag(kind: FlagKind, span: Range<usize>, message: String, source: Option<(u32, Range<usize>)>) -> Flag {
    let source = source.map(|(number, span)| SourceSpan { number, span });
    Flag { kind, span, message, source }
}

/// The window that says most of a claim.
fn best<'w, 'h>(windows: &'w [(&'h Held, PassageWindow)]) -> Option<&'w (&'h Held, PassageWindow)> {
    windows.iter().max_by(|one, other| one.1.coverage.total_cmp(&other.1.coverage))
}

/// The place of a window: the number of its source, and its range there.
fn place((held, window): &(&Held, PassageWindow)) -> (u32, Range<usize>) {
    (held.passage.number, window.span.clone())
}

/// The quotations that no passage has.
fn quotes(claim: &Claimed, windows: &[(&Held, PassageWindow)]) -> Vec<Flag> {
    let texts: Vec<&str> = windows.iter().map(|(held, _)| held.flat.as_str()).collect();
    let missing = claim.quotes.iter().filter(|span| {
        let tokens = claim.reading.tokens.get(claim.tokens(span)).unwrap_or_default();
        is_quoted(tokens, &texts) == Some(false)
    });
    missing
        .map(|span| {
            let message = "These words stand in no cited source as they are quoted here".to_owned();
            flag(FlagKind::QuoteNotFound, span.clone(), message, windows.first().map(place))
        })
        .collect()
}

/// Whether the quantity behind this one is the same in another unit, in brackets.
fn is_conversion(claim: &Claimed, at: usize) -> bool {
    let Some([first, second]) = claim.reading.quantities.get(at..at + 2) else { return false };
    let sign = |at: usize, sign: &str| claim.reading.tokens.get(at).is_some_and(|token| token.is_sign(sign));
    let bracketed = first.tokens.end + 1 == second.tokens.start
        && sign(first.tokens.end, "(")
        && sign(second.tokens.end, ")");
    let alike = !first.unit.is_none() && is_comparable(first, second);
    bracketed && alike && (first.low - second.low).abs() <= CONVERTED * first.low.abs()
}

/// A number that is found by chance in most passages.
fn is_small(quantity: &Quantity) -> bool {
    quantity.unit.is_none()
        && matches!(quantity.kind, QuantityKind::Number | QuantityKind::Ordinal)
        && quantity.high < 100.0
}

/// How much of a claim stands in the windows together.
fn union(weights: &[f32], windows: &[(&Held, PassageWindow)]) -> f32 {
    let total: f32 = weights.iter().sum();
    let any = |slot: usize, of: fn(&PassageWindow) -> &Vec<bool>| {
        windows.iter().any(|(_, window)| of(window).get(slot) == Some(&true))
    };
    let sum: f32 = (0..)
        .zip(weights)
        .map(|(slot, weight)| {
            if any(slot, |window| &window.here) {
                *weight
            } else if any(slot, |window| &window.anywhere) {
                weight * ELSEWHERE
            } else {
                0.0
            }
        })
        .sum();
    if total > 0.0 { (sum / total).min(1.0) } else { 0.0 }
}

/// The same without the numbers that are wrong: they have been told.
fn covered_without(claim: &Claimed, wrong: &[Flag], windows: &[(&Held, PassageWindow)]) -> f32 {
    let mut weights = claim.weights.clone();
    // Both are in the order of the text.
    let mut wrong = wrong.iter().peekable();
    for quantity in &claim.reading.quantities {
        if wrong.next_if(|wrong| wrong.span == quantity.span).is_some()
            && let Some(weight) = claim.slot(quantity).and_then(|slot| weights.get_mut(slot))
        {
            *weight = 0.0;
        }
    }
    union(&weights, windows)
}

/// The quantity that the one meant could be: of the same unit, in a window if there is one, and of the nearest value.
fn nearest(quantity: &Quantity, windows: &[(&Held, PassageWindow)]) -> Option<(u32, Range<usize>)> {
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
