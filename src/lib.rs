//! ibid answers questions from a site's own documents, inside the web page, with citations that can be checked.

pub mod agent;
pub mod chunk;
pub mod cite;
#[cfg(all(feature = "cli", not(target_arch = "wasm32")))]
pub mod cli;
pub mod document;
pub mod embed;
mod error;
pub mod guard;
pub mod index;
pub mod llm;
pub mod platform;
pub mod retrieve;
#[cfg(target_arch = "wasm32")]
pub mod web;

pub use error::{Error, ErrorCode, Result};
