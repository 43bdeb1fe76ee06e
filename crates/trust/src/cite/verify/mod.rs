//! Holding what an answer claims against the passages that it cites.
//!
//! [`verify`] computes, in time that is linear in the answer and its sources, how much of each claim stands in its sources,
//! and what in it they do not bear out: numbers, quotations, names, denials and opposites. It knows words and not what
//! they mean; docs/checking-answers.md has what it finds and what it misses.

mod bind;
mod claimed;
mod entity;
mod evidence;
mod ground;
mod hold;
mod language;
mod layout;
mod lex;
mod lists;
mod number;
mod passage;
mod polarity;
mod quote;
mod reading;
mod refusal;
mod scope;
mod strict;
mod together;
mod values;
mod word;

use std::pin::Pin;

use super::claim::Claim;
pub use super::claim::{ClaimCheck, ClaimEvidence, ClaimStatus, ValueEvidence, ValueKind};
use super::flag::{Flag, FlagKind, SourceSpan};
use super::markdown::markers;
use super::sentence::is_sentence_of;
use super::source::Source;
use bind::MAX_QUANTITIES;
use claimed::Claimed;
use ground::{Ground, Held};
use ibid_platform::call::{Pause, at_once};
use ibid_platform::{Result, order};
pub(super) use number::range;
use reading::TermTable;
pub use strict::{Stricter, strict};

/// The most words that are looked at, each as often as it is. An answer of a thousand sentences with twenty sources each
/// stays below; of one beyond, the rest is not checked.
const MAX_WORK: usize = 10_000_000;

/// The most alternatives that are named.
const MAX_ALTERNATIVES: usize = 3;

/// Checks each claim of an answer against the sources that it cites, and says in [`Claim::check`] what came of it.
///
/// Returns what a reader should know of it, in the order of the text. `claims` are those of the text, as
/// [`claims`](super::claims) gives them. Numbers of no source are left out; that they are unknown is for
/// [`check`](super::check) to say. Of an answer so long that checking it would take seconds the rest is left unchecked,
/// which a flag says.
pub fn verify(text: &str, claims: &mut [Claim], sources: &[Source]) -> Vec<Flag> {
    // Without a pause there is no wait, and nothing that can fail.
    at_once(verify_in_slices(text, claims, sources, &mut || None)).and_then(Result::ok).unwrap_or_default()
}

/// Verifies in slices: between claims, `pause` tells whether to wait.
///
/// # Errors
/// Those of a wait.
pub fn verify_in_slices<'a>(
    text: &'a str,
    claims: &'a mut [Claim],
    sources: &'a [Source],
    pause: &'a mut Pause<'_>,
) -> Pin<Box<dyn Future<Output = Result<Vec<Flag>>> + 'a>> {
    // Boxed, so that it is compiled once and not into each of its callers.
    Box::pin(in_slices(text, claims, sources, pause))
}

async fn in_slices(
    text: &str,
    claims: &mut [Claim],
    sources: &[Source],
    pause: &mut Pause<'_>,
) -> Result<Vec<Flag>> {
    let mut terms = TermTable::new();
    let held: Vec<Held> = sources.iter().map(|source| Held::new(source, &mut terms)).collect();
    let place = |number: &u32| sources.iter().position(|source| source.number == *number);
    let marks = markers(text);
    let mut read: Vec<Option<Claimed>> = Vec::with_capacity(claims.len());
    for claim in claims.iter() {
        if let Some(wait) = pause() {
            wait.await?;
        }
        let mut claimed = Claimed::read(text, claim, &marks, &mut terms);
        if let Some((claimed, before)) = claimed.as_mut().zip(read.last().and_then(Option::as_ref)) {
            claimed.follow(before, &terms);
        }
        read.push(claimed);
    }
    for claimed in read.iter_mut().flatten() {
        claimed.weigh(&terms);
    }
    let ground = Ground { text, terms: &terms };
    let mut flags = Vec::new();
    let mut work = MAX_WORK;
    for (claim, claimed) in claims.iter_mut().zip(&read) {
        if let Some(wait) = pause() {
            wait.await?;
        }
        claim.check = None;
        let mut check = ClaimCheck::default();
        if let Some(claimed) = claimed {
            let cited: Vec<usize> = claim.sources.iter().filter_map(place).collect();
            let mut holder = Holder { ground: &ground, held: &held, sources, work: &mut work };
            let Some((found, raised)) = holder.check(claim, claimed, &cited) else {
                let message =
                    "The answer is too long to check to its end: this sentence and the rest are not checked.";
                flags.push(Flag::new(FlagKind::NotComparable, claim.start..claim.end, message));
                break;
            };
            check = found;
            flags.extend(raised);
        }
        claim.check = Some(check);
    }
    for claim in claims {
        claim.check.get_or_insert_default();
    }
    order::by_key(&mut flags, |flag| flag.span.start);
    Ok(flags)
}

/// Checks claims against sources as long as there is work left to be done.
struct Holder<'a> {
    ground: &'a Ground<'a>,
    held: &'a [Held],
    sources: &'a [Source],
    work: &'a mut usize,
}

impl Holder<'_> {
    /// `None` if that would be more work than is left.
    fn hold(&mut self, claimed: &Claimed, cited: &[usize]) -> Option<(ClaimCheck, Vec<Flag>)> {
        let cited: Vec<&Held> = cited.iter().filter_map(|at| self.held.get(*at)).collect();
        let words: usize = cited.iter().map(|held| held.passage.size() + claimed.terms.len()).sum();
        // Each number is compared with each, and code with each word.
        let numbers: usize = cited.iter().map(|held| held.passage.reading.quantities.len()).sum();
        let code = claimed.reading.words.iter().filter(|word| word.code).count().min(MAX_QUANTITIES);
        let work = words * (1 + code) + numbers * claimed.reading.quantities.len();
        *self.work = self.work.checked_sub(work)?;
        Some(self.ground.hold(claimed, &cited))
    }

    fn check(
        &mut self,
        claim: &Claim,
        claimed: &Claimed,
        cited: &[usize],
    ) -> Option<(ClaimCheck, Vec<Flag>)> {
        if cited.is_empty() {
            let mut check = ClaimCheck::default();
            let unknown = !claim.sources.is_empty();
            if claimed.claims_nothing {
                return Some((check, Vec::new()));
            }
            check.status = ClaimStatus::Uncited;
            check.alternatives = self.alternatives(claimed, cited)?;
            // Where there is no source, or none of that number, another flag says so.
            if unknown || self.held.is_empty() {
                return Some((check, Vec::new()));
            }
            let elsewhere = check.alternatives.first();
            let hint =
                elsewhere.map_or_else(String::new, |found| format!("; [{}] supports it", found.number));
            let message = format!("This states something and cites nothing{hint}.");
            let mut flag = Flag::new(FlagKind::UncitedClaim, claim.start..claim.end, message);
            flag.source =
                elsewhere.map(|found| SourceSpan { number: found.number, span: found.span.clone() });
            return Some((check, vec![flag]));
        }
        let (mut check, mut flags) = self.hold(claimed, cited)?;
        // What a source says in these very words, nothing in it speaks against.
        let mut texts = cited.iter().filter_map(|at| self.sources.get(*at)).map(|source| &source.hit.text);
        if !flags.is_empty() && texts.any(|text| is_sentence_of(&claim.text, text)) {
            check.status = ClaimStatus::Supported;
            flags.clear();
        }
        if claimed.claims_nothing {
            // A remark that only looks like one stands in its sources.
            if check.status != ClaimStatus::Supported {
                check = ClaimCheck::default();
            }
            return Some((check, Vec::new()));
        }
        if check.status == ClaimStatus::Unsupported {
            check.alternatives = self.alternatives(claimed, cited)?;
        }
        let instead = check.alternatives.first().map(|found| {
            let numbers: Vec<String> = claim.sources.iter().map(|number| format!("[{number}]")).collect();
            format!("; supported by [{}], not {}", found.number, numbers.join(" or "))
        });
        for flag in &mut flags {
            flag.message.push_str(instead.as_deref().unwrap_or_default());
            flag.message.push_str(if flag.kind == FlagKind::NotComparable { "" } else { "." });
        }
        Some((check, flags))
    }

    /// Finds the sources that are not cited and would support the claim on their own, best first.
    fn alternatives(&mut self, claimed: &Claimed, cited: &[usize]) -> Option<Vec<ClaimEvidence>> {
        let mut found = Vec::new();
        for other in 0..self.held.len() {
            if cited.contains(&other) {
                continue;
            }
            let (check, _) = self.hold(claimed, &[other])?;
            if check.status == ClaimStatus::Supported {
                found.extend(check.evidence);
            }
        }
        order::by(&mut found, |one, other| other.coverage.total_cmp(&one.coverage));
        found.truncate(MAX_ALTERNATIVES);
        Some(found)
    }
}

#[cfg(test)]
mod pair_tests;
#[cfg(test)]
mod tests;
