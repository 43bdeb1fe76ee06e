//! Stems words in German.

ibid_web_stem::stemmer!(German, "de");
