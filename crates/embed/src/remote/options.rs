//! The service that embeds, and the way it is called.

use serde::{Deserialize, Deserializer};

use crate::Space;
use ibid_platform::json::Fields;
use ibid_platform::{EmbeddingApi, EmbeddingRow, Endpoint, ProviderKind};
use ibid_platform::{Error, ErrorCode, Result};

/// The service that embeds, its model, and the way it is called.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddingOptions {
    /// The service, whose format is spoken.
    pub provider: ProviderKind,
    /// The model's name as the service spells it, such as `text-embedding-3-small`.
    pub model: String,
    /// The service's address, for a proxy or a server of one's own, key, headers and retries; an answer may
    /// take 60,000 milliseconds by default.
    pub endpoint: Endpoint,
    /// The number of dimensions that the service is asked for, 1 to 4096; by default those that the model has by
    /// itself. Not every model can be asked.
    pub dimensions: Option<u32>,
    /// The most texts of one request, 1 to what the provider allows; as many by default.
    pub batch_size: Option<usize>,
    /// The most requests in a minute, which are spread evenly over it; by default any number. Retries come on
    /// top, at their own pace.
    pub requests_per_minute: Option<u32>,
}

impl<'de> Deserialize<'de> for EmbeddingOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Fields::deserialize(deserializer)?;
        let of = Self::new(fields.take("provider")?, fields.take::<String, _>("model")?);
        let options = Self {
            endpoint: of.endpoint.take(&mut fields)?,
            dimensions: fields.take("dimensions")?,
            batch_size: fields.take("batchSize")?,
            requests_per_minute: fields.take("requestsPerMinute")?,
            ..of
        };
        fields.none_left()?;
        Ok(options)
    }
}

impl EmbeddingOptions {
    /// Makes a model of a provider, with everything else as it is by default.
    pub fn new(provider: ProviderKind, model: impl Into<String>) -> Self {
        Self {
            provider,
            model: model.into(),
            endpoint: Endpoint::within(60_000),
            dimensions: None,
            batch_size: None,
            requests_per_minute: None,
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
        let name = self.provider.row().name;
        if self.provider.row().embedding.is_none() {
            return Err(wrong(format!("{name} has no embedding models.")));
        }
        self.url()?;
        self.endpoint.check()?;
        self.space(self.dimensions.unwrap_or(1))?;
        let most = self.way().batch_size;
        if self.batch_size.is_some_and(|size| !(1..=most).contains(&size)) {
            return Err(wrong(format!(
                "{name} embeds from 1 to {most} texts at once; `batchSize` is another number."
            )));
        }
        if self.requests_per_minute == Some(0) {
            return Err(wrong("`requestsPerMinute` is 0; no request could be made."));
        }
        Ok(())
    }

    /// Returns the name of the space of its vectors, provider and model: `openai/text-embedding-3-small`. The
    /// package's `remoteEmbedder` makes the same, so that a page may search what the command has built.
    pub fn space_name(&self) -> String {
        format!("{}/{}", self.provider.row().id, self.model_name())
    }

    /// Returns the space of its vectors when they have that many dimensions.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] when the name is too long, or there are not 1 to 4096 dimensions.
    pub fn space(&self, dimensions: u32) -> Result<Space> {
        Space::foreign(&self.space_name(), dimensions, None)
    }

    /// Returns the most texts of one request.
    pub fn batch_size(&self) -> usize {
        self.batch_size.unwrap_or(usize::MAX).clamp(1, self.way().batch_size)
    }

    /// The model's name, without what Gemini's own documentation sometimes puts in front of it.
    pub(super) fn model_name(&self) -> &str {
        let model = self.model.trim();
        match self.way().api {
            EmbeddingApi::Gemini => model.strip_prefix("models/").unwrap_or(model),
            _ => model,
        }
    }

    /// Looks up the way the service embeds; one that does not is refused before it is asked.
    pub(super) fn way(&self) -> &'static EmbeddingRow {
        self.provider.row().embedding.as_ref().unwrap_or(&EmbeddingRow::USUAL)
    }

    /// Builds the address that requests are sent to.
    pub(super) fn url(&self) -> Result<String> {
        let path = match self.way().api {
            EmbeddingApi::OpenAi => "embeddings".to_owned(),
            EmbeddingApi::Cohere => "embed".to_owned(),
            EmbeddingApi::Ollama => "api/embed".to_owned(),
            EmbeddingApi::Gemini => {
                let model = self.model_name();
                let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
                if !model.bytes().all(is_plain) {
                    return Err(wrong("Gemini's models have names of letters, digits, `-`, `.` and `_`."));
                }
                format!("models/{model}:batchEmbedContents")
            }
        };
        self.endpoint.url("embedding service", self.provider.row().base_url, &path)
    }
}

fn wrong(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::InvalidOption, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_the_services_own_or_those_given() {
        use ProviderKind::{Cohere, Gemini, Jina, Ollama, OpenAi, OpenRouter};
        for (provider, expected) in [
            (OpenAi, "https://api.openai.com/v1/embeddings"),
            (OpenRouter, "https://openrouter.ai/api/v1/embeddings"),
            (Gemini, "https://generativelanguage.googleapis.com/v1beta/models/m-1:batchEmbedContents"),
            (Cohere, "https://api.cohere.com/v2/embed"),
            (Jina, "https://api.jina.ai/v1/embeddings"),
            (Ollama, "http://localhost:11434/api/embed"),
        ] {
            assert_eq!(EmbeddingOptions::new(provider, "m-1").url().unwrap(), expected);
        }
        let mut proxied = EmbeddingOptions::new(Ollama, "m");
        proxied.endpoint.base_url = "http://h:11434/api".to_owned();
        assert_eq!(proxied.url().unwrap(), "http://h:11434/api/embed");
    }

    #[test]
    fn settings_are_checked_and_keys_are_not_shown() {
        let wrong = |change: fn(&mut EmbeddingOptions)| {
            let mut options = EmbeddingOptions::new(ProviderKind::Cohere, "embed-v4.0");
            assert!(options.validate().is_ok());
            change(&mut options);
            let error = options.validate().unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidOption);
            assert!(!format!("{error} {options:?}").contains("key-0123456789"));
        };
        wrong(|options| options.model = " ".into());
        wrong(|options| options.model = "m".repeat(200));
        wrong(|options| options.endpoint.base_url = "ftp://h".into());
        wrong(|options| options.endpoint = Endpoint::default().with_api_key("key-0123456789\nx"));
        wrong(|options| options.provider = ProviderKind::Anthropic);
        wrong(|options| options.dimensions = Some(0));
        wrong(|options| options.dimensions = Some(4097));
        wrong(|options| options.batch_size = Some(97));
        wrong(|options| options.batch_size = Some(0));
        wrong(|options| options.requests_per_minute = Some(0));
        let mut gemini = EmbeddingOptions::new(ProviderKind::Gemini, "models/a?b");
        assert!(gemini.validate().is_err());
        gemini.model = "models/gemini-embedding-001".into();
        assert_eq!(gemini.space_name(), "gemini/gemini-embedding-001");
    }

    #[test]
    fn they_are_read_from_json() {
        let json =
            r#"{"provider":"llama-cpp","model":"m","baseURL":"http://h/v1","apiKey":" k ","dimensions":3}"#;
        let options: EmbeddingOptions = serde_json::from_str(json).unwrap();
        assert_eq!((options.provider, options.dimensions), (ProviderKind::LlamaCpp, Some(3)));
        assert_eq!(options.endpoint.api_key.unwrap().expose(), "k");
        assert_eq!(
            (options.endpoint.base_url.as_str(), options.endpoint.timeouts.step_ms),
            ("http://h/v1", 60_000)
        );
        assert!(serde_json::from_str::<EmbeddingOptions>(r#"{"provider":"other","model":"m"}"#).is_err());
        assert!(
            serde_json::from_str::<EmbeddingOptions>(r#"{"provider":"jina","model":"m","x":1}"#).is_err()
        );
    }
}
