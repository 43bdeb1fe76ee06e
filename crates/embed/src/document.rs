//! The embedders of the build: a transformer with the projection into the space that pages search in, or their table.

use super::transformer::Transformer;
use super::{Embedder, Embedding, Projection, Space, Task};
use ibid_platform::{Error, ErrorCode, Result};

/// Embeds documents, and queries where better vectors are worth the transformer's size and time.
#[derive(Debug)]
pub struct DocumentEmbedder {
    transformer: Transformer,
    projection: Projection,
}

impl DocumentEmbedder {
    /// Joins the two. They must have been made for each other: a projection fitted to another model or vocabulary is
    /// [`ErrorCode::ModelMismatch`].
    pub fn new(transformer: Transformer, projection: Projection) -> Result<Self> {
        let fits = transformer.dimensions() == projection.inputs()
            && projection.space().fingerprint == projection.fingerprint(&transformer.tokenizer().vocab());
        if fits {
            Ok(Self { transformer, projection })
        } else {
            let space = &projection.space().name;
            let message =
                format!("The projection for {space} does not fit the model {}.", transformer.name());
            Err(Error::new(ErrorCode::ModelMismatch, message)
                .with_hint("Use the projection that belongs to the model's vocabulary and size."))
        }
    }

    /// Returns the model in front of the projection.
    pub fn transformer(&self) -> &Transformer {
        &self.transformer
    }
}

impl Embedder for DocumentEmbedder {
    fn space(&self) -> &Space {
        self.projection.space()
    }

    /// Enough that few cores wait for the last texts of a batch.
    fn batch_size(&self) -> usize {
        256
    }

    fn embed(&self, texts: &[&str], task: Task) -> Result<Vec<Embedding>> {
        Ok(self.transformer.embed(texts, task).iter().map(|vector| self.projection.apply(vector)).collect())
    }
}

/// Embeds documents by the table as if they were queries: on all cores, without a model, but long ones less well.
#[cfg(not(target_arch = "wasm32"))]
pub struct TableEmbedder(pub super::TokenTable);

#[cfg(not(target_arch = "wasm32"))]
impl Embedder for TableEmbedder {
    fn space(&self) -> &Space {
        self.0.space()
    }

    fn batch_size(&self) -> usize {
        1024
    }

    /// Embeds documents and queries alike.
    fn embed(&self, texts: &[&str], _task: Task) -> Result<Vec<Embedding>> {
        use rayon::prelude::*;
        texts.par_iter().map(|text| self.0.embed_query(text)).collect()
    }
}
