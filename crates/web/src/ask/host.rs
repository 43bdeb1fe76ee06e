//! The page's work for a run: it searches, runs tools, decides and fetches.

use js_sys::{Array, Float32Array, Function, Promise, Reflect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortSignal;

use ibid::agent::{Host, Replay, StepChange, StepState};
use ibid_llm::ToolCall;
use ibid_platform::{Error, ErrorCode, Result};
use ibid_platform::{HttpRequest, json};
use ibid_retrieve::{Hit, Query};
use ibid_web::convert::caught;
use ibid_web::work::Work;

/// The page's functions. JSON goes in and out, with offsets in bytes, since both sides are ours.
pub(super) struct PageHost {
    functions: JsValue,
    pub(super) signal: Option<AbortSignal>,
}

impl PageHost {
    pub(super) fn new(functions: JsValue, signal: Option<AbortSignal>) -> Self {
        Self { functions, signal }
    }

    /// Finds the reason why a request got no response, as a hint for a person. The page gets its address and the names of
    /// its headers.
    ///
    /// # Errors
    /// [`ErrorCode::ProviderProtocol`] if it is a redirect; any other where the page cannot tell.
    pub(super) async fn explain(&self, request: &HttpRequest) -> Result<String> {
        let failed = || Error::new(ErrorCode::Internal, "");
        let names: Array = request.headers.iter().map(|(name, _)| JsValue::from(name)).collect();
        let told = self.call("explain", &[JsValue::from(&request.url), names.into()], failed).await?;
        told.as_string().ok_or_else(failed)
    }

    /// Finds the page's own `fetch` for the model of that number, if it has one.
    pub(super) fn fetch(&self, at: usize) -> Option<Function> {
        let all = Reflect::get(&self.functions, &JsValue::from_str("fetches")).ok()?;
        Reflect::get_u32(&all, u32::try_from(at).ok()?).ok()?.dyn_into().ok()
    }

    /// Fetches the text of the rules for emergencies.
    pub(super) async fn emergency_rules(&self) -> Result<String> {
        let failed = || Error::new(ErrorCode::Internal, "The rules for emergencies could not be loaded.");
        self.call("emergencyRules", &[], failed).await?.as_string().ok_or_else(failed)
    }

    /// Fetches the text of the rules for personal data.
    pub(super) async fn pii_rules(&self) -> Result<String> {
        let failed = || Error::new(ErrorCode::Internal, "The rules for personal data could not be loaded.");
        self.call("piiRules", &[], failed).await?.as_string().ok_or_else(failed)
    }

    /// Finds the page's function that keeps a run, if it has one. What it throws is its own concern: no answer is lost
    /// to a store that is full.
    pub(super) fn keeper(&self) -> Option<impl Fn(String) + 'static> {
        let function = Reflect::get(&self.functions, &JsValue::from_str("checkpoint")).ok()?;
        let function: Function = function.dyn_into().ok()?;
        Some(move |run: String| drop(function.call1(&JsValue::NULL, &run.into())))
    }

    async fn call(&self, name: &str, arguments: &[JsValue], failed: fn() -> Error) -> Result<JsValue> {
        let promise = self.start(name, arguments, failed)?;
        JsFuture::from(promise).await.map_err(|error| caught(&error, failed))
    }

    /// The same for work that can be aborted: the function gets a signal as its last argument.
    async fn work<const N: usize>(
        &self,
        name: &str,
        arguments: [JsValue; N],
        failed: fn() -> Error,
    ) -> Result<JsValue> {
        let mut work = Work::begin(self.signal.as_ref())?;
        let arguments: Vec<_> = arguments.into_iter().chain([work.signal().into()]).collect();
        let result = self.call(name, &arguments, failed).await;
        work.end();
        result
    }

    pub(super) fn start(&self, name: &str, arguments: &[JsValue], failed: fn() -> Error) -> Result<Promise> {
        let function: Function = Reflect::get(&self.functions, &JsValue::from_str(name))
            .unwrap_or_default()
            .dyn_into()
            .map_err(|_| Error::new(ErrorCode::InvalidOption, format!("The page has no function {name}.")))?;
        let arguments: Array = arguments.iter().collect();
        let result = function.apply(&self.functions, &arguments).map_err(|error| caught(&error, failed))?;
        Ok(Promise::resolve(&result))
    }
}

/// The host of a run that only searches.
impl Host for PageHost {
    async fn search(&self, collection: Option<&str>, query: &Query) -> Result<Vec<Hit>> {
        let failed = || Error::new(ErrorCode::Internal, "The search failed.");
        let collection = collection.map_or(JsValue::UNDEFINED, JsValue::from);
        read(&self.work("search", [write(query)?, collection], failed).await?)
    }
}

/// The host of one run.
pub(super) struct RunHost<'a> {
    pub(super) page: &'a PageHost,
    /// Not there where there is no model, and so no tool.
    pub(super) replay: Option<&'a Replay<'a>>,
}

impl Host for RunHost<'_> {
    async fn search(&self, collection: Option<&str>, query: &Query) -> Result<Vec<Hit>> {
        self.page.search(collection, query).await
    }

    async fn call_tool(&self, call: &ToolCall) -> Result<String> {
        if let Some(answered) = self.replay.and_then(|replay| replay.of_tool(call)) {
            return answered;
        }
        let failed = || Error::new(ErrorCode::Internal, "The tool failed.");
        let arguments = [&call.name, &call.arguments, &call.id].map(JsValue::from);
        let result = self.page.work("callTool", arguments, failed).await;
        let result = result.map(|content| content.as_string().unwrap_or_default());
        if let Some(replay) = self.replay {
            replay.tool_answered(call, &result);
        }
        result
    }

    /// The page asks its own callback before it runs a tool, and has the time limit for both.
    async fn approve(&self, _call: &ToolCall) -> Result<bool> {
        Ok(true)
    }

    async fn prepare_step(&self, state: &StepState) -> Result<StepChange> {
        let failed = || Error::new(ErrorCode::InvalidOption, "`prepareStep` failed.");
        let change = self.page.call("prepareStep", &[write(state)?], failed).await?;
        if change.is_string() { read(&change) } else { Ok(StepChange::default()) }
    }

    async fn rerank(&self, query: &str, texts: &[&str]) -> Result<Option<Vec<f32>>> {
        let failed = || Error::new(ErrorCode::Internal, "The reranker failed.");
        let scores = self.page.call("rerank", &[JsValue::from(query), write(&texts)?], failed).await?;
        Ok(scores.dyn_into::<Float32Array>().ok().map(|scores| scores.to_vec()))
    }
}

pub(super) fn write(value: &impl Serialize) -> Result<JsValue> {
    serde_json::to_string(value).map(JsValue::from).map_err(|error| internal(&error))
}

fn read<T: DeserializeOwned>(json: &JsValue) -> Result<T> {
    json::read(&json.as_string().unwrap_or_default()).map_err(|error| internal(&error))
}

fn internal(error: &serde_json::Error) -> Error {
    Error::new(ErrorCode::Internal, format!("The page's value cannot be read: {error}."))
}
