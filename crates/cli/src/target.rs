//! The things that a command searches: index files, and collections of search engines.

use std::path::Path;

use crate::IndexArg;
use ibid_embed::Embedder;
use ibid_engines::{Remote, RemoteCollection, RemoteOptions, RemoteSearch};
use ibid_index::Filter;
use ibid_native::embedding::{EmbeddingArgs, query_embedder};
use ibid_native::http::NativeHttp;
use ibid_native::language;
use ibid_native::system::{SystemClock, block_on, variable};
use ibid_platform::{Error, ErrorCode, Result, Secret};
use ibid_retrieve::{Hit, Query, Reranker, Response, Retriever, Search};

/// An index or a collection, with the embedder of its queries.
pub(super) enum SearchTarget {
    Index(Box<Retriever>),
    Collection(Box<NativeCollection>),
}

/// A collection with all that it takes to search it.
pub(super) struct NativeCollection {
    collection: RemoteCollection,
    embedder: Box<dyn Embedder>,
    http: NativeHttp,
}

impl SearchTarget {
    /// Opens the file, or the collection if the argument is an address.
    pub(super) fn open(arg: &IndexArg) -> Result<Self> {
        let IndexArg { index, api_key_env, embedding } = arg;
        if !arg.is_collection() {
            return open_index(index, embedding).map(|retriever| Self::Index(Box::new(retriever)));
        }
        let http = NativeHttp::for_services();
        let remote = remote(&index.to_string_lossy(), api_key_env.as_deref())?;
        let collection = block_on(RemoteCollection::open(remote, &http, &SystemClock))?;
        let embedder = query_embedder(&collection.description().space, None, embedding)?;
        Ok(Self::Collection(Box::new(NativeCollection { collection, embedder, http })))
    }

    /// Makes the filter of a question that comes without one, as [`language::of_question`] has it.
    pub(super) fn filter_of(&self, question: &str) -> Result<Option<Filter>> {
        match self {
            Self::Index(retriever) => language::of_question(retriever.index(), question),
            Self::Collection(_) => Ok(None),
        }
    }

    /// Finds passages; a reranker puts the best of an index into a better order.
    pub(super) async fn retrieve<R: Reranker>(
        &self,
        query: &Query,
        reranker: Option<&R>,
    ) -> Result<Response> {
        match (self, reranker) {
            (Self::Index(retriever), None) => retriever.retrieve(query),
            (Self::Index(retriever), Some(reranker)) => retriever.retrieve_reranked(query, reranker).await,
            (Self::Collection(collection), _) => collection.retrieve(query).await,
        }
    }
}

impl Search for SearchTarget {
    async fn search(&self, query: &Query) -> Result<Vec<Hit>> {
        match self {
            Self::Index(retriever) => retriever.search(query).await,
            Self::Collection(collection) => Ok(collection.retrieve(query).await?.hits),
        }
    }
}

impl NativeCollection {
    async fn retrieve(&self, query: &Query) -> Result<Response> {
        let Self { collection, embedder, http } = self;
        RemoteSearch::new(collection, embedder.as_ref(), http, &SystemClock)?.retrieve(query).await
    }
}

/// Opens an index file together with the embedder of its queries.
pub(super) fn open_index(path: &Path, embedding: &EmbeddingArgs) -> Result<Retriever> {
    let index = ibid_native::files::index::open(path)?;
    let manifest = index.manifest();
    let embedder = query_embedder(&manifest.space, Some(manifest.build.encoder), embedding)?;
    Retriever::new(index, embedder)
}

/// Opens the collection at an address, with the key from the environment variable of that name.
pub(super) fn remote(address: &str, api_key_env: Option<&str>) -> Result<Remote> {
    let mut options = RemoteOptions::of_target(address)?;
    options.endpoint.api_key = api_key_env.map(key).transpose()?;
    options.remote()
}

fn key(name: &str) -> Result<Secret> {
    variable(name).map(Secret::new).ok_or_else(|| {
        let message = format!("The environment variable `{name}` for the API key is not set.");
        Error::new(ErrorCode::InvalidOption, message)
            .with_hint("Give `--api-key-env` the variable's name, not the key.")
    })
}
