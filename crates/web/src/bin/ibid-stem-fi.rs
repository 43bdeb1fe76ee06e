//! Stems words in Finnish.

#[macro_use]
#[path = "../stem.rs"]
mod stem;

stemmer!(Finnish, "fi");
