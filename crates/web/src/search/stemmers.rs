//! Exports by which the page gives stemmers of languages other than English.

use js_sys::Function;
use wasm_bindgen::prelude::*;

use ibid_index::Manifest;
use ibid_web::stemmers;

/// Finds the language that an index's beginning names, where the page has to load its stemmer; nothing where it need not,
/// or where that part of the index is not there yet.
#[wasm_bindgen(js_name = stemmerOf)]
pub fn stemmer_of(head: &[u8]) -> Option<String> {
    stemmers::wanted(Manifest::of_beginning(head)?.build.lexical.analyzed()).map(str::to_owned)
}

/// Has the words of a language stemmed by a function of a word, and gives its stop words, between spaces.
#[wasm_bindgen(js_name = stemBy)]
pub fn stem_language_by(language: &str, stem: Function, stop_words: String) {
    stemmers::stem_language_by(language, stem, stop_words);
}
