//! Stems words in Turkish.

ibid_web_stem::stemmer!(Turkish, "tr");
