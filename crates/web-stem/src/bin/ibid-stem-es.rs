//! Stems words in Spanish.

ibid_web_stem::stemmer!(Spanish, "es");
