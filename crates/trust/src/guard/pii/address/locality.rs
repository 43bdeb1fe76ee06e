//! What follows a street: a flat, a town, a state and a code.

use std::ops::Range;

use super::{code_follows, on_line, part};
use crate::guard::pii::lexicon::{STATE, STREET, UNIT, UNIT_OF_HOUSE};
use crate::guard::pii::token::{Parting, Scan, TokenKind};

/// The last token of what follows a street: a direction, a flat, a town, a state, a code, each behind a comma or on
/// the next line.
pub(super) fn rest(scan: &Scan, street: usize) -> usize {
    let mut last = street;
    for _ in 0..6 {
        let mut at = last + 1;
        let dot = scan.sign(at) == '.'
            && scan.gap(at) == Parting::Glued
            && scan.is(last, STREET)
            && scan.width(last) <= 4;
        at += usize::from(dot);
        if matches!(scan.low(at), "nw" | "ne" | "sw" | "se" | "n" | "s" | "e" | "w")
            && scan.shouted_or_one(at)
            && scan.gap(at) == Parting::Space
            && !code_follows(scan, at)
        {
            last = at;
            continue;
        }
        let comma = scan.sign(at) == ',';
        at += usize::from(comma);
        let parted = comma || scan.gap(at) == Parting::Line;
        if scan.gap(at) == Parting::Paragraph {
            break;
        }
        let next =
            code(scan, at).or_else(|| flat(scan, at)).or_else(|| parted.then(|| place(scan, at)).flatten());
        match next {
            Some(next) => last = next,
            None => break,
        }
    }
    last
}

/// A code of a place, with the place where it stands behind: "62704", "SW1A 1AA", "10115 Berlin", "IL 62704".
fn code(scan: &Scan, at: usize) -> Option<usize> {
    if let Some(last) = zip(scan, at).or_else(|| postcode(scan, at)) {
        return Some(last);
    }
    if scan.kind(at) == Some(TokenKind::Number)
        && (4..=5).contains(&scan.width(at))
        && part(scan, at + 1)
        && scan.gap(at + 1) == Parting::Space
        && !scan.is(at + 1, UNIT)
    {
        return Some(words_end(scan, at + 1, 3));
    }
    let code = scan.kind(at) == Some(TokenKind::Number) && scan.width(at) == 5 && !scan.is(at + 1, UNIT);
    code.then_some(at)
}

/// "Apt 4B", "Flat 3", "2nd floor", "#12".
fn flat(scan: &Scan, at: usize) -> Option<usize> {
    let mut next = at;
    if scan.is(at, UNIT_OF_HOUSE) {
        next += 1;
        next += usize::from(scan.sign(next) == '.');
    }
    if scan.sign(next) == '#' {
        next += 1;
    }
    let short = scan.get(next).is_some_and(|token| {
        token.kind != TokenKind::Sign && token.end - token.start <= 4 && token.gap <= Parting::Space
    });
    let digits = scan.kind(next) == Some(TokenKind::Number)
        || scan.kind(next + 1) == Some(TokenKind::Number) && scan.gap(next + 1) == Parting::Glued
        || scan.width(next) == 1;
    if next == at || !short || !digits {
        return None;
    }
    let glued = scan.gap(next + 1) == Parting::Glued && scan.kind(next + 1) != Some(TokenKind::Sign);
    Some(if glued { next + 1 } else { next })
}

/// The name of a town or a country, if it ends before a sign, a line or a code.
fn place(scan: &Scan, at: usize) -> Option<usize> {
    if !part(scan, at) {
        return None;
    }
    let mut last = at;
    while last < at + 3
        && (part(scan, last + 1) && on_line(scan, last + 1)
            || scan.sign(last + 1) == '-' && scan.gap(last + 2) == Parting::Glued)
    {
        last += 1;
    }
    if zip(scan, last).is_some() && last > at {
        last -= 1;
    }
    let next = last + 1;
    let ends = scan.gap(next) >= Parting::Line
        || matches!(scan.sign(next), ',' | '.' | ';' | ')' | '!' | '?' | '"')
        || code(scan, next).is_some();
    // One more word in small letters: the sentence goes on behind the place.
    (ends || scan.kind(next) == Some(TokenKind::Word) && !scan.capital(next)).then_some(last)
}

/// The last of some capitalized words that begin at a token.
pub(super) fn words_end(scan: &Scan, first: usize, most: usize) -> usize {
    let mut last = first;
    while last + 1 < first + most && part(scan, last + 1) && on_line(scan, last + 1) {
        last += 1;
    }
    last
}

/// A state of the United States with a ZIP code: "IL 62704-1234".
pub(super) fn zip(scan: &Scan, at: usize) -> Option<usize> {
    let state = scan.is(at, STATE) && scan.shouted(at) && scan.width(at) == 2;
    let code = scan.kind(at + 1) == Some(TokenKind::Number)
        && scan.width(at + 1) == 5
        && scan.gap(at + 1) == Parting::Space;
    if !state || !code {
        return None;
    }
    let plus = scan.sign(at + 2) == '-'
        && scan.gap(at + 2) == Parting::Glued
        && scan.gap(at + 3) == Parting::Glued
        && scan.width(at + 3) == 4
        && scan.kind(at + 3) == Some(TokenKind::Number);
    Some(if plus { at + 3 } else { at + 1 })
}

/// A postcode of the United Kingdom (BS 7666): "SW1A 1AA", "M1 1AE".
pub(super) fn postcode(scan: &Scan, at: usize) -> Option<usize> {
    let start =
        scan.get(at).filter(|token| token.kind == TokenKind::Word && token.end - token.start <= 2)?.start;
    if scan.view.before(start).is_alphanumeric() {
        return None;
    }
    let mut last = at;
    while last < at + 5
        && (scan.gap(last + 1) == Parting::Glued || scan.gap(last + 1) == Parting::Space && last < at + 3)
        && scan.kind(last + 1) != Some(TokenKind::Sign)
    {
        last += 1;
    }
    let shape = |range: Range<usize>| -> String {
        let sign = |c: &char| {
            if c.is_ascii_digit() {
                Some('9')
            } else if c.is_ascii_alphabetic() {
                Some('A')
            } else {
                None
            }
        };
        scan.view.chars[range].iter().filter_map(sign).collect()
    };
    while last > at + 1 {
        let end = scan.tokens[last].end;
        let letters = &scan.view.chars[end - 2..end];
        let unused =
            letters.iter().any(|c| matches!(c.to_ascii_uppercase(), 'C' | 'I' | 'K' | 'M' | 'O' | 'V'));
        let good =
            matches!(&*shape(start..end), "A99AA" | "A999AA" | "AA99AA" | "AA999AA" | "A9A9AA" | "AA9A9AA");
        if good && !unused && !scan.view.at(end).is_alphanumeric() {
            return Some(last);
        }
        last -= 1;
    }
    None
}
