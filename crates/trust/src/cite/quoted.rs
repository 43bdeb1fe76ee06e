//! Quotes: texts that stand in a passage word for word.

use super::sentence::statements;

/// Returns whether a text is nothing but a quote from a passage, such as an extractive answer has.
pub(super) fn is_quote(text: &str, passage: &str) -> bool {
    let quote = quoted(text);
    !quote.is_empty() && passage.replace("\\[", "[").contains(&quote)
}

/// Returns whether a claim is a sentence of a passage, or a row of a table in it, in the same words.
pub(super) fn is_sentence_of(claim: &str, passage: &str) -> bool {
    let (claim, passage) = (quoted(claim), passage.replace("\\[", "["));
    statements(&passage).into_iter().any(|(_, span)| passage.get(span) == Some(&claim))
}

/// The words of a quote as they stand in the passage, whose brackets may be escaped too.
fn quoted(text: &str) -> String {
    text.trim().trim_end_matches('…').trim_end().replace("\\[", "[")
}
