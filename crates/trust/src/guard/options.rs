//! The options of the guards.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::emergency::EmergencyCategory;
use ibid_platform::{Error, ErrorCode, Result};

/// The way the question is guarded. The default flags markup, and leaves the emergency guard to the preset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct GuardOptions {
    /// The treatment of a question with markup, script or SQL in it. Default: [`Action::Flag`].
    pub markup: Action,
    /// The treatment of a question that describes an emergency. Default: `None`, which the preset decides: a clinical one
    /// answers, any other looks for none. [`inspect`](super::inspect) takes `None` for [`EmergencyMode::Off`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emergency: Option<EmergencyMode>,
    /// Own words for what is said to a person in an emergency, by the category's name such as `self-harm`; `default` is
    /// said where a category has none. Default: none, which says a message in English.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub messages: BTreeMap<String, String>,
}

/// The treatment of a question in which something was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Nothing; it is not looked for.
    Allow,
    /// It is asked, and the verdict says what was found where.
    #[default]
    Flag,
    /// It is refused with [`ErrorCode::QuestionBlocked`].
    Block,
}

/// The treatment of a question that describes an emergency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EmergencyMode {
    /// Nothing; it is not looked for.
    #[default]
    Off,
    /// It is asked, and the verdict says what was found where.
    Flag,
    /// It is answered with the category's message, before any call of a model.
    Answer,
}

impl GuardOptions {
    /// Returns the options, if they can be followed.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] for a message under a name that is no category's, and for one that says nothing.
    pub fn check(&self) -> Result<()> {
        for (name, words) in &self.messages {
            let known = name == "default" || EmergencyCategory::from_name(name).is_some();
            let problem = if !known {
                format!("`{name}` is not a category of emergencies.")
            } else if words.trim().is_empty() {
                format!("The message of `{name}` is empty.")
            } else {
                continue;
            };
            let names: Vec<&str> = EmergencyCategory::ALL.iter().map(|category| category.as_str()).collect();
            let hint =
                format!("`messages` has a text for each of these, or for `default`: {}.", names.join(", "));
            return Err(Error::new(ErrorCode::InvalidOption, problem).with_hint(hint));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_by_their_names() {
        let options: GuardOptions = serde_json::from_str(
            r#"{"markup":"block","emergency":"answer","messages":{"self-harm":"Bitte ruf an.","default":"112"}}"#,
        )
        .unwrap();
        assert_eq!(options.markup, Action::Block);
        assert_eq!(options.emergency, Some(EmergencyMode::Answer));
        assert!(options.check().is_ok());
        assert_eq!(serde_json::from_str::<GuardOptions>("{}").unwrap(), GuardOptions::default());
        for wrong in [r#"{"emergencies":"off"}"#, r#"{"markup":"drop"}"#, r#"{"emergency":true}"#] {
            assert!(serde_json::from_str::<GuardOptions>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn messages_are_for_categories() {
        for (name, words) in [("heart", "Call."), ("cardiac", " "), ("Cardiac", "Call.")] {
            let options =
                GuardOptions { messages: [(name.to_owned(), words.to_owned())].into(), ..Default::default() };
            let error = options.check().unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidOption, "{name}");
            assert!(error.hint().unwrap().contains("self-harm"));
        }
    }
}
