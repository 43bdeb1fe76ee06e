//! Stems words in Tamil.

#[macro_use]
#[path = "../stem.rs"]
mod stem;

stemmer!(Tamil, "ta");
