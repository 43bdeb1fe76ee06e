//! Given names that stand alone and without a cue: "Why is Daniel so impulsive?", "Leila has a fever".

use super::lexicon::{DISEASE, EPONYM, GIVEN, LISTED, MONTH, STOP, WORDLIKE, lexicon};
use super::token::{Parting, PiiTokenKind, Scan};

/// The fewest letters of a name that only the lists know.
const LEAST: usize = 4;

/// Finds the places of given names that nothing but their neighbours tells from a term.
pub(super) fn find(scan: &Scan) -> impl Iterator<Item = usize> {
    (0..scan.tokens.len()).filter(|&at| {
        scan.is(at, LISTED)
            && (scan.is(at, GIVEN) && !scan.is(at, WORDLIKE) || scan.width(at) >= LEAST)
            && !scan.is(at, EPONYM | MONTH | STOP)
            && !scan.shouted(at)
            && stands_free(scan, at)
            && goes_on(scan, at)
            && !lexicon().list("things").any(|thing| thing == scan.low(at))
    })
}

/// Says whether nothing before a word makes it a part of a term, a path or a longer name.
fn stands_free(scan: &Scan, at: usize) -> bool {
    if scan.gap(at) == Parting::Glued {
        return at > 0 && matches!(scan.sign(at - 1), '"' | '(' | '\'') && scan.gap(at - 1) != Parting::Glued;
    }
    if at == 0 || scan.gap(at) >= Parting::Line {
        return true;
    }
    // "Mount Maria", "the Adam": a term or a thing.
    let article =
        matches!(scan.low(at - 1), "the" | "a" | "an" | "this" | "of" | "in" | "at" | "using" | "via");
    let begins =
        at == 1 || scan.gap(at - 1) >= Parting::Line || matches!(scan.sign(at - 2), '.' | '?' | '!' | '"');
    match scan.kind(at - 1) {
        Some(PiiTokenKind::Word) => !article && (!scan.capital(at - 1) || begins && scan.is(at - 1, STOP)),
        Some(PiiTokenKind::Number) => false,
        _ => matches!(scan.sign(at - 1), ',' | '.' | '!' | '?' | ':' | ';' | '"' | ')'),
    }
}

/// Says whether what follows a word may follow a person's name.
fn goes_on(scan: &Scan, at: usize) -> bool {
    let next = at + 1;
    if scan.gap(next) >= Parting::Line {
        return true;
    }
    match scan.kind(next) {
        Some(PiiTokenKind::Word) => {
            scan.gap(next) == Parting::Space && !scan.capital(next) && !scan.is(next, DISEASE)
        }
        Some(PiiTokenKind::Number) => false,
        _ => match scan.sign(next) {
            // "Maria's inhaler", and none of "Graves' disease" and "Adam's apple".
            '\'' => scan.low(next + 1) == "s" && !scan.is(next + 2, DISEASE),
            ',' | '.' | '?' | '!' | ':' | ';' | ')' | '"' => {
                scan.gap(next + 1) > Parting::Glued || scan.sign(next + 1) == '"'
            }
            _ => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use crate::guard::pii::{Finder, PiiOptions};

    fn names(text: &str) -> Vec<&str> {
        let finder = Finder::new(&PiiOptions::default()).unwrap();
        finder
            .find(text)
            .iter()
            .filter(|one| one.label == "NAME")
            .map(|one| &text[one.span.clone()])
            .collect()
    }

    #[test]
    fn names_need_no_cue() {
        for (text, found) in [
            ("Leila Haddad has a fever.", vec!["Leila Haddad"]),
            ("The wound was seen by Peter J. Novak today.", vec!["Peter J. Novak"]),
            ("Haddad, Leila", vec!["Haddad, Leila"]),
            ("Kwame Xyzander took it twice.", vec!["Kwame Xyzander"]),
            ("Will Brandon's rash go away? Brandon is 4.", vec!["Brandon", "Brandon"]),
            ("Why is Daniel so tired?", vec!["Daniel"]),
        ] {
            assert_eq!(names(text), found, "{text}");
        }
    }

    #[test]
    fn eponyms_places_and_programs_are_nobody() {
        for text in [
            "What are the symptoms of Parkinson disease?",
            "Is Pitt-Hopkins syndrome inherited?",
            "How is Freeman Sheldon syndrome diagnosed?",
            "Does the Foley catheter need a change in Paris or Jordan?",
            "How do I write a theme with Hugo, and is Julia faster than Rust?",
            "Which statin did Johns Hopkins University Hospital recommend?",
            "Staging by Ann Arbor, and the Kaplan Meier curve",
            "Will May be a good month to Grant access to Mark?",
        ] {
            assert!(names(text).is_empty(), "{text}: {:?}", names(text));
        }
    }
}
