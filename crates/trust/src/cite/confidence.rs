//! The confidence in an answer, as one number and the parts that it is made of.

use serde::{Deserialize, Serialize};

use super::claim::Claim;
use super::verify::{ClaimCheck, ClaimStatus};

/// The weights of values and standing, fitted to the development claims. `ibid verify --evaluate` fits them anew and prints
/// them next to these; docs/measurements.md has how far they hold.
pub const WEIGHTS: ConfidenceWeights = ConfidenceWeights { constant: -1.1, values: 1.9, standing: 0.8 };

/// The share of the confidence that is left if nothing relevant was retrieved. Set by judgement: the development claims come
/// with their sources, so that they tell nothing about retrieval.
const WITHOUT_RETRIEVAL: f32 = 0.5;

/// The terms of a logistic regression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidenceWeights {
    /// The constant.
    pub constant: f32,
    /// The weight of [`ConfidenceParts::values`].
    pub values: f32,
    /// The weight of [`ConfidenceParts::standing`].
    pub standing: f32,
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
    /// The mean share of a claim's values that its sources have, and its coverage if it has none.
    pub values: f32,
    /// The share of the claims that cite a source, of those that state something.
    pub cited: f32,
    /// The mean of 1 for a claim that is supported, a half for one that is not checked, and 0 for one that is unsupported.
    pub standing: f32,
}

/// Returns the confidence in an answer whose claims have been checked by [`verify`](super::verify()).
///
/// `retrieval` is the relevance, 0 to 1, of the best sources that are cited, or that were found. `None` if no claim states
/// anything that could be checked: the answer is a refusal, or in another language than its sources.
pub fn confidence(claims: &[Claim], retrieval: f32) -> Option<Confidence> {
    let (mut checked, mut uncited, mut values, mut standing) = (0_u32, 0_u32, 0.0, 0.0);
    for check in claims.iter().filter_map(|claim| claim.check.as_ref()) {
        match check.status {
            ClaimStatus::NotChecked if check.evidence.is_empty() => continue,
            ClaimStatus::Uncited => {
                uncited += 1;
                continue;
            }
            ClaimStatus::Supported => standing += 1.0,
            ClaimStatus::NotChecked => standing += 0.5,
            ClaimStatus::Unsupported => {}
        }
        checked += 1;
        values += found(check);
    }
    if checked + uncited == 0 {
        return None;
    }
    let share = |part: f32| if checked == 0 { 0.0 } else { part / checked as f32 };
    let retrieval = if retrieval.is_nan() { 0.0 } else { retrieval.clamp(0.0, 1.0) };
    let parts = ConfidenceParts {
        retrieval,
        values: share(values),
        cited: checked as f32 / (checked + uncited) as f32,
        standing: share(standing),
    };
    Some(Confidence { value: parts.value(&WEIGHTS), parts })
}

/// Computes the share of a claim's values that some source has, or its coverage.
fn found(check: &ClaimCheck) -> f32 {
    match check.values() {
        (0, 0) => check.coverage.clamp(0.0, 1.0),
        (found, missing) => found as f32 / (found + missing) as f32,
    }
}

impl ConfidenceParts {
    /// Returns the confidence that these parts make with some weights: how likely a claim with such evidence stands in its sources, by
    /// the share of claims that cite any, and less if retrieval found little.
    pub fn value(&self, weights: &ConfidenceWeights) -> f32 {
        let sum = weights.constant + weights.values * self.values + weights.standing * self.standing;
        let supported = 1.0 / (1.0 + (-sum).exp());
        supported * self.cited * (WITHOUT_RETRIEVAL + (1.0 - WITHOUT_RETRIEVAL) * self.retrieval)
    }
}

#[cfg(test)]
mod tests {
    use super::super::claim::claims;
    use super::super::source::Source;
    use super::super::source::tests::hit;
    use super::super::verify::verify;
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
        let found = confidence(&claims, 0.8).unwrap();
        assert_eq!(
            found.parts,
            ConfidenceParts { retrieval: 0.8, values: 0.75, cited: 2.0 / 3.0, standing: 0.5 }
        );
        assert!(found.value > 0.0 && found.value < 1.0);
        let json = serde_json::to_value(found).unwrap();
        assert_eq!(json["parts"]["standing"], 0.5);
    }

    #[test]
    fn a_right_dose_is_trusted_more_than_a_wrong_one() {
        let passage = "| Drug | Maximum |\n|---|---|\n| Losartan | 100 mg |\n| Ramipril | 10 mg |";
        let value = |dose: &str| {
            let text = format!("The maximum of losartan is {dose} [1].");
            let source = Source { number: 1, hit: hit(1, passage), ..Source::default() };
            let mut claims = claims(&text);
            verify(&text, &mut claims, &[source]);
            confidence(&claims, 1.0).unwrap().value
        };
        assert!(value("100 mg") > value("10 mg") && value("10 mg") > value("70 mg"));
    }

    #[test]
    fn nothing_stated_is_nothing_to_be_confident_of() {
        assert_eq!(confidence(&[], 1.0), None);
        assert_eq!(confidence(&[claim(0, ClaimStatus::NotChecked, 0.0)], 1.0), None);
        let uncited = confidence(&[claim(0, ClaimStatus::Uncited, 0.0)], f32::NAN).unwrap();
        assert_eq!((uncited.value, uncited.parts.cited), (0.0, 0.0));
    }
}
