//! ibid answers questions from a site's own documents, inside the web page, with citations that can be checked.

pub mod agent;
pub mod chunk;
pub mod cite;
pub mod document;
pub mod embed;
mod error;
pub mod guard;
pub mod index;
pub mod llm;
pub mod platform;
pub mod retrieve;

pub use error::{Error, ErrorCode, Result};
