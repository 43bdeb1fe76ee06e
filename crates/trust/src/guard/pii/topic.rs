//! Reduces a question to what it is about, without who asks it.

use std::ops::Range;

use super::lexicon::{AND, SMALL, TITLE};
use super::placeholder;
use super::token::{Parting, PiiTokenKind, Scan};

/// A redacted text without its placeholders, and without the clauses that say nothing besides: `My name is [NAME_1]`,
/// `born [DOB_1]`, `you can reach me at [EMAIL_1]`. `None` if nothing is left that could be searched for.
///
/// A clause ends at a comma, the end of a sentence or line, and before "and". One with a word that is neither in
/// [`SMALL`] nor part of a cue says something, and so does one that asks.
///
/// Besides it, the names of the placeholders in the clauses that are left: of all, if nothing is.
pub(super) fn topic(text: &str, known: impl Fn(&str) -> bool) -> (Option<String>, Vec<String>) {
    let (marks, names): (Vec<Range<usize>>, Vec<String>) =
        placeholder::all(text).into_iter().filter(|(_, name)| known(name)).unzip();
    if marks.is_empty() {
        return (Some(text.to_owned()), names);
    }
    let mut about = Vec::new();
    let scan = Scan::new(text);
    let mut tokens: Vec<What> = (0..scan.tokens.len()).map(|at| what(&scan, at)).collect();
    // A sign in a cue ends nothing: "Dr.", "Regards,".
    let mut joined = vec![false; tokens.len() + 1];
    for cue in &scan.cues {
        let polite = matches!(cue.section, "greeting" | "closing");
        tokens[cue.words.clone()].fill(if polite { What::Polite } else { What::Small });
        joined[cue.words.start + 1..=cue.words.end].fill(cue.words.len() > 1);
    }
    let bytes = |at: usize| {
        scan.tokens.get(at).map_or(text.len(), |token| scan.view.bytes(&(token.start..token.end)).start)
    };
    let mut mark = 0;
    for (at, token) in tokens.iter_mut().enumerate() {
        while marks.get(mark).is_some_and(|mark| mark.end <= bytes(at)) {
            mark += 1;
        }
        if marks.get(mark).is_some_and(|mark| mark.start <= bytes(at)) {
            *token = What::Mark;
        }
    }
    let mut kept = String::new();
    let mut says = false;
    let (mut first, mut dropped) = (0, false);
    for at in 1..=tokens.len() {
        if at < tokens.len() && !begins_clause(&scan, &tokens, &joined, at) {
            continue;
        }
        let clause = tokens.get(first..at).unwrap_or_default();
        let tells = clause.contains(&What::Word);
        // "Hello," and "Kind regards," go with who writes them.
        let polite = clause.contains(&What::Polite) && !clause.contains(&What::Small);
        let drops = (clause.contains(&What::Mark) || polite) && !tells && scan.sign(at - 1) != '?';
        if !drops {
            says |= tells;
            // "and" joins it to what is no longer there.
            let from = first + usize::from(dropped && scan.is(first, AND));
            let stretch = bytes(from)..bytes(at);
            let within = marks.iter().zip(&names).filter(|(mark, _)| stretch.contains(&mark.start));
            about.extend(within.map(|(_, name)| name.clone()));
            keep(&mut kept, text, stretch, &marks);
        }
        (first, dropped) = (at, drops);
    }
    let kept = kept.trim().trim_end_matches([',', ';', ':', '-', ' ']);
    if says { (Some(kept.to_owned()), about) } else { (None, names) }
}

/// The part of a token in its clause.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// A part of a placeholder.
    Mark,
    Sign,
    /// A word of a greeting.
    Polite,
    /// A word that says nothing on its own.
    Small,
    /// Anything else.
    Word,
}

fn what(scan: &Scan, at: usize) -> What {
    match scan.kind(at) {
        Some(PiiTokenKind::Sign) => What::Sign,
        _ if scan.is(at, SMALL | TITLE | AND) => What::Small,
        _ => What::Word,
    }
}

/// Returns whether a clause begins with a token.
fn begins_clause(scan: &Scan, tokens: &[What], joined: &[bool], at: usize) -> bool {
    let is_mark = |at: usize| tokens.get(at) == Some(&What::Mark);
    let apart = scan.gap(at) > Parting::Glued;
    match scan.sign(at - 1) {
        _ if is_mark(at - 1) && is_mark(at) => false,
        _ if scan.gap(at) >= Parting::Line => true,
        // "e" is a word on its own, and none in "e-mail".
        _ if scan.is(at, AND) && apart && scan.gap(at + 1) > Parting::Glued => true,
        _ if joined.get(at) == Some(&true) => false,
        ',' | ';' | '!' | '?' | ')' => apart,
        // "Dr. [NAME_1]", "No. [MRN_1]".
        '.' => apart && !is_mark(at),
        ':' | '-' => apart && at > 1 && is_mark(at - 2),
        _ => false,
    }
}

/// Adds a stretch of the text without the placeholders in it, and without the space that was between them.
pub(super) fn keep(kept: &mut String, text: &str, stretch: Range<usize>, marks: &[Range<usize>]) {
    let mut at = stretch.start;
    for mark in marks.iter().filter(|mark| stretch.contains(&mark.start)) {
        kept.push_str(text.get(at..mark.start).unwrap_or_default());
        at = mark.end;
        if kept.is_empty() || kept.ends_with(char::is_whitespace) {
            let rest = text.get(at..stretch.end).unwrap_or_default();
            at += rest.len() - rest.trim_start_matches(' ').len();
        }
    }
    kept.push_str(text.get(at..stretch.end).unwrap_or_default());
}
