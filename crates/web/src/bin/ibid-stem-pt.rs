//! Stems words in Portuguese.

#[macro_use]
#[path = "../stem.rs"]
mod stem;

stemmer!(Portuguese, "pt");
