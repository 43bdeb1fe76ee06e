//! Stems words in Norwegian.

#[macro_use]
#[path = "../stem.rs"]
mod stem;

stemmer!(Norwegian, "no");
