//! The boundary to JavaScript, and nothing but that: plain objects in and out, errors with a code.
//!
//! The TypeScript package wraps this; its types are the documentation of what crosses. Options and results are plain
//! objects, byte offsets of text become the UTF-16 offsets that JavaScript strings are indexed by, and whatever is
//! thrown is an `Error` with `code`, `hint` and `retryable`.
//!
//! Two modules are made of it, so that a page that only searches does not fetch parsers and a transformer: without the
//! feature `builder` it exports [`Engine`], with it a builder of indexes.

#[cfg(feature = "builder")]
mod builder;
mod convert;
#[cfg(not(feature = "builder"))]
mod engine;

use wasm_bindgen::prelude::*;

#[cfg(feature = "builder")]
pub use builder::{Builder, chunk_count, import_model};
#[cfg(not(feature = "builder"))]
pub use engine::{Engine, head_length, needed_ranges};

/// Reports a panic, which would be a defect, to the console with its message.
#[wasm_bindgen(start)]
fn start() {
    console_error_panic_hook::set_once();
}
