//! Characters, scripts, words and languages: what rooms that look at text have in common.

mod language;
mod script;
mod words;

pub use language::language;
pub use language::{detect, languages};
pub use script::Script;
pub use script::alike_latin;
pub use words::{Gap, Words, is_single};
