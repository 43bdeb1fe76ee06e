//! Search by words: terms and their postings in a file, and BM25 over them.
//!
//! `ibid_terms` turns texts and queries into terms, `build` gathers the postings of all chunks into the two sections of a
//! file, `store` reads these where they lie. A search takes its words (`query`) to their postings (`resolve`, with
//! `expand` for those that are unfinished or misspelt), adds up what each is worth (`score`), and looks phrases up in
//! the text (`phrase`). See `docs/searching.md`.

mod bitstream;
mod build;
mod changes;
mod codec;
mod compound;
mod expand;
mod options;
mod phrase;
mod postings;
mod query;
mod resolve;
mod score;
mod search;
mod store;
mod synonyms;
#[cfg(test)]
mod tests;

pub(super) use build::LexicalBuilder;
pub(super) use changes::tells_changes;
pub use ibid_terms::{Analyzer, FirstLetters, Language, LexicalToken};
pub use options::LexicalOptions;
pub use query::phrase_conditions;
pub use score::{LexicalMatches, LexicalScratch};
pub(super) use store::TermStore;
