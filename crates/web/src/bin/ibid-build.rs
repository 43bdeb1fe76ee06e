//! The wasm module that builds indexes. Its functions are exported as they stand.

#[cfg(target_arch = "wasm32")]
#[path = "../build/mod.rs"]
pub mod build;

fn main() {}
