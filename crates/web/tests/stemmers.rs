//! The languages that have a module which stems their words.
#![cfg(not(target_arch = "wasm32"))]

use ibid_text::Language;

#[test]
fn every_language_but_english_has_a_module() {
    for language in Language::ALL {
        let path = format!("{}/src/bin/ibid-stem-{language}.rs", env!("CARGO_MANIFEST_DIR"));
        let is_apart = !matches!(language, Language::None | Language::English);
        assert_eq!(std::path::Path::new(&path).exists(), is_apart, "{language}");
    }
}
