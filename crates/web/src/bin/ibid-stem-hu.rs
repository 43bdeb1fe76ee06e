//! Stems words in Hungarian.

#[macro_use]
#[path = "../stem.rs"]
mod stem;

stemmer!(Hungarian, "hu");
