//! Full dates, and dates of birth by what stands beside them.

use super::candidate::PiiCandidate;
use super::lexicon::{Cue, FILLER, MONTH};
use super::number::free_after;
use super::options::PiiKind;
use super::token::{Parting, PiiTokenKind, Scan};

#[inline(never)]
pub(super) fn find(scan: &Scan, out: &mut Vec<PiiCandidate>) {
    let mut births = scan.cues.iter().filter(|at| at.cue == Cue::Birth).peekable();
    // The tokens behind the last cue, up to which a date is one of birth.
    let mut birth_until = 0;
    let mut at = 0;
    while at < scan.tokens.len() {
        while let Some(cue) = births.next_if(|cue| cue.end <= at) {
            birth_until = cue.end + 5;
        }
        let behind = at < birth_until && bridged(scan, at);
        let Some((last, full)) = date(scan, at) else {
            at += 1;
            continue;
        };
        let range = scan.tokens[at].start..scan.tokens[last].end;
        if behind || follows(scan, last) {
            out.push(PiiCandidate::new(PiiKind::Dob, range));
        } else if full {
            out.push(PiiCandidate::new(PiiKind::Date, range));
        }
        at = last + 1;
    }
}

/// Whether only small words and signs stand between a cue and a date.
fn bridged(scan: &Scan, date: usize) -> bool {
    for at in (date.saturating_sub(6)..date).rev() {
        if scan.gap(at + 1) == Parting::Paragraph {
            return false;
        }
        if scan
            .cues
            .binary_search_by_key(&(at + 1), |cue| cue.end)
            .is_ok_and(|i| scan.cues[i].cue == Cue::Birth)
        {
            return true;
        }
        let sign = matches!(scan.sign(at), ':' | '(' | '-' | '=' | '.' | ',' | '*' | '"' | '|' | '\'');
        if !sign && !scan.is(at, FILLER) {
            return false;
        }
    }
    false
}

/// Whether a date is called one of birth behind it: "(DOB)", "is my birthday".
fn follows(scan: &Scan, last: usize) -> bool {
    for at in last + 1..last + 5 {
        if scan.gap(at) >= Parting::Line {
            return false;
        }
        if let Ok(i) = scan.cues.binary_search_by_key(&at, |cue| cue.start)
            && scan.cues[i].cue == Cue::Birth
        {
            // "Seen on 3 May 2024, born 1980": what is behind belongs to the next.
            return !matches!(scan.low(at), "born" | "geboren" | "nacido" | "nacida");
        }
        if !matches!(scan.sign(at), '(' | ',' | '-') && !scan.is(at, FILLER) {
            return false;
        }
    }
    false
}

/// The last token of a date, and whether it has a year.
fn date(scan: &Scan, first: usize) -> Option<(usize, bool)> {
    match scan.kind(first)? {
        PiiTokenKind::Number => {
            numeric(scan, first).map(|last| (last, true)).or_else(|| day_first(scan, first))
        }
        PiiTokenKind::Word if scan.is(first, MONTH) => month_first(scan, first),
        _ => None,
    }
}

/// "1980-03-12", "12.03.1980", "3/12/80".
fn numeric(scan: &Scan, first: usize) -> Option<usize> {
    let sign = scan.sign(first + 1);
    let sign = if matches!(sign, '-' | '.' | '/') { sign } else { return None };
    // "12. 3. 1980" is written with spaces, but only behind dots.
    let near = |at: usize| scan.gap(at) == Parting::Glued || sign == '.' && scan.gap(at) == Parting::Space;
    if scan.sign(first + 3) != sign || ![first + 2, first + 4].into_iter().all(near) {
        return None;
    }
    if scan.gap(first + 1) != Parting::Glued || scan.gap(first + 3) != Parting::Glued {
        return None;
    }
    let last = first + 4;
    let (a, b, c) = (scan.number(first)?, scan.number(first + 2)?, scan.number(last)?);
    let widths = (scan.width(first), scan.width(first + 2), scan.width(last));
    let day = |n: u32| (1..=31).contains(&n);
    let month = |n: u32| (1..=12).contains(&n);
    let pair = |a: u32, b: u32| day(a) && month(b) || month(a) && day(b);
    let good = match widths {
        (4, 1..=2, 1..=2) => year(a) && month(b) && day(c),
        (1..=2, 1..=2, 4) => pair(a, b) && year(c),
        // Two digits of a year, but not in what may be a version.
        (1..=2, 1..=2, 2) => pair(a, b) && (sign == '/' || widths.0 == 2 && widths.1 == 2),
        _ => false,
    };
    let start = scan.tokens[first].start;
    let before = scan.view.before(start);
    let inner = matches!(before, '.' | '-' | '/') && start > 1 && scan.view.at(start - 2).is_ascii_digit();
    let end = scan.tokens[last].end;
    // A time may be glued on: "1980-03-12T08:00".
    let time = scan.view.at(end) == 'T' && scan.view.at(end + 1).is_ascii_digit();
    (good && !before.is_alphanumeric() && !inner && (free_after(scan, end) || time)).then_some(last)
}

/// "12 March 1980", "12. März 1980", "12 de marzo de 1980", "12th of March, 1980".
fn day_first(scan: &Scan, first: usize) -> Option<(usize, bool)> {
    scan.number(first).filter(|day| (1..=31).contains(day))?;
    let mut at = first + 1;
    if matches!(scan.low(at), "st" | "nd" | "rd" | "th" | "er" | "." | "º") && scan.gap(at) == Parting::Glued
        || matches!(scan.sign(at), '-' | '/') && scan.gap(at) == Parting::Glued
    {
        at += 1;
    }
    if matches!(scan.low(at), "of" | "de" | "di" | "do") {
        at += 1;
    }
    if !scan.is(at, MONTH) || scan.gap(at) > Parting::Space {
        return None;
    }
    Some(with_year(scan, at))
}

/// "March 12, 1980".
fn month_first(scan: &Scan, first: usize) -> Option<(usize, bool)> {
    let mut at = first + 1;
    if scan.sign(at) == '.' {
        at += 1;
    }
    scan.number(at).filter(|day| (1..=31).contains(day) && scan.gap(at) == Parting::Space)?;
    if !scan.capital(first) {
        return None;
    }
    if matches!(scan.low(at + 1), "st" | "nd" | "rd" | "th") && scan.gap(at + 1) == Parting::Glued {
        at += 1;
    }
    Some(with_year(scan, at))
}

/// The last token of a date whose day and month end with one, and whether a year follows.
fn with_year(scan: &Scan, end: usize) -> (usize, bool) {
    let mut at = end + 1;
    for _ in 0..2 {
        if matches!(scan.sign(at), '.' | ',' | '-' | '/') || matches!(scan.low(at), "de" | "del" | "do") {
            at += 1;
        }
    }
    let good = scan.number(at).is_some_and(year) && scan.width(at) == 4 && scan.gap(at) <= Parting::Line;
    if good { (at, true) } else { (end, false) }
}

fn year(number: u32) -> bool {
    (1850..=2099).contains(&number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dates(text: &str) -> Vec<(String, bool)> {
        let scan = Scan::new(text);
        let mut out = Vec::new();
        find(&scan, &mut out);
        let birth = PiiKind::Dob as usize;
        out.iter().map(|c| (scan.view.chars[c.range.clone()].iter().collect(), c.label == birth)).collect()
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
