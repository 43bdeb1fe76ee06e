//! Checks whether what an answer quotes stands in its sources.

use std::ops::Range;

use super::lex::{LetterCase, Lexeme, TokenKind};

/// Marks that open a quotation, with those that close it.
const MARKS: [(char, &[char]); 7] = [
    ('"', &['"']),
    ('“', &['”', '“', '"']),
    ('„', &['“', '”', '"']),
    ('«', &['»']),
    ('»', &['«']),
    ('「', &['」']),
    ('『', &['』']),
];

/// Fewer words in quotation marks are a name or a remark on a word, not a quotation.
const MIN_WORDS: usize = 3;

/// Finds the byte ranges of the quotations in a text, without their marks; a mark that nothing closes opens none.
pub(super) fn quotes(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, &[char])> = None;
    for (at, c) in text.char_indices() {
        match open {
            Some((start, close)) if close.contains(&c) => {
                found.push(start..at);
                open = None;
            }
            Some(_) => {}
            None => {
                let closing = MARKS.iter().find(|(mark, _)| *mark == c).map(|(_, close)| *close);
                open = closing.map(|close| (at + c.len_utf8(), close));
            }
        }
    }
    found
}

/// Joins the words and numbers of tokens with single spaces, so that white space, typography and markup make no
/// difference.
pub(super) fn flat<'t>(tokens: impl Iterator<Item = &'t Lexeme>) -> String {
    let mut flat = String::from(" ");
    for token in tokens.filter(|token| token.kind != TokenKind::Sign) {
        flat.push_str(&token.text);
        flat.push(' ');
    }
    flat
}

/// Returns true if a quotation, as tokens, stands in one of the flattened texts: as a whole, or in parts that follow each other
/// where it has ellipses. `None` if it is too short to be one.
pub(super) fn is_quoted(tokens: &[Lexeme], texts: &[&str]) -> Option<bool> {
    let words = tokens.iter().filter(|token| token.kind != TokenKind::Sign);
    // A title is a name, whose words are looked for one by one.
    let capitals = words
        .clone()
        .filter(|token| token.kind == TokenKind::Number || token.case != LetterCase::Lower)
        .count();
    let all = words.count();
    if all < MIN_WORDS || capitals * 2 > all {
        return None;
    }
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, token) in tokens.iter().enumerate() {
        let dots = token.is_sign(".")
            && token.glued
            && tokens.get(at + 1).is_some_and(|next| next.is_sign(".") && next.glued);
        if token.is_sign("…") || dots {
            parts.push(flat(tokens.get(start..at).unwrap_or_default().iter()));
            start = at + 1;
        }
    }
    parts.push(flat(tokens.get(start..).unwrap_or_default().iter()));
    parts.retain(|part| part != " ");
    Some(texts.iter().any(|text| {
        let mut rest = *text;
        parts.iter().all(|part| match rest.find(part.as_str()) {
            Some(at) => {
                // The space behind a part is the one in front of the next.
                rest = rest.get(at + part.len() - 1..).unwrap_or_default();
                true
            }
            None => false,
        })
    }))
}

#[cfg(test)]
mod tests {
    use super::super::lex::lex;
    use super::*;

    fn check(quote: &str, source: &str) -> Option<bool> {
        let source = flat(lex(source, 0, &[]).iter());
        is_quoted(&lex(quote, 0, &[]), &[&source])
    }

    #[test]
    fn quotations_are_found_whatever_their_marks() {
        for text in ["a \"b c\" d", "a “b c” d", "a „b c“ d", "a «b c» d", "a „b c” d"] {
            let found = quotes(text);
            assert_eq!(found.iter().map(|range| &text[range.clone()]).collect::<Vec<_>>(), ["b c"], "{text}");
        }
        assert!(quotes("5\" tall and open").is_empty());
    }

    #[test]
    fn wording_counts_and_typography_does_not() {
        let source = "Children  should **not** be given\n“aspirin” for a fever, ever.";
        assert_eq!(check("should not be given aspirin", source), Some(true));
        assert_eq!(check("Children should … for a fever", source), Some(true));
        assert_eq!(check("Children should ... for a fever", source), Some(true));
        assert_eq!(check("for a fever … Children should", source), Some(false));
        assert_eq!(check("should be given aspirin", source), Some(false));
        assert_eq!(check("be given aspi", source), Some(false));
        assert_eq!(check("aspirin", source), None);
    }
}
