//! The sizes of chunks.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Buckets of a histogram, of equal width up to the budget.
const BUCKETS: usize = 10;
/// The length of the longest bar, in characters.
const BAR: usize = 40;

/// A histogram of chunk sizes, and what it comes to. Its text form is for a terminal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChunkStats {
    /// The number of chunks.
    pub count: usize,
    /// The budget that they were made with, in tokens, as all sizes here.
    pub budget: usize,
    /// The sum of all sizes.
    pub total: usize,
    /// The mean size; 0 of no chunks, as the four below.
    pub mean: f64,
    /// The size that half of the chunks do not exceed.
    pub median: usize,
    /// The size that 95 of 100 chunks do not exceed.
    pub p95: usize,
    /// The largest size.
    pub longest: usize,
    /// The number of chunks larger than the budget; anything but 0 is a defect.
    pub over_budget: usize,
    /// The histogram, smallest sizes first, without gaps.
    pub buckets: Vec<Bucket>,
}

/// A bar of the histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bucket {
    /// The smallest size that is counted here.
    pub from: usize,
    /// The largest.
    pub to: usize,
    /// The number of chunks there are of such a size.
    pub count: usize,
}

impl ChunkStats {
    /// Sums up sizes in tokens, in any order, of chunks made with `budget`.
    pub fn of(sizes: &[usize], budget: usize) -> Self {
        let mut sorted = sizes.to_vec();
        sorted.sort_unstable();
        let total = sorted.iter().sum();
        let longest = sorted.last().copied().unwrap_or(0);
        // The nearest-rank method: a percentile is a size that occurs.
        let percentile = |percent: usize| match (sorted.len() * percent).div_ceil(100).checked_sub(1) {
            Some(rank) => sorted.get(rank).copied().unwrap_or(longest),
            None => 0,
        };
        let up_to = |size: usize| sorted.partition_point(|other| *other <= size);
        let width = budget.div_ceil(BUCKETS).max(1);
        let edges = (1..=BUCKETS).map(|bucket| (bucket * width).min(budget)).filter(|edge| *edge > 0);
        let edges = edges.chain((longest > budget).then_some(longest));
        let mut buckets: Vec<Bucket> = Vec::with_capacity(BUCKETS + 1);
        for to in edges {
            let below = buckets.last().map_or(0, |last| last.to);
            if to > below {
                let from = if buckets.is_empty() { 0 } else { below + 1 };
                let before = if buckets.is_empty() { 0 } else { up_to(below) };
                buckets.push(Bucket { from, to, count: up_to(to) - before });
            }
        }
        Self {
            count: sorted.len(),
            budget,
            total,
            mean: total as f64 / sorted.len().max(1) as f64,
            median: percentile(50),
            p95: percentile(95),
            longest,
            over_budget: sorted.len() - up_to(budget),
            buckets,
        }
    }
}

impl fmt::Display for ChunkStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = self.buckets.iter().map(|bucket| bucket.count).max().unwrap_or(0).max(1);
        let digits = self.buckets.last().map_or(1, |last| last.to.to_string().len());
        let count_digits = most.to_string().len();
        for Bucket { from, to, count } in &self.buckets {
            let bar = "#".repeat((count * BAR).div_ceil(most));
            let line = format!("{from:>digits$} to {to:>digits$}  {count:>count_digits$}  {bar}");
            writeln!(f, "{}", line.trim_end())?;
        }
        write!(
            f,
            "{} chunks, {} tokens: mean {:.0}, median {}, 95 % up to {}, longest {} of {}, {} over budget",
            self.count,
            self.total,
            self.mean,
            self.median,
            self.p95,
            self.longest,
            self.budget,
            self.over_budget
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_summed_up() {
        let sizes: Vec<usize> = (1..=100).rev().collect();
        let stats = ChunkStats::of(&sizes, 90);
        assert_eq!((stats.count, stats.median, stats.p95, stats.longest), (100, 50, 95, 100));
        assert_eq!((stats.over_budget, stats.buckets.len(), stats.total), (10, 11, 5050));
        assert_eq!(stats.buckets[1], Bucket { from: 10, to: 18, count: 9 });
        assert_eq!(stats.buckets[10], Bucket { from: 91, to: 100, count: 10 });
        assert!((stats.mean - 50.5).abs() < 1e-9);
    }

    #[test]
    fn the_histogram_can_be_read() {
        let text = ChunkStats::of(&[3, 4, 4, 19], 20).to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], " 3 to  4  3  ########################################");
        assert_eq!(lines[2], " 5 to  6  0");
        assert_eq!(
            lines[10],
            "4 chunks, 30 tokens: mean 8, median 4, 95 % up to 19, longest 19 of 20, 0 over budget"
        );
    }

    #[test]
    fn nothing_and_odd_budgets_are_counted_too() {
        let stats = ChunkStats::of(&[], 800);
        assert_eq!((stats.count, stats.median, stats.longest, stats.mean), (0, 0, 0, 0.0));
        for budget in [0, 1, 7, 16, 23] {
            let stats = ChunkStats::of(&[0, 1, 5, 30], budget);
            assert_eq!(stats.buckets.iter().map(|bucket| bucket.count).sum::<usize>(), 4, "{budget}");
            assert!(!stats.to_string().is_empty());
        }
        let json = serde_json::to_string(&stats).unwrap();
        assert_eq!(serde_json::from_str::<ChunkStats>(&json).unwrap(), stats);
    }
}
