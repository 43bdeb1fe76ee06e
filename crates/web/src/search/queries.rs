//! Queries and what they find, as JSON both ways: one conversion, which the browser's own parser does fastest.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;

use js_sys::Promise;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

use super::Engine;
use super::parts::{FilePart, Shared, Wanted, missing};
use ibid_index::{Filter, NearestSoFar, VectorSearch};
use ibid_platform::{Error, ErrorCode, Result, json, lazily};
use ibid_retrieve::{Mode, Query, Retriever};
use ibid_web::convert::thrown;
use ibid_web::fetch::check;
use ibid_web::settled::promise;
use ibid_web::{embed, utf16};

/// Options of [`Engine::nearest`].
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct NearestOptions {
    limit: Option<usize>,
    filter: Option<Value>,
}

/// A chunk that a vector is near to.
#[derive(Serialize)]
struct Near {
    chunk: u32,
    cosine: f32,
}

#[wasm_bindgen]
impl Engine {
    /// Takes a `Query` to a promise of a `Response`. When the signal is aborted, nothing more is
    /// fetched; the function that embeds has it too.
    pub fn search(&self, query: String, signal: Option<AbortSignal>) -> Promise {
        self.answer(query, signal, |retriever, query| write(&utf16::response(retriever.retrieve(query)?)))
    }

    /// Finds the best candidates of a query, which a reranker is to score: a promise of a list of numbers and texts.
    pub fn candidates(&self, query: String, signal: Option<AbortSignal>) -> Promise {
        self.answer(query, signal, candidates)
    }

    /// As [`Engine::search`], with a reranker's scores of candidates.
    #[wasm_bindgen(js_name = searchScored)]
    pub fn search_scored(
        &self,
        query: String,
        chunks: Vec<u32>,
        scores: Vec<f32>,
        signal: Option<AbortSignal>,
    ) -> Promise {
        let given: Vec<(u32, f32)> = chunks.into_iter().zip(scores).collect();
        self.answer(query, signal, move |retriever, query| scored(retriever, query, &given))
    }

    /// As [`Engine::search`], but the hits alone and their offsets in bytes, for the module that answers questions.
    pub fn find(&self, query: String, signal: Option<AbortSignal>) -> Promise {
        self.answer(query, signal, |retriever, query| write(&retriever.retrieve(query)?.hits))
    }

    /// Counts the documents that a filter allows (all, if it is `null`) by the values of fields: a promise of a list of
    /// `Facet`.
    pub fn facets(&self, fields: String, filter: String) -> Promise {
        let shared = Rc::clone(&self.shared);
        promise(async move {
            let found = facets(shared, fields, filter).await.map_err(|error| thrown(&error))?;
            Ok(found.into())
        })
    }

    /// Titles and headings that begin as a prefix does: a list of `Suggestion`. Needs the [directory](Engine::directory).
    pub fn suggest(&self, prefix: &str, limit: usize) -> Result<String, JsValue> {
        suggest(&self.shared, prefix, limit).map_err(|error| thrown(&error))
    }

    /// Finds the chunks nearest to a vector with their cosines, without their text: a promise of a list.
    pub fn nearest(&self, vector: Vec<f32>, options: String) -> Promise {
        let shared = Rc::clone(&self.shared);
        promise(async move {
            let found = nearest(shared, vector, options).await.map_err(|error| thrown(&error))?;
            Ok(found.into())
        })
    }
}

impl Engine {
    fn answer(
        &self,
        query: String,
        signal: Option<AbortSignal>,
        answer: impl FnOnce(&Retriever, &Query) -> Result<String> + 'static,
    ) -> Promise {
        let shared = Rc::clone(&self.shared);
        promise(async move {
            let query = shared.ready(&query, signal.as_ref()).await.map_err(|error| thrown(&error))?;
            let answer = answer(&shared.retriever.borrow(), &query).map_err(|error| thrown(&error))?;
            Ok(answer.into())
        })
    }
}

/// Lists the columns that a filter and facets need.
fn fields_wanted(retriever: &Retriever, filter: Option<&Filter>, facets: &[String]) -> Vec<Wanted> {
    vec![Wanted { part: FilePart::Index, ranges: retriever.index().missing_fields(filter, facets) }]
}

/// Work of a lazy part that may have to fetch something.
type Found = Pin<Box<dyn Future<Output = Result<String>>>>;

lazily!(fn suggest(shared: &Shared, prefix: &str, limit: usize) -> Result<String> = suggested);
lazily!(fn facets(shared: Rc<Shared>, fields: String, filter: String) -> Found = find_facets);
lazily!(fn nearest(shared: Rc<Shared>, vector: Vec<f32>, options: String) -> Found = find_nearest);
lazily!(fn candidates(retriever: &Retriever, query: &Query) -> Result<String> = write_candidates);
lazily!(fn scored(retriever: &Retriever, query: &Query, given: &[(u32, f32)]) -> Result<String> = write_scored);

fn find_facets(shared: Rc<Shared>, fields: String, filter: String) -> Found {
    Box::pin(async move { shared.facets(&fields, &filter).await })
}

fn find_nearest(shared: Rc<Shared>, vector: Vec<f32>, options: String) -> Found {
    Box::pin(async move { shared.nearest(vector, &options).await })
}

fn write_candidates(retriever: &Retriever, query: &Query) -> Result<String> {
    write(&retriever.candidates(query)?)
}

fn write_scored(retriever: &Retriever, query: &Query, given: &[(u32, f32)]) -> Result<String> {
    write(&utf16::response(retriever.retrieve_scored(query, given)?))
}

impl Shared {
    async fn facets(&self, fields: &str, filter: &str) -> Result<String> {
        let (fields, filter): (Vec<String>, Option<Value>) = (read(fields)?, read(filter)?);
        let filter = filter.as_ref().map(Filter::from_json).transpose()?;
        let wanted = |retriever: &Retriever| Ok(fields_wanted(retriever, filter.as_ref(), &fields));
        self.provide(&wanted).await?;
        let retriever = self.retriever.borrow();
        let allowed = retriever.index().allowed(filter.as_ref())?;
        write(&retriever.index().facets(&fields, &allowed, None)?)
    }

    async fn nearest(&self, vector: Vec<f32>, options: &str) -> Result<String> {
        let NearestOptions { limit, filter } = read(options)?;
        let filter = filter.as_ref().map(Filter::from_json).transpose()?;
        let query = self.retriever.borrow().index().manifest().space.embedding(vector)?;
        let usual = VectorSearch::default();
        let search = VectorSearch { limit: limit.unwrap_or(usual.limit), ..usual };
        let found = RefCell::new(Vec::new());
        let wanted = |retriever: &Retriever| {
            let fields = fields_wanted(retriever, filter.as_ref(), &[]);
            if fields.iter().any(|wanted| !wanted.ranges.is_empty()) {
                return Ok(fields);
            }
            let index = retriever.index();
            let allowed = index.allowed(filter.as_ref())?;
            let NearestSoFar { nearest, missing, .. } = index.nearest_so_far(&query, &search, &allowed)?;
            found.replace(nearest.candidates);
            Ok(vec![Wanted { part: FilePart::Index, ranges: missing }])
        };
        self.provide(&wanted).await?;
        let near = found.into_inner().into_iter();
        let near = near.map(|found| Near { chunk: found.chunk, cosine: found.score });
        write(&near.collect::<Vec<_>>())
    }

    /// Reads a query, embeds it where the page does that, and fetches all that it needs of the index.
    async fn ready(&self, query: &str, signal: Option<&AbortSignal>) -> Result<Query> {
        ibid_web::stemmers::check(self.language())?;
        let query = Query::from_json(query)?;
        // Neither is borrowed while the page embeds: it may put another of each in place meanwhile.
        let embed = self.embed.borrow().clone();
        let space = self.retriever.borrow().index().manifest().space.clone();
        let mode = self.retriever.borrow().mode(&query)?;
        let query = match embed::embedded(&query, mode, embed, &space, signal).await? {
            Some(query) => query.into_owned(),
            // What no vector can be made of may still be found by its words.
            None => Query { mode: Some(Mode::Lexical), ..query },
        };
        // A search that the next letter has superseded asks for nothing more; what is on its way is kept.
        let wanted = |retriever: &Retriever| {
            check(signal)?;
            missing(retriever, &query)
        };
        self.provide(&wanted).await?;
        Ok(query)
    }
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T> {
    json::read(text).map_err(|error| {
        Error::new(ErrorCode::InvalidOption, format!("The options of this search cannot be read: {error}."))
    })
}

pub(super) fn write(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| Error::new(ErrorCode::Internal, format!("The result cannot be written: {error}.")))
}

fn suggested(shared: &Shared, prefix: &str, limit: usize) -> Result<String> {
    ibid_web::stemmers::check(shared.language())?;
    write(&shared.retriever.borrow().suggest(prefix, limit)?)
}
