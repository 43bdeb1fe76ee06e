//! The part of a passage that is shown among the results.

use std::ops::Range;

use ibid_document::plain;

use super::highlight::Marker;

/// The most characters of an excerpt.
const MOST: usize = 240;
/// The words before the first match that stay where a sentence alone is longer.
const BEFORE: usize = 8;

/// Returns the part of a passage that matches most of the query, as lines of plain text, with what matches in it.
///
/// It begins with the best sentence, or near the first match where that sentence alone is longer, and has at most 240
/// characters. A passage that is not longer is shown whole.
#[must_use]
pub fn excerpt(marker: &Marker, text: &str) -> (String, Vec<Range<usize>>) {
    let mut text = plain(text);
    if is_long(&text) {
        text = cut(marker, &text);
    }
    let highlights = marker.highlights(&text);
    (text, highlights)
}

fn is_long(text: &str) -> bool {
    text.chars().nth(MOST).is_some()
}

/// The best part of a text that is too long, cut between words where there are any.
fn cut(marker: &Marker, text: &str) -> String {
    let best = marker.best_sentence(text).unwrap_or_default();
    let mut start = best.start;
    if is_long(&text[best.clone()]) {
        let first = marker.highlights(&text[best]).first().map_or(0, |range| range.start);
        let mut words =
            text[start..start + first].bytes().rev().enumerate().filter(|(_, byte)| *byte == b' ');
        start += words.nth(BEFORE).map_or(0, |(back, _)| first - back);
    }
    let mut out = String::from(if start > 0 { "…" } else { "" });
    let shown = &text[start..];
    match shown.char_indices().nth(MOST - 2) {
        Some((most, _)) => {
            let space = shown.as_bytes()[..most].iter().rposition(|byte| *byte <= b' ');
            out.push_str(&shown[..space.unwrap_or(most)]);
            out.push('…');
        }
        None => out.push_str(shown),
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_index::Language;

    fn of(query: &str, text: &str) -> String {
        let (text, highlights) = excerpt(&Marker::new(Language::English, query, false, &[]), text);
        assert!(text.chars().count() <= MOST);
        assert!(highlights.iter().all(|range| text.get(range.clone()).is_some()));
        text
    }

    #[test]
    fn a_short_passage_is_shown_whole_and_without_markup() {
        assert_eq!(
            of("dose", "### Doses\n\nGive *5 mg*:\n\n- mild\n- severe\n"),
            "Doses:\nGive 5 mg:\nmild\nsevere"
        );
        let marker = Marker::new(Language::English, "5 mg", false, &[]);
        let (text, highlights) = excerpt(&marker, "Give **5 mg**.");
        assert_eq!(highlights.iter().map(|range| &text[range.clone()]).collect::<Vec<_>>(), ["5 mg"]);
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
