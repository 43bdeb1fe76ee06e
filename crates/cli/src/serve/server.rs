//! The socket, and the connections to it.

use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use hyper::service::service_fn;
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
    runtime.block_on(accept(listener, Arc::new(offer))).map(|_| ()).map_err(failed)
}

async fn accept(listener: TcpListener, offer: Arc<Offer>) -> std::io::Result<Infallible> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let offer = Arc::clone(&offer);
        let service = service_fn(move |request| {
            let answer = answer(&offer, &request);
            async move { Ok::<_, Infallible>(answer) }
        });
        // A client that breaks off is its own concern.
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move { drop(connection.await) });
    }
}
