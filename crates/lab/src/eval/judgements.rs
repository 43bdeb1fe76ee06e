//! Judgements: what is relevant to which query, and how much.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};

use super::{bad_line, lines, nothing, shown};
use ibid_platform::Result;

const FORMS: &str =
    "Write `query-id<tab>document-id<tab>grade` on each line, or TREC's `query-id 0 document-id grade`.";

/// For each query the grades of what was judged: above 0 for what is relevant, and the higher the better; 0 for what
/// was looked at and is not. What was not judged counts as not relevant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Judgements {
    queries: BTreeMap<String, BTreeMap<String, i32>>,
    /// The number of times something came again with another grade.
    #[serde(skip)]
    regraded: usize,
}

impl Judgements {
    /// Reads judgements, one a line, in either of two forms, which the number of columns tells apart: BEIR's `qrels.tsv`
    /// (query, document, grade; the heading line `query-id corpus-id score` may stand first) and TREC's (query, a
    /// column without meaning, document, grade). Columns are separated by tabs, or else by any white space.
    ///
    /// `file` names the text in errors.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidDocument`](ibid_platform::ErrorCode::InvalidDocument) naming the line that has other columns or a grade
    /// that is no whole number; and when there is no judgement at all.
    pub(crate) fn parse(file: &str, text: &str) -> Result<Self> {
        let mut judgements = Self::default();
        for (at, (number, line)) in lines(text).enumerate() {
            let fail = |why: &str| bad_line(file, number, why).with_hint(FORMS);
            let columns: Vec<&str> = if line.contains('\t') {
                line.split('\t').map(str::trim).collect()
            } else {
                line.split_whitespace().collect()
            };
            let (query, name, grade) = match columns.as_slice() {
                [query, name, grade] | [query, _, name, grade] => (*query, *name, *grade),
                _ => return Err(fail(&format!("it has {} columns instead of 3 or 4", columns.len()))),
            };
            let Ok(grade) = grade.parse() else {
                // A file with a heading names its columns.
                if at == 0 && grade.chars().all(|c| c.is_alphabetic() || "-_ ".contains(c)) {
                    continue;
                }
                return Err(fail(&format!("the grade `{}` is not a whole number", shown(grade))));
            };
            if query.is_empty() || name.is_empty() {
                return Err(fail("the query's or the document's id is empty"));
            }
            judgements.add(query, name, grade);
        }
        if judgements.queries.is_empty() {
            return Err(nothing(file, "judgement").with_hint(FORMS));
        }
        Ok(judgements)
    }

    /// Adds a judgement. Of two grades for the same thing the higher grade counts, as where several people judged.
    pub(super) fn add(&mut self, query: &str, name: &str, grade: i32) {
        let grades = match self.queries.get_mut(query) {
            Some(grades) => grades,
            None => self.queries.entry(query.to_owned()).or_default(),
        };
        match grades.entry(name.to_owned()) {
            Entry::Vacant(vacant) => {
                vacant.insert(grade);
            }
            Entry::Occupied(mut known) => {
                self.regraded += usize::from(*known.get() != grade);
                known.insert(grade.max(*known.get()));
            }
        }
    }

    /// Takes over the judgements of another list.
    pub(crate) fn merge(&mut self, other: Self) {
        self.regraded += other.regraded;
        for (query, grades) in other.queries {
            for (name, grade) in grades {
                self.add(&query, &name, grade);
            }
        }
    }

    /// The number of judgements that gave another grade to what was judged before.
    pub(crate) fn regraded(&self) -> usize {
        self.regraded
    }

    /// Looks up the grades of what was judged for a query; `None` for a query without any judgement.
    pub(crate) fn of(&self, query: &str) -> Option<&BTreeMap<String, i32>> {
        self.queries.get(query)
    }

    /// All queries that something was judged for, with the grades, in the order of their ids.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &BTreeMap<String, i32>)> {
        self.queries.iter().map(|(query, grades)| (query.as_str(), grades))
    }

    /// The number of queries that something was judged for.
    pub(crate) fn len(&self) -> usize {
        self.queries.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(text: &str) -> Vec<(String, String, i32)> {
        let judgements = Judgements::parse("qrels.tsv", text).unwrap();
        let all = judgements.iter().flat_map(|(query, grades)| {
            grades.iter().map(move |(name, grade)| (query.to_owned(), name.clone(), *grade))
        });
        all.collect()
    }

    #[test]
    fn both_forms_are_read() {
        let expected = [("q1", "a b", 2), ("q1", "c", 0), ("q2", "a#x", -1)]
            .map(|(query, name, grade)| (query.to_owned(), name.to_owned(), grade));
        let beir =
            "\u{feff}query-id\tcorpus-id\tscore\r\nq1\ta b\t2\r\n\r\nq1\tc\t0\nq2\ta#x\t-1\nq1\tc\t0\n";
        assert_eq!(parsed(beir), expected);
        assert_eq!(parsed("q1\tQ0\ta b\t2\nq1 0 c 0\n  q2   0 a#x -1"), expected);
        assert_eq!(parsed("query-id corpus-id score\n1 2 3"), [("1".to_owned(), "2".to_owned(), 3)]);
    }

    #[test]
    fn bad_lines_are_named() {
        for (text, line, word) in [
            ("q1\ta\t1\nq1\tb\n", 2, "2 columns"),
            ("q1 a\n", 1, "2 columns"),
            ("q1\ta\t0.5\n", 1, "`0.5` is not a whole number"),
            ("query-id\tcorpus-id\tscore\nquery-id\tcorpus-id\tscore\n", 2, "`score`"),
            ("\ta\t1\n", 1, "empty"),
            ("q1\ta\t99999999999\n", 1, "not a whole number"),
        ] {
            let error = Judgements::parse("qrels.tsv", text).unwrap_err();
            let message = error.message();
            assert!(message.starts_with(&format!("`qrels.tsv`, line {line}: ")), "{message}");
            assert!(message.contains(word) && error.hint().is_some(), "{error}");
        }
        assert!(Judgements::parse("qrels.tsv", " \n").unwrap_err().message().contains("no judgement"));
    }

    #[test]
    fn the_higher_of_two_grades_counts() {
        let mut one = Judgements::parse("a", "q a 1\nq b 2\nq b 1\nq c 1\nq c 1").unwrap();
        assert_eq!(one.regraded(), 1);
        one.merge(Judgements::parse("b", "q a 3\nq b 2\nq d 0").unwrap());
        assert_eq!(one.regraded(), 2);
        let grades: Vec<_> =
            one.of("q").unwrap().iter().map(|(name, grade)| (name.as_str(), *grade)).collect();
        assert_eq!(grades, [("a", 3), ("b", 2), ("c", 1), ("d", 0)]);
    }

    proptest! {
        #[test]
        fn any_text_is_answered(text in "(?s).{0,200}", columns in "([a-c0-9\t \n]){0,80}") {
            let _ = Judgements::parse("x", &text);
            let _ = Judgements::parse("x", &columns);
        }
    }
}
