//! The kinds of emergencies.

use serde::{Deserialize, Serialize};

ibid_platform::named! {
    /// The kinds of emergencies. The text form, in JSON and in the options too, is the name in kebab case.
    /// Where a question names several, the first of these is named; of the last four, the one that it names first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    #[non_exhaustive]
    pub enum EmergencyCategory {
        /// A severe allergic reaction.
        Anaphylaxis = "anaphylaxis",
        /// Emergencies of a woman who is pregnant or giving birth, or of the child that she expects.
        Pregnancy = "pregnancy",
        /// Emergencies of a baby or a small child, other than by poison, allergy or blood loss.
        Child = "child",
        /// Too much of a medicine or a drug, or poison.
        Overdose = "overdose",
        /// Somebody wants to die, or hurts himself.
        SelfHarm = "self-harm",
        /// A stroke, or a seizure that does not pass by.
        Stroke = "stroke",
        /// A heart attack, or no pulse; also somebody who has collapsed.
        Cardiac = "cardiac",
        /// Blood loss.
        Bleeding = "bleeding",
        /// No air, or too little.
        Breathing = "breathing",
    }
}
