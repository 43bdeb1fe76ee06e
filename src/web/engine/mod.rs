//! Searching and answering.

mod fetch;
mod info;
mod options;
mod utf16;

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use web_sys::AbortSignal;

use super::convert::{read, thrown, to_js};
use crate::agent::{AgentRun, Answer, AskEvent, drive};
use crate::embed::TokenTable;
use crate::error::{Error, ErrorCode, Result};
use crate::index::{Index, Layout};
use crate::retrieve::{Hit, Query, Retriever, Search};
use fetch::{Fetch, Timer};
use info::IndexInfo;
use options::{AskOptions, SearchOptions};
use utf16::{Completed, Utf16};

/// How often a search starts again because the index was replaced meanwhile, before it gives up.
const MAX_ROUNDS: usize = 5;

/// How many bytes of a file's beginning its layout takes, by the first 64 of them.
#[wasm_bindgen(js_name = headLength)]
pub fn head_length(head: &[u8]) -> Result<usize, JsValue> {
    Layout::head_length(head).map_err(|error| thrown(&error))
}

/// The ranges of the file that an index needs before it can search, by a file's beginning: start and end by turns.
#[wasm_bindgen(js_name = neededRanges)]
pub fn needed_ranges(head: &[u8]) -> Result<Vec<f64>, JsValue> {
    let layout = Layout::parse(head).map_err(|error| thrown(&error))?;
    Ok(flat(&layout.needed()))
}

/// An open index with its query encoder.
#[wasm_bindgen]
pub struct Engine {
    // Shared with the runs that are under way, so that freeing the engine never pulls the index from under one.
    shared: Rc<Shared>,
}

struct Shared {
    retriever: RefCell<Retriever>,
    /// Fetches ranges of the index's file, for an index that was opened in pieces.
    reader: Option<Function>,
}

#[wasm_bindgen]
impl Engine {
    /// Opens an index file with a query table; both are the files' whole bytes.
    #[wasm_bindgen(constructor)]
    pub fn new(index: Vec<u8>, table: Vec<u8>) -> Result<Engine, JsValue> {
        Self::of(Index::open(index), table, None)
    }

    /// Opens an index of which the pieces that begin at `offsets` have been fetched.
    ///
    /// `reader` is called with a `Float64Array` of ranges, start and end by turns, when more is needed. It returns a
    /// promise of an array with a `Uint8Array` for each; or, after a call of [`Engine::replace`], of `null`.
    #[wasm_bindgen(js_name = ofPieces)]
    pub fn of_pieces(
        offsets: &[f64],
        pieces: &Array,
        table: Vec<u8>,
        reader: Function,
    ) -> Result<Engine, JsValue> {
        Self::of(open_pieces(offsets, pieces), table, Some(reader))
    }

    /// What the index says of itself: an `IndexInfo`.
    pub fn info(&self) -> Result<JsValue, JsValue> {
        to_js(&IndexInfo::of(self.shared.retriever.borrow().index()))
    }

    /// The passages nearest to a query: a promise of an array of `Hit`.
    pub fn search(&self, query: String, options: JsValue) -> Promise {
        let shared = Rc::clone(&self.shared);
        future_to_promise(async move {
            let options: SearchOptions = read(options)?;
            let hits = shared.search(&options.query(query)).await.map_err(|error| thrown(&error))?;
            to_js(&hits.utf16())
        })
    }

    /// Answers a question: a promise of an `Answer`. `on_event` is called with each `AskEvent` on the way; what it
    /// throws is ignored.
    pub fn ask(
        &self,
        question: String,
        options: JsValue,
        on_event: Function,
        signal: Option<AbortSignal>,
    ) -> Promise {
        let shared = Rc::clone(&self.shared);
        future_to_promise(async move {
            let options: AskOptions = read(options)?;
            let tell = |event: JsValue| drop(on_event.call1(&JsValue::NULL, &event));
            let emit = |event: AskEvent| to_js(&event.utf16()).into_iter().for_each(tell);
            let answer = answer(&question, options, &shared, signal, emit).await;
            let answer = answer.map_err(|error| thrown(&error))?.utf16();
            tell(to_js(&Completed::new(&answer))?);
            to_js(&answer)
        })
    }

    /// Puts another version of the file in the place of the one that was opened, with the pieces that begin at
    /// `offsets`.
    pub fn replace(&self, offsets: &[f64], pieces: &Array) -> Result<(), JsValue> {
        let replaced = open_pieces(offsets, pieces)
            .and_then(|index| self.shared.retriever.borrow_mut().replace_index(index));
        replaced.map_err(|error| thrown(&error))
    }

    /// Adds the documents of another index file, in the place of those that have the same ids.
    pub fn attach(&self, index: Vec<u8>) -> Result<(), JsValue> {
        let added =
            Index::open(index).and_then(|other| self.shared.retriever.borrow_mut().index_mut().attach(other));
        added.map_err(|error| thrown(&error))
    }

    /// Takes a document out; `false` when there is none of that id.
    pub fn remove(&self, document_id: &str) -> bool {
        self.shared.retriever.borrow_mut().index_mut().remove(document_id)
    }

    /// Fetches all that is not there yet: a promise of nothing.
    pub fn complete(&self) -> Promise {
        let shared = Rc::clone(&self.shared);
        future_to_promise(async move {
            let all = |retriever: &Retriever| {
                let index = retriever.index();
                Ok(index.missing(&(0..index.chunk_end()).collect::<Vec<_>>()))
            };
            shared.provide(&all).await.map_err(|error| thrown(&error))?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// The index as it now is, as the bytes of a file.
    #[wasm_bindgen(js_name = toBytes)]
    pub fn to_bytes(&self) -> Result<Vec<u8>, JsValue> {
        self.shared.retriever.borrow().index().to_bytes().map_err(|error| thrown(&error))
    }
}

impl Engine {
    fn of(index: Result<Index>, table: Vec<u8>, reader: Option<Function>) -> Result<Self, JsValue> {
        let open = || Retriever::new(index?, Box::new(TokenTable::from_bytes(table)?));
        let retriever = RefCell::new(open().map_err(|error| thrown(&error))?);
        Ok(Self { shared: Rc::new(Shared { retriever, reader }) })
    }
}

impl Shared {
    /// Fetches what `missing` names until it names nothing more.
    async fn provide(&self, missing: &dyn Fn(&Retriever) -> Result<Vec<Range<u64>>>) -> Result<()> {
        for _ in 0..MAX_ROUNDS {
            let ranges = missing(&self.retriever.borrow())?;
            let Some(reader) = self.reader.as_ref().filter(|_| !ranges.is_empty()) else { return Ok(()) };
            let argument = js_sys::Float64Array::from(flat(&ranges).as_slice());
            let promise = reader.call1(&JsValue::NULL, &argument).map_err(|error| caught(&error))?;
            let pieces = JsFuture::from(Promise::resolve(&promise)).await.map_err(|error| caught(&error))?;
            if pieces.is_null() || pieces.is_undefined() {
                continue;
            }
            let retriever = self.retriever.borrow();
            for (range, piece) in ranges.iter().zip(Array::from(&pieces)) {
                retriever.index().provide(range.start, Uint8Array::new(&piece).to_vec())?;
            }
        }
        if missing(&self.retriever.borrow())?.is_empty() {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::Network,
            "The index changed on the server again and again while it was read.",
        )
        .with_hint("Try again later.")
        .retryable())
    }
}

impl Search for Shared {
    async fn search(&self, query: &Query) -> Result<Vec<Hit>> {
        self.provide(&|retriever| retriever.missing(query)).await?;
        self.retriever.borrow().retrieve(query)
    }
}

async fn answer(
    question: &str,
    options: AskOptions,
    search: &Shared,
    signal: Option<AbortSignal>,
    mut emit: impl FnMut(AskEvent),
) -> Result<Answer> {
    fetch::check(signal.as_ref())?;
    let (options, provider) = options.split()?;
    let mut run = AgentRun::new(question, options)?;
    let (http, clock) = (Fetch::new(signal.clone()), Timer::new(signal));
    drive(&mut run, provider.as_ref(), &http, &clock, search, &mut emit).await
}

fn open_pieces(offsets: &[f64], pieces: &Array) -> Result<Index> {
    let pieces: Vec<(u64, Vec<u8>)> = offsets
        .iter()
        .map(|&at| at as u64)
        .zip(pieces.iter().map(|piece| Uint8Array::new(&piece).to_vec()))
        .collect();
    let head = pieces.iter().find(|(offset, _)| *offset == 0).map_or(&[][..], |(_, bytes)| bytes);
    Index::open_pieces(Layout::parse(head)?, pieces)
}

fn flat(ranges: &[Range<u64>]) -> Vec<f64> {
    ranges.iter().flat_map(|range| [range.start as f64, range.end as f64]).collect()
}

/// What JavaScript threw, as an error: one of ours keeps its code, whatever else it was is a failed connection.
fn caught(error: &JsValue) -> Error {
    let text =
        |name: &str| Reflect::get(error, &JsValue::from_str(name)).ok().and_then(|value| value.as_string());
    let message = text("message").unwrap_or_else(|| "The index could not be read.".to_owned());
    let code = text("code").and_then(|code| serde_json::from_value(code.into()).ok());
    let mut out = Error::new(code.unwrap_or(ErrorCode::Network), message);
    if let Some(hint) = text("hint") {
        out = out.with_hint(hint);
    }
    let retryable = Reflect::get(error, &JsValue::from_str("retryable")).is_ok_and(|value| value.is_truthy());
    if retryable { out.retryable() } else { out }
}
