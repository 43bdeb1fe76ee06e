//! Stages of a conversation, which say which of the host's tools exist at which point of it.

use serde::{Deserialize, Serialize};

use ibid_platform::{Error, ErrorCode, Result};

/// The stages of a conversation, for the tools of the host's that exist in some of them only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Stages {
    /// The stage that a conversation begins in.
    pub initial: String,
    /// The ways from one to another.
    #[serde(default)]
    pub transitions: Vec<Transition>,
}

/// From one stage to another, when a tool has returned without an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Transition {
    /// The stage that is left.
    pub from: String,
    /// The tool.
    pub tool: String,
    /// The stage that is entered.
    pub to: String,
}

impl Stages {
    /// Names the stage after a call of the tool.
    pub(super) fn after<'s>(&'s self, stage: &'s str, tool: &str) -> &'s str {
        let step = self.transitions.iter().find(|step| step.from == stage && step.tool == tool);
        step.map_or(stage, |step| step.to.as_str())
    }

    /// Checks that every stage that a tool belongs to can be reached by its name.
    pub(super) fn validate<'t>(&self, tool_stages: impl Iterator<Item = &'t String>) -> Result<()> {
        for stage in tool_stages {
            if *stage != self.initial && self.transitions.iter().all(|step| step.to != *stage) {
                let message = format!("No transition leads to the stage {stage:?}, which a tool names.");
                return Err(Error::new(ErrorCode::InvalidOption, message)
                    .with_hint("Add one to `stages.transitions`, or correct the name."));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_lead_to_each_other() {
        let stages: Stages =
            serde_json::from_str(r#"{"initial":"a","transitions":[{"from":"a","tool":"go","to":"b"}]}"#)
                .unwrap();
        assert_eq!(
            (stages.after("a", "go"), stages.after("b", "go"), stages.after("a", "x")),
            ("b", "b", "a")
        );
        assert!(stages.validate(["a".to_owned(), "b".to_owned()].iter()).is_ok());
        assert!(stages.validate(std::iter::once(&"c".to_owned())).is_err());
    }
}
