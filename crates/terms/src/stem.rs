//! Words without their endings, and those that are stop words.
//!
//! The algorithm and the stop words of English are in every module. Those of other languages are most of what a small
//! wasm module would weigh: it has them only where it calls [`stem_all`], and else [`stem_by`] gives them. Natively all are
//! there.

use std::borrow::Cow;
use std::sync::OnceLock;

use ibid_text::Language;
use rust_stemmers::{Algorithm, Stemmer};

/// Stems a word in lower case in one of the languages other than English; none if it cannot.
pub type StemFunction = fn(Language, &str) -> Option<String>;

/// Says whether a word in lower case is a stop word of one of these languages.
pub type StopFunction = fn(Language, &str) -> bool;

/// The functions for the languages other than English.
static OTHERS: OnceLock<(StemFunction, StopFunction)> = OnceLock::new();

/// Has the languages other than English stemmed, and their stop words told, by functions. Only the first call of this or
/// [`stem_all`] counts.
pub fn stem_by(stem: StemFunction, is_stop_word: StopFunction) {
    let _ = OTHERS.set((stem, is_stop_word));
}

/// Has all languages stemmed by the algorithms of this crate, as is done anyway where the target is not wasm.
pub fn stem_all() {
    stem_by(snowball, |language, word| ibid_text::is_stop_word(ibid_text::stop_words(language), word));
}

/// Returns whether the words of a language are stemmed by what every module has, or not at all.
pub fn is_built_in(language: Language) -> bool {
    matches!(language, Language::None | Language::English)
}

/// Finds the stem of a word in lower case.
pub(crate) fn stem(language: Language, word: &str) -> Cow<'_, str> {
    match language {
        Language::None => Cow::Borrowed(word),
        Language::English => Stemmer::create(Algorithm::English).stem(word),
        _ => others().and_then(|(stem, _)| stem(language, word)).map_or(Cow::Borrowed(word), Cow::Owned),
    }
}

/// Says whether a word, in lower case and with its accents, is a stop word of a language.
pub(crate) fn is_stop_word(language: Language, word: &str) -> bool {
    match language {
        Language::None => false,
        Language::English => ibid_text::is_english_stop_word(word),
        _ => others().is_some_and(|(_, is_stop_word)| is_stop_word(language, word)),
    }
}

#[cfg(target_arch = "wasm32")]
fn others() -> Option<&'static (StemFunction, StopFunction)> {
    OTHERS.get()
}

#[cfg(not(target_arch = "wasm32"))]
fn others() -> Option<&'static (StemFunction, StopFunction)> {
    stem_all();
    OTHERS.get()
}

/// Snowball's algorithms (<https://snowballstem.org>), for Dutch and Norwegian those of Snowball 2.
fn snowball(language: Language, word: &str) -> Option<String> {
    let algorithm = match language {
        Language::None => return None,
        Language::Arabic => Algorithm::Arabic,
        Language::Danish => Algorithm::Danish,
        Language::German => Algorithm::German,
        Language::Greek => Algorithm::Greek,
        Language::English => Algorithm::English,
        Language::Spanish => Algorithm::Spanish,
        Language::Finnish => Algorithm::Finnish,
        Language::French => Algorithm::French,
        Language::Hungarian => Algorithm::Hungarian,
        Language::Italian => Algorithm::Italian,
        Language::Dutch => Algorithm::Dutch,
        Language::Norwegian => Algorithm::Norwegian,
        Language::Portuguese => Algorithm::Portuguese,
        Language::Romanian => Algorithm::Romanian,
        Language::Russian => Algorithm::Russian,
        Language::Swedish => Algorithm::Swedish,
        Language::Tamil => Algorithm::Tamil,
        Language::Turkish => Algorithm::Turkish,
    };
    Some(Stemmer::create(algorithm).stem(word).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_stem_share_it() {
        for (language, one, other) in [
            (Language::English, "treatments", "treatment"),
            (Language::German, "behandlungen", "behandlung"),
            (Language::French, "traitements", "traitement"),
            (Language::Spanish, "tratamientos", "tratamiento"),
            (Language::Russian, "лечения", "лечение"),
            (Language::Turkish, "kitaplar", "kitap"),
        ] {
            assert_eq!(stem(language, one), stem(language, other), "{language}");
            assert_ne!(stem(language, one), one, "{language}");
        }
        assert_eq!(stem(Language::None, "treatments"), "treatments");
    }

    #[test]
    fn stop_words_are_those_of_the_language() {
        assert!(is_stop_word(Language::English, "the") && is_stop_word(Language::German, "für"));
        assert!(!is_stop_word(Language::English, "für") && !is_stop_word(Language::German, "the"));
        assert!(!is_stop_word(Language::None, "the"));
    }
}
