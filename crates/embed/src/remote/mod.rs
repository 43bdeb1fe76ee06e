//! Embedding by a service of the table of providers, in one of four formats.
//!
//! [`EmbeddingOptions`] says which service is asked and how; its [`request`](EmbeddingOptions::request) and
//! [`read`](EmbeddingOptions::read) are pure codecs. [`RemoteEmbedder`] sends what they make through
//! [`Http`](ibid_platform::Http), in batches, and makes embeddings of one [`Space`](super::Space) of what comes back.
//!
//! Vectors are compared by their direction only, so they are scaled to unit length whatever the service did: Gemini, for
//! one, scales only those of its full dimensions.

mod client;
mod codec;
mod options;
#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

pub use client::RemoteEmbedder;
pub use options::EmbeddingOptions;
