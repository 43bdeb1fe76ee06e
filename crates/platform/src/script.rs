//! A network and a clock that follow a script, for tests.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::Duration;

use super::{Clock, Http, HttpBody, HttpRequest, HttpResponse};
use crate::error::{Error, ErrorCode, Result};

/// The network's answer to one request.
pub enum Scripted {
    /// Fails before there is a response.
    Fails(ErrorCode),
    /// Responds with status, headers and body.
    Responds(u16, Vec<(&'static str, &'static str)>, String),
    /// Responds with status 200 and this much of a body, then fails.
    Breaks(String, ErrorCode),
}

impl Scripted {
    /// Makes an event stream, with status 200.
    pub fn ok(body: impl Into<String>) -> Self {
        Self::Responds(200, vec![("content-type", "text/event-stream")], body.into())
    }

    /// Makes a response without headers.
    pub fn status(status: u16, body: &str) -> Self {
        Self::Responds(status, Vec::new(), body.to_owned())
    }
}

/// Answers requests from a script, in order, and keeps them. Bodies come in pieces of five bytes, which cut through
/// events and characters alike.
#[derive(Default)]
pub struct ScriptedHttp {
    script: RefCell<VecDeque<Scripted>>,
    /// The requests so far.
    pub requests: RefCell<Vec<HttpRequest>>,
}

impl ScriptedHttp {
    /// Makes a network that answers with these, one each request.
    pub fn new(script: impl IntoIterator<Item = Scripted>) -> Self {
        Self { script: RefCell::new(script.into_iter().collect()), requests: RefCell::default() }
    }

    /// Returns the bodies of the requests so far; null for one that is no JSON.
    pub fn sent(&self) -> Vec<serde_json::Value> {
        self.requests
            .borrow()
            .iter()
            .map(|request| serde_json::from_slice(&request.body).unwrap_or_default())
            .collect()
    }

    /// Returns true if the whole script was played.
    pub fn is_used_up(&self) -> bool {
        self.script.borrow().is_empty()
    }
}

/// The body of a scripted response.
pub struct ScriptedBody {
    rest: VecDeque<Vec<u8>>,
    end: Option<ErrorCode>,
}

impl Http for ScriptedHttp {
    type Body = ScriptedBody;

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse<ScriptedBody>> {
        self.requests.borrow_mut().push(request);
        let Some(scripted) = self.script.borrow_mut().pop_front() else {
            return Err(Error::new(ErrorCode::Internal, "the script has no answer to this request"));
        };
        let (status, headers, body, end) = match scripted {
            Scripted::Fails(code) => return Err(Error::new(code, "scripted")),
            Scripted::Responds(status, headers, body) => (status, headers, body, None),
            Scripted::Breaks(body, code) => (200, Vec::new(), body, Some(code)),
        };
        let headers = headers.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let rest = body.as_bytes().chunks(5).map(<[u8]>::to_vec).collect();
        Ok(HttpResponse { status, headers, body: ScriptedBody { rest, end } })
    }
}

impl HttpBody for ScriptedBody {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>> {
        match (self.rest.pop_front(), self.end) {
            (Some(piece), _) => Ok(Some(piece)),
            (None, Some(code)) => Err(Error::new(code, "scripted")),
            (None, None) => Ok(None),
        }
    }
}

/// A clock that does not wait but keeps how long it should have.
#[derive(Default)]
pub struct ScriptedClock {
    /// The waits so far.
    pub slept: RefCell<Vec<Duration>>,
    /// True if the caller gives up while waiting.
    pub aborts: bool,
    /// The time, which goes on by a millisecond each time it is asked for.
    pub time: Cell<f64>,
}

impl Clock for ScriptedClock {
    async fn sleep(&self, duration: Duration) -> Result<()> {
        self.slept.borrow_mut().push(duration);
        if self.aborts { Err(Error::new(ErrorCode::Aborted, "scripted")) } else { Ok(()) }
    }

    fn now(&self) -> f64 {
        self.time.set(self.time.get() + 1.0);
        self.time.get()
    }

    fn jitter(&self) -> f64 {
        0.0
    }
}
