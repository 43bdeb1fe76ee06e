//! The word of an index's author: passages that weigh more or less, and those that come first.

use super::order::{Ranked, sort};
use super::query::Query;
use super::rank::Ranking;
use super::title::terms;
use ibid_index::{Analyzer, Index};

/// Multiplies scores by the weights of passages. The candidates need not be sorted.
pub(super) fn weigh(index: &Index, candidates: &mut [Ranked]) {
    for candidate in &mut *candidates {
        let weight = index.weight(candidate.parts.chunk);
        if weight.total_cmp(&1.0).is_ne() {
            // A factor would raise what is below nothing.
            candidate.score = candidate.score.max(0.0) * weight;
        }
    }
    sort(candidates);
}

/// Puts the passage first that the author has pinned to the query's words, found or not, unless a filter leaves it out.
pub(super) fn pin(index: &Index, query: &Query, ranking: &mut Ranking) {
    let manifest = index.manifest();
    let analyzer = Analyzer::new(manifest.build.lexical.analyzed());
    let wanted = terms(analyzer, &query.text);
    let mut pins = manifest.settings.pins.iter();
    let found = pins.find(|pin| !wanted.is_empty() && terms(analyzer, &pin.query) == wanted);
    let Some(chunk) = found.map(|pin| pin.chunk).filter(|chunk| ranking.allowed.contains(*chunk)) else {
        return;
    };
    let candidates = &mut ranking.candidates;
    let known = candidates.iter().position(|candidate| candidate.parts.chunk == chunk);
    let best = candidates.first().map_or(1.0, |best| best.score);
    let mut pinned = match known {
        Some(at) => candidates.remove(at),
        None => Ranked::of(chunk),
    };
    (pinned.score, pinned.relevance) = (best, 1.0);
    candidates.insert(0, pinned);
    ranking.pinned = Some(chunk);
}

/// Makes the text whose words are marked in passages: a query behind the synonyms of its words.
pub(super) fn marked(index: &Index, query: &str) -> String {
    let manifest = index.manifest();
    let analyzer = Analyzer::new(manifest.build.lexical.analyzed());
    let own = terms(analyzer, query);
    let is_own = |member: &String| {
        let terms = terms(analyzer, member);
        !terms.is_empty() && terms.iter().all(|term| own.contains(term))
    };
    let groups = manifest.settings.synonyms.iter().filter(|group| group.iter().any(is_own));
    let mut marked: Vec<&str> = groups.flatten().map(String::as_str).collect();
    // An unfinished word comes last.
    marked.push(query);
    marked.join("\n")
}
