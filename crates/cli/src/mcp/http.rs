//! The protocol over HTTP: [Streamable HTTP](https://modelcontextprotocol.io/specification/2025-06-18/basic/transports), in its
//! form without sessions, where each request is answered by JSON.

use std::convert::Infallible;
use std::net::TcpListener;
use std::sync::Arc;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::server::Server;
use crate::serve::accept;
use ibid_native::system::in_words;
use ibid_platform::{Error, ErrorCode, Result};

/// The path of the protocol.
const PATH: &str = "/mcp";

type Service = StreamableHttpService<Server, NeverSessionManager>;
type Answer = Response<BoxBody<Bytes, Infallible>>;

/// A socket that is bound, and who may speak to it.
pub(super) struct HttpListener {
    listener: TcpListener,
    /// The origins whose pages may call, as browsers write them.
    origins: Vec<String>,
}

impl HttpListener {
    /// Binds to `address`, a port of this machine or an address with one.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] for what is no origin; [`ErrorCode::Io`] if the address cannot be bound to.
    pub(super) fn bind(address: &str, origins: &[String]) -> Result<Self> {
        let origins = origins.iter().map(|origin| read_origin(origin)).collect::<Result<_>>()?;
        let local = address.parse::<u16>().map(|port| format!("127.0.0.1:{port}"));
        let address = local.as_deref().unwrap_or(address);
        let failed = |error: std::io::Error| {
            Error::new(
                ErrorCode::Io,
                format!("The address {address} cannot be listened at ({}).", in_words(&error)),
            )
            .with_hint(
                "Give a port that is free, such as `--http 8808`, or an address of this machine with one.",
            )
        };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        Ok(Self { listener, origins })
    }

    /// The address that clients are given.
    pub(super) fn url(&self) -> String {
        self.listener
            .local_addr()
            .map_or_else(|_| PATH.to_owned(), |address| format!("http://{address}{PATH}"))
    }

    /// Serves until the process ends.
    pub(super) async fn serve(self, server: Server) -> std::io::Result<Infallible> {
        let is_local = self.listener.local_addr().is_ok_and(|address| address.ip().is_loopback());
        let service = service(server, &self.origins, is_local);
        let origins: Arc<[String]> = self.origins.into();
        let answer = move |request| {
            let (service, origins) = (service.clone(), Arc::clone(&origins));
            async move { answer(&service, &origins, request).await }
        };
        accept(self.listener, answer).await
    }
}

/// Lets only the named origins call, and a loopback address be called only by its own names. Otherwise a page of any origin
/// could reach an index that its visitor serves for himself, by a name of its own that leads to this machine.
fn service(server: Server, origins: &[String], is_local: bool) -> Service {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_origins(origins.iter().map(|origin| with_port(origin)))
        .enforce_origin_validation();
    let config = if is_local { config } else { config.disable_allowed_hosts() };
    StreamableHttpService::new(move || Ok(server.clone()), Arc::default(), config)
}

async fn answer(service: &Service, origins: &[String], request: Request<Incoming>) -> Answer {
    let origin = request.headers().get(header::ORIGIN).cloned();
    let allowed = origin.filter(|origin| origins.iter().any(|known| known.as_bytes() == origin.as_bytes()));
    let mut response = if request.uri().path() != PATH {
        plain(StatusCode::NOT_FOUND, "Use the Model Context Protocol at /mcp.\n")
    } else if request.method() == Method::OPTIONS && allowed.is_some() {
        plain(StatusCode::NO_CONTENT, "")
    } else {
        service.handle(request).await
    };
    if let Some(origin) = allowed {
        allow(response.headers_mut(), origin);
    }
    response
}

/// Lets a page of this origin read the response ([Fetch, CORS protocol](https://fetch.spec.whatwg.org/#http-cors-protocol)).
fn allow(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::VARY, HeaderValue::from_static("origin"));
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST"));
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("*"));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
}

fn plain(status: StatusCode, text: &'static str) -> Answer {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    response
}

/// Reads an origin as browsers write it: scheme, host, and the port unless it is the scheme's own.
fn read_origin(given: &str) -> Result<String> {
    let invalid = || {
        Err(Error::new(ErrorCode::InvalidOption, format!("{given:?} is not a page's origin."))
            .with_hint("Write it as `https://docs.example.org` or `http://localhost:5173`."))
    };
    let origin = given.trim_end_matches('/').to_ascii_lowercase();
    let (scheme, host) = origin.split_once("://").unwrap_or_default();
    let own_port = match scheme {
        "https" => ":443",
        "http" => ":80",
        _ => return invalid(),
    };
    if host.is_empty() || host.contains(['/', '@', '*', ' ']) {
        return invalid();
    }
    Ok(origin.strip_suffix(own_port).unwrap_or(&origin).to_owned())
}

/// The same with its port: without one, rmcp lets any port in.
fn with_port(origin: &str) -> String {
    let has_port = origin.rsplit_once(':').is_some_and(|(_, end)| end.parse::<u16>().is_ok());
    let port = if origin.starts_with("https:") { 443 } else { 80 };
    if has_port { origin.to_owned() } else { format!("{origin}:{port}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_read_as_browsers_write_them() {
        for (given, read, ported) in [
            ("https://docs.example.org/", "https://docs.example.org", "https://docs.example.org:443"),
            ("http://localhost:5173", "http://localhost:5173", "http://localhost:5173"),
            ("HTTP://Localhost", "http://localhost", "http://localhost:80"),
            ("https://docs.example.org:443", "https://docs.example.org", "https://docs.example.org:443"),
            ("http://[::1]:80", "http://[::1]", "http://[::1]:80"),
        ] {
            let origin = read_origin(given).unwrap();
            assert_eq!((origin.as_str(), with_port(&origin).as_str()), (read, ported));
        }
        for wrong in ["docs.example.org", "*", "https://", "https://a/b", "null", "file:///a"] {
            assert_eq!(read_origin(wrong).unwrap_err().code(), ErrorCode::InvalidOption, "{wrong}");
        }
    }
}
