//! The guard's verdict on a question, and the options that it decides.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::options::AgentOptions;
use super::prompt::Preset;
use ibid_platform::Result;
use ibid_trust::guard::{Emergency, EmergencyMode, Intent, Notice, Verdict, inspect};

/// The verdict of the guard on a question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Guarded {
    /// The question as it was used, without what nobody can see.
    pub question: String,
    /// Its language, as a primary tag of BCP 47 such as `en`, if it can be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The kind of thing that it asks for.
    pub intent: Intent,
    /// Oddities of it, with byte ranges in the question.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
    /// The emergency that it tells about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emergency: Option<Emergency>,
    /// The number of different pieces of personal data in all that the person has said, by kind.
    pub pii: BTreeMap<String, usize>,
}

/// The confidence below which an answer from clinical sources gives way to the passages, unless the options
/// say otherwise. One in fourteen of the development claims with less was fully supported
/// (docs/checking-answers.md).
const CLINICAL_ABSTAIN_BELOW: f32 = 0.3;

/// Completes the options with what the preset decides, if they do not.
pub(super) fn resolve(options: AgentOptions) -> AgentOptions {
    let clinical = options.prompts.preset == Preset::Clinical;
    let mut options = options;
    options.guard.emergency = Some(emergency_mode(&options));
    options.pii = options.pii.resolve(clinical);
    options.abstain_below = options.abstain_below.or(clinical.then_some(CLINICAL_ABSTAIN_BELOW));
    options
}

impl AgentOptions {
    /// Tells whether a run with these options looks for emergencies, for which it needs
    /// [their rules](ibid_trust::guard::provide_emergency_rules).
    pub fn looks_for_emergencies(&self) -> bool {
        emergency_mode(self) != EmergencyMode::Off
    }
}

/// Chooses the treatment of emergencies: the options' own, else the preset's.
fn emergency_mode(options: &AgentOptions) -> EmergencyMode {
    let preset = match options.prompts.preset {
        Preset::Clinical => EmergencyMode::Answer,
        Preset::Documentation => EmergencyMode::Off,
    };
    options.guard.emergency.unwrap_or(preset)
}

/// Inspects the question with the guard.
pub(super) fn guard(question: &str, options: &AgentOptions) -> Result<Guarded> {
    inspect(question, &options.guard).map(Guarded::from)
}

impl From<Verdict> for Guarded {
    fn from(verdict: Verdict) -> Self {
        let Verdict { question, language, intent, notices, emergency, .. } = verdict;
        Self { question, language, intent, notices, emergency, pii: BTreeMap::new() }
    }
}
