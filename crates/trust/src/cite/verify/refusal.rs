//! Sentences that claim nothing about the subject.

use super::lex::Token;
use super::lists::Lists;

/// What an answer calls the texts that it was given.
const TEXTS: &str = "source sources document documents documentation passage passages context excerpt excerpts text texts \
material materials information evidence search results result knowledge guideline guidelines quellen quelle dokumente dokument \
kontext informationen textstellen documents sources contexte informations passages fuentes documentos contexto informacion pasajes";

/// What such texts do or do not do.
const SAYS: &str = "say says said mention mentions mentioned contain contains contained provide provides provided specify specifies \
specified state states stated include includes included give gives given cover covers covered address addresses addressed discuss \
discusses discussed describe describes described find found available answer answers answered indicate indicates tell tells list lists \
listed offer support supports detail details clear sagen sagt enthalten enthalt nennen nennt erwahnen erwahnt angeben angegeben \
finden gefunden beantworten hervor mentionnent mentionne contiennent contient precisent precise indiquent trouve mencionan menciona \
contienen contiene indican encontre encontrado responder";

/// First persons.
const PERSONS: &str = "i we ich wir je nous yo";

/// What someone does who does not answer.
const DOES: &str = "find found answer determine locate confirm tell know say provide see have identify give advise diagnose finden \
beantworten sagen trouver repondre trouve encontrar responder";

/// The beginnings of remarks that are no statement about the subject, folded.
const REMARKS: &[&str] = &[
    "i am sorry",
    "i m sorry",
    "i'm sorry",
    "sorry",
    "please consult",
    "please contact",
    "please see",
    "please note that this is not medical advice",
    "consult a",
    "consult your",
    "this is not medical advice",
    "this answer",
    "this is not legal advice",
    "always consult",
    "for more information",
    "for further information",
    "let me know",
    "based on the sources",
    "here is",
    "here are",
    "in summary",
    "i hope",
    "no passage in these documents answers",
    "not found in",
    "no information",
    "nothing in the",
    "es tut mir leid",
    "leider",
    "desole",
    "lo siento",
];

/// How many words of a sentence are looked at: a remark says at its beginning what it is.
const AHEAD: usize = 16;

/// Whether a sentence is a refusal, a question, a lead-in or another remark that claims nothing of its subject.
pub(super) fn claims_nothing(tokens: &[Token], lists: &Lists) -> bool {
    let last =
        tokens.iter().rev().find(|token| !matches!(token.text.as_str(), "\n" | "*" | "_" | "\"" | ")" | "'"));
    if last.is_none_or(|last| matches!(last.text.as_str(), "?" | "？" | ":" | "：")) {
        return true;
    }
    let words: Vec<&str> =
        tokens.iter().filter(|token| token.is_word()).take(AHEAD).map(|token| token.text.as_str()).collect();
    let has = |list: &str, word: &str| list.split_ascii_whitespace().any(|known| known == word);
    let at = |list: &str| words.iter().position(|word| has(list, word));
    let start = words.iter().take(10).copied().collect::<Vec<_>>().join(" ");
    if REMARKS
        .iter()
        .any(|remark| start.strip_prefix(remark).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
    {
        return true;
    }
    let denied = words.iter().any(|word| {
        lists.get(word).denies || word.ends_with("n't") || *word == "unable" || *word == "unclear"
    });
    if !denied {
        return false;
    }
    let by_person =
        at(PERSONS).is_some_and(|person| words.iter().skip(person + 1).take(5).any(|word| has(DOES, word)));
    // "The provided sources do not say"; a guideline that does not recommend something says so about its subject.
    let by_text = at(TEXTS).is_some_and(|_| at(SAYS).is_some());
    by_person || by_text
}

#[cfg(test)]
mod tests {
    use super::super::lex::lex;
    use super::*;

    #[test]
    fn remarks_are_told_from_statements() {
        let lists = Lists::all();
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
