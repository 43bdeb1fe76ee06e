//! What is looked at before and after the model, and kept.

use std::path::PathBuf;

use super::named;
use ibid::agent::{AgentOptions, VerifyPolicy};
use ibid_trust::guard::pii::{PiiMode, PiiOptions};
use ibid_trust::guard::{EmergencyMode, GuardOptions};

#[derive(clap::Args)]
pub(super) struct Checks {
    /// What is done about sentences that their sources do not support: off, mark, strict (they are left out) or repair (the
    /// model writes the answer once more).
    #[arg(long, value_name = "NAME", default_value = "mark", value_parser = verify_policy)]
    verify: VerifyPolicy,
    /// Have the model judge what cannot be decided by computation.
    #[arg(long, requires = "model")]
    judge: bool,
    /// Quote the best passages in the place of an answer whose confidence is below this, 0 to 1
    /// [default: 0.3 with the preset clinical, 0 with documentation]
    #[arg(long, value_name = "CONFIDENCE", requires = "model")]
    abstain_below: Option<f32>,
    /// What is done about personal data in the question: off, flag or redact (the model sees placeholders).
    #[arg(long, value_name = "NAME", default_value = "redact", value_parser = pii_mode)]
    pii: PiiMode,
    /// What is done about a question that tells of an emergency: off, flag or answer (with advice, by no model)
    /// [default: answer with the preset clinical, off with documentation]
    #[arg(long, value_name = "NAME", value_parser = emergency_mode)]
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

fn verify_policy(name: &str) -> Result<VerifyPolicy, String> {
    named(name, "off, mark, strict, repair")
}

fn pii_mode(name: &str) -> Result<PiiMode, String> {
    named(name, "off, flag, redact")
}

fn emergency_mode(name: &str) -> Result<EmergencyMode, String> {
    named(name, "off, flag, answer")
}
