//! Stems words in Dutch.

#[macro_use]
#[path = "../stem.rs"]
mod stem;

stemmer!(Dutch, "nl");
