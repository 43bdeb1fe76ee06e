//! The words of a query to their postings in all segments.

use std::ops::Range;

use super::expand;
use super::query::{MOST_MARKED, QueryWord, QueryWords};
use super::score::{List, idf};
use super::store::SegmentTerms;
use crate::container::SharedBytes;
use ibid_platform::Result;

/// The share of a match of a joint token: its parts have counted already. On the four collections that
/// `docs/searching.md` names it makes little difference whether that is 0.5, 1 or nothing (nDCG@10 within 0.006).
const JOINT_SHARE: f32 = 0.5;

/// A term with its postings, and what it is worth.
#[derive(Debug)]
pub(super) struct Resolved {
    pub(super) lists: Vec<List>,
    pub(super) weight: f32,
    pub(super) mask: u32,
}

/// Finds the postings of all words in `all` chunks. Blocks that have to be fetched first are named in `missing`; what is returned is
/// complete when none is. Also returns how much each word tells, by its bit.
pub(super) fn resolve(
    parts: &[SegmentTerms<'_>],
    words: &QueryWords,
    all: u32,
    missing: &mut Vec<Range<u64>>,
) -> Result<(Vec<Resolved>, [f32; MOST_MARKED])> {
    let mut resolved = Vec::with_capacity(words.words.len());
    let mut masses = [0.0; MOST_MARKED];
    for word in &words.words {
        let mut terms = vec![(exact(parts, &word.term, missing)?, 1.0)];
        terms.extend(further(parts, word, terms[0].0.is_empty(), missing)?);
        // The forms of a word count as one term: a rare misspelling must not outweigh what was meant.
        let chunks = |lists: &[List]| lists.iter().fold(0u32, |sum, list| sum.saturating_add(list.chunks));
        let with = terms.iter().map(|(lists, _)| chunks(lists)).fold(0, u32::saturating_add);
        let idf = idf(all, with);
        if !word.joint && word.mask != 0 {
            masses[word.mask.trailing_zeros() as usize] = idf;
        }
        resolved.extend(terms.into_iter().filter(|(lists, _)| !lists.is_empty()).map(|(lists, share)| {
            Resolved {
                lists,
                weight: idf * word.count * share * if word.joint { JOINT_SHARE } else { 1.0 },
                mask: word.mask,
            }
        }));
    }
    Ok((resolved, masses))
}

/// The postings of a term.
pub(super) fn exact(
    parts: &[SegmentTerms<'_>],
    term: &str,
    missing: &mut Vec<Range<u64>>,
) -> Result<Vec<List>> {
    let mut lists = Vec::new();
    for (segment, (_, store)) in parts.iter().enumerate() {
        if let Some((block, entry)) = store.find(term.as_bytes(), missing)? {
            let bytes: SharedBytes = block.slice(entry.postings).unwrap_or_default();
            lists.push(List { segment, bytes, chunks: entry.chunks });
        }
    }
    Ok(lists)
}

/// The postings of other terms that may have been meant, each with what part of a match it counts as.
fn further(
    parts: &[SegmentTerms<'_>],
    word: &QueryWord,
    absent: bool,
    missing: &mut Vec<Range<u64>>,
) -> Result<Vec<(Vec<List>, f32)>> {
    let mut found = Vec::new();
    if let Some(prefix) = &word.prefix {
        found = expand::by_prefix(parts, prefix, &word.term, absent, missing)?;
    }
    if let Some(typo) = word.typo.as_ref().filter(|_| absent && found.is_empty()) {
        found = expand::by_typo(parts, typo, &word.term, missing)?;
    }
    let mut terms = Vec::with_capacity(found.len());
    for (term, share) in found {
        terms.push((exact(parts, &term, missing)?, share));
    }
    Ok(terms)
}
