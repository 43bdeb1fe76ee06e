//! Stems words in Danish.

#[macro_use]
#[path = "../stem.rs"]
mod stem;

stemmer!(Danish, "da");
