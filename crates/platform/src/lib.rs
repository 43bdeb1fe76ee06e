//! Defines the traits through which ibid's crates reach the outside, and shares errors, JSON and sorting, each compiled
//! once.
//!
//! A page implements [`Http`] and [`Clock`] with `fetch` and timers, the command with threads that block, tests with
//! scripts (`script`, by the feature `testing`). No other crate reaches the network or reads the time, so every run can
//! be replayed.

pub mod calendar;
pub mod call;
pub mod case;
mod checksum;
pub mod endpoint;
mod error;
mod float;
mod http_date;
pub mod json;
mod named;
mod normalize;
pub mod order;
pub mod part;
mod provider;
pub mod ranges;
pub mod report;
mod retry;
#[cfg(all(any(test, feature = "testing"), not(target_arch = "wasm32")))]
pub mod script;
mod secret;
pub mod surrogate;
mod units;
pub mod url;
pub mod wait;

use std::time::Duration;

pub use checksum::checksum;
pub use endpoint::{Endpoint, Timeouts};
pub use error::{Error, ErrorCode, Result};
pub use float::parse_float;
pub use normalize::{normalize, normalize_compatible};
pub use provider::{Api, EmbeddingApi, EmbeddingRow, PROVIDERS, ProviderKind, ProviderRow, RerankingRow};
pub use retry::RetryPolicy;
pub use secret::Secret;
pub use units::Units;

/// A request to be sent, complete and independent of who sends it.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// The method in capitals, such as `POST`.
    pub method: &'static str,
    /// The absolute address.
    pub url: String,
    /// Header names in lower case, with their values.
    pub headers: Vec<(String, String)>,
    /// The body's bytes; empty for none.
    pub body: Vec<u8>,
}

/// A response whose head has arrived and whose body is still to be read.
pub struct HttpResponse<B> {
    /// The status code, such as 200.
    pub status: u16,
    /// Header names in lower case, with their values.
    pub headers: Vec<(String, String)>,
    /// The body, to be read in pieces.
    pub body: B,
}

impl<B> HttpResponse<B> {
    /// Returns the first value of the header of that name (in lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// A response body that arrives in pieces of any size.
#[allow(
    async_fn_in_trait,
    reason = "futures here run on one thread: a page's event loop or a blocking command"
)]
pub trait HttpBody {
    /// The next piece, or `None` at the end. A broken connection is [`crate::ErrorCode::Network`], an abort
    /// [`crate::ErrorCode::Aborted`].
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>>;
}

/// Sends requests.
#[allow(
    async_fn_in_trait,
    reason = "futures here run on one thread: a page's event loop or a blocking command"
)]
pub trait Http {
    /// The body type of this implementation's responses.
    type Body: HttpBody;

    /// Sends the request and returns when the response's head is there, whatever its status.
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse<Self::Body>>;
}

/// Waits, and tells the time.
#[allow(
    async_fn_in_trait,
    reason = "futures here run on one thread: a page's event loop or a blocking command"
)]
pub trait Clock {
    /// Returns after the given time, or with [`crate::ErrorCode::Aborted`] when the caller gives up before.
    async fn sleep(&self, duration: Duration) -> Result<()>;

    /// The time in milliseconds since the beginning of 1970 (UTC), with fractions where the platform has them.
    fn now(&self) -> f64;

    /// A number from 0 to 1, by which waits before a retry differ from one client to the next.
    fn jitter(&self) -> f64 {
        let mut byte = [0];
        getrandom::getrandom(&mut byte).map_or(0.0, |()| f64::from(byte[0]) / 255.0)
    }
}

impl std::fmt::Debug for HttpRequest {
    /// Header values and body are left out: they may hold a key or a person's question.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("HttpRequest")
            .field("method", &self.method)
            .field("url", &self.url)
            .field("headers", &names)
            .field("body_bytes", &self.body.len())
            .finish()
    }
}

/// Sixteen letters and digits that nobody can guess, to mark where text from documents begins and ends.
pub fn nonce() -> Result<String> {
    let mut bytes = [0; 8];
    getrandom::getrandom(&mut bytes)
        .map_err(|error| Error::new(ErrorCode::Internal, format!("There is no randomness here: {error}.")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat())
}
