//! Checks whether a name in a claim stands where the rest of the claim stands.
//!
//! A name taken from elsewhere in the same source is found in it, but no sentence has it together with the words that are
//! around it in the claim, though another sentence has those; and often another name stands there in its place.

use std::ops::Range;

use super::claimed::Claimed;
use super::entity::ClaimName;
use super::passage::{NameRun, Passage, PassageWindow};
use super::reading::TermTable;

/// The most names of a claim that are looked at.
pub(super) const MAX_NAMES: usize = 16;

/// The number of telling words around a name, on each side.
const AROUND: usize = 3;

/// The number of words on each side of a name, and how far from a name in the source they may stand.
const BESIDE: usize = 3;
const REACH: usize = 4;

/// The weight of the function word next to a name.
const GRAMMAR: f32 = 0.3;

/// The least share of the rest of a claim that a window must have; of less it cannot be told where it stands.
const REST: f32 = 0.4;

/// Keeps one small share from being much less than another.
const LITTLE: f32 = 0.05;

/// The evidence that has to speak against the place of a name: 0 is nothing, and 3 the most.
const ASTRAY: f32 = 1.0;

/// The fit by which a name in the source must suit the place better than this one to be told of.
const RIVAL: f32 = 0.5;

/// The way a name stands in a passage.
#[derive(Debug, PartialEq)]
pub(super) enum NamePlace {
    /// It does not, or in another form.
    Absent,
    /// As in the claim, as far as can be computed.
    Fits,
    /// Elsewhere than the rest of the claim. The name that stands there instead, if there is one.
    Astray(Option<Range<usize>>),
}

/// Looks for the places of the names of a claim in a passage.
pub(super) struct Places<'a> {
    claim: &'a Claimed,
    passage: &'a Passage,
    window: &'a PassageWindow,
    terms: &'a TermTable,
    /// The time a term of the claim was last counted.
    stamps: Vec<u32>,
    stamp: u32,
}

impl<'a> Places<'a> {
    pub(super) fn new(
        claim: &'a Claimed,
        passage: &'a Passage,
        window: &'a PassageWindow,
        terms: &'a TermTable,
    ) -> Self {
        Self { claim, passage, window, terms, stamps: vec![0; claim.terms.len()], stamp: 0 }
    }

    pub(super) fn of(&mut self, name: &ClaimName) -> NamePlace {
        let text = |at: &usize| self.claim.reading.tokens.get(*at).map(|token| token.text.as_str());
        let term = |at: &usize| text(at).and_then(|text| self.terms.find(text));
        let own: Vec<u32> = name.words.iter().filter_map(term).collect();
        let slot = |term: &u32| self.claim.terms.binary_search(term).ok();
        let slots: Vec<usize> = own.iter().filter_map(slot).collect();
        let Some(last) = slots.last() else { return NamePlace::Absent };
        // What the whole passage is about need not be named in each sentence.
        if self.window.context.get(*last) == Some(&true) {
            return NamePlace::Fits;
        }
        // Of several words most, or the last one: a surname is often alone.
        let has = |hits: &Vec<usize>| {
            hits.contains(last) || slots.iter().filter(|slot| hits.contains(slot)).count() * 2 > own.len()
        };
        let mentions: Vec<usize> =
            (0..).zip(&self.window.hits).filter(|(_, hits)| has(hits)).map(|(at, _)| at).collect();
        if mentions.is_empty() {
            return NamePlace::Absent;
        }
        // What belongs to an entry of a list stands above the list.
        let listed = |at: &usize| self.passage.sentences.get(*at).is_none_or(|sentence| !sentence.prose);
        if mentions.iter().any(listed) {
            return NamePlace::Fits;
        }
        let (around, rest) = self.weights(name, &own);
        let Range { start, end } = self.window.sentences;
        let best = self.most(&rest, end - start, start..=start);
        if best < REST {
            return NamePlace::Fits;
        }
        let count = self.window.hits.len();
        let with = self.most(&around, 1, mentions.iter().copied());
        let without = self.most(&around, 1, 0..count);
        let windows = mentions.iter().flat_map(|at| at.saturating_sub(2)..=*at);
        let near = self.most(&rest, 3, windows);
        let lack = |here: f32, there: f32| (1.0 - (here + LITTLE) / (there + LITTLE)).max(0.0);
        let (rival, more) = self.rival(name, &own);
        // A sentence that names nothing else need not name the subject of the whole passage.
        if rival.is_none() && self.passage.is_about(&own) {
            return NamePlace::Fits;
        }
        if lack(with, without) + lack(near, best) + more > ASTRAY {
            NamePlace::Astray(rival.filter(|_| more >= RIVAL))
        } else {
            NamePlace::Fits
        }
    }

    /// For each term of the claim its share of what is around a name, and of all but the name.
    fn weights(&self, name: &ClaimName, own: &[u32]) -> (Vec<f32>, Vec<f32>) {
        let (before, after) = self.beside(name);
        let words = &self.claim.reading.words;
        let tells = |term: &u32| !self.terms.is_function_word(*term) && !own.contains(term);
        let left = words.get(..before).unwrap_or_default().iter().rev().map(|word| word.term);
        let right = words.get(after..).unwrap_or_default().iter().map(|word| word.term);
        let near: Vec<u32> =
            left.filter(tells).take(AROUND).chain(right.filter(tells).take(AROUND)).collect();
        let shares = |of: &dyn Fn(&u32) -> bool| -> Vec<f32> {
            let weighed = self.claim.terms.iter().zip(&self.claim.weights);
            let weights = weighed.map(|(term, weight)| if of(term) { *weight } else { 0.0 });
            let total: f32 = weights.clone().sum();
            weights.map(|weight| if total > 0.0 { weight / total } else { 0.0 }).collect()
        };
        (shares(&|term| near.contains(term)), shares(&|term| !own.contains(term)))
    }

    /// The end of the claim's words before a name, and the beginning of those behind it.
    fn beside(&self, name: &ClaimName) -> (usize, usize) {
        let place = |token: usize| self.claim.reading.words.partition_point(|word| word.token < token);
        (place(name.tokens.start), place(name.tokens.end))
    }

    /// The most of what has these shares that stands in that many sentences, which begin at one of the places. What the context
    /// has is said in each.
    fn most(&mut self, shares: &[f32], length: usize, starts: impl Iterator<Item = usize>) -> f32 {
        let context = &self.window.context;
        let given: f32 =
            shares.iter().zip(context).filter(|(_, given)| **given).map(|(share, _)| *share).sum();
        let mut most = 0.0_f32;
        for start in starts {
            self.stamp += 1;
            let mut sum = given;
            for slot in self.window.hits.iter().skip(start).take(length).flatten() {
                let known = context.get(*slot) == Some(&true);
                let stamp = self.stamps.get_mut(*slot).filter(|stamp| !known && **stamp != self.stamp);
                if let Some((stamp, share)) = stamp.zip(shares.get(*slot)) {
                    *stamp = self.stamp;
                    sum += share;
                }
            }
            most = most.max(sum);
        }
        most
    }

    /// The name in the passage that has most next to it of what this one has next to it in the claim, and how much more that is
    /// than this one has in the passage, up to 1.
    fn rival(&self, name: &ClaimName, own: &[u32]) -> (Option<Range<usize>>, f32) {
        let (before, after) = self.beside(name);
        let words = &self.claim.reading.words;
        let left = words.get(before.saturating_sub(BESIDE)..before).unwrap_or_default().iter().rev();
        let right = words.get(after..).unwrap_or_default().iter().take(BESIDE);
        let sides =
            (1..).zip(left).map(|side| (true, side)).chain((1..).zip(right).map(|side| (false, side)));
        // On which side, how near, which term, and whether it is a function word.
        let sides: Vec<(bool, u8, u32, bool)> = sides
            .map(|(left, (distance, word))| {
                (left, distance, word.term, self.terms.is_function_word(word.term))
            })
            .filter(|(_, distance, term, grammar)| !own.contains(term) && (*distance == 1 || !grammar))
            .collect();
        let words = &self.passage.reading.words;
        let terms = |range: Range<usize>| {
            let range = range.start..range.end.min(words.len());
            words.get(range).unwrap_or_default().iter().map(|word| word.term)
        };
        // How much stands next to it, and whether any of it is more than grammar.
        let fit = |run: &NameRun| {
            let (mut sum, mut tells) = (0.0, false);
            for (left, distance, wanted, grammar) in &sides {
                let reach = if *grammar { 1 } else { REACH };
                let (start, end) = (run.words.start, run.words.end);
                let mut near =
                    terms(if *left { start.saturating_sub(reach)..start } else { end..end + reach });
                if near.any(|term| term == *wanted) {
                    sum += if *grammar { GRAMMAR } else { self.terms.weight(*wanted) / f32::from(*distance) };
                    tells |= !grammar;
                }
            }
            (sum, tells)
        };
        let (mut mine, mut most, mut rival) = (0.0_f32, 0.0_f32, None);
        for run in &self.passage.names {
            let in_claim = |term: u32| self.claim.terms.binary_search(&term).is_ok();
            if terms(run.words.clone()).any(|term| own.contains(&term)) {
                mine = mine.max(fit(run).0);
            } else if run.telling && !terms(run.words.clone()).any(in_claim) {
                let (sum, tells) = fit(run);
                if tells && sum > most {
                    most = sum;
                    rival = self.passage.reading.place(&run.words);
                }
            }
        }
        (rival, (most - mine).clamp(0.0, 1.0))
    }
}
