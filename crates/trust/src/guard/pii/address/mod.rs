//! Postal addresses: a street with a number, what stands around it, and places behind a cue.

mod anchored;
mod locality;
mod street;

use self::locality::{postcode, rest, words_end, zip};
use self::street::{house, number_first, one_word, street_first};
use super::candidate::{PiiCandidate, Taken};
use super::lexicon::{Cue, STOP, STREET, UNIT, UNIT_OF_HOUSE};
use super::number::Near;
use super::options::PiiKind;
use super::token::{Parting, Scan, TokenKind};

#[inline(never)]
pub(super) fn find(scan: &Scan, taken: &Taken, out: &mut Vec<PiiCandidate>) {
    let cued = Near::new(scan, Cue::Address, 8);
    anchored::find(scan, taken, out);
    let mut at = 0;
    while at < scan.tokens.len() {
        let found = if taken.has(at) {
            None
        } else {
            box_number(scan, at)
                .or_else(|| number_first(scan, at, cued.has(at)))
                .or_else(|| street_first(scan, at))
                .or_else(|| one_word(scan, at))
                .or_else(|| town(scan, at, cued.has(at)))
        };
        match found {
            Some(Street { first, last }) => {
                let last = rest(scan, last);
                let range = before(scan, first)..scan.tokens[last].end;
                out.push(PiiCandidate::new(PiiKind::Address, range));
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
    scan.kind(at) == Some(TokenKind::Word)
        && !code_follows(scan, at)
        && scan.capital(at)
        && !scan.is(at, UNIT)
        && (!scan.is(at, STOP) || scan.is(at, STREET))
}

/// Whether a word is the beginning of a code, such as "SW1A".
fn code_follows(scan: &Scan, at: usize) -> bool {
    scan.kind(at + 1) == Some(TokenKind::Number) && scan.gap(at + 1) == Parting::Glued
}

fn on_line(scan: &Scan, at: usize) -> bool {
    scan.gap(at) <= Parting::Space
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
    let number =
        |at: usize| scan.kind(at) == Some(TokenKind::Number) && on_line(scan, at) && scan.width(at) <= 7;
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
        let named = part(scan, at + 1) && scan.gap(at + 1) == Parting::Space;
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
        let plus = scan.sign(at + 1) == '-' && scan.gap(at + 2) == Parting::Glued && scan.width(at + 2) == 4;
        return (named || asked).then_some(Street { first: at, last: if plus { at + 2 } else { last } });
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
        && scan.kind(unit - 1) != Some(TokenKind::Sign)
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

impl Scan {
    /// Whether a word is all capitals, be it of one letter.
    fn shouted_or_one(&self, at: usize) -> bool {
        self.shouted(at) || self.width(at) == 1 && self.capital(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(text: &str) -> Vec<String> {
        let scan = Scan::new(text);
        let mut out = Vec::new();
        find(&scan, &Taken::none(&scan), &mut out);
        // Two rules may find the same address, which the finder makes one.
        let mut ranges: Vec<_> = out.iter().map(|c| (c.range.start, c.range.end)).collect();
        ranges.sort_unstable_by_key(|&(start, end)| (start, std::cmp::Reverse(end)));
        let mut last = 0;
        ranges.retain(|range| {
            let further = range.1 > last;
            last = last.max(range.1);
            further
        });
        ranges.iter().map(|&(start, end)| scan.view.chars[start..end].iter().collect()).collect()
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
