//! The embedders of the build: a transformer with the projection into the space that pages search in, or their table.

use super::transformer::Transformer;
use super::{Embedder, Embedding, Projection, Space, Task, TokenTable};
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

    /// The model in front of the projection.
    pub fn transformer(&self) -> &Transformer {
        &self.transformer
    }
}

impl Embedder for DocumentEmbedder {
    fn space(&self) -> &Space {
        self.projection.space()
    }

    fn embed(&self, texts: &[&str], task: Task) -> Result<Vec<Embedding>> {
        Ok(self.transformer.embed(texts, task).iter().map(|vector| self.projection.apply(vector)).collect())
    }
}

/// Embeds documents by the table as if they were queries: without a model, in microseconds, but long ones less well.
pub struct TableEmbedder(pub TokenTable);

impl Embedder for TableEmbedder {
    fn space(&self) -> &Space {
        self.0.space()
    }

    /// Embeds documents and queries alike.
    fn embed(&self, texts: &[&str], _task: Task) -> Result<Vec<Embedding>> {
        self.0.embed(texts, Task::Query)
    }
}
