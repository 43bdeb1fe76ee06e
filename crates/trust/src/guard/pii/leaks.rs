//! Personal data that a model did not have from anywhere it may have it from.

use super::finder::{Finder, Found};
use super::phrases::Phrases;
use super::redaction::Redaction;
use super::view::{View, key};

/// Personal data in a model's text that is in none of the texts that it may come from, the sources, and that is not the
/// person's own: what the model made up, or had from elsewhere.
///
/// `answer` is the restored text. Values are compared without case, accents and punctuation, so a source's
/// `555 0100` allows `555-0100`. The work is linear in all texts together.
pub fn leaks(finder: &Finder, redaction: &Redaction, answer: &str, allowed: &[&str]) -> Vec<Found> {
    let found = finder.find(answer);
    if found.is_empty() {
        return found;
    }
    let keys: Vec<String> = found.iter().map(|one| key(&answer[one.span.clone()])).collect();
    let mut phrases = Phrases::default();
    let mut open: Vec<bool> = keys.iter().map(|key| !redaction.is_known(key)).collect();
    keys.iter().enumerate().for_each(|(at, key)| phrases.insert(key, at));
    for text in allowed {
        phrases.met(&View::new(text), &mut |at| open[at] = false);
    }
    // What is there twice is one phrase, under the number of the first.
    let first = |key: &String| keys.iter().position(|other| other == key).is_some_and(|at| open[at]);
    found.into_iter().zip(&keys).filter(|(_, key)| first(key)).map(|(one, _)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::pii::PiiOptions;

    #[test]
    fn what_the_person_or_a_source_said_is_no_leak() {
        let finder = Finder::new(&PiiOptions::default()).unwrap();
        let mut redaction = Redaction::default();
        redaction.redact(&finder, "My name is Maria Garcia, call me on +44 20 7946 0958.");
        let sources = ["The ward is reached on (020) 7946 0111, and led by J. Smith."];
        let answer = "Maria Garcia, ask Dr. Smith on 020 7946-0111 or write to ward@example.org. Call +44 20 7946 0958.";
        let leaks = leaks(&finder, &redaction, answer, &sources);
        let texts: Vec<&str> = leaks.iter().map(|one| &answer[one.span.clone()]).collect();
        assert_eq!(texts, ["ward@example.org"]);
    }
}
