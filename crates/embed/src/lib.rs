//! Turns text into vectors: documents by a transformer at build time, queries by a token table in the page.
//!
//! Both land in one space (see [`Space`]), so that their cosine is meaningful.

mod batch;
mod document;
mod foreign;
mod packed;
mod projection;
pub mod remote;
mod table;
mod tokenizer;
mod transformer;

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use self::batch::embed_all;
pub use self::document::DocumentEmbedder;
#[cfg(not(target_arch = "wasm32"))]
pub use self::document::TableEmbedder;
pub use self::foreign::Foreign;
pub use self::projection::Projection;
pub use self::table::TokenTable;
pub use self::tokenizer::Tokenizer;
pub use self::transformer::{SourceModel, Transformer, import, import_e5, is_e5};
use ibid_platform::Result;
pub use ibid_vectors::Embedding;

/// No space has more components than this; a file that claims more is damaged.
const MAX_DIMENSIONS: usize = 8192;

/// The vector space that embeddings lie in. Vectors may be compared only when their spaces are equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Space {
    /// A name for people, such as `all-MiniLM-L6-v2/pca256`.
    pub name: String,
    /// The number of components.
    pub dimensions: u32,
    /// A hash of what defines the space (the vocabulary and the projection), in hexadecimal.
    pub fingerprint: String,
}

ibid_platform::deserialize!(Space by fields: name, dimensions, fingerprint);

impl Space {
    /// Returns true for the space of ibid's model for many languages.
    pub fn is_multilingual(&self) -> bool {
        self.name.starts_with("multilingual-e5-small/")
    }

    /// Returns true for the space of ibid's model for English.
    pub fn is_english(&self) -> bool {
        self.name.starts_with("all-MiniLM-L6-v2/")
    }

    /// Returns the share of words in a hybrid ranking that found most on test collections, where a query does not say
    /// its own.
    pub fn lexical_weight(&self) -> f32 {
        if self.is_multilingual() { 0.75 } else { 0.6 }
    }

    /// Returns the number of components, when it is one that a model can have.
    fn checked_dimensions(&self) -> Result<usize> {
        let dimensions = self.dimensions as usize;
        if dimensions == 0 || dimensions > MAX_DIMENSIONS {
            return Err(packed::invalid(format!("A space of {dimensions} components is not supported.")));
        }
        Ok(dimensions)
    }
}

/// The purpose of an embedding. Some models treat the two differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// To be found.
    Document,
    /// To find.
    Query,
}

/// Turns texts into vectors of one space.
pub trait Embedder {
    /// The space of the vectors.
    fn space(&self) -> &Space;

    /// The most texts that it takes at once, at least 1; [`embed_all`] keeps to it. 64 by default, which fills the cores
    /// of a machine and stays below what embedding services allow.
    fn batch_size(&self) -> usize {
        64
    }

    /// Computes a vector for each text, in their order; all zeros for a text without a token. `texts` are at most
    /// [`Embedder::batch_size`] if the implementation has a limit.
    ///
    /// # Errors
    /// Those of the embedder; for one that is not part of ibid [`ibid_platform::ErrorCode::EmbedderFailed`], or what its requests
    /// failed with. [`Space::embedding`] makes vectors from outside into embeddings, or refuses them.
    fn embed(&self, texts: &[&str], task: Task) -> Result<Vec<Embedding>>;

    /// Lists the bytes of the embedder's file that have to be fetched before it can embed a query: few ranges, in order.
    /// None of most embedders, which are there as a whole.
    fn missing(&self, _query: &str) -> Vec<Range<u64>> {
        Vec::new()
    }

    /// Lists the bytes of its file that have to be fetched before it can embed any query.
    fn missing_all(&self) -> Vec<Range<u64>> {
        Vec::new()
    }

    /// Takes over bytes of its file that were fetched from `offset` on, because it named them as missing.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::ModelInvalid`] when they are not the bytes that were written there.
    fn provide(&self, _offset: u64, _bytes: &[u8]) -> Result<()> {
        Ok(())
    }
}
