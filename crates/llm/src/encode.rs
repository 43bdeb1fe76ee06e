//! A conversation as a provider's request.

use serde_json::{Map, Value};

use super::common::{is_reasoning_model, number};
use super::{ChatRequest, Provider, anthropic, gemini, ollama, openai, openai_responses};
use ibid_platform::{Api, HttpRequest, Result, endpoint, json};

/// Headers of a request, besides the key's.
type Headers = &'static [(&'static str, &'static str)];

/// The fields of a body that a request makes no sense without, that have ways of their own to do without, or that
/// hold somebody's own names.
const ESSENTIAL: [&str; 14] = [
    "model",
    "messages",
    "input",
    "contents",
    "stream",
    "system",
    "instructions",
    "systemInstruction",
    "tools",
    "response_format",
    "text",
    "format",
    "responseJsonSchema",
    "metadata",
];

/// The deepest objects that are looked into.
const MAX_DEPTH: u8 = 8;

/// Returns the HTTP request that asks the provider for the conversation's next message, as a stream.
///
/// # Errors
/// [`ErrorCode::InvalidOption`](ibid_platform::ErrorCode::InvalidOption) if a setting of the provider is out of its range.
pub fn encode(provider: &Provider, request: &ChatRequest) -> Result<HttpRequest> {
    without(provider, request, &[])
}

/// The same without parameters of those names, which the provider has refused.
#[inline(never)]
pub(crate) fn without(provider: &Provider, request: &ChatRequest, refused: &[String]) -> Result<HttpRequest> {
    provider.validate()?;
    let model = provider.model_of(request);
    let (path, query, further, mut body): (String, &str, Headers, _) = match provider.api() {
        Api::ChatCompletions => ("chat/completions".to_owned(), "", &[], openai::encode(provider, request)),
        Api::Responses => ("responses".to_owned(), "", &[], openai_responses::encode(provider, request)),
        Api::Messages => {
            ("messages".to_owned(), "", &anthropic::HEADERS, anthropic::encode(provider, request))
        }
        Api::GenerateContent => (gemini::path(model), "alt=sse", &[], gemini::encode(provider, request)),
        Api::OllamaChat => ("api/chat".to_owned(), "", &[], ollama::encode(provider, request)),
    };
    draw(&mut body, provider, model);
    merge(&mut body, &provider.extra_body, MAX_DEPTH);
    for name in refused {
        leave_out(&mut body, name, refused);
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

/// Says how the model is to draw its words, as far as the format has names for it, in the object that the format
/// keeps them in.
fn draw(body: &mut Map<String, Value>, provider: &Provider, model: &str) {
    let Provider { top_p, top_k, stop, seed, .. } = provider;
    let (place, names) = match provider.api() {
        Api::ChatCompletions => ("", ["top_p", "top_k", "stop", "seed"]),
        Api::Responses => ("", ["top_p", "", "", ""]),
        Api::Messages => ("", ["top_p", "top_k", "stop_sequences", ""]),
        Api::GenerateContent => ("generationConfig", ["topP", "topK", "stopSequences", "seed"]),
        Api::OllamaChat => ("options", ["top_p", "top_k", "stop", "seed"]),
    };
    let stop: Value = stop.iter().map(String::as_str).collect();
    // Models that reason refuse this as they refuse a temperature.
    let top_p = top_p.filter(|_| !is_reasoning_model(model)).map(number);
    let values = [
        top_p,
        top_k.map(Value::from),
        Some(stop).filter(|stop| stop.get(0).is_some()),
        seed.map(Value::from),
    ];
    let mut chosen = Map::new();
    for (name, value) in names.into_iter().zip(values) {
        if let Some(value) = value.filter(|_| !name.is_empty()) {
            chosen.insert(name.to_owned(), value);
        }
    }
    if place.is_empty() || chosen.is_empty() {
        body.append(&mut chosen);
    } else if let Value::Object(inner) = body.entry(place).or_insert_with(|| Map::new().into()) {
        inner.append(&mut chosen);
    }
}

/// Puts fields into an object: objects into objects, anything else in place of what was there; null takes out.
fn merge(into: &mut Map<String, Value>, fields: &Map<String, Value>, depth: u8) {
    for (name, value) in fields {
        match (value, into.get_mut(name)) {
            (Value::Null, _) => drop(into.remove(name)),
            (Value::Object(fields), Some(Value::Object(into))) if depth > 0 => merge(into, fields, depth - 1),
            _ => drop(into.insert(name.clone(), value.clone())),
        }
    }
}

/// Takes a parameter out. The limit of tokens has two names, of which a model may know only the other.
fn leave_out(body: &mut Map<String, Value>, name: &str, refused: &[String]) {
    let limits = ["max_tokens", "max_completion_tokens"];
    let value = body.remove(name);
    if let Some((value, at)) = value.zip(limits.iter().position(|limit| *limit == name)) {
        let other = limits[1 - at];
        if !refused.iter().any(|refused| refused == other) {
            body.insert(other.to_owned(), value);
        }
    }
    within(body, &mut |inner| drop(inner.remove(name)), MAX_DEPTH);
}

/// Goes through the objects within an object that are made of parameters.
fn within(body: &mut Map<String, Value>, visit: &mut dyn FnMut(&mut Map<String, Value>), depth: u8) {
    for (name, value) in body.iter_mut() {
        if let Value::Object(inner) = value
            && depth > 0
            && !ESSENTIAL.contains(&name.as_str())
        {
            visit(inner);
            within(inner, visit, depth - 1);
        }
    }
}

/// Finds the parameter of a body that a refusal says is not supported: by the field that names it, or by its message.
pub(crate) fn refused_parameter(body: &str, param: Option<&str>, message: &str) -> Option<String> {
    let lower = message.to_ascii_lowercase();
    let complains = [
        "not support",
        "n't support",
        "unsupported",
        "unknown",
        "unrecognized",
        "unexpected",
        "not permitted",
        "not allowed",
        "deprecated",
        "cannot find field",
    ];
    if !complains.iter().any(|words| lower.contains(words)) {
        return None;
    }
    let Ok(Value::Object(mut body)) = json::parse(body) else { return None };
    let mut names: Vec<String> = body.keys().cloned().collect();
    within(&mut body, &mut |inner| names.extend(inner.keys().cloned()), MAX_DEPTH);
    let parts = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect()
    };
    let (said, quoted) = (parts(message), |name: &str| {
        ['\'', '"', '`'].iter().any(|quote| message.contains(&format!("{quote}{name}")))
    });
    names.into_iter().filter(|name| !ESSENTIAL.contains(&name.as_str())).find(|name| {
        // A name that is also a word of the language has to be marked as a name.
        let is_word = name.bytes().all(|byte| byte.is_ascii_lowercase()) && name != "temperature";
        param == Some(name)
            || (said.contains(name) && (!is_word || quoted(name)))
            || (name == "think" && lower.contains("support thinking"))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn further_fields_are_merged_into_what_is_there() {
        let mut provider = Provider::of(ibid_platform::ProviderKind::Gemini, "gemini-2.5-flash").unwrap();
        let extra = json!({
            "generationConfig": {"thinkingConfig": {"thinkingBudget": 5}, "maxOutputTokens": null, "seed": 7},
            "labels": {"a": "b"},
            "contents": [],
        });
        provider.extra_body = extra.as_object().unwrap().clone();
        let request = encode(&provider, &ChatRequest::default()).unwrap();
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        assert_eq!(
            body["generationConfig"],
            json!({"temperature": 0.3, "thinkingConfig": {"thinkingBudget": 5}, "seed": 7})
        );
        assert_eq!((&body["labels"], &body["contents"]), (&json!({"a": "b"}), &json!([])));
    }

    #[test]
    fn ways_to_draw_words_have_each_formats_names() {
        use ibid_platform::ProviderKind::{Anthropic, Gemini, Ollama, OpenAi, OpenAiResponses};

        for (kind, model, place, wanted) in [
            (OpenAi, "m", "", json!({"top_p": 0.9, "top_k": 40, "stop": ["END"], "seed": 7})),
            (OpenAi, "o5-mini", "", json!({"top_k": 40, "stop": ["END"], "seed": 7})),
            (OpenAiResponses, "m", "", json!({"top_p": 0.9})),
            (Anthropic, "claude-3-haiku", "", json!({"top_p": 0.9, "top_k": 40, "stop_sequences": ["END"]})),
            (
                Gemini,
                "gemini-2.0-flash",
                "/generationConfig",
                json!({"topP": 0.9, "topK": 40, "stopSequences": ["END"], "seed": 7}),
            ),
            (Ollama, "m", "/options", json!({"top_p": 0.9, "top_k": 40, "stop": ["END"], "seed": 7})),
        ] {
            let bare = Provider::of(kind, model).unwrap();
            let provider = Provider {
                top_p: Some(0.9),
                top_k: Some(40),
                stop: vec!["END".to_owned()],
                seed: Some(7),
                ..bare.clone()
            };
            let fields = |provider: &Provider| {
                let request = encode(provider, &ChatRequest::default()).unwrap();
                let body: Value = serde_json::from_slice(&request.body).unwrap();
                body.pointer(place).and_then(Value::as_object).unwrap().clone()
            };
            let before = fields(&bare);
            let mut new = fields(&provider);
            new.retain(|name, _| !before.contains_key(name));
            assert_eq!(Value::Object(new), wanted, "{kind:?}");
        }
    }

    #[test]
    fn refused_parameters_are_found_by_field_and_by_message() {
        let body = json!({
            "model": "m", "messages": [], "temperature": 0.3, "max_tokens": 5, "stop": ["x"], "think": true,
            "stream_options": {"include_usage": true}, "generationConfig": {"thinkingConfig": {"thinkingLevel": "low"}},
            "response_format": {"json_schema": {"schema": {"properties": {"verbosity": {}}}}},
        });
        let refused = |param, message: &str| refused_parameter(&body.to_string(), param, message);
        for (param, message, name) in [
            (
                Some("temperature"),
                "Unsupported value: 'temperature' does not support 0.3 with this model.",
                "temperature",
            ),
            (
                None,
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                "max_tokens",
            ),
            (None, "temperature is not supported by this model", "temperature"),
            (Some("stream_options"), "Extra inputs are not permitted", "stream_options"),
            (
                None,
                "Invalid JSON payload received. Unknown name \"thinkingLevel\" at 'x': Cannot find field.",
                "thinkingLevel",
            ),
            (None, "Unknown parameter: 'stop'.", "stop"),
            (None, "\"llama2\" does not support thinking", "think"),
        ] {
            assert_eq!(refused(param, message).as_deref(), Some(name), "{message}");
        }
        for message in [
            "max_tokens is too large: 9. This model supports at most 4 tokens.",
            "The model does not support images, so stop sending them.",
            "Unsupported parameter: 'messages'",
            "Unknown parameter: 'verbosity'",
            "",
        ] {
            assert_eq!(refused(None, message), None, "{message}");
        }
    }
}
