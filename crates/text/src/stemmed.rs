//! The languages whose words can be stemmed.

use std::fmt;

use ibid_platform::{json_by_name, named};

named! {
    /// The language that an index's texts are written in: it decides how words are stemmed, and which are stop words.
    ///
    /// The names are those of ISO 639-1, and in their order. Each has the Snowball algorithm of its name (<https://snowballstem.org>), for
    /// Dutch and Norwegian that of Snowball 2.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Language {
        /// Arabic.
        Arabic = "ar",
        /// Danish.
        Danish = "da",
        /// German.
        German = "de",
        /// Greek.
        Greek = "el",
        /// English, the default.
        #[default]
        English = "en",
        /// Spanish.
        Spanish = "es",
        /// Finnish.
        Finnish = "fi",
        /// French.
        French = "fr",
        /// Hungarian.
        Hungarian = "hu",
        /// Italian.
        Italian = "it",
        /// Dutch.
        Dutch = "nl",
        /// Norwegian.
        Norwegian = "no",
        /// No stemming and no stop words, for several languages in one index and for those that are not listed.
        None = "none",
        /// Portuguese.
        Portuguese = "pt",
        /// Romanian.
        Romanian = "ro",
        /// Russian.
        Russian = "ru",
        /// Swedish.
        Swedish = "sv",
        /// Tamil.
        Tamil = "ta",
        /// Turkish.
        Turkish = "tr",
    }
}

impl Language {
    /// Returns the one in which words of a language are stemmed, by its primary tag of BCP 47; none for those without
    /// a stemmer.
    pub fn from_tag(tag: &str) -> Self {
        match tag {
            "nb" | "nn" => Self::Norwegian,
            tag => Self::from_name(tag).unwrap_or(Self::None),
        }
    }

    /// Returns true if an apostrophe may cut short an article before a word, as in "l'anémie".
    pub fn elides(self) -> bool {
        matches!(self, Self::French | Self::Italian)
    }

    /// Returns true if words with umlauts, the names of German in English among them, are also written `ue` for `ü`.
    pub fn spells_umlauts(self) -> bool {
        matches!(self, Self::German | Self::English | Self::None)
    }
}

json_by_name!(Language, "language");

impl fmt::Display for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_options_and_files() {
        for language in Language::ALL {
            let json = serde_json::to_string(&language).unwrap();
            assert_eq!(json, format!("\"{language}\""));
            assert_eq!(serde_json::from_str::<Language>(&json).unwrap(), language);
            assert_eq!(Language::from_name(language.as_str()), Some(language));
        }
        assert_eq!(Language::from_name("tlh"), None);
        assert!(Language::ALL.is_sorted_by_key(|language| language.as_str()));
        assert_eq!(Language::default(), Language::English);
    }
}
