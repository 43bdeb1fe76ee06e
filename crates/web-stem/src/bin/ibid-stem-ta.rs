//! Stems words in Tamil.

ibid_web_stem::stemmer!(Tamil, "ta");
