//! The measures of one query, as `trec_eval` defines them.

use serde::{Deserialize, Serialize};

/// The quality of one query's ranking, or the mean over many; each from 0 to 1, and more is better.
///
/// All look at the first `k` ranks only. A grade above 0 counts as relevant. The definitions are those of `trec_eval`
/// (`ndcg_cut`, `recall`, `recip_rank`, `P`, `map_cut`), which BEIR and most published figures use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Scores {
    /// Normalized discounted cumulative gain (Järvelin and Kekäläinen, 2002) with the grade itself as gain and
    /// `log2(rank + 1)` as discount: the sum of what is found, divided by that of the best possible ranking.
    pub(crate) ndcg: f64,
    /// The share of all relevant that is found.
    pub(crate) recall: f64,
    /// One divided by the rank of the first relevant; 0 if there is none. Its mean is MRR.
    pub(crate) reciprocal_rank: f64,
    /// The share of the first `k` ranks that is relevant; a rank that nothing stands on is not.
    pub(crate) precision: f64,
    /// The mean, over all relevant, of the precision at the rank of each; 0 for one that is not found. Its mean is
    /// MAP.
    pub(crate) average_precision: f64,
}

/// One of the [`Scores`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Metric {
    /// [`Scores::ndcg`].
    #[default]
    Ndcg,
    /// [`Scores::recall`].
    Recall,
    /// [`Scores::reciprocal_rank`].
    ReciprocalRank,
}

impl Scores {
    /// Scores one ranking. `ranked` holds the grade of what stands on each rank, best first, and 0 for what nobody
    /// judged; `judged` the grades of all that was judged for the query, in any order.
    pub(crate) fn of(ranked: &[i32], judged: &[i32], k: usize) -> Self {
        let relevant = judged.iter().filter(|grade| **grade > 0).count();
        if relevant == 0 || k == 0 {
            return Self::default();
        }
        let mut ideal: Vec<i32> = judged.iter().copied().filter(|grade| *grade > 0).collect();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        let top = &ranked[..ranked.len().min(k)];
        let (mut found, mut first, mut precisions) = (0_u32, None, 0.0);
        for (rank, _) in top.iter().enumerate().filter(|(_, grade)| **grade > 0) {
            found += 1;
            first = first.or(Some(rank + 1));
            precisions += f64::from(found) / (rank + 1) as f64;
        }
        Self {
            ndcg: discounted(top) / discounted(&ideal[..ideal.len().min(k)]),
            recall: f64::from(found) / relevant as f64,
            reciprocal_rank: first.map_or(0.0, |rank| 1.0 / rank as f64),
            precision: f64::from(found) / k as f64,
            average_precision: precisions / relevant as f64,
        }
    }

    /// Computes the mean of each score; zeros where there is nothing.
    pub(crate) fn mean<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        let (mut sum, mut count) = (Self::default(), 0_usize);
        for scores in all {
            sum = sum.combined(scores, |a, b| a + b);
            count += 1;
        }
        sum.combined(&sum, |a, _| a / count.max(1) as f64)
    }

    /// Looks up the score of that name.
    pub(crate) fn get(&self, metric: Metric) -> f64 {
        match metric {
            Metric::Ndcg => self.ndcg,
            Metric::Recall => self.recall,
            Metric::ReciprocalRank => self.reciprocal_rank,
        }
    }

    fn combined(&self, other: &Self, with: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            ndcg: with(self.ndcg, other.ndcg),
            recall: with(self.recall, other.recall),
            reciprocal_rank: with(self.reciprocal_rank, other.reciprocal_rank),
            precision: with(self.precision, other.precision),
            average_precision: with(self.average_precision, other.average_precision),
        }
    }
}

/// Computes the discounted cumulative gain. A grade below 0 is no gain, as in `trec_eval`.
fn discounted(grades: &[i32]) -> f64 {
    let gain = |(rank, grade): (usize, &i32)| f64::from((*grade).max(0)) / ((rank + 2) as f64).log2();
    grades.iter().enumerate().map(gain).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    /// Rankings and judgements, with what `pytrec_eval-terrier` 0.5.11 says of them at the cut-offs 3, 5 and 10.
    #[test]
    fn scores_are_those_of_the_reference() {
        type Case = (&'static [i32], &'static [i32], [f64; 3], [f64; 3], [f64; 3]);
        let cases: [Case; 5] = [
            (
                &[0, 2, 0, 3, 0, 1, 0, 1],
                &[3, 1, 2, 0, 1],
                [0.264_993_014_861, 0.491_838_506_134, 0.621_191_880_951],
                [0.25, 0.5, 1.0],
                [0.125, 0.25, 0.5],
            ),
            (&[0, 1], &[1], [0.630_929_753_571; 3], [1.0; 3], [0.5; 3]),
            (&[0, 0], &[0], [0.0; 3], [0.0; 3], [0.0; 3]),
            (
                &[-1, 1, 0, 2],
                &[2, -1, 1],
                [0.239_812_466_568, 0.567_207_416_957, 0.567_207_416_957],
                [0.5, 1.0, 1.0],
                [0.25, 0.5, 0.5],
            ),
            (&[0, 0, 0], &[1, 2], [0.0; 3], [0.0; 3], [0.0; 3]),
        ];
        for (ranked, judged, ndcg, recall, precision) in cases {
            for (at, k) in [3, 5, 10].into_iter().enumerate() {
                let scores = Scores::of(ranked, judged, k);
                assert!(near(scores.ndcg, ndcg[at]), "{ranked:?} at {k}: {scores:?}");
                assert!(near(scores.recall, recall[at]), "{ranked:?} at {k}: {scores:?}");
                assert!(near(scores.average_precision, precision[at]), "{ranked:?} at {k}: {scores:?}");
            }
        }
        let scores = Scores::of(&[0, 2, 0, 3, 0, 1, 0, 1], &[3, 1, 2, 0, 1], 10);
        assert!(near(scores.reciprocal_rank, 0.5) && near(scores.precision, 0.4), "{scores:?}");
    }

    #[test]
    fn by_hand() {
        // The only relevant one stands on rank 3: 1 / log2(4).
        let scores = Scores::of(&[0, 0, 1], &[1], 10);
        assert!(near(scores.ndcg, 0.5) && near(scores.reciprocal_rank, 1.0 / 3.0), "{scores:?}");
        assert!(near(scores.precision, 0.1) && near(scores.average_precision, 1.0 / 3.0), "{scores:?}");
        assert_eq!(Scores::of(&[0, 0, 1], &[1], 2), Scores::default());
        assert_eq!(Scores::of(&[], &[1], 10), Scores::default());
        assert_eq!(Scores::of(&[1], &[1], 0), Scores::default());
        let mean = Scores::mean(&[scores, Scores::default()]);
        assert!(near(mean.ndcg, 0.25) && near(mean.get(Metric::Recall), 0.5));
        assert_eq!(Scores::mean([]), Scores::default());
    }

    proptest! {
        #[test]
        fn what_always_holds(
            judged in proptest::collection::vec(-1..5_i32, 0..12),
            others in 0..6_usize,
            order in any::<u64>(),
            k in 0..14_usize,
        ) {
            // All that was judged and some that was not, in an order that the number makes.
            let mut ranked: Vec<i32> = judged.iter().copied().chain(std::iter::repeat_n(0, others)).collect();
            let length = ranked.len().max(1);
            for at in 0..ranked.len() {
                ranked.swap(at, (order >> (at % 60)) as usize % length);
            }
            let scores = Scores::of(&ranked, &judged, k);
            for metric in [
                Metric::Ndcg, Metric::Recall, Metric::ReciprocalRank,
            ] {
                prop_assert!((0.0..=1.0 + 1e-12).contains(&scores.get(metric)), "{:?}", scores);
            }
            // The best order is perfect, and no other is better.
            let mut best = ranked.clone();
            best.sort_unstable_by(|a, b| b.cmp(a));
            let perfect = Scores::of(&best, &judged, k);
            let is_possible = k > 0 && judged.iter().any(|grade| *grade > 0);
            prop_assert!(near(perfect.ndcg, f64::from(u8::from(is_possible))));
            prop_assert!(scores.ndcg <= perfect.ndcg + 1e-12);
            prop_assert!(scores.recall <= perfect.recall + 1e-12);
            // What is judged irrelevant counts like what nobody judged.
            let blurred: Vec<i32> = ranked.iter().map(|grade| (*grade).max(0)).collect();
            prop_assert_eq!(Scores::of(&blurred, &judged, k), scores);
        }
    }
}
