//! What is said to a person in an emergency, in English; a host says it in its own words by `messages`.

use super::EmergencyCategory;

/// How help is called. These numbers are reached in many countries, and a person who is none of theirs knows the own.
macro_rules! call {
    () => {
        "Call your emergency number now (112, 911, 999 or the local one)"
    };
}

/// The message of a category.
pub(super) const fn of(category: EmergencyCategory) -> &'static str {
    match category {
        EmergencyCategory::Cardiac => concat!(
            "This may be a heart emergency. ",
            call!(),
            ". Rest and do not drive yourself. If somebody does not respond and does not breathe normally, start chest \
             compressions, and send for a defibrillator; the dispatcher will guide you."
        ),
        EmergencyCategory::Breathing => concat!(
            "Trouble with breathing can become dangerous within minutes. ",
            call!(),
            ". Sit upright, loosen tight clothes, and use a reliever inhaler if one was prescribed. If somebody is choking, \
             the dispatcher will tell you what to do."
        ),
        EmergencyCategory::Stroke => concat!(
            "This may be a stroke or another emergency of the brain. ",
            call!(),
            ", even if it gets better. Note when it began, and give nothing to eat or drink. During a seizure keep the person \
             from getting hurt, and hold nothing down."
        ),
        EmergencyCategory::Bleeding => concat!(
            "This may be a dangerous loss of blood. ",
            call!(),
            ". Press firmly on the wound with a clean cloth, without letting go, and lie down."
        ),
        EmergencyCategory::Overdose => concat!(
            "This may be a poisoning or an overdose. ",
            call!(),
            ", or a poison centre, and have the package at hand. Do not make anybody vomit. If it was done on purpose, say so: \
             you will get help."
        ),
        EmergencyCategory::SelfHarm => concat!(
            "You are not alone with this, and you deserve help right now. If you or somebody else is in danger: ",
            "call your emergency number now (112, 911, 999 or the local one)",
            ". A crisis line is there for you too, in many countries at any hour and free of charge. Please tell somebody near \
             you, and do not stay alone."
        ),
        EmergencyCategory::Anaphylaxis => concat!(
            "This may be a severe allergic reaction. ",
            call!(),
            ". If there is an adrenaline auto-injector, use it now. Lie down with raised legs, or sit if breathing is hard, and \
             do not get up."
        ),
        EmergencyCategory::Pregnancy => concat!(
            "This may be an emergency for mother or child. ",
            call!(),
            ", or your maternity unit. Lie down on the left side, and do not stay alone."
        ),
        EmergencyCategory::Child => concat!(
            "This may be an emergency of a child. ",
            call!(),
            ". Stay with the child. If it does not respond and does not breathe, the dispatcher will guide you through \
             resuscitation."
        ),
    }
}
