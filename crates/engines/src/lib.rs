//! Outgrowing the page: the same chunks in a search engine, and the same queries to it.
//!
//! [`push`] loads an index into a collection of Qdrant or Chroma, and [`RemoteCollection`] searches it with a
//! [`Query`](super::Query) to a [`Response`](super::Response). Both do their work through [`Http`],
//! so that the same code runs in the page and natively. `qdrant` and `chroma` are pure codecs: they make requests and
//! read responses, and know no network.
//!
//! `docs/engines.md` says what is the same on each engine and what differs. The wire formats are those of
//! [Qdrant](https://api.qdrant.tech/api-reference) from version 1.10 on, and of
//! [Chroma](https://docs.trychroma.com/reference) from version 1.0 on (`/api/v2`).

mod address;
mod chroma;
mod collection;
mod description;
mod frequent;
mod point;
mod push;
mod qdrant;
mod rank;
mod rerank;
mod terms;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

pub use address::EngineKind;
pub use collection::{RemoteCollection, RemoteSearch};
pub use description::Description;
pub use frequent::Frequent;
pub use push::{MAX_BATCH, PushOptions, PushReport, push};
pub use rerank::{RemoteReranker, RerankerKind, RerankerOptions};

use ibid_platform::call::{Service, call};
use ibid_platform::secret::is_header;
use ibid_platform::{Clock, Http, HttpRequest, RetryPolicy, Secret};
use ibid_platform::{Error, ErrorCode, Result};

/// Where a collection is, as a page or a command names it: `{ "qdrant": "https://host:6333", "collection": "big" }`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RemoteOptions {
    /// The address of a Qdrant: `https://HOST:PORT`, `https://HOST:PORT/collections/NAME`, or as
    /// [`RemoteOptions::of_target`] takes it.
    #[serde(default)]
    pub qdrant: Option<String>,
    /// The address of a Chroma, likewise.
    #[serde(default)]
    pub chroma: Option<String>,
    /// The collection's name, unless the address has it.
    #[serde(default)]
    pub collection: Option<String>,
    /// Chroma's tenant; `default_tenant` by default.
    #[serde(default)]
    pub tenant: Option<String>,
    /// Chroma's database; `default_database` by default.
    #[serde(default)]
    pub database: Option<String>,
    /// The API key: sent to Qdrant as `api-key`, to Chroma as `x-chroma-token`.
    #[serde(default)]
    pub api_key: Option<Secret>,
    /// Further headers, such as `authorization` for a proxy.
    #[serde(default)]
    pub headers: BTreeMap<String, Secret>,
    /// How long an answer may take in milliseconds; 30,000 by default.
    #[serde(default)]
    pub timeout_ms: Option<u32>,
    /// How failures are retried.
    #[serde(default)]
    pub retry: RetryPolicy,
}

impl RemoteOptions {
    /// The collection that an address such as `qdrant://localhost/big` names: `qdrant://HOST[:PORT]/COLLECTION`,
    /// `qdrants://` and `chromas://` for TLS, `chroma://HOST[:PORT]/COLLECTION[?tenant=T&database=D]`. The ports are 6333
    /// and 8000 by default.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] for anything else.
    pub fn of_target(target: &str) -> Result<Self> {
        let scheme = target.trim().split("://").next().unwrap_or_default();
        let target = Some(target.trim().to_owned());
        match scheme {
            "qdrant" | "qdrants" => Ok(Self { qdrant: target, ..Self::default() }),
            "chroma" | "chromas" => Ok(Self { chroma: target, ..Self::default() }),
            _ => Err(Error::new(ErrorCode::InvalidOption, "The target is no address of a search engine.")
                .with_hint("Give it as qdrant://HOST/COLLECTION or chroma://HOST/COLLECTION.")),
        }
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] naming the setting; a key or header value is never quoted.
    pub fn remote(&self) -> Result<Remote> {
        let place = address::Place::of(self)?;
        let key = self.api_key.clone().filter(|key| !key.expose().is_empty());
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value));
        let wrong = headers.chain(key.iter().map(|key| ("api-key", key)));
        for (name, value) in wrong {
            if !is_header(name, value.expose()) {
                let message = format!("`{name}` cannot be sent: HTTP forbids some of its characters.");
                return Err(Error::new(ErrorCode::InvalidOption, message)
                    .with_hint("Copy the key again, without the text around it."));
            }
        }
        Ok(Remote {
            place,
            api_key: key,
            headers: self.headers.clone(),
            retry: self.retry,
            timeout: Duration::from_millis(u64::from(self.timeout_ms.unwrap_or(30_000).max(1))),
        })
    }
}

/// A collection of a search engine: where it is and how it is called.
#[derive(Clone, Debug, PartialEq)]
pub struct Remote {
    place: address::Place,
    api_key: Option<Secret>,
    headers: BTreeMap<String, Secret>,
    retry: RetryPolicy,
    timeout: Duration,
}

impl Remote {
    /// The engine.
    pub fn kind(&self) -> EngineKind {
        self.place.kind
    }

    /// The collection's name.
    pub fn collection(&self) -> &str {
        &self.place.collection
    }

    /// A request to an address below the engine's, with a body as JSON if there is one.
    fn request(&self, method: &'static str, path: &str, body: Option<Vec<u8>>) -> HttpRequest {
        let mut headers = Vec::new();
        if body.is_some() {
            headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
        if let Some(key) = &self.api_key {
            let name = match self.place.kind {
                EngineKind::Qdrant => "api-key",
                EngineKind::Chroma => "x-chroma-token",
            };
            headers.push((name.to_owned(), key.expose().to_owned()));
        }
        let own = self.headers.iter().map(|(name, value)| (name.to_lowercase(), value.expose().to_owned()));
        headers.extend(own);
        HttpRequest {
            method,
            url: format!("{}{path}", self.place.base),
            headers,
            body: body.unwrap_or_default(),
        }
    }

    async fn send<H: Http, C: Clock>(&self, http: &H, clock: &C, request: &HttpRequest) -> Result<Value> {
        let service = Service {
            name: self.place.kind.name(),
            api_key: self.api_key.as_ref(),
            headers: &self.headers,
            retry: self.retry,
            timeout: self.timeout,
        };
        let body = call(http, clock, &service, request).await?;
        serde_json::from_slice(&body).map_err(|_| self.strange("its response is no JSON"))
    }

    /// As [`Self::send`], with `None` where there is no such thing.
    async fn find<H: Http, C: Clock>(
        &self,
        http: &H,
        clock: &C,
        request: &HttpRequest,
    ) -> Result<Option<Value>> {
        match self.send(http, clock, request).await {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.code() == ErrorCode::ProviderNotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The error for a response that is not what the engine's documentation says.
    fn strange(&self, what: &str) -> Error {
        let name = self.place.kind.name();
        Error::new(ErrorCode::ProviderProtocol, format!("{name} answered unexpectedly: {what}."))
            .with_hint(format!("Check that {name} is what answers at {}.", self.place.base))
    }

    /// The error for a collection that is not there.
    fn no_collection(&self) -> Error {
        let (name, collection) = (self.place.kind.name(), self.collection());
        Error::new(ErrorCode::ProviderNotFound, format!("{name} has no collection `{collection}`."))
            .with_hint("Load an index into it by `ibid push INDEX --to ...`, or check its name.")
    }
}

/// The JSON of a request's body.
fn body(value: &impl serde::Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| Error::new(ErrorCode::Internal, error.to_string()))
}
