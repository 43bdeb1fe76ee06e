//! Checks whether two texts can be compared word by word at all.

use ibid_text::{Script, Words, detect};

/// The language and script of a text, as far as can be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WrittenForm {
    language: Option<&'static str>,
    script: Option<Script>,
}

impl WrittenForm {
    pub(super) fn of(text: &str) -> Self {
        let (language, script) = detect(text, &Words::of(text));
        Self { language, script }
    }

    /// Returns true if the two are known to be written in different ways.
    pub(super) fn differs(self, other: Self) -> bool {
        let in_script = self.script.zip(other.script).is_some_and(|(one, other)| one != other);
        in_script || self.language.zip(other.language).is_some_and(|(one, other)| one != other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> WrittenForm {
        WrittenForm::of(text)
    }

    #[test]
    fn scripts_and_languages_are_told_apart() {
        let english = written("The dose is given with food and water.");
        for other in [
            "Die Dosis wird nicht mit dem Essen gegeben.",
            "La dose est donnée avec les repas et pour les enfants.",
            "Доза даётся вместе с едой.",
            "用量は一日三回です。",
            "الجرعة مع الطعام",
        ] {
            assert!(written(other).differs(english), "{other}");
        }
        assert!(!written("Zinc 20 mg").differs(english), "too little to tell");
        assert!(!written("Children are given zinc.").differs(english));
    }
}
