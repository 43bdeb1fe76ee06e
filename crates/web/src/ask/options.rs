//! The options that JavaScript passes in.

use std::time::Duration;

use js_sys::{Object, Reflect};
use serde::Deserialize;
use serde_json::{Map, Value};
use wasm_bindgen::{JsCast, JsValue};

use ibid::agent::{AgentOptions, Conversation, Policy};
use ibid_llm::Provider;
use ibid_platform::{Error, ErrorCode, Result};
use ibid_platform::{json, nonce};
use ibid_retrieve::Query;

/// The options of a run.
pub(super) struct AskOptions {
    pub(super) options: AgentOptions,
    /// The models that answer, in the order in which they are tried; none if passages are quoted.
    pub(super) models: Vec<ModelEntry>,
    pub(super) timeout: Option<Duration>,
    pub(super) conversation: Conversation,
    pub(super) conversation_id: Option<String>,
    /// A run that was kept, to go on with, as JSON.
    pub(super) resume: Option<String>,
}

/// The model that answers: a provider's, or one of the page's by its name.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ModelEntry {
    pub(super) llm: Option<Provider>,
    pub(super) custom: String,
}

/// The page's options besides those of the run itself.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Page {
    models: Vec<ModelEntry>,
    limit: Option<usize>,
    /// The options of all searches of the run: a `Query` as JSON.
    query: Option<String>,
    timeout_ms: Option<f64>,
    /// A conversation as JSON.
    history: Option<String>,
    conversation_id: Option<String>,
    resume: Option<String>,
}

/// The names of those, under which the run's own options have something else or nothing.
const OF_THE_PAGE: [&str; 7] =
    ["models", "limit", "query", "timeoutMs", "history", "conversationId", "resume"];

/// What a question without options goes on with.
pub(super) struct Memory {
    pub(super) id: Option<String>,
    history: Option<String>,
}

impl Memory {
    /// Reads it; `None` if there are options.
    pub(super) fn read(options: &JsValue) -> Option<Self> {
        let fields = options.dyn_ref::<Object>()?;
        let text = |name: &str| Reflect::get(fields, &name.into()).ok().and_then(|value| value.as_string());
        let memory = Self { id: text("conversationId"), history: text("history") };
        let is_memory = |name: JsValue| name == "conversationId" || name == "history";
        Object::keys(fields).iter().all(is_memory).then_some(memory)
    }

    pub(super) fn conversation(&self) -> Result<Conversation> {
        self.history.as_deref().map_or_else(|| Ok(Conversation::new(None)), Conversation::from_json)
    }
}

impl AskOptions {
    pub(super) fn read(options: JsValue) -> Result<Self> {
        let invalid = |error: &dyn std::fmt::Display| {
            Error::new(ErrorCode::InvalidOption, format!("The options cannot be read: {error}."))
        };
        let mut fields: Map<String, Value> = if options.is_undefined() || options.is_null() {
            Map::new()
        } else {
            serde_wasm_bindgen::from_value(options).map_err(|error| invalid(&error))?
        };
        let of_page = json::object(OF_THE_PAGE.iter().filter_map(|name| fields.remove_entry(*name)));
        let page: Page = json::of(Value::Object(of_page)).map_err(|error| invalid(&error))?;
        let has_policy = fields.contains_key("policy");
        let mut options: AgentOptions = json::of(Value::Object(fields)).map_err(|error| invalid(&error))?;
        page.models.iter().filter_map(|model| model.llm.as_ref()).try_for_each(Provider::validate)?;
        if page.models.is_empty() && (!has_policy || options.policy == Policy::Auto) {
            options.policy = Policy::Extractive;
        }
        options.nonce = nonce()?;
        options.max_results = page.limit.unwrap_or(options.max_results);
        options.query = page.query.as_deref().map(Query::from_json).transpose()?.unwrap_or_default();
        let timeout = page.timeout_ms.map(|ms| {
            Duration::try_from_secs_f64(ms / 1000.0).ok().filter(|timeout| !timeout.is_zero()).ok_or_else(
                || Error::new(ErrorCode::InvalidOption, "The time limit is not a number above 0."),
            )
        });
        Ok(Self {
            options,
            models: page.models,
            timeout: timeout.transpose()?,
            conversation: page
                .history
                .as_deref()
                .map(Conversation::from_json)
                .transpose()?
                .unwrap_or_else(|| Conversation::new(None)),
            conversation_id: page.conversation_id,
            resume: page.resume,
        })
    }
}
