//! Telephone numbers.

use std::sync::LazyLock;

use super::candidate::{PiiCandidate, Taken};
use super::lexicon::{Cue, entries, range};
use super::number::{Groups, NearCue, catalogued, free_after, free_before};
use super::options::PiiKind;
use super::token::{Parting, PiiTokenKind, Scan};

/// The country codes by number, each with the fewest and the most digits behind it.
static COUNTRIES: LazyLock<CountryCodes> = LazyLock::new(CountryCodes::new);

struct CountryCodes(Vec<(u32, u32)>);

impl CountryCodes {
    fn new() -> Self {
        let mut codes = vec![(0, 0); 1000];
        for (code, digits) in entries("country-codes") {
            if let (Some((code, _)), Some(digits)) = (range(code), range(digits))
                && let Some(known) = codes.get_mut(code as usize)
            {
                *known = digits;
            }
        }
        Self(codes)
    }

    /// Whether the digits behind the `+` are a number of some country.
    fn fits(&self, digits: &[u8]) -> bool {
        let mut code = 0;
        digits.iter().take(3).enumerate().any(|(i, &digit)| {
            code = code * 10 + usize::from(digit);
            let (least, most) = self.0[code];
            // A leading zero would be another code of the same value.
            digits[0] != 0 && (least..=most).contains(&((digits.len() - i - 1) as u32)) && most > 0
        })
    }
}

/// The fewest digits of a number, its country's code counted with it.
const MIN_DIGITS: usize = 7;

/// Signs between the groups of a telephone number.
const SIGNS: &str = "-./()";

#[inline(never)]
pub(super) fn find(scan: &Scan, taken: &Taken, out: &mut Vec<PiiCandidate>) {
    let cued = NearCue::new(scan, Cue::Phone, 7);
    let mut done = 0;
    for first in 0..scan.tokens.len() {
        if first < done || scan.kind(first) != Some(PiiTokenKind::Number) || taken.has(first) {
            continue;
        }
        let Some((start, groups)) = whole(scan, first, cued.has(first)) else { continue };
        let last = groups.tokens[groups.len() - 1];
        let (end, next) = extension(scan, last);
        done = next;
        out.push(PiiCandidate::new(PiiKind::Phone, start..end));
    }
}

/// The longest telephone number that begins with a group, and the character where it begins.
fn whole(scan: &Scan, first: usize, cued: bool) -> Option<(usize, Groups)> {
    let mut start = scan.tokens[first].start;
    let mut at = first;
    let opened = at > 0 && scan.sign(at - 1) == '(' && scan.gap(at) == Parting::Glued;
    at -= usize::from(opened);
    let plus = at > 0 && scan.sign(at - 1) == '+' && scan.gap(at) <= Parting::Space;
    if plus || opened {
        start = scan.tokens[at - usize::from(plus)].start;
    }
    // In "(+44 20 ...)" the bracket is around all of it, and stays.
    let mut groups = Groups::read(scan, first, SIGNS, 17);
    while groups.digits.len() >= MIN_DIGITS {
        let last = groups.tokens[groups.len() - 1];
        let (from, to) = (scan.tokens[first].start, scan.tokens[last].end);
        let shut = opened && scan.view.chars[from..to].contains(&')');
        let closed = free_after(scan, to) || plus && !scan.view.at(to).is_alphanumeric();
        if plus && closed && international(scan, &groups) {
            return Some((start, groups));
        }
        if !plus && closed && !scan.measured(last + 1) && (!opened || shut) && free_before(scan, start) {
            let exit = groups.digits.starts_with(&[0, 0])
                && groups.digits.len() >= 10
                && COUNTRIES.fits(&groups.digits[2..]);
            if exit || (cued || !catalogued(scan, first)) && national(scan, &groups, shut, cued) {
                return Some((start, groups));
            }
        }
        groups.cut(groups.len() - 1);
    }
    None
}

/// Whether the groups behind a `+` are a number with a country's code; "(0)" behind it counts for nothing.
fn international(scan: &Scan, groups: &Groups) -> bool {
    let mut digits = Vec::with_capacity(groups.digits.len());
    for (i, &token) in groups.tokens.iter().enumerate() {
        let low = scan.low(token);
        if i > 0 && low == "0" && groups.between[i - 1].ends_with('(') {
            continue;
        }
        digits.extend(low.bytes().map(|b| b - b'0'));
    }
    COUNTRIES.fits(&digits) && groups.between.iter().all(|between| between != " - " && between != " / ")
}

/// Whether the groups are a number as it is written within a country.
fn national(scan: &Scan, groups: &Groups, bracketed: bool, cued: bool) -> bool {
    let digits = &groups.digits;
    let apart = groups.between.iter().all(|between| !matches!(&**between, " - " | " / " | ". " | " ."));
    let one_sign = groups.even(" -./") || bracketed || groups.between.iter().any(|between| between.len() > 1);
    // Area code and exchange begin with 2 to 9 in North America.
    let america = |digits: &[u8]| digits.len() == 10 && digits[0] > 1 && digits[3] > 1;
    let loose =
        groups.between.iter().all(|between| matches!(&**between, " " | "-" | "." | "/" | ") " | ")" | ")-"));
    match &*groups.widths {
        [3, 3, 4] if loose && america(digits) => true,
        [1, 3, 3, 4] if digits[0] == 1 && america(&digits[1..]) => true,
        // The exchange that is kept for fiction; any other seven digits need a cue.
        [3, 4] if digits.starts_with(&[5, 5, 5]) && groups.even("-. ") => true,
        // Trunk prefix: several groups, or one that is as long as a number.
        [first, rest @ ..]
            if (9..=12).contains(&digits.len())
                && digits[0] == 0
                && digits[1] != 0
                && apart
                && (*first >= 2 && !rest.is_empty() && one_sign
                    || rest.is_empty() && (10..=11).contains(first)) =>
        {
            true
        }
        // "(11) 91234-5678": an area code in brackets, which is no year.
        [2..=5, rest @ ..]
            if bracketed
                && apart
                && groups.between.first().is_some_and(|between| between.starts_with(')')) =>
        {
            let year = groups.widths[0] == 4 && matches!(digits[..2], [1, 9] | [2, 0]);
            !year
                && (6..=9).contains(&rest.iter().sum::<usize>())
                && (rest.iter().any(|&width| width >= 3) && rest.len() <= 4)
        }
        widths => cued && apart && announced(scan, groups, widths),
    }
}

/// Whether the groups behind "phone" or "call" may be a number that has no form of its own.
fn announced(scan: &Scan, groups: &Groups, widths: &[usize]) -> bool {
    let year_range = widths == [4, 4] && groups.digits[0] <= 2 && groups.between[0] == "-";
    let thousands = groups.even(".") && widths[1..].iter().all(|&width| width == 3) && widths[0] < 3;
    let first = groups.tokens[0];
    let counted = first > 0
        && matches!(scan.low(first - 1), "about" | "over" | "nearly" | "than" | "every" | "approximately");
    (7..=12).contains(&groups.digits.len()) && !year_range && !thousands && !counted
}

/// The end of a number with its extension, if it has one: "ext. 12", "x12".
fn extension(scan: &Scan, last: usize) -> (usize, usize) {
    let mut end = scan.tokens[last].end;
    let mut at = last + 1;
    // A bracket that closes behind the number stays outside, a comma before the extension goes with it.
    if matches!(scan.sign(at), ',' | ';') {
        at += 1;
    }
    let word = matches!(
        scan.low(at),
        "ext" | "x" | "extension" | "extn" | "durchwahl" | "dw" | "poste" | "interno" | "ramal" | "#"
    );
    if word && scan.gap(at) <= Parting::Space {
        at += 1 + usize::from(scan.sign(at + 1) == '.');
        if matches!(scan.sign(at), ':' | '#') {
            at += 1;
        }
        if scan.kind(at) == Some(PiiTokenKind::Number)
            && scan.width(at) <= 6
            && scan.gap(at) <= Parting::Space
        {
            end = scan.tokens[at].end;
            return (end, at + 1);
        }
    }
    (end, last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phones(text: &str) -> Vec<String> {
        let scan = Scan::new(text);
        let mut out = Vec::new();
        find(&scan, &Taken::none(&scan), &mut out);
        out.iter().map(|c| scan.view.chars[c.range.clone()].iter().collect()).collect()
    }

    #[test]
    fn numbers_are_found_whole() {
        for number in [
            "+44 20 7946 0958",
            "+44 (0)20 7946 0958",
            "+1 (202) 555-0123",
            "+1-202-555-0123",
            "+12025550123",
            "(202) 555-0123",
            "202-555-0123",
            "202.555.0123",
            "1-202-555-0123",
            "555-0123",
            "020 7946 0958",
            "07700 900123",
            "07700900123",
            "0044 20 7946 0958",
            "01 99 00 12 34",
            "030 23125 123",
            "+49 30 23125-123",
            "(020) 7946 0111",
            "(030) 23125 123",
            "+33 1 99 00 12 34",
            "202-555-0123 ext. 45",
            "202-555-0123 x45",
            "(0 30) 23125 123",
        ] {
            let want = if number.starts_with("(0 ") { continue } else { number };
            assert_eq!(phones(&format!("Reach us at {number}, please.")), [want]);
            assert_eq!(phones(number), [want]);
        }
        assert_eq!(phones("(+44 20 7946 0958)"), ["+44 20 7946 0958"]);
        assert_eq!(phones("phone 612 345 678"), ["612 345 678"]);
    }

    #[test]
    fn other_numbers_are_none() {
        for text in [
            "10-15 mg",
            "2019-2024",
            "250-1000 mg",
            "120/80 mmHg",
            "version 1.2.3",
            "0.5-1.0 mg/kg",
            "1 000 000 patients",
            "100 200 300",
            "ISBN 0-306-40615-2",
            "978-0-306-40615-7",
            "12345678",
            "+ 5 mg",
            "+1 +1 +1 +1",
            "2024-01-15 10:30",
            "612 345 678",
            "(2019) 380 1234",
            "call in 10-15 minutes",
            "1-2-3-4-5-6",
            "05.06.20",
            "3.14159265",
        ] {
            assert_eq!(phones(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn every_entry_of_the_table_is_read() {
        let codes = &COUNTRIES;
        assert_eq!(codes.0.iter().filter(|range| range.1 > 0).count(), entries("country-codes").count());
        assert!(
            codes.fits(&[4, 4, 2, 0, 7, 9, 4, 6, 0, 9, 5, 8])
                && !codes.fits(&[4, 4, 2])
                && !codes.fits(&[0, 4, 4])
        );
    }
}
