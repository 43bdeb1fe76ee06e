//! The query that is a title or a heading.
//!
//! Ranking knows what share of a query a passage's headings have. That does not tell the page of a name from a section whose
//! heading has the name among other words. Once titles and headings are there, both ways are looked at: how much of the
//! query the title is, and how much of the title the query (the sets' overlap by Jaccard, 1901).

use super::order::Ranked;
use ibid_index::{Analyzer, StoredChunk};
use ibid_platform::order;

const TITLED: u8 = 0;
const HEADED: u8 = 1;
const NEARLY: u8 = 2;
const OTHER: u8 = 3;
/// A title with all words of the query is nearly the query if these are so large a share of it: two of three words.
const NEAR_SHARE: f32 = 0.66;

/// Puts the best hit of each document in front whose title is the query, then the hits whose own heading is, then the best
/// hit of each document whose title nearly is; all of a page where pages stay together. They take over the best score.
pub(super) fn titled_first(
    analyzer: Analyzer,
    query: &str,
    by_page: bool,
    hits: Vec<(Ranked, StoredChunk)>,
) -> Vec<(Ranked, StoredChunk)> {
    let wanted = terms(analyzer, query);
    let Some(best) = hits.first().map(|(ranked, _)| ranked.score).filter(|_| !wanted.is_empty()) else {
        return hits;
    };
    let mut placed: Vec<(u8, u64)> = Vec::with_capacity(hits.len());
    for (_, StoredChunk { place, .. }) in &hits {
        let document = place.document_number;
        let titled = likeness(&terms(analyzer, &place.document.metadata.title), &wanted);
        let headed = place.section.heading_path.last().map(|text| likeness(&terms(analyzer, text), &wanted));
        let is_first = |at: u8| by_page || !placed.contains(&(at, document));
        let at = match titled {
            1.0 if is_first(TITLED) => TITLED,
            _ if headed == Some(1.0) => HEADED,
            NEAR_SHARE.. if is_first(NEARLY) && titled < 1.0 => NEARLY,
            _ => OTHER,
        };
        placed.push((at, document));
    }
    let of_page = |(at, document): (u8, u64)| {
        let page = placed.iter().filter(|(_, other)| by_page && *other == document);
        page.map(|(at, _)| *at).min().unwrap_or(at)
    };
    let mut hits: Vec<_> = placed.iter().map(|placed| of_page(*placed)).zip(hits).collect();
    order::by_key(&mut hits, |(at, _)| *at);
    let moved = hits.into_iter().map(|(at, (mut ranked, chunk))| {
        if at != OTHER {
            ranked.score = ranked.score.max(best);
        }
        (ranked, chunk)
    });
    moved.collect()
}

/// The share of a title's terms that are the query's, if it has all of them, else 0.
fn likeness(title: &[String], query: &[String]) -> f32 {
    let has_all = query.iter().all(|term| title.contains(term));
    if has_all && !title.is_empty() { query.len() as f32 / title.len() as f32 } else { 0.0 }
}

/// The terms of a text, each once, in an order of their own; without stop words unless there are no others.
fn terms(analyzer: Analyzer, text: &str) -> Vec<String> {
    let mut terms: Vec<_> = analyzer.tokens(text).filter(|token| !token.joint).collect();
    if terms.iter().any(|token| !token.stop) {
        terms.retain(|token| !token.stop);
    }
    let mut terms: Vec<String> = terms.into_iter().map(|token| token.term.into_owned()).collect();
    order::by(&mut terms, Ord::cmp);
    terms.dedup();
    terms
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_text::Language;

    #[test]
    fn a_title_is_like_a_query_by_the_words_that_they_share() {
        let analyzer = Analyzer::new(Language::English);
        let like = |title: &str, query: &str| likeness(&terms(analyzer, title), &terms(analyzer, query));
        assert!(like("Slots", "slot") >= 1.0);
        assert!(like("The Metrics and Labels", "label metric") >= 1.0);
        assert!(like("Metric and label naming", "metric naming") >= NEAR_SHARE);
        assert!(like("Metric types", "metric") < NEAR_SHARE);
        assert!(like("Slots", "slots of a component") <= 0.0, "the title lacks a word");
        assert!(like("", "") <= 0.0);
    }
}
