//! Names of persons, by what stands before them, and the same names wherever else they stand.

use std::collections::{HashMap, HashSet};

use super::candidate::PiiCandidate;
use super::lexicon::{
    ADJECTIVE, AND, Cue, DISEASE, EPONYM, GERMAN, GIVEN, KIN, MONTH, PARTICLE, POSSESSIVE, STATE, STOP,
    SUFFIX, TERM, TITLE, UNIT, VERB, WORDLIKE,
};
use super::options::PiiKind;
use super::persons;
use super::token::{Parting, Scan, TokenKind};

/// The most words of a name.
const MAX_WORDS: usize = 5;

/// How sure a cue makes that a name follows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// Also in small letters: "my name is".
    Full,
    /// With a capital: "Mrs".
    Capital,
    /// With a capital, and two words, or a word after which a sentence goes on: "patient".
    Likely,
    /// Only if it begins with a given name: "I am".
    Given,
}

#[inline(never)]
pub(super) fn find(scan: &Scan, out: &mut Vec<PiiCandidate>) {
    let mut names: Vec<(usize, usize)> = Vec::new();
    for at in &scan.cues {
        cued(scan, at.cue, at.start, at.end, &mut names);
    }
    for at in 0..scan.tokens.len() {
        if scan.is(at, POSSESSIVE) {
            relative(scan, at, &mut names);
        }
    }
    persons::find(scan, &mut names);
    names.sort_unstable();
    for &(first, last) in &names {
        out.push(PiiCandidate::new(PiiKind::Name, scan.tokens[first].start..scan.tokens[last].end));
    }
    again(scan, &names, out);
}

/// The names behind a cue.
fn cued(scan: &Scan, cue: Cue, start: usize, end: usize, names: &mut Vec<(usize, usize)>) {
    // "Patient: Maria" is a field, "patient Maria" is not.
    let cue = match (cue, scan.low(start)) {
        (Cue::NameField, _) if persons::field_end(scan, start, end).is_some() => cue,
        (Cue::NameField, "doctor") => Cue::Title,
        (
            Cue::NameField,
            "contact" | "attn" | "nok" | "caller" | "carer" | "consultant" | "next" | "emergency"
            | "referred" | "attending",
        ) => Cue::By,
        (Cue::NameField, "patient" | "pt" | "client" | "patientin" | "paciente" | "paziente") => Cue::Role,
        _ => cue,
    };
    // Assistants are greeted as persons are.
    if cue == Cue::Greeting
        && matches!(scan.low(end), "claude" | "chatgpt" | "gpt" | "gemini" | "copilot" | "siri" | "alexa")
    {
        return;
    }
    let mut first = end;
    let trust = match cue {
        Cue::Name => {
            if scan.sign(first) == ':' {
                first += 1;
            }
            Trust::Full
        }
        Cue::NameField => {
            // "File name: x" and "name: x" in a file of settings are no names of persons; a person's has a capital.
            let foreign = start > 0
                && scan.kind(start - 1) == Some(TokenKind::Word)
                && scan.gap(start) <= Parting::Space
                && scan.low(start).starts_with("name");
            let Some(end) = persons::field_end(scan, start, end).filter(|_| !foreign) else { return };
            first = end;
            if scan.gap(first) == Parting::Paragraph {
                return;
            }
            Trust::Likely
        }
        Cue::Title => {
            let Some(behind) = persons::titled(scan, start, end) else { return };
            first = behind;
            Trust::Capital
        }
        Cue::Role => {
            if matches!(scan.low(end), "is" | "named" | "called" | ":" | ",") {
                first += 1;
            }
            Trust::Likely
        }
        Cue::Am | Cue::From | Cue::Greeting | Cue::Closing | Cue::By => {
            if matches!(scan.sign(first), ',' | '-' | ':' | '!')
                || cue == Cue::By && matches!(scan.low(first), "is" | "was")
            {
                first += 1;
            }
            Trust::Given
        }
        _ => return,
    };
    if matches!(scan.sign(first), '"' | '\'' | '*' | '(') && cue != Cue::Title {
        first += 1;
    }
    if scan.gap(first) == Parting::Paragraph && cue != Cue::Closing {
        return;
    }
    // "Dear Dr. Garcia", "Name: Mrs Garcia": the title is a cue of its own.
    if scan.is(first, TITLE) && (scan.sign(first + 1) == '.' || part(scan, first + 1)) {
        return;
    }
    let told = name(scan, first, trust).or_else(|| persons::told(scan, cue, start, first));
    let Some(mut last) = told.filter(|&last| !persons::staff(scan, start, first, last)) else { return };
    names.push((first, last));
    // "Maria Garcia and Peter Smith".
    for _ in 0..4 {
        let next = last + 2;
        let and = scan.is(last + 1, AND) || matches!(scan.sign(last + 1), '&' | ',');
        let Some(end) = (and && scan.is(next, GIVEN)).then(|| name(scan, next, Trust::Given)).flatten()
        else {
            break;
        };
        names.push((next, end));
        last = end;
    }
}

/// Whether a word may be a part of a name.
pub(super) fn part(scan: &Scan, at: usize) -> bool {
    // "O'Brien", "A. Smith": a letter that is a word in some language otherwise.
    let letter = scan.width(at) == 1
        && matches!(scan.sign(at + 1), '.' | '\'')
        && scan.gap(at + 1) == Parting::Glued
        && scan.capital(at + 2);
    if letter && scan.capital(at) {
        return true;
    }
    // "Min-jun": a unit only without its second syllable.
    let hyphen = scan.is(at, UNIT)
        && scan.sign(at + 1) == '-'
        && scan.gap(at + 1) == Parting::Glued
        && scan.gap(at + 2) == Parting::Glued
        && scan.kind(at + 2) == Some(TokenKind::Word);
    scan.kind(at) == Some(TokenKind::Word)
        && scan.capital(at)
        && (!scan.is(at, STOP | UNIT) || scan.is(at, GIVEN) && !scan.is(at, STOP) || hyphen)
        && !scan.is(at, TITLE)
        && (!term(scan, at) || scan.is(at, GIVEN))
}

/// Whether a word ends like a term.
pub(super) fn term(scan: &Scan, at: usize) -> bool {
    scan.width(at) >= 5 && scan.is(at, TERM)
}

/// The last token of a name that begins at a token.
pub(super) fn name(scan: &Scan, first: usize, trust: Trust) -> Option<usize> {
    if scan.kind(first) != Some(TokenKind::Word) {
        return None;
    }
    let shouting = scan.shouted(first) && scan.width(first) > 3;
    // "my son mateusz": in small letters and behind a weak cue only what is a name and nothing else.
    let known = scan.is(first, GIVEN) && !scan.is(first, WORDLIKE | STOP);
    let small = !scan.capital(first) && (trust == Trust::Full || known && trust != Trust::Capital);
    let (mut at, mut last, mut words, mut particles) = (first, None, 0, 0);
    while words < MAX_WORDS {
        if at > first && (scan.gap(at) > Parting::Space || persons::number_cue(scan, at)) {
            break;
        }
        let fits = if small {
            let plain = scan.kind(at) == Some(TokenKind::Word)
                && !scan.is(at, STOP | UNIT | VERB | AND | MONTH)
                && !term(scan, at);
            // In small letters the third word is more often the sentence's than the name's.
            plain
                && scan.width(at) > 1
                && (words == 0
                    || trust == Trust::Full
                    || scan.is(at, GIVEN)
                    || persons::stands_last(scan, at)
                    || scan.is(last.unwrap_or(at) + 1, PARTICLE))
                && (words < 2 || scan.is(last.unwrap_or(at) + 1, PARTICLE))
                && (words == 0 || !ends(scan, at))
        } else {
            part(scan, at)
                || words == 0 && trust == Trust::Full && scan.capital(at) && scan.is(at, GIVEN)
                // Behind "my name is" a word that ends like a term is a name: "Clémence".
                || trust == Trust::Full
                    && scan.capital(at)
                    && scan.kind(at) == Some(TokenKind::Word)
                    && !scan.is(at, STOP | UNIT | TITLE | VERB)
                // "Ng" is a family name behind a name, and nanograms behind a number.
                || words > 0 && scan.is(at, UNIT) && scan.capital(at) && !scan.shouted(at)
        };
        let acronym = scan.shouted(at)
            && !shouting
            && scan.width(at) > 1
            && trust != Trust::Full
            && !scan.is(at, SUFFIX);
        if fits && !acronym {
            last = Some(joined(scan, at));
            words += 1;
            at = last.unwrap_or(at) + 1;
            if scan.sign(at) == '.'
                && scan.gap(at) == Parting::Glued
                && scan.width(at - 1) == 1
                && part(scan, at + 1)
            {
                at += 1;
            }
            particles = 0;
        } else if particles < 3
            && words > 0
            && scan.is(at, PARTICLE)
            && (scan.kind(at) == Some(TokenKind::Word))
            || words == 0
                && particles < 3
                && at < first + 3
                && scan.is(at, PARTICLE)
                && (scan.width(at) > 1 || scan.sign(at + 1) == '\'' && scan.capital(at + 2))
                && trust != Trust::Given
        {
            // Between the parts, or before a family name: "Mrs van der Berg".
            particles += 1;
            at += 1;
            // "al-Siddiqi", "d'Angelo".
            if scan.sign(at) == '\'' || scan.sign(at) == '-' && scan.gap(at) == Parting::Glued {
                at += 1;
            }
        } else if words == 1 && scan.sign(at) == ',' && shouting_list(scan, first, at) {
            // "GARCIA, Maria".
            at += 1;
        } else {
            break;
        }
    }
    let last = suffix(scan, last?);
    accept(scan, first, last, words, trust).then_some(last)
}

/// Whether a word in small letters begins the rest of a sentence.
fn ends(scan: &Scan, at: usize) -> bool {
    scan.is(at, STOP | VERB | AND | POSSESSIVE | ADJECTIVE) && !scan.is(at, GIVEN)
}

/// Whether a comma stands between family name and given name.
fn shouting_list(scan: &Scan, first: usize, comma: usize) -> bool {
    part(scan, comma + 1)
        && (scan.is(comma + 1, GIVEN) || scan.shouted(first) && scan.gap(comma + 1) == Parting::Space)
        && (!scan.is(first, GIVEN) || scan.shouted(first))
}

/// The last token of a word with hyphens and apostrophes: "Smith-Jones", "O'Brien"; not the `s` of a possessive.
pub(super) fn joined(scan: &Scan, first: usize) -> usize {
    let mut last = first;
    for _ in 0..4 {
        let link = matches!(scan.sign(last + 1), '-' | '\'')
            && scan.gap(last + 1) == Parting::Glued
            && scan.gap(last + 2) == Parting::Glued;
        if !link || scan.kind(last + 2) != Some(TokenKind::Word) {
            break;
        }
        let apostrophe = scan.sign(last + 1) == '\'';
        if apostrophe && matches!(scan.low(last + 2), "s" | "ve" | "ll" | "d" | "re" | "m" | "t")
            || !apostrophe && !scan.capital(last + 2) && scan.capital(first) && !syllable(scan, last + 2)
        {
            break;
        }
        last += 2;
    }
    last
}

/// Whether a word behind a hyphen is the second syllable of a given name, as in "Min-jun", and not "Maria-like".
fn syllable(scan: &Scan, at: usize) -> bool {
    (2..=5).contains(&scan.width(at))
        && !scan.is(at, STOP | KIN | DISEASE | VERB | ADJECTIVE)
        && !matches!(
            scan.low(at),
            "like" | "led" | "free" | "type" | "based" | "style" | "fed" | "run" | "scan"
        )
        && !term(scan, at)
}

/// With "Jr" or "III" behind it.
fn suffix(scan: &Scan, last: usize) -> usize {
    let at = last + 1 + usize::from(scan.sign(last + 1) == ',');
    if scan.is(at, SUFFIX) && scan.capital(at) && scan.gap(at) == Parting::Space && !scan.is(at, GIVEN) {
        at
    } else {
        last
    }
}

/// Whether what a cue is followed by is a name and nothing else.
fn accept(scan: &Scan, first: usize, last: usize, words: usize, trust: Trust) -> bool {
    // "Dr. Crohn's disease": the disease is nobody's.
    let mut next = last + 1;
    if scan.sign(next) == '\'' {
        next += 1 + usize::from(scan.low(next + 1) == "s");
    }
    if scan.gap(next) <= Parting::Space
        && (scan.is(next, DISEASE) || scan.sign(next) == '-' && scan.is(next + 1, DISEASE))
        && (first..=last).any(|at| scan.is(at, EPONYM))
        && trust != Trust::Full
    {
        return false;
    }
    let given = scan.is(first, GIVEN);
    let clear = given && !scan.is(first, WORDLIKE);
    let goes_on = goes_on(scan, last);
    match trust {
        Trust::Full => {
            scan.width(first) > 1 && !(scan.is(first, STATE) && words == 1 && !scan.capital(first))
        }
        Trust::Capital => scan.width(last) > 1 || words > 1,
        Trust::Given => given && (clear || words > 1) || words > 1 && initials(scan, first, last),
        // One unknown word may be anything; a term goes on with another noun, a name with a verb or a sign.
        Trust::Likely => {
            clear
                || given && goes_on
                || words > 1 && goes_on && !(first..=last).any(|at| scan.is(at, MONTH | DISEASE))
                || goes_on && words == 1 && scan.width(first) > 2 && !scan.is(first, MONTH | DISEASE)
        }
    }
}

/// Whether a name has an initial before its last word: "J. Smith", "J R Smith".
fn initials(scan: &Scan, first: usize, last: usize) -> bool {
    scan.width(first) == 1 && scan.capital(first) && scan.width(last) > 2 && (scan.sign(first + 1) == '.')
}

/// Whether a sentence goes on behind a name as it does behind a person.
pub(super) fn goes_on(scan: &Scan, last: usize) -> bool {
    let next = last + 1;
    let sign = matches!(scan.sign(next), ',' | '.' | ';' | ')' | '(' | '?' | '!' | '\'' | '"' | '-' | '/');
    scan.gap(next) >= Parting::Line
        || sign
        || persons::number_cue(scan, next)
        || persons::label(scan, next)
        || scan.is(next, VERB)
        || scan.kind(next) == Some(TokenKind::Word) && !scan.capital(next) && !scan.is(next, DISEASE)
}

/// "my son Peter", "our little daughter, called Anna", "meine Frau Anna", "my doctor's name is ..." has its own cue.
fn relative(scan: &Scan, possessive: usize, names: &mut Vec<(usize, usize)>) {
    let mut at = possessive + 1;
    // The longest is "5-year-old", with another word or two.
    for _ in 0..7 {
        let word = scan.is(at, ADJECTIVE) || scan.kind(at) == Some(TokenKind::Number) || scan.sign(at) == '-';
        if !word || scan.is(at, KIN) && !scan.is(at + 1, KIN) {
            break;
        }
        at += 1;
    }
    if !scan.is(at, KIN) || scan.gap(at) > Parting::Space {
        return;
    }
    at += 1;
    let mut called = false;
    for _ in 0..3 {
        let link = matches!(
            scan.low(at),
            "is" | "called"
                | "named"
                | "namens"
                | "heisst"
                | "heißt"
                | "llamado"
                | "llamada"
                | "appele"
                | "appelee"
                | "chiamato"
                | "chiamata"
                | "chamado"
                | "chamada"
        );
        if !link && scan.sign(at) != ',' && scan.sign(at) != '(' {
            break;
        }
        called |= link && scan.low(at) != "is";
        at += 1;
    }
    // Nouns have capitals in German, so there a relative is called by a given name.
    let trust = if called {
        Trust::Capital
    } else if scan.is(possessive, GERMAN) {
        Trust::Given
    } else {
        Trust::Likely
    };
    if scan.is(at, TITLE) || scan.gap(at) > Parting::Space {
        return;
    }
    if persons::small_relative(scan, at) {
        names.push((at, at));
    } else if let Some(last) = name(scan, at, trust) {
        let alone = scan.is(at, GIVEN) || called || last > at || !scan.is(at, STOP);
        if alone {
            names.push((at, last));
        }
    }
}

/// The names that were found, wherever else they stand: whole, and their longer words with a capital.
fn again(scan: &Scan, names: &[(usize, usize)], out: &mut Vec<PiiCandidate>) {
    if names.is_empty() {
        return;
    }
    let mut words: HashSet<&str> = HashSet::new();
    let mut pairs: HashMap<&str, HashSet<&str>> = HashMap::new();
    for &(first, last) in names {
        for at in first..=last {
            let telling = scan.width(at) >= 3
                && !scan.is(at, PARTICLE | STOP | SUFFIX | MONTH)
                && scan.kind(at) == Some(TokenKind::Word);
            if telling {
                words.insert(scan.low(at));
                if at < last && scan.kind(at + 1) == Some(TokenKind::Word) {
                    pairs.entry(scan.low(at)).or_default().insert(scan.low(at + 1));
                }
            }
        }
    }
    let mut at = 0;
    while at < scan.tokens.len() {
        let first = at;
        // In small letters only two words of a name together are clearly it, and what is a given name and nothing else.
        let known = |at: usize| {
            words.contains(scan.low(at))
                && (scan.capital(at) && !(scan.shouted(at) && scan.width(at) < 4)
                    || scan.is(at, GIVEN) && !scan.is(at, WORDLIKE | STOP))
        };
        let pair = |at: usize| {
            scan.gap(at + 1) == Parting::Space
                && pairs.get(scan.low(at)).is_some_and(|next| next.contains(scan.low(at + 1)))
        };
        at += 1;
        if scan.kind(first) != Some(TokenKind::Word) || !known(first) && !pair(first) {
            continue;
        }
        let mut last = if pair(first) { first + 1 } else { first };
        while scan.gap(last + 1) <= Parting::Space
            && scan.kind(last + 1) == Some(TokenKind::Word)
            && known(last + 1)
        {
            last += 1;
        }
        at = last + 1;
        let mut next = last + 1;
        if scan.sign(next) == '\'' {
            next += 1 + usize::from(scan.low(next + 1) == "s");
        }
        let disease = scan.is(last, EPONYM) && scan.is(next, DISEASE) && scan.gap(next) <= Parting::Space;
        if !disease {
            out.push(PiiCandidate::new(PiiKind::Name, scan.tokens[first].start..scan.tokens[last].end));
        }
    }
}
