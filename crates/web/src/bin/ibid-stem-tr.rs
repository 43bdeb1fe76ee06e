//! Stems words in Turkish.

#[macro_use]
#[path = "../stem.rs"]
mod stem;

stemmer!(Turkish, "tr");
