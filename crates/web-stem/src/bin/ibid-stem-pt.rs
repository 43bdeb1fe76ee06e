//! Stems words in Portuguese.

ibid_web_stem::stemmer!(Portuguese, "pt");
