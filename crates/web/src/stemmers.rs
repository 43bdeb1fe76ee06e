//! Stemmers and stop words of languages other than English: of each a small module that the page fetches and calls.

use std::cell::RefCell;
use std::collections::BTreeMap;

use js_sys::Function;
use wasm_bindgen::JsValue;

use ibid_platform::{Error, ErrorCode, Result};
use ibid_terms::{is_built_in, stem_by};
use ibid_text::Language;

/// The most stems of a language that are kept: those of the texts of many searches. A call of the page takes ten times as long.
const MOST_KEPT: usize = 20_000;

/// A function and stop words that the page gave for a language, and the stems that the function has told.
struct LoadedStemmer {
    stem: Function,
    stop_words: String,
    kept: BTreeMap<String, String>,
}

thread_local! {
    static LOADED: RefCell<BTreeMap<&'static str, LoadedStemmer>> = const { RefCell::new(BTreeMap::new()) };
}

/// Has the words of a language, by its name, stemmed by a function of a word, and gives its stop words, between spaces.
/// Those that were given before stay, with the stems that were told.
pub fn stem_language_by(language: &str, stem: Function, stop_words: String) {
    let Some(language) = Language::from_name(language) else { return };
    LOADED.with_borrow_mut(|loaded| {
        let given = || LoadedStemmer { stem, stop_words, kept: BTreeMap::new() };
        loaded.entry(language.as_str()).or_insert_with(given);
    });
    stem_by(stemmed, is_stop_word);
}

/// Finds the language's name, if its stemmer has to be loaded and has not been.
pub fn wanted(language: Language) -> Option<&'static str> {
    let is_here =
        is_built_in(language) || LOADED.with_borrow(|loaded| loaded.contains_key(language.as_str()));
    (!is_here).then(|| language.as_str())
}

/// Refuses to work in a language without its stemmer, which would find the wrong words.
///
/// # Errors
/// [`ErrorCode::IndexIncomplete`] when the page has to load it first.
pub fn check(language: Language) -> Result<()> {
    let Some(name) = wanted(language) else { return Ok(()) };
    let message = format!("The stemmer of the language `{name}` has not been loaded.");
    Err(Error::new(ErrorCode::IndexIncomplete, message).with_hint("Pass it to `stemBy` first."))
}

fn stemmed(language: Language, word: &str) -> Option<String> {
    LOADED.with_borrow_mut(|loaded| {
        let LoadedStemmer { stem, kept, .. } = loaded.get_mut(language.as_str())?;
        if let Some(known) = kept.get(word) {
            return Some(known.clone());
        }
        let stem = stem.call1(&JsValue::NULL, &word.into()).ok()?.as_string()?;
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert(word.to_owned(), stem.clone());
        Some(stem)
    })
}

fn is_stop_word(language: Language, word: &str) -> bool {
    LOADED.with_borrow(|loaded| {
        loaded.get(language.as_str()).is_some_and(|given| ibid_text::is_stop_word(&given.stop_words, word))
    })
}
