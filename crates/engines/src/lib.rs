//! Searches collections in Qdrant and Chroma with ibid's queries and filters, and reranks by services.
//!
//! [`push`] loads an index into a collection of Qdrant or Chroma, and [`RemoteCollection`] searches it with a
//! `Query` to a `Response`. Both do their work through [`Http`], so that
//! the same code runs in the page and natively. `qdrant` and `chroma` are pure codecs: they make requests and
//! read responses, and know no network.
//!
//! `docs/large-collections.md` says how the engines differ. The wire formats are those of
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

use serde::{Deserialize, Deserializer};
use serde_json::Value;

pub use address::EngineKind;
pub use collection::{RemoteCollection, RemoteSearch};
pub use description::Description;
pub use frequent::Frequent;
pub use push::{PushOptions, PushReport, push};
pub use rerank::{RemoteReranker, RerankerOptions};

use ibid_platform::call::call;
use ibid_platform::endpoint::strange;
use ibid_platform::json::Fields;
use ibid_platform::{Clock, Endpoint, Http, HttpRequest};
use ibid_platform::{Error, ErrorCode, Result};

/// A collection to be searched, and the way its engine is called.
///
/// In JSON the engine's name has its address, and the endpoint's settings are next to the others:
/// `{ "qdrant": "https://host:6333", "collection": "big", "apiKey": "..." }`.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoteOptions {
    /// The engine.
    pub engine: EngineKind,
    /// The engine's address: `https://HOST:PORT`, `https://HOST:PORT/collections/NAME`, or as
    /// [`RemoteOptions::of_target`] takes it; key, headers and retries. An answer may take 30,000
    /// milliseconds by default.
    pub endpoint: Endpoint,
    /// The collection's name, unless the address has it.
    pub collection: Option<String>,
    /// Chroma's tenant; `default_tenant` by default.
    pub tenant: Option<String>,
    /// Chroma's database; `default_database` by default.
    pub database: Option<String>,
}

impl<'de> Deserialize<'de> for RemoteOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Fields::deserialize(deserializer)?;
        let of = match (fields.take("qdrant")?, fields.take("chroma")?) {
            (Some(address), None) => Self::new(EngineKind::Qdrant, address),
            (None, Some(address)) => Self::new(EngineKind::Chroma, address),
            _ => {
                return Err(serde::de::Error::custom(
                    "one engine has to be named, by `qdrant` or by `chroma`",
                ));
            }
        };
        let options = Self {
            endpoint: of.endpoint.take(&mut fields)?,
            collection: fields.take("collection")?,
            tenant: fields.take("tenant")?,
            database: fields.take("database")?,
            ..of
        };
        fields.none_left()?;
        Ok(options)
    }
}

impl RemoteOptions {
    /// Makes an engine at that address, with everything else as it is by default.
    pub(crate) fn new(engine: EngineKind, address: String) -> Self {
        let endpoint = Endpoint { base_url: address, ..Endpoint::within(30_000) };
        Self { engine, endpoint, collection: None, tenant: None, database: None }
    }

    /// Returns the collection that an address such as `qdrant://localhost/big` names:
    /// `qdrant://HOST[:PORT]/COLLECTION`, `qdrants://` and `chromas://` for TLS,
    /// `chroma://HOST[:PORT]/COLLECTION[?tenant=T&database=D]`. The ports are 6333 and 8000 by
    /// default, and those of HTTP before a path.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] for anything else.
    pub fn of_target(target: &str) -> Result<Self> {
        let scheme = target.trim().split("://").next().unwrap_or_default();
        let engine = match scheme {
            "qdrant" | "qdrants" => EngineKind::Qdrant,
            "chroma" | "chromas" => EngineKind::Chroma,
            _ => {
                return Err(Error::new(
                    ErrorCode::InvalidOption,
                    "The target is not the address of a search engine.",
                )
                .with_hint("Write qdrant://HOST/COLLECTION or chroma://HOST/COLLECTION."));
            }
        };
        Ok(Self::new(engine, target.trim().to_owned()))
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] naming the setting; a key or header value is never quoted.
    pub fn remote(&self) -> Result<Remote> {
        self.endpoint.check()?;
        address::remote(self)
    }
}

/// A collection of a search engine: where it is and how it is called.
#[derive(Clone, Debug, PartialEq)]
pub struct Remote {
    engine: EngineKind,
    collection: String,
    /// Its address is the one that paths are appended to, without a slash at its end. Chroma's goes as far as
    /// its database.
    endpoint: Endpoint,
}

impl Remote {
    /// The engine.
    pub(crate) fn kind(&self) -> EngineKind {
        self.engine
    }

    /// Returns the collection's name.
    pub fn collection(&self) -> &str {
        &self.collection
    }

    /// Makes a request to an address below the engine's, with a body as JSON if there is one.
    fn request(&self, method: &'static str, path: &str, body: Option<Vec<u8>>) -> HttpRequest {
        let url = format!("{}{path}", self.endpoint.base_url);
        self.endpoint.request(method, url, self.engine.key_header(), &[], body.unwrap_or_default())
    }

    async fn send<H: Http, C: Clock>(&self, http: &H, clock: &C, request: &HttpRequest) -> Result<Value> {
        let name = self.engine.as_str();
        let body = call(http, clock, name, &self.endpoint, request).await?;
        serde_json::from_slice(&body).map_err(|_| {
            strange(name, "its response is not JSON")
                .with_hint(format!("Check that {name} runs at {}.", self.endpoint.base_url))
        })
    }

    /// As [`Self::send`], with `None` if there is no such thing.
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

    /// Makes the error for a collection that is not there.
    fn no_collection(&self) -> Error {
        let (name, collection) = (self.engine.as_str(), self.collection());
        Error::new(ErrorCode::ProviderNotFound, format!("{name} has no collection `{collection}`."))
            .with_hint("Load an index into it with `ibid push INDEX --to ...`, or check its name.")
    }
}
