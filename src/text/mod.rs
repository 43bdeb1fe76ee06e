//! Characters, scripts, words and languages: what rooms that look at text have in common.

mod language;
mod script;
mod words;

pub use language::language;
pub(crate) use language::{detect, languages};
pub use script::Script;
pub(crate) use script::alike_latin;
pub(crate) use words::{Gap, Words, is_single};
