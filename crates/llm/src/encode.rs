//! A conversation as a provider's request.

use serde_json::{Map, Value};

use super::{Api, ChatRequest, Provider, anthropic, gemini, ollama, openai, openai_responses};
use ibid_platform::Result;
use ibid_platform::{HttpRequest, endpoint, json};

/// What a codec makes of a conversation.
pub(super) struct Encoded {
    /// What comes after the base address, such as `chat/completions`.
    pub(super) path: String,
    /// What comes after `?` in the address; nothing for most.
    pub(super) query: &'static str,
    /// Further headers.
    pub(super) headers: &'static [(&'static str, &'static str)],
    /// The body.
    pub(super) body: Map<String, Value>,
}

/// The HTTP request that asks the provider for the conversation's next message, as a stream.
///
/// # Errors
/// [`ErrorCode::InvalidOption`](ibid_platform::ErrorCode::InvalidOption) if a setting of the provider is out of its range.
pub fn encode(provider: &Provider, request: &ChatRequest) -> Result<HttpRequest> {
    provider.validate()?;
    let encoded = match provider.api() {
        Api::ChatCompletions => openai::encode(provider, request),
        Api::Responses => openai_responses::encode(provider, request),
        Api::Messages => anthropic::encode(provider, request),
        Api::GenerateContent => gemini::encode(provider, request),
        Api::OllamaChat => ollama::encode(provider, request),
    };
    let Encoded { path, query, headers: further, mut body } = encoded;
    for (name, value) in &provider.extra_body {
        if value.is_null() {
            body.remove(name);
        } else {
            body.insert(name.clone(), value.clone());
        }
    }
    let mut url = provider.url(&path)?;
    if !query.is_empty() {
        url.push(if url.contains('?') { '&' } else { '?' });
        url.push_str(query);
    }
    let headers = [&[("accept", "text/event-stream")], further].concat();
    let key_header = provider.kind.row().key_header;
    Ok(provider.endpoint.request("POST", url, key_header, &headers, endpoint::body(&body)?))
}

/// A temperature as it is written: widened digit for digit, 0.3 and not 0.30000001192092896.
pub(super) fn temperature(value: f32) -> Value {
    ((f64::from(value) * 1000.0).round() / 1000.0).into()
}

/// The arguments of a past tool call as a JSON object. What is no object is sent as an empty one, because servers that read
/// them would refuse the whole conversation; the tool's message says what was wrong with them.
pub(super) fn arguments(text: &str) -> Map<String, Value> {
    match json::parse(text) {
        Ok(Value::Object(arguments)) => arguments,
        _ => Map::new(),
    }
}

/// The name of a past call's tool; servers refuse one without.
pub(super) fn name(name: &str) -> &str {
    if name.is_empty() { "unknown" } else { name }
}

/// Whether a model is one of `OpenAI`'s that reason: they refuse `temperature`, and have their own words for the limit of
/// tokens.
pub(super) fn is_reasoning_model(model: &str) -> bool {
    let name = model.trim().rsplit('/').next().unwrap_or_default();
    let o_series = ["o1", "o3", "o4"]
        .iter()
        .any(|series| name.strip_prefix(series).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')));
    o_series || (name.starts_with("gpt-5") && !name.contains("-chat"))
}
