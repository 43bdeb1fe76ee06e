//! The confidence in an answer, as one number and the parts that it is made of.

use serde::{Deserialize, Serialize};

use super::claim::Claim;
use super::flag::{Flag, FlagKind};
use super::verify::ClaimStatus;
use ibid_platform::order;

/// The weights of coverage and flags, fitted to the development claims. `ibid verify --evaluate` fits them anew and prints
/// them next to these; docs/checking-answers.md has the table that tells how far they hold.
pub const WEIGHTS: ConfidenceWeights = ConfidenceWeights { constant: -1.6, coverage: 2.9, flags: 0.8 };

/// The share of the confidence that is left if nothing relevant was retrieved. Set by judgement: the development claims come
/// with their sources, so that they tell nothing about retrieval.
const WITHOUT_RETRIEVAL: f32 = 0.5;

/// The terms of a logistic regression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidenceWeights {
    /// The constant.
    pub constant: f32,
    /// The weight of [`ConfidenceParts::coverage`].
    pub coverage: f32,
    /// The weight of [`ConfidenceParts::flags`].
    pub flags: f32,
}

/// The confidence in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Confidence {
    /// 0 to 1: about the share of such claims that stand in their sources.
    pub value: f32,
    /// Its parts, without which it should not be shown.
    pub parts: ConfidenceParts,
}

/// The parts of a confidence, each 0 to 1 and better if higher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfidenceParts {
    /// The relevance of the best sources, as the caller told.
    pub retrieval: f32,
    /// The mean coverage of the claims that were checked against sources.
    pub coverage: f32,
    /// The share of the claims that cite a source, of those that state something.
    pub cited: f32,
    /// The share of the claims that nothing speaks against, of those that were checked against sources.
    pub flags: f32,
}

/// Returns the confidence in an answer whose claims have been checked by [`verify`](super::verify()), with its flags.
///
/// `retrieval` is the relevance, 0 to 1, of the best sources that are cited, or that were found. `None` if no claim states
/// anything that could be checked: the answer is a refusal, or in another language than its sources.
pub fn confidence(claims: &[Claim], flags: &[Flag], retrieval: f32) -> Option<Confidence> {
    let (mut checked, mut uncited, mut plain, mut coverage) = (0_u32, 0_u32, 0_u32, 0.0);
    let mut flags: Vec<&Flag> = flags.iter().filter(|flag| speaks_against(flag.kind)).collect();
    order::by_key(&mut flags, |flag| flag.span.start);
    for claim in claims {
        let Some(check) = &claim.check else { continue };
        match check.status {
            ClaimStatus::NotChecked if check.evidence.is_empty() => {}
            ClaimStatus::Uncited => uncited += 1,
            _ => {
                checked += 1;
                coverage += check.coverage.clamp(0.0, 1.0);
                let first = flags.partition_point(|flag| flag.span.start < claim.start);
                plain += u32::from(
                    flags.get(first).is_none_or(|flag| flag.span.start >= claim.end.max(claim.start + 1)),
                );
            }
        }
    }
    if checked + uncited == 0 {
        return None;
    }
    let share = |part: f32| if checked == 0 { 0.0 } else { part / checked as f32 };
    let retrieval = if retrieval.is_nan() { 0.0 } else { retrieval.clamp(0.0, 1.0) };
    let parts = ConfidenceParts {
        retrieval,
        coverage: share(coverage),
        cited: checked as f32 / (checked + uncited) as f32,
        flags: share(plain as f32),
    };
    Some(Confidence { value: parts.value(&WEIGHTS), parts })
}

impl ConfidenceParts {
    /// Returns the confidence that these parts make with some weights: how likely a claim of such a coverage with
    /// such flags stands in its sources, by the share of claims that cite any, and less if retrieval found little.
    pub fn value(&self, weights: &ConfidenceWeights) -> f32 {
        let sum = weights.constant + weights.coverage * self.coverage + weights.flags * self.flags;
        let supported = 1.0 / (1.0 + (-sum).exp());
        supported * self.cited * (WITHOUT_RETRIEVAL + (1.0 - WITHOUT_RETRIEVAL) * self.retrieval)
    }
}

/// Returns true if a flag says that something in a claim is not supported.
fn speaks_against(kind: FlagKind) -> bool {
    matches!(
        kind,
        FlagKind::QuoteNotFound
            | FlagKind::NumberUnsupported
            | FlagKind::ValueElsewhere
            | FlagKind::LowCoverage
            | FlagKind::NegationMismatch
            | FlagKind::ComparatorMismatch
            | FlagKind::EntityUnsupported
    )
}

#[cfg(test)]
mod tests {
    use super::super::verify::ClaimCheck;
    use super::*;

    fn claim(start: usize, status: ClaimStatus, coverage: f32) -> Claim {
        let check = Some(ClaimCheck { status, coverage, ..ClaimCheck::default() });
        Claim { start, end: start + 10, check, ..Claim::default() }
    }

    #[test]
    fn the_parts_are_shares() {
        let claims = [
            claim(0, ClaimStatus::Supported, 1.0),
            claim(10, ClaimStatus::Unsupported, 0.5),
            claim(20, ClaimStatus::Uncited, 0.0),
            claim(30, ClaimStatus::NotChecked, 0.0),
        ];
        let flags = [
            Flag::new(FlagKind::NumberUnsupported, 12..14, "m"),
            Flag::new(FlagKind::UncitedClaim, 20..30, "m"),
        ];
        let found = confidence(&claims, &flags, 0.8).unwrap();
        assert_eq!(
            found.parts,
            ConfidenceParts { retrieval: 0.8, coverage: 0.75, cited: 2.0 / 3.0, flags: 0.5 }
        );
        assert!(found.value > 0.0 && found.value < 1.0);
        let json = serde_json::to_value(found).unwrap();
        assert_eq!(json["parts"]["flags"], 0.5);
    }

    #[test]
    fn more_of_anything_good_is_no_worse() {
        let best = confidence(&[claim(0, ClaimStatus::Supported, 1.0)], &[], 1.0).unwrap().value;
        let less = confidence(&[claim(0, ClaimStatus::Supported, 0.7)], &[], 1.0).unwrap().value;
        let far = confidence(&[claim(0, ClaimStatus::Supported, 1.0)], &[], 0.2).unwrap().value;
        let flag = [Flag::new(FlagKind::NegationMismatch, 3..4, "m")];
        let flagged = confidence(&[claim(0, ClaimStatus::Unsupported, 1.0)], &flag, 1.0).unwrap().value;
        assert!(best > less && best > far && best > flagged, "{best} {less} {far} {flagged}");
        assert!(best > 0.5);
    }

    #[test]
    fn nothing_stated_is_nothing_to_be_confident_of() {
        assert_eq!(confidence(&[], &[], 1.0), None);
        assert_eq!(confidence(&[claim(0, ClaimStatus::NotChecked, 0.0)], &[], 1.0), None);
        let uncited = confidence(&[claim(0, ClaimStatus::Uncited, 0.0)], &[], f32::NAN).unwrap();
        assert_eq!((uncited.value, uncited.parts.cited), (0.0, 0.0));
    }
}
