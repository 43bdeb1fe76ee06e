//! Searching a collection.

use serde_json::Value;

use super::description::Description;
use super::rank::{EngineCandidate, check, depth, fields, rank};
use super::terms::{self, SparseVector};
use super::{EngineKind, Remote, chroma, qdrant};
use ibid_embed::{Embedder, Embedding, Task};
use ibid_platform::{Clock, Http, HttpRequest};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::check::check as check_query;
use ibid_retrieve::{Hit, Mode, Query, Response, Search};

/// A collection of a search engine that [`push`](super::push) has filled, ready to be searched.
#[derive(Clone, Debug)]
pub struct RemoteCollection {
    remote: Remote,
    description: Description,
    /// Chroma's id of it.
    id: String,
}

/// A checked search, with the query's own vector if it has one.
struct EngineSearch<'a> {
    query: &'a Query,
    mode: Mode,
    embedding: Option<&'a Embedding>,
}

impl RemoteCollection {
    /// Asks the engine for the collection and what it says of itself.
    ///
    /// # Errors
    /// [`ErrorCode::ProviderNotFound`] when there is no such collection, [`ErrorCode::ModelMismatch`] when it was not made
    /// by a push, and the engine's and the network's.
    pub async fn open<H: Http, C: Clock>(remote: Remote, http: &H, clock: &C) -> Result<Self> {
        let (id, description) = match remote.kind() {
            EngineKind::Qdrant => {
                let response = remote.find(http, clock, &qdrant::get(&remote)).await?;
                qdrant::state(&response.ok_or_else(|| remote.no_collection())?)?;
                let response = remote.find(http, clock, &qdrant::get_description(&remote)).await?;
                (String::new(), qdrant::description(&response.ok_or_else(super::description::foreign)?)?)
            }
            EngineKind::Chroma => {
                let response = remote.find(http, clock, &chroma::get(&remote)).await?;
                let found = chroma::collection(&response.ok_or_else(|| remote.no_collection())?)?;
                (found.id, found.description)
            }
        };
        Ok(Self { remote, description, id })
    }

    /// Returns the description of the collection.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Returns true if the search compares vectors, so that the query's text has to be embedded.
    pub fn needs_embedding(&self, query: &Query) -> bool {
        let by_vectors = query.mode != Some(Mode::Lexical) || self.remote.kind() == EngineKind::Chroma;
        by_vectors && query.vector.is_none() && !query.text.trim().is_empty()
    }

    /// Finds passages, by the rules of [`Retriever::retrieve`](ibid_retrieve::Retriever::retrieve). `embedding` is that
    /// of the query's text, in the collection's space; the query's own `vector` goes before it. None is needed in lexical
    /// mode in Qdrant.
    ///
    /// [`Hit::chunk`] counts the candidates of this query, since a collection has no numbers for its chunks.
    ///
    /// # Errors
    /// [`ErrorCode::QueryEmpty`]; [`ErrorCode::InvalidOption`] also for what needs an index: `like`, `mmr`,
    /// `nearDuplicates`, `neighbours`, `facets`, `sort`, `path` and `rerank`; [`ErrorCode::FilterInvalid`] also for a
    /// condition that the engine cannot be asked; [`ErrorCode::ModelMismatch`] for an embedding of other dimensions; and
    /// the engine's and the network's.
    pub async fn search<H: Http, C: Clock>(
        &self,
        http: &H,
        clock: &C,
        query: &Query,
        embedding: Option<&Embedding>,
    ) -> Result<Response> {
        check_query(query)?;
        check(query)?;
        if let Some(filter) = &query.filter {
            filter.check(&self.description.fields)?;
        }
        let own = query.vector.clone().map(Embedding::normalized);
        let embedding = own.as_ref().or(embedding).filter(|embedding| !embedding.is_zero());
        if let Some(embedding) = embedding {
            let (theirs, ours) = (self.description.space.dimensions as usize, embedding.as_slice().len());
            if theirs != ours {
                let message = format!("The query has {ours} dimensions, the collection {theirs}.");
                return Err(Error::new(ErrorCode::ModelMismatch, message)
                    .with_hint(format!("Embed queries with its model, {}.", self.description.space.name)));
            }
        }
        let mode = query.mode.unwrap_or(Mode::Hybrid);
        let asked = EngineSearch { query, mode, embedding };
        let send = async |request: HttpRequest| self.remote.send(http, clock, &request).await;
        let found = match self.remote.kind() {
            EngineKind::Qdrant => self.ask_qdrant(send, asked).await?,
            EngineKind::Chroma => self.ask_chroma(send, asked).await?,
        };
        Ok(rank(query, mode, &self.description, found))
    }

    async fn ask_qdrant(
        &self,
        send: impl AsyncFn(HttpRequest) -> Result<Value>,
        EngineSearch { query, mode, embedding }: EngineSearch<'_>,
    ) -> Result<Vec<EngineCandidate>> {
        let terms = terms::of_query(query.text.trim(), &self.description.lexical);
        let sparse = Some(&terms).filter(|terms| mode != Mode::Vector && !terms.is_empty());
        let dense = embedding.map(Embedding::as_slice).filter(|_| mode != Mode::Lexical);
        if dense.is_none() && sparse.is_none() {
            return Ok(Vec::new());
        }
        let lookup = qdrant::QdrantQuery {
            dense,
            sparse,
            limit: depth(query, &self.description),
            filter: qdrant::filter(query.filter.as_ref(), &self.description),
        };
        let response = send(qdrant::query(&self.remote, &lookup)?).await?;
        let points = qdrant::candidates(&response, 0, &self.description)?;
        // The second query of the two has the scores by terms, and no point that has none of them.
        let by_terms =
            if dense.is_some() && sparse.is_some() { qdrant::scores(&response, 1)? } else { [].into() };
        let candidate = |(id, score, hit): (u64, f32, Hit)| match (dense, sparse) {
            (Some(_), Some(_)) => {
                let bm25 = Some(by_terms.get(&id).copied().unwrap_or_default());
                EngineCandidate { hit, cosine: Some(score), bm25 }
            }
            (Some(_), None) => EngineCandidate { hit, cosine: Some(score), bm25: None },
            (None, _) => EngineCandidate { hit, cosine: None, bm25: Some(score) },
        };
        Ok(points.into_iter().map(candidate).collect())
    }

    /// Chroma compares vectors always, so that nothing is found without one.
    async fn ask_chroma(
        &self,
        send: impl AsyncFn(HttpRequest) -> Result<Value>,
        EngineSearch { query, mode, embedding }: EngineSearch<'_>,
    ) -> Result<Vec<EngineCandidate>> {
        let Some(embedding) = embedding else { return Ok(Vec::new()) };
        let filter = chroma::filter(query.filter.as_ref(), &self.description)?;
        let words = terms::words_of(query.text.trim(), &self.description.lexical);
        let limit = depth(query, &self.description);
        let mut lists: Vec<Option<&[String]>> = Vec::new();
        if mode != Mode::Lexical {
            lists.push(None);
        }
        if mode != Mode::Vector && !words.is_empty() {
            lists.push(Some(&words));
        }
        let mut found: Vec<(u64, EngineCandidate)> = Vec::new();
        let terms = terms::of_query(query.text.trim(), &self.description.lexical);
        for words in lists {
            let vector = embedding.as_slice();
            let request = chroma::query(&self.remote, &self.id, vector, limit, filter.as_ref(), words)?;
            let response = send(request).await?;
            for (id, cosine, hit) in chroma::candidates(&response, &self.description)? {
                if found.iter().all(|(known, _)| *known != id) {
                    let bm25 = (mode != Mode::Vector).then(|| self.bm25(&terms, &hit));
                    found.push((id, EngineCandidate { hit, cosine: Some(cosine), bm25 }));
                }
            }
        }
        let mut found: Vec<EngineCandidate> = found.into_iter().map(|(_, candidate)| candidate).collect();
        if mode == Mode::Lexical {
            found.retain(|candidate| candidate.bm25.is_some_and(|score| score > 0.0));
        }
        Ok(found)
    }

    /// BM25 of a passage whose text is here.
    fn bm25(&self, query: &SparseVector, hit: &Hit) -> f32 {
        let Description { lexical, average_length, frequent, .. } = &self.description;
        let chunk = terms::of_chunk(fields(hit), lexical, *average_length);
        let weight = |term: &u32| chunk.indices.binary_search(term).map_or(0.0, |at| chunk.values[at]);
        query.indices.iter().map(|term| weight(term) * frequent.idf(*term)).sum()
    }
}

/// A collection with all that it takes to search it, in place of an index.
pub struct RemoteSearch<'a, H, C> {
    collection: &'a RemoteCollection,
    embedder: &'a dyn Embedder,
    http: &'a H,
    clock: &'a C,
}

impl<'a, H: Http, C: Clock> RemoteSearch<'a, H, C> {
    /// Puts a collection and an embedder together.
    ///
    /// # Errors
    /// [`ErrorCode::ModelMismatch`] when the embedder's space is not the collection's.
    pub fn new(
        collection: &'a RemoteCollection,
        embedder: &'a dyn Embedder,
        http: &'a H,
        clock: &'a C,
    ) -> Result<Self> {
        collection.description.check(embedder.space())?;
        Ok(Self { collection, embedder, http, clock })
    }

    /// Finds passages; see [`RemoteCollection::search`].
    ///
    /// # Errors
    /// As there, and the embedder's.
    pub async fn retrieve(&self, query: &Query) -> Result<Response> {
        let embedding = if self.collection.needs_embedding(query) {
            self.embedder.embed(&[query.text.trim()], Task::Query)?.pop()
        } else {
            None
        };
        self.collection.search(self.http, self.clock, query, embedding.as_ref()).await
    }
}

impl<H: Http, C: Clock> Search for RemoteSearch<'_, H, C> {
    async fn search(&self, query: &Query) -> Result<Vec<Hit>> {
        self.retrieve(query).await.map(|response| response.hits)
    }
}
