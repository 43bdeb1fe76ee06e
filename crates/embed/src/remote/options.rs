//! Which service embeds, and how it is called.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use super::provider::{EmbeddingProvider, Format};
use crate::Space;
use ibid_platform::secret::is_header;
use ibid_platform::{Error, ErrorCode, Result};
use ibid_platform::{RetryPolicy, Secret, url};

/// Which service embeds, by which model, and how it is called.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EmbeddingOptions {
    /// The service, whose format is spoken.
    pub provider: EmbeddingProvider,
    /// The model's name as the service spells it, such as `text-embedding-3-small`.
    pub model: String,
    /// The service's address, for a proxy or a server of one's own; [`EmbeddingProvider::base_url`] by default.
    #[serde(default, rename = "baseURL", alias = "baseUrl")]
    pub base_url: Option<String>,
    /// The API key, sent as a bearer token, or as Gemini's `x-goog-api-key`.
    #[serde(default)]
    pub api_key: Option<Secret>,
    /// Further headers; one of the name that carries the key takes its place.
    #[serde(default)]
    pub headers: BTreeMap<String, Secret>,
    /// How many dimensions the service is asked for, 1 to 4096; by default those that the model has by itself. Not every
    /// model can be asked.
    #[serde(default)]
    pub dimensions: Option<u32>,
    /// The most texts of one request, 1 to what the provider allows; as many by default.
    #[serde(default)]
    pub batch_size: Option<usize>,
    /// The most requests in a minute, which are spread evenly over it; by default any number. Retries come on top, at their
    /// own pace.
    #[serde(default)]
    pub requests_per_minute: Option<u32>,
    /// How long an answer may take in milliseconds; 60,000 by default.
    #[serde(default)]
    pub timeout_ms: Option<u32>,
    /// How failures are retried.
    #[serde(default)]
    pub retry: RetryPolicy,
}

impl EmbeddingOptions {
    /// A model of a provider, with everything else as it is by default.
    pub fn new(provider: EmbeddingProvider, model: impl Into<String>) -> Self {
        Self {
            provider,
            model: model.into(),
            base_url: None,
            api_key: None,
            headers: BTreeMap::new(),
            dimensions: None,
            batch_size: None,
            requests_per_minute: None,
            timeout_ms: None,
            retry: RetryPolicy::default(),
        }
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] naming the setting; a key or header value is never quoted.
    pub fn validate(&self) -> Result<()> {
        let model = self.model_name();
        if model.is_empty() {
            return Err(wrong("The embedding model has no name."));
        }
        self.endpoint()?;
        self.space(self.dimensions.unwrap_or(1))?;
        let most = self.provider.batch_size();
        if self.batch_size.is_some_and(|size| !(1..=most).contains(&size)) {
            let name = self.provider.name();
            return Err(wrong(format!(
                "{name} embeds from 1 to {most} texts at once; `batchSize` is another number."
            )));
        }
        if self.requests_per_minute == Some(0) {
            return Err(wrong("`requestsPerMinute` is 0; no request could be made."));
        }
        let key = self.api_key.iter().map(|key| ("authorization", key));
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value));
        if key.chain(headers).any(|(name, value)| !is_header(name, value.expose())) {
            return Err(wrong(
                "The embedding service's API key or a header cannot be sent: HTTP forbids some of its characters.",
            )
            .with_hint("Copy the key again, without the text around it."));
        }
        Ok(())
    }

    /// The name of the space of its vectors, provider and model: `openai/text-embedding-3-small`. The package's
    /// `remoteEmbedder` makes the same, so that a page may search what the command has built.
    pub fn space_name(&self) -> String {
        format!("{}/{}", self.provider.as_str(), self.model_name())
    }

    /// The space of its vectors when they have so many dimensions.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] when the name is too long, or there are not 1 to 4096 dimensions.
    pub fn space(&self, dimensions: u32) -> Result<Space> {
        Space::foreign(&self.space_name(), dimensions, None)
    }

    /// The most texts of one request.
    pub fn batch_size(&self) -> usize {
        self.batch_size.unwrap_or(usize::MAX).clamp(1, self.provider.batch_size())
    }

    /// The model's name, without what Gemini's own documentation sometimes puts in front of it.
    pub(super) fn model_name(&self) -> &str {
        let model = self.model.trim();
        match self.provider.format() {
            Format::Gemini => model.strip_prefix("models/").unwrap_or(model),
            _ => model,
        }
    }

    pub(super) fn timeout(&self) -> Duration {
        Duration::from_millis(u64::from(self.timeout_ms.unwrap_or(60_000).max(1)))
    }

    /// The address that requests are sent to.
    pub(super) fn endpoint(&self) -> Result<String> {
        let base = self.base_url.as_deref().unwrap_or(self.provider.base_url());
        let (base, query) = url::split(base).map_err(|problem| {
            wrong(format!("The embedding service's base URL {problem}."))
                .with_hint(format!("Give an address such as {}.", self.provider.base_url()))
        })?;
        let path = match self.provider.format() {
            Format::OpenAi => "/embeddings".to_owned(),
            Format::Cohere => "/embed".to_owned(),
            Format::Ollama => "/api/embed".to_owned(),
            Format::Gemini => {
                let model = self.model_name();
                let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
                if !model.bytes().all(is_plain) {
                    return Err(wrong("Gemini's models have names of letters, digits, `-`, `.` and `_`."));
                }
                format!("/models/{model}:batchEmbedContents")
            }
        };
        // People paste whole endpoints, and Ollama's address with the path that all of its own have.
        let base = base.trim_end_matches('/');
        let base = base.strip_suffix(path.as_str()).unwrap_or(base);
        let base = if path.starts_with("/api/") { base.strip_suffix("/api").unwrap_or(base) } else { base };
        Ok(query.map_or_else(|| format!("{base}{path}"), |query| format!("{base}{path}?{query}")))
    }
}

fn wrong(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::InvalidOption, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(provider: EmbeddingProvider, base_url: Option<&str>) -> String {
        let base_url = base_url.map(str::to_owned);
        EmbeddingOptions { base_url, ..EmbeddingOptions::new(provider, "m-1") }.endpoint().unwrap()
    }

    #[test]
    fn addresses_are_the_services_own_or_those_given() {
        use EmbeddingProvider::{Cohere, Gemini, Jina, Ollama, OpenAi, OpenRouter};
        for (provider, base_url, expected) in [
            (OpenAi, None, "https://api.openai.com/v1/embeddings"),
            (OpenAi, Some("http://h:8000/v1/"), "http://h:8000/v1/embeddings"),
            (OpenAi, Some("http://h/v1/embeddings"), "http://h/v1/embeddings"),
            (OpenAi, Some("https://h/v1?api-version=1"), "https://h/v1/embeddings?api-version=1"),
            (OpenRouter, None, "https://openrouter.ai/api/v1/embeddings"),
            (Gemini, None, "https://generativelanguage.googleapis.com/v1beta/models/m-1:batchEmbedContents"),
            (Cohere, None, "https://api.cohere.com/v2/embed"),
            (Jina, None, "https://api.jina.ai/v1/embeddings"),
            (Ollama, None, "http://localhost:11434/api/embed"),
            (Ollama, Some("http://h:11434/api"), "http://h:11434/api/embed"),
            (Ollama, Some("http://h:11434/api/embed"), "http://h:11434/api/embed"),
        ] {
            assert_eq!(endpoint(provider, base_url), expected);
        }
    }

    #[test]
    fn settings_are_checked_and_keys_are_not_shown() {
        let wrong = |change: fn(&mut EmbeddingOptions)| {
            let mut options = EmbeddingOptions::new(EmbeddingProvider::Cohere, "embed-v4.0");
            assert!(options.validate().is_ok());
            change(&mut options);
            let error = options.validate().unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidOption);
            assert!(!format!("{error} {options:?}").contains("key-0123456789"));
        };
        wrong(|options| options.model = " ".into());
        wrong(|options| options.model = "m".repeat(200));
        wrong(|options| options.base_url = Some("ftp://h".into()));
        wrong(|options| options.api_key = Some(Secret::new("key-0123456789\nx")));
        wrong(|options| options.headers = [("x y".into(), Secret::new("key-0123456789"))].into());
        wrong(|options| options.dimensions = Some(0));
        wrong(|options| options.dimensions = Some(4097));
        wrong(|options| options.batch_size = Some(97));
        wrong(|options| options.batch_size = Some(0));
        wrong(|options| options.requests_per_minute = Some(0));
        let mut gemini = EmbeddingOptions::new(EmbeddingProvider::Gemini, "models/a?b");
        assert!(gemini.validate().is_err());
        gemini.model = "models/gemini-embedding-001".into();
        assert_eq!(gemini.space_name(), "gemini/gemini-embedding-001");
    }

    #[test]
    fn they_are_read_from_json() {
        let json =
            r#"{"provider":"llama-cpp","model":"m","baseURL":"http://h/v1","apiKey":" k ","dimensions":3}"#;
        let options: EmbeddingOptions = serde_json::from_str(json).unwrap();
        assert_eq!((options.provider, options.dimensions), (EmbeddingProvider::LlamaCpp, Some(3)));
        assert_eq!(options.api_key, Some(Secret::new("k")));
        assert!(serde_json::from_str::<EmbeddingOptions>(r#"{"provider":"other","model":"m"}"#).is_err());
        assert!(
            serde_json::from_str::<EmbeddingOptions>(r#"{"provider":"jina","model":"m","x":1}"#).is_err()
        );
    }
}
