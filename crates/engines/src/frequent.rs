//! The rarity of a collection's words, for what is computed outside the engine.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

/// The number of terms that are kept: those in most chunks. All others are about as rare as the last of these, or rarer.
const KEPT: usize = 1000;

/// The terms that stand in most chunks of a collection, with the number of chunks. About 15 KB as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frequent {
    /// The dimensions of the terms, in order.
    terms: Vec<u32>,
    /// The number of chunks that have each.
    chunks: Vec<u32>,
    /// The number of all chunks.
    total: u32,
}

impl Frequent {
    /// The most frequent of all terms.
    pub(super) fn of(counts: HashMap<u32, u32>, total: u32) -> Self {
        let mut all: Vec<(u32, u32)> = counts.into_iter().collect();
        all.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        all.truncate(KEPT);
        all.sort_unstable();
        let (terms, chunks) = all.into_iter().unzip();
        Self { terms, chunks, total }
    }

    /// Returns true if what was read can be what was written.
    pub(super) fn is_sound(&self) -> bool {
        self.terms.len() == self.chunks.len() && self.terms.is_sorted()
    }

    /// Lucene's inverse document frequency of a term. One that is not kept counts as the rarest that can be.
    pub(super) fn idf(&self, term: u32) -> f32 {
        let have = self.terms.binary_search(&term).ok().and_then(|at| self.chunks.get(at)).copied();
        // Where all terms are kept, another stands nowhere; else in fewer chunks than any of them.
        let have = have.unwrap_or_else(|| {
            let least = self.chunks.iter().min().copied().unwrap_or_default();
            if self.terms.len() < KEPT { 0 } else { least / 2 }
        });
        let (total, have) = (self.total.max(have) as f32, have as f32);
        (1.0 + (total - have + 0.5) / (have + 0.5)).ln()
    }

    /// Computes the share of a query's terms that are among others, weighed by how rare they are, 0 to 1.
    pub(super) fn coverage(&self, query: &[u32], terms: &HashSet<u32>) -> f32 {
        let mass = |among: &dyn Fn(&u32) -> bool| {
            query.iter().filter(|term| among(term)).map(|term| self.idf(*term)).sum::<f32>()
        };
        let all = mass(&|_| true);
        if all > 0.0 { mass(&|term| terms.contains(term)) / all } else { 0.0 }
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the scores of nothing and of all are exactly that")]
mod tests {
    use super::*;

    #[test]
    fn rare_terms_weigh_more() {
        let frequent = Frequent::of(HashMap::from([(7, 90), (3, 2)]), 100);
        assert!(frequent.is_sound());
        assert!(frequent.idf(9) > frequent.idf(3) && frequent.idf(3) > frequent.idf(7));
        assert!((frequent.idf(3) - (1.0f32 + 98.5 / 2.5).ln()).abs() < 1e-6);
        let terms = HashSet::from([7]);
        assert!(frequent.coverage(&[7, 3], &terms) < 0.1);
        assert_eq!(frequent.coverage(&[7], &terms), 1.0);
        assert_eq!(frequent.coverage(&[], &terms), 0.0);
    }

    #[test]
    fn only_the_most_frequent_are_kept() {
        let counts = (0..5000u32).map(|term| (term, term + 1)).collect();
        let frequent = Frequent::of(counts, 10_000);
        assert_eq!(frequent.terms.len(), KEPT);
        assert!(frequent.idf(4999) < frequent.idf(4000));
        assert!(frequent.idf(10) > frequent.idf(4000));
    }
}
