//! What the fuzz targets do, apart from the fuzzer: [`TARGETS`] has a plain function for each. The project's own tests
//! take in the same module and feed it from a seeded generator, see `tests/fuzz.rs`.

mod targets;

pub use targets::*;
