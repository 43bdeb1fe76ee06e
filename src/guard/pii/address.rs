//! Postal addresses: a street with a number, what stands around it, and places behind a cue.

use std::ops::Range;

use super::finder::{Candidate, Taken};
use super::lexicon::{Cue, PARTICLE, STATE, STOP, STREET, STREET_FIRST, UNIT, UNIT_OF_HOUSE};
use super::number::near;
use super::options::PiiKind;
use super::token::{Gap, Kind, Scan};

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
];

/// Words with such an ending that are no streets.
const NO_STREETS: &str = " atemweg harnweg gallenweg luftweg verdauungsweg rettungsweg fluchtweg infektionsweg ubertragungsweg \
    rechtsweg umweg ausweg hinweg keineswegs arbeitsplatz parkplatz schlafplatz studienplatz zwerchfellplatz therapieplatz \
    weg platz damm ufer plein ";

pub(super) fn find(scan: &Scan, taken: &Taken, out: &mut Vec<Candidate>) {
    let cued = near(scan, Cue::Address, 8);
    let mut at = 0;
    while at < scan.tokens.len() {
        let found = if taken.has(at) {
            None
        } else {
            box_number(scan, at)
                .or_else(|| number_first(scan, at, cued[at]))
                .or_else(|| street_first(scan, at))
                .or_else(|| one_word(scan, at))
                .or_else(|| town(scan, at, cued[at]))
        };
        match found {
            Some(Street { first, last }) => {
                let last = rest(scan, last);
                let range = before(scan, first)..scan.tokens[last].end;
                out.push(Candidate::new(PiiKind::Address, range));
                at = last + 1;
            }
            None => at += 1,
        }
    }
}

/// The tokens of a street and its number.
struct Street {
    first: usize,
    last: usize,
}

/// Whether a word can be part of a street's or a place's name.
fn part(scan: &Scan, at: usize) -> bool {
    scan.kind(at) == Some(Kind::Word)
        && !code_follows(scan, at)
        && scan.capital(at)
        && !scan.is(at, UNIT)
        && (!scan.is(at, STOP) || scan.is(at, STREET))
}

/// Whether a word is the beginning of a code, such as "SW1A".
fn code_follows(scan: &Scan, at: usize) -> bool {
    scan.kind(at + 1) == Some(Kind::Number) && scan.gap(at + 1) == Gap::Glued
}

fn on_line(scan: &Scan, at: usize) -> bool {
    scan.gap(at) <= Gap::Space
}

/// Whether a number is one of a house: short, and not the end of another number.
fn house(scan: &Scan, at: usize) -> bool {
    let Some(token) = scan.get(at) else { return false };
    let before = scan.view.before(token.start);
    let inner = matches!(before, '.' | ',' | ':' | '$' | '€' | '£' | '+' | '<' | '>' | '=')
        || before.is_alphanumeric();
    token.kind == Kind::Number && token.end - token.start <= 5 && !inner
}

/// Behind the digits of a house: "12a", "12-14", "12/3".
fn house_end(scan: &Scan, at: usize) -> usize {
    let mut last = at;
    let letter = |at: usize| scan.width(at) == 1 && scan.kind(at) == Some(Kind::Word);
    if letter(last + 1) && scan.gap(last + 1) == Gap::Glued {
        last += 1;
    }
    if matches!(scan.sign(last + 1), '-' | '/')
        && scan.gap(last + 1) == Gap::Glued
        && scan.gap(last + 2) == Gap::Glued
        && (scan.kind(last + 2) == Some(Kind::Number) && scan.width(last + 2) <= 4 || letter(last + 2))
    {
        last += 2;
    }
    last
}

/// "12 High Street", "221B Baker St.", "12, rue de la Paix".
fn number_first(scan: &Scan, at: usize, cued: bool) -> Option<Street> {
    if !house(scan, at) {
        return None;
    }
    let mut next = house_end(scan, at) + 1;
    if matches!(scan.low(next), "bis" | "ter") {
        next += 1;
    }
    let comma = scan.sign(next) == ',';
    next += usize::from(comma);
    if !on_line(scan, next) || scan.gap(next) == Gap::Glued {
        return None;
    }
    if scan.is(next, STREET_FIRST)
        && (scan.kind(next + 1) == Some(Kind::Word))
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
        let ordinal = scan.kind(next) == Some(Kind::Number)
            && matches!(scan.low(next + 1), "st" | "nd" | "rd" | "th")
            && scan.gap(next + 1) == Gap::Glued;
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
        let word = scan.kind(next) == Some(Kind::Word)
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
        if part(scan, at) || scan.kind(at) == Some(Kind::Word) && scan.capital(at) {
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
fn street_first(scan: &Scan, at: usize) -> Option<Street> {
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
fn one_word(scan: &Scan, at: usize) -> Option<Street> {
    let low = scan.low(at);
    if scan.kind(at) != Some(Kind::Word) || !scan.capital(at) || NO_STREETS.contains(&format!(" {low} ")) {
        return None;
    }
    let (ending, sure) = ENDINGS.iter().find(|(ending, _)| low.ends_with(ending))?;
    let alone = low.len() < ending.len() + 3;
    let mut first = at;
    if alone {
        // "Lange Straße", "Berliner Str.": the word before belongs to it.
        let named = at > 0 && part(scan, at - 1) && (scan.gap(at) == Gap::Space || scan.sign(at - 1) == '-');
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
    let dot = scan.sign(next) == '.' && scan.gap(next) == Gap::Glued;
    next += usize::from(dot);
    if *ending == "str" && !dot && !alone {
        return None;
    }
    let close = on_line(scan, next) && scan.gap(next) != Gap::Glued || dot && on_line(scan, next);
    if !close || !house(scan, next) || scan.is(next + 1, UNIT) || scan.sign(next + 1) == '%' {
        return None;
    }
    let last = house_end(scan, next);
    // What may be another word is a street where a place follows or nothing does.
    let ends = scan.gap(last + 1) >= Gap::Line || matches!(scan.sign(last + 1), ',' | '.' | ')' | ';');
    (*sure || alone || ends).then_some(Street { first, last })
}

/// "P.O. Box 123", "Postfach 12 34 56", "Apartado 15".
fn box_number(scan: &Scan, at: usize) -> Option<Street> {
    let mut next = at;
    let low = scan.low(at);
    if matches!(low, "po" | "p") && at < scan.tokens.len() {
        for word in if low == "po" { &["po", "box"][..] } else { &["p", "o", "box"] } {
            if scan.low(next) != *word {
                return None;
            }
            next += 1;
            if scan.sign(next) == '.' {
                next += 1;
            }
        }
    } else if matches!(low, "postfach" | "apartado" | "postbus") {
        next += 1;
    } else if matches!((low, scan.low(at + 1)), ("boite" | "casella" | "caixa", "postale" | "postal")) {
        next += 2;
    } else {
        return None;
    }
    while matches!(scan.low(next), "de" | "correos" | "postal" | "#" | "no" | ".") && on_line(scan, next) {
        next += 1;
    }
    let number = |at: usize| scan.kind(at) == Some(Kind::Number) && on_line(scan, at) && scan.width(at) <= 7;
    if !number(next) {
        return None;
    }
    let mut last = next;
    while low == "postfach" && number(last + 1) && last < next + 3 {
        last += 1;
    }
    Some(Street { first: at, last })
}

/// "Springfield, IL 62704" anywhere, and behind a cue "10115 Berlin" or a postcode of the United Kingdom.
fn town(scan: &Scan, at: usize, cued: bool) -> Option<Street> {
    if let Some(last) = zip(scan, at) {
        // The name of the town stands before the state.
        let mut first = at;
        let mut comma = false;
        if at > 0 && scan.sign(at - 1) == ',' {
            comma = true;
            first -= 1;
        }
        let mut words = 0;
        while first > 0 && words < 3 && part(scan, first - 1) && on_line(scan, first) {
            first -= 1;
            words += 1;
        }
        if words > 0 && (comma || cued) {
            return Some(Street { first, last });
        }
    }
    if !cued {
        return None;
    }
    if let Some(last) = postcode(scan, at) {
        return Some(Street { first: at, last });
    }
    if house(scan, at) && scan.width(at) == 5 {
        let named = part(scan, at + 1) && scan.gap(at + 1) == Gap::Space;
        let cue = scan.cues.partition_point(|cue| cue.end <= at).checked_sub(1)?;
        let asked = scan.cues[cue].end + 3 >= at
            && matches!(
                scan.low(scan.cues[cue].start),
                "zip"
                    | "zipcode"
                    | "plz"
                    | "postal"
                    | "postleitzahl"
                    | "code"
                    | "codigo"
                    | "cep"
                    | "postcode"
            );
        let last = if named { words_end(scan, at + 1, 2) } else { at };
        let plus = scan.sign(at + 1) == '-' && scan.gap(at + 2) == Gap::Glued && scan.width(at + 2) == 4;
        return (named || asked).then_some(Street { first: at, last: if plus { at + 2 } else { last } });
    }
    None
}

/// The last of some capitalized words that begin at a token.
fn words_end(scan: &Scan, first: usize, most: usize) -> usize {
    let mut last = first;
    while last + 1 < first + most && part(scan, last + 1) && on_line(scan, last + 1) {
        last += 1;
    }
    last
}

/// A state of the United States with a ZIP code: "IL 62704-1234".
fn zip(scan: &Scan, at: usize) -> Option<usize> {
    let state = scan.is(at, STATE) && scan.shouted(at) && scan.width(at) == 2;
    let code =
        scan.kind(at + 1) == Some(Kind::Number) && scan.width(at + 1) == 5 && scan.gap(at + 1) == Gap::Space;
    if !state || !code {
        return None;
    }
    let plus = scan.sign(at + 2) == '-'
        && scan.gap(at + 2) == Gap::Glued
        && scan.gap(at + 3) == Gap::Glued
        && scan.width(at + 3) == 4
        && scan.kind(at + 3) == Some(Kind::Number);
    Some(if plus { at + 3 } else { at + 1 })
}

/// A postcode of the United Kingdom (BS 7666): "SW1A 1AA", "M1 1AE".
fn postcode(scan: &Scan, at: usize) -> Option<usize> {
    let start = scan.get(at).filter(|token| token.kind == Kind::Word && token.end - token.start <= 2)?.start;
    if scan.view.before(start).is_alphanumeric() {
        return None;
    }
    let mut last = at;
    while last < at + 5
        && (scan.gap(last + 1) == Gap::Glued || scan.gap(last + 1) == Gap::Space && last < at + 3)
        && scan.kind(last + 1) != Some(Kind::Sign)
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

/// The character where an address begins: with "Flat 3," or "Apt. 4," before the number of the house.
fn before(scan: &Scan, first: usize) -> usize {
    let mut at = first;
    if at > 0 && scan.sign(at - 1) == ',' {
        at -= 1;
    }
    // The unit's own number, with a letter: "3", "3B", "B".
    let mut unit = at;
    while unit > 0
        && at - unit < 2
        && scan.kind(unit - 1) != Some(Kind::Sign)
        && scan.width(unit - 1) <= 4
        && !scan.is(unit - 1, UNIT_OF_HOUSE)
    {
        unit -= 1;
    }
    if unit < at && unit > 0 && scan.is(unit - 1, UNIT_OF_HOUSE) && on_line(scan, unit) {
        return scan.tokens[unit - 1].start;
    }
    scan.tokens[first].start
}

/// The last token of what follows a street: a direction, a flat, a town, a state, a code, each behind a comma or on
/// the next line.
fn rest(scan: &Scan, street: usize) -> usize {
    let mut last = street;
    for _ in 0..6 {
        let mut at = last + 1;
        let dot = scan.sign(at) == '.'
            && scan.gap(at) == Gap::Glued
            && scan.is(last, STREET)
            && scan.width(last) <= 4;
        at += usize::from(dot);
        if matches!(scan.low(at), "nw" | "ne" | "sw" | "se" | "n" | "s" | "e" | "w")
            && scan.shouted_or_one(at)
            && scan.gap(at) == Gap::Space
            && !code_follows(scan, at)
        {
            last = at;
            continue;
        }
        let comma = scan.sign(at) == ',';
        at += usize::from(comma);
        let parted = comma || scan.gap(at) == Gap::Line;
        if scan.gap(at) == Gap::Paragraph {
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
    if scan.kind(at) == Some(Kind::Number)
        && (4..=5).contains(&scan.width(at))
        && part(scan, at + 1)
        && scan.gap(at + 1) == Gap::Space
        && !scan.is(at + 1, UNIT)
    {
        return Some(words_end(scan, at + 1, 3));
    }
    let code = scan.kind(at) == Some(Kind::Number) && scan.width(at) == 5 && !scan.is(at + 1, UNIT);
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
        token.kind != Kind::Sign && token.end - token.start <= 4 && token.gap <= Gap::Space
    });
    let digits = scan.kind(next) == Some(Kind::Number)
        || scan.kind(next + 1) == Some(Kind::Number) && scan.gap(next + 1) == Gap::Glued
        || scan.width(next) == 1;
    if next == at || !short || !digits {
        return None;
    }
    let glued = scan.gap(next + 1) == Gap::Glued && scan.kind(next + 1) != Some(Kind::Sign);
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
            || scan.sign(last + 1) == '-' && scan.gap(last + 2) == Gap::Glued)
    {
        last += 1;
    }
    if zip(scan, last).is_some() && last > at {
        last -= 1;
    }
    let next = last + 1;
    let ends = scan.gap(next) >= Gap::Line
        || matches!(scan.sign(next), ',' | '.' | ';' | ')' | '!' | '?' | '"')
        || code(scan, next).is_some();
    // One more word in small letters: the sentence goes on behind the place.
    (ends || scan.kind(next) == Some(Kind::Word) && !scan.capital(next)).then_some(last)
}

impl Scan {
    /// Whether a word is all capitals, be it of one letter.
    fn shouted_or_one(&self, at: usize) -> bool {
        self.shouted(at) || self.width(at) == 1 && self.capital(at)
    }
}

#[cfg(test)]
mod tests {
    use super::super::token::Lexicon;
    use super::*;

    fn addresses(text: &str) -> Vec<String> {
        let scan = Scan::new(text, &Lexicon::new());
        let mut out = Vec::new();
        find(&scan, &Taken::none(&scan), &mut out);
        out.iter().map(|c| scan.view.chars[c.range.clone()].iter().collect()).collect()
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
