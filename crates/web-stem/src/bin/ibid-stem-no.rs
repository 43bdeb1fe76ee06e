//! Stems words in Norwegian.

ibid_web_stem::stemmer!(Norwegian, "no");
