//! Stems words in German.

#[macro_use]
#[path = "../stem.rs"]
mod stem;

stemmer!(German, "de");
