//! The choice of a policy by the question.

use crate::agent::case::CaseFile;
use crate::agent::memory::Conversation;
use crate::agent::options::{AgentOptions, Policy};
use ibid_platform::case;
use ibid_trust::guard::{Intent, intent};

/// Words by which a question asks for several things. They are English, as the rest of the table is; what
/// kind of question it is, the guard tells in more languages.
const SEVERAL: &str = "advantages and|pros and cons|step by step|and then|depending on|before and after|\
    first and second line| or rather ";

/// Beginnings of questions that one passage can answer.
const SIMPLE: &str = "what is |what's |what are |who |when |where |how much |how many |how long |\
    how often |which |define |is |does ";

/// The most words of a question that one passage can answer.
const SIMPLE_WORDS: usize = 14;

/// Returns the policy that [`Policy::Auto`] stands for, by the first row that applies:
///
/// | the question | policy |
/// | --- | --- |
/// | is a case, `Malaria. symptom: fever 3 days.`, or goes on with one | [`Policy::Case`] |
/// | comes with tools of the host's | [`Policy::Tools`] |
/// | [compares, asks what goes together or about a course of time](ibid_trust::guard::intent), or asks for several things | [`Policy::Pipeline`] |
/// | is one question of at most 14 words, for a dose or that begins like "what is", with nothing said before | [`Policy::Classic`] |
/// | is anything else | [`Policy::Tools`] |
pub fn choose(question: &str, options: &AgentOptions, conversation: &Conversation) -> Policy {
    let case = &conversation.case;
    let open = !case.closed && !case.conditions.is_empty();
    if open || CaseFile::parse(question).is_some() {
        return Policy::Case;
    }
    if !options.tools.is_empty() || options.stages.is_some() {
        return Policy::Tools;
    }
    let lower = format!(" {} ", case::lowercase(question));
    let intent = intent(question);
    if matches!(intent, Intent::Comparison | Intent::Interaction | Intent::Temporal)
        || SEVERAL.split('|').any(|word| lower.contains(word))
        || question.matches('?').count() > 1
    {
        return Policy::Pipeline;
    }
    let simple = matches!(intent, Intent::WhatIs | Intent::Dosage);
    let begins = simple || SIMPLE.split('|').any(|beginning| lower.trim_start().starts_with(beginning));
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
            ("Can I take ibuprofen with warfarin?", Policy::Pipeline),
            ("¿Qué dosis de amoxicilina se da a los niños?", Policy::Classic),
        ] {
            assert_eq!(choose(question, &options, &none), policy, "{question}");
        }
        let mut open = Conversation::new(None);
        open.case.add_condition("Malaria");
        assert_eq!(choose("She is pregnant.", &options, &open), Policy::Case);
    }
}
