//! The words that the model is told: templates that are data, and can be replaced.
//!
//! A template is text with placeholders such as `{{question}}`. Values are never searched for placeholders
//! themselves, so nothing that a person or a document says can fill in anything else.

mod defaults;

use serde::{Deserialize, Serialize};

pub(super) use self::defaults::{
    ANSWER, ASSESS, CLASSIFY, DECOMPOSE, EVALUATED, JUDGE, LAST_TURN, NO_HITS, REFLECT, REVISE, REWRITE,
    SYNTHESIZE, WEAK,
};
use ibid_platform::{Error, ErrorCode, Result};

/// The templates of a run. Those that are not set are the preset's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Prompts {
    /// The preset, whose templates are used if none is set.
    pub preset: Preset,
    /// The standing instructions, with `{{nonce}}` and `{{task}}`.
    pub system: Option<String>,
    /// The question with its sources, for an answer by one call, with `{{question}}` and `{{sources}}`.
    pub answer: Option<String>,
    /// The request to make a question into a query, with `{{question}}` and `{{history}}`.
    pub rewrite: Option<String>,
    /// The request to classify a question, with `{{question}}`.
    pub classify: Option<String>,
    /// The request to take a question apart, with `{{question}}`, `{{class}}` and `{{count}}`.
    pub decompose: Option<String>,
    /// The question with the sources of several sub-queries, with `{{question}}`, `{{queries}}` and
    /// `{{sources}}`.
    pub synthesize: Option<String>,
    /// The request to judge an answer, with `{{question}}`, `{{answer}}` and `{{sources}}`.
    pub reflect: Option<String>,
    /// The request to assess a case, with `{{conditions}}`, `{{findings}}`, `{{question}}` and `{{sources}}`.
    pub assess: Option<String>,
    /// The request to judge claims, with `{{claims}}` and `{{sources}}`.
    pub judge: Option<String>,
    /// The request to mend an answer, with `{{question}}`, `{{answer}}`, `{{problems}}` and `{{sources}}`.
    pub revise: Option<String>,
}

/// The kind of documents, which decides how an answer is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Documentation of any kind.
    #[default]
    Documentation,
    /// Clinical guidelines: evidence strength, no definitive diagnosis, a disclaimer.
    Clinical,
}

/// The most bytes of a template.
const MAX_TEMPLATE_BYTES: usize = 100_000;

impl Prompts {
    /// Checks the templates that are set.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] for one that is blank, too long, or lacks the placeholder without which
    /// it cannot work.
    pub(super) fn validate(&self) -> Result<()> {
        for (name, template, needed) in [
            ("system", &self.system, "{{nonce}}"),
            ("answer", &self.answer, "{{sources}}"),
            ("rewrite", &self.rewrite, "{{question}}"),
            ("classify", &self.classify, "{{question}}"),
            ("decompose", &self.decompose, "{{question}}"),
            ("synthesize", &self.synthesize, "{{sources}}"),
            ("reflect", &self.reflect, "{{answer}}"),
            ("assess", &self.assess, "{{sources}}"),
            ("judge", &self.judge, "{{claims}}"),
            ("revise", &self.revise, "{{problems}}"),
        ] {
            let Some(template) = template else { continue };
            if template.len() > MAX_TEMPLATE_BYTES || !template.contains(needed) {
                let message = format!("The template `prompts.{name}` is too long, or has no {needed}.");
                return Err(Error::new(ErrorCode::InvalidOption, message)
                    .with_hint("Put the placeholder where the run is to fill in what the model needs."));
            }
        }
        Ok(())
    }

    /// The standing instructions for a task.
    pub(super) fn system(&self, nonce: &str, task: PromptTask) -> String {
        let default = match self.preset {
            Preset::Documentation => defaults::SYSTEM,
            Preset::Clinical => defaults::SYSTEM_CLINICAL,
        };
        let task = match task {
            PromptTask::Search => defaults::TASK_SEARCH,
            PromptTask::Sources => defaults::TASK_SOURCES,
            PromptTask::Interview => defaults::TASK_INTERVIEW,
        };
        fill(self.system.as_deref(), default, &[("nonce", nonce), ("task", task)])
    }
}

/// The way in which the model comes by its sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PromptTask {
    /// It searches itself.
    Search,
    /// It is given them.
    Sources,
    /// It asks the person first.
    Interview,
}

/// Fills in the placeholders of the template that is set, or else of the default, in one pass; one that is
/// not known stays as it is.
pub(super) fn fill(set: Option<&str>, default: &str, values: &[(&str, &str)]) -> String {
    let template = set.unwrap_or(default);
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find("{{") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let known = rest[2..].find("}}").and_then(|end| {
            let name = rest[2..2 + end].trim();
            values.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value, end + 4))
        });
        if let Some((value, length)) = known {
            out.push_str(value);
            rest = &rest[length..];
        } else {
            out.push_str("{{");
            rest = &rest[2..];
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn placeholders_are_filled_once() {
        let values = [("a", "{{b}}"), ("b", "x")];
        assert_eq!(fill(None, "{{a}} {{ b }} {{c}} {{", &values), "{{b}} x {{c}} {{");
        assert_eq!(fill(Some("{{{a}}}"), "", &values), "{{{a}}}", "the first two braces open");
    }

    #[test]
    fn a_template_must_have_what_it_needs() {
        assert!(Prompts::default().validate().is_ok());
        let without = Prompts { system: Some("Answer.".to_owned()), ..Prompts::default() };
        assert_eq!(without.validate().unwrap_err().code(), ErrorCode::InvalidOption);
        let own = Prompts { system: Some("Sources are in {{nonce}}.".to_owned()), ..Prompts::default() };
        assert!(own.validate().is_ok());
        assert_eq!(own.system("n1", PromptTask::Search), "Sources are in n1.");
    }

    #[test]
    fn presets_say_what_they_must() {
        let documentation = Prompts::default().system("n0nce1", PromptTask::Search);
        assert!(documentation.contains("<sources-n0nce1>") && documentation.contains("[1]"));
        assert!(!documentation.contains("{{"), "{documentation}");
        let prompts = Prompts { preset: Preset::Clinical, ..Prompts::default() };
        let clinical = prompts.system("n0nce1", PromptTask::Sources);
        for said in ["evidence", "diagnosis", "professional", "<sources-n0nce1>"] {
            assert!(clinical.contains(said), "{said}: {clinical}");
        }
    }

    proptest! {
        #[test]
        fn any_template_is_filled(template in "[a{} ]{0,40}", value in "[a{}]{0,9}") {
            let filled = fill(None, &template, &[("a", &value)]);
            prop_assert!(filled.len() <= template.len() * (value.len() + 1));
        }
    }
}
