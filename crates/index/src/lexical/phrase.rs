//! Phrases, which are looked up in the text of chunks that have all their words.

use std::ops::Range;

use super::query::QueryWords;
use super::score::LexicalMatches;
use crate::candidate::ChunkCandidate;
use crate::open::Index;
use ibid_platform::{Result, order};
use ibid_terms::{Analyzer, Language};

/// The number of chunks, the best by their words, that are looked into for a phrase.
pub(super) const MOST_CANDIDATES: usize = 256;

/// Takes those over into `matches` that have all phrases, until there are `limit`, and notes those that have not. Text
/// that has to be fetched first is named in `missing`, for no more chunks at a time than are still wanted.
pub(super) fn verify(
    index: &Index,
    language: Language,
    words: &QueryWords,
    found: Vec<ChunkCandidate>,
    limit: usize,
    matches: &mut LexicalMatches,
    missing: &mut Vec<Range<u64>>,
) -> Result<()> {
    let analyzer = Analyzer::new(language);
    let mut unknown = 0;
    for candidate in found {
        if matches.candidates.len() + unknown >= limit {
            break;
        }
        let text = index.missing(&[candidate.chunk]);
        if text.is_empty() {
            if has_phrases(index, analyzer, words, candidate.chunk)? {
                matches.candidates.push(candidate);
            } else {
                matches.rejected.push(candidate.chunk);
            }
        } else {
            unknown += 1;
            missing.extend(text);
        }
    }
    order::by_key(&mut matches.rejected, |&chunk| chunk);
    Ok(())
}

/// Returns true if a chunk has all phrases, each in its text, in one of its headings or in its title.
fn has_phrases(index: &Index, analyzer: Analyzer, words: &QueryWords, chunk: u32) -> Result<bool> {
    let Some(chunk) = index.chunk(chunk)? else { return Ok(false) };
    let fields = || {
        let headings = chunk.place.section.heading_path.iter();
        [&chunk.text, &chunk.place.document.metadata.title].into_iter().chain(headings)
    };
    Ok(words.phrases.iter().all(|phrase| {
        let phrase: Vec<&str> =
            phrase.iter().filter_map(|&word| Some(words.words.get(word)?.term.as_str())).collect();
        fields().any(|text| occurs(analyzer, &phrase, text))
    }))
}

/// Returns true if the terms follow each other in the text.
fn occurs(analyzer: Analyzer, phrase: &[&str], text: &str) -> bool {
    // Knuth, Morris and Pratt: how much of the phrase still matches where the next term does not.
    let mut fallback = vec![0; phrase.len()];
    let mut matched = 0;
    for at in 1..phrase.len() {
        while matched > 0 && phrase[at] != phrase[matched] {
            matched = fallback[matched - 1];
        }
        matched += usize::from(phrase[at] == phrase[matched]);
        fallback[at] = matched;
    }
    matched = 0;
    for token in analyzer.tokens(text).filter(|token| !token.joint) {
        while matched > 0 && phrase.get(matched).is_none_or(|term| **term != *token.term) {
            matched = fallback[matched - 1];
        }
        matched += usize::from(phrase.get(matched).is_some_and(|term| **term == *token.term));
        if matched == phrase.len() {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_occurs_where_its_terms_follow_each_other() {
        let analyzer = Analyzer::new(Language::English);
        let occurs = |phrase: &[&str], text: &str| occurs(analyzer, phrase, text);
        assert!(occurs(&["500", "mg", "of"], "Give 500mg of it."));
        assert!(!occurs(&["mg", "500"], "Give 500 mg of it."));
        assert!(occurs(&["a", "a", "b"], "a a a b"));
        assert!(occurs(&["a", "b", "a", "c"], "a b a b a c"));
        assert!(!occurs(&["a", "b", "c"], "a b a b a c"));
    }
}
