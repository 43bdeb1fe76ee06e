//! Stems words in Italian.

#[macro_use]
#[path = "../stem.rs"]
mod stem;

stemmer!(Italian, "it");
