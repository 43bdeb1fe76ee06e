//! Stems words in Dutch.

ibid_web_stem::stemmer!(Dutch, "nl");
