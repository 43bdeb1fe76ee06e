//! The queries' embeddings, made once for all settings.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rayon::prelude::*;

use super::super::model::{self, ModelArg};
use super::super::system::Stopwatch;
use super::collection::Collection;
use super::progress;
use super::settings::QueryEncoder;
use crate::embed::{DocumentEmbedder, Embedder, Embedding, Space, Task};
use crate::error::Result;

/// Query encoders, loaded when they are first needed.
pub(super) struct Encoders<'a> {
    model: &'a ModelArg,
    loaded: HashMap<QueryEncoder, Arc<dyn Embedder + Send + Sync>>,
    /// The embeddings of one collection's queries; see [`Encoders::forget`].
    embedded: HashMap<QueryEncoder, Known>,
}

/// An encoder that has some texts embedded already, and how long each took.
#[derive(Clone)]
pub(super) struct Known {
    encoder: Arc<dyn Embedder + Send + Sync>,
    embeddings: Arc<HashMap<String, (Embedding, Duration)>>,
}

impl<'a> Encoders<'a> {
    pub(super) fn new(model: &'a ModelArg) -> Self {
        Self { model, loaded: HashMap::new(), embedded: HashMap::new() }
    }

    /// The encoder with the embeddings of all questions of a collection.
    pub(super) fn of(&mut self, kind: QueryEncoder, collection: &Collection) -> Result<Known> {
        if let Some(known) = self.embedded.get(&kind) {
            return Ok(known.clone());
        }
        let encoder = self.load(kind)?;
        let bar = progress("embedding", collection.questions.len(), "queries");
        let embeddings = collection
            .questions
            .par_iter()
            .map(|question| {
                let clock = Stopwatch::start();
                let embedding = encoder.embed(&[&question.text], Task::Query)?.pop();
                let embedding = embedding.unwrap_or_else(|| Embedding::normalized(Vec::new()));
                bar.inc(1);
                Ok((question.text.clone(), (embedding, clock.elapsed())))
            })
            .collect::<Result<HashMap<_, _>>>()?;
        bar.finish_and_clear();
        let known = Known { encoder, embeddings: Arc::new(embeddings) };
        self.embedded.insert(kind, known.clone());
        Ok(known)
    }

    /// Forgets the embeddings, before another collection comes.
    pub(super) fn forget(&mut self) {
        self.embedded.clear();
    }

    fn load(&mut self, kind: QueryEncoder) -> Result<Arc<dyn Embedder + Send + Sync>> {
        if let Some(encoder) = self.loaded.get(&kind) {
            return Ok(encoder.clone());
        }
        let encoder: Arc<dyn Embedder + Send + Sync> = match kind {
            QueryEncoder::Table => Arc::new(model::query_table()?),
            QueryEncoder::Transformer => Arc::new(self.documents()?),
        };
        self.loaded.insert(kind, encoder.clone());
        Ok(encoder)
    }

    /// The encoder of documents, for an index that has to be built.
    pub(super) fn documents(&self) -> Result<DocumentEmbedder> {
        model::document_embedder(self.model)
    }
}

impl Known {
    /// How long the embedding of a text took.
    pub(super) fn time(&self, text: &str) -> Duration {
        self.embeddings.get(text).map_or(Duration::ZERO, |(_, time)| *time)
    }
}

impl Embedder for Known {
    fn space(&self) -> &Space {
        self.encoder.space()
    }

    fn embed(&self, texts: &[&str], task: Task) -> Result<Vec<Embedding>> {
        let known =
            texts.iter().map(|text| self.embeddings.get(*text).map(|(embedding, _)| embedding.clone()));
        // A search may embed something else than the query as it was asked.
        known.collect::<Option<Vec<_>>>().map_or_else(|| self.encoder.embed(texts, task), Ok)
    }
}
