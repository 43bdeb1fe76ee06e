//! Splits and folds text: characters, scripts, words, sentences and languages.
//!
//! | what | how |
//! | --- | --- |
//! | letters | [`fold`] spells plain letters out; [`fold_one`] keeps places, [`look`] case and accents; [`Normalizer`] and [`fold_accents`] have BERT's table of all scripts |
//! | tokens | [`with_signs`], [`capital_parts`], [`binds`] and [`without_umlauts`] define search terms once |
//! | words | [`Words`] splits and folds a text, and keeps each word's place |
//! | sentences | [`sentences`], with abbreviations |
//! | stems | [`Language`] names those that words can be stemmed in; [`rough_stem`] and [`present_stem`] by a few rules of English |
//! | stop words | [`stop_words`] of a language, [`is_stop_word`] of a list, [`is_english_stop_word`] |
//! | languages | [`language`] guesses, by function words, which [`function_words`] lists; [`Script`] and [`is_unspaced`] need no guess |
//!
//! A module has only the tables of the functions that it calls, so those with large ones stand apart.

mod fold;
mod language;
mod normalizer;
mod script;
mod sentence;
mod signature;
mod stem;
mod stemmed;
mod stop_words;
mod token;
mod words;

pub use fold::{digit, fold, fold_one, is_accent, is_direction, is_invisible, is_mark, look};
pub use language::{Languages, WELL_KNOWN, detect, function_words, language, languages};
pub use normalizer::{Normalizer, Piece, fold_accents};
pub use script::{Script, alike_latin, is_single, is_unspaced};
pub use sentence::sentences;
pub use signature::defined_name;
pub use stem::{present_stem, rough_stem};
pub use stemmed::Language;
pub use stop_words::{is_english_stop_word, is_stop_word, stop_words};
pub use token::{binds, capital_parts, with_signs, without_umlauts};
pub use words::{Gap, Words};
