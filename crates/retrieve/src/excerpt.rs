//! The part of a passage that is shown among the results.

use std::ops::Range;

use ibid_document::{is_of_page, plain};

use super::highlight::{Marker, Marks};

/// The most characters of an excerpt.
const MOST: usize = 240;
/// The words before the first match that stay where a sentence alone is longer.
const BEFORE: usize = 8;

/// The parts of a passage to show.
#[derive(Debug, Default)]
pub struct Shown {
    /// Byte ranges of the passage that match the query.
    pub highlights: Vec<Range<usize>>,
    /// The part that matches most of the query, as lines of plain text.
    pub excerpt: String,
    /// Byte ranges of the excerpt that match.
    pub excerpt_highlights: Vec<Range<usize>>,
}

/// Marks a passage, and finds its excerpt.
///
/// That begins with the best sentence, or near the first match where that sentence alone is longer, and has at most 240
/// characters. A passage that is not longer is shown whole.
#[must_use]
pub fn show(marker: &Marker, text: &str, source: &str) -> Shown {
    let marks = marker.marks(text);
    let highlights = marks.ranges();
    let plain = plain(text, is_of_page(source));
    let marks = if plain == text { marks } else { marker.marks(&plain) };
    if !is_long(&plain) {
        return Shown { highlights, excerpt_highlights: marks.ranges(), excerpt: plain };
    }
    let part = best_part(marker, &plain, &marks);
    let before = if part.start > 0 { "…" } else { "" };
    let behind = if part.end < plain.len() { "…" } else { "" };
    let excerpt = [before, &plain[part.clone()], behind].concat();
    let inside = |range: Range<usize>| {
        let (start, end) = (range.start.max(part.start), range.end.min(part.end));
        (start < end).then(|| start - part.start + before.len()..end - part.start + before.len())
    };
    let excerpt_highlights = marks.ranges().into_iter().filter_map(inside).collect();
    Shown { highlights, excerpt, excerpt_highlights }
}

fn is_long(text: &str) -> bool {
    text.chars().nth(MOST).is_some()
}

/// Finds the best part of a text that is too long, cut between words if there are any.
fn best_part(marker: &Marker, text: &str, marks: &Marks) -> Range<usize> {
    let best = marker.best_sentence(text, marks).unwrap_or_default();
    let mut start = best.start;
    if is_long(&text[best.clone()]) {
        let first = marks.ranges().into_iter().find(|range| range.start >= start);
        let first = first.map_or(start, |range| range.start.min(best.end));
        let mut words = text[start..first].bytes().rev().enumerate().filter(|(_, byte)| *byte == b' ');
        start = words.nth(BEFORE).map_or(start, |(back, _)| first - back);
    }
    let shown = &text[start..];
    let Some((most, _)) = shown.char_indices().nth(MOST - 2) else { return start..text.len() };
    let space = shown.as_bytes()[..most].iter().rposition(|byte| *byte <= b' ');
    start..start + space.unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_index::Language;

    fn of(query: &str, text: &str) -> String {
        let shown = show(&Marker::new(Language::English, query, &[]), text, "a.md");
        assert!(shown.excerpt.chars().count() <= MOST);
        let marked =
            |range: &Range<usize>| shown.excerpt.get(range.clone()).is_some_and(|text| !text.contains('…'));
        assert!(shown.excerpt_highlights.iter().all(marked), "{shown:?}");
        shown.excerpt
    }

    #[test]
    fn a_short_passage_is_shown_whole_and_without_markup() {
        assert_eq!(
            of("dose", "### Doses\n\nGive *5 mg*:\n\n- mild\n- severe\n"),
            "Doses:\nGive 5 mg:\nmild\nsevere"
        );
        let marker = Marker::new(Language::English, "5 mg", &[]);
        let shown = show(&marker, "Give **5 mg**.", "a.md");
        let parts = |text: &str, ranges: &[Range<usize>]| -> Vec<String> {
            ranges.iter().map(|range| text[range.clone()].to_owned()).collect()
        };
        assert_eq!(parts(&shown.excerpt, &shown.excerpt_highlights), ["5 mg"]);
        assert_eq!(parts("Give **5 mg**.", &shown.highlights), ["5 mg"]);
        assert_eq!(of("dose", ""), "");
    }

    #[test]
    fn a_long_passage_is_shown_from_its_best_sentence_on() {
        let others = "Other words stand here for a while and say little. ".repeat(6);
        let text = format!("{others}Tea steeps for two minutes. {others}");
        let found = of("how long does tea steep", &text);
        assert!(found.starts_with("…Tea steeps for two minutes. Other"), "{found}");
        assert!(found.ends_with("…") && !found.ends_with(" …"), "{found}");
        assert_eq!(
            of("how long does tea steep", &text[..text.len() - others.len() - 1]),
            "…Tea steeps for two minutes."
        );
        // Nothing matches: the beginning is shown.
        assert!(of("coffee", &text).starts_with("Other words"));
    }

    #[test]
    fn a_long_sentence_is_cut_around_its_first_match() {
        let words = "word ".repeat(80);
        let found = of("tea", &format!("{words}tea {words}"));
        assert!(found.starts_with("…word") && found.ends_with("word…") && found.contains(" tea "), "{found}");
        let found = of("tea", &"緑".repeat(400));
        assert!(found.ends_with("緑…"), "{found}");
    }
}
