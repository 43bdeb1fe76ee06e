//! The boundary to JavaScript, as far as the wasm modules share it: plain objects in and out, errors with a code.
//!
//! `ibid-web-search`, `ibid-web-ask`, `ibid-web-build` and `ibid-web-engines` each become one wasm file, so that a page that only searches
//! fetches neither what talks to language models nor parsers and a transformer. They know nothing of each other: a
//! question's searches go through the page, as JSON. The TypeScript package wraps them; its types are the
//! documentation of what crosses.
#![cfg(target_arch = "wasm32")]

pub mod convert;
pub mod embed;
pub mod fetch;
pub mod settled;
pub mod stemmers;
pub mod utf16;
pub mod work;

use wasm_bindgen::prelude::*;

/// Reports a panic, which would be a defect, to the console with its message.
#[wasm_bindgen(start)]
fn start() {
    console_error_panic_hook::set_once();
}
