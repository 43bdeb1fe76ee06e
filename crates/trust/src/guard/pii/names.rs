//! Names of persons, by what stands around them, and the same names wherever else they stand.

use super::alone;
use super::candidate::PiiCandidate;
use super::lexicon::{DISEASE, EPONYM, GIVEN, MONTH, PARTICLE, STOP, WORDLIKE};
use super::options::PiiKind;
use super::token::{Parting, PiiTokenKind, Scan};
use crate::guard::phrase::PhraseAt;
use ibid_platform::order;

/// Finds the names among what the tables found.
#[inline(never)]
pub(super) fn find(scan: &Scan, found: &[PhraseAt], out: &mut Vec<PiiCandidate>) {
    let told = found.iter().filter(|found| found.section == "name");
    let mut names: Vec<(usize, usize)> = told.map(|name| (name.words.start, name.words.end - 1)).collect();
    names.extend(alone::find(scan).map(|at| (at, at)));
    names.sort_unstable();
    names.dedup();
    for &(first, last) in &names {
        out.push(PiiCandidate::new(PiiKind::Name, scan.chars(first, last)));
    }
    again(scan, &names, out);
}

/// Finds the names that were found, wherever else they stand: whole, and their longer words with a capital.
fn again(scan: &Scan, names: &[(usize, usize)], out: &mut Vec<PiiCandidate>) {
    if names.is_empty() {
        return;
    }
    let tells = |at: &usize| {
        scan.width(*at) >= 3
            && !scan.is(*at, PARTICLE | STOP | MONTH)
            && scan.kind(*at) == Some(PiiTokenKind::Word)
    };
    let telling = names.iter().flat_map(|&(first, last)| first..=last).filter(tells);
    let mut words: Vec<&str> = telling.map(|at| scan.low(at)).collect();
    order::by(&mut words, Ord::cmp);
    // In small letters only what is a given name and nothing else is clearly it.
    let known = |at: usize| {
        scan.kind(at) == Some(PiiTokenKind::Word)
            && words.binary_search(&scan.low(at)).is_ok()
            && (scan.capital(at) && !(scan.shouted(at) && scan.width(at) < 4)
                || scan.is(at, GIVEN) && !scan.is(at, WORDLIKE | STOP))
    };
    let mut at = 0;
    while at < scan.tokens.len() {
        let first = at;
        at += 1;
        if !known(first) {
            continue;
        }
        while scan.gap(at) <= Parting::Space && known(at) {
            at += 1;
        }
        // "Parkinson" is a person, and "Parkinson's disease" none.
        let possessive = if scan.sign(at) == '\'' { 1 + usize::from(scan.low(at + 1) == "s") } else { 0 };
        let next = at + possessive;
        if !(scan.is(at - 1, EPONYM) && scan.is(next, DISEASE) && scan.gap(next) <= Parting::Space) {
            out.push(PiiCandidate::new(PiiKind::Name, scan.chars(first, at - 1)));
        }
    }
}
