//! Names of persons, by what stands around them, and the same names wherever else they stand.

use super::alone;
use super::candidate::PiiCandidate;
use super::lexicon::{AND, DISEASE, EPONYM, GIVEN, MONTH, PARTICLE, STOP, WORDLIKE};
use super::options::PiiKind;
use super::token::{Parting, PiiTokenKind, Scan};
use crate::guard::phrase::PhraseAt;
use ibid_platform::order;

/// The names among what the tables found.
#[inline(never)]
pub(super) fn find(scan: &Scan, found: &[PhraseAt], out: &mut Vec<PiiCandidate>) {
    let section = |name: &'static str| found.iter().filter(move |found| found.section == name);
    let listed: Vec<&PhraseAt> = section("listed").collect();
    let end_of = |first: usize| {
        let at = listed.partition_point(|one| one.words.start < first);
        listed.get(at).filter(|one| one.words.start == first).map(|one| one.words.end - 1)
    };
    let mut names: Vec<(usize, usize)> = Vec::new();
    for name in section("name") {
        let mut last = name.words.end - 1;
        names.push((name.words.start, last));
        // "Maria Garcia and Peter Smith".
        for _ in 0..4 {
            let and = scan.is(last + 1, AND) || matches!(scan.sign(last + 1), '&' | ',');
            let Some(end) = end_of(last + 2).filter(|_| and && scan.is(last + 2, GIVEN)) else {
                break;
            };
            names.push((last + 2, end));
            last = end;
        }
    }
    names.extend(alone::find(scan).map(|at| (at, at)));
    names.sort_unstable();
    names.dedup();
    for &(first, last) in &names {
        out.push(PiiCandidate::new(PiiKind::Name, scan.chars(first, last)));
    }
    again(scan, &names, out);
}

/// The names that were found, wherever else they stand: whole, and their longer words with a capital.
fn again(scan: &Scan, names: &[(usize, usize)], out: &mut Vec<PiiCandidate>) {
    if names.is_empty() {
        return;
    }
    let (mut words, mut pairs) = (Vec::new(), Vec::new());
    for &(first, last) in names {
        for at in first..=last {
            let telling = scan.width(at) >= 3
                && !scan.is(at, PARTICLE | STOP | MONTH)
                && scan.kind(at) == Some(PiiTokenKind::Word);
            if telling {
                words.push(scan.low(at));
                if at < last && scan.kind(at + 1) == Some(PiiTokenKind::Word) {
                    pairs.push((scan.low(at), scan.low(at + 1)));
                }
            }
        }
    }
    order::by(&mut words, Ord::cmp);
    order::by(&mut pairs, Ord::cmp);
    let mut at = 0;
    while at < scan.tokens.len() {
        let first = at;
        // In small letters only two words of a name together are clearly it, and what is a given name and nothing else.
        let known = |at: usize| {
            words.binary_search(&scan.low(at)).is_ok()
                && (scan.capital(at) && !(scan.shouted(at) && scan.width(at) < 4)
                    || scan.is(at, GIVEN) && !scan.is(at, WORDLIKE | STOP))
        };
        let pair = |at: usize| {
            scan.gap(at + 1) == Parting::Space
                && pairs.binary_search(&(scan.low(at), scan.low(at + 1))).is_ok()
        };
        at += 1;
        if scan.kind(first) != Some(PiiTokenKind::Word) || !known(first) && !pair(first) {
            continue;
        }
        let mut last = if pair(first) { first + 1 } else { first };
        while scan.gap(last + 1) <= Parting::Space
            && scan.kind(last + 1) == Some(PiiTokenKind::Word)
            && known(last + 1)
        {
            last += 1;
        }
        at = last + 1;
        let mut next = last + 1;
        if scan.sign(next) == '\'' {
            next += 1 + usize::from(scan.low(next + 1) == "s");
        }
        let disease = scan.is(last, EPONYM) && scan.is(next, DISEASE) && scan.gap(next) <= Parting::Space;
        if !disease {
            out.push(PiiCandidate::new(PiiKind::Name, scan.chars(first, last)));
        }
    }
}
