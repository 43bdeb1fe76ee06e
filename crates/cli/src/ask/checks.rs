//! Options of what is checked before and after the model, and kept.

use std::path::PathBuf;

use ibid::agent::{AgentOptions, VerifyPolicy};
use ibid_native::named;
use ibid_trust::guard::pii::{PiiMode, PiiOptions};
use ibid_trust::guard::{EmergencyMode, GuardOptions};

#[derive(clap::Args)]
pub(super) struct Checks {
    /// What happens to unsupported sentences: strict removes them, repair makes the model rewrite the answer.
    #[arg(long, value_name = "NAME", default_value = "mark")]
    #[arg(value_parser = named::<VerifyPolicy>(["off", "mark", "strict", "repair"]))]
    verify: VerifyPolicy,
    /// Let the model decide what computation cannot.
    #[arg(long, requires = "model")]
    judge: bool,
    /// Quote the best passages if the answer's confidence is below this, 0 to 1
    /// [default: 0.3 with the preset clinical, 0 with documentation]
    #[arg(long, value_name = "CONFIDENCE", requires = "model")]
    abstain_below: Option<f32>,
    /// What happens to personal data in the question: with redact, the model sees placeholders.
    #[arg(long, value_name = "NAME", default_value = "redact")]
    #[arg(value_parser = named::<PiiMode>(["off", "flag", "redact"]))]
    pii: PiiMode,
    /// What happens to a question that describes an emergency: answer gives advice, without a model
    /// [default: answer with the preset clinical, off with documentation]
    #[arg(long, value_name = "NAME")]
    #[arg(value_parser = named::<EmergencyMode>(["off", "flag", "answer"]))]
    emergency: Option<EmergencyMode>,
    /// A file that records the run, one line per run; see `ibid audit`.
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
