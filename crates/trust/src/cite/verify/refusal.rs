//! Sentences that claim nothing about the subject.

use super::lex::Lexeme;
use super::lists::{Role, WordLists, lines};

/// The number of words of a sentence that are looked at: a remark says at its beginning what it is.
const AHEAD: usize = 16;

/// Returns true if a sentence is a refusal, a question, a lead-in or another remark that claims nothing of its subject.
pub(super) fn claims_nothing(tokens: &[Lexeme], lists: &WordLists) -> bool {
    let last =
        tokens.iter().rev().find(|token| !matches!(token.text.as_str(), "\n" | "*" | "_" | "\"" | ")" | "'"));
    if last.is_none_or(|last| matches!(last.text.as_str(), "?" | "？" | ":" | "：")) {
        return true;
    }
    let words: Vec<&str> =
        tokens.iter().filter(|token| token.is_word()).take(AHEAD).map(|token| token.text.as_str()).collect();
    let at = |role: Role| words.iter().position(|word| lists.get(word).is(role));
    let start = words.iter().take(10).copied().collect::<Vec<_>>().join(" ");
    let begins = |remark: &str| {
        start.strip_prefix(remark).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    if lines("remarks").any(begins) {
        return true;
    }
    let denied = words.iter().any(|word| {
        lists.get(word).is(Role::Denies) || word.ends_with("n't") || *word == "unable" || *word == "unclear"
    });
    if !denied {
        return false;
    }
    let by_person = at(Role::Persons).is_some_and(|person| {
        words.iter().skip(person + 1).take(5).any(|word| lists.get(word).is(Role::Does))
    });
    // "The provided sources do not say"; a guideline that does not recommend something says so about its subject.
    let by_text = at(Role::Texts).is_some() && at(Role::Says).is_some();
    by_person || by_text
}

#[cfg(test)]
mod tests {
    use super::super::lex::lex;
    use super::*;

    #[test]
    fn remarks_are_told_from_statements() {
        let lists = WordLists::all();
        for remark in [
            "The sources do not say how long it lasts.",
            "I could not find a dose for infants.",
            "The provided documents don't mention an interaction.",
            "No information about children is available in the sources.",
            "It is not specified in the passages.",
            "Which dose do you mean?",
            "The following doses are given:",
            "I'm sorry, but this cannot be answered.",
            "Please consult a doctor before use.",
            "Die Quellen enthalten dazu keine Angaben.",
            "Les sources ne mentionnent pas la durée.",
            "Las fuentes no mencionan la dosis.",
        ] {
            assert!(claims_nothing(&lex(remark, 0, &[]), lists), "{remark}");
        }
        for statement in [
            "Zinc does not shorten fever.",
            "Do not give aspirin to children.",
            "The guideline recommends against steroids.",
            "Amoxicillin is given for five days.",
            "I/O errors are not retried.",
        ] {
            assert!(!claims_nothing(&lex(statement, 0, &[]), lists), "{statement}");
        }
    }
}
