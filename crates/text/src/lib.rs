//! Characters, scripts, words and languages: what rooms that look at text have in common.

mod fold;
mod language;
mod script;
mod sentence;
mod words;

pub use fold::{digit, fold, fold_one, is_accent, is_direction, is_invisible, is_mark, look};
pub use language::{detect, language, languages};
pub use script::{Script, alike_latin, is_single, is_unspaced};
pub use sentence::sentences;
pub use words::{Gap, Words};
