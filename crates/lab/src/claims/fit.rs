//! Fitting the weights of the confidence, and measures of what comes of it.

use ibid_trust::cite::ConfidenceParts;
use ibid_trust::cite::confidence::ConfidenceWeights;

/// Rounds of gradient descent; more change nothing in the first three figures.
const ROUNDS: usize = 20_000;
const RATE: f64 = 0.5;

/// Fits the weights by which values and standing tell best how much of a claim is supported: logistic regression.
pub(super) fn fit(samples: &[(ConfidenceParts, f64)]) -> ConfidenceWeights {
    let (mut constant, mut values, mut standing) = (0.0, 0.0, 0.0);
    let count = samples.len().max(1) as f64;
    for _ in 0..ROUNDS {
        let mut step = (0.0, 0.0, 0.0);
        for (parts, share) in samples {
            let (one, other) = (f64::from(parts.values), f64::from(parts.standing));
            let sum: f64 = constant + values * one + standing * other;
            let error = share - 1.0 / (1.0 + (-sum).exp());
            step = (step.0 + error, step.1 + error * one, step.2 + error * other);
        }
        constant += RATE * step.0 / count;
        values += RATE * step.1 / count;
        standing += RATE * step.2 / count;
    }
    ConfidenceWeights { constant: constant as f32, values: values as f32, standing: standing as f32 }
}

/// The number of times a value of the first is above one of the second, ties by half: the area under the ROC curve.
pub(super) fn auc(above: &[f32], below: &[f32]) -> f64 {
    let mut all: Vec<(f32, bool)> =
        above.iter().map(|value| (*value, true)).chain(below.iter().map(|value| (*value, false))).collect();
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (mut wins, mut beaten) = (0.0, 0.0);
    let mut rest = all.as_slice();
    while let Some((first, _)) = rest.first() {
        let same = rest.iter().take_while(|(value, _)| value.total_cmp(first).is_eq()).count();
        let (ties, later) = rest.split_at(same);
        let up = ties.iter().filter(|(_, above)| *above).count() as f64;
        let down = ties.len() as f64 - up;
        wins += up * (beaten + down / 2.0);
        beaten += down;
        rest = later;
    }
    wins / (above.len() * below.len()).max(1) as f64
}

/// Finds the value that a share of the values lies below.
pub(super) fn quantile(values: &[f32], share: f64) -> f32 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    let at = (sorted.len() as f64 * share).floor() as usize;
    sorted.get(at.min(sorted.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures() {
        assert!((auc(&[2.0, 3.0], &[1.0, 0.0]) - 1.0).abs() < 1e-9);
        assert!((auc(&[1.0, 0.0], &[1.0, 0.0]) - 0.5).abs() < 1e-9);
        assert!((quantile(&[4.0, 1.0, 3.0, 2.0], 0.25) - 2.0).abs() < 1e-9);
        let sample = |values: f32, share: f64| {
            (ConfidenceParts { values, standing: 1.0, ..ConfidenceParts::default() }, share)
        };
        let weights =
            fit(&[sample(0.1, 0.0), sample(0.2, 0.0), sample(0.8, 1.0), sample(0.9, 1.0), sample(0.5, 0.5)]);
        assert!(weights.values > 1.0);
    }
}
