//! Telephone numbers.

use super::finder::{Candidate, Taken};
use super::lexicon::Cue;
use super::number::{Groups, Near, catalogued, free_after, free_before, measured};
use super::options::PiiKind;
use super::token::{Gap, Kind, Scan};

/// The country codes (ITU-T E.164, annex to the Operational Bulletin), each with the fewest and the most digits behind
/// it: `44:9-10`. Codes that share a first digit or two never begin each other.
const COUNTRIES: &str = "1:10 7:10 20:8-10 211:9 212:9 213:8-9 216:8 218:8-9 220:7 221:9 222:8 223:8 224:8-9 225:8-10 226:8 \
    227:8 228:8 229:8-10 230:7-8 231:7-9 232:8 233:9 234:8-10 235:8 236:8 237:8-9 238:7 239:7 240:9 241:7-8 242:9 243:9 \
    244:9 245:7-9 246:7 247:4-6 248:7 249:9 250:9 251:9 252:7-9 253:8 254:9-10 255:9 256:9 257:8 258:8-9 260:9 261:9-10 \
    262:9 263:9-10 264:8-9 265:7-9 266:8 267:7-8 268:8 269:7 27:9 290:4-6 291:7 297:7 298:6 299:6 30:10 31:9 32:8-9 33:9 \
    34:9 350:8 351:9 352:6-11 353:7-10 354:7-9 355:8-9 356:8 357:8 358:5-12 359:7-9 36:8-9 370:8 371:8 372:7-10 373:8 \
    374:8 375:9 376:6-9 377:8-9 378:6-10 379:6-11 380:9 381:7-10 382:8-9 383:8-9 385:8-9 386:8 387:8-9 389:8 39:6-12 40:9 \
    41:9 420:9 421:9 423:7-9 43:7-13 44:9-10 45:8 46:7-10 47:5-8 48:9 49:6-12 500:5 501:7 502:8 503:7-8 504:8 505:8 506:8 \
    507:7-8 508:6 509:8 51:8-9 52:10-11 53:6-8 54:10-11 55:10-11 56:9 57:8-10 58:10 590:9 591:8 592:7 593:8-9 594:9 595:7-9 \
    596:9 597:6-7 598:7-8 599:7-8 60:8-10 61:9 62:8-12 63:8-10 64:8-10 65:8 66:8-9 670:7-8 672:6 673:7 674:7 675:7-8 \
    676:5-7 677:5-7 678:5-7 679:7 680:7 681:6 682:5 683:4-7 685:5-7 686:5-8 687:6 688:5-6 689:6-8 690:4-7 691:7 692:7 \
    81:9-10 82:8-10 84:9-10 850:8-10 852:8 853:8 855:8-9 856:8-10 86:10-11 870:9 880:8-10 886:8-9 90:10 91:10 92:9-10 \
    93:9 94:9 95:7-10 960:7 961:7-8 962:8-9 963:8-9 964:8-10 965:8 966:8-9 967:7-9 968:8 970:8-9 971:8-9 972:8-9 973:8 \
    974:8 975:7-8 976:8 977:8-10 98:10 992:9 993:8 994:9 995:9 996:9 998:9";

/// The country codes by number.
pub(super) struct CountryCodes(Vec<(u8, u8)>);

impl CountryCodes {
    pub(super) fn new() -> Self {
        let mut codes = vec![(0, 0); 1000];
        for entry in COUNTRIES.split_ascii_whitespace() {
            let Some((code, range)) = entry.split_once(':') else { continue };
            let (least, most) = range.split_once('-').unwrap_or((range, range));
            if let (Ok(code), Ok(least), Ok(most)) = (code.parse::<usize>(), least.parse(), most.parse()) {
                codes[code] = (least, most);
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
            digits[0] != 0
                && (usize::from(least)..=usize::from(most)).contains(&(digits.len() - i - 1))
                && most > 0
        })
    }
}

/// The fewest digits of a number, its country's code counted with it.
const MIN_DIGITS: usize = 7;

/// Signs between the groups of a telephone number.
const SIGNS: &str = "-./()";

#[inline(never)]
pub(super) fn find(scan: &Scan, countries: &CountryCodes, taken: &Taken, out: &mut Vec<Candidate>) {
    let cued = Near::new(scan, Cue::Phone, 7);
    let mut done = 0;
    for first in 0..scan.tokens.len() {
        if first < done || scan.kind(first) != Some(Kind::Number) || taken.has(first) {
            continue;
        }
        let Some((start, groups)) = whole(scan, first, countries, cued.has(first)) else { continue };
        let last = groups.tokens[groups.len() - 1];
        let (end, next) = extension(scan, last);
        done = next;
        out.push(Candidate::new(PiiKind::Phone, start..end));
    }
}

/// The longest telephone number that begins with a group, and the character where it begins.
fn whole(scan: &Scan, first: usize, countries: &CountryCodes, cued: bool) -> Option<(usize, Groups)> {
    let mut start = scan.tokens[first].start;
    let mut at = first;
    let opened = at > 0 && scan.sign(at - 1) == '(' && scan.gap(at) == Gap::Glued;
    at -= usize::from(opened);
    let plus = at > 0 && scan.sign(at - 1) == '+' && scan.gap(at) <= Gap::Space;
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
        if plus && closed && international(scan, &groups, countries) {
            return Some((start, groups));
        }
        if !plus && closed && !measured(scan, last + 1) && (!opened || shut) && free_before(scan, start) {
            let exit = groups.digits.starts_with(&[0, 0])
                && groups.digits.len() >= 10
                && countries.fits(&groups.digits[2..]);
            if exit || (cued || !catalogued(scan, first)) && national(scan, &groups, shut, cued) {
                return Some((start, groups));
            }
        }
        groups.cut(groups.len() - 1);
    }
    None
}

/// Whether the groups behind a `+` are a number with a country's code; "(0)" behind it counts for nothing.
fn international(scan: &Scan, groups: &Groups, countries: &CountryCodes) -> bool {
    let mut digits = Vec::with_capacity(groups.digits.len());
    for (i, &token) in groups.tokens.iter().enumerate() {
        let low = scan.low(token);
        if i > 0 && low == "0" && groups.between[i - 1].ends_with('(') {
            continue;
        }
        digits.extend(low.bytes().map(|b| b - b'0'));
    }
    countries.fits(&digits) && groups.between.iter().all(|between| between != " - " && between != " / ")
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
    if word && scan.gap(at) <= Gap::Space {
        at += 1 + usize::from(scan.sign(at + 1) == '.');
        if matches!(scan.sign(at), ':' | '#') {
            at += 1;
        }
        if scan.kind(at) == Some(Kind::Number) && scan.width(at) <= 6 && scan.gap(at) <= Gap::Space {
            end = scan.tokens[at].end;
            return (end, at + 1);
        }
    }
    (end, last + 1)
}

#[cfg(test)]
mod tests {
    use super::super::token::Lexicon;
    use super::*;

    fn phones(text: &str) -> Vec<String> {
        let scan = Scan::new(text, &Lexicon::new());
        let mut out = Vec::new();
        find(&scan, &CountryCodes::new(), &Taken::none(&scan), &mut out);
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
        let codes = CountryCodes::new();
        assert_eq!(
            codes.0.iter().filter(|range| range.1 > 0).count(),
            COUNTRIES.split_ascii_whitespace().count()
        );
        assert!(
            codes.fits(&[4, 4, 2, 0, 7, 9, 4, 6, 0, 9, 5, 8])
                && !codes.fits(&[4, 4, 2])
                && !codes.fits(&[0, 4, 4])
        );
    }
}
