//! Stems words in Romanian.

#[macro_use]
#[path = "../stem.rs"]
mod stem;

stemmer!(Romanian, "ro");
