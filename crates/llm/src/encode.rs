//! A conversation as a provider's request.

use super::{ChatRequest, Provider, anthropic, gemini, ollama, openai, openai_responses};
use ibid_platform::Result;
use ibid_platform::{Api, HttpRequest, endpoint};

/// Headers of a request, besides the key's.
type Headers = &'static [(&'static str, &'static str)];

/// The HTTP request that asks the provider for the conversation's next message, as a stream.
///
/// # Errors
/// [`ErrorCode::InvalidOption`](ibid_platform::ErrorCode::InvalidOption) if a setting of the provider is out of its range.
pub fn encode(provider: &Provider, request: &ChatRequest) -> Result<HttpRequest> {
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
