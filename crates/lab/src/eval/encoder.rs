//! The queries' embeddings, made once for all settings.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rayon::prelude::*;

use super::collection::TestCollection;
use super::settings::EncoderChoice;
use crate::eval::Question;
use ibid_embed::{Embedder, Embedding, Space, Task};
use ibid_index::Index;
use ibid_native::embedding::{Kept, mismatch};
use ibid_native::model::{self, Embedders, ModelArg};
use ibid_native::system::Stopwatch;
use ibid_native::{Family, Progress};
use ibid_platform::Result;
use ibid_text::Languages;

/// The encoder of passages and queries: ibid's own encoders, or the service that was named in their place.
pub(super) struct Sources<'a> {
    model: &'a ModelArg,
    service: Option<Kept>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(model: &'a ModelArg) -> Result<Self> {
        Ok(Self { model, service: model.service(None)? })
    }

    /// Chooses the family for an index of that space, or for documents in these languages.
    pub(super) fn family(&self, base: Option<&Space>, languages: Option<Languages>) -> Family {
        self.model.family(base, languages)
    }

    /// Finds the space of what a family embeds, or of the service in its place.
    pub(super) fn space(&self, family: Family) -> Result<Space> {
        match &self.service {
            Some(service) => Ok(service.space().clone()),
            None => Ok(family.table()?.space().clone()),
        }
    }

    /// For an index that has to be built.
    pub(super) fn embedders(&self, family: Family) -> Result<Embedders> {
        match &self.service {
            Some(service) => Ok(Embedders::of_service(service)),
            None => model::embedders(self.model, family, None),
        }
    }
}

/// Query encoders, loaded when they are first needed.
pub(super) struct QueryEncoders<'a> {
    sources: &'a Sources<'a>,
    loaded: HashMap<(EncoderChoice, Family), Arc<dyn Embedder + Send + Sync>>,
    /// The embeddings of one collection's queries; see [`QueryEncoders::forget`].
    embedded: HashMap<(EncoderChoice, Family), Known>,
}

/// An encoder that has some texts embedded already, and how long each took.
#[derive(Clone)]
pub(super) struct Known {
    encoder: Arc<dyn Embedder + Send + Sync>,
    embeddings: Arc<HashMap<String, (Embedding, Duration)>>,
}

impl<'a> QueryEncoders<'a> {
    pub(super) fn new(sources: &'a Sources<'a>) -> Self {
        Self { sources, loaded: HashMap::new(), embedded: HashMap::new() }
    }

    /// The encoder for an index of that space, with the embeddings of all questions of a collection.
    pub(super) fn of(
        &mut self,
        kind: EncoderChoice,
        space: &Space,
        collection: &TestCollection,
    ) -> Result<Known> {
        let kind = (kind, self.sources.family(Some(space), None));
        if let Some(known) = self.embedded.get(&kind) {
            return Ok(known.clone());
        }
        let encoder = self.load(kind)?;
        let bar = Progress::new("embedding", collection.questions.len(), "queries");
        let embed = |questions: &[Question]| -> Result<Vec<_>> {
            let clock = Stopwatch::start();
            let texts: Vec<&str> = questions.iter().map(|question| question.text.as_str()).collect();
            let embeddings = encoder.embed(&texts, Task::Query)?;
            bar.advance(texts.len());
            let each = clock.elapsed() / texts.len().max(1) as u32;
            let known = texts.iter().zip(embeddings);
            Ok(known.map(|(text, embedding)| ((*text).to_owned(), (embedding, each))).collect())
        };
        // One by one, as pages do, on all cores; but a service is asked for many at once, and not by several at the same time.
        let made: Vec<Vec<_>> = if self.sources.service.is_some() {
            collection.questions.chunks(encoder.batch_size()).map(embed).collect::<Result<_>>()?
        } else {
            collection.questions.par_chunks(1).map(embed).collect::<Result<_>>()?
        };
        let embeddings: HashMap<_, _> = made.into_iter().flatten().collect();
        drop(bar);
        let known = Known { encoder, embeddings: Arc::new(embeddings) };
        self.embedded.insert(kind, known.clone());
        Ok(known)
    }

    /// The encoder of pages for an index of that space, without any text embedded yet.
    pub(super) fn of_pages(&mut self, space: &Space) -> Result<Known> {
        let encoder = self.load((EncoderChoice::Table, self.sources.family(Some(space), None)))?;
        Ok(Known { encoder, embeddings: Arc::default() })
    }

    /// Refuses an index of another space than that of the queries.
    pub(super) fn check(&self, index: &Index) -> Result<()> {
        let theirs = &index.manifest().space;
        let ours = self.sources.space(self.sources.family(Some(theirs), None))?;
        if *theirs == ours { Ok(()) } else { Err(mismatch(theirs, Some(&ours))) }
    }

    /// Forgets the embeddings, before another collection comes.
    pub(super) fn forget(&mut self) {
        self.embedded.clear();
    }

    fn load(&mut self, kind: (EncoderChoice, Family)) -> Result<Arc<dyn Embedder + Send + Sync>> {
        if let Some(encoder) = self.loaded.get(&kind) {
            return Ok(encoder.clone());
        }
        let encoder: Arc<dyn Embedder + Send + Sync> = match (&self.sources.service, kind) {
            (Some(service), _) => Arc::new(service.clone()),
            (None, (EncoderChoice::Table, family)) => Arc::new(family.table()?),
            (None, (EncoderChoice::Transformer, family)) => {
                Arc::new(model::document_embedder(self.sources.model, family)?)
            }
        };
        self.loaded.insert(kind, encoder.clone());
        Ok(encoder)
    }
}

impl Known {
    /// Measures the time that embedding a text took.
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
