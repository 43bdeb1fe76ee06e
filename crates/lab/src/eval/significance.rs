//! Tests of the difference between two systems: real, or by chance of these queries.

use serde::{Deserialize, Serialize};

/// Differences up to this size count as none: they are what rounding leaves.
const TIE: f64 = 1e-9;
/// Ways to swap the two systems that are tried where there are too many to try all.
const PERMUTATIONS: usize = 100_000;
/// With at most this many queries that differ, all ways are tried.
const MOST_FOR_ALL: usize = 16;
/// Samples of queries that the interval is taken from.
const RESAMPLES: usize = 10_000;
/// The seed of the random numbers, so that the same scores give the same result.
const SEED: u64 = 2007;

/// The comparison of two systems on the same queries. Differences are those of the second from the first: above 0, the second
/// is better.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Comparison {
    /// The mean difference.
    pub(crate) difference: f64,
    /// The interval that holds the true mean difference with a confidence of 95 %, by the percentile bootstrap over
    /// queries (Efron, 1979).
    pub(crate) interval: (f64, f64),
    /// The probability of a difference at least as large, in either direction, is where the two are equally good: the
    /// two-sided p-value of the paired randomization test (Fisher; Smucker, Allan and Carterette, CIKM 2007).
    pub(crate) p: f64,
    /// Queries on which the second is better.
    pub(crate) wins: usize,
    /// Queries on which both are equal.
    pub(crate) ties: usize,
    /// Queries on which the first is better.
    pub(crate) losses: usize,
}

impl Comparison {
    /// Returns true if chance alone would seldom (in less than 5 of 100 cases) make so large a difference.
    pub(crate) fn is_significant(&self) -> bool {
        self.p < 0.05
    }
}

/// Compares two systems by their scores on the same queries in the same order. Of lists of different lengths, what the
/// shorter one lacks is left out. The same scores always give the same result.
///
/// The test asks how often the mean difference would be as large if, for each query, a coin decided which score is
/// whose. Up to 16 queries that differ, all ways are tried and the result is exact; beyond, 100,000 random ones are.
pub(crate) fn compare(first: &[f64], second: &[f64]) -> Comparison {
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| b - a).collect();
    let count = differences.len();
    let mean = differences.iter().sum::<f64>() / count.max(1) as f64;
    let differing: Vec<f64> =
        differences.iter().copied().filter(|difference| difference.abs() > TIE).collect();
    let wins = differing.iter().filter(|difference| **difference > 0.0).count();
    let mut random = SeededRandom(SEED);
    Comparison {
        difference: mean,
        interval: bootstrap(&differences, &mut random),
        p: randomization(&differing, &mut random),
        wins,
        ties: count - differing.len(),
        losses: differing.len() - wins,
    }
}

/// Computes the share of ways to swap the systems that differ by at least as much. Queries without a difference do not
/// matter: swapping them changes nothing.
fn randomization(differing: &[f64], random: &mut SeededRandom) -> f64 {
    let observed = differing.iter().sum::<f64>().abs();
    // Sums of the same numbers in another order differ by rounding.
    let least = observed - TIE * (1.0 + observed);
    if differing.len() <= MOST_FOR_ALL {
        let all = 1_u64 << differing.len();
        let extreme = (0..all).filter(|signs| signed(differing, || *signs) >= least).count();
        return extreme as f64 / all as f64;
    }
    let extreme = (0..PERMUTATIONS).filter(|_| signed(differing, || random.next()) >= least).count();
    // What was observed is one of the possible ways, so that p is never 0 (Phipson and Smyth, 2010).
    (extreme + 1) as f64 / (PERMUTATIONS + 1) as f64
}

/// Computes the size of the sum of all differences, with a minus for each bit that is set in the words that are drawn:
/// swapping the systems changes a difference's sign.
fn signed(differing: &[f64], mut word: impl FnMut() -> u64) -> f64 {
    let mut sum = 0.0;
    for part in differing.chunks(64) {
        let signs = word();
        let signed = |(bit, number): (usize, &f64)| if signs >> bit & 1 == 1 { -number } else { *number };
        sum += part.iter().enumerate().map(signed).sum::<f64>();
    }
    sum.abs()
}

/// Computes the range that holds the middle 95 % of the means of samples of the same size, drawn with replacement.
fn bootstrap(differences: &[f64], random: &mut SeededRandom) -> (f64, f64) {
    let count = differences.len();
    if count == 0 {
        return (0.0, 0.0);
    }
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| (0..count).map(|_| differences[random.below(count)]).sum::<f64>() / count as f64)
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    let tail = RESAMPLES / 40;
    (means[tail], means[RESAMPLES - 1 - tail])
}

/// A generator of numbers that look random (`SplitMix64`; Steele, Lea and Flood, 2014). What it makes is a function of
/// the seed alone, so this needs nothing from outside.
struct SeededRandom(u64);

impl SeededRandom {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Draws a number below `end`, by Lemire's multiplication; the bias is less than `end` in 2^64.
    fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn few_queries_are_tested_exactly() {
        // All five differ in the same direction: of the 32 ways, two are as extreme.
        let compared = compare(&[0.1, 0.2, 0.3, 0.4, 0.5], &[0.2, 0.4, 0.6, 0.8, 1.0]);
        assert!((compared.p - 2.0 / 32.0).abs() < 1e-12 && !compared.is_significant(), "{compared:?}");
        assert!((compared.difference - 0.3).abs() < 1e-12);
        assert_eq!((compared.wins, compared.ties, compared.losses), (5, 0, 0));
        // Sums of the differences 1, 2, -3 with any signs: 0, 2, 4, 6, of either sign; the observed 0 is always met.
        assert!((compare(&[0.0, 0.0, 0.3], &[0.1, 0.2, 0.0]).p - 1.0).abs() < 1e-12);
        // The differences 3, 2, 1 sum to 6; so do their opposites, and nothing else reaches it.
        assert!((compare(&[0.0; 3], &[0.3, 0.2, 0.1]).p - 0.25).abs() < 1e-12);
    }

    #[test]
    fn equal_systems_do_not_differ() {
        let compared = compare(&[0.5; 30], &[0.5; 30]);
        assert_eq!((compared.difference, compared.interval, compared.ties), (0.0, (0.0, 0.0), 30));
        assert!((compared.p - 1.0).abs() < 1e-12);
        let nothing = compare(&[], &[1.0]);
        assert_eq!((nothing.difference, nothing.wins + nothing.ties + nothing.losses), (0.0, 0));
    }

    #[test]
    fn many_queries_are_sampled_and_agree_with_the_normal_approximation() {
        // 400 queries: 220 win by 1, 180 lose by 1. The sum is 40, its deviation under the null 20: two deviations,
        // for which the normal distribution has p = 0.0455, or 0.0510 with the correction for whole steps.
        let second: Vec<f64> = (0..400).map(|at| if at % 20 < 11 { 1.0 } else { -1.0 }).collect();
        let compared = compare(&[0.0; 400], &second);
        assert!((compared.p - 0.051).abs() < 0.004, "{compared:?}");
        assert_eq!((compared.wins, compared.losses), (220, 180));
        // The deviation of the mean is sqrt(1 - 0.1^2) / 20.
        let (low, high) = compared.interval;
        assert!((low - (0.1 - 0.0975)).abs() < 0.01 && (high - (0.1 + 0.0975)).abs() < 0.01, "{compared:?}");
        assert_eq!(compare(&[0.0; 400], &second), compared);
        // Far beyond chance, p is small but not 0.
        let sure = compare(&[0.0; 400], &[1.0; 400]);
        assert!(sure.p > 0.0 && sure.p < 1e-4 && sure.interval == (1.0, 1.0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn turning_the_systems_around_turns_the_result_around(
            scores in proptest::collection::vec((0.0..1.0_f64, 0.0..1.0_f64), 0..40),
        ) {
            let (first, second): (Vec<f64>, Vec<f64>) = scores.into_iter().unzip();
            let (there, back) = (compare(&first, &second), compare(&second, &first));
            prop_assert!((there.difference + back.difference).abs() < 1e-12);
            prop_assert_eq!((there.wins, there.losses, there.ties), (back.losses, back.wins, back.ties));
            prop_assert!((there.p - back.p).abs() < 0.02);
            prop_assert!((0.0..=1.0).contains(&there.p));
            prop_assert!(there.interval.0 <= there.interval.1);
        }
    }
}
