//! HTTP natively: a blocking client on a thread of its own for each request, so that a waiting caller can give up.

use std::io::Read;
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, channel};
use ureq::http::header::LOCATION;
use ureq::http::response::Parts;

use crate::system::in_words;
use ibid_platform::{Error, ErrorCode, Result};
use ibid_platform::{Http, HttpBody, HttpRequest, HttpResponse};

/// Bytes read from a response at a time.
const PIECE: usize = 16 * 1024;
/// Pieces that are read before somebody takes them.
const AHEAD: usize = 4;
/// The time in which a server of files is reached, if it can be.
const REACHED: Duration = Duration::from_secs(15);
/// The time that it may take to answer, and between two pieces of a file.
const PATIENCE: Duration = Duration::from_mins(1);
/// The time after which a request to a service ends that nobody waits for any more. Those who wait have shorter limits.
const ABANDONED: Duration = Duration::from_mins(10);
/// The most characters of an address that an error names.
const LONGEST_ORIGIN: usize = 200;

/// Sends requests with `ureq`.
#[derive(Debug)]
pub struct NativeHttp(ureq::Agent);

impl NativeHttp {
    /// For services that get keys, questions or documents: a redirect would carry them to another address, so it is an error.
    pub fn for_services() -> Self {
        // A status such as 429 is an answer here, which the caller reads, and not a failure to connect.
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(ABANDONED));
        Self(config.build().into())
    }

    /// For files, which are asked for without a key: introduces itself, follows redirects, and gives up on a server that falls
    /// silent.
    pub fn for_files(https_only: bool) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .https_only(https_only)
            .user_agent(concat!("ibid/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(REACHED))
            .timeout_recv_response(Some(PATIENCE))
            .timeout_per_read(Some(PATIENCE));
        Self(config.build().into())
    }
}

impl Http for NativeHttp {
    type Body = NativeBody;

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse<NativeBody>> {
        let agent = self.0.clone();
        let (answer, mut answered) = channel(1);
        let (pieces, body) = channel(AHEAD);
        let work = move || {
            // A caller that has given up needs no answer.
            let (head, mut reader) = match exchange(&agent, request) {
                Ok(exchanged) => exchanged,
                Err(error) => {
                    let _ = answer.blocking_send(Err(error));
                    return;
                }
            };
            let _ = answer.blocking_send(Ok(head));
            // The next piece is wanted as long as somebody took the last one.
            while let Some(piece) = read_piece(&mut reader).transpose() {
                let failed = piece.is_err();
                if pieces.blocking_send(piece).is_err() || failed {
                    return;
                }
            }
        };
        std::thread::Builder::new().spawn(work).map_err(|error| {
            Error::new(ErrorCode::Io, format!("A thread for the request cannot be started: {error}."))
        })?;
        let head = answered.recv().await.unwrap_or_else(|| {
            Err(Error::new(ErrorCode::Internal, "The thread of a request ended before the request."))
        })?;
        let headers = head
            .headers
            .iter()
            .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())));
        Ok(HttpResponse { status: head.status.as_u16(), headers: headers.collect(), body: NativeBody(body) })
    }
}

/// A response body, read from the connection by the request's thread. Dropped, it closes the connection once more is read.
pub struct NativeBody(Receiver<Result<Vec<u8>>>);

impl HttpBody for NativeBody {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>> {
        self.0.recv().await.transpose()
    }
}

/// Sends a request and waits for the response's head.
fn exchange(agent: &ureq::Agent, request: HttpRequest) -> Result<(Parts, impl Read + use<>)> {
    let mut builder = ureq::http::Request::builder().method(request.method).uri(&request.url);
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    let ready = builder.body(request.body).map_err(|error| {
        // The error does not repeat the header's value, which may be a key.
        Error::new(ErrorCode::InvalidOption, format!("This request cannot be sent: {error}."))
    })?;
    let (head, body) = agent.run(ready).map_err(|error| broken(&error))?.into_parts();
    match head.headers.get(LOCATION) {
        Some(location) if head.status.is_redirection() && agent.config().max_redirects() == 0 => {
            Err(redirected(&request.url, location.to_str().unwrap_or_default(), head.status.as_u16()))
        }
        _ => Ok((head, body.into_reader())),
    }
}

fn read_piece(reader: &mut impl Read) -> Result<Option<Vec<u8>>> {
    let mut piece = vec![0; PIECE];
    let length = reader.read(&mut piece).map_err(|error| broken(&error))?;
    piece.truncate(length);
    Ok((length > 0).then_some(piece))
}

fn broken(error: &impl std::fmt::Display) -> Error {
    let said = in_words(error);
    if said.contains("timeout") || said.contains("timed out") {
        return Error::new(ErrorCode::Timeout, format!("The server took too long: {said}."))
            .with_hint("Try again, or request less.")
            .retryable();
    }
    Error::new(ErrorCode::Network, format!("The connection failed: {said}."))
        .with_hint("Check the base URL and the network.")
        .retryable()
}

/// Makes the error for a redirect. It names hosts only, since paths and queries may hold secrets.
fn redirected(url: &str, location: &str, status: u16) -> Error {
    let from = origin(url).unwrap_or_default();
    let scheme = from.split_once("//").map_or("http:", |(scheme, _)| scheme);
    let to = match location.strip_prefix("//") {
        Some(rest) => origin(&format!("{scheme}//{rest}")),
        None => origin(location),
    }
    .unwrap_or_else(|| from.clone());
    let message = format!(
        "{from} redirects to {to} (HTTP {status}). ibid follows no redirect from a service, since that \
         would send your key and text elsewhere."
    );
    Error::new(ErrorCode::ProviderProtocol, message)
        .with_hint("If you trust that host, use the final address as the base URL.")
}

/// Scheme and host of an absolute address.
fn origin(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    if !scheme.chars().all(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit('@').next()?;
    Some(format!("{scheme}://{host}").chars().take(LONGEST_ORIGIN).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_is_told_by_its_hosts_alone() {
        for (location, to) in [
            ("https://b.example/v1?key=secret", "https://b.example"),
            ("http://user:secret@b.example:81#secret", "http://b.example:81"),
            ("//b.example/secret", "https://b.example"),
            ("/secret?to=http://c.example/", "https://a.example:8443"),
            ("secret", "https://a.example:8443"),
        ] {
            let error = redirected("https://a.example:8443/v1/chat?key=secret", location, 307);
            let told = format!("https://a.example:8443 redirects to {to} (HTTP 307).");
            assert!(error.message().starts_with(&told), "{error}");
            assert!(!error.to_string().contains("secret") && !error.is_retryable(), "{error}");
        }
    }
}
