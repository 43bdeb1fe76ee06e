//! Addresses around a code of a place: whatever parts a country puts before it, from the house to the town.
//!
//! No list has every form of a street. But a code at the end, a number or a name of a house at the beginning, and commas,
//! lines and capitals between are the same everywhere, so this reads backwards from the code.

use crate::guard::phrase::PhraseAt;
use crate::guard::pii::candidate::{PiiCandidate, Taken};
use crate::guard::pii::lexicon::{
    ANNOUNCED, CAPITAL, CATALOG, CODED, Cue, DISEASE, FILLER, HOUSE, HOUSE_NUMBER, MONTH, NO_STREET,
    PARTICLE, STOP, STREET, STREET_FIRST, STREET_LIKE, STREET_SHORT, STREET_SURE, UNIT, UNIT_OF_HOUSE, VERB,
    WORD,
};
use crate::guard::pii::options::PiiKind;
use crate::guard::pii::token::{Parting, PiiTokenKind, Scan};

/// How far an address reaches before its code, in tokens.
const REACH: usize = 30;

/// A code and how much it says.
struct PlaceCode {
    first: usize,
    last: usize,
    /// Hardly anything else looks like it.
    sure: bool,
}

pub(super) fn find(scan: &Scan, found: &[PhraseAt], taken: &Taken, out: &mut Vec<PiiCandidate>) {
    let codes: Vec<&PhraseAt> = found.iter().filter(|found| found.section == "code").collect();
    // Nothing is read twice: an address begins behind the one before it.
    let mut free = 0;
    let mut at = 0;
    while at < scan.tokens.len() {
        if !taken.has(at)
            && let Some(code) = code(scan, &codes, at, scan.is(at, ANNOUNCED))
            && let Some(first) = begin(scan, taken, &code, free, scan.is(at, ANNOUNCED))
        {
            let last = country(scan, code.last);
            out.push(PiiCandidate::new(PiiKind::Address, scan.tokens[first].start..scan.tokens[last].end));
            free = last + 1;
            at = free;
        } else {
            at += 1;
        }
    }
}

/// Says whether a word can be part of a street's or a place's name.
fn part(scan: &Scan, at: usize) -> bool {
    scan.is(at, CAPITAL) && !scan.is(at, UNIT | CODED) && (!scan.is(at, STOP) || scan.is(at, STREET))
}

fn on_line(scan: &Scan, at: usize) -> bool {
    scan.gap(at) <= Parting::Space
}

/// Says whether a word ends as streets do in languages that write them as one word.
fn like_street(scan: &Scan, at: usize) -> bool {
    scan.is(at, STREET_SURE | STREET_LIKE | STREET_SHORT) && !scan.is(at, NO_STREET)
}

fn digits(scan: &Scan, at: usize, width: usize) -> bool {
    scan.kind(at) == Some(PiiTokenKind::Number) && scan.width(at) == width
}

/// A code of a place that begins at a token, with the town where it stands behind.
fn code(scan: &Scan, codes: &[&PhraseAt], at: usize, cued: bool) -> Option<PlaceCode> {
    let index = codes.partition_point(|code| code.words.start < at);
    let Some(code) = codes.get(index).filter(|code| code.words.start == at) else {
        return numeric(scan, at, cued);
    };
    let last = code.words.end - 1;
    // "CF24 4HX Cardiff"
    let town = scan.width(last) == 2 && scan.is(last, WORD) && scan.gap(last + 1) == Parting::Space;
    Some(PlaceCode { first: at, last: if town { town_end(scan, last, false) } else { last }, sure: true })
}

/// Codes of digits alone, which need a town behind or a place before: "60313 Frankfurt", "Bengaluru 560001".
fn numeric(scan: &Scan, at: usize, cued: bool) -> Option<PlaceCode> {
    if scan.kind(at) != Some(PiiTokenKind::Number) || scan.gap(at) == Parting::Glued || scan.measured(at + 1)
    {
        return None;
    }
    let glued = |at: usize| scan.gap(at) == Parting::Glued;
    let mut last = at;
    let hyphen = scan.sign(at + 1) == '-' && glued(at + 1) && glued(at + 2);
    let grouped = if hyphen {
        // Poland, Portugal, Brazil
        [(2, 3), (4, 3), (5, 3)].iter().any(|&(a, b)| digits(scan, at, a) && digits(scan, at + 2, b))
    } else {
        false
    };
    if grouped {
        last = at + 2;
    } else if digits(scan, at, 3) && digits(scan, at + 1, 2) && scan.gap(at + 1) == Parting::Space {
        // Sweden
        last = at + 1;
    } else if !(4..=6).contains(&scan.width(at)) || hyphen {
        return None;
    }
    let width = scan.width(at);
    // The Netherlands: "1016 GV Amsterdam".
    let dutch = last == at
        && width == 4
        && scan.shouted(at + 1)
        && scan.width(at + 1) == 2
        && scan.gap(at + 1) == Parting::Space;
    if dutch {
        last = at + 1;
    }
    let town = town_end(scan, last, cued);
    if town > last && (width <= 5) {
        return Some(PlaceCode { first: at, last: town, sure: grouped || dutch || width == 3 });
    }
    // A place with its code behind: "Haryana 122001", "Nairobi 00100", "SP, 01226-010".
    let place = at > 0
        && (part(scan, at - 1) || scan.sign(at - 1) == ',' || scan.sign(at - 1) == '-' || cued)
        && (width >= 5 || grouped || cued && width == 4 && at > 0 && part(scan, at - 1));
    place.then_some(PlaceCode { first: at, last, sure: grouped })
}

/// The last token of a town behind a code; the code itself if none follows.
fn town_end(scan: &Scan, code: usize, cued: bool) -> usize {
    let mut last = code;
    let mut at = code + 1;
    while at <= code + 5 && on_line(scan, at) {
        let word = part(scan, at) && !scan.is(at, VERB | DISEASE | MONTH);
        let small = last == code
            && cued
            && scan.kind(at) == Some(PiiTokenKind::Word)
            && !scan.is(at, STOP | VERB | UNIT)
            && scan.width(at) > 3;
        let inner = last > code
            && (matches!(
                scan.low(at),
                "am" | "an"
                    | "im"
                    | "bei"
                    | "ob"
                    | "sur"
                    | "sous"
                    | "le"
                    | "la"
                    | "de"
                    | "di"
                    | "del"
                    | "den"
                    | "aan"
                    | "v"
            ) || matches!(scan.sign(at), '-' | '\'') && scan.gap(at + 1) == Parting::Glued
                || scan.sign(at) == '.' && scan.width(at - 1) <= 3 && scan.gap(at) == Parting::Glued)
            && part(scan, at + 1);
        let district = last > code && scan.width(at) == 1 && scan.capital(at);
        if word || district || small {
            last = at;
        } else if !inner {
            break;
        }
        at += 1;
    }
    last
}

/// With a country behind a comma, where that ends a sentence or a line.
fn country(scan: &Scan, last: usize) -> usize {
    let at = last + 1 + usize::from(scan.sign(last + 1) == ',');
    let ends = |at: usize| scan.gap(at) >= Parting::Line || matches!(scan.sign(at), '.' | ')' | ';');
    let parted = at > last + 1 || scan.gap(at) == Parting::Line;
    if parted && part(scan, at) && scan.gap(at) < Parting::Paragraph && ends(at + 1) { at } else { last }
}

/// The first token of the address that ends with a code, if one does.
fn begin(scan: &Scan, taken: &Taken, code: &PlaceCode, free: usize, cued: bool) -> Option<usize> {
    let least = code.first.saturating_sub(REACH).max(free);
    // Where an address is announced, it may be in small letters, and begins behind what announces it.
    let announced = cued
        .then(|| scan.cues.partition_point(|cue| cue.end <= code.first))
        .and_then(|count| scan.cues[..count].iter().rev().take(8).find(|cue| cue.cue == Cue::Address))
        .map(|cue| cue.end);
    let mut first = code.first;
    while first > least && Some(first) != announced && !taken.has(first - 1) {
        let at = first - 1;
        if scan.gap(first) == Parting::Paragraph || !belongs(scan, at, announced.is_some_and(|end| at >= end))
        {
            break;
        }
        first = at;
    }
    // What cannot begin an address does not.
    while first < code.first && !opens(scan, first, announced.is_some()) {
        first += 1;
    }
    let (mut street, mut named, mut number, mut parted) = (false, false, false, false);
    for at in first..code.first {
        let kind_of_street =
            scan.is(at, STREET) && scan.width(at) > 1 && (at > first || scan.is(at, STREET_FIRST));
        let before = scan.is(at, STREET_FIRST) && scan.kind(at + 1) != Some(PiiTokenKind::Number);
        street |= kind_of_street
            || before
            || like_street(scan, at)
            || scan.low(at) == "c" && scan.sign(at + 1) == '/';
        named |= scan.is(at, HOUSE)
            || scan.is(at, UNIT_OF_HOUSE) && scan.kind(at + 1) == Some(PiiTokenKind::Number);
        number |= scan.is(at, HOUSE_NUMBER);
        parted |= scan.sign(at) == ',' || scan.gap(at) == Parting::Line && at > first;
    }
    parted |= scan.gap(code.first) == Parting::Line;
    let good = if announced.is_some() {
        first < code.first && (number || parted || street)
    } else if code.sure {
        (street || named || parted) && (number || named)
    } else {
        number && (street || named || structure(scan, first, code))
    };
    good.then_some(first)
}

/// "Vesterbrogade 62, 1620 København": words and a number before the comma, code and town behind, and no year.
fn structure(scan: &Scan, first: usize, code: &PlaceCode) -> bool {
    let year = scan.width(code.first) == 4
        && scan.number(code.first).is_some_and(|year| (1900..2100).contains(&year));
    let comma = scan.sign(code.first - 1) == ',' || scan.gap(code.first) == Parting::Line;
    let end = code.first - usize::from(scan.sign(code.first - 1) == ',');
    let numbered =
        (first + 1..end).any(|at| scan.is(at, HOUSE_NUMBER) && scan.width(at) <= 3 && !scan.measured(at + 1));
    let heading = (first..end)
        .any(|at| scan.is(at, CATALOG | MONTH | DISEASE | UNIT) && scan.width(at) > 1 || scan.is_term(at));
    // Nothing tells that this is a street, so it has a line or a field of its own.
    let begins = scan.gap(first) >= Parting::Line || first > 0 && scan.sign(first - 1) == ':';
    let alone = begins && scan.gap(code.last + 1) >= Parting::Line;
    alone
        && code.last > code.first
        && comma
        && numbered
        && !year
        && !heading
        && scan.capital(first)
        && end - first <= 7
}

/// Whether a number before a token counts something: not in "77 W Juniper St" or "88 m. 5".
fn counted(scan: &Scan, next: usize) -> bool {
    let direction =
        scan.width(next) == 1 && (scan.capital(next) || matches!(scan.low(next), "n" | "e" | "s" | "w"));
    let flat = scan.sign(next + 1) == '.' && scan.kind(next + 2) == Some(PiiTokenKind::Number);
    scan.measured(next) && !direction && !flat
}

/// Whether a token may stand within an address.
fn belongs(scan: &Scan, at: usize, announced: bool) -> bool {
    match scan.kind(at) {
        Some(PiiTokenKind::Number) => scan.width(at) <= 5 && !counted(scan, at + 1),
        Some(PiiTokenKind::Word) => {
            let low = scan.low(at);
            let glued = scan.gap(at) == Parting::Glued;
            let small = scan.is(at, PARTICLE | UNIT_OF_HOUSE | STREET_FIRST)
                || matches!(
                    low,
                    "bis"
                        | "ter"
                        | "tv"
                        | "th"
                        | "mf"
                        | "m"
                        | "and"
                        | "of"
                        | "upon"
                        | "on"
                        | "the"
                        | "under"
                        | "near"
                        | "opp"
                        | "behind"
                        | "c"
                );
            // "a" and "e" are verbs of some language.
            let verb = scan.is(at, VERB) && scan.width(at) > 1;
            let street = scan.is(at, STREET) && at > 0 && part(scan, at - 1);
            let capital = scan.capital(at) && (!scan.is(at, UNIT) || scan.width(at) <= 2);
            small || glued || street || !verb && (capital || announced)
        }
        Some(PiiTokenKind::Sign) => {
            let sign = scan.sign(at);
            // A dot ends a sentence unless it is short for something.
            let short = sign == '.' && at > 0 && scan.gap(at) == Parting::Glued && {
                let word = at - 1;
                scan.width(word) <= 3
                    || scan.is(word, STREET | STREET_FIRST | UNIT_OF_HOUSE)
                    || like_street(scan, word)
            };
            matches!(sign, ',' | '-' | '/' | '\'' | '#' | '°' | 'º' | 'ª') || short
        }
        None => false,
    }
}

/// Whether an address may begin with a token.
fn opens(scan: &Scan, at: usize, announced: bool) -> bool {
    if scan.gap(at) == Parting::Glued
        && at > 0
        && scan.sign(at - 1) != '('
        && scan.kind(at - 1) != Some(PiiTokenKind::Sign)
    {
        return false;
    }
    match scan.kind(at) {
        Some(PiiTokenKind::Number) => scan.is(at, HOUSE_NUMBER),
        Some(PiiTokenKind::Word) => {
            let street =
                scan.is(at, STREET_FIRST | UNIT_OF_HOUSE) || scan.low(at) == "c" && scan.sign(at + 1) == '/';
            // "The Old Rectory", "Am Stadtgraben"
            let small = matches!(
                scan.low(at),
                "the" | "am" | "an" | "auf" | "im" | "zum" | "zur" | "unter" | "beim" | "hinter"
            );
            let named = small && scan.capital(at) && scan.capital(at + 1);
            let capital = scan.capital(at) && !scan.is(at, STOP | VERB | PARTICLE | CATALOG);
            let small = announced && !scan.is(at, STOP | VERB | PARTICLE | FILLER);
            street || named || capital || small
        }
        _ => scan.sign(at) == '#',
    }
}
