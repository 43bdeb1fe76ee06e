//! The boundary to JavaScript, and nothing but that: plain objects in and out, errors with a code.
//!
//! The TypeScript package wraps this; its types are the documentation of what crosses. Options and results are plain
//! objects, byte offsets of text become the UTF-16 offsets that JavaScript strings are indexed by, and whatever is
//! thrown is an `Error` with `code`, `hint` and `retryable`.
//!
//! Three modules are made of it, one for each of the features `search`, `ask` and `builder`, so that a page that only
//! searches fetches neither what talks to language models nor parsers and a transformer. They know nothing of each
//! other: a question's searches go through the page, as JSON.

#[cfg(feature = "ask")]
mod ask;
#[cfg(feature = "builder")]
mod builder;
mod convert;
#[cfg(feature = "builder")]
mod encoder;
#[cfg(feature = "search")]
mod engine;
#[cfg(feature = "builder")]
mod files;
#[cfg(any(feature = "search", feature = "ask"))]
mod utf16;

use wasm_bindgen::prelude::*;

#[cfg(feature = "ask")]
pub use ask::{ask, audit_check, audit_line, bibliography, inspect, redact, verify};
#[cfg(feature = "builder")]
pub use builder::{Builder, chunk_count, import_model};
#[cfg(feature = "builder")]
pub use encoder::QueryEncoder;
#[cfg(feature = "search")]
pub use engine::{Engine, head_length, needed_ranges, table_head_length};
#[cfg(feature = "builder")]
pub use files::{not_read, report_lines, source_names};

/// Reports a panic, which would be a defect, to the console with its message.
#[wasm_bindgen(start)]
fn start() {
    console_error_panic_hook::set_once();
}
