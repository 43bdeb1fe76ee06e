//! Options by which texts are made searchable by words, and searched.

use ibid_terms::Language;
use serde::Serialize;

/// The way texts are made searchable by words.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LexicalOptions {
    /// The language that words are stemmed in. By default the one that most texts are in; a finished index names it,
    /// and one that does not is in English.
    pub language: Option<Language>,
    /// The saturation of a word that occurs again and again: 0 at once, and later with greater values; 1.2 by
    /// default.
    pub k1: f32,
    /// The loss of long chunks against short ones, from 0 to 1; 0.75 by default.
    pub b: f32,
    /// The number of times a word in the headings above a chunk counts, from 0 to 30 in steps of an eighth; 2 by default.
    pub heading_boost: f32,
    /// The number of times a word in the title counts, likewise.
    pub title_boost: f32,
}

impl LexicalOptions {
    /// Returns the language of a finished index.
    pub fn analyzed(&self) -> Language {
        self.language.unwrap_or_default()
    }

    /// Those of what is added to a finished index.
    #[must_use]
    pub fn of_parts(self) -> Self {
        Self { language: Some(self.analyzed()), ..self }
    }

    /// Returns whether a file leaves this out.
    pub(crate) fn is_usual(&self) -> bool {
        Self { language: None, ..*self } == Self::default() && self.analyzed() == Language::default()
    }
}

impl Default for LexicalOptions {
    fn default() -> Self {
        // Boosts of 3 rank better if questions repeat titles; 2 is the more careful choice. Other values of k1 and b helped
        // some collections and hurt others.
        Self { language: None, k1: 1.2, b: 0.75, heading_boost: 2.0, title_boost: 2.0 }
    }
}

ibid_platform::deserialize!(LexicalOptions over default: language, k1, b, heading_boost, title_boost);
