//! Stems words in Hungarian.

ibid_web_stem::stemmer!(Hungarian, "hu");
