//! The words of a query to their postings in all files.

use std::ops::Range;

use super::expand;
use super::query::{MOST_MARKED, QueryWord, QueryWords};
use super::score::{List, idf};
use super::store::FileTerms;
use crate::container::SharedBytes;
use ibid_platform::Result;
use ibid_terms::is_unspaced;

/// The share of a match of a joint token: its parts have counted already. On the four collections that
/// `docs/searching.md` names it makes little difference whether that is 0.5, 1 or nothing (nDCG@10 within 0.006).
const JOINT_SHARE: f32 = 0.5;

/// The share of a match of a compound's part where the index has the whole: who types `content-id` looks for that, and
/// not for passages that have both words apart.
const PART_SHARE: f32 = 0.4;

/// The share of a match of what a complete word is the beginning of. It orders passages that lack the word, and moves none
/// before one that has it: with the share of an unfinished word, complete queries lost up to 0.005 nDCG@10.
const CONTINUED_SHARE: f32 = 0.05;

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
    parts: &[FileTerms<'_>],
    words: &QueryWords,
    all: u32,
    missing: &mut Vec<Range<u64>>,
) -> Result<(Vec<Resolved>, [f32; MOST_MARKED])> {
    let mut resolved = Vec::with_capacity(words.words.len());
    let mut masses = [0.0; MOST_MARKED];
    let known = |word: &QueryWord, missing: &mut Vec<Range<u64>>| exact(parts, &word.term, missing);
    let lists = words.words.iter().map(|word| known(word, missing)).collect::<Result<Vec<_>>>()?;
    let has: Vec<bool> = lists.iter().map(|lists| !lists.is_empty()).collect();
    for ((word, lists), has_word) in words.words.iter().zip(lists).zip(&has) {
        let has_whole = word.whole.is_some_and(|whole| has.get(whole) == Some(&true));
        if has_whole && word.term.chars().nth(1).is_none() {
            continue;
        }
        // A single character without spaces is the beginning of the pairs that have it.
        let is_complete = *has_word && !word.term.starts_with(is_unspaced);
        let mut terms = vec![(lists, 1.0, word.mask)];
        for (lists, share) in further(parts, word, !has_word, missing)? {
            let (share, mask) = if is_complete { (share * CONTINUED_SHARE, 0) } else { (share, word.mask) };
            terms.push((lists, share, mask));
        }
        // The forms of a word count as one term: a rare misspelling must not outweigh what was meant.
        let forms = &terms[..if is_complete { 1 } else { terms.len() }];
        let lists = forms.iter().flat_map(|(lists, ..)| lists);
        let with = lists.fold(0u32, |sum, list| sum.saturating_add(list.chunks));
        let of_all = match word.bit {
            _ if has_whole => PART_SHARE,
            None => JOINT_SHARE,
            Some(_) => 1.0,
        };
        let idf = idf(all, with);
        // A compound that no text has says nothing of its parts.
        if let Some(mass) = word.bit.and_then(|bit| masses.get_mut(bit as usize))
            && (*has_word || !word.joint)
        {
            *mass = idf * of_all;
        }
        resolved.extend(
            terms.into_iter().filter(|(lists, ..)| !lists.is_empty()).map(|(lists, share, mask)| Resolved {
                lists,
                weight: idf * word.count * share * of_all,
                mask,
            }),
        );
    }
    Ok((resolved, masses))
}

/// Reads the postings of a term.
pub(super) fn exact(parts: &[FileTerms<'_>], term: &str, missing: &mut Vec<Range<u64>>) -> Result<Vec<List>> {
    let mut lists = Vec::new();
    for (file, (_, store)) in parts.iter().enumerate() {
        if let Some((block, entry)) = store.find(term.as_bytes(), missing)? {
            let bytes: SharedBytes = block.slice(entry.postings).unwrap_or_default();
            lists.push(List { file, bytes, chunks: entry.chunks });
        }
    }
    Ok(lists)
}

/// Finds the postings of other terms that may have been meant, each with what part of a match it counts as.
fn further(
    parts: &[FileTerms<'_>],
    word: &QueryWord,
    absent: bool,
    missing: &mut Vec<Range<u64>>,
) -> Result<Vec<(Vec<List>, f32)>> {
    let mut found = Vec::new();
    if let Some(prefix) = &word.prefix {
        found = expand::by_prefix(parts, prefix, &word.term, missing)?;
    }
    if absent && found.is_empty() {
        found = expand::by_typo(parts, &word.written, &word.term, missing)?;
    }
    if absent && found.is_empty() {
        found.extend(word.stems.iter().cloned());
    }
    let mut terms = Vec::with_capacity(found.len());
    for (term, share) in found {
        terms.push((exact(parts, &term, missing)?, share));
    }
    Ok(terms)
}
