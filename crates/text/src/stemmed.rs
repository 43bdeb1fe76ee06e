//! The languages whose words can be stemmed.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The language that an index's texts are written in: it decides how words are stemmed, and which are stop words.
///
/// The names are those of ISO 639-1. Each has the Snowball algorithm of its name (<https://snowballstem.org>), for
/// Dutch and Norwegian that of Snowball 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// No stemming and no stop words, for several languages in one index and for those that are not listed.
    None,
    /// Arabic.
    Arabic,
    /// Danish.
    Danish,
    /// German.
    German,
    /// Greek.
    Greek,
    /// English, the default.
    #[default]
    English,
    /// Spanish.
    Spanish,
    /// Finnish.
    Finnish,
    /// French.
    French,
    /// Hungarian.
    Hungarian,
    /// Italian.
    Italian,
    /// Dutch.
    Dutch,
    /// Norwegian.
    Norwegian,
    /// Portuguese.
    Portuguese,
    /// Romanian.
    Romanian,
    /// Russian.
    Russian,
    /// Swedish.
    Swedish,
    /// Tamil.
    Tamil,
    /// Turkish.
    Turkish,
}

impl Language {
    /// All languages, in the order of their names.
    pub const ALL: [Self; 19] = [
        Self::Arabic,
        Self::Danish,
        Self::German,
        Self::Greek,
        Self::English,
        Self::Spanish,
        Self::Finnish,
        Self::French,
        Self::Hungarian,
        Self::Italian,
        Self::Dutch,
        Self::Norwegian,
        Self::None,
        Self::Portuguese,
        Self::Romanian,
        Self::Russian,
        Self::Swedish,
        Self::Tamil,
        Self::Turkish,
    ];

    /// Returns the name that options and files have for it: `en`, `de`, `none`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Arabic => "ar",
            Self::Danish => "da",
            Self::German => "de",
            Self::Greek => "el",
            Self::English => "en",
            Self::Spanish => "es",
            Self::Finnish => "fi",
            Self::French => "fr",
            Self::Hungarian => "hu",
            Self::Italian => "it",
            Self::Dutch => "nl",
            Self::Norwegian => "no",
            Self::Portuguese => "pt",
            Self::Romanian => "ro",
            Self::Russian => "ru",
            Self::Swedish => "sv",
            Self::Tamil => "ta",
            Self::Turkish => "tr",
        }
    }

    /// Returns the language of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.as_str() == name)
    }

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

impl Serialize for Language {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Language {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::from_name(&name).ok_or_else(|| D::Error::custom(format!("unknown language `{name}`")))
    }
}

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
