//! One place that a request goes to: address, key, headers, time limits and retries of whatever service it
//! is.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::json::Fields;
use super::{HttpRequest, RetryPolicy, Secret, url};
use crate::error::{Error, ErrorCode, Result};

/// The longest time limit: a day.
const LONGEST_MS: u64 = 86_400_000;
/// The time until the first piece of a response from another machine.
const FIRST_CHUNK_MS: u64 = 60_000;
/// The most characters of another's message that go into an error.
const MAX_MESSAGE_CHARS: usize = 500;
/// The word that replaces a secret in a quoted message.
const BLOT: &str = "[secret]";

/// The place of a service, and the way it is called.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Endpoint {
    /// The address that paths are appended to, such as `https://api.openai.com/v1` or
    /// `http://localhost:11434`; `http` or `https`, with or without a slash at its end, with a query if need
    /// be. The service's own if it is empty.
    pub base_url: String,
    /// The API key, sent in the header that the service wants it in; none for a local server or for a proxy
    /// that adds it.
    pub api_key: Option<Secret>,
    /// Further headers; one of the name that carries the key replaces it.
    pub headers: BTreeMap<String, Secret>,
    /// The time that the service may take.
    pub timeouts: Timeouts,
    /// The retries of calls that failed.
    pub retry: RetryPolicy,
}

/// The time that a service may take, in milliseconds. A call that takes longer ends as
/// [`ErrorCode::Timeout`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Timeouts {
    /// From the request to the end of the reply; 300,000 by default.
    pub step_ms: u64,
    /// From the request to the first piece of the reply; by default 60,000, and all the time of the step for a
    /// server on this machine, which may have to load a model and reads a prompt slowly. It counts for replies
    /// in pieces only, as the next one does. Comments and pings of a stream are no pieces.
    pub first_chunk_ms: Option<u64>,
    /// Between two pieces of the reply; 60,000 by default.
    pub idle_ms: u64,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { step_ms: 300_000, first_chunk_ms: None, idle_ms: 60_000 }
    }
}

impl Timeouts {
    /// Returns the time for a whole step.
    pub fn step(&self) -> Duration {
        Duration::from_millis(self.step_ms)
    }

    /// Returns the time between two pieces.
    pub fn idle(&self) -> Duration {
        Duration::from_millis(self.idle_ms)
    }
}

impl Endpoint {
    /// Makes a service at its own address, without a key, that may take that long.
    pub fn within(step_ms: u64) -> Self {
        Self { timeouts: Timeouts { step_ms, ..Timeouts::default() }, ..Self::default() }
    }

    /// Returns the same with an API key; an empty one counts as none.
    #[must_use]
    pub fn with_api_key(mut self, key: impl AsRef<str>) -> Self {
        self.api_key = Some(Secret::new(key)).filter(|key| !key.expose().is_empty());
        self
    }

    /// Takes the settings of a service from among the fields of an object; `default` are those that are not
    /// there.
    pub fn take<E: serde::de::Error>(self, fields: &mut Fields) -> Result<Self, E> {
        let mut timeouts = fields.take_or("timeouts", self.timeouts)?;
        timeouts.step_ms = fields.take::<Option<u64>, E>("timeoutMs")?.unwrap_or(timeouts.step_ms);
        let base_url = match fields.take("baseURL")? {
            Some(base_url) => base_url,
            None => fields.take::<Option<String>, E>("baseUrl")?.unwrap_or(self.base_url),
        };
        let key: Option<Secret> = fields.take("apiKey")?;
        Ok(Self {
            base_url,
            api_key: key.filter(|key| !key.expose().is_empty()),
            headers: fields.take_or("headers", self.headers)?,
            timeouts,
            retry: fields.take_or("retry", self.retry)?,
        })
    }

    /// Checks all but the address, so that a mistake is reported as what it is and not as a failed request.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] naming the setting; a key or header value is never quoted.
    pub fn check(&self) -> Result<()> {
        let wrong = |message: String| Err(Error::new(ErrorCode::InvalidOption, message));
        let Timeouts { step_ms, first_chunk_ms, idle_ms } = self.timeouts;
        if ![step_ms, first_chunk_ms.unwrap_or(step_ms), idle_ms]
            .iter()
            .all(|ms| (1..=LONGEST_MS).contains(ms))
        {
            return wrong("A time limit is not between 1 ms and a day.".to_owned());
        }
        if self.api_key.as_ref().is_some_and(|key| !is_header("authorization", key.expose())) {
            return wrong(
                "The API key has characters that keys never have, such as line breaks or accents.".to_owned(),
            )
            .map_err(|error| error.with_hint("Copy the key again, without the text around it."));
        }
        match self.headers.iter().find(|(name, value)| !is_header(name, value.expose())) {
            Some((name, _)) => wrong(format!(
                "The header {name:?} cannot be sent: its name or value has characters HTTP forbids."
            )),
            None => Ok(()),
        }
    }

    /// Returns the address below which the service is: the one given, or its own.
    pub fn base_url<'a>(&'a self, own: &'a str) -> &'a str {
        if self.base_url.trim().is_empty() { own } else { &self.base_url }
    }

    /// Returns the time until the first piece of a response, of a service that is at `own` if no address is given.
    pub fn first_chunk(&self, own: &str) -> Duration {
        let Timeouts { step_ms, first_chunk_ms, .. } = self.timeouts;
        let usual = if url::is_loopback(self.base_url(own)) { step_ms } else { FIRST_CHUNK_MS };
        Duration::from_millis(first_chunk_ms.unwrap_or(usual))
    }

    /// Returns the address of a path below the base address, or below `own` if none is given. `whose` names the
    /// service in the error for what is no address.
    ///
    /// A base address that already ends in the path, or in Ollama's `/api`, is taken as it is, because people
    /// paste those.
    pub fn url(&self, whose: &str, own: &str, path: &str) -> Result<String> {
        let (base, query) = url::split(self.base_url(own)).map_err(|problem| {
            Error::new(ErrorCode::InvalidOption, format!("The {whose}'s base URL {problem}."))
                .with_hint(format!("Use an address such as {own}."))
        })?;
        let base = base.trim_end_matches('/');
        let base = base.strip_suffix(path).and_then(|rest| rest.strip_suffix('/')).unwrap_or(base);
        let base = if path.starts_with("api/") { base.strip_suffix("/api").unwrap_or(base) } else { base };
        let base = base.trim_end_matches('/');
        Ok(query.map_or_else(|| format!("{base}/{path}"), |query| format!("{base}/{path}?{query}")))
    }

    /// Returns a request to that address, with the key in the header of that name and a body of JSON, if there is
    /// one.
    pub fn request(
        &self,
        method: &'static str,
        url: String,
        key_header: &str,
        further: &[(&str, &str)],
        body: Vec<u8>,
    ) -> HttpRequest {
        let content = (!body.is_empty()).then_some(("content-type", "application/json"));
        let known = content.iter().chain(further);
        let mut headers: Vec<(String, String)> =
            known.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        if let Some(key) = self.api_key.as_ref().filter(|key| !key.expose().is_empty()) {
            let scheme = if key_header == "authorization" { "Bearer " } else { "" };
            headers.push((key_header.to_owned(), format!("{scheme}{}", key.expose())));
        }
        for (name, value) in &self.headers {
            let name = name.to_ascii_lowercase();
            headers.retain(|(other, _)| *other != name);
            headers.push((name, value.expose().to_owned()));
        }
        HttpRequest { method, url, headers, body }
    }

    /// True if anything is sent that may be a key.
    pub fn has_key(&self) -> bool {
        self.api_key.is_some() || !self.headers.is_empty()
    }

    /// Makes a service's words fit to be quoted: one line, bounded, without the key and the header values
    /// that were sent to it.
    pub fn quote(&self, message: &str) -> String {
        let mut message = message.to_owned();
        if let Some(key) = self.api_key.as_ref().map(Secret::expose).filter(|key| key.len() >= 4) {
            message = message.replace(key, BLOT);
            // Servers like to echo a key with its middle starred out; the ends of a key are nobody's business
            // either.
            if let Some(start) = key.get(..6).filter(|start| key.len() >= 12 && !BLOT.contains(start)) {
                while let Some(at) = message.find(start) {
                    let end =
                        message[at..].find([' ', '"', '\'', ',', '\n']).map_or(message.len(), |len| at + len);
                    message.replace_range(at..end, BLOT);
                }
            }
        }
        for value in self.headers.values().map(Secret::expose) {
            // The part behind a scheme name such as `Bearer` is a secret too. Short values are none.
            let bare = value.rsplit(' ').next().unwrap_or(value);
            for secret in [value, bare].into_iter().filter(|secret| secret.len() >= 8) {
                message = message.replace(secret, BLOT);
            }
        }
        let words = message.split(|c: char| c.is_whitespace() || c.is_control());
        let mut line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        if let Some((end, _)) = line.char_indices().nth(MAX_MESSAGE_CHARS) {
            line.truncate(end);
            line.push('…');
        }
        line
    }
}

/// Returns the JSON of a request's body.
pub fn body(value: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| {
        Error::new(ErrorCode::Internal, format!("The request could not be written as JSON: {error}."))
    })
}

/// Returns the error for a response that is not what the service's documentation says.
pub fn strange(name: &str, what: &str) -> Error {
    Error::new(ErrorCode::ProviderProtocol, format!("{name} answered unexpectedly: {what}."))
}

/// True if HTTP allows a header of that name and value. An API key is such a value.
fn is_header(name: &str, value: &str) -> bool {
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    let is_value = |b: u8| b == b'\t' || (b' '..=b'~').contains(&b);
    !name.is_empty() && name.bytes().all(is_name) && value.bytes().all(is_value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(base_url: &str) -> Endpoint {
        Endpoint { base_url: base_url.to_owned(), ..Endpoint::default() }
    }

    #[test]
    fn addresses_tolerate_the_usual_spellings() {
        let own = "https://api.openai.com/v1";
        for (base, path, wanted) in [
            ("", "chat/completions", "https://api.openai.com/v1/chat/completions"),
            ("https://api.openai.com/v1///", "embeddings", "https://api.openai.com/v1/embeddings"),
            ("http://localhost:8080", "rerank", "http://localhost:8080/rerank"),
            ("HTTP://[::1]:8080/v1", "rerank", "HTTP://[::1]:8080/v1/rerank"),
            ("https://h/v1/chat/completions", "chat/completions", "https://h/v1/chat/completions"),
            (" https://h/v1/chat/completions/ ", "chat/completions", "https://h/v1/chat/completions"),
            ("https://h/x?api-version=1", "embeddings", "https://h/x/embeddings?api-version=1"),
            ("http://h:11434/api/", "api/chat", "http://h:11434/api/chat"),
            ("http://h:11434/api/embed", "api/embed", "http://h:11434/api/embed"),
            ("http://h/prerank", "rerank", "http://h/prerank/rerank"),
        ] {
            assert_eq!(at(base).url("provider", own, path).unwrap(), wanted);
        }
    }

    #[test]
    fn a_server_on_this_machine_has_all_the_time_of_the_step() {
        for (base, seconds) in [
            ("", 60),
            ("http://localhost:8080/v1", 300),
            ("HTTP://LOCALHOST", 300),
            ("http://llm.localhost/v1", 300),
            ("http://127.0.0.1:1234", 300),
            ("http://127.1.2.3/v1", 300),
            ("http://[::1]:8080", 300),
            ("http://127.example.com", 60),
            ("http://notlocalhost", 60),
            ("http://192.168.0.2:11434", 60),
        ] {
            assert_eq!(at(base).first_chunk("https://own").as_secs(), seconds, "{base}");
        }
        assert_eq!(at("").first_chunk("http://localhost:11434").as_secs(), 300);
        let timeouts = Timeouts { first_chunk_ms: Some(7), ..Timeouts::default() };
        let told = Endpoint { timeouts, ..at("http://localhost") };
        assert_eq!(told.first_chunk("https://own").as_millis(), 7);
    }

    #[test]
    fn bad_addresses_are_named() {
        for base in [
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
            let error = at(base).url("reranker", "https://own", "rerank").unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidOption, "{base}");
            assert!(error.message().starts_with("The reranker's base URL "), "{error}");
            assert_eq!(error.hint(), Some("Use an address such as https://own."));
        }
    }

    #[test]
    fn what_cannot_be_sent_is_refused_without_being_shown() {
        let key = "key-0123456789";
        let with = |key: &str| Endpoint::default().with_api_key(key);
        let header = |name: &str, value: &str| Endpoint {
            headers: [(name.to_owned(), Secret::new(value))].into(),
            ..Endpoint::default()
        };
        assert!(with(&format!("  {key} \n")).check().is_ok() && header("x-a", key).check().is_ok());
        assert_eq!(with(" ").api_key, None);
        for wrong in
            [with(&format!("{key}\nx")), with(&format!("{key}é")), header("x y", key), Endpoint::within(0)]
        {
            let error = wrong.check().unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidOption);
            assert!(!format!("{error} {wrong:?}").contains(key), "{error}");
        }
        assert_eq!(serde_json::to_string(&with(key).api_key).unwrap(), "null");
    }

    #[test]
    fn a_header_of_the_same_name_replaces_what_would_be_sent() {
        let mut endpoint = Endpoint::default().with_api_key("key-1234");
        let sent = |endpoint: &Endpoint, name| {
            let url = "https://h/".to_owned();
            endpoint.request("POST", url, name, &[("accept", "text/event-stream")], b"{}".to_vec()).headers
        };
        let own = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(sent(&endpoint, "authorization")[2], own("authorization", "Bearer key-1234"));
        assert_eq!(sent(&endpoint, "api-key")[2], own("api-key", "key-1234"));
        endpoint.headers = [("Authorization", "Basic x"), ("Accept", "*/*")]
            .map(|(name, value)| (name.to_owned(), Secret::new(value)))
            .into();
        assert_eq!(
            sent(&endpoint, "authorization"),
            [own("content-type", "application/json"), own("accept", "*/*"), own("authorization", "Basic x")]
        );
        let bare = Endpoint::default().request("GET", String::new(), "api-key", &[], Vec::new());
        assert!(bare.headers.is_empty(), "no body has no type");
    }
}
