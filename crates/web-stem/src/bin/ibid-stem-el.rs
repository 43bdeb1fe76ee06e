//! Stems words in Greek.

ibid_web_stem::stemmer!(Greek, "el");
