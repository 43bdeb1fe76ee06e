//! Options of what is checked before and after the model, and kept.

use std::path::PathBuf;

use ibid::agent::{AgentOptions, VerifyPolicy};
use ibid_native::named;
use ibid_trust::guard::pii::{PiiMode, PiiOptions};
use ibid_trust::guard::{EmergencyMode, GuardOptions};

#[derive(clap::Args)]
pub(super) struct Checks {
    /// The treatment of sentences that their sources do not support: strict leaves them out, repair has the model
    /// write the answer once more.
    #[arg(long, value_name = "NAME", default_value = "mark")]
    #[arg(value_parser = named::<VerifyPolicy>(["off", "mark", "strict", "repair"]))]
    verify: VerifyPolicy,
    /// Have the model judge what cannot be decided by computation.
    #[arg(long, requires = "model")]
    judge: bool,
    /// Quote the best passages instead of an answer whose confidence is below this, 0 to 1
    /// [default: 0.3 with the preset clinical, 0 with documentation]
    #[arg(long, value_name = "CONFIDENCE", requires = "model")]
    abstain_below: Option<f32>,
    /// The treatment of personal data in the question: with redact, the model sees placeholders.
    #[arg(long, value_name = "NAME", default_value = "redact")]
    #[arg(value_parser = named::<PiiMode>(["off", "flag", "redact"]))]
    pii: PiiMode,
    /// The treatment of a question that describes an emergency: answer gives advice, by no model
    /// [default: answer with the preset clinical, off with documentation]
    #[arg(long, value_name = "NAME")]
    #[arg(value_parser = named::<EmergencyMode>(["off", "flag", "answer"]))]
    emergency: Option<EmergencyMode>,
    /// A file that the run is recorded in, one line for each; see `ibid audit`.
    #[arg(long, value_name = "FILE")]
    pub(super) audit: Option<PathBuf>,
}

impl Checks {
    pub(super) fn apply(&self, options: AgentOptions) -> AgentOptions {
        AgentOptions {
            guard: GuardOptions { emergency: self.emergency, ..GuardOptions::default() },
            pii: PiiOptions { mode: Some(self.pii), ..PiiOptions::default() },
            verify: self.verify,
            judge: self.judge,
            abstain_below: self.abstain_below,
            audit: self.audit.is_some(),
            ..options
        }
    }
}
