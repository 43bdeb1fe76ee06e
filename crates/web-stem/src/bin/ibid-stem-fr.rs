//! Stems words in French.

ibid_web_stem::stemmer!(French, "fr");
