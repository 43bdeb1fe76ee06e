//! Stems words in Finnish.

ibid_web_stem::stemmer!(Finnish, "fi");
