//! Stems words in Russian.

#[macro_use]
#[path = "../stem.rs"]
mod stem;

stemmer!(Russian, "ru");
