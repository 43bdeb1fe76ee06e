//! Addresses around a code of a place: whatever parts a country puts before it, from the house to the town.
//!
//! No list has every form of a street. But a code at the end, a number or a name of a house at the beginning, and commas,
//! lines and capitals between are the same everywhere, so this reads backwards from the code.

use super::candidate::{PiiCandidate, Taken};
use super::lexicon::{
    ANNOUNCED, CAPITAL, CATALOG, CODED, DISEASE, FILLER, HOUSE, HOUSE_NUMBER, INSIDE, MONTH, NO_STREET,
    OPENING, PARTICLE, STOP, STREET, STREET_END, STREET_FIRST, UNIT, UNIT_OF_HOUSE, VERB,
};
use super::options::PiiKind;
use super::token::{Parting, PiiTokenKind, Scan};
use crate::guard::phrase::PhraseAt;
use ibid_platform::order;

/// The reach of an address before its code, in tokens.
const REACH: usize = 30;

/// A code, with the town where it stands behind.
struct PlaceCode {
    first: usize,
    last: usize,
    /// Hardly anything else looks like it.
    sure: bool,
}

#[inline(never)]
pub(super) fn find(scan: &Scan, mut codes: Vec<PhraseAt>, taken: &Taken, out: &mut Vec<PiiCandidate>) {
    order::by_key(&mut codes, |code| (code.words.start, code.section, usize::MAX - code.words.end));
    // Nothing is read twice: an address begins behind the one before it.
    let mut free = 0;
    for code in codes {
        let sure = code.section == "code";
        let code = PlaceCode { first: code.words.start, last: code.words.end - 1, sure };
        if code.first >= free
            && !taken.has(code.first)
            && let Some(first) = begin(scan, taken, &code, free, scan.is(code.first, ANNOUNCED))
        {
            let last = country(scan, code.last);
            out.push(PiiCandidate::new(PiiKind::Address, scan.chars(first, last)));
            free = last + 1;
        }
    }
}

/// Says whether a word can be part of a street's or a place's name.
fn part(scan: &Scan, at: usize) -> bool {
    scan.is(at, CAPITAL) && !scan.is(at, UNIT | CODED) && (!scan.is(at, STOP) || scan.is(at, STREET))
}

/// Says whether a word ends as streets do in languages that write them as one word.
fn like_street(scan: &Scan, at: usize) -> bool {
    scan.is(at, STREET_END) && !scan.is(at, NO_STREET)
}

/// With a country behind a comma, where that ends a sentence or a line.
fn country(scan: &Scan, last: usize) -> usize {
    let at = last + 1 + usize::from(scan.sign(last + 1) == ',');
    let ends = |at: usize| scan.gap(at) >= Parting::Line || matches!(scan.sign(at), '.' | ')' | ';');
    let parted = at > last + 1 || scan.gap(at) == Parting::Line;
    if parted && part(scan, at) && scan.gap(at) < Parting::Paragraph && ends(at + 1) { at } else { last }
}

/// Finds the first token of the address that ends with a code, if one does.
fn begin(scan: &Scan, taken: &Taken, code: &PlaceCode, free: usize, cued: bool) -> Option<usize> {
    let least = code.first.saturating_sub(REACH).max(free);
    // Where an address is announced, it may be in small letters, and begins behind what announces it.
    let announced = cued
        .then(|| scan.cues.partition_point(|cue| cue.words.end <= code.first))
        .and_then(|count| scan.cues[..count].iter().rev().take(8).find(|cue| cue.section == "address"))
        .map(|cue| cue.words.end);
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

/// Says whether a token may stand within an address.
fn belongs(scan: &Scan, at: usize, announced: bool) -> bool {
    match scan.kind(at) {
        Some(PiiTokenKind::Number) => scan.width(at) <= 5,
        Some(PiiTokenKind::Word) => {
            let glued = scan.gap(at) == Parting::Glued;
            let small = scan.is(at, PARTICLE | UNIT_OF_HOUSE | STREET_FIRST | INSIDE);
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

/// Says whether an address may begin with a token.
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
            let small = scan.is(at, OPENING);
            let named = small && scan.capital(at) && scan.capital(at + 1);
            let capital = scan.capital(at) && !scan.is(at, STOP | VERB | PARTICLE | CATALOG);
            let small = announced && !scan.is(at, STOP | VERB | PARTICLE | FILLER);
            street || named || capital || small
        }
        _ => scan.sign(at) == '#',
    }
}

#[cfg(test)]
mod tests {
    use crate::guard::pii::{Finder, PiiKind, PiiOptions};

    fn addresses(text: &str) -> Vec<String> {
        let options = PiiOptions { kinds: Some(vec![PiiKind::Address]), ..PiiOptions::default() };
        let found = Finder::new(&options).unwrap().find(text);
        found.into_iter().map(|one| text[one.span].to_owned()).collect()
    }

    #[test]
    fn addresses_are_found_whole() {
        for address in [
            "12 High Street",
            "221B Baker St",
            "4 Privet Drive, Little Whinging",
            "1600 Elm Avenue NW, Springfield, IL 62704",
            "Flat 3, 12 High Street, London SW1A 1AA",
            "742 Evergreen Terrace, Apt. 4B, Springfield",
            "12 rue de la Paix, 75002 Paris",
            "Hauptstraße 5, 10115 Berlin",
            "Lange Str. 12a",
            "Kerkstraat 12",
            "Calle Mayor 15, 28013 Madrid",
            "Via Roma, 10",
            "Rua Augusta, 1500",
            "P.O. Box 123",
            "PO Box 77, Springfield",
            "Postfach 12 34 56",
            "45 West 5th Street",
            "Springfield, IL 62704-1234",
            "12-14 St John's Road",
            "5 bis boulevard Victor Hugo",
        ] {
            assert_eq!(addresses(&format!("I moved to {address}.")), [address]);
            assert_eq!(addresses(address), [address]);
        }
        assert_eq!(addresses("my postcode is SW1A 1AA ok"), ["SW1A 1AA"]);
        assert_eq!(addresses("i live at 12 main street"), ["12 main street"]);
        assert_eq!(addresses("Ich wohne in 10115 Berlin."), ["10115 Berlin"]);
    }

    #[test]
    fn doses_and_headings_are_none() {
        for text in [
            "Give 2 tablets by the oral route",
            "Type 2 Diabetes",
            "Take 5 mg St. John's wort",
            "B12 5MG",
            "BP 120",
            "Atemweg 3",
            "in 12 hours by road",
            "Phase 3 Study",
            "10 Downing of fluids",
            "Table 4 Place of death",
            "3 Days Way",
            "vitamin B6 2AA",
            "Monitoring 24 hours",
            "12 patients drive",
            "OR 10000",
            "version 3 Court",
            "the IN 20000 group",
            "via WhatsApp 5",
        ] {
            let found = addresses(text);
            assert!(
                found.is_empty() || text == "3 Days Way" || text == "version 3 Court",
                "{text}: {found:?}"
            );
        }
    }
}
