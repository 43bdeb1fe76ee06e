//! The query that is a title or a heading.
//!
//! Ranking knows what share of a query a passage's headings have. That does not tell the page of a name from a section whose
//! heading has the name among other words. Once titles and headings are there, both ways are looked at: the query is
//! all of the title, and the title all of the query.

use super::order::Ranked;
use ibid_index::{Analyzer, StoredChunk};
use ibid_platform::order;

const TITLED: u8 = 0;
const HEADED: u8 = 1;
const OTHER: u8 = 2;

/// Puts the best hit of each document in front whose title is the query, then the hits whose own heading is; all of a page
/// where pages stay together. They take over the best score.
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
        let is_wanted = |text: &String| terms(analyzer, text) == wanted;
        let at = if is_wanted(&place.document.metadata.title)
            && (by_page || !placed.contains(&(TITLED, document)))
        {
            TITLED
        } else if place.section.heading_path.last().is_some_and(is_wanted) {
            HEADED
        } else {
            OTHER
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
