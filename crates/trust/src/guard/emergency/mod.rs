//! Whether a question tells of an emergency: of somebody who is in danger now, not of what one ought to know about such
//! dangers, nor of what was, might be or is not the case.
//!
//! Two kinds of phrases are looked for, all in `rules/`: *signs* of an emergency, and *cues*, by which a sign is taken
//! for present or put aside. This is no triage: it sees the words of its list and nothing else.

mod context;
mod message;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::phrase::RuleTable;
use ibid_text::Words;

/// An emergency that a question tells of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Emergency {
    /// What it is, for programs.
    pub category: EmergencyCategory,
    /// The byte range in the question of what tells of it.
    pub span: Range<usize>,
    /// The words there.
    pub matched: String,
    /// What is to be said to the person: the host's own words, or the category's in English.
    pub message: String,
}

/// The kinds of emergencies. The text form, in JSON and in the options too, is the name in kebab case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EmergencyCategory {
    /// A severe allergic reaction.
    Anaphylaxis,
    /// Of a woman who is pregnant or giving birth, or of the child that she expects.
    Pregnancy,
    /// Of a baby or a small child, other than by poison, allergy or blood loss.
    Child,
    /// Too much of a medicine or a drug, or poison.
    Overdose,
    /// Somebody wants to die, or hurts himself.
    SelfHarm,
    /// A stroke, or a seizure that does not pass by.
    Stroke,
    /// A heart attack, or no pulse; also somebody who has collapsed.
    Cardiac,
    /// Blood loss.
    Bleeding,
    /// No air, or too little.
    Breathing,
}

impl EmergencyCategory {
    /// All of them. Where a question tells of several, the first of these is named; of the last four, the one that it tells
    /// of first.
    pub const ALL: [Self; 9] = [
        Self::Anaphylaxis,
        Self::Pregnancy,
        Self::Child,
        Self::Overdose,
        Self::SelfHarm,
        Self::Stroke,
        Self::Cardiac,
        Self::Bleeding,
        Self::Breathing,
    ];

    /// The text form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Anaphylaxis => "anaphylaxis",
            Self::Pregnancy => "pregnancy",
            Self::Child => "child",
            Self::Overdose => "overdose",
            Self::SelfHarm => "self-harm",
            Self::Stroke => "stroke",
            Self::Cardiac => "cardiac",
            Self::Bleeding => "bleeding",
            Self::Breathing => "breathing",
        }
    }

    /// The category of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.as_str() == name)
    }

    /// What is said to the person where the host has no words of its own: in English, and with no number that is not the
    /// same in many countries.
    pub const fn message(self) -> &'static str {
        message::of(self)
    }
}

/// The classes and cues, then the signs.
const RULES_TEXT: &str = concat!(
    include_str!("rules/cues.txt"),
    include_str!("rules/felt.txt"),
    include_str!("rules/caused.txt"),
    include_str!("rules/concerned.txt"),
    include_str!("rules/bedside.txt"),
    include_str!("rules/languages.txt"),
);

fn table() -> &'static RuleTable {
    static RULES: OnceLock<RuleTable> = OnceLock::new();
    RULES.get_or_init(|| RuleTable::read_loosely(RULES_TEXT))
}

/// The emergency that a question tells of, with a message of `messages` where there is one for its category or by
/// `default`.
pub(super) fn find(text: &str, words: &Words, messages: &BTreeMap<String, String>) -> Option<Emergency> {
    let (category, found) = context::present(words, &table().find(words))?;
    let span = words.span(&found);
    let own = messages.get(category.as_str()).or_else(|| messages.get("default"));
    Some(Emergency {
        category,
        matched: text.get(span.clone()).unwrap_or_default().to_owned(),
        span,
        message: own.map_or_else(|| category.message().to_owned(), Clone::clone),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(text: &str) -> Option<(&'static str, String)> {
        let found = find(text, &Words::of(text), &BTreeMap::new())?;
        assert_eq!(&text[found.span.clone()], found.matched);
        Some((found.category.as_str(), found.matched))
    }

    #[test]
    fn the_rules_can_be_read() {
        let table = RuleTable::read(RULES_TEXT);
        assert!(table.wrong.is_empty(), "{:?}", table.wrong);
        for (section, mark) in table.sections() {
            let known = EmergencyCategory::parse(section).is_some();
            assert!(known || context::is_cue(section), "{section}");
            assert!(if known { b"!+-*12".contains(&mark) } else { mark == b'?' }, "{section}");
        }
    }

    #[test]
    fn what_is_told_is_named_with_its_place() {
        let (category, matched) = ask("Help!! My dad's got crushing chest pain and he is sweating").unwrap();
        assert_eq!(category, "cardiac");
        assert!(matched.contains("chest pain"), "{matched}");
        assert_eq!(ask("What are the symptoms of a heart attack?"), None);
    }

    #[test]
    fn own_words_come_first() {
        let say = |messages: &[(&str, &str)], text: &str| {
            let messages =
                messages.iter().map(|(name, words)| ((*name).to_owned(), (*words).to_owned())).collect();
            find(text, &Words::of(text), &messages).unwrap().message
        };
        let text = "I want to kill myself";
        assert_eq!(say(&[("self-harm", "Ruf an."), ("default", "112")], text), "Ruf an.");
        assert_eq!(say(&[("cardiac", "Ruf an."), ("default", "112")], text), "112");
        assert_eq!(say(&[], text), EmergencyCategory::SelfHarm.message());
    }

    #[test]
    fn categories_have_names_and_messages() {
        for category in EmergencyCategory::ALL {
            assert_eq!(serde_json::to_value(category).unwrap(), category.as_str());
            assert_eq!(EmergencyCategory::parse(category.as_str()), Some(category));
            assert!(category.message().contains("112"), "{category:?}");
        }
        assert_eq!(EmergencyCategory::parse("Cardiac"), None);
    }
}
