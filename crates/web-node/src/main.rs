//! The wasm module: all that the library exports to JavaScript.

#[cfg(target_arch = "wasm32")]
use ibid_web_node as _;

fn main() {}
