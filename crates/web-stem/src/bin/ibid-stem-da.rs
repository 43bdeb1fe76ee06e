//! Stems words in Danish.

ibid_web_stem::stemmer!(Danish, "da");
