//! Network and time as a page has them.

use std::time::Duration;

use gloo_net::http::{Method, Request, RequestBuilder, Response};
use gloo_timers::future::TimeoutFuture;
use js_sys::{Function, Promise, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, ReadableStreamDefaultReader, RequestRedirect};

use super::convert::caught;
use super::work::Work;
use ibid_platform::{Clock, Http, HttpBody, HttpRequest, HttpResponse};
use ibid_platform::{Error, ErrorCode, Result};

/// The wait before the signal is looked at again.
const SLICE_MS: u32 = 50;

/// Sends requests with the page's `fetch`; the signal aborts them, while connecting and while reading, and so does a
/// caller that stops waiting.
pub struct Fetch<E> {
    explain: E,
    /// The function that is called in place of the page's `fetch`.
    own: Option<Function>,
    signal: Option<AbortSignal>,
}

impl<E: AsyncFn(&HttpRequest) -> Result<String>> Fetch<E> {
    /// Requests under that signal. `explain` finds out why one got no response: a hint for a person, or an error of
    /// [`ErrorCode::ProviderProtocol`] for a redirect; any other error if it cannot tell.
    /// `own` is called with a `Request` in place of the page's `fetch`, and gives a promise of a `Response`.
    pub fn new(explain: E, own: Option<Function>, signal: Option<AbortSignal>) -> Self {
        Self { explain, own, signal }
    }
}

impl<E: AsyncFn(&HttpRequest) -> Result<String>> Http for Fetch<E> {
    type Body = FetchBody;

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse<FetchBody>> {
        check(self.signal.as_ref())?;
        let work = Work::begin(self.signal.as_ref())?;
        let method = request.method.parse::<Method>().unwrap_or(Method::POST);
        let signal = work.signal();
        let mut builder = RequestBuilder::new(&request.url)
            .method(method)
            .abort_signal(Some(&signal))
            // A redirect would carry the key and the question to another address.
            .redirect(RequestRedirect::Error);
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        // A browser refuses a GET with a body, be it empty.
        let ready = if request.body.is_empty() {
            builder.build()
        } else {
            builder.body(Uint8Array::from(request.body.as_slice()))
        };
        let ready = ready.map_err(|error| {
            Error::new(ErrorCode::InvalidOption, format!("This request cannot be sent: {error}."))
        })?;
        let response = match &self.own {
            Some(own) => by(own, ready).await?,
            None => match ready.send().await {
                Ok(response) => response,
                Err(_) => return Err(self.unreached(&request).await),
            },
        };
        let headers =
            response.headers().entries().map(|(name, value)| (name.to_ascii_lowercase(), value)).collect();
        let reader = response.body().map(|stream| stream.get_reader().unchecked_into());
        let body = FetchBody { reader, signal: self.signal.clone(), work };
        Ok(HttpResponse { status: response.status(), headers, body })
    }
}

impl<E: AsyncFn(&HttpRequest) -> Result<String>> Fetch<E> {
    /// A page is not told why a request failed, but it can find out some of it by trying.
    async fn unreached(&self, request: &HttpRequest) -> Error {
        if let Err(aborted) = check(self.signal.as_ref()) {
            return aborted;
        }
        let explained = (self.explain)(request).await;
        if let Err(aborted) = check(self.signal.as_ref()) {
            return aborted;
        }
        match explained {
            Ok(hint) => Error::new(ErrorCode::Network, "The provider could not be reached.")
                .with_hint(hint)
                .retryable(),
            Err(redirected) if redirected.code() == ErrorCode::ProviderProtocol => redirected,
            Err(_) => connection(),
        }
    }
}

/// Awaits the response that a function gives for a request.
async fn by(own: &Function, request: Request) -> Result<Response> {
    let request = web_sys::Request::from(request);
    let given = own.call1(&JsValue::UNDEFINED, &request).map_err(|error| caught(&error, connection))?;
    let given = JsFuture::from(Promise::resolve(&given)).await.map_err(|error| caught(&error, connection))?;
    Ok(given.unchecked_into::<web_sys::Response>().into())
}

/// A response's body, read from its stream as it arrives. Dropped before its end, it closes the connection: a run that ends
/// early must not leave the provider generating.
pub struct FetchBody {
    reader: Option<ReadableStreamDefaultReader>,
    signal: Option<AbortSignal>,
    work: Work,
}

impl HttpBody for FetchBody {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>> {
        let Some(reader) = &self.reader else { return Ok(None) };
        check(self.signal.as_ref())?;
        let result = JsFuture::from(reader.read())
            .await
            .map_err(|_| check(self.signal.as_ref()).err().unwrap_or_else(connection))?;
        let field = |name: &str| js_sys::Reflect::get(&result, &JsValue::from_str(name)).unwrap_or_default();
        if field("done").is_truthy() {
            self.work.end();
            return Ok(None);
        }
        Ok(Some(field("value").dyn_into::<Uint8Array>().map(|bytes| bytes.to_vec()).unwrap_or_default()))
    }
}

/// Waits with the page's timers.
pub struct Timer {
    signal: Option<AbortSignal>,
}

impl Timer {
    /// Waits that end early when the signal aborts.
    pub fn new(signal: Option<AbortSignal>) -> Self {
        Self { signal }
    }
}

impl Clock for Timer {
    async fn sleep(&self, duration: Duration) -> Result<()> {
        let mut left = u32::try_from(duration.as_millis()).unwrap_or(u32::MAX);
        while left > 0 {
            check(self.signal.as_ref())?;
            let slice = left.min(SLICE_MS);
            TimeoutFuture::new(slice).await;
            left -= slice;
        }
        check(self.signal.as_ref())
    }

    fn now(&self) -> f64 {
        js_sys::Date::now()
    }
}

/// Fails once the signal has aborted.
///
/// # Errors
/// [`ErrorCode::Aborted`].
pub fn check(signal: Option<&AbortSignal>) -> Result<()> {
    match signal {
        Some(signal) if signal.aborted() => Err(Error::new(ErrorCode::Aborted, "The run was aborted.")),
        _ => Ok(()),
    }
}

/// A page is not told why a request failed, so the hint names what it may be. The browser's own words, such as
/// `TypeError: Failed to fetch`, say less.
fn connection() -> Error {
    Error::new(ErrorCode::Network, "The provider could not be reached, or the connection broke.")
        .with_hint(
            "Check the base URL and the network. A provider must also allow requests from web pages (CORS), and the \
             page's content security policy must allow the address.",
        )
        .retryable()
}
