//! Names that the structure around them tells: fields, letters, a person's age or number behind, a relative of theirs.

use super::lexicon::{Cue, DISEASE, EPONYM, GIVEN, KIN, MONTH, PARTICLE, STOP, TITLE, UNIT, VERB, WORDLIKE};
use super::names::{Trust, goes_on, joined, name, part, term};
use super::token::{Parting, Scan, TokenKind};

/// The most tokens of a name that is read backwards.
const MAX_TOKENS: usize = 9;

#[inline(never)]
pub(super) fn find(scan: &Scan, names: &mut Vec<(usize, usize)>) {
    for cue in &scan.cues {
        if matches!(cue.cue, Cue::Birth | Cue::Record | Cue::Nhs | Cue::Social | Cue::Passport) {
            before_number(scan, cue.start, cue.cue == Cue::Birth, names);
        } else if cue.cue == Cue::Title || scan.low(cue.start) == "doctor" {
            small_title(scan, cue.start, cue.end, names);
        } else if matches!(scan.low(cue.start), "pt" | "patient" | "resident" | "client") {
            bedded(scan, cue.end, names);
        }
    }
    for at in 0..scan.tokens.len() {
        // "Leocadia's mother"
        let owner = scan.sign(at) == '\'' && scan.low(at + 1) == "s" && scan.gap(at + 1) == Parting::Glued;
        if owner && at > 0 && scan.gap(at) == Parting::Glued {
            relative_of(scan, at, names);
        }
        if begins(scan, at) {
            aged(scan, at, names);
        }
        if scan.sign(at) == ',' && at > 0 && degree(scan, at + 1) {
            with_degree(scan, at, names);
        }
    }
}

/// Where the value of a field begins: behind a colon, or a hyphen with spaces around it.
pub(super) fn field_end(scan: &Scan, start: usize, end: usize) -> Option<usize> {
    let hyphen = || {
        scan.sign(end) == '-'
            && scan.gap(end) == Parting::Space
            && scan.gap(end + 1) == Parting::Space
            && (end > start + 1 || scan.low(start) == "name")
    };
    (scan.sign(end) == ':' || hyphen()).then_some(end + 1)
}

/// Whether a cue for a person's number or birth begins at a token.
pub(super) fn number_cue(scan: &Scan, at: usize) -> bool {
    let index = scan.cues.partition_point(|cue| cue.start < at);
    scan.cues.get(index).is_some_and(|cue| {
        cue.start == at && matches!(cue.cue, Cue::Birth | Cue::Record | Cue::Nhs | Cue::Social | Cue::Phone)
    })
}

/// Whether a word behind "Nurse" or "Doctor" is the rest of a term: "Nurse Led Clinic", "Doctor Shortages are".
pub(super) fn staff(scan: &Scan, title: usize, first: usize, last: usize) -> bool {
    let word = matches!(scan.low(title), "nurse" | "doctor" | "sister" | "professor" | "captain");
    let plural = scan.low(first).ends_with('s')
        && matches!(
            scan.low(last + 1),
            "are" | "were" | "may" | "can" | "should" | "share" | "need" | "have"
        );
    word && first == last && plural
}

/// Whether the label of the next field begins at a token: "Age:".
pub(super) fn label(scan: &Scan, at: usize) -> bool {
    scan.kind(at) == Some(TokenKind::Word) && scan.sign(at + 1) == ':' && scan.gap(at) >= Parting::Space
}

/// Whether a word that no list knows stands between a relative and what is said of them: "my wife chioma is".
pub(super) fn small_relative(scan: &Scan, at: usize) -> bool {
    let low = scan.low(at);
    let said = matches!(scan.low(at + 1), "is" | "has" | "was" | "had" | "who" | "takes" | "took")
        && scan.gap(at + 1) == Parting::Space;
    let common = ["ly", "ing", "ed", "s", "day", "ache", "pain"].iter().any(|ending| low.ends_with(ending));
    said && !common && surname(scan, at)
}

/// Whether a word in small letters may be a name, since no list of words has it.
fn surname(scan: &Scan, at: usize) -> bool {
    scan.kind(at) == Some(TokenKind::Word)
        && scan.unknown(at)
        && scan.width(at) >= 4
        && !scan.capital(at)
        && scan.gap(at) == Parting::Space
        && !term(scan, at)
}

/// "pt o'brien rm 12": in small letters between what somebody is and where they lie.
fn bedded(scan: &Scan, at: usize, names: &mut Vec<(usize, usize)>) {
    // "O'Brien" is three tokens; before its apostrophe stands a letter.
    let last = if scan.width(at) == 1 && scan.sign(at + 1) == '\'' { at + 2 } else { joined(scan, at) };
    let place = matches!(scan.low(last + 1), "rm" | "room" | "bed" | "bay" | "ward" | "cubicle")
        && scan.kind(last + 2) == Some(TokenKind::Number);
    let condition = ["ia", "ic", "al", "ile"].iter().any(|ending| scan.low(at).ends_with(ending));
    if place && !condition && !scan.is(at, STOP | VERB | UNIT) && (last > at || surname(scan, at)) {
        names.push((at, last));
    }
}

/// Whether letters of a degree or a profession stand at a token, as they do behind a name: those of a doctor or a nurse.
fn degree(scan: &Scan, at: usize) -> bool {
    scan.capital(at)
        && scan.gap(at) == Parting::Space
        && matches!(
            scan.low(at),
            "md" | "phd"
                | "rn"
                | "frcp"
                | "mrcp"
                | "mbbs"
                | "mbchb"
                | "np"
                | "dnp"
                | "pharmd"
                | "msc"
                | "bsn"
                | "frcs"
                | "facp"
                | "dds"
                | "dphil"
                | "mph"
                | "frcgp"
                | "mrcgp"
        )
}

/// "Nikolai Arsenyev, MD".
fn with_degree(scan: &Scan, comma: usize, names: &mut Vec<(usize, usize)>) {
    let first = backwards(scan, comma);
    if first + 1 < comma && (begins(scan, first) || scan.is(first, GIVEN)) {
        names.push((first, comma - 1));
    }
}

/// "dr patel stopped", "mrs okafor": behind a title in small letters, of which some are never without a name.
fn small_title(scan: &Scan, start: usize, end: usize, names: &mut Vec<(usize, usize)>) {
    let at = end + usize::from(scan.sign(end) == '.');
    let sure = matches!(scan.low(start), "mr" | "mrs");
    let doctor = matches!(scan.low(start), "dr" | "prof" | "doctor");
    let next = at + 1;
    let on = scan.is(next, VERB | STOP)
        || scan.low(next).ends_with("ed")
        || stands_last(scan, at)
        || matches!(scan.sign(next), '.' | '?' | '\'');
    if !scan.capital(start) && surname(scan, at) && (sure || doctor && on) {
        names.push((at, at));
    }
}

/// Whether a word in small letters is the last before a sign, a number or the end.
pub(super) fn stands_last(scan: &Scan, at: usize) -> bool {
    scan.gap(at + 1) >= Parting::Line
        || scan.kind(at + 1) == Some(TokenKind::Number)
        || matches!(scan.sign(at + 1), ',' | ';' | ')' | '(')
}

/// A name of words that no list knows, behind a cue that something else might follow as well.
pub(super) fn told(scan: &Scan, cue: Cue, start: usize, first: usize) -> Option<usize> {
    if !scan.capital(first) {
        // "this is priyanka calling"
        let calls =
            matches!(scan.low(first + 1), "calling" | "speaking") && scan.gap(first + 1) == Parting::Space;
        let plain =
            scan.kind(first) == Some(TokenKind::Word) && !scan.is(first, STOP | UNIT | TITLE | KIN | VERB);
        return (cue == Cue::Am && calls && plain).then_some(first);
    }
    let last = name(scan, first, Trust::Capital)?;
    let several = last > joined(scan, first);
    let clean = !(first..=last).any(|at| scan.is(at, MONTH | DISEASE | EPONYM | KIN));
    let next = last + 1;
    let fits = match cue {
        Cue::Greeting => {
            scan.gap(first) <= Parting::Space
                && (matches!(scan.sign(next), ',' | ':' | '!') || scan.gap(next) >= Parting::Line)
        }
        // What signs a letter has a line of its own.
        Cue::Closing => {
            let ends = scan.gap(next) >= Parting::Line
                || matches!(scan.sign(next), ',' | '.' | '(' | '-')
                    && scan.gap(first) <= Parting::Space
                    && several;
            ends && (scan.gap(first) >= Parting::Line || several)
                || scan.low(start) == "signed" && several && goes_on(scan, last)
                || scan.gap(first) >= Parting::Line && scan.sign(next) == ',' && several
                // "Cheers, Baz": one word that no list has, and nothing behind it on its line.
                || scan.sign(first.wrapping_sub(1)) == ','
                    && scan.gap(next) >= Parting::Line
                    && scan.unknown(first)
        }
        Cue::By => {
            let number = scan.sign(next) == '+' || scan.kind(next) == Some(TokenKind::Number);
            several && scan.gap(first) <= Parting::Space && (goes_on(scan, last) || number)
        }
        Cue::Am => {
            let here = matches!(scan.low(next), "here" | "calling" | "speaking" | "again");
            let from = several && matches!(scan.low(next), "from" | "with" | "at");
            let verb = matches!(scan.low(start), "this" | "it" | "here" | "hier" | "i");
            // "I am Priyanka Raghunathan, staff nurse": of words that no list has.
            let unknown = |at: usize| scan.unknown(at) || scan.is(at, GIVEN);
            let apposed = several && scan.sign(next) == ',' && scan.kind(next + 1) == Some(TokenKind::Word);
            if apposed && !scan.capital(next + 1) && (first..=last).all(unknown) && scan.low(start) != "meet"
            {
                return clean.then_some(last);
            }
            (here || from) && verb && scan.gap(next) == Parting::Space
        }
        _ => false,
    };
    (clean && fits).then_some(last)
}

/// Whether a word may be a part of a name in a heading, where terms have capitals too.
fn plain(scan: &Scan, at: usize) -> bool {
    part(scan, at) && !scan.is(at, MONTH | DISEASE | KIN)
}

/// The first token of the capitalized words that end before a token.
fn backwards(scan: &Scan, end: usize) -> usize {
    let mut first = end;
    while first > 0 && end - first < MAX_TOKENS {
        let at = first - 1;
        let near = first == end || scan.gap(first) <= Parting::Space;
        let link = matches!(scan.sign(at), '-' | '\'')
            && scan.gap(first) == Parting::Glued
            && scan.gap(at) == Parting::Glued
            && first < end;
        let initial = scan.sign(at) == '.' && at > 0 && scan.width(at - 1) == 1 && scan.capital(at - 1);
        let surname = scan.sign(at) == ','
            && first < end
            && scan.gap(first) == Parting::Space
            && at > 0
            && plain(scan, at - 1)
            && begins(scan, at - 1);
        // The syllable of "Min-jun" has no capital.
        let syllable = scan.kind(at) == Some(TokenKind::Word)
            && at > 1
            && scan.gap(at) == Parting::Glued
            && scan.sign(at - 1) == '-'
            && joined(scan, at - 2) == at;
        let particle = first < end
            && scan.is(at, PARTICLE)
            && scan.kind(at) == Some(TokenKind::Word)
            && !begins(scan, at);
        if !near || !(plain(scan, at) || link || initial || surname || syllable || particle) {
            break;
        }
        first = at;
    }
    while first < end && !plain(scan, first) {
        first += 1;
    }
    first
}

/// "Maria Garcia, DOB ...", "John Smith (MRN ...)": what stands before a person's number.
fn before_number(scan: &Scan, start: usize, birth: bool, names: &mut Vec<(usize, usize)>) {
    let mut end = start;
    for _ in 0..2 {
        if end > 0
            && matches!(scan.sign(end - 1), ',' | '(' | ';' | '-' | '[')
            && scan.gap(end) <= Parting::Space
        {
            end -= 1;
        }
    }
    if end == 0 || !birth && end == start || scan.gap(end) > Parting::Space {
        return;
    }
    let mut first = backwards(scan, end);
    // A name of unknown words begins a line or stands behind a colon; else a given name begins it.
    let opens = begins(scan, first) && first + 1 < end && end > 0;
    if !opens {
        while first < end && !scan.is(first, GIVEN) {
            first += 1;
        }
    }
    if first < end && (end - first > 1 || end < start && !scan.is(first, WORDLIKE)) {
        names.push((first, end - 1));
    }
}

/// Whether a line, a sentence or the value of a field begins at a token.
fn begins(scan: &Scan, at: usize) -> bool {
    at == 0
        || scan.gap(at) >= Parting::Line
        || scan.gap(at) == Parting::Space && matches!(scan.sign(at - 1), ':' | '.' | ';' | '-' | '*')
}

/// "Niamh Shaw, 29, G2P1", "SMITH, John - 77M": a line that begins with a person and their age.
fn aged(scan: &Scan, first: usize, names: &mut Vec<(usize, usize)>) {
    let initial = scan.width(first) == 1 && scan.sign(first + 1) == '.';
    if !(plain(scan, first) || initial && scan.capital(first)) {
        return;
    }
    let Some(mut last) = name(scan, first, Trust::Capital) else { return };
    let mut several = last > joined(scan, first);
    if scan.sign(last + 1) == ',' && !several && plain(scan, last + 2) && scan.gap(last + 2) == Parting::Space
    {
        last = joined(scan, last + 2);
        several = true;
    }
    let mut at = last + 1;
    let parted = matches!(scan.sign(at), ',' | '-' | '(');
    if !parted && scan.kind(at) != Some(TokenKind::Number)
        || (first..=last).any(|at| scan.is(at, MONTH | DISEASE | KIN))
    {
        return;
    }
    at += usize::from(parted);
    let age = scan.number(at).is_some_and(|age| age <= 120) && scan.gap(at) <= Parting::Space;
    let next = at + 1;
    let sex = matches!(
        scan.low(next),
        "m" | "f"
            | "yo"
            | "y"
            | "yr"
            | "yrs"
            | "years"
            | "year"
            | "jahre"
            | "anos"
            | "mo"
            | "months"
            | "ans"
            | "anni"
    );
    let ends = matches!(scan.sign(next), ',' | ')') && scan.gap(next + 1) == Parting::Space;
    if several && age && (sex && scan.gap(next) <= Parting::Space || ends && parted) {
        names.push((first, last));
    }
}

/// "Amina's mother", "Maria Garcia's wife".
fn relative_of(scan: &Scan, apostrophe: usize, names: &mut Vec<(usize, usize)>) {
    let kin = apostrophe + 2;
    let about_care = matches!(
        scan.low(kin),
        "nurse"
            | "patient"
            | "client"
            | "manager"
            | "boss"
            | "teacher"
            | "doctor"
            | "physician"
            | "surgeon"
            | "man"
            | "chef"
    );
    if !scan.is(kin, KIN) || about_care || scan.gap(kin) != Parting::Space {
        return;
    }
    let first = backwards(scan, apostrophe);
    if first < apostrophe && !(first..apostrophe).any(|at| scan.is(at, EPONYM | TITLE)) {
        names.push((first, apostrophe - 1));
    }
}

/// Where the name behind a title begins, if the word is one here.
pub(super) fn titled(scan: &Scan, start: usize, end: usize) -> Option<usize> {
    let first = end + usize::from(scan.sign(end) == '.' && scan.gap(end) == Parting::Glued);
    let low = scan.low(start);
    // Small words that are titles only where they are written as such.
    let capital = scan.capital(start);
    let word = matches!(
        low,
        "don"
            | "dona"
            | "sister"
            | "father"
            | "nurse"
            | "pastor"
            | "miss"
            | "frau"
            | "sir"
            | "doctor"
            | "m"
            | "ms"
            | "sr"
            | "lt"
            | "col"
            | "pani"
            | "lord"
            | "lady"
            | "dame"
            | "matron"
            | "captain"
            | "imam"
            | "fru"
    );
    if !capital && word && !(low == "frau" || low == "doctor" || low == "nurse" || low == "dona")
        || scan.shouted(start) && matches!(low, "ms" | "mr" | "sr" | "dr") && !scan.shouted(first)
    {
        return None;
    }
    if low == "m" && !(scan.sign(start + 1) == '.' && capital) {
        return None;
    }
    // "Dr. med. Weber", "Prof. Dr. Weber": a title behind a title.
    if scan.is(first, TITLE) {
        return None;
    }
    Some(first)
}
