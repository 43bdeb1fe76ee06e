//! Stems words in Arabic.

#[macro_use]
#[path = "../stem.rs"]
mod stem;

stemmer!(Arabic, "ar");
