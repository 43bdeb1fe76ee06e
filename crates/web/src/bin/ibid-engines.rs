//! The wasm module that searches collections of search engines. Its functions are exported as they stand.

#[cfg(target_arch = "wasm32")]
#[path = "../engines/mod.rs"]
pub mod engines;

fn main() {}
