//! Which policy a question gets.

use crate::agent::case::Case;
use crate::agent::memory::Conversation;
use crate::agent::options::{AgentOptions, Policy};

/// Words by which a question asks for more than one thing, or for a course of time. They are English, as the rest of the
/// table is; questions in other languages get [`Policy::Tools`].
const SEVERAL: [&str; 22] = [
    " versus ",
    " vs ",
    " vs. ",
    "compare",
    "comparison",
    "difference between",
    "differ from",
    "differences between",
    "advantages and",
    "pros and cons",
    "step by step",
    "and then",
    "depending on",
    "changed since",
    "over time",
    "history of",
    "evolution of",
    "before and after",
    "trend",
    "first and second line",
    "better than",
    " or rather ",
];

/// Beginnings of questions that one passage can answer.
const SIMPLE: [&str; 14] = [
    "what is ",
    "what's ",
    "what are ",
    "who ",
    "when ",
    "where ",
    "how much ",
    "how many ",
    "how long ",
    "how often ",
    "which ",
    "define ",
    "is ",
    "does ",
];

/// The most words of a question that one passage can answer.
const SIMPLE_WORDS: usize = 14;

/// The policy that [`Policy::Auto`] stands for, by the first row that applies:
///
/// | the question | policy |
/// | --- | --- |
/// | is a case, `Malaria. symptom: fever 3 days.`, or goes on with one | [`Policy::Case`] |
/// | comes with tools of the host's | [`Policy::Tools`] |
/// | compares, has several steps or asks about a course of time | [`Policy::Pipeline`] |
/// | is one question of at most 14 words that begins like "what is", with nothing said before | [`Policy::Classic`] |
/// | is anything else | [`Policy::Tools`] |
pub fn choose(question: &str, options: &AgentOptions, conversation: &Conversation) -> Policy {
    let case = &conversation.case;
    let open = !case.closed && !case.conditions.is_empty();
    if open || Case::parse(question).is_some() {
        return Policy::Case;
    }
    if !options.tools.is_empty() || options.stages.is_some() {
        return Policy::Tools;
    }
    let lower = format!(" {} ", question.to_lowercase());
    if SEVERAL.iter().any(|word| lower.contains(word)) || question.matches('?').count() > 1 {
        return Policy::Pipeline;
    }
    let begins = SIMPLE.iter().any(|beginning| lower.trim_start().starts_with(beginning));
    if begins && question.split_whitespace().count() <= SIMPLE_WORDS && conversation.is_empty() {
        return Policy::Classic;
    }
    Policy::Tools
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table() {
        let options = AgentOptions::default();
        let none = Conversation::new(None);
        for (question, policy) in [
            ("Malaria. symptom: fever 3 days.", Policy::Case),
            ("What is the dose of amoxicillin?", Policy::Classic),
            ("Is amoxicillin better than doxycycline in adults?", Policy::Pipeline),
            ("Compare the guidelines of 2010 and 2020", Policy::Pipeline),
            ("What is asthma? How is it treated?", Policy::Pipeline),
            ("My child has a fever and a rash, what should I look out for", Policy::Tools),
            ("¿Qué dosis de amoxicilina se da a los niños?", Policy::Tools),
        ] {
            assert_eq!(choose(question, &options, &none), policy, "{question}");
        }
        let mut open = Conversation::new(None);
        open.case.add_condition("Malaria");
        assert_eq!(choose("She is pregnant.", &options, &open), Policy::Case);
    }
}
