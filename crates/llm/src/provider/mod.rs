//! Where a model is reached and how it is called.

mod kind;
mod limits;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use ibid_platform::secret::is_header;
use ibid_platform::{Error, ErrorCode, Result};
use ibid_platform::{RetryPolicy, Secret, url};

pub use kind::{Api, ProviderKind};
pub use limits::{ReasoningEffort, Timeouts};

/// A provider of models, with the settings of a call.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Provider {
    /// Who it is, which decides the format that is spoken and the address, where none is given;
    /// [`ProviderKind::OpenAi`] by default, for every server that speaks the Chat Completions format.
    #[serde(default, rename = "provider")]
    pub kind: ProviderKind,
    /// The address that the format's own path, such as `/chat/completions`, is appended to, such as
    /// `https://api.openai.com/v1` or `http://localhost:11434/v1`; `http` or `https`, with or without a slash at its end,
    /// with a query if need be. That of the provider by default.
    #[serde(default, rename = "baseURL", alias = "baseUrl")]
    pub base_url: String,
    /// The model's name as the provider spells it.
    pub model: String,
    /// The API key, sent in the header that the provider wants it in; none for a local server or for a proxy that adds it.
    #[serde(default)]
    pub api_key: Option<Secret>,
    /// Further headers; one of the API key's name takes its place.
    #[serde(default)]
    pub headers: BTreeMap<String, Secret>,
    /// 0 to 2; 0.3 by default. It is not sent to models that refuse it, nor when it is `None`.
    #[serde(default = "default_temperature")]
    pub temperature: Option<f32>,
    /// The most tokens the model may write in a turn; 2,000 by default, the provider's own limit when `None`.
    #[serde(default = "default_max_tokens")]
    pub max_tokens: Option<u32>,
    /// How much a model may reason before it answers; the provider's own way by default.
    #[serde(default)]
    pub reasoning: Option<ReasoningEffort>,
    /// Whether to ask for token counts in the stream; by default yes, except from Mistral, which refuses to be asked
    /// and sends them anyway.
    #[serde(default)]
    pub stream_usage: Option<bool>,
    /// Whether the provider is told to keep instructions and tools for the next call, where it wants to be told
    /// (Anthropic); yes by default.
    #[serde(default = "yes")]
    pub cache: bool,
    /// How a reply in a given form is asked for.
    #[serde(default)]
    pub structured_output: StructuredOutput,
    /// Further fields of the request's body, which replace those of the same name; null removes one.
    #[serde(default)]
    pub extra_body: Map<String, Value>,
    /// How long the provider may take.
    #[serde(default)]
    pub timeouts: Timeouts,
    /// The most bytes of a response, 64 MiB by default and at most.
    #[serde(default)]
    pub max_response_bytes: Option<usize>,
    /// How failures are retried.
    #[serde(default)]
    pub retry: RetryPolicy,
}

/// How a reply in a given form is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StructuredOutput {
    /// By the provider's own option for JSON Schema and, if it refuses that, by a tool call.
    #[default]
    Auto,
    /// By the provider's own option for JSON Schema.
    Schema,
    /// By a tool whose arguments are the reply, which the model has to call.
    Tool,
}

#[allow(clippy::unnecessary_wraps, reason = "serde wants the field's type")]
pub(super) fn default_temperature() -> Option<f32> {
    Some(0.3)
}

#[allow(clippy::unnecessary_wraps, reason = "serde wants the field's type")]
fn default_max_tokens() -> Option<u32> {
    Some(2000)
}

fn yes() -> bool {
    true
}

impl Provider {
    /// A server of the Chat Completions format at that address, with default settings and no key.
    ///
    /// # Errors
    /// Those of [`Provider::validate`].
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Result<Self> {
        let provider = Self { base_url: base_url.into(), ..Self::blank(ProviderKind::OpenAi, model.into()) };
        // Here an address has to be given; one that is blank is a mistake and no wish for the default.
        split_url(&provider.base_url)?;
        provider.validate()?;
        Ok(provider)
    }

    /// A provider at its own address, with default settings and no key.
    ///
    /// # Errors
    /// Those of [`Provider::validate`].
    pub fn of(kind: ProviderKind, model: impl Into<String>) -> Result<Self> {
        let provider = Self::blank(kind, model.into());
        provider.validate()?;
        Ok(provider)
    }

    fn blank(kind: ProviderKind, model: String) -> Self {
        Self {
            kind,
            base_url: String::new(),
            model,
            api_key: None,
            headers: BTreeMap::new(),
            temperature: default_temperature(),
            max_tokens: default_max_tokens(),
            reasoning: None,
            stream_usage: None,
            cache: true,
            structured_output: StructuredOutput::default(),
            extra_body: Map::new(),
            timeouts: Timeouts::default(),
            max_response_bytes: None,
            retry: RetryPolicy::default(),
        }
    }

    /// The same provider with an API key; an empty one counts as none.
    #[must_use]
    pub fn with_api_key(mut self, key: impl AsRef<str>) -> Self {
        let key = Secret::new(key);
        self.api_key = if key.expose().is_empty() { None } else { Some(key) };
        self
    }

    /// Checks every setting, so that a mistake is reported as what it is and not as a failed request.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] naming the setting; a key or header value is never quoted.
    pub fn validate(&self) -> Result<()> {
        split_url(self.base_url())?;
        if self.model.trim().is_empty() {
            return Err(Error::new(ErrorCode::InvalidOption, "The provider's model has no name.")
                .with_hint("Set model to a name from the provider's list, such as gpt-4o-mini."));
        }
        if self.temperature.is_some_and(|value| !(0.0..=2.0).contains(&value)) {
            return Err(Error::new(ErrorCode::InvalidOption, "The temperature is not between 0 and 2."));
        }
        if self.max_tokens == Some(0) {
            return Err(Error::new(ErrorCode::InvalidOption, "The limit of tokens is 0."));
        }
        if self.max_response_bytes == Some(0) {
            return Err(Error::new(ErrorCode::InvalidOption, "The limit of a response's bytes is 0."));
        }
        self.timeouts.validate()?;
        if self.api_key.as_ref().is_some_and(|key| !is_header("authorization", key.expose())) {
            return Err(Error::new(
                ErrorCode::InvalidOption,
                "The API key holds characters that no key has, such as line breaks or accents.",
            )
            .with_hint("Copy the key again, without the text around it."));
        }
        for (name, value) in &self.headers {
            if !is_header(name, value.expose()) {
                return Err(Error::new(
                    ErrorCode::InvalidOption,
                    format!(
                        "The header {name:?} cannot be sent: its name or value has characters HTTP forbids."
                    ),
                ));
            }
        }
        Ok(())
    }

    /// The format that is spoken.
    pub fn api(&self) -> Api {
        self.kind.api()
    }

    /// The address of the API: the one given, or the provider's own.
    pub fn base_url(&self) -> &str {
        if self.base_url.trim().is_empty() { self.kind.base_url() } else { &self.base_url }
    }

    /// The model that a request is for: its own, or the provider's.
    pub(crate) fn model_of<'a>(&'a self, request: &'a super::ChatRequest) -> &'a str {
        request.model.as_deref().unwrap_or(&self.model).trim()
    }

    /// The address of an endpoint below the base address.
    ///
    /// A base address that already ends in the endpoint's path is taken as it is, because people paste those.
    pub(crate) fn endpoint(&self, path: &str) -> Result<String> {
        let (base, query) = split_url(self.base_url())?;
        let base = base.trim_end_matches('/');
        let base = base.strip_suffix(path).map_or(base, |rest| rest.trim_end_matches('/'));
        Ok(match query {
            Some(query) => format!("{base}/{path}?{query}"),
            None => format!("{base}/{path}"),
        })
    }

    /// The host in lower case, without port.
    pub(crate) fn host(&self) -> String {
        let after = self.base_url().split_once("://").map_or("", |(_, rest)| rest);
        let authority = after.split(['/', '?']).next().unwrap_or_default();
        let host = match authority.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
            _ => authority,
        };
        host.to_ascii_lowercase()
    }
}

/// The address up to the query, and the query.
fn split_url(url: &str) -> Result<(&str, Option<&str>)> {
    url::split(url).map_err(|problem| {
        Error::new(ErrorCode::InvalidOption, format!("The provider's base URL {problem}."))
            .with_hint("Give an address such as https://api.openai.com/v1 or http://localhost:11434/v1.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoint_tolerates_the_usual_spellings() {
        for (base, wanted) in [
            ("https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
            ("https://api.openai.com/v1///", "https://api.openai.com/v1/chat/completions"),
            ("http://localhost:8080", "http://localhost:8080/chat/completions"),
            ("HTTP://[::1]:8080/v1", "HTTP://[::1]:8080/v1/chat/completions"),
            ("https://h/v1/chat/completions", "https://h/v1/chat/completions"),
            (" https://h/v1/chat/completions/ ", "https://h/v1/chat/completions"),
            ("https://h/x?api-version=1", "https://h/x/chat/completions?api-version=1"),
        ] {
            let provider = Provider::new(base, "m").unwrap();
            assert_eq!(provider.endpoint("chat/completions").unwrap(), wanted);
        }
    }

    #[test]
    fn bad_addresses_are_named() {
        for base in [
            "",
            "api.openai.com",
            "ftp://h/v1",
            "https://",
            "https:///v1",
            "http://:80/",
            "https://a b/v1",
            "https://u:p@h/v1",
            "https://h/v1#x",
            "javascript://h",
        ] {
            let error = Provider::new(base, "m").unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidOption, "{base}");
            assert!(error.hint().is_some());
        }
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let good = Provider::new("http://h", "m").unwrap();
        assert_eq!((good.temperature, good.max_tokens), (Some(0.3), Some(2000)));
        assert!(Provider::new("http://h", " ").is_err());
        assert!(Provider { temperature: Some(2.1), ..good.clone() }.validate().is_err());
        assert!(Provider { temperature: Some(f32::NAN), ..good.clone() }.validate().is_err());
        assert!(Provider { max_tokens: Some(0), ..good.clone() }.validate().is_err());
        assert!(good.clone().with_api_key("sk-a\nb").validate().is_err());
        assert!(good.clone().with_api_key("clé").validate().is_err());
        assert!(good.clone().with_api_key("  sk-abc \n").validate().is_ok());
        let headers = BTreeMap::from([("x y".to_owned(), Secret::new("1"))]);
        assert!(Provider { headers, ..good }.validate().is_err());
    }

    #[test]
    fn a_secret_is_not_shown() {
        let provider = Provider::new("http://h", "m").unwrap().with_api_key(" sk-very-secret\n");
        assert_eq!(provider.api_key.as_ref().unwrap().expose(), "sk-very-secret");
        assert!(!format!("{provider:?}").contains("very"));
        assert_eq!(serde_json::to_string(&provider.api_key).unwrap(), "null");
        assert_eq!(provider.with_api_key("").api_key, None);
    }

    #[test]
    fn settings_are_read_with_defaults() {
        let provider: Provider = serde_json::from_str(
            r#"{"baseURL":"http://h/v1","model":"m","apiKey":"k","headers":{"x-a":"b"},"retry":{"maxRetries":0}}"#,
        )
        .unwrap();
        assert_eq!(provider.temperature, Some(0.3));
        assert_eq!(provider.retry.max_retries, 0);
        assert_eq!(provider.api_key.unwrap().expose(), "k");
        assert_eq!(provider.headers["x-a"].expose(), "b");
        assert!(
            serde_json::from_str::<Provider>(r#"{"baseURL":"http://h","model":"m","tempeature":1}"#).is_err()
        );
    }

    #[test]
    fn host_has_no_port() {
        assert_eq!(Provider::new("https://API.Mistral.ai:443/v1", "m").unwrap().host(), "api.mistral.ai");
        assert_eq!(Provider::new("http://[::1]/v1", "m").unwrap().host(), "[::1]");
    }
}
