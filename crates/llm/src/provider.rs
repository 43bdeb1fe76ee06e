//! A provider of models, with the settings of a call.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use ibid_platform::json::Fields;
use ibid_platform::{Api, Endpoint, ProviderKind, ProviderRow};
use ibid_platform::{Error, ErrorCode, Result};

/// The temperature where nobody says another.
pub(super) const TEMPERATURE: Option<f32> = Some(0.3);

/// A provider of models, with the settings of a call.
///
/// Its form in JSON has the endpoint's settings next to the others: `{provider, baseURL, apiKey, headers,
/// timeouts, retry, model, ...}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Provider {
    /// The provider, which decides the format that is spoken and the address, if none is given;
    /// [`ProviderKind::OpenAi`] by default, for every server that speaks the Chat Completions format.
    pub kind: ProviderKind,
    /// The way to it; the provider's own address by default.
    pub endpoint: Endpoint,
    /// The model's name as the provider spells it.
    pub model: String,
    /// 0 to 2; 0.3 by default. It is not sent to models that refuse it, nor when it is `None`.
    pub temperature: Option<f32>,
    /// The share of likelihood that words are drawn from, 0 to 1; the provider's own by default, as for the next three.
    /// What a format has no place for is not sent.
    pub top_p: Option<f32>,
    /// The number of words that the next is drawn from.
    pub top_k: Option<u32>,
    /// Texts at which the model stops.
    pub stop: Vec<String>,
    /// A number by which the same request gets the same reply, as far as the provider can.
    pub seed: Option<i64>,
    /// The most tokens the model may write in a turn; 2,000 by default, the provider's own limit when `None`.
    pub max_tokens: Option<u32>,
    /// The effort of reasoning before an answer; the provider's own way by default.
    pub reasoning: Option<ReasoningEffort>,
    /// True to tell the provider to keep instructions and tools for the next call, where it wants to be told
    /// (Anthropic); yes by default.
    pub cache: bool,
    /// Further fields of the request's body, which replace those of the same name; null removes one.
    pub extra_body: Map<String, Value>,
}

/// The effort of reasoning before an answer, as far as a model can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReasoningEffort {
    /// As little as the model allows; not at all if it can be switched off.
    None,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}

impl ReasoningEffort {
    /// Looks up the word that most formats have for it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl<'de> Deserialize<'de> for Provider {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Fields::deserialize(deserializer)?;
        let of = Self::blank(fields.take_or("provider", ProviderKind::default())?, fields.take("model")?);
        let provider = Self {
            kind: of.kind,
            endpoint: of.endpoint.take(&mut fields)?,
            model: of.model,
            temperature: fields.take_or("temperature", of.temperature)?,
            top_p: fields.take("topP")?,
            top_k: fields.take("topK")?,
            stop: fields.take_or("stop", of.stop)?,
            seed: fields.take("seed")?,
            max_tokens: fields.take_or("maxTokens", of.max_tokens)?,
            reasoning: fields.take("reasoning")?,
            cache: fields.take_or("cache", of.cache)?,
            extra_body: fields.take_or("extraBody", of.extra_body)?,
        };
        fields.none_left()?;
        Ok(provider)
    }
}

impl Provider {
    /// Makes a server of the Chat Completions format at that address, with default settings and no key.
    ///
    /// # Errors
    /// Those of [`Provider::validate`].
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Result<Self> {
        let mut provider = Self::blank(ProviderKind::OpenAi, model.into());
        provider.endpoint.base_url = base_url.into();
        // Here an address has to be given; one that is blank is a mistake and no wish for the default.
        if provider.endpoint.base_url.trim().is_empty() {
            return Err(Error::new(ErrorCode::InvalidOption, "The provider's base URL is empty.").with_hint(
                "Use an address such as https://api.openai.com/v1 or http://localhost:11434/v1.",
            ));
        }
        provider.validate()?;
        Ok(provider)
    }

    /// Makes a provider at its own address, with default settings and no key.
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
            endpoint: Endpoint::default(),
            model,
            temperature: TEMPERATURE,
            top_p: None,
            top_k: None,
            stop: Vec::new(),
            seed: None,
            max_tokens: Some(2000),
            reasoning: None,
            cache: true,
            extra_body: Map::new(),
        }
    }

    /// Returns the same provider with an API key; an empty one counts as none.
    #[must_use]
    pub fn with_api_key(self, key: impl AsRef<str>) -> Self {
        Self { endpoint: self.endpoint.with_api_key(key), ..self }
    }

    /// Checks every setting, so that a mistake is reported as what it is and not as a failed request.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] naming the setting; a key or header value is never quoted.
    pub fn validate(&self) -> Result<()> {
        let wrong = |message: String| Err(Error::new(ErrorCode::InvalidOption, message));
        let row = self.kind.row();
        if row.api.is_none() {
            return wrong(format!("{} has no models that answer.", row.name));
        }
        self.url("")?;
        self.endpoint.check()?;
        if self.model.trim().is_empty() {
            return wrong("The provider's model has no name.".to_owned()).map_err(|error| {
                error.with_hint("Set model to a name from the provider's list, such as gpt-4o-mini.")
            });
        }
        if self.temperature.is_some_and(|value| !(0.0..=2.0).contains(&value)) {
            return wrong("The temperature is not between 0 and 2.".to_owned());
        }
        if self.top_p.is_some_and(|value| !(0.0..=1.0).contains(&value)) {
            return wrong("topP is not between 0 and 1.".to_owned());
        }
        if self.top_k == Some(0) || self.stop.iter().any(String::is_empty) {
            return wrong("topK is 0, or a stop text is empty.".to_owned());
        }
        if self.max_tokens == Some(0) {
            return wrong("The limit of tokens is 0.".to_owned());
        }
        Ok(())
    }

    /// The format that is spoken.
    pub(crate) fn api(&self) -> Api {
        self.kind.row().api.unwrap_or(Api::ChatCompletions)
    }

    /// The model that a request is for: its own, or the provider's.
    pub(crate) fn model_of<'a>(&'a self, request: &'a super::ChatRequest) -> &'a str {
        request.model.as_deref().unwrap_or(&self.model).trim()
    }

    /// Joins the address of a path below the base address.
    pub(crate) fn url(&self, path: &str) -> Result<String> {
        self.endpoint.url("provider", self.kind.row().base_url, path)
    }

    /// Looks up the row of the server: that of its kind, or of the provider known to be at a compatible server's
    /// address.
    pub(super) fn row(&self) -> &'static ProviderRow {
        let own = self.kind.row();
        let there = ProviderRow::at(self.endpoint.base_url(own.base_url));
        there.filter(|there| there.api == own.api).unwrap_or(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_to_be_given_where_nobody_is_named() {
        for base in ["", " ", "ftp://h/v1"] {
            let error = Provider::new(base, "m").unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidOption, "{base}");
            assert!(error.message().starts_with("The provider's base URL ") && error.hint().is_some());
        }
        assert!(Provider::of(ProviderKind::Voyage, "m").is_err(), "it has no chat");
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let good = Provider::new("http://h", "m").unwrap();
        assert_eq!((good.temperature, good.max_tokens), (Some(0.3), Some(2000)));
        assert!(Provider::new("http://h", " ").is_err());
        assert!(Provider { temperature: Some(2.1), ..good.clone() }.validate().is_err());
        assert!(Provider { temperature: Some(f32::NAN), ..good.clone() }.validate().is_err());
        assert!(Provider { top_p: Some(1.1), ..good.clone() }.validate().is_err());
        assert!(Provider { top_k: Some(0), ..good.clone() }.validate().is_err());
        assert!(Provider { stop: vec![String::new()], ..good.clone() }.validate().is_err());
        assert!(Provider { max_tokens: Some(0), ..good.clone() }.validate().is_err());
        assert!(good.clone().with_api_key("sk-a\nb").validate().is_err());
        assert!(good.with_api_key("  sk-abc \n").validate().is_ok());
    }

    #[test]
    fn settings_are_read_with_defaults() {
        let provider: Provider = serde_json::from_str(
            r#"{"baseURL":"http://h/v1","model":"m","apiKey":"k","headers":{"x-a":"b"},"retry":{"maxRetries":0},
                "timeouts":{"idleMs":5},"maxTokens":null}"#,
        )
        .unwrap();
        let Endpoint { base_url, api_key, headers, timeouts, retry } = provider.endpoint;
        assert_eq!((base_url.as_str(), provider.temperature), ("http://h/v1", Some(0.3)));
        assert_eq!((retry.max_retries, timeouts.idle_ms, timeouts.step_ms), (0, 5, 300_000));
        assert_eq!(
            (api_key.unwrap().expose(), headers["x-a"].expose(), provider.max_tokens),
            ("k", "b", None)
        );
        for wrong in [r#"{"baseURL":"http://h"}"#, r#"{"model":"m","tempeature":1}"#, r#"{"model":1}"#] {
            assert!(serde_json::from_str::<Provider>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_known_address_says_who_is_there() {
        let row = |base: &str| Provider::new(base, "m").unwrap().row().kind;
        assert_eq!(row("https://API.Mistral.ai:443/v1"), ProviderKind::Mistral);
        assert_eq!(row("https://codestral.mistral.ai/v1"), ProviderKind::Mistral);
        for other in ["http://[::1]/v1", "http://localhost:11434/v1", "https://notmistral.ai/v1", "https://h"]
        {
            assert_eq!(row(other), ProviderKind::OpenAi, "{other}");
        }
    }
}
