//! Answering questions: the run, the model's provider and the citations. What is searched, the page says.

mod fetch;
mod options;
mod utf16;

use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use web_sys::AbortSignal;

use self::fetch::{Fetch, Timer};
use self::options::AskOptions;
use self::utf16::Completed;
use super::convert::{caught, read, thrown, to_js};
use super::utf16::Utf16;
use crate::agent::{AgentRun, Answer, AskEvent, drive};
use crate::error::{Error, ErrorCode, Result};
use crate::llm::HttpModel;
use crate::retrieve::{Hit, Query, Search};

/// Answers a question: a promise of an `Answer`.
///
/// `search` is called with a query as JSON and returns a promise of hits as JSON, see `Engine.find`. `on_event` is called
/// with each `AskEvent` on the way; what it throws is ignored.
#[wasm_bindgen]
pub fn ask(
    question: String,
    options: JsValue,
    search: Function,
    on_event: Function,
    signal: Option<AbortSignal>,
) -> Promise {
    future_to_promise(async move {
        let options: AskOptions = read(options)?;
        let tell = |event: JsValue| drop(on_event.call1(&JsValue::NULL, &event));
        let emit = |event: AskEvent| to_js(&event.utf16()).into_iter().for_each(tell);
        let answer = answer(&question, options, &Page(search), signal, emit).await;
        let answer = answer.map_err(|error| thrown(&error))?.utf16();
        tell(to_js(&Completed::new(&answer))?);
        to_js(&answer)
    })
}

async fn answer(
    question: &str,
    options: AskOptions,
    search: &Page,
    signal: Option<AbortSignal>,
    mut emit: impl FnMut(AskEvent),
) -> Result<Answer> {
    fetch::check(signal.as_ref())?;
    let (options, provider) = options.split()?;
    let mut run = AgentRun::new(question, options)?;
    let (http, clock) = (Fetch::new(signal.clone()), Timer::new(signal));
    let model = provider.as_ref().map(|provider| HttpModel::new(provider, &http, &clock));
    drive(&mut run, model.as_ref(), search, &mut emit).await
}

/// What the page searches for us: offsets cross as bytes, since both sides are ours.
struct Page(Function);

impl Search for Page {
    async fn search(&self, query: &Query) -> Result<Vec<Hit>> {
        let internal = |error: serde_json::Error| {
            Error::new(ErrorCode::Internal, format!("The search's answer cannot be read: {error}."))
        };
        let query = serde_json::to_string(query).map_err(internal)?;
        let promise = self.0.call1(&JsValue::NULL, &query.into()).map_err(|error| caught(&error, failed))?;
        let hits =
            JsFuture::from(Promise::resolve(&promise)).await.map_err(|error| caught(&error, failed))?;
        serde_json::from_str(&hits.as_string().unwrap_or_default()).map_err(internal)
    }
}

fn failed() -> Error {
    Error::new(ErrorCode::Internal, "The search failed.")
}
