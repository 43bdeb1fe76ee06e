//! Exposes ibid to JavaScript: the code that all wasm modules share, with plain objects in and out, and errors with a
//! code.
//!
//! Each binary becomes one wasm file. The TypeScript package wraps them; its types are the documentation of what crosses.
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
