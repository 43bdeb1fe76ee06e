//! Stems words in Spanish.

#[macro_use]
#[path = "../stem.rs"]
mod stem;

stemmer!(Spanish, "es");
