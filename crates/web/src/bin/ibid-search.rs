//! The wasm module that searches. Its functions are exported as they stand.

#[cfg(target_arch = "wasm32")]
#[path = "../search/mod.rs"]
pub mod search;

fn main() {}
