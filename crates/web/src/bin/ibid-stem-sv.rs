//! Stems words in Swedish.

#[macro_use]
#[path = "../stem.rs"]
mod stem;

stemmer!(Swedish, "sv");
