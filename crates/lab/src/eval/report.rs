//! Rankings to a report.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{Judgements, Metric, Scores};

/// The findings of a search for a query, best first, by the names that judgements use; see [`Naming`](super::Naming).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct QueryRanking {
    /// The query's id.
    pub(crate) query: String,
    /// The findings. A name that comes again counts where it came first: a document ranks by its best chunk.
    pub(crate) results: Vec<String>,
}

/// The quality of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EvalReport {
    /// The ranks that were looked at.
    pub(crate) k: usize,
    /// The means over all queries that were scored.
    pub(crate) mean: Scores,
    /// Each query that was scored, in the order of the rankings.
    pub(crate) queries: Vec<QueryScores>,
    /// Queries that were left out because nothing was judged for them.
    pub(crate) unjudged: usize,
    /// Queries among those scored for which nothing that was judged is relevant. No search can score there, and they
    /// lower the means; `trec_eval` counts them too.
    pub(crate) unanswerable: usize,
    /// Queries among those scored for which nothing was found. They score 0.
    pub(crate) unanswered: usize,
}

/// The quality of the ranking of one query.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QueryScores {
    /// The query's id.
    pub(crate) query: String,
    /// Its scores.
    #[serde(flatten)]
    pub(crate) scores: Scores,
    /// The number of the judged that are relevant.
    pub(crate) relevant: usize,
    /// The number of these on the ranks that were looked at.
    pub(crate) found: usize,
    /// The rank of the first relevant, from 1, among all that was found.
    pub(crate) first: Option<usize>,
}

impl EvalReport {
    /// One score of each query, for a [comparison](super::compare) with another report on the same queries.
    pub(crate) fn scores(&self, metric: Metric) -> Vec<f64> {
        self.queries.iter().map(|query| query.scores.get(metric)).collect()
    }
}

/// Scores rankings by their first `k` ranks.
///
/// The order of a ranking's results is taken as it is; the ranking broke ties. A query with judgements but
/// no results scores 0, a query without judgements is left out and counted. Judgements of queries that have no ranking
/// do not matter.
pub(crate) fn evaluate(rankings: &[QueryRanking], judgements: &Judgements, k: usize) -> EvalReport {
    let mut report = EvalReport { k, ..EvalReport::default() };
    for QueryRanking { query, results } in rankings {
        let Some(grades) = judgements.of(query) else {
            report.unjudged += 1;
            continue;
        };
        let mut seen = HashSet::new();
        let different = results.iter().filter(|name| seen.insert(name.as_str()));
        let ranked: Vec<i32> = different.map(|name| grades.get(name).copied().unwrap_or(0)).collect();
        let judged: Vec<i32> = grades.values().copied().collect();
        let relevant = judged.iter().filter(|grade| **grade > 0).count();
        report.unanswerable += usize::from(relevant == 0);
        report.unanswered += usize::from(results.is_empty());
        report.queries.push(QueryScores {
            query: query.clone(),
            scores: Scores::of(&ranked, &judged, k),
            relevant,
            found: ranked.iter().take(k).filter(|grade| **grade > 0).count(),
            first: ranked.iter().position(|grade| *grade > 0).map(|rank| rank + 1),
        });
    }
    report.mean = Scores::mean(report.queries.iter().map(|query| &query.scores));
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(query: &str, results: &[&str]) -> QueryRanking {
        QueryRanking { query: query.into(), results: results.iter().map(|name| (*name).into()).collect() }
    }

    /// The same run as in the test of the metrics, where the reference's mean nDCG at 10 is that of five queries.
    #[test]
    fn the_mean_is_that_of_the_reference() {
        let qrels =
            "q1 a 3\nq1 b 1\nq1 c 2\nq1 d 0\nq1 e 1\nq2 x 1\nq3 n 0\nq4 p 2\nq4 q -1\nq4 r 1\nq5 m 1\nq5 k 2";
        let judgements = Judgements::parse("qrels", qrels).unwrap();
        let rankings = [
            ranking("q1", &["d", "c", "u", "a", "c", "v", "b", "w", "d", "e"]),
            ranking("q2", &["y", "x"]),
            ranking("q3", &["n", "o"]),
            ranking("q4", &["q", "r", "s", "p"]),
            ranking("q5", &["i", "j", "l"]),
            ranking("q6", &["a"]),
        ];
        let report = evaluate(&rankings, &judgements, 10);
        let expected = (0.621_191_880_951 + 0.630_929_753_571 + 0.567_207_416_957) / 5.0;
        assert!((report.mean.ndcg - expected).abs() < 1e-9, "{report:?}");
        assert_eq!((report.unjudged, report.unanswerable, report.unanswered), (1, 1, 0));
        assert_eq!(report.queries[0].first, Some(2));
        assert_eq!((report.queries[0].relevant, report.queries[0].found), (4, 4));
        assert_eq!(evaluate(&rankings, &judgements, 3).queries[3].found, 1);
        assert_eq!(report.scores(Metric::Recall), [1.0, 1.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn queries_without_results_score_nothing() {
        let judgements = Judgements::parse("qrels", "a x 1\nb x 1").unwrap();
        let report = evaluate(&[ranking("a", &[]), ranking("b", &["x"])], &judgements, 10);
        assert_eq!((report.unanswered, report.mean.ndcg), (1, 0.5));
        let nothing = evaluate(&[], &judgements, 10);
        assert_eq!((nothing.mean, nothing.queries.len()), (Scores::default(), 0));
    }

    #[test]
    fn a_report_is_flat_json() {
        let judgements = Judgements::parse("qrels", "a x 1").unwrap();
        let report = evaluate(&[ranking("a", &["y", "x"])], &judgements, 10);
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["mean"]["reciprocalRank"], 0.5);
        assert_eq!((&json["queries"][0]["query"], &json["queries"][0]["recall"]), (&"a".into(), &1.0.into()));
        assert_eq!(serde_json::from_value::<EvalReport>(json).unwrap(), report);
    }
}
