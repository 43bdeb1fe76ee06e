//! Holding one claim against some passages.

use std::ops::Range;

use super::super::claim::{ClaimCheck, ClaimStatus};
use super::super::flag::{Flag, FlagKind};
use super::claimed::Claimed;
use super::entity::{ClaimName, Names, is_missing};
use super::evidence::evidence;
use super::ground::{Ground, Held, flag, place};
use super::lists::Role;
use super::passage::PassageWindow;
use super::polarity::{Opposed, Stance, StanceVerdict};
use super::quote::is_quoted;
use super::together::Together;
use super::values::Values;

/// The least coverage of a claim that surely is in the language of its sources, and the least of one that is not
/// unsupported. They come from the development claims: docs/checking-answers.md has the command that shows it.
pub(super) const COMPARABLE: f32 = 0.6;
pub(super) const PARTLY: f32 = 0.35;

/// The share of a claim that one place must tell if it is to support the claim, or to deny it. Chosen on one half of pairs
/// that were written without knowing the rules; docs/measurements.md has the other.
const TOGETHER: f32 = 0.9;

/// The same for a claim whose numbers and symbols stand in a row, in their columns, or all in one place.
const VALUES: f32 = 0.7;

/// Below that a claim is flagged for its coverage alone.
const LITTLE: f32 = 0.3;

/// The weight of a word that stands in the passage, but not in the window.
const ELSEWHERE: f32 = 0.5;

impl Ground<'_> {
    /// Checks a claim against passages, of which each may bear out a part; with what speaks against it.
    pub(super) fn hold(&self, claim: &Claimed, cited: &[&Held]) -> (ClaimCheck, Vec<Flag>) {
        let windows = cited.iter().filter_map(|held| Some((*held, held.passage.window(claim)?)));
        let mut windows: Vec<(&Held, PassageWindow)> = windows.collect();
        let Values { problems: wrong_numbers, mut unclear } = self.values(claim, &mut windows);
        let coverage = union(&claim.weights, &windows);
        let mut check = ClaimCheck { coverage, ..ClaimCheck::default() };
        // Of fewer shared words nothing is denied.
        let nearest = best(&windows).filter(|_| coverage >= PARTLY);
        let stances = nearest.map(|(held, window)| {
            let stances = Opposed { claim, passage: &held.passage, window, terms: self.terms }.stances();
            (held.passage.number, stances)
        });
        let (number, stances) = stances.unwrap_or_default();
        let evidence = |(held, window): &(&Held, PassageWindow)| {
            let own = if held.passage.number == number { stances.as_slice() } else { &[] };
            evidence(claim, held, window, own)
        };
        check.evidence = windows.iter().map(evidence).collect();
        let mut problems = quotes(claim, &windows);
        problems.extend(wrong_numbers);
        let foreign = coverage < COMPARABLE
            && !windows.is_empty()
            && windows.iter().all(|(held, _)| claim.written.differs(held.written));
        let span = claim.reading.tokens.first().map_or(0, |token| token.span.start)
            ..claim.reading.tokens.last().map_or(0, |token| token.span.end);
        if foreign {
            return as_foreign(check, problems, span);
        }
        problems.extend(self.names(claim, &windows));
        let together = Together::of(claim, &windows, self.terms);
        unclear |= stances.iter().any(|stance| stance.verdict == StanceVerdict::Open);
        // Only the same words can be denied; of others it cannot be told what they say.
        let turned = stances.iter().find(|stance| stance.verdict == StanceVerdict::Turned);
        let turned = turned.filter(|turned| turned.directs || together.share >= TOGETHER);
        problems.extend(turned.map(|turned| self.turned(turned, number)));
        let borne_out = !unclear && is_borne_out(&check, &together);
        check.status = match coverage {
            _ if !problems.is_empty() => ClaimStatus::Unsupported,
            coverage if coverage < PARTLY => ClaimStatus::Unsupported,
            _ if borne_out => ClaimStatus::Supported,
            _ => ClaimStatus::NotChecked,
        };
        if coverage < LITTLE {
            let message = format!("Only {:.0} % of this is in the cited sources", coverage * 100.0);
            problems.push(flag(FlagKind::LowCoverage, span, message, best(&windows).map(place)));
        }
        (check, problems)
    }

    fn names(&self, claim: &Claimed, windows: &[(&Held, PassageWindow)]) -> Vec<Flag> {
        let sources: Vec<&Names> = windows.iter().map(|(held, _)| &held.names).collect();
        let is_trade = |name: &ClaimName| {
            let mut words = name.words.iter().filter_map(|word| claim.reading.tokens.get(*word));
            words.all(|word| self.terms.lists.has(&word.text, Role::Trade))
        };
        let missing = claim.names.iter().filter(|name| is_missing(name, &claim.reading, &sources));
        missing
            .filter(|name| !is_trade(name))
            .map(|name| {
                let span = claim.reading.span(&name.tokens);
                let message = format!("“{}” is in no cited source", self.quoted(&span));
                flag(FlagKind::EntityUnsupported, span, message, windows.first().map(place))
            })
            .collect()
    }

    /// Makes the flag for what a source turns around.
    fn turned(&self, turned: &Stance, number: u32) -> Flag {
        let (kind, message) = if turned.directs {
            let word = self.quoted(&turned.claim);
            let message = format!("“{word}” is the opposite of what the source says there");
            (FlagKind::ComparatorMismatch, message)
        } else {
            let message = "The source says the opposite: one of the two is a denial".to_owned();
            (FlagKind::NegationMismatch, message)
        };
        flag(kind, turned.claim.clone(), message, turned.source.clone().map(|place| (number, place)))
    }
}

/// Makes the result for a claim in another language than its sources, of which only the numbers and quotations were held.
fn as_foreign(mut check: ClaimCheck, mut problems: Vec<Flag>, span: Range<usize>) -> (ClaimCheck, Vec<Flag>) {
    let message = "This is in another language or script than its sources, so only its numbers were checked.";
    if problems.is_empty() {
        check.status = ClaimStatus::NotChecked;
        check.evidence.clear();
    } else {
        check.status = ClaimStatus::Unsupported;
    }
    problems.push(Flag::new(FlagKind::NotComparable, span, message));
    (check, problems)
}

/// Returns true if one place says enough of a claim: less if all its values are found.
fn is_borne_out(check: &ClaimCheck, together: &Together) -> bool {
    let (_, missing) = check.values();
    let least = match () {
        () if !together.about => TOGETHER,
        () if missing == 0 && together.by_values => VALUES,
        () => TOGETHER,
    };
    !together.doubtful && together.share >= least
}

/// Finds the window that says most of a claim.
fn best<'w, 'h>(windows: &'w [(&'h Held, PassageWindow)]) -> Option<&'w (&'h Held, PassageWindow)> {
    windows.iter().max_by(|one, other| one.1.coverage.total_cmp(&other.1.coverage))
}

/// Finds the quotations that no passage has.
fn quotes(claim: &Claimed, windows: &[(&Held, PassageWindow)]) -> Vec<Flag> {
    let texts: Vec<&str> = windows.iter().map(|(held, _)| held.flat.as_str()).collect();
    let missing = claim.quotes.iter().filter(|span| {
        let tokens = claim.reading.tokens.get(claim.tokens(span)).unwrap_or_default();
        is_quoted(tokens, &texts) == Some(false)
    });
    missing
        .map(|span| {
            let message = "No cited source has these words as quoted here".to_owned();
            flag(FlagKind::QuoteNotFound, span.clone(), message, windows.first().map(place))
        })
        .collect()
}

/// Returns true if one of the windows has a term of the claim in that place.
pub(super) fn is_in(
    windows: &[(&Held, PassageWindow)],
    slot: usize,
    place: fn(&PassageWindow) -> &Vec<bool>,
) -> bool {
    windows.iter().any(|(_, window)| place(window).get(slot) == Some(&true))
}

/// Computes the share of a claim that is in the windows together.
fn union(weights: &[f32], windows: &[(&Held, PassageWindow)]) -> f32 {
    let total: f32 = weights.iter().sum();
    let sum: f32 = (0..)
        .zip(weights)
        .map(|(slot, weight)| {
            if is_in(windows, slot, |window| &window.here) {
                *weight
            } else if is_in(windows, slot, |window| &window.anywhere) {
                weight * ELSEWHERE
            } else {
                0.0
            }
        })
        .sum();
    if total > 0.0 { (sum / total).min(1.0) } else { 0.0 }
}
