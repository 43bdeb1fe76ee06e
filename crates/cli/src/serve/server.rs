//! The socket, and the connections to it.

use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use hyper::body::{Body, Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};

use super::answer::answer;
use super::offer::Offer;
use ibid_native::system::in_words;
use ibid_platform::{Error, ErrorCode, Result};

/// The port if none is named, and how many are tried from there on.
pub(super) const PORT: u16 = 8000;
const TRIES: u16 = 20;
/// The wait after a connection could not be taken, as when there are too many.
const PAUSE: Duration = Duration::from_millis(100);

/// Listens on this machine alone: on the port that is named, else on the first free one. Returns the address too.
///
/// # Errors
/// [`ErrorCode::Io`] where no port can be used.
pub(super) fn listen(named: Option<u16>) -> Result<(TcpListener, String)> {
    let ports = named.map_or(PORT..PORT + TRIES, |port| port..port.saturating_add(1));
    let first = ports.start;
    let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    let mut bound = bind(first);
    for port in ports.skip(1) {
        if !bound.as_ref().is_err_and(|error| error.kind() == ErrorKind::AddrInUse) {
            break;
        }
        bound = bind(port);
    }
    let opened = bound.and_then(|listener| {
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok((listener, format!("http://{address}/")))
    });
    opened.map_err(|error| {
        let why = match error.kind() {
            ErrorKind::AddrInUse => "something else uses it".to_owned(),
            _ => in_words(&error),
        };
        Error::new(ErrorCode::Io, format!("Port {first} of 127.0.0.1 cannot be used: {why}.")).with_hint(
            "Stop the program that uses it, or choose another port: `--port 0` takes any free one.",
        )
    })
}

/// Serves until the process ends.
pub(super) fn serve(listener: TcpListener, offer: Offer) -> Result<()> {
    let failed =
        |error: std::io::Error| Error::new(ErrorCode::Io, format!("The server ended: {}.", in_words(&error)));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let offer = Arc::new(offer);
    let answer = move |request| std::future::ready(answer(&offer, &request));
    runtime.block_on(accept(listener, answer)).map(|_| ()).map_err(failed)
}

/// Answers the requests of all connections, as long as the process lives.
pub(crate) async fn accept<F, R, B>(listener: TcpListener, answer: F) -> std::io::Result<Infallible>
where
    F: Fn(Request<Incoming>) -> R + Clone + Send + 'static,
    R: Future<Output = Response<B>> + Send,
    B: Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
{
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let answer = answer.clone();
        let service = service_fn(move |request| {
            let answered = answer(request);
            async { Ok::<_, Infallible>(answered.await) }
        });
        // A client that breaks off is its own concern.
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move { drop(connection.await) });
    }
}
