//! Stems words in French.

#[macro_use]
#[path = "../stem.rs"]
mod stem;

stemmer!(French, "fr");
