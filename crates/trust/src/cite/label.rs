//! The source of a mark that names it by its title.

use std::collections::BTreeMap;

use super::marker::CitationMark;
use super::reference::year;
use super::source::Source;
use ibid_text::Words;

/// The most passages of a document that a mark with its title stands for.
const MAX_PASSAGES: usize = 20;

/// The titles of a run's sources.
pub(super) struct Titles<'s> {
    sources: &'s [Source],
    /// The places of the sources of each title, folded.
    by_title: BTreeMap<String, Vec<usize>>,
}

/// The result of looking a title up.
#[derive(Debug, PartialEq)]
pub(super) enum Meant {
    /// These passages of one document.
    Sources(Vec<u32>),
    /// Nothing.
    Unknown,
    /// One of several documents.
    Ambiguous,
}

impl<'s> Titles<'s> {
    /// Finds the titles that these marks may ask for; none if no mark has a label, which is what answers mostly are.
    pub(super) fn of(sources: &'s [Source], marks: &[CitationMark]) -> Self {
        let mut by_title: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        if marks.iter().any(|mark| mark.label.is_some()) {
            for (at, source) in sources.iter().enumerate() {
                by_title.entry(folded(&source.hit.title)).or_default().push(at);
            }
        }
        Self { sources, by_title }
    }

    /// Finds the passages of the document of that title, or of that title and year: `Title`, `Title, 2020` or `Title
    /// (2020)`. Case, punctuation and spaces make no difference.
    pub(super) fn find(&self, label: &str) -> Meant {
        let whole = self.passages(&folded(label), None);
        if !whole.is_empty() {
            return Self::one_document(&whole);
        }
        let Some((title, year)) = apart(label) else { return Meant::Unknown };
        Self::one_document(&self.passages(&folded(title), Some(year)))
    }

    /// Finds the passages of that title; of that year too, as far as a document says its year.
    fn passages(&self, title: &str, wanted: Option<u32>) -> Vec<&'s Source> {
        let places = self.by_title.get(title).map(Vec::as_slice).unwrap_or_default();
        places
            .iter()
            .filter_map(|at| self.sources.get(*at))
            .filter(|source| wanted.zip(year(&source.hit)).is_none_or(|(wanted, year)| wanted == year))
            .collect()
    }

    fn one_document(passages: &[&Source]) -> Meant {
        let Some(first) = passages.first() else { return Meant::Unknown };
        if passages.iter().any(|source| source.hit.document_id != first.hit.document_id) {
            return Meant::Ambiguous;
        }
        Meant::Sources(passages.iter().take(MAX_PASSAGES).map(|source| source.number).collect())
    }
}

/// Splits a title and the year at the end of a label.
fn apart(label: &str) -> Option<(&str, u32)> {
    let bare = label.trim_end_matches([')', ' ', '.']);
    let at = bare.len().checked_sub(4)?;
    let year = bare.get(at..).filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()))?;
    let title = bare.get(..at).filter(|title| title.ends_with([' ', ',', '(']))?;
    year.parse().ok().map(|year| (title, year))
}

/// Folds the words of a text as the text room folds them, with single spaces between them.
fn folded(text: &str) -> String {
    let words = Words::of(text);
    (0..words.count()).map(|at| words.get(at)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::markdown::markers;
    use super::super::source::tests::hit;
    use super::*;
    use ibid_retrieve::Hit;

    fn source(number: u32, document: &str, title: &str, year: Option<u32>) -> Source {
        let metadata = year.map(|year| ("year".to_owned(), json!(year))).into_iter().collect();
        let hit =
            Hit { document_id: document.to_owned(), title: title.to_owned(), metadata, ..hit(number, "x") };
        Source { number, hit, ..Source::default() }
    }

    #[test]
    fn titles_are_found_with_and_without_their_year() {
        let sources = [
            source(1, "tea", "Green Tea: A Guide", Some(2020)),
            source(2, "rice", "Rice, 2019", None),
            source(4, "tea", "Green Tea: A Guide", Some(2020)),
            source(5, "intro-a", "Introduction", Some(2001)),
            source(6, "intro-b", "Introduction", Some(2002)),
            source(7, "zen", "禅", None),
        ];
        let titles = Titles::of(&sources, &markers("[Source: x]."));
        for (label, numbers) in [
            ("Green Tea: A Guide", vec![1, 4]),
            ("green tea – a guide, 2020", vec![1, 4]),
            ("Green Tea: A Guide (2020).", vec![1, 4]),
            ("Rice, 2019", vec![2]),
            ("Introduction, 2002", vec![6]),
            // A document that says no year may be of any.
            ("禅, 1999", vec![7]),
        ] {
            assert_eq!(titles.find(label), Meant::Sources(numbers), "{label}");
        }
        for label in
            ["Green Tea", "Green Tea: A Guide, 2021", "Introduction, 2003", "2020", "", "日本", "é202"]
        {
            assert_eq!(titles.find(label), Meant::Unknown, "{label}");
        }
        assert_eq!(titles.find("INTRODUCTION"), Meant::Ambiguous);
        assert_eq!(Titles::of(&sources, &[]).find("Introduction"), Meant::Unknown);
    }
}
