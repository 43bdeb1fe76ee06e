//! Stems words in Romanian.

ibid_web_stem::stemmer!(Romanian, "ro");
