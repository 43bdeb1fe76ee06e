//! The boundary to JavaScript, and nothing but that: one class, plain objects in and out, errors with a code.
//!
//! The TypeScript package wraps this; its types are the documentation of what crosses. Options and results are plain
//! objects, byte offsets of text become the UTF-16 offsets that JavaScript strings are indexed by, and whatever is
//! thrown is an `Error` with `code`, `hint` and `retryable`.

mod convert;
mod fetch;
mod options;

use std::rc::Rc;

use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use web_sys::AbortSignal;

use crate::agent::{AgentRun, Answer, AskEvent, drive};
use crate::embed::TokenTable;
use crate::error::Result;
use crate::index::Index;
use crate::retrieve::Retriever;
use convert::{Completed, IndexInfo, Utf16, thrown, to_js};
use fetch::{Fetch, Timer};
use options::{AskOptions, SearchOptions, read};

/// Reports a panic, which would be a defect, to the console with its message.
#[wasm_bindgen(start)]
fn start() {
    console_error_panic_hook::set_once();
}

/// An open index with its query encoder.
#[wasm_bindgen]
pub struct Engine {
    // Shared with the runs that are under way, so that freeing the engine never pulls the index from under one.
    retriever: Rc<Retriever>,
}

#[wasm_bindgen]
impl Engine {
    /// Opens an index file with a query table; both are the files' whole bytes.
    #[wasm_bindgen(constructor)]
    pub fn new(index: Vec<u8>, table: Vec<u8>) -> Result<Engine, JsValue> {
        let open = || Retriever::new(Index::open(index)?, Box::new(TokenTable::from_bytes(table)?));
        Ok(Self { retriever: Rc::new(open().map_err(|error| thrown(&error))?) })
    }

    /// What the index says of itself: an `IndexInfo`.
    pub fn info(&self) -> Result<JsValue, JsValue> {
        to_js(&IndexInfo::of(self.retriever.index()))
    }

    /// The passages nearest to a query: an array of `Hit`.
    pub fn search(&self, query: String, options: JsValue) -> Result<JsValue, JsValue> {
        let options: SearchOptions = read(options)?;
        let hits = self.retriever.retrieve(&options.query(query)).map_err(|error| thrown(&error))?;
        to_js(&hits.utf16())
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
        let retriever = Rc::clone(&self.retriever);
        future_to_promise(async move {
            let options: AskOptions = read(options)?;
            let tell = |event: JsValue| drop(on_event.call1(&JsValue::NULL, &event));
            let emit = |event: AskEvent| to_js(&event.utf16()).into_iter().for_each(tell);
            let answer = answer(&question, options, &retriever, signal, emit).await;
            let answer = answer.map_err(|error| thrown(&error))?.utf16();
            tell(to_js(&Completed::new(&answer))?);
            to_js(&answer)
        })
    }
}

async fn answer(
    question: &str,
    options: AskOptions,
    retriever: &Retriever,
    signal: Option<AbortSignal>,
    mut emit: impl FnMut(AskEvent),
) -> Result<Answer> {
    fetch::check(signal.as_ref())?;
    let (options, provider) = options.split()?;
    let mut run = AgentRun::new(question, options)?;
    let (http, clock) = (Fetch::new(signal.clone()), Timer::new(signal));
    drive(&mut run, provider.as_ref(), &http, &clock, retriever, &mut emit).await
}
