//! Searching a collection of a search engine.

mod info;

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Float64Array, Function, Promise, Uint8Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortSignal;

use ibid_embed::{Embedder, Task, TokenTable};
use ibid_engines::{RemoteCollection, RemoteOptions};
use ibid_platform::{Error, ErrorCode, HttpRequest, Result};
use ibid_retrieve::{Mode, Query, Response};
use ibid_web::convert::{caught, parsed, thrown, to_js};
use ibid_web::fetch::{Fetch, Timer};
use ibid_web::settled::promise;
use ibid_web::{embed, utf16};
use info::CollectionInfo;

/// Returns how many bytes of a query table's beginning are needed to open it, by the first 40 of them; of a table that
/// cannot be read in parts, its length.
#[wasm_bindgen(js_name = tableHeadLength)]
pub fn table_head_length(head: &[u8]) -> Result<f64, JsValue> {
    TokenTable::head_length(head).map(|length| length as f64).map_err(|error| thrown(&error))
}

/// An open collection with its query encoder.
#[wasm_bindgen]
pub struct CollectionEngine {
    // Shared with the searches that are under way, so that freeing the engine never pulls it from under one.
    shared: Rc<OpenCollection>,
}

struct OpenCollection {
    collection: RemoteCollection,
    embedder: RefCell<Rc<dyn Embedder>>,
    /// Fetches ranges of a query table of which only the head is there.
    reader: Option<Function>,
    /// Embeds queries instead of the table.
    embed: RefCell<Option<Function>>,
}

#[wasm_bindgen]
impl CollectionEngine {
    /// Asks the engine for the collection that the options name: a promise of this.
    ///
    /// `table` is a query table, all of it or its head, or an object with the space that a function embeds queries in,
    /// see [`CollectionEngine::embed_by`]. `reader` is called with `model` and a `Float64Array` of ranges, start and end by
    /// turns, and returns a promise of an array with a `Uint8Array` for each.
    pub async fn open(
        options: JsValue,
        table: JsValue,
        whole_table: bool,
        reader: Option<Function>,
        signal: Option<AbortSignal>,
    ) -> Result<CollectionEngine, JsValue> {
        ibid_terms::stem_all();
        let opened = async {
            let remote = parsed::<RemoteOptions>(options)?.remote()?;
            let embedder = embed::own_embedder(&table, whole_table)?;
            let (http, clock) = (fetch(signal.clone()), Timer::new(signal));
            let collection = RemoteCollection::open(remote, &http, &clock).await?;
            collection.description().check(embedder.space())?;
            let embedder = RefCell::new(Rc::from(embedder));
            Ok(OpenCollection { collection, embedder, reader, embed: RefCell::default() })
        };
        let shared = opened.await.map_err(|error: Error| thrown(&error))?;
        Ok(Self { shared: Rc::new(shared) })
    }

    /// Returns the collection's description of itself: an `IndexInfo`.
    pub fn info(&self) -> Result<JsValue, JsValue> {
        to_js(&CollectionInfo::of(&self.shared.collection))
    }

    /// Has all queries embedded by a function that returns a promise; with none, by the table again.
    #[wasm_bindgen(js_name = embedBy)]
    pub fn embed_by(&self, embed: Option<Function>) {
        self.shared.embed.replace(embed);
    }

    /// Replaces the query table by another version of it: all of it, or its head.
    #[wasm_bindgen(js_name = replaceTable)]
    pub fn replace_table(&self, table: Vec<u8>) -> Result<(), JsValue> {
        let replaced = TokenTable::open_head(table).and_then(|table| {
            self.shared.collection.description().check(table.space())?;
            self.shared.embedder.replace(Rc::new(table));
            Ok(())
        });
        replaced.map_err(|error| thrown(&error))
    }

    /// Takes a `Query` to a promise of a `Response`.
    pub fn search(&self, query: String, signal: Option<AbortSignal>) -> Promise {
        self.answer(query, signal, |response| write(&utf16::response(response)))
    }

    /// Takes a `Query` to a promise of its hits, with offsets in bytes, for the module that answers questions.
    pub fn find(&self, query: String, signal: Option<AbortSignal>) -> Promise {
        self.answer(query, signal, |response| write(&response.hits))
    }
}

impl CollectionEngine {
    fn answer(
        &self,
        query: String,
        signal: Option<AbortSignal>,
        answer: impl FnOnce(Response) -> Result<String> + 'static,
    ) -> Promise {
        let shared = Rc::clone(&self.shared);
        promise(async move {
            let found = shared.search(&query, signal).await.and_then(answer);
            found.map(JsValue::from).map_err(|error| thrown(&error))
        })
    }
}

impl OpenCollection {
    async fn search(&self, query: &str, signal: Option<AbortSignal>) -> Result<Response> {
        let query = Query::from_json(query)?;
        let mut embedding = None;
        let mut with_vector = None;
        if self.collection.needs_embedding(&query) {
            // Not borrowed while the page embeds: it may replace either meanwhile.
            let embed = self.embed.borrow().clone();
            let space = &self.collection.description().space;
            match embed::embedded(&query, Mode::Vector, embed, space, signal.as_ref()).await? {
                Some(query) if query.vector.is_some() => with_vector = Some(query.into_owned()),
                Some(_) => embedding = self.by_table(query.text.trim()).await?,
                None => {}
            }
        }
        let (http, clock) = (fetch(signal.clone()), Timer::new(signal));
        let query = with_vector.as_ref().unwrap_or(&query);
        self.collection.search(&http, &clock, query, embedding.as_ref()).await
    }

    /// Computes the vector of a text by the table, whose rows for it are fetched first.
    async fn by_table(&self, text: &str) -> Result<Option<ibid_embed::Embedding>> {
        let embedder = self.embedder.borrow().clone();
        let missing = embedder.missing(text);
        if let Some(reader) = self.reader.as_ref().filter(|_| !missing.is_empty()) {
            let flat: Vec<f64> =
                missing.iter().flat_map(|range| [range.start as f64, range.end as f64]).collect();
            let ranges = Float64Array::from(flat.as_slice());
            let failed = |error: JsValue| caught(&error, unread);
            let promise = reader.call2(&JsValue::NULL, &"model".into(), &ranges).map_err(failed)?;
            let pieces = JsFuture::from(Promise::resolve(&promise)).await.map_err(failed)?;
            // After a call of `replace_table` there is nothing here for the rows of the table that was.
            if pieces.is_null() || pieces.is_undefined() {
                return Box::pin(self.by_table(text)).await;
            }
            for (range, piece) in missing.iter().zip(Array::from(&pieces)) {
                embedder.provide(range.start, &Uint8Array::new(&piece).to_vec())?;
            }
        }
        Ok(embedder.embed(&[text], Task::Query)?.pop())
    }
}

/// The page's `fetch`. A browser does not tell why an engine was not reached.
fn fetch(signal: Option<AbortSignal>) -> Fetch<impl AsyncFn(&HttpRequest) -> Result<String>> {
    Fetch::new(async |_: &HttpRequest| Err(unread()), None, signal)
}

fn unread() -> Error {
    Error::new(ErrorCode::Network, "A part of the query table could not be read.")
}

fn write(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| Error::new(ErrorCode::Internal, format!("The result cannot be written: {error}.")))
}
