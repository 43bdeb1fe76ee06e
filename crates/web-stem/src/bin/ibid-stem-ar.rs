//! Stems words in Arabic.

ibid_web_stem::stemmer!(Arabic, "ar");
