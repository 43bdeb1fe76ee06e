//! The bytes of a response as parts and, at the end, a reply.
//!
//! What all formats have in common is here: telling a stream from a document, bounds, errors that arrive with status 200,
//! connections that break off. What the pieces of a stream mean, a [`ReplyFormat`] says.

mod draft;
mod foreign;
mod format;
#[cfg(test)]
mod tests;
mod thoughts;
mod tool_calls;

use serde_json::Value;

pub(super) use self::draft::ReplyDraft;
use self::draft::looks_like_events;
pub(super) use self::format::{ReplyFormat, ReplyProblem};
pub(super) use self::tool_calls::CallPiece;
use super::sse::{MAX_EVENT_BYTES, SseDecoder, SseEvent};
use super::{ModelReply, Provider, ReplyPart, anthropic, failure, gemini, ollama, openai, openai_responses};
use ibid_platform::json::{present, text};
use ibid_platform::surrogate::{parse_piece, without_halves};
use ibid_platform::{Api, Error, ErrorCode, Result};

/// The most bytes of one response, so that a stream without end cannot fill the memory.
const MAX_RESPONSE_BYTES: usize = 64 << 20;

/// The most bytes of a response that is one JSON document.
const MAX_WHOLE_BYTES: usize = 8 << 20;

/// Decodes the body of a response with status 200 to 299, in pieces of any size.
///
/// The body is a stream or, from a server that ignores that it was to be one, one JSON document; the first byte that is
/// no white space tells which, since content types were seen to be wrong.
pub struct StreamDecoder<'p> {
    provider: &'p Provider,
    format: Box<dyn ReplyFormat>,
    body: Body,
    /// The first bytes, to be quoted if the body turns out to be something else.
    head: Vec<u8>,
    received: usize,
    /// The number of things the provider has said; comments and pings are none.
    heard: usize,
    draft: ReplyDraft,
}

enum Body {
    /// Nothing but white space yet.
    Undecided,
    Events(SseDecoder),
    /// The beginning of a line of JSON.
    Lines(Vec<u8>),
    Whole(Vec<u8>),
}

/// Makes the reader of a format's streams.
fn format_of(api: Api) -> Box<dyn ReplyFormat> {
    match api {
        Api::ChatCompletions => Box::new(openai::ChatCompletions),
        Api::Responses => Box::new(openai_responses::Responses::default()),
        Api::Messages => Box::new(anthropic::Messages::default()),
        Api::GenerateContent => Box::new(gemini::GenerateContent::default()),
        Api::OllamaChat => Box::new(ollama::Chat::default()),
    }
}

impl<'p> StreamDecoder<'p> {
    /// Makes a decoder for one response. The provider says which format it has, and is needed to keep its key out of
    /// errors.
    pub fn new(provider: &'p Provider) -> Self {
        Self {
            provider,
            format: format_of(provider.api()),
            body: Body::Undecided,
            head: Vec::new(),
            received: 0,
            heard: 0,
            draft: ReplyDraft::default(),
        }
    }

    /// Takes in a piece and returns the parts that are known with it.
    ///
    /// # Errors
    /// [`ErrorCode::ProviderProtocol`] for what is no response of the provider's format; the provider's own error if the
    /// stream carries one.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<ReplyPart>> {
        if self.draft.done {
            return Ok(Vec::new());
        }
        self.received = self.received.saturating_add(bytes.len());
        if self.received > MAX_RESPONSE_BYTES {
            return Err(self.protocol(&format!("has more than {MAX_RESPONSE_BYTES} bytes")));
        }
        let room = 200_usize.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        if matches!(self.body, Body::Undecided) {
            self.decide(bytes)?;
        }
        match &mut self.body {
            // White space and the byte order mark mean nothing in either form.
            Body::Undecided => {}
            Body::Whole(whole) => {
                whole.extend_from_slice(bytes);
                // White space keeps a connection open and says nothing.
                self.heard += usize::from(!bytes.trim_ascii().is_empty());
                if whole.len() > MAX_WHOLE_BYTES {
                    return Err(self.protocol("is longer than any answer"));
                }
            }
            Body::Events(decoder) => {
                let mut events = Vec::new();
                decoder.push(bytes, &mut events)?;
                for event in events {
                    self.event(&event)?;
                }
            }
            Body::Lines(line) => {
                let mut line = std::mem::take(line);
                let mut rest = bytes;
                while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                    line.extend_from_slice(&rest[..end]);
                    rest = &rest[end + 1..];
                    self.line(&line)?;
                    line.clear();
                }
                if line.len() + rest.len() > MAX_EVENT_BYTES {
                    return Err(self.protocol("has a line without end"));
                }
                line.extend_from_slice(rest);
                self.body = Body::Lines(line);
            }
        }
        Ok(self.draft.take_parts())
    }

    /// The number of things the provider has said so far.
    pub(crate) fn heard(&self) -> usize {
        self.heard
    }

    /// Returns true if the provider has said that nothing more comes, so that reading on is pointless.
    pub(crate) fn is_done(&self) -> bool {
        self.draft.done
    }

    /// Returns true if the reply is complete, so that a connection that breaks now does no harm.
    pub(crate) fn is_complete(&self) -> bool {
        self.draft.is_complete()
    }

    /// Ends the response: its last parts, and the whole reply.
    ///
    /// # Errors
    /// [`ErrorCode::Network`], retryable, if the response broke off; otherwise those of [`StreamDecoder::push`].
    pub fn finish(mut self) -> Result<(Vec<ReplyPart>, ModelReply)> {
        let heard = self.heard;
        let half = match std::mem::replace(&mut self.body, Body::Undecided) {
            Body::Undecided => Ok(()),
            Body::Whole(whole) => return self.whole(&whole).and_then(|()| self.end()),
            Body::Lines(line) => self.line(&line),
            Body::Events(decoder) => {
                decoder.finish()?.filter(|_| !self.draft.done).map_or(Ok(()), |event| self.event(&event))
            }
        };
        match half {
            // Half a line at the end is not nonsense: the connection broke in the middle of it.
            Err(error) if error.code() == ErrorCode::ProviderProtocol && self.heard == heard => self.end(),
            Err(error) => Err(error),
            Ok(()) => self.end(),
        }
    }

    fn end(mut self) -> Result<(Vec<ReplyPart>, ModelReply)> {
        if !self.is_complete() {
            let head = self.head.trim_ascii();
            let began = head.is_empty() || self.draft.begun || (self.heard == 0 && looks_like_events(head));
            return Err(if began {
                Error::new(
                    ErrorCode::Network,
                    "The connection to the provider broke before the answer was complete.",
                )
                .with_hint("Check the network, then ask again.")
                .retryable()
            } else {
                self.protocol("has no answer")
            });
        }
        self.format.finish(&mut self.draft);
        Ok(self.draft.finish())
    }

    fn decide(&mut self, bytes: &[u8]) -> Result<()> {
        // The byte order mark may be split, and none of its bytes starts anything else that is expected here.
        let Some(first) =
            bytes.iter().find(|byte| !byte.is_ascii_whitespace() && !b"\xEF\xBB\xBF".contains(byte))
        else {
            return Ok(());
        };
        self.body = match first {
            b'{' if self.format.is_lines() => Body::Lines(Vec::new()),
            b'{' | b'[' => Body::Whole(Vec::new()),
            b'<' => return Err(self.protocol("is an HTML page")),
            _ => Body::Events(SseDecoder::default()),
        };
        Ok(())
    }

    fn event(&mut self, event: &SseEvent) -> Result<()> {
        let data = event.data.trim();
        if self.draft.done || data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            if !self.draft.has_answer() {
                return Err(self.protocol("ends without an answer"));
            }
            self.draft.done = true;
            return Ok(());
        }
        let Ok(value) = self.read(data.as_bytes()) else {
            return Err(self.protocol_quoting("has an event that is not JSON", data));
        };
        let kind = text(&value, "type").unwrap_or(&event.event);
        if ["ping", "keepalive", "heartbeat"].contains(&kind) {
            return Ok(());
        }
        self.value(&event.event, &value, data)
    }

    fn line(&mut self, line: &[u8]) -> Result<()> {
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
        if self.draft.done || line.is_empty() {
            return Ok(());
        }
        let quoted = String::from_utf8_lossy(line);
        let Ok(value) = self.read(line) else {
            self.draft.begun |= line.starts_with(b"{");
            return Err(self.protocol_quoting("has a line that is not JSON", &quoted));
        };
        self.value("", &value, &quoted)
    }

    fn whole(&mut self, bytes: &[u8]) -> Result<()> {
        let bytes = bytes.trim_ascii_start();
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let value = match self.read(bytes) {
            Ok(value) => value,
            // What ends too early leaves the reply incomplete, which is reported as a broken connection.
            Err(error) if error.is_eof() => {
                self.draft.begun = true;
                return Ok(());
            }
            Err(_) => {
                // Lines of JSON are no JSON, but the first of them tells whose they are.
                let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
                let other = self.read(line).ok().as_ref().and_then(foreign::format);
                return Err(other.map_or_else(
                    || self.protocol("is neither an event stream nor JSON"),
                    |other| self.foreign(&other),
                ));
            }
        };
        // An array is the error of a provider that wraps its errors in one, or a list of all chunks.
        let head = String::from_utf8_lossy(&self.head).into_owned();
        let chunks = value.as_array().map_or(std::slice::from_ref(&value), Vec::as_slice);
        for chunk in chunks {
            self.value("", chunk, &head)?;
        }
        if self.is_complete() {
            self.draft.done = true;
            return Ok(());
        }
        Err(self.protocol("is JSON, but not a model's answer"))
    }

    fn read(&mut self, json: &[u8]) -> serde_json::Result<Value> {
        let (value, torn) = parse_piece(json)?;
        self.draft.torn |= torn;
        Ok(value)
    }

    fn value(&mut self, event: &str, value: &Value, quoted: &str) -> Result<()> {
        self.heard += 1;
        let reported =
            present(value, "error").is_some() || event == "error" || text(value, "object") == Some("error");
        let problem = if reported {
            ReplyProblem::Reported(value.clone())
        } else if let Some(other) = foreign::format(value).filter(|other| !other.is(self.provider.api())) {
            return Err(self.foreign(&other));
        } else if value.is_object() {
            match self.format.value(event, value, &mut self.draft) {
                Ok(()) => return Ok(()),
                Err(problem) => problem,
            }
        } else {
            ReplyProblem::Protocol("has an event that is not a part of an answer")
        };
        Err(match problem {
            ReplyProblem::Reported(value) if self.draft.torn => {
                failure::from_body(self.provider, &without_halves(&value))
            }
            ReplyProblem::Reported(value) => failure::from_body(self.provider, &value),
            ReplyProblem::Protocol(what) => self.protocol_quoting(what, quoted),
        })
    }

    /// Makes the error for a response in another format than the provider's.
    fn foreign(&self, found: &foreign::Foreign) -> Error {
        let own = self.provider.api().as_str();
        let message = format!("The provider's response has the format of {}, not of {own}.", found.name());
        Error::new(ErrorCode::ProviderProtocol, message).with_hint(found.hint())
    }

    fn protocol(&self, what: &str) -> Error {
        self.protocol_quoting(what, &String::from_utf8_lossy(&self.head))
    }

    fn protocol_quoting(&self, what: &str, text: &str) -> Error {
        let start: String = text.chars().take(120).collect();
        let quote = self.provider.endpoint.quote(&start);
        Error::new(
            ErrorCode::ProviderProtocol,
            format!("The provider's response {what}; it starts with: {quote}"),
        )
        .with_hint(self.format.hint())
    }
}
