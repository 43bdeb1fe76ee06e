//! The library from outside, with fixtures, recorded exchanges and, if they are at hand, real collections.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    unreachable_pub,
    dead_code,
    reason = "tests show what they measure and fail where they stand; the fuzz targets share their module with a crate"
)]

mod chunk;
mod embed;
mod foreign;
mod fuzz;
mod guard;
mod guard_pii;
mod index_format;
mod languages;
mod real_documents;
mod wire_cassettes;
mod wire_embeddings;
