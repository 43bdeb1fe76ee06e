//! Stems words in Greek.

#[macro_use]
#[path = "../stem.rs"]
mod stem;

stemmer!(Greek, "el");
