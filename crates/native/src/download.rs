//! Downloads from a server that owes us nothing: not too often, and again only when that may help.

use std::time::Duration;

use crate::note;
use crate::system::Stopwatch;
use ibid_platform::wait;
use ibid_platform::{Clock, Http, HttpBody, HttpRequest, HttpResponse, RetryPolicy};
use ibid_platform::{Error, ErrorCode, Result};

/// The longest wait that a server may ask for. One that asks for more gets no further request.
const LONGEST_ASKED: Duration = Duration::from_mins(5);

/// An attempt that failed.
pub struct Failed {
    /// The reason.
    pub error: Error,
    /// The time that the server asked to wait.
    pub asked: Option<Duration>,
    /// True if the attempt brought something that the next one builds on.
    pub advanced: bool,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self { error, asked: None, advanced: false }
    }
}

/// The end of all attempts at one thing.
#[derive(Debug)]
pub struct GaveUp {
    /// The reason.
    pub error: Error,
    /// True if other things would fail in the same way: the disk is full, or the server wants to be left alone.
    pub stop: bool,
}

/// Sends requests no faster than agreed, and says when to send one again.
pub struct Client<'a, H, C> {
    http: &'a H,
    clock: &'a C,
    interval: Duration,
    policy: RetryPolicy,
    since_last: Option<Stopwatch>,
}

impl<'a, H: Http, C: Clock> Client<'a, H, C> {
    /// Makes a client that leaves at least `interval` between the beginnings of two requests.
    pub fn new(http: &'a H, clock: &'a C, interval: Duration, policy: RetryPolicy) -> Self {
        Self { http, clock, interval, policy, since_last: None }
    }

    /// Sends one request, and returns a response with one of the `statuses`.
    pub async fn get(
        &mut self,
        url: &str,
        headers: Vec<(String, String)>,
        statuses: &[u16],
    ) -> Result<HttpResponse<H::Body>, Failed> {
        let wait = self.since_last.as_ref().and_then(|last| self.interval.checked_sub(last.elapsed()));
        if let Some(wait) = wait {
            self.clock.sleep(wait).await?;
        }
        self.since_last = Some(Stopwatch::start());
        let request = HttpRequest { method: "GET", url: url.to_owned(), headers, body: Vec::new() };
        let response = self.http.send(request).await?;
        if statuses.contains(&response.status) { Ok(response) } else { Err(refused(url, &response)) }
    }

    /// Reads the whole of a response's body, which may have at most `limit` bytes.
    pub async fn get_all(&mut self, url: &str, limit: usize) -> Result<Vec<u8>, GaveUp> {
        let mut retries = Retries::default();
        loop {
            match self.try_all(url, limit).await {
                Ok(bytes) => return Ok(bytes),
                Err(failed) => self.wait(&mut retries, failed, url).await?,
            }
        }
    }

    async fn try_all(&mut self, url: &str, limit: usize) -> Result<Vec<u8>, Failed> {
        let mut response = self.get(url, vec![uncoded()], &[200]).await?;
        let announced = content_length(&response);
        let mut bytes = Vec::new();
        while let Some(piece) = response.body.chunk().await? {
            bytes.extend(piece);
            if bytes.len() > limit {
                let message = format!("`{url}` has more than {limit} bytes: it cannot be a file list.");
                return Err(Error::new(ErrorCode::Network, message).into());
            }
        }
        match announced.filter(|announced| *announced != bytes.len() as u64) {
            Some(announced) => Err(broken_off(url, bytes.len() as u64, announced).into()),
            None => Ok(bytes),
        }
    }

    /// Waits before the next attempt, which a person is told of, or says that there is to be none.
    pub async fn wait(&self, retries: &mut Retries, failed: Failed, what: &str) -> Result<(), GaveUp> {
        let (delay, reason) = retries.next(self.policy, failed)?;
        note(&format!(
            "{what}: retry {} in {:.1} s: {}",
            retries.attempt,
            delay.as_secs_f64(),
            reason.message()
        ));
        self.clock.sleep(delay).await.map_err(|error| GaveUp { error, stop: true })
    }
}

/// Counts the attempts at one thing since it last came nearer.
#[derive(Default)]
pub struct Retries {
    attempt: u32,
}

impl Retries {
    /// Returns the wait before the next attempt, and its reason, or that there is to be none.
    fn next(&mut self, policy: RetryPolicy, failed: Failed) -> Result<(Duration, Error), GaveUp> {
        let Failed { error, asked, advanced } = failed;
        if !error.is_retryable() {
            return Err(GaveUp { stop: error.code() == ErrorCode::Io, error });
        }
        if let Some(asked) = asked.filter(|asked| *asked > LONGEST_ASKED) {
            let hint = format!(
                "The server asks you to wait {} minutes. Then run the same command again.",
                asked.as_secs().div_ceil(60)
            );
            return Err(GaveUp { error: error.with_hint(hint), stop: true });
        }
        // A connection that breaks every so often still brings a large file home.
        self.attempt = if advanced { 1 } else { self.attempt + 1 };
        match policy.delay(self.attempt, None) {
            Some(own) => Ok((asked.unwrap_or(own), error)),
            None => Err(GaveUp { error, stop: false }),
        }
    }
}

/// Makes the header that asks for a file's own bytes, whose number and ranges are those of the file.
pub fn uncoded() -> (String, String) {
    ("accept-encoding".to_owned(), "identity".to_owned())
}

/// Reads the announced length of a body in bytes.
pub fn content_length<B>(response: &HttpResponse<B>) -> Option<u64> {
    response.header("content-length")?.trim().parse().ok()
}

/// Reads the first byte and the whole length from a header such as `bytes 200-999/1000` (RFC 9110, 14.4).
pub fn content_range(header: &str) -> Option<(u64, Option<u64>)> {
    let (range, whole) = header.trim().strip_prefix("bytes ")?.split_once('/')?;
    let (first, last) = range.split_once('-')?;
    let (first, last): (u64, u64) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    let whole = match whole.trim() {
        "*" => None,
        whole => Some(whole.parse().ok()?),
    };
    (first <= last && whole.is_none_or(|whole| last < whole)).then_some((first, whole))
}

/// Makes the error for a body that is not as long as was announced.
pub fn broken_off(url: &str, got: u64, announced: u64) -> Error {
    Error::new(ErrorCode::Network, format!("`{url}` ended after {got} of the announced {announced} bytes."))
        .with_hint("Run the same command again: it continues.")
        .retryable()
}

fn refused<B>(url: &str, response: &HttpResponse<B>) -> Failed {
    let status = response.status;
    let error = Error::new(ErrorCode::Network, format!("`{url}` was answered with HTTP status {status}."));
    let error = match status {
        408 | 425 | 429 | 500..=599 => error.with_hint("Try again later.").retryable(),
        404 | 410 => error.with_hint("Check the base URL."),
        _ => error,
    };
    Failed { error, asked: wait::from_headers(&response.headers), advanced: false }
}

/// Returns a base URL without a slash at its end.
pub fn base_url(url: &str) -> Result<String> {
    let url = url.trim_end_matches('/');
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    if host
        .is_none_or(|host| host.is_empty() || host.contains(['?', '#']) || host.contains(char::is_whitespace))
    {
        return Err(Error::new(ErrorCode::InvalidOption, format!("`{url}` is not a base URL."))
            .with_hint("Use an address such as https://host/folder."));
    }
    Ok(url.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_platform::script::{Scripted, ScriptedClock, ScriptedHttp};

    fn fetch(script: Vec<Scripted>) -> (Result<Vec<u8>, GaveUp>, Vec<Duration>, usize) {
        let (http, clock) = (ScriptedHttp::new(script), ScriptedClock::default());
        let policy = RetryPolicy { max_retries: 2, initial_delay_ms: 1000 };
        let mut client = Client::new(&http, &clock, Duration::ZERO, policy);
        let result = pollster::block_on(client.get_all("http://h/list", 20));
        assert!(http.is_used_up());
        (result, clock.slept.take(), http.requests.borrow().len())
    }

    fn unavailable(retry_after: &'static str) -> Scripted {
        Scripted::Responds(503, vec![("retry-after", retry_after)], String::new())
    }

    #[test]
    fn what_may_pass_is_tried_again() {
        let (result, slept, _) =
            fetch(vec![unavailable("7"), Scripted::status(500, ""), Scripted::ok("a list")]);
        assert_eq!(result.unwrap(), b"a list");
        assert_eq!(slept, [Duration::from_secs(7), Duration::from_secs(2)]);
    }

    #[test]
    fn attempts_end() {
        let (result, slept, requests) = fetch((0..3).map(|_| Scripted::status(502, "")).collect());
        let gave_up = result.unwrap_err();
        assert!(gave_up.error.message().contains("502") && !gave_up.stop);
        assert_eq!((slept.len(), requests), (2, 3));
    }

    #[test]
    fn what_will_not_pass_is_not_tried_again() {
        let (result, ..) = fetch(vec![Scripted::status(404, "")]);
        assert!(result.unwrap_err().error.hint().unwrap().contains("base URL"));
        let (result, ..) = fetch(vec![Scripted::ok("more bytes than are allowed")]);
        assert!(result.unwrap_err().error.message().contains("more than 20 bytes"));
    }

    #[test]
    fn a_server_that_asks_for_an_hour_is_left_alone() {
        let (result, slept, _) = fetch(vec![unavailable("3600")]);
        let gave_up = result.unwrap_err();
        assert!(gave_up.stop && gave_up.error.hint().unwrap().contains("60 minutes"));
        assert!(slept.is_empty());
    }

    #[test]
    fn a_body_shorter_than_announced_is_not_taken() {
        let short = || Scripted::Responds(200, vec![("content-length", "9")], "short".to_owned());
        let (result, ..) = fetch(vec![short(), short(), short()]);
        assert!(result.unwrap_err().error.message().contains("5 of the announced 9"));
    }

    #[test]
    fn requests_keep_their_distance() {
        let http = ScriptedHttp::new((0..2).map(|_| Scripted::ok("")));
        let clock = ScriptedClock::default();
        let mut client = Client::new(&http, &clock, Duration::from_mins(1), RetryPolicy::default());
        for _ in 0..2 {
            pollster::block_on(client.get_all("http://h/", 1)).unwrap();
        }
        let slept = clock.slept.take();
        assert!(slept.len() == 1 && slept[0] > Duration::from_secs(50), "{slept:?}");
    }

    #[test]
    fn ranges_are_read() {
        assert_eq!(content_range("bytes 200-999/1000"), Some((200, Some(1000))));
        assert_eq!(content_range("bytes 0-0/*"), Some((0, None)));
        for bad in
            ["", "bytes */1000", "bytes 5-4/10", "bytes 0-10/10", "items 0-1/2", "bytes 1-2", "bytes -1-2/3"]
        {
            assert_eq!(content_range(bad), None, "{bad}");
        }
    }
}
