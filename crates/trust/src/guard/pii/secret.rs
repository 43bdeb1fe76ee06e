//! Keys, tokens and passwords.

use std::sync::LazyLock;

use super::candidate::PiiCandidate;
use super::lexicon::entries;
use super::options::PiiKind;
use super::token::{Parting, PiiTokenKind, Scan};
use super::url::is_opaque;
use crate::guard::phrase::PhraseAt;

/// The way keys of well-known services begin, and the fewest characters behind it.
static PREFIXES: LazyLock<Vec<(&str, usize)>> = LazyLock::new(|| {
    entries("keys").filter_map(|(prefix, least)| Some((prefix, least.parse().ok()?))).collect()
});

#[inline(never)]
pub(super) fn find(scan: &Scan, found: &[PhraseAt], out: &mut Vec<PiiCandidate>) {
    keys(scan, out);
    for cue in scan.cues.iter().filter(|at| at.section == "secret") {
        announced(scan, cue.words.end, out);
    }
    private_keys(scan, found, out);
}

fn inside(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '/' | '=' | '~')
}

/// Finds the end of a key that begins at a character.
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
        let rest = scan.view.chars[token.start..].iter();
        let begins =
            |&&(prefix, _): &&(&str, usize)| rest.clone().take(prefix.len()).copied().eq(prefix.chars());
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

/// Secrets behind "password:" or "API key is".
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
fn private_keys(scan: &Scan, found: &[PhraseAt], out: &mut Vec<PiiCandidate>) {
    let mut marks = found.iter().filter(|one| one.section.starts_with("key-"));
    while let Some(begin) = marks.find(|mark| mark.section == "key-begins") {
        let start = scan.tokens[begin.words.start].start;
        let end = marks.find(|mark| mark.section == "key-ends").map_or(scan.view.len(), |end| {
            let line = (end.words.end..scan.tokens.len()).take_while(|at| scan.gap(*at) < Parting::Line);
            scan.tokens[line.last().unwrap_or(end.words.end - 1)].end
        });
        out.push(PiiCandidate::new(PiiKind::Secret, start..end));
    }
}
