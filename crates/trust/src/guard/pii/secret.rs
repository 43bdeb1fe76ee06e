//! Keys, tokens and passwords.

use std::sync::LazyLock;

use super::candidate::PiiCandidate;
use super::lexicon::{Cue, entries};
use super::options::PiiKind;
use super::token::{Parting, PiiTokenKind, Scan};
use super::url::is_opaque;

/// How keys of well-known services begin, and the fewest characters behind it.
static PREFIXES: LazyLock<Vec<(&str, usize)>> = LazyLock::new(|| {
    entries("keys").filter_map(|(prefix, least)| Some((prefix, least.parse().ok()?))).collect()
});

#[inline(never)]
pub(super) fn find(scan: &Scan, out: &mut Vec<PiiCandidate>) {
    keys(scan, out);
    for cue in scan.cues.iter().filter(|at| at.cue == Cue::Secret) {
        announced(scan, cue.end, out);
    }
    private_keys(scan, out);
}

fn inside(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '/' | '=' | '~')
}

/// The end of a key that begins at a character.
fn run(scan: &Scan, start: usize) -> usize {
    let mut end = start;
    while inside(scan.view.at(end)) {
        end += 1;
    }
    while end > start && matches!(scan.view.before(end), '.' | '-' | '/') {
        end -= 1;
    }
    end
}

/// Keys by how they begin.
fn keys(scan: &Scan, out: &mut Vec<PiiCandidate>) {
    let mut done = 0;
    for token in &scan.tokens {
        if token.kind != PiiTokenKind::Word
            || token.start < done
            || inside(scan.view.before(token.start)) && !matches!(scan.view.before(token.start), '=' | '/')
        {
            continue;
        }
        let rest = &scan.view.chars[token.start..];
        let begins = |&&(prefix, _): &&(&str, usize)| {
            let mut chars = prefix.chars();
            rest.first().copied() == chars.next()
                && chars.zip(&rest[1..]).filter(|(a, b)| a == *b).count() + 1 == prefix.len()
        };
        let Some((prefix, least)) = PREFIXES.iter().find(begins) else { continue };
        let end = run(scan, token.start);
        done = end;
        let body = &scan.view.chars[(token.start + prefix.len()).min(end)..end];
        // Words with hyphens may begin like a key; a key has digits or capitals within.
        let telling = body.iter().any(|c| c.is_ascii_digit() || c.is_ascii_uppercase());
        if body.len() >= *least && telling {
            out.push(PiiCandidate::new(PiiKind::Secret, token.start..end));
        }
    }
}

/// What stands behind "password:" or "API key is".
fn announced(scan: &Scan, mut at: usize, out: &mut Vec<PiiCandidate>) {
    let mut sure = false;
    for _ in 0..3 {
        let link = matches!(scan.low(at), "is" | "ist" | "es" | "e" | "est");
        if !link && !matches!(scan.sign(at), ':' | '=' | '"' | '\'' | '`')
            || scan.gap(at) >= Parting::Paragraph
        {
            break;
        }
        sure |= scan.sign(at) != ' ';
        at += 1;
    }
    let Some(token) = scan.get(at).filter(|token| token.gap <= Parting::Space) else { return };
    let mut end = token.start;
    while !scan.view.at(end).is_whitespace()
        && !matches!(scan.view.at(end), '"' | '\'' | '`' | ',' | ';' | '<' | '>' | ')')
    {
        end += 1;
    }
    while end > token.start
        && matches!(scan.view.before(end), '.' | '!' | '?')
        && !scan.view.at(end).is_alphanumeric()
    {
        end -= 1;
    }
    let body = &scan.view.chars[token.start..end];
    let digits = body.iter().any(char::is_ascii_digit);
    let letters = body.iter().any(|c| c.is_alphabetic());
    let signs = body.iter().any(|c| !c.is_alphanumeric() && !matches!(c, '-' | '.' | '/' | '_'));
    let text: String = body.iter().collect();
    let code = body.len() >= 3 && body.len() <= 8 && body.iter().all(char::is_ascii_digit);
    // "The password must have 8 characters" announces none; a mix of letters, digits and signs is one.
    if body.len() >= 6 && letters && digits && (sure || signs || is_opaque(&text) || body.len() >= 8)
        || body.len() >= 6 && sure && letters && signs
        || code && sure
    {
        out.push(PiiCandidate::new(PiiKind::Secret, token.start..end));
    }
}

/// Private keys in the form of PEM (RFC 7468), to their end or the end of the text.
fn private_keys(scan: &Scan, out: &mut Vec<PiiCandidate>) {
    let phrase = |at: usize, first: &str| {
        (3..=5)
            .find(|&dashes| (0..dashes).all(|i| scan.sign(at + i) == '-') && scan.low(at + dashes) == first)
            .map(|d| at + d)
    };
    let mut open: Option<usize> = None;
    let mut at = 0;
    while at < scan.tokens.len() {
        if scan.sign(at) == '-' && scan.sign(at + 1) == '-' {
            if open.is_none()
                && let Some(begin) = phrase(at, "begin")
                && (begin..begin + 5).any(|i| scan.low(i) == "private" && scan.low(i + 1) == "key")
            {
                open = Some(scan.tokens[at].start);
                at = begin;
            } else if let Some(start) = open
                && let Some(end) = phrase(at, "end")
            {
                let mut last = end;
                while last + 1 < scan.tokens.len() && scan.gap(last + 1) < Parting::Line {
                    last += 1;
                }
                out.push(PiiCandidate::new(PiiKind::Secret, start..scan.tokens[last].end));
                open = None;
                at = last;
            }
        }
        at += 1;
    }
    if let Some(start) = open {
        out.push(PiiCandidate::new(PiiKind::Secret, start..scan.view.len()));
    }
}
