//! A street with the number of a house, as languages write it.

use super::{Street, on_line, part};
use crate::guard::pii::lexicon::{PARTICLE, STOP, STREET, STREET_FIRST, UNIT};
use crate::guard::pii::token::{Parting, Scan, TokenKind};

/// How streets end in languages that write them as one word, and whether such a word is hardly anything else.
const ENDINGS: &[(&str, bool)] = &[
    ("strasse", true),
    ("straße", true),
    ("str", false),
    ("gasse", true),
    ("allee", true),
    ("weg", false),
    ("platz", false),
    ("damm", false),
    ("ufer", false),
    ("chaussee", true),
    ("straat", true),
    ("laan", false),
    ("gracht", true),
    ("plein", false),
    ("singel", false),
    ("kade", false),
    ("dijk", false),
    ("gatan", true),
    ("vagen", false),
    ("vej", false),
    ("gade", false),
    ("veien", false),
    ("katu", false),
];

/// Words with such an ending that are no streets.
const NO_STREETS: &str = " atemweg harnweg gallenweg luftweg verdauungsweg rettungsweg fluchtweg infektionsweg ubertragungsweg \
    rechtsweg umweg ausweg hinweg keineswegs arbeitsplatz parkplatz schlafplatz studienplatz zwerchfellplatz therapieplatz \
    weg platz damm ufer plein ";

/// Whether a word ends as streets do in languages that write them as one word.
pub(super) fn like_street(scan: &Scan, at: usize) -> bool {
    let low = scan.low(at);
    scan.kind(at) == Some(TokenKind::Word)
        && !NO_STREETS.contains(&format!(" {low} "))
        && ENDINGS.iter().any(|(ending, _)| {
            low.ends_with(ending) && low.len() > ending.len() + 2
                || matches!(low, "str" | "strasse" | "straße" | "gasse" | "allee")
        })
}

/// Whether a number is one of a house: short, and not the end of another number.
pub(super) fn house(scan: &Scan, at: usize) -> bool {
    let Some(token) = scan.get(at) else { return false };
    let before = scan.view.before(token.start);
    let inner = matches!(before, '.' | ',' | ':' | '$' | '€' | '£' | '+' | '<' | '>' | '=')
        || before.is_alphanumeric();
    token.kind == TokenKind::Number && token.end - token.start <= 5 && !inner
}

/// Behind the digits of a house: "12a", "12-14", "12/3".
fn house_end(scan: &Scan, at: usize) -> usize {
    let mut last = at;
    let letter = |at: usize| scan.width(at) == 1 && scan.kind(at) == Some(TokenKind::Word);
    if letter(last + 1) && scan.gap(last + 1) == Parting::Glued {
        last += 1;
    }
    if matches!(scan.sign(last + 1), '-' | '/')
        && scan.gap(last + 1) == Parting::Glued
        && scan.gap(last + 2) == Parting::Glued
        && (scan.kind(last + 2) == Some(TokenKind::Number) && scan.width(last + 2) <= 4 || letter(last + 2))
    {
        last += 2;
    }
    last
}

/// "12 High Street", "221B Baker St.", "12, rue de la Paix".
pub(super) fn number_first(scan: &Scan, at: usize, cued: bool) -> Option<Street> {
    // "12 High Street12 High Street": a number that is glued to the street before it is one as well.
    let glued = at > 0
        && scan.is(at - 1, STREET)
        && scan.kind(at) == Some(TokenKind::Number)
        && scan.gap(at) == Parting::Glued
        && scan.width(at) <= 5;
    if !glued && !house(scan, at) {
        return None;
    }
    let mut next = house_end(scan, at) + 1;
    if matches!(scan.low(next), "bis" | "ter") {
        next += 1;
    }
    let comma = scan.sign(next) == ',';
    next += usize::from(comma);
    if !on_line(scan, next) || scan.gap(next) == Parting::Glued {
        return None;
    }
    if scan.is(next, STREET_FIRST)
        && (scan.kind(next + 1) == Some(TokenKind::Word))
        && matches!(
            scan.low(next),
            "rue"
                | "avenue"
                | "boulevard"
                | "bd"
                | "impasse"
                | "allee"
                | "chemin"
                | "quai"
                | "place"
                | "cours"
                | "passage"
                | "square"
                | "route"
        )
    {
        return named(scan, next).map(|last| Street { first: at, last });
    }
    if comma {
        return None;
    }
    let (mut words, mut capitals) = (0, 0);
    while words < 6 && on_line(scan, next) {
        let ordinal = scan.kind(next) == Some(TokenKind::Number)
            && matches!(scan.low(next + 1), "st" | "nd" | "rd" | "th")
            && scan.gap(next + 1) == Parting::Glued;
        if ordinal {
            words += 1;
            capitals += 1;
            next += 2;
            continue;
        }
        if words > 0
            && scan.is(next, STREET)
            && !(scan.is(next + 1, STREET) && on_line(scan, next + 1) && part(scan, next + 1))
        {
            // Words in small letters are a street only where an address is announced.
            let clear = scan.width(next) >= 4 || scan.capital(next);
            if !clear || capitals < words && !cued || !scan.capital(next) && !cued && capitals == 0 {
                return None;
            }
            return Some(Street { first: at, last: next });
        }
        let word = scan.kind(next) == Some(TokenKind::Word)
            && !scan.is(next, UNIT)
            && (part(scan, next) || cued && !scan.is(next, STOP) || scan.is(next, STREET));
        let possessive = scan.low(next) == "s" && scan.sign(next - 1) == '\'';
        if !word && !possessive && !matches!(scan.sign(next), '.' | '\'' | '-') {
            return None;
        }
        words += usize::from(word);
        capitals += usize::from(word && scan.capital(next));
        next += 1;
    }
    None
}

/// The last token of the words behind "rue" or "Calle": capitals, with small words between.
fn named(scan: &Scan, street: usize) -> Option<usize> {
    let (mut at, mut last, mut words) = (street + 1, None, 0);
    while words < 6 && on_line(scan, at) {
        if part(scan, at) || scan.kind(at) == Some(TokenKind::Word) && scan.capital(at) {
            last = Some(at);
        } else if !scan.is(at, PARTICLE) && !matches!(scan.sign(at), '-' | '\'' | '.') {
            break;
        }
        words += 1;
        at += 1;
    }
    last
}

/// "Calle Mayor 15", "Via Roma, 10", "Rua Augusta, 1500".
pub(super) fn street_first(scan: &Scan, at: usize) -> Option<Street> {
    if !scan.is(at, STREET_FIRST) || !scan.capital(at) {
        return None;
    }
    let mut next = named(scan, at)? + 1;
    if scan.sign(next) == ',' {
        next += 1;
    }
    if matches!(scan.low(next), "n" | "no" | "num" | "numero" | "nº" | "n°") && on_line(scan, next) {
        next += 1;
        while matches!(scan.sign(next), '.' | '°' | 'º') {
            next += 1;
        }
    }
    let near =
        on_line(scan, next) && house(scan, next) && !scan.is(next + 1, UNIT) && scan.sign(next + 1) != '%';
    near.then(|| Street { first: at, last: house_end(scan, next) })
}

/// "Hauptstraße 5", "Lange Str. 12a", "Kerkstraat 12".
pub(super) fn one_word(scan: &Scan, at: usize) -> Option<Street> {
    let low = scan.low(at);
    if scan.kind(at) != Some(TokenKind::Word) || !scan.capital(at) || NO_STREETS.contains(&format!(" {low} "))
    {
        return None;
    }
    let (ending, sure) = ENDINGS.iter().find(|(ending, _)| low.ends_with(ending))?;
    let alone = low.len() < ending.len() + 3;
    let mut first = at;
    if alone {
        // "Lange Straße", "Berliner Str.": the word before belongs to it.
        let named =
            at > 0 && part(scan, at - 1) && (scan.gap(at) == Parting::Space || scan.sign(at - 1) == '-');
        let hyphen = at > 1 && scan.sign(at - 1) == '-' && part(scan, at - 2);
        first = if hyphen {
            at - 2
        } else if named {
            at - 1
        } else {
            return None;
        };
    }
    let mut next = at + 1;
    let dot = scan.sign(next) == '.' && scan.gap(next) == Parting::Glued;
    next += usize::from(dot);
    if *ending == "str" && !dot && !alone {
        return None;
    }
    let close = on_line(scan, next) && scan.gap(next) != Parting::Glued || dot && on_line(scan, next);
    if !close || !house(scan, next) || scan.is(next + 1, UNIT) || scan.sign(next + 1) == '%' {
        return None;
    }
    let last = house_end(scan, next);
    // What may be another word is a street where a place follows or nothing does.
    let ends = scan.gap(last + 1) >= Parting::Line || matches!(scan.sign(last + 1), ',' | '.' | ')' | ';');
    (*sure || alone || ends).then_some(Street { first, last })
}
