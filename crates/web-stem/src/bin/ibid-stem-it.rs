//! Stems words in Italian.

ibid_web_stem::stemmer!(Italian, "it");
