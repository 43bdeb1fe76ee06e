//! The kinds of emergencies.

use serde::{Deserialize, Serialize};

/// The kinds of emergencies. The text form, in JSON and in the options too, is the name in kebab case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EmergencyCategory {
    /// A severe allergic reaction.
    Anaphylaxis,
    /// Emergencies of a woman who is pregnant or giving birth, or of the child that she expects.
    Pregnancy,
    /// Emergencies of a baby or a small child, other than by poison, allergy or blood loss.
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
    /// All of them. Where a question names several, the first of these is named; of the last four, the one that it tells
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
}
