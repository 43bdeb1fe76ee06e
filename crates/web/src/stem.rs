//! The wasm modules that stem words and tell stop words, one for each language. Each file in `bin/` names a language.

/// Makes a program the wasm module of a language, as the crate's README says. It has the file of the language's stop words
/// and not the crate with all, which would bring more along than the words.
macro_rules! stemmer {
    ($language:ident, $name:literal) => {
        #[cfg(target_arch = "wasm32")]
        pub mod module {
            use std::cell::RefCell;

            use rust_stemmers::{Algorithm, Stemmer};
            use wasm_bindgen::prelude::wasm_bindgen;

            thread_local! {
                static WORD: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
            }

            /// Makes room for a word of that many bytes, and returns where it begins. The bytes that were there stay.
            #[wasm_bindgen]
            pub fn place(length: usize) -> usize {
                WORD.with_borrow_mut(|word| {
                    word.resize(length, 0);
                    word.as_ptr() as usize
                })
            }

            /// Stems the word, and returns the length of its stem; what is no UTF-8 stays as it is.
            #[wasm_bindgen]
            pub fn stem() -> usize {
                WORD.with_borrow_mut(|word| {
                    if let Ok(text) = std::str::from_utf8(word) {
                        let stem = Stemmer::create(Algorithm::$language).stem(text).into_owned();
                        *word = stem.into_bytes();
                    }
                    word.len()
                })
            }

            /// Puts the stop words where a word goes, with spaces between them, and returns the length of all.
            #[wasm_bindgen]
            pub fn stop_words() -> usize {
                let words = include_str!(concat!(
                    env!("CARGO_MANIFEST_DIR"),
                    "/../text/src/stop_words/",
                    $name,
                    ".txt"
                ));
                WORD.with_borrow_mut(|word| {
                    words.as_bytes().clone_into(word);
                    word.len()
                })
            }
        }

        fn main() {}
    };
}
