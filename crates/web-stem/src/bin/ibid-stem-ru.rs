//! Stems words in Russian.

ibid_web_stem::stemmer!(Russian, "ru");
