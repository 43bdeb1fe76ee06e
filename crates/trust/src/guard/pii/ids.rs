//! Numbers that are someone's by what stands before them, and international bank account numbers.

use std::ops::Range;

use super::candidate::{PiiCandidate, Taken};
use super::checksum;
use super::lexicon::{Cue, FILLER, NUMBER, RECORD};
use super::options::PiiKind;
use super::token::{Parting, PiiTokenKind, Scan};

/// The most characters of a number with letters.
const MAX_CHARS: usize = 32;

#[inline(never)]
pub(super) fn find(scan: &Scan, taken: &mut Taken, out: &mut Vec<PiiCandidate>) {
    // An account number may be one of these, which are surer.
    ibans(scan, taken, out);
    let told = scan.cues.iter().map(|cue| (cue.cue, cue.end));
    for (cue, end) in told.chain(composed(scan)) {
        let Some((kind, fewest, most)) = bounds(cue) else { continue };
        let Some((first, linked)) = announced(scan, end) else { continue };
        if taken.has(first) {
            continue;
        }
        let spaced = kind != PiiKind::Mrn;
        let Some((mut last, mut range)) = identifier(scan, first, spaced, most) else { continue };
        if kind == PiiKind::Mrn {
            last = groups(scan, first, last);
            range.end = scan.tokens[last].end;
        }
        let chars = &scan.view.chars[range.clone()];
        let digits = chars.iter().filter(|c| c.is_ascii_digit()).count();
        let all = chars.iter().filter(|c| c.is_alphanumeric()).count();
        // A bare year or amount behind a word that is not only a cue needs more to be a number of someone.
        let linked = linked || digits < all || range.len() > digits;
        // Some states write theirs in letters and few digits.
        let fewest = if kind == PiiKind::Passport && all >= 8 { 2 } else { fewest };
        let fewest = if linked || kind != PiiKind::Mrn { fewest } else { fewest.max(5) };
        let good = digits >= fewest && all <= most && (kind != PiiKind::Passport || all >= 5);
        if good && !scan.measured(last + 1) {
            taken.take(scan, &range);
            out.push(PiiCandidate::new(kind, range));
        }
    }
}

/// "Hosp no", "case file", "chart #", "admission ref": what has records, and a word for the number of one.
fn composed(scan: &Scan) -> impl Iterator<Item = (Cue, usize)> {
    (0..scan.tokens.len()).filter_map(|at| {
        if !scan.is(at, RECORD) {
            return None;
        }
        // "no." is a word that ends with its dot; "n°" is one with a sign.
        let dot = scan.sign(at + 1) == '.' && scan.gap(at + 1) == Parting::Glued && scan.width(at) <= 5;
        let next = at + 1 + usize::from(dot);
        let sign = scan.sign(next) == '#' || scan.low(next) == "n" && scan.sign(next + 1) == '°';
        let word = scan.is(next, NUMBER) || scan.is(next, RECORD) && scan.low(next) != scan.low(at);
        let follows = scan.gap(next) <= Parting::Space && (sign || word);
        follows.then_some((Cue::Record, next + 1 + usize::from(scan.sign(next + 1) == '°')))
    })
}

/// The last of groups of digits with spaces between: "2950 12345 1". A single number is whole already.
fn groups(scan: &Scan, first: usize, last: usize) -> usize {
    let group = |at: usize, most: usize| {
        scan.kind(at) == Some(PiiTokenKind::Number)
            && scan.gap(at) == Parting::Space
            && scan.width(at) <= most
            && (scan.gap(at + 1) != Parting::Glued
                || matches!(scan.sign(at + 1), ',' | ';' | '.' | ')' | '?'))
            && !scan.measured(at + 1)
    };
    let lettered = last == first + 1
        && scan.kind(first) == Some(PiiTokenKind::Word)
        && scan.kind(last) == Some(PiiTokenKind::Number);
    let plain = first == last && scan.kind(first) == Some(PiiTokenKind::Number);
    // "ABC 123 456 789"
    let prefix = first == last
        && (scan.shouted(first) || scan.width(first) == 1 && scan.capital(first))
        && scan.width(first) <= 4
        && !scan.is(first, RECORD | NUMBER)
        && group(last + 1, 9);
    if !(lettered || plain || prefix) || scan.width(last) > 5 {
        return last;
    }
    let mut end = last + usize::from(prefix);
    if prefix && scan.width(end) > 5 {
        return end;
    }
    while end < last + 4 && group(end + 1, 5) && scan.width(end + 1) >= 3 {
        end += 1;
    }
    // The last may be a single digit, as a check digit or a person's number in a family is.
    if end > last && group(end + 1, 2) {
        end += 1;
    }
    end
}

/// What a cue announces, the fewest digits it has, and the most letters and digits.
fn bounds(cue: Cue) -> Option<(PiiKind, usize, usize)> {
    Some(match cue {
        Cue::Record => (PiiKind::Mrn, 4, 24),
        Cue::Passport => (PiiKind::Passport, 3, 20),
        Cue::Social => (PiiKind::Ssn, 6, 20),
        Cue::Nhs => (PiiKind::Nhs, 10, 10),
        Cue::Card => (PiiKind::Card, 12, 19),
        _ => return None,
    })
}

/// The token that a cue announces, behind "number", "is", a colon and the like, and whether any of them was there.
fn announced(scan: &Scan, end: usize) -> Option<(usize, bool)> {
    let mut at = end;
    while at < end + 6 {
        let token = scan.get(at)?;
        let sign = matches!(scan.sign(at), ':' | '.' | '#' | '=' | '-' | '(' | '"' | '\'' | '|' | '[');
        if token.gap == Parting::Paragraph {
            return None;
        }
        let clitic = scan.low(at) == "s" && scan.gap(at) == Parting::Glued && scan.sign(at - 1) == '\'';
        if !sign && !clitic && !scan.is(at, FILLER) {
            return Some((at, at > end));
        }
        at += 1;
    }
    None
}

/// Letters and digits with single hyphens, slashes and dots within, over single spaces where `spaced` allows it.
fn identifier(scan: &Scan, first: usize, spaced: bool, most: usize) -> Option<(usize, Range<usize>)> {
    let start = scan.get(first).filter(|token| token.kind != PiiTokenKind::Sign)?.start;
    let (mut at, mut last, mut count) = (first, first, 0);
    while let Some(token) = scan.get(at) {
        let width = token.end - token.start;
        let more = match (token.kind, token.gap) {
            _ if at == first => true,
            (PiiTokenKind::Sign, gap) => {
                gap == Parting::Glued
                    && matches!(scan.sign(at), '-' | '/' | '.')
                    && scan.gap(at + 1) == Parting::Glued
                    && scan.kind(at + 1) != Some(PiiTokenKind::Sign)
            }
            (_, Parting::Glued) => true,
            (PiiTokenKind::Number, Parting::Space) => spaced,
            (PiiTokenKind::Word, Parting::Space) => {
                spaced && width <= 2 && scan.view.at(token.start).is_uppercase()
            }
            _ => false,
        };
        let letters = if token.kind == PiiTokenKind::Sign { 0 } else { width };
        if !more || count + letters > most && at > first || token.end - start > MAX_CHARS {
            break;
        }
        count += letters;
        if token.kind != PiiTokenKind::Sign {
            last = at;
        }
        at += 1;
    }
    Some((last, start..scan.tokens[last].end))
}

/// International bank account numbers (ISO 13616): country, length and checksum, or a cue in the place of the checksum.
fn ibans(scan: &Scan, taken: &mut Taken, out: &mut Vec<PiiCandidate>) {
    for at in 0..scan.tokens.len() {
        let word = scan.tokens[at];
        let begins = word.kind == PiiTokenKind::Word
            && word.end - word.start == 2
            && scan.kind(at + 1) == Some(PiiTokenKind::Number);
        if !begins
            || taken.has(at)
            || scan.gap(at + 1) > Parting::Space
            || scan.view.before(word.start).is_alphanumeric()
        {
            continue;
        }
        let code = [word.start, word.start + 1].map(|i| scan.view.at(i).to_ascii_uppercase());
        let Some(length) = checksum::iban_length(code) else { continue };
        let mut chars = Vec::with_capacity(length);
        let mut end = word.start;
        while chars.len() < length {
            let c = scan.view.at(end);
            if c.is_ascii_alphanumeric() {
                chars.push(c.to_ascii_uppercase());
            } else if !matches!(c, ' ' | '-' | '.') || !scan.view.at(end + 1).is_ascii_alphanumeric() {
                break;
            }
            end += 1;
        }
        let whole = chars.len() == length
            && !scan.view.at(end).is_alphanumeric()
            && chars[2].is_ascii_digit()
            && chars[3].is_ascii_digit();
        let cued = scan
            .cues
            .partition_point(|cue| cue.end <= at)
            .checked_sub(1)
            .is_some_and(|i| scan.cues[i].cue == Cue::Iban && scan.cues[i].end + 4 > at);
        if whole && (cued || checksum::mod97(&chars)) {
            let range = word.start..end;
            taken.take(scan, &range);
            out.push(PiiCandidate::new(PiiKind::Iban, range));
        }
    }
}
