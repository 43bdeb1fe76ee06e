//! `ibid verify --evaluate`: how much of what is wrong is found, on claims whose truth is known.

mod errors;
mod fit;
mod labelled;
mod table;

use std::time::Duration;

use errors::Mistake;
use fit::{auc, fit, quantile};
use ibid_platform::Result;
use ibid_trust::cite::claims as claims_of;
use ibid_trust::cite::confidence::{ConfidenceWeights, WEIGHTS};
use ibid_trust::cite::verify::ClaimStatus;
use ibid_trust::cite::{Claim, ConfidenceParts, Flag, FlagKind, Source, confidence, verify};
use labelled::{Label, Labelled};
pub use table::Evaluation;
use table::{Bin, Detection};

/// Into how many parts the claims are divided, each measured with what the others gave.
const FOLDS: usize = 5;

/// The share of supported claims that may be flagged where detection is compared.
const FALSE_POSITIVES: f64 = 0.1;

/// The result of checking one claim.
struct CheckedClaim {
    parts: ConfidenceParts,
    coverage: f32,
    flags: Vec<FlagKind>,
    is_supported: bool,
}

/// A claim with a mistake.
struct Wrong {
    /// The claim that it was made of.
    at: usize,
    mistake: Mistake,
    checked: CheckedClaim,
}

/// Measures on a file of labelled claims. `time` measures how long a function takes.
pub fn evaluate(
    text: &str,
    name: &str,
    time: impl FnOnce(&mut dyn FnMut()) -> Duration,
) -> Result<Evaluation> {
    let claims = labelled::read(text, name)?;
    let mut checked = Vec::new();
    let taken =
        time(&mut || checked = claims.iter().map(|claim| check(&claim.text, &claim.source)).collect());
    let of = |label: Label| -> Vec<usize> {
        claims.iter().enumerate().filter(|(_, claim)| claim.label == label).map(|(at, _)| at).collect()
    };
    let supported = of(Label::Supported);
    let wrong = mistakes(&claims, &supported);
    let partly = of(Label::PartiallySupported);
    let wrong_partly = mistakes(&claims, &partly);
    // Weights from the other parts, so that no claim is judged by what was fitted to it.
    let weights: Vec<ConfidenceWeights> =
        (0..FOLDS).map(|fold| fit(&samples(&claims, &checked, |at| at % FOLDS != fold))).collect();
    let value = |at: usize, parts: &ConfidenceParts| {
        weights.get(at % FOLDS).map_or(0.0, |weights| parts.value(weights))
    };
    let values: Vec<f32> =
        checked.iter().enumerate().map(|(at, checked)| value(at, &checked.parts)).collect();
    let pick =
        |from: &[usize]| -> Vec<f32> { from.iter().filter_map(|at| values.get(*at).copied()).collect() };
    let coverage = |from: &[usize]| -> Vec<f32> {
        from.iter().filter_map(|at| checked.get(*at)).map(|checked| checked.coverage).collect()
    };
    let not = of(Label::NotSupported);
    let others: Vec<usize> = partly.iter().chain(&not).copied().collect();
    let kinds = [
        FlagKind::LowCoverage,
        FlagKind::NumberUnsupported,
        FlagKind::ValueElsewhere,
        FlagKind::EntityUnsupported,
        FlagKind::NegationMismatch,
        FlagKind::ComparatorMismatch,
        FlagKind::QuoteNotFound,
        FlagKind::NotComparable,
    ];
    let alarms = kinds.iter().map(|kind| {
        let share = |from: &[usize]| {
            let count = from
                .iter()
                .filter(|at| checked.get(**at).is_some_and(|checked| checked.flags.contains(kind)))
                .count();
            count as f64 / from.len().max(1) as f64
        };
        (*kind, [share(&supported), share(&partly), share(&not)])
    });
    Ok(Evaluation {
        counts: [supported.len(), partly.len(), not.len()],
        supported: detections(&checked, &supported, &wrong),
        partly: detections(&checked, &partly, &wrong_partly),
        alarms: alarms.collect(),
        auc: [
            (
                "coverage",
                auc(&coverage(&supported), &coverage(&not)),
                auc(&coverage(&supported), &coverage(&others)),
            ),
            ("confidence", auc(&pick(&supported), &pick(&not)), auc(&pick(&supported), &pick(&others))),
        ],
        bins: bins(&claims, &values),
        fitted: fit(&samples(&claims, &checked, |_| true)),
        shipped: WEIGHTS,
        microseconds: taken.as_secs_f64() * 1e6 / claims.len().max(1) as f64,
    })
}

/// Computes the share of each mistake that is found, next to the claims without.
fn detections(checked: &[CheckedClaim], base: &[usize], wrong: &[Wrong]) -> Vec<Detection> {
    let plain: Vec<(usize, &CheckedClaim)> =
        base.iter().filter_map(|at| Some((*at, checked.get(*at)?))).collect();
    let mut rows = vec![Detection {
        name: "nothing changed".to_owned(),
        claims: plain.len(),
        flagged: rate(&plain, |_, checked| !checked.flags.is_empty()),
        supported: rate(&plain, |_, checked| checked.is_supported),
        own: None,
        at_ten: None,
    }];
    for mistake in Mistake::ALL {
        let made: Vec<(usize, &CheckedClaim)> = wrong
            .iter()
            .filter(|wrong| wrong.mistake == mistake)
            .map(|wrong| (wrong.at, &wrong.checked))
            .collect();
        let has_own = |checked: &CheckedClaim| checked.flags.iter().any(|kind| own(mistake, *kind));
        // The check on its own: first what it flags, then what is covered least.
        let suspicion = |checked: &CheckedClaim| f32::from(u8::from(has_own(checked))) - checked.coverage;
        let thresholds: Vec<f32> = (0..FOLDS)
            .map(|fold| {
                let rest = plain.iter().filter(|(at, _)| at % FOLDS != fold);
                quantile(
                    &rest.map(|(_, checked)| suspicion(checked)).collect::<Vec<_>>(),
                    1.0 - FALSE_POSITIVES,
                )
            })
            .collect();
        let above = |at: usize, checked: &CheckedClaim| {
            thresholds.get(at % FOLDS).is_some_and(|most| suspicion(checked) > *most)
        };
        rows.push(Detection {
            name: mistake.as_str().to_owned(),
            claims: made.len(),
            flagged: rate(&made, |_, checked| !checked.flags.is_empty()),
            supported: rate(&made, |_, checked| checked.is_supported),
            own: Some([
                rate(&made, |_, checked| has_own(checked)),
                rate(&plain, |_, checked| has_own(checked)),
            ]),
            at_ten: Some([rate(&made, above), rate(&plain, above)]),
        });
    }
    rows
}

/// Computes the share of the claims, by their numbers, of which something is true.
fn rate(of: &[(usize, &CheckedClaim)], is: impl Fn(usize, &CheckedClaim) -> bool) -> f64 {
    of.iter().filter(|(at, checked)| is(*at, checked)).count() as f64 / of.len().max(1) as f64
}

fn samples(
    claims: &[Labelled],
    checked: &[CheckedClaim],
    which: impl Fn(usize) -> bool,
) -> Vec<(ConfidenceParts, f64)> {
    let all = claims.iter().zip(checked).enumerate().filter(|(at, _)| which(*at));
    all.map(|(_, (claim, checked))| (checked.parts, claim.label.share())).collect()
}

fn mistakes(claims: &[Labelled], base: &[usize]) -> Vec<Wrong> {
    let mut wrong = Vec::new();
    for at in base {
        for mistake in Mistake::ALL {
            let Some((text, cited)) = mistake.make(claims, *at) else { continue };
            let Some(source) = claims.get(cited).map(|claim| &claim.source) else { continue };
            wrong.push(Wrong { at: *at, mistake, checked: check(&text, source) });
        }
    }
    wrong
}

/// Checks a claim against a passage, as one sentence of an answer.
fn check(claim: &str, source: &Source) -> CheckedClaim {
    let text = format!("{claim} [{}]", source.number);
    let mut claims: Vec<Claim> = claims_of(&text);
    // What the sentences of a claim are is not what is measured.
    if let (Some(first), Some(last)) =
        (claims.first().map(|claim| claim.start), claims.last().map(|claim| claim.end))
    {
        claims = vec![Claim {
            text: claim.to_owned(),
            start: first,
            end: last,
            sources: vec![source.number],
            check: None,
        }];
    }
    let flags: Vec<Flag> = verify(&text, &mut claims, std::slice::from_ref(source));
    let parts = confidence(&claims, 1.0).map(|confidence| confidence.parts);
    let check = claims.first().and_then(|claim| claim.check.as_ref());
    CheckedClaim {
        coverage: check.map_or(0.0, |check| check.coverage),
        parts: parts.unwrap_or(ConfidenceParts { retrieval: 1.0, cited: 1.0, ..ConfidenceParts::default() }),
        flags: flags.into_iter().map(|flag| flag.kind).collect(),
        is_supported: claims
            .iter()
            .all(|claim| claim.check.as_ref().is_some_and(|check| check.status == ClaimStatus::Supported)),
    }
}

/// Returns true if a flag is the one that is meant to find a mistake.
fn own(mistake: Mistake, kind: FlagKind) -> bool {
    match mistake {
        Mistake::WrongChunk => kind == FlagKind::LowCoverage,
        Mistake::ChangedNumber => kind == FlagKind::NumberUnsupported,
        Mistake::SwappedName | Mistake::SwappedNameWithin => kind == FlagKind::EntityUnsupported,
        Mistake::InsertedNegation => kind == FlagKind::NegationMismatch,
    }
}

/// Sorts the claims in five bins of confidence of equal size.
fn bins(claims: &[Labelled], values: &[f32]) -> Vec<Bin> {
    let mut order: Vec<(f32, Label)> =
        values.iter().copied().zip(claims.iter().map(|claim| claim.label)).collect();
    order.sort_by(|one, other| one.0.total_cmp(&other.0));
    let size = order.len().div_ceil(5).max(1);
    let bin = |part: &[(f32, Label)]| {
        let count = part.len().max(1) as f64;
        let share = |label: Label| part.iter().filter(|(_, other)| *other == label).count() as f64 / count;
        Bin {
            claims: part.len(),
            confidence: part.iter().map(|(value, _)| f64::from(*value)).sum::<f64>() / count,
            truth: part.iter().map(|(_, label)| label.share()).sum::<f64>() / count,
            supported: share(Label::Supported),
            not_supported: share(Label::NotSupported),
        }
    };
    order.chunks(size).map(bin).collect()
}
