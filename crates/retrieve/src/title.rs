//! The query that is a title or a heading.
//!
//! Ranking knows what share of a query a passage's headings have. That does not tell the page of a name from a section whose
//! heading has the name among other words. Once titles and headings are there, both ways are looked at: how much of the
//! query the title is, and how much of the title the query.

use super::order::Ranked;
use ibid_index::{Analyzer, StoredChunk, StoredPlace};
use ibid_platform::order;
use ibid_text::defined_name;

const PINNED: u8 = 0;
const NAMED: u8 = 1;
const WHOLE: u8 = 2;
const DEFINED: u8 = 3;
const TITLED: u8 = 4;
const HEADED: u8 = 5;
const NEARLY: u8 = 6;
const OTHER: u8 = 7;
/// A title with all words of the query is nearly the query if these are so large a share of it: two of three words.
const NEAR_SHARE: f32 = 0.66;

/// Puts the page of a symbol in front, then its definitions. Behind them come the best hits of documents whose title is the
/// query, then hits whose own heading is. Last come the best hits of documents whose title nearly is.
/// All take over the best score; if pages stay together, a page comes with its first hit. Before all stands what its author
/// has pinned.
pub(super) fn titled_first(
    analyzer: Analyzer,
    query: &str,
    by_page: bool,
    pinned: Option<u32>,
    hits: Vec<(Ranked, StoredChunk)>,
) -> Vec<(Ranked, StoredChunk)> {
    let wanted = terms(analyzer, query);
    let Some(best) = hits.first().map(|(ranked, _)| ranked.score).filter(|_| !wanted.is_empty()) else {
        return hits;
    };
    // The last part of `String.substring` is defined where the headings above tell the rest.
    let is_symbol = is_symbol(query.trim());
    let last = terms(analyzer, last_part(query));
    let mut placed: Vec<(u8, u64)> = Vec::with_capacity(hits.len());
    for (ranked, StoredChunk { place, text, .. }) in &hits {
        let document = place.document_number;
        let is_before = |other: &StoredPlace| {
            other.document_number == document && other.section == place.section && other.index < place.index
        };
        let begins = || !hits.iter().any(|(_, other)| is_before(&other.place));
        let is_wanted = |text: &str| terms(analyzer, text) == wanted;
        let is_name = |heading: &str| {
            let name = defined_name(heading);
            // Words are not meant as the name of something in code.
            let is_meant = is_symbol || !name.contains('_');
            (is_meant && (is_wanted(heading) || is_wanted(name))) || (is_symbol && is_wanted(last_part(name)))
        };
        let is_part = |heading: &str| {
            let around = place.section.heading_path.iter().chain([&place.document.metadata.title]);
            let known = || around.clone().flat_map(|text| terms(analyzer, text));
            is_symbol
                && terms(analyzer, last_part(defined_name(heading))) == last
                && wanted.iter().all(|term| last.contains(term) || known().any(|known| known == *term))
        };
        // Letter for letter, since stems are alike in `subprocess.run` and in running subprocesses.
        let is_whole = |heading: &str| is_symbol && defined_name(heading).eq_ignore_ascii_case(query.trim());
        let defines =
            |heading: &str| is_whole(heading) || (is_symbol && names(heading, query) && is_part(heading));
        let own = place.section.heading_path.last().into_iter().map(String::as_str);
        let lines = || text.lines().filter(|line| line.starts_with('#'));
        let headings = || own.clone().chain(lines());
        // A definition begins with its name, so its other passages do not come first.
        let defining = || lines().chain(own.clone().filter(|_| begins()));
        let is_first = |most: u8| by_page || !placed.iter().any(|(at, of)| *at <= most && *of == document);
        let title = &place.document.metadata.title;
        let at = if pinned == Some(ranked.parts.chunk) {
            PINNED
        } else if is_first(TITLED) && defines(title) {
            NAMED
        } else if defining().any(is_whole) {
            WHOLE
        } else if defining().any(defines) {
            DEFINED
        } else if is_first(TITLED) && is_name(title) {
            TITLED
        } else if headings().any(|heading| is_name(heading) || is_part(heading)) {
            HEADED
        } else if likeness(&terms(analyzer, defined_name(title)), &wanted) >= NEAR_SHARE && is_first(NEARLY) {
            NEARLY
        } else {
            OTHER
        };
        placed.push((at, document));
    }
    let of_page = |(at, document): (u8, u64)| {
        let page = placed.iter().filter(|(_, other)| by_page && *other == document);
        page.map(|(at, _)| *at).min().unwrap_or(at)
    };
    // Several definitions come in the order of their pages' best hits.
    let best_of = |number: usize, (at, document): (u8, u64)| {
        let page = placed.iter().position(|(_, other)| at <= DEFINED && *other == document);
        (of_page((at, document)), page.unwrap_or(number))
    };
    let ranks = placed.iter().enumerate().map(|(number, placed)| best_of(number, *placed));
    let mut hits: Vec<_> = ranks.zip(hits).collect();
    order::by_key(&mut hits, |(place, _)| *place);
    let moved = hits.into_iter().map(|((at, _), (mut ranked, chunk))| {
        if at != OTHER {
            ranked.score = ranked.score.max(best);
        }
        (ranked, chunk)
    });
    moved.collect()
}

/// Computes the share of a title's terms that are the query's, if it has all of them, else 0.
fn likeness(title: &[String], query: &[String]) -> f32 {
    let has_all = query.iter().all(|term| title.contains(term));
    if has_all && !title.is_empty() { query.len() as f32 / title.len() as f32 } else { 0.0 }
}

/// Returns true for one word that is written as names in code are, such as `max_iter`, `--porcelain` or `onMount`.
fn is_symbol(query: &str) -> bool {
    let is_inner_capital = |(at, char): (usize, char)| at > 0 && char.is_uppercase();
    !query.contains(char::is_whitespace)
        && (query.contains(|char: char| !char.is_alphabetic()) || query.char_indices().any(is_inner_capital))
}

/// Returns true for the heading of a definition whose name ends as the query does.
pub(super) fn names(heading: &str, query: &str) -> bool {
    last_part(defined_name(heading)).eq_ignore_ascii_case(last_part(query))
}

/// Takes the last part of a name with others before it: `run` of `subprocess.run`.
fn last_part(name: &str) -> &str {
    name.trim().rsplit([':', '.', '#']).next().filter(|part| !part.is_empty()).unwrap_or(name)
}

/// Lists the terms of a text, each once, in an order of their own; without stop words unless there are no others.
pub(super) fn terms(analyzer: Analyzer, text: &str) -> Vec<String> {
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
