//! Checks whether a question describes an emergency: of somebody who is in danger now, not of what one ought to know about such
//! dangers, nor of what was, might be or is not the case.
//!
//! Two kinds of phrases are looked for, all in `rules/`: *signs* of an emergency, and *cues*, by which a sign is taken
//! for present or put aside. This is no triage: it sees the words of its list and nothing else.

mod category;
mod context;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

pub use category::EmergencyCategory;

use super::phrase::RuleTable;
use ibid_platform::{Error, ErrorCode, Result};
use ibid_text::Words;

/// An emergency that a question describes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Emergency {
    /// The kind, for programs.
    pub category: EmergencyCategory,
    /// The byte range in the question of what tells about it.
    pub span: Range<usize>,
    /// The words there.
    pub matched: String,
    /// The message to the person: the host's own words, or the category's in English.
    pub message: String,
}

/// The classes and cues, then the signs.
#[cfg(feature = "emergency-rules")]
const RULES_TEXT: &str = concat!(
    include_str!("rules/cues.txt"),
    include_str!("rules/felt.txt"),
    include_str!("rules/caused.txt"),
    include_str!("rules/concerned.txt"),
    include_str!("rules/bedside.txt"),
    include_str!("rules/languages.txt"),
    include_str!("rules/messages.txt"),
);

static RULES: OnceLock<RuleTable> = OnceLock::new();

/// Takes the text of the rules where the feature `emergency-rules` has not compiled them in. They weigh as much as all
/// other rules together, and few pages look for emergencies. The first call counts.
pub fn provide_emergency_rules(text: &'static str) {
    RULES.get_or_init(|| RuleTable::read_loosely(text));
}

/// Tells whether the rules are there.
pub fn has_emergency_rules() -> bool {
    table().is_some()
}

fn table() -> Option<&'static RuleTable> {
    #[cfg(feature = "emergency-rules")]
    provide_emergency_rules(RULES_TEXT);
    RULES.get()
}

impl EmergencyCategory {
    /// Returns the words that are said to the person where the host has no words of its own: in English, and with no
    /// number that is not the same in many countries. Empty without the rules.
    pub fn message(self) -> String {
        table().map(|table| table.texts(self.as_str()).collect::<Vec<_>>().join(" ")).unwrap_or_default()
    }
}

/// Finds the emergency that a question describes, with a message of `messages` if there is one for its category or by
/// `default`.
///
/// # Errors
/// [`ErrorCode::InvalidOption`] without the rules: silence would be taken for an all-clear.
pub(super) fn find(
    text: &str,
    words: &Words,
    messages: &BTreeMap<String, String>,
) -> Result<Option<Emergency>> {
    let rules = table().ok_or_else(|| {
        Error::new(ErrorCode::InvalidOption, "The rules for emergencies have not been provided.")
            .with_hint("Call `provide_emergency_rules`, or compile with the feature `emergency-rules`.")
    })?;
    let Some((category, found)) = context::present(words, &rules.find(words)) else { return Ok(None) };
    let span = words.span(&found);
    let own = messages.get(category.as_str()).or_else(|| messages.get("default"));
    Ok(Some(Emergency {
        category,
        matched: text.get(span.clone()).unwrap_or_default().to_owned(),
        span,
        message: own.map_or_else(|| category.message(), Clone::clone),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(text: &str) -> Option<(&'static str, String)> {
        let found = find(text, &Words::of(text), &BTreeMap::new()).unwrap()?;
        assert_eq!(&text[found.span.clone()], found.matched);
        Some((found.category.as_str(), found.matched))
    }

    #[test]
    fn the_rules_can_be_read() {
        let table = RuleTable::read(RULES_TEXT);
        assert!(table.wrong.is_empty(), "{:?}", table.wrong);
        for (section, mark) in table.sections() {
            let known = EmergencyCategory::from_name(section).is_some();
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
            find(text, &Words::of(text), &messages).unwrap().unwrap().message
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
            assert_eq!(EmergencyCategory::from_name(category.as_str()), Some(category));
            assert!(category.message().contains("112"), "{category:?}");
        }
        assert_eq!(EmergencyCategory::from_name("Cardiac"), None);
    }
}
