//! A conversation as a provider's request.

use serde_json::{Map, Value};

use super::{Api, ChatRequest, Provider, anthropic, gemini, ollama, openai, openai_responses};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_platform::{HttpRequest, json};

/// What a codec makes of a conversation.
pub(super) struct Encoded {
    /// What comes after the base address, such as `chat/completions`.
    pub(super) path: String,
    /// What comes after `?` in the address; nothing for most.
    pub(super) query: &'static str,
    /// The header that the key goes into, and what stands before it there.
    pub(super) auth: (&'static str, &'static str),
    /// Further headers.
    pub(super) headers: &'static [(&'static str, &'static str)],
    /// The body.
    pub(super) body: Map<String, Value>,
}

/// The HTTP request that asks the provider for the conversation's next message, as a stream.
///
/// # Errors
/// [`ErrorCode::InvalidOption`] if a setting of the provider is out of its range.
pub fn encode(provider: &Provider, request: &ChatRequest) -> Result<HttpRequest> {
    provider.validate()?;
    let encoded = match provider.api() {
        Api::ChatCompletions => openai::encode(provider, request),
        Api::Responses => openai_responses::encode(provider, request),
        Api::Messages => anthropic::encode(provider, request),
        Api::GenerateContent => gemini::encode(provider, request),
        Api::OllamaChat => ollama::encode(provider, request),
    };
    let Encoded { path, query, auth, headers: further, mut body } = encoded;
    for (name, value) in &provider.extra_body {
        if value.is_null() {
            body.remove(name);
        } else {
            body.insert(name.clone(), value.clone());
        }
    }
    let body = serde_json::to_vec(&body).map_err(|error| {
        Error::new(ErrorCode::Internal, format!("The request could not be written as JSON: {error}."))
    })?;
    let mut url = provider.endpoint(&path)?;
    if !query.is_empty() {
        url.push(if url.contains('?') { '&' } else { '?' });
        url.push_str(query);
    }
    Ok(HttpRequest { method: "POST", url, headers: headers(provider, auth, further), body })
}

fn headers(
    provider: &Provider,
    (auth, before): (&str, &str),
    further: &[(&str, &str)],
) -> Vec<(String, String)> {
    let always = [("content-type", "application/json"), ("accept", "text/event-stream")];
    let own = always.iter().chain(further).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let mut headers: Vec<_> = own.collect();
    if let Some(key) = &provider.api_key {
        headers.push((auth.to_owned(), format!("{before}{}", key.expose())));
    }
    for (name, value) in &provider.headers {
        let name = name.to_ascii_lowercase();
        headers.retain(|(other, _)| *other != name);
        headers.push((name, value.expose().to_owned()));
    }
    headers
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
