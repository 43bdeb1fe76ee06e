//! Stems words in Swedish.

ibid_web_stem::stemmer!(Swedish, "sv");
