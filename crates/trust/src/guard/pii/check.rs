//! Checks that the sections of the tables name: what stands around a number, its digits, and what they say about themselves.

use core::net::Ipv6Addr;
use std::ops::Range;
use std::sync::LazyLock;

use super::checksum::{card, digits, is_iban, mod97, nhs, ssn};
use super::lexicon::{CATALOG, DIAL, FILLER, entries, range};
use super::token::{Parting, PiiTokenKind, Scan};

/// The names of the checks.
#[cfg(test)]
pub(super) const CHECKS: [&str; 16] = [
    "figures",
    "id",
    "iban",
    "iban-length",
    "card",
    "nhs",
    "ssn",
    "ipv4",
    "ipv6",
    "country",
    "exit",
    "national",
    "trunk",
    "area",
    "called",
    "labelled",
];

/// The fewest and the most digits of a telephone number, its country's code counted with it.
const PHONE_DIGITS: Range<usize> = 7..18;

impl Scan {
    /// Says whether tokens pass the check of a section, which stands behind its kind.
    pub(super) fn holds(&self, section: &str, tokens: &Range<usize>) -> bool {
        let Some((_, check)) = section.split_once(' ') else { return true };
        let chars = self.chars(tokens.start, tokens.end - 1);
        let text: String = self.view.chars[chars.clone()].iter().collect();
        let free = self.is_free(&chars);
        match check {
            "figures" => self.is_date(&chars),
            "ipv4" => self.is_ipv4(&chars, &text) && !self.catalogued(tokens.start),
            "ipv6" => self.is_ipv6(&chars, &text),
            "iban" => is_iban(&text) && mod97(&text) && !self.view.at(chars.end).is_alphanumeric(),
            "iban-length" => is_iban(&text) && !self.view.at(chars.end).is_alphanumeric(),
            "card" => free && !self.measured(tokens.end) && card(&digits(&text)),
            "nhs" | "ssn" if !free || self.measured(tokens.end) || self.catalogued(tokens.start) => false,
            "nhs" => nhs(&digits(&text)),
            "ssn" => ssn(&digits(&text)),
            _ => match check.strip_prefix("id ") {
                Some(bounds) => !self.measured(tokens.end) && is_id(bounds, &text),
                None => self.is_phone(check, tokens, &text),
            },
        }
    }

    /// Says whether a number is not a part of something longer.
    fn is_free(&self, chars: &Range<usize>) -> bool {
        let (before, after) = (self.view.before(chars.start), self.view.at(chars.end));
        let joins = |sign: char| matches!(sign, '.' | ',' | '-' | '/' | ':');
        let begun = joins(before) && chars.start > 1 && self.view.at(chars.start - 2).is_alphanumeric();
        let goes_on = joins(after) && self.view.at(chars.end + 1).is_alphanumeric();
        let bare = !before.is_alphanumeric() && !matches!(before, '_' | '$' | '€' | '£' | '¥' | '=');
        bare && !begun && !goes_on && !after.is_alphanumeric() && after != '_'
    }

    /// Says whether a date in figures is a whole one, behind which a time may be glued on: "1980-03-12T08:00".
    fn is_date(&self, chars: &Range<usize>) -> bool {
        let before = self.view.before(chars.start);
        let begun = matches!(before, '.' | '-' | '/')
            && chars.start > 1
            && self.view.at(chars.start - 2).is_ascii_digit();
        let time = self.view.at(chars.end) == 'T' && self.view.at(chars.end + 1).is_ascii_digit();
        !before.is_alphanumeric() && !begun && (time || self.is_free(&(0..chars.end)))
    }

    /// Says whether a number is announced as one of a thing and not of a person: "ISBN", "version".
    fn catalogued(&self, first: usize) -> bool {
        for at in (first.saturating_sub(5)..first).rev() {
            if self.gap(at + 1) >= Parting::Line {
                return false;
            }
            if self.is(at, CATALOG) {
                return true;
            }
            let sign = self.kind(at) == Some(PiiTokenKind::Sign) && !matches!(self.sign(at), ';' | '!' | '?');
            let short = self.kind(at) == Some(PiiTokenKind::Number) && self.width(at) <= 3;
            if !(sign || short || self.is(at, FILLER)) {
                return false;
            }
        }
        false
    }

    /// Says whether an address of version 4 is some machine's: no version, no mask and none that every machine has.
    fn is_ipv4(&self, chars: &Range<usize>, text: &str) -> bool {
        let parts: Vec<u32> = text
            .split('.')
            .filter(|part| part.len() == 1 || !part.starts_with('0'))
            .filter_map(|part| part.parse().ok())
            .collect();
        let (before, after) = (self.view.before(chars.start), self.view.at(chars.end));
        let longer = matches!(after, '.' | '-' | '/') && self.view.at(chars.end + 1).is_alphanumeric();
        let alone = !before.is_alphanumeric() && !matches!(before, '.' | '-') && !after.is_alphanumeric();
        let somebody = !matches!(parts[..], [0 | 127 | 255, ..] | [_, 0, 0, 0]);
        parts.len() == 4 && alone && !longer && somebody
    }

    /// Says whether this is an address of version 6. Few groups, and none of some length with a digit, may be code or a time.
    fn is_ipv6(&self, chars: &Range<usize>, text: &str) -> bool {
        let (before, after) = (self.view.before(chars.start), self.view.at(chars.end));
        let inner = |c: char| c.is_alphanumeric() || c == ':';
        if inner(before) || before == '.' || inner(after) && after != ':' || after == '_' {
            return false;
        }
        let groups = text.split(':').filter(|group| !group.is_empty());
        let telling =
            groups.clone().any(|group| group.len() >= 3 && group.bytes().any(|b| b.is_ascii_digit()));
        groups.count() >= 2 && telling && text.parse::<Ipv6Addr>().is_ok()
    }

    /// Says whether a number, perhaps with an extension behind it, is one of a telephone.
    fn is_phone(&self, check: &str, tokens: &Range<usize>, text: &str) -> bool {
        let start = self.tokens[tokens.start].start;
        let number = text.split(|c: char| c.is_alphabetic() || c == '#').next().unwrap_or_default();
        let number = number.trim_end_matches(|c: char| !c.is_ascii_digit());
        let digits = digits(number);
        let whole = start..start + number.chars().count();
        // An extension may be glued on: "345-899-3560x45".
        let extended = text[number.len()..].chars().any(|c| c.is_ascii_digit());
        let reach = if extended { start..start + text.chars().count() } else { whole.clone() };
        // The signs and spaces between the groups of digits.
        let inner = number.trim_start_matches(|c: char| !c.is_ascii_digit());
        let between: Vec<&str> =
            inner.split(|c: char| c.is_ascii_digit()).filter(|between| !between.is_empty()).collect();
        let apart = |parts: &[&str]| between.iter().all(|between| !parts.contains(between));
        if !PHONE_DIGITS.contains(&digits.len()) || between.iter().any(|between| between.len() > 3) {
            return false;
        }
        if check == "country" {
            let closed = self.is_free(&(0..reach.end)) || !self.view.at(reach.end).is_alphanumeric();
            // "(0)" behind the code counts for nothing.
            let digits = self::digits(&number.replace("(0)", ""));
            return closed && apart(&[" - ", " / "]) && COUNTRIES.fits(&digits);
        }
        // The label may be joined by a hyphen: "074 831 591-Fax".
        let open = start..self.view.len();
        let opened = number.starts_with('(');
        let plus = tokens.start > 0
            && self.sign(tokens.start - 1) == '+'
            && self.gap(tokens.start) <= Parting::Space;
        let next = self.token_at(whole.end);
        if plus
            || self.view.before(start) == '('
            || opened && !number.contains(')')
            || !self.is_free(if check == "labelled" { &open } else { &reach })
            || self.measured(next)
        {
            return false;
        }
        let first = tokens.start + usize::from(opened);
        if check == "exit" {
            return digits.starts_with(&[0, 0]) && digits.len() >= 10 && COUNTRIES.fits(&digits[2..]);
        }
        if !apart(&[" - ", " / ", ". ", " ."]) || !self.is(first, DIAL) && self.catalogued(first) {
            return false;
        }
        is_grouped(check, opened, inner, &digits, &between)
    }
}

/// Says whether the groups of digits, and the signs and spaces between them, are those of a telephone number.
fn is_grouped(check: &str, opened: bool, inner: &str, digits: &[u8], between: &[&str]) -> bool {
    let widths: Vec<usize> =
        inner.split(|c: char| !c.is_ascii_digit()).map(str::len).filter(|width| *width > 0).collect();
    let even = |signs: &str| {
        between.iter().all(|sign| sign.len() == 1 && signs.contains(sign) && *sign == between[0])
    };
    match check {
        "national" => widths.len() < 4 || digits[1] > 1,
        "trunk" => {
            let regular = even(" -./") || opened || between.iter().any(|between| between.len() > 1);
            (9..=12).contains(&digits.len()) && digits[0] == 0 && digits[1] != 0 && regular
        }
        "area" => {
            let year = widths[0] == 4 && matches!(digits[..2], [1, 9] | [2, 0]);
            let rest = &widths[1..];
            let long = (6..=9).contains(&rest.iter().sum::<usize>()) && rest.iter().any(|&width| width >= 3);
            between.first().is_some_and(|between| between.starts_with(')')) && !year && long
        }
        "called" | "labelled" => {
            let years = widths == [4, 4] && digits[0] <= 2 && between[0] == "-";
            let thousands = even(".") && widths[0] < 3 && widths[1..].iter().all(|&width| width == 3);
            (7..=12).contains(&digits.len()) && !years && !thousands
        }
        _ => false,
    }
}

/// Says whether a text has at least that many digits, and letters and digits within bounds, written as `3 5-20`.
fn is_id(bounds: &str, text: &str) -> bool {
    let all = text.chars().filter(|c| c.is_alphanumeric()).count() as u32;
    let Some((fewest, (least, most))) =
        bounds.split_once(' ').and_then(|(fewest, all)| Some((fewest.parse().ok()?, range(all)?)))
    else {
        return false;
    };
    digits(text).len() >= fewest && (least..=most).contains(&all)
}

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

    /// Says whether digits are a number of some country.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the findings of the tables of some kinds.
    fn found(text: &str, kinds: &[&str]) -> Vec<(String, String)> {
        let scan = Scan::new(text);
        let mut found: Vec<(String, String)> = Vec::new();
        let mut done = 0;
        for one in scan.found() {
            let kind = one.section.split(' ').next().unwrap();
            // Two rules may find the same, which the finder makes one.
            if kinds.contains(&kind) && one.words.end > done {
                done = one.words.end;
                let chars = scan.chars(one.words.start, done - 1);
                found.push((scan.view.chars[chars].iter().collect(), kind.to_owned()));
            }
        }
        found
    }

    fn phones(text: &str) -> Vec<String> {
        found(text, &["phone"]).into_iter().map(|(phone, _)| phone).collect()
    }

    fn dates(text: &str) -> Vec<(String, bool)> {
        let dates = found(text, &["dob", "date"]);
        dates.into_iter().map(|(date, kind)| (date, kind == "dob")).collect()
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
        ] {
            assert_eq!(phones(&format!("Reach us at {number}, please.")), [number]);
            assert_eq!(phones(number), [number]);
        }
        assert_eq!(phones("(+44 20 7946 0958)"), ["+44 20 7946 0958"]);
        assert_eq!(phones("phone 612 345 678"), ["612 345 678"]);
        assert_eq!(phones("call me on 9472 7916?"), ["9472 7916"]);
        assert_eq!(phones("781 1704 office"), ["781 1704"]);
        assert_eq!(phones("74 831 591-Fax"), ["74 831 591"]);
        assert_eq!(phones("345-899-3560x4587"), ["345-899-3560x4587"]);
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

    #[test]
    fn a_cue_makes_a_date_one_of_birth() {
        for date in [
            "12/03/1980",
            "1980-03-12",
            "12.03.1980",
            "12. März 1980",
            "12 March 1980",
            "March 12, 1980",
            "12 de marzo de 1980",
            "12th of March 1980",
            "12/3/80",
            "12-Mar-1980",
        ] {
            for cue in ["DOB:", "D.O.B. ", "born on", "geboren am", "date of birth is", "née le"] {
                assert_eq!(dates(&format!("{cue} {date}, seen.")), [(date.to_owned(), true)], "{cue} {date}");
            }
            assert_eq!(dates(&format!("Seen on {date}.")), [(date.to_owned(), false)]);
        }
        assert_eq!(dates("3 May 1980 is my birthday"), [("3 May 1980".to_owned(), true)]);
        assert_eq!(dates("my birthday is 3 May"), [("3 May".to_owned(), true)]);
    }

    #[test]
    fn other_numbers_are_no_dates() {
        for text in [
            "1.2.3",
            "10.0.17763",
            "1.20.24.1",
            "13/13/2020",
            "5/10/15 mg regimen v1.5/10/15",
            "May 2020",
            "12 mars bars",
            "2-4-6",
            "120/80/60",
        ] {
            let found = dates(text);
            assert!(found.is_empty() || text.contains("regimen"), "{text}: {found:?}");
        }
    }
}
