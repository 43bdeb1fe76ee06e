//! Calling a service that answers a whole request with a whole response: a search engine, a reranker.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::report::{ErrorReport, MAX_BODY_BYTES, may_pass};
use super::{Clock, Endpoint, Http, HttpBody, HttpRequest, wait};
use crate::error::{Error, ErrorCode, Result};

/// The most bytes of a response that are taken in.
const MAX_RESPONSE_BYTES: usize = 64 << 20;

/// Sends a request, again where that may help, and returns the body of a response with a status from 200 to
/// 299. `name` is the service's for a person, such as `Qdrant`.
///
/// # Errors
/// [`ErrorCode::ProviderAuth`], [`ErrorCode::ProviderNotFound`], [`ErrorCode::ProviderRateLimit`],
/// [`ErrorCode::ProviderRequest`] and [`ErrorCode::ProviderUnavailable`] by status, with the service's own message;
/// [`ErrorCode::Network`]; [`ErrorCode::Timeout`]; [`ErrorCode::Aborted`].
pub async fn call<H: Http, C: Clock>(
    http: &H,
    clock: &C,
    name: &str,
    endpoint: &Endpoint,
    request: &HttpRequest,
) -> Result<Vec<u8>> {
    let mut attempt = 0;
    loop {
        let tried = in_time(clock, name, endpoint, attempt_once(http, name, endpoint, request.clone())).await;
        let error = match tried {
            Ok(body) => return Ok(body),
            Err(error) => error,
        };
        attempt += 1;
        let Some(delay) = endpoint.retry.after(&error, attempt, clock.jitter()) else {
            return Err(error);
        };
        clock.sleep(delay).await?;
    }
}

async fn attempt_once<H: Http>(
    http: &H,
    name: &str,
    endpoint: &Endpoint,
    request: HttpRequest,
) -> Result<Vec<u8>> {
    let mut response = http.send(request).await.map_err(|error| unreached(name, error))?;
    let refused = !(200..300).contains(&response.status);
    let limit = if refused { MAX_BODY_BYTES } else { MAX_RESPONSE_BYTES };
    let mut body = Vec::new();
    loop {
        match response.body.chunk().await {
            Ok(Some(piece)) => body.extend_from_slice(&piece),
            Ok(None) => break,
            // The status says enough where the body breaks off.
            Err(error) if refused && error.code() != ErrorCode::Aborted => break,
            Err(error) => return Err(unreached(name, error)),
        }
        if body.len() > limit {
            if refused {
                break;
            }
            let message = format!("{name} answered with more than {limit} bytes.");
            return Err(Error::new(ErrorCode::ProviderProtocol, message));
        }
    }
    if refused { Err(refusal(name, endpoint, response.status, &response.headers, &body)) } else { Ok(body) }
}

/// Awaits the result of `work`, unless it takes longer than the service has time.
async fn in_time<C: Clock>(
    clock: &C,
    name: &str,
    endpoint: &Endpoint,
    work: impl Future<Output = Result<Vec<u8>>>,
) -> Result<Vec<u8>> {
    let limit = endpoint.timeouts.step();
    match within(clock, limit, work).await {
        Ok(Some(result)) => result,
        Ok(None) => {
            let message = format!("{name} did not answer in {} s.", limit.as_secs_f32());
            let error = Error::new(ErrorCode::Timeout, message)
                .with_hint("Try again, or allow more time with `timeoutMs`.")
                .retryable();
            Err(error)
        }
        Err(error) => Err(error),
    }
}

/// A wait between two slices of long work.
pub type Wait<'c> = Pin<Box<dyn Future<Output = Result<()>> + 'c>>;

/// Tells long work, whenever it asks, whether to wait before it goes on.
pub type Pause<'c> = dyn FnMut() -> Option<Wait<'c>> + 'c;

/// The longest stretch of work without a wait, in milliseconds: a page that is held longer feels slow.
const SLICE_MS: f64 = 25.0;

/// Waits by a clock, so that a page can do something else between the slices of long work.
pub fn pauses<'c, C: Clock>(clock: &'c C) -> impl FnMut() -> Option<Wait<'c>> + 'c {
    let since = Rc::new(Cell::new(clock.now()));
    move || {
        let now = clock.now();
        // A clock that is put back must not put an end to the waits.
        if (0.0..SLICE_MS).contains(&(now - since.get())) {
            return None;
        }
        let since = Rc::clone(&since);
        Some(Box::pin(async move {
            clock.sleep(Duration::from_millis(1)).await?;
            since.set(clock.now());
            Ok(())
        }))
    }
}

/// Returns the result of work that never waits; `None` if it does.
pub fn at_once<T>(work: impl Future<Output = T>) -> Option<T> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => Some(result),
        Poll::Pending => None,
    }
}

/// Returns the result of `work`, or `None` if it takes longer than `limit`.
///
/// # Errors
/// [`ErrorCode::Aborted`] if the clock says that the caller gave up.
pub async fn within<C: Clock, T>(
    clock: &C,
    limit: Duration,
    work: impl Future<Output = T>,
) -> Result<Option<T>> {
    let mut work = pin!(work);
    let mut limit = pin!(clock.sleep(limit));
    poll_fn(|context| {
        if let Poll::Ready(result) = work.as_mut().poll(context) {
            return Poll::Ready(Ok(Some(result)));
        }
        limit.as_mut().poll(context).map(|slept| slept.map(|()| None))
    })
    .await
}

/// Makes a failure to connect, with the service's name. Whatever broke a connection may have passed by the next
/// try.
fn unreached(name: &str, error: Error) -> Error {
    if error.code() != ErrorCode::Network {
        return error;
    }
    let hint = format!(
        "Check that {name} runs at this address. From a web page it must also allow requests from the page's origin (CORS), \
         and the page's content security policy must allow the address."
    );
    let message = format!("{name} could not be reached: {}", error.message());
    Error::new(ErrorCode::Network, message).with_hint(hint).retryable()
}

fn refusal(name: &str, endpoint: &Endpoint, status: u16, headers: &[(String, String)], body: &[u8]) -> Error {
    let report = ErrorReport::of_response(headers, body);
    let code = report.code(Some(status));
    let what = match code {
        ErrorCode::ProviderAuth => "refused access",
        ErrorCode::ProviderNotFound => "does not know the requested address or name",
        ErrorCode::ProviderRateLimit => "gets too many requests",
        ErrorCode::ProviderRequest => "did not accept the request",
        ErrorCode::ProviderUnavailable => "failed",
        _ => "answered unexpectedly",
    };
    let message = endpoint.quote(&report.message);
    let end = if message.is_empty() { ".".to_owned() } else { format!(": {message}") };
    let wait = wait::advice(report.retry_after);
    let hint = match code {
        ErrorCode::ProviderAuth if !endpoint.has_key() => "Set an API key: none was sent.",
        ErrorCode::ProviderAuth => "Check that the API key is complete and has the right permissions.",
        ErrorCode::ProviderNotFound => "Check the address and the names in it.",
        ErrorCode::ProviderRateLimit => &wait,
        ErrorCode::ProviderUnavailable => "Try again later, and check the server's log.",
        _ => "Read the server's message, and check that its version is supported.",
    };
    let error = Error::new(code, format!("{name} {what} (HTTP {status}){end}"))
        .with_hint(hint)
        .with_retry_after(report.retry_after);
    if may_pass(Some(status)) { error.retryable() } else { error }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;
    use crate::RetryPolicy;
    use crate::script::{Scripted, ScriptedClock, ScriptedHttp};

    fn ask(script: Vec<Scripted>) -> (Result<Vec<u8>>, Vec<Duration>) {
        let (http, clock) = (ScriptedHttp::new(script), ScriptedClock::default());
        let endpoint = Endpoint::within(30_000).with_api_key("key-0123456789");
        let request =
            HttpRequest { method: "GET", url: "http://h/".to_owned(), headers: Vec::new(), body: Vec::new() };
        let result = pollster::block_on(call(&http, &clock, "The engine", &endpoint, &request));
        assert!(http.is_used_up());
        (result, clock.slept.take())
    }

    #[test]
    fn long_work_waits_between_its_slices() {
        let clock = ScriptedClock::default();
        let mut pause = pauses(&clock);
        for _ in 0..100 {
            if let Some(wait) = pause() {
                pollster::block_on(wait).unwrap();
            }
        }
        // Asking for the time takes this clock a millisecond.
        assert_eq!(clock.slept.borrow().len(), 4);
        assert_eq!((at_once(async { 7 }), at_once(std::future::pending::<u8>())), (Some(7), None));
    }

    #[test]
    fn what_may_pass_is_tried_again() {
        let script =
            vec![Scripted::Fails(ErrorCode::Network), Scripted::status(503, ""), Scripted::ok("whole body")];
        let (result, slept) = ask(script);
        assert_eq!(result.unwrap(), b"whole body");
        assert_eq!(slept, [2, 4].map(Duration::from_secs));
    }

    #[test]
    fn what_will_not_pass_is_told_without_the_key() {
        let (result, slept) =
            ask(vec![Scripted::status(403, r#"{"status":{"error":"key-0123456789 may not"}}"#)]);
        let error = result.unwrap_err();
        assert_eq!(error.code(), ErrorCode::ProviderAuth);
        assert_eq!(error.message(), "The engine refused access (HTTP 403): [secret] may not");
        assert!(slept.is_empty() && error.hint().is_some());
    }

    #[test]
    fn the_message_is_found_beside_the_name_of_an_error() {
        let body = r#"{"error":"InvalidArgumentError","message":"Expected 3 dimensions"}"#;
        let error = ask(vec![Scripted::status(400, body)]).0.unwrap_err();
        assert!(error.message().ends_with(": Expected 3 dimensions"), "{error}");
    }

    #[test]
    fn a_body_that_breaks_off_is_fetched_again() {
        let script = vec![Scripted::Breaks("half".to_owned(), ErrorCode::Network), Scripted::ok("all")];
        assert_eq!(ask(script).0.unwrap(), b"all");
    }

    #[test]
    fn a_silent_service_is_given_up() {
        struct Silent;
        struct Never;
        impl HttpBody for Never {
            async fn chunk(&mut self) -> Result<Option<Vec<u8>>> {
                std::future::pending().await
            }
        }
        impl Http for Silent {
            type Body = Never;
            async fn send(&self, _: HttpRequest) -> Result<super::super::HttpResponse<Never>> {
                std::future::pending().await
            }
        }
        let retry = RetryPolicy { max_retries: 1, initial_delay_ms: 7 };
        let endpoint = Endpoint { retry, ..Endpoint::within(3000) };
        let request = HttpRequest { method: "GET", url: "http://h/".into(), headers: vec![], body: vec![] };
        let clock = ScriptedClock::default();
        let error = pollster::block_on(call(&Silent, &clock, "The engine", &endpoint, &request)).unwrap_err();
        assert_eq!((error.code(), error.is_retryable()), (ErrorCode::Timeout, true));
        assert_eq!(clock.slept.take(), [3000, 7, 3000].map(Duration::from_millis));
    }
}
