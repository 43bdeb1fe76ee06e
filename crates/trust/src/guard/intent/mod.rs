//! The intent of a question, by the words it is asked in.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::phrase::RuleTable;
use ibid_platform::order;
use ibid_text::Words;

ibid_platform::named! {
    /// The intent of a question. The text form, in JSON too, is the name in kebab case.
    /// Of two that are equally likely, the one that says more of what is wanted comes first.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    #[non_exhaustive]
    pub enum Intent {
        /// True if things can be taken or used together.
        Interaction = "interaction",
        /// An amount of something, or a frequency.
        Dosage = "dosage",
        /// The way things differ, or which is better.
        Comparison = "comparison",
        /// A time or a duration.
        Temporal = "temporal",
        /// A way of doing something.
        Procedure = "procedure",
        /// A definition.
        WhatIs = "what-is",
        /// Anything else.
        #[default]
        Other = "other",
    }
}

/// Returns the intent of a question, by rules alone; English in depth, and the commonest forms of German, Spanish,
/// French, Portuguese and Italian.
///
/// ```
/// # use ibid_trust::guard::{Intent, intent};
/// assert_eq!(intent("Can I take ibuprofen together with warfarin?"), Intent::Interaction);
/// ```
pub fn intent(text: &str) -> Intent {
    of(&Words::of(text))
}

/// Finds the intent whose phrases weigh most together; each phrase counts once.
pub(super) fn of(words: &Words) -> Intent {
    static RULES: OnceLock<RuleTable> = OnceLock::new();
    let mut found: Vec<_> = table(&RULES)
        .find(words)
        .into_iter()
        .map(|found| (found.section, found.phrase, found.mark))
        .collect();
    order::by(&mut found, Ord::cmp);
    found.dedup();
    let weight = |intent: Intent| -> u32 {
        let name = intent.as_str();
        let marks = found.iter().filter(|(section, ..)| *section == name);
        marks.map(|(_, _, mark)| u32::from(mark.wrapping_sub(b'0'))).sum()
    };
    let mut best = (0, Intent::Other);
    for intent in Intent::ALL {
        let weight = weight(intent);
        if weight > best.0 {
            best = (weight, intent);
        }
    }
    best.1
}

fn table(rules: &'static OnceLock<RuleTable>) -> &'static RuleTable {
    rules.get_or_init(|| RuleTable::read(include_str!(concat!(env!("OUT_DIR"), "/guard-intent-rules.txt"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_can_be_read() {
        let table = RuleTable::read(include_str!(concat!(env!("OUT_DIR"), "/guard-intent-rules.txt")));
        assert!(table.wrong.is_empty(), "{:?}", table.wrong);
        for (section, mark) in table.sections() {
            assert!(Intent::ALL.iter().any(|intent| intent.as_str() == section), "{section}");
            assert!(mark.is_ascii_digit(), "{section}");
        }
    }

    #[test]
    fn one_of_each() {
        for (text, intent) in [
            ("What is atrial fibrillation?", Intent::WhatIs),
            ("Maximum daily dose of paracetamol", Intent::Dosage),
            ("Does warfarin interact with amiodarone?", Intent::Interaction),
            ("Difference between type 1 and type 2 diabetes", Intent::Comparison),
            ("How do I place a chest drain?", Intent::Procedure),
            ("How long should antibiotics be continued?", Intent::Temporal),
            ("Is it safe to fly?", Intent::Other),
            ("", Intent::Other),
        ] {
            assert_eq!(super::intent(text), intent, "{text}");
        }
    }
}
