//! HTTP natively, by a blocking client: each future is ready when it is first polled.

use std::io::Read;
use std::time::Duration;

use crate::error::{Error, ErrorCode, Result};
use crate::llm::Timeouts;
use crate::platform::{Http, HttpBody, HttpRequest, HttpResponse};

/// Bytes read from a response at a time.
const PIECE: usize = 16 * 1024;
/// How long a server of files may take to be reached, to answer, and between two pieces of a file.
const PATIENCE: Duration = Duration::from_mins(1);

/// Sends requests with `ureq`.
pub(super) struct NativeHttp(ureq::Agent);

impl NativeHttp {
    pub(super) fn new() -> Self {
        // A status such as 429 is an answer here, which the caller reads, and not a failure to connect.
        Self(ureq::Agent::config_builder().http_status_as_error(false).build().into())
    }

    /// For models: a provider that falls silent is given up. A blocking client cannot be interrupted by a clock, so it has the
    /// limits itself.
    pub(super) fn for_models(timeouts: &Timeouts) -> Self {
        let ms = |ms| Some(Duration::from_millis(ms));
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(ms(timeouts.step_ms))
            .timeout_connect(ms(timeouts.first_chunk_ms))
            .timeout_recv_response(ms(timeouts.first_chunk_ms))
            .timeout_per_read(ms(timeouts.idle_ms));
        Self(config.build().into())
    }

    /// For files: introduces itself, and gives up on a server that falls silent.
    pub(super) fn for_files(https_only: bool) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .https_only(https_only)
            .user_agent(concat!("ibid/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(PATIENCE))
            .timeout_recv_response(Some(PATIENCE))
            .timeout_per_read(Some(PATIENCE));
        Self(config.build().into())
    }
}

impl Http for NativeHttp {
    type Body = NativeBody;

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse<NativeBody>> {
        let mut builder = ureq::http::Request::builder().method(request.method).uri(&request.url);
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        let ready = builder.body(request.body).map_err(|error| {
            // The error does not repeat the header's value, which may be a key.
            Error::new(ErrorCode::InvalidOption, format!("This request cannot be sent: {error}."))
        })?;
        let response = self.0.run(ready).map_err(|error| broken(&error))?;
        let (head, body) = response.into_parts();
        let text = |(name, value): (&ureq::http::HeaderName, &ureq::http::HeaderValue)| {
            Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
        };
        let headers = head.headers.iter().filter_map(text).collect();
        Ok(HttpResponse {
            status: head.status.as_u16(),
            headers,
            body: NativeBody(Box::new(body.into_reader())),
        })
    }
}

/// A response body that is read from the connection as it is asked for.
pub(super) struct NativeBody(Box<dyn Read>);

impl HttpBody for NativeBody {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>> {
        let mut piece = vec![0; PIECE];
        let length = self.0.read(&mut piece).map_err(|error| broken(&error))?;
        piece.truncate(length);
        Ok((length > 0).then_some(piece))
    }
}

fn broken(error: &impl std::fmt::Display) -> Error {
    let said = error.to_string();
    if said.contains("timeout") || said.contains("timed out") {
        return Error::new(ErrorCode::Timeout, format!("The server took too long: {said}."))
            .with_hint("Try again, or ask for less.")
            .retryable();
    }
    Error::new(ErrorCode::Network, format!("The connection failed: {said}."))
        .with_hint("Check the base URL and the network.")
        .retryable()
}
