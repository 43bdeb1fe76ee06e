//! Measurements as tables for people (which are Markdown, so that they can be pasted) and as values for programs.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use super::answers::{READ, recall};
use super::settings::Settings;
use crate::eval::{Comparison, EvalReport, Metric, Scores};

/// All that was measured.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EvalOutcome {
    /// The ranks that were looked at.
    pub(super) k: usize,
    /// The measure that comparisons are by.
    pub(super) metric: Metric,
    pub(super) collections: Vec<CollectionOutcome>,
}

/// The measurements of one collection.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CollectionOutcome {
    pub(super) name: String,
    pub queries: usize,
    /// Questions left out because nothing was judged for them.
    pub(super) unjudged: usize,
    /// Questions for which nothing of what was judged is relevant.
    pub(super) unanswerable: usize,
    pub(super) rows: Vec<EvalRow>,
}

/// The measurements with one set of settings.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EvalRow {
    pub(super) label: String,
    pub(super) settings: Settings,
    pub(super) mean: Scores,
    /// Questions for which nothing was found.
    pub(super) unanswered: usize,
    pub(super) median_milliseconds: f64,
    /// The share of the questions with a known answer that is read within that many characters; empty without such.
    pub(super) answer_recall: Vec<AnswerRecall>,
    /// The characters that are read until the answer comes, of each question whose answer is known.
    #[serde(skip)]
    pub(super) answers: BTreeMap<String, Option<usize>>,
    /// The way it differs from the first row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) comparison: Option<Comparison>,
    /// Each question; for the list of questions, not for the summary.
    #[serde(skip)]
    pub(super) report: EvalReport,
}

/// The share of answers that is read within a number of characters.
#[derive(Clone, Copy, Serialize)]
pub(super) struct AnswerRecall {
    characters: usize,
    /// The questions whose answer is known.
    questions: usize,
    /// The share of them whose answer stands in the first characters of the hits.
    recall: f64,
}

impl AnswerRecall {
    /// Computes the answer recall at each number of characters; nothing where no question has an answer.
    pub(super) fn of(answers: &[(String, Option<usize>)]) -> Vec<Self> {
        let read: Vec<Option<usize>> = answers.iter().map(|(_, read)| *read).collect();
        let questions = read.len();
        let at = |characters| Self { characters, questions, recall: recall(&read, characters) };
        READ.into_iter().filter(|_| questions > 0).map(at).collect()
    }
}

impl EvalOutcome {
    /// Writes the tables for a person.
    pub(super) fn text(&self) -> String {
        let mut out = match self.collections.as_slice() {
            [one] => self.single(one),
            several => self.several(several),
        };
        if self.collections.iter().any(|collection| collection.rows.len() > 1) {
            out += "\n* differs from the first row with p < 0.05 (paired randomization test)\n";
        }
        out
    }

    fn single(&self, collection: &CollectionOutcome) -> String {
        let k = self.k;
        let answers = collection.rows.first().map_or(&[][..], |row| &row.answer_recall[..]);
        let mut header =
            vec!["settings".into(), format!("nDCG@{k}"), format!("recall@{k}"), format!("MRR@{k}")];
        header.extend(answers.iter().map(|answer| answers_within(answer.characters)));
        header.push("ms".into());
        let rows: Vec<Vec<String>> = collection
            .rows
            .iter()
            .map(|row| {
                let shown = |metric| self.shown(row, metric);
                let mut cells = vec![
                    row.label.clone(),
                    shown(Metric::Ndcg),
                    shown(Metric::Recall),
                    shown(Metric::ReciprocalRank),
                ];
                cells.extend(row.answer_recall.iter().map(|answer| format!("{:.4}", answer.recall)));
                cells.push(format!("{:.3}", row.median_milliseconds));
                cells
            })
            .collect();
        let mut out = format!("{}: {} queries", collection.name, collection.queries);
        if let Some(answer) = answers.first() {
            let _ = write!(out, ", {} with an answer", answer.questions);
        }
        out += "\n\n";
        out += &markdown(&header, &rows);
        let compared: Vec<Vec<String>> = collection
            .rows
            .iter()
            .filter_map(|row| {
                let compared = row.comparison.as_ref()?;
                Some(vec![
                    row.label.clone(),
                    format!("{:+.4}", compared.difference),
                    format!("{:+.4} to {:+.4}", compared.interval.0, compared.interval.1),
                    probability(compared.p),
                    format!("{} / {} / {}", compared.wins, compared.ties, compared.losses),
                ])
            })
            .collect();
        if !compared.is_empty() {
            let first = collection.rows.first().map_or("", |row| row.label.as_str());
            let _ = write!(out, "\n{} compared with `{first}`:\n\n", self.metric_name(self.metric));
            let header = ["settings", "difference", "95 % interval", "p", "better / same / worse"];
            out += &markdown(&header.map(str::to_owned), &compared);
        }
        out
    }

    /// Writes a table for each metric, with a column for each collection.
    fn several(&self, collections: &[CollectionOutcome]) -> String {
        let mut out = String::new();
        let names = collections.iter().map(|collection| collection.name.clone());
        let header: Vec<String> =
            std::iter::once("settings".into()).chain(names).chain(["mean".into()]).collect();
        let labels: Vec<String> = collections
            .first()
            .map_or(Vec::new(), |one| one.rows.iter().map(|row| row.label.clone()).collect());
        // A row for each settings: its cell in each collection, and the mean of what there is.
        let table = |cell: &dyn Fn(&EvalRow) -> Option<(String, f64)>| {
            let line = |(at, label): (usize, &String)| {
                let rows = collections.iter().filter_map(|collection| collection.rows.get(at));
                let cells: Vec<_> = rows.map(cell).collect();
                let known = || cells.iter().flatten();
                let mean = known().map(|(_, value)| value).sum::<f64>() / known().count().max(1) as f64;
                let shown =
                    cells.iter().map(|cell| cell.as_ref().map_or(String::new(), |cell| cell.0.clone()));
                std::iter::once(label.clone()).chain(shown).chain([format!("{mean:.4}")]).collect()
            };
            labels.iter().enumerate().map(line).collect::<Vec<Vec<String>>>()
        };
        for metric in [Metric::Ndcg, Metric::Recall, Metric::ReciprocalRank] {
            let _ = write!(out, "{}\n\n", self.metric_name(metric));
            let rows = table(&|row| Some((self.shown(row, metric), row.mean.get(metric))));
            out += &(markdown(&header, &rows) + "\n");
        }
        for (at, characters) in READ.into_iter().enumerate() {
            let answer = |row: &EvalRow| row.answer_recall.get(at).map(|answer| answer.recall);
            if collections.iter().flat_map(|collection| &collection.rows).any(|row| answer(row).is_some()) {
                let _ = write!(out, "{}\n\n", answers_within(characters));
                let rows = table(&|row| answer(row).map(|recall| (format!("{recall:.4}"), recall)));
                out += &(markdown(&header, &rows) + "\n");
            }
        }
        out += "Median time of a query in milliseconds, its embedding included\n\n";
        let mut rows = table(&|row| Some((format!("{:.3}", row.median_milliseconds), 0.0)));
        rows.iter_mut().for_each(|row| drop(row.pop()));
        out + &markdown(&header[..header.len() - 1], &rows)
    }

    /// Writes a score, marked if it is what was compared and the difference is more than chance.
    fn shown(&self, row: &EvalRow, metric: Metric) -> String {
        let differs =
            metric == self.metric && row.comparison.is_some_and(|compared| compared.is_significant());
        format!("{:.4}{}", row.mean.get(metric), if differs { "*" } else { "" })
    }

    fn metric_name(&self, metric: Metric) -> String {
        let name = match metric {
            Metric::Ndcg => "nDCG",
            Metric::Recall => "recall",
            Metric::ReciprocalRank => "MRR",
        };
        format!("{name}@{}", self.k)
    }

    /// Writes a line for each question with each settings, in columns with tabs between them.
    pub(super) fn per_query(&self, text: impl Fn(&str, &str) -> String) -> String {
        let k = self.k;
        let mut out = format!(
            "collection\tsettings\tquery-id\tnDCG@{k}\trecall@{k}\tRR@{k}\tP@{k}\tAP@{k}\trelevant\tfound\tfirst\tread\ttext\n"
        );
        for collection in &self.collections {
            for row in &collection.rows {
                for query in &row.report.queries {
                    let scores = &query.scores;
                    let first = query.first.map_or(String::new(), |rank| rank.to_string());
                    let read = row.answers.get(&query.query).copied().flatten();
                    let read = read.map_or(String::new(), |read| read.to_string());
                    let _ = writeln!(
                        out,
                        "{}\t{}\t{}\t{:.4}\t{:.4}\t{:.4}\t{:.4}\t{:.4}\t{}\t{}\t{first}\t{read}\t{}",
                        cell(&collection.name),
                        cell(&row.label),
                        cell(&query.query),
                        scores.ndcg,
                        scores.recall,
                        scores.reciprocal_rank,
                        scores.precision,
                        scores.average_precision,
                        query.relevant,
                        query.found,
                        cell(&text(&collection.name, &query.query)),
                    );
                }
            }
        }
        out
    }
}

/// Writes the name of the column that says how many answers are read within as many characters.
fn answers_within(characters: usize) -> String {
    format!("answers@{characters}")
}

/// Writes a text without what would end its column.
fn cell(text: &str) -> String {
    text.replace(['\t', '\n', '\r'], " ")
}

fn probability(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}

/// Writes a table in Markdown whose columns are aligned, so that it can be read as it is. All but the first hold numbers.
fn markdown(header: &[String], rows: &[Vec<String>]) -> String {
    let width = |text: &String| text.chars().count();
    let mut widths: Vec<usize> = header.iter().map(width).collect();
    for row in rows {
        widths.iter_mut().zip(row).for_each(|(widest, cell)| *widest = width(cell).max(*widest));
    }
    let mut out = String::new();
    let mut line = |cells: &[String]| {
        for (at, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            // Writing to a string cannot fail.
            let _ = if at == 0 { write!(out, "| {cell:width$} ") } else { write!(out, "| {cell:>width$} ") };
        }
        out.push_str("|\n");
    };
    line(header);
    let rule = |(at, width): (usize, &usize)| {
        if at == 0 { "-".repeat(*width) } else { "-".repeat(width.saturating_sub(1)) + ":" }
    };
    line(&widths.iter().enumerate().map(rule).collect::<Vec<_>>());
    rows.iter().for_each(|row| line(row));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_aligned_markdown() {
        let rows = [vec!["a".to_owned(), "0.5".to_owned()], vec!["long".to_owned(), "0.25*".to_owned()]];
        let table = markdown(&["settings".to_owned(), "é".to_owned()], &rows);
        let expected =
            "| settings |     é |\n| -------- | ----: |\n| a        |   0.5 |\n| long     | 0.25* |\n";
        assert_eq!(table, expected);
        assert_eq!(cell("a\tb\r\n"), "a b  ");
        assert_eq!((probability(0.000_01).as_str(), probability(0.04).as_str()), ("< 0.0001", "0.0400"));
    }
}
