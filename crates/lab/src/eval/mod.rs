//! The quality of a search: rankings and judgements to figures, and whether two searches really differ.
//!
//! Everything here is computation on what was found and on what people judged; nothing searches. A test collection, or
//! a site's own list of questions, is `parse_questions` and `Judgements`; `Naming` says which of the judged things
//! a hit is; `evaluate` scores the rankings, and `compare` two lists of scores.

mod answers;
mod collection;
pub mod command;
mod encoder;
mod judgements;
mod library;
mod measure;
mod metrics;
mod naming;
pub mod own;
mod questions;
mod report;
mod settings;
mod significance;
mod table;

pub(crate) use judgements::Judgements;
pub(crate) use metrics::{Metric, Scores};
pub(crate) use naming::Naming;
pub(crate) use questions::{Question, parse_questions};
pub(crate) use report::{EvalReport, QueryRanking, evaluate};
pub(crate) use significance::{Comparison, compare};

use ibid_platform::{Error, ErrorCode};

/// Makes the error for a line of a file of questions or judgements. Lines count from 1.
fn bad_line(file: &str, line: usize, why: &str) -> Error {
    Error::new(ErrorCode::InvalidDocument, format!("`{file}`, line {line}: {why}."))
}

/// Makes the error for such a file that says nothing at all.
fn nothing(file: &str, what: &str) -> Error {
    Error::new(ErrorCode::InvalidDocument, format!("`{file}` holds no {what}."))
}

/// Lists the lines that have something on them, with their numbers from 1.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines().zip(1..).map(|(line, number)| (number, line)).filter(|(_, line)| !line.trim().is_empty())
}

/// Shortens a piece of a file for an error: not all of it if it is long.
fn shown(text: &str) -> String {
    const MOST: usize = 40;
    let mut short: String = text.chars().take(MOST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rankings_are_scored_and_compared() {
        let judgements = Judgements::parse("qrels.tsv", "q1\ttea\t2\nq1\tcoffee\t1\nq2\tmate\t1\n").unwrap();
        let ranking = |query: &str, results: &[&str]| QueryRanking {
            query: query.into(),
            results: results.iter().map(|name| (*name).into()).collect(),
        };
        let one = evaluate(&[ranking("q1", &["coffee", "tea"]), ranking("q2", &["tea"])], &judgements, 10);
        let other = evaluate(&[ranking("q1", &["tea", "coffee"]), ranking("q2", &["mate"])], &judgements, 10);
        assert_eq!((one.mean.recall, other.mean.recall), (0.5, 1.0));
        let compared = compare(&one.scores(Metric::Ndcg), &other.scores(Metric::Ndcg));
        assert_eq!((compared.wins, compared.losses), (2, 0));
    }
}
