//! The choice of hits among ranked candidates: near duplicates folded, documents limited, likeness avoided.

use std::collections::HashMap;

use super::explain::Parts;
use super::options::Mmr;
use super::query::{GroupBy, HITS_OF_PAGE, Query};
use super::relevance::RELEVANT;
use ibid_platform::{Result, order};

/// A candidate on its way to become a hit.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Ranked {
    pub(super) parts: Parts,
    pub(super) score: f32,
    pub(super) relevance: f32,
    /// Chunks that say nearly the same.
    pub(super) folded: Vec<u32>,
}

impl Ranked {
    /// Makes a candidate that nothing is known of.
    pub(super) fn of(chunk: u32) -> Self {
        Self { parts: Parts { chunk, ..Parts::default() }, ..Self::default() }
    }
}

/// Best first; of equal scores the chunk with the lower number.
pub(super) fn sort(candidates: &mut [Ranked]) {
    order::by(candidates, |a, b| b.score.total_cmp(&a.score).then(a.parts.chunk.cmp(&b.parts.chunk)));
}

/// The passages behind a document's best that add to its score, and the share of theirs that they add.
const ADDING: usize = 3;
const ADDED_SHARE: f32 = 0.2;
/// The share that they would add on average, in scores of the best: a short document has none to add, and is not worse.
const USUAL_SHARE: f32 = 0.85;
/// The passages of a document that is not short.
pub(super) const LONG: u32 = 5;

/// Adds to the score of each long document's best candidate a share of those of its next ones: what is about the matter says
/// so more than once. Beyond its first three, those of a document come behind what else is relevant. The candidates are
/// sorted before. `document` tells a candidate's document, and whether that is long.
pub(super) fn by_documents(candidates: &mut Vec<Ranked>, document: impl Fn(&Ranked) -> (Option<u64>, bool)) {
    let documents: Vec<_> = candidates.iter().map(&document).collect();
    for at in (0..candidates.len()).filter(|&at| documents[at].1) {
        if !documents[..at].contains(&documents[at]) {
            let next = (at + 1..candidates.len()).filter(|&next| documents[next] == documents[at]);
            let sum: f32 = next.take(ADDING).map(|next| candidates[next].score).sum();
            candidates[at].score += ADDED_SHARE * sum.max(0.0);
        }
        candidates[at].score /= 1.0 + ADDED_SHARE * USUAL_SHARE * ADDING as f32;
    }
    sort(candidates);
    let (mut seen, mut held) = (Vec::with_capacity(candidates.len()), Vec::new());
    for candidate in std::mem::take(candidates) {
        if candidate.relevance < RELEVANT {
            candidates.append(&mut held);
        }
        let of = document(&candidate);
        let is_more = seen.iter().filter(|seen| **seen == of).count() >= HITS_OF_PAGE;
        if is_more { &mut held } else { &mut *candidates }.push(candidate);
        seen.push(of);
    }
    candidates.append(&mut held);
}

/// Folds each candidate into the first one that `same` says it nearly equals, until that many are kept; those behind stay
/// as they are.
pub(super) fn fold(
    candidates: Vec<Ranked>,
    enough: usize,
    mut same: impl FnMut(u32, u32) -> Result<bool>,
) -> Result<Vec<Ranked>> {
    let mut kept: Vec<Ranked> = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let chunk = candidate.parts.chunk;
        let mut like = None;
        if kept.len() < enough {
            for (at, better) in kept.iter().enumerate() {
                if same(better.parts.chunk, chunk)? {
                    like = Some(at);
                    break;
                }
            }
        }
        match like.and_then(|at| kept.get_mut(at)) {
            Some(better) => better.folded.push(chunk),
            None => kept.push(candidate),
        }
    }
    Ok(kept)
}

/// Leaves the best `most` candidates of each document.
pub(super) fn group(candidates: &mut Vec<Ranked>, most: usize, document: impl Fn(u32) -> Option<u64>) {
    let mut counts: HashMap<Option<u64>, usize> = HashMap::new();
    candidates.retain(|candidate| {
        let count = counts.entry(document(candidate.parts.chunk)).or_default();
        *count += 1;
        *count <= most
    });
}

/// Returns those of the candidates that a query shows, page by page where it says so, and how many of all are relevant.
pub fn window<T, D: PartialEq>(
    candidates: Vec<T>,
    query: &Query,
    relevance: impl Fn(&T) -> f32,
    document: impl Fn(&T) -> D,
) -> (Vec<T>, usize) {
    let is_relevant = |candidate: &T| relevance(candidate) >= RELEVANT;
    let Some(GroupBy::Page) = query.group_by else {
        let total = candidates.iter().filter(|candidate| is_relevant(candidate)).count();
        return (candidates.into_iter().skip(query.offset).take(query.limit).collect(), total);
    };
    let mut pages: Vec<(D, Vec<T>)> = Vec::new();
    for candidate in candidates {
        let of = document(&candidate);
        match pages.iter_mut().find(|(other, _)| *other == of) {
            Some((_, page)) => page.push(candidate),
            None => pages.push((of, vec![candidate])),
        }
    }
    let total = pages.iter().filter(|(_, page)| page.iter().any(is_relevant)).count();
    let shown = pages.into_iter().skip(query.offset).take(query.limit);
    (shown.flat_map(|(_, page)| page).collect(), total)
}

/// Maximal marginal relevance: puts in front the `limit` candidates that are good and unlike each other. Scores count as
/// shares of the best one's, so that they can be set against likeness on whatever scale they are.
pub(super) fn diversify(
    candidates: &mut [Ranked],
    Mmr { lambda }: Mmr,
    limit: usize,
    alike: impl Fn(u32, u32) -> f32,
) {
    let Some(best) = candidates.first().map(|best| best.score).filter(|best| *best > 0.0) else { return };
    let mut likeness = vec![0.0_f32; candidates.len()];
    for place in 1..candidates.len().min(limit) {
        let before = candidates[place - 1].parts.chunk;
        for (candidate, likeness) in candidates.iter().zip(&mut likeness).skip(place) {
            *likeness = likeness.max(alike(before, candidate.parts.chunk));
        }
        let gain = |at: usize| lambda * candidates[at].score / best - (1.0 - lambda) * likeness[at];
        let next = (place..candidates.len()).reduce(|a, b| if gain(b) > gain(a) { b } else { a });
        // The others keep their order.
        if let Some(next) = next {
            candidates[place..=next].rotate_right(1);
            likeness[place..=next].rotate_right(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_platform::{Error, ErrorCode};

    fn ranked(scores: &[f32]) -> Vec<Ranked> {
        let candidate = |(chunk, &score)| Ranked {
            parts: Parts { chunk, ..Parts::default() },
            score,
            ..Ranked::default()
        };
        (0..).zip(scores).map(candidate).collect()
    }

    fn chunks(candidates: &[Ranked]) -> Vec<u32> {
        candidates.iter().map(|candidate| candidate.parts.chunk).collect()
    }

    #[test]
    fn equal_scores_are_in_the_order_of_the_chunks() {
        let mut candidates = ranked(&[0.1, 0.5, 0.5, 0.9]);
        candidates.reverse();
        sort(&mut candidates);
        assert_eq!(chunks(&candidates), [3, 1, 2, 0]);
    }

    #[test]
    fn a_long_document_that_says_it_more_than_once_comes_before_one_that_says_it_once() {
        let order = |is_long: bool| {
            let mut candidates = ranked(&[0.9, 0.85, 0.84, 0.83, 0.82, 0.4]);
            by_documents(&mut candidates, |candidate| (Some(u64::from(candidate.parts.chunk > 0)), is_long));
            (chunks(&candidates), candidates[0].score)
        };
        let (order_of_long, score) = order(true);
        assert_eq!(order_of_long, [1, 0, 2, 3, 4, 5]);
        let expected = (0.85 + 0.2 * (0.84 + 0.83 + 0.82)) / 1.51;
        assert!((score - expected).abs() < 1e-6, "three at most add: {score}");
        assert_eq!(order(false), (vec![0, 1, 2, 3, 4, 5], 0.9));
    }

    #[test]
    fn three_of_a_document_come_before_others_that_are_relevant() {
        let order = |relevance: f32| {
            let mut candidates = ranked(&[0.9, 0.8, 0.7, 0.6, 0.5, 0.2, 0.1]);
            candidates.iter_mut().for_each(|candidate| candidate.relevance = 1.0);
            candidates[6].relevance = relevance;
            by_documents(&mut candidates, |candidate| (Some(u64::from(candidate.parts.chunk > 4)), false));
            chunks(&candidates)
        };
        assert_eq!(order(1.0), [0, 1, 2, 5, 6, 3, 4]);
        assert_eq!(order(0.1), [0, 1, 2, 5, 3, 4, 6]);
    }

    #[test]
    fn nothing_is_lost_by_folding() {
        let same_parity = |a: u32, b: u32| Ok(a % 2 == b % 2);
        let kept = fold(ranked(&[0.9, 0.8, 0.7, 0.6, 0.5]), 10, same_parity).unwrap();
        assert_eq!(chunks(&kept), [0, 1]);
        assert_eq!(
            (kept[0].folded.as_slice(), kept[1].folded.as_slice()),
            ([2, 4].as_slice(), [3].as_slice())
        );
        let kept = fold(ranked(&[0.9, 0.8, 0.7, 0.6]), 1, same_parity).unwrap();
        assert_eq!(chunks(&kept), [0, 1, 2, 3], "enough after the first");
        let fails = |_, _| Err(Error::new(ErrorCode::Internal, ""));
        assert!(fold(ranked(&[0.9, 0.8]), 5, fails).is_err());
    }

    #[test]
    fn each_document_has_so_many() {
        let mut candidates = ranked(&[0.9, 0.8, 0.7, 0.6, 0.5]);
        group(&mut candidates, 2, |chunk| Some(u64::from(chunk == 3)));
        assert_eq!(chunks(&candidates), [0, 1, 3]);
    }

    #[test]
    fn unlike_hits_come_first() {
        // 0, 1 and 2 are alike, 3 is not.
        let alike = |a: u32, b: u32| if (a == 3) == (b == 3) { 0.95 } else { 0.1 };
        let order = |lambda, limit| {
            let mut candidates = ranked(&[1.0, 0.9, 0.8, 0.7]);
            diversify(&mut candidates, Mmr { lambda }, limit, alike);
            chunks(&candidates)
        };
        assert_eq!(order(0.5, 4), [0, 3, 1, 2]);
        assert_eq!(order(1.0, 4), [0, 1, 2, 3]);
        assert_eq!(order(0.5, 1), [0, 1, 2, 3]);
        diversify(&mut [], Mmr::default(), 5, alike);
        let mut negative = ranked(&[-0.5, -0.6]);
        diversify(&mut negative, Mmr { lambda: 0.0 }, 2, alike);
        assert_eq!(chunks(&negative), [0, 1]);
    }
}
