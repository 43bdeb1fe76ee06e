//! The bytes of a Chat Completions response as parts and, at the end, a reply.

use serde_json::Value;

use super::tool_calls::ToolCalls;
use crate::error::{Error, ErrorCode, Result};
use crate::llm::sse::{SseDecoder, SseEvent};
use crate::llm::{FinishReason, ModelReply, Part, Provider, Usage, failure};
use crate::platform::json::{list, number, present, text};

/// The most bytes of one response, so that a stream without end cannot fill the memory.
const MAX_RESPONSE_BYTES: usize = 64 << 20;

/// The most bytes of a response that is one JSON document.
const MAX_WHOLE_BYTES: usize = 8 << 20;

/// Decodes the body of a response with status 200 to 299, in pieces of any size.
///
/// The body is a stream of server-sent events or, from a server that ignores `stream`, one JSON document; the first
/// byte that is no white space tells which, since content types were seen to be wrong.
pub struct StreamDecoder<'p> {
    provider: &'p Provider,
    body: Body,
    /// The first bytes, to be quoted if the body turns out to be something else.
    head: Vec<u8>,
    received: usize,
    done: bool,
    reply: Draft,
}

enum Body {
    /// Nothing but white space yet.
    Undecided,
    Events(SseDecoder),
    Whole(Vec<u8>),
}

/// The reply as far as it has arrived.
#[derive(Default)]
struct Draft {
    reply: ModelReply,
    calls: ToolCalls,
    finish: Option<FinishReason>,
    refused: bool,
    /// Whether any chunk has arrived at all.
    begun: bool,
}

impl<'p> StreamDecoder<'p> {
    /// A decoder for one response. The provider is needed to keep its key out of errors.
    pub fn new(provider: &'p Provider) -> Self {
        Self {
            provider,
            body: Body::Undecided,
            head: Vec::new(),
            received: 0,
            done: false,
            reply: Draft::default(),
        }
    }

    /// Takes in a piece and returns the parts that are known with it.
    ///
    /// # Errors
    /// [`ErrorCode::ProviderProtocol`] for what is no Chat Completions response; the provider's own error if the
    /// stream carries one.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Part>> {
        let mut parts = Vec::new();
        if self.done {
            return Ok(parts);
        }
        self.received = self.received.saturating_add(bytes.len());
        if self.received > MAX_RESPONSE_BYTES {
            return Err(self.protocol("is longer than any answer"));
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
                if whole.len() > MAX_WHOLE_BYTES {
                    return Err(self.protocol("is longer than any answer"));
                }
            }
            Body::Events(decoder) => {
                let mut events = Vec::new();
                decoder.push(bytes, &mut events)?;
                for event in events {
                    self.event(&event, &mut parts)?;
                }
            }
        }
        Ok(parts)
    }

    /// Whether the provider has said that nothing more comes, so that reading on is pointless.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Whether the reply is complete, so that a connection that breaks now does no harm.
    pub fn is_complete(&self) -> bool {
        self.done || self.reply.finish.is_some()
    }

    /// Ends the response: its last parts, and the whole reply.
    ///
    /// # Errors
    /// [`ErrorCode::Network`], retryable, if the response broke off; otherwise those of [`StreamDecoder::push`].
    pub fn finish(mut self) -> Result<(Vec<Part>, ModelReply)> {
        let mut parts = Vec::new();
        match std::mem::replace(&mut self.body, Body::Undecided) {
            Body::Undecided => {}
            Body::Whole(whole) => self.whole(&whole, &mut parts)?,
            Body::Events(decoder) => {
                let last = decoder.finish()?;
                if let Some(event) = last.filter(|_| !self.done) {
                    match self.event(&event, &mut parts) {
                        // Half a line at the end is not nonsense: the connection broke in the middle of it.
                        Err(error) if error.code() == ErrorCode::ProviderProtocol => {}
                        result => result?,
                    }
                }
            }
        }
        if !self.is_complete() {
            let head = self.head.trim_ascii();
            return Err(if head.is_empty() || self.reply.begun || looks_like_events(head) {
                Error::new(
                    ErrorCode::Network,
                    "The connection to the provider broke off before the answer was complete.",
                )
                .with_hint("Check the network, then ask again.")
                .retryable()
            } else {
                self.protocol("is no event stream")
            });
        }
        let reply = self.reply.finish();
        parts.push(Part::Finish(reply.finish_reason));
        Ok((parts, reply))
    }

    fn decide(&mut self, bytes: &[u8]) -> Result<()> {
        // The byte order mark may be split, and none of its bytes starts anything else that is expected here.
        let Some(first) =
            bytes.iter().find(|byte| !byte.is_ascii_whitespace() && !b"\xEF\xBB\xBF".contains(byte))
        else {
            return Ok(());
        };
        self.body = match first {
            b'{' | b'[' => Body::Whole(Vec::new()),
            b'<' => return Err(self.protocol("is an HTML page")),
            _ => Body::Events(SseDecoder::default()),
        };
        Ok(())
    }

    fn event(&mut self, event: &SseEvent, parts: &mut Vec<Part>) -> Result<()> {
        let data = event.data.trim();
        if self.done || data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        let Ok(chunk) = serde_json::from_str::<Value>(data) else {
            return Err(self.protocol_quoting("holds an event that is no JSON", data));
        };
        self.check_error(&chunk, event.event == "error")?;
        if !chunk.is_object() {
            return Err(self.protocol_quoting("holds an event that is no chunk of an answer", data));
        }
        self.reply.chunk(&chunk, parts);
        Ok(())
    }

    fn whole(&mut self, bytes: &[u8], parts: &mut Vec<Part>) -> Result<()> {
        let bytes = bytes.trim_ascii_start();
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let value: Value = match serde_json::from_slice(bytes) {
            Ok(value) => value,
            // What ends too early leaves the reply incomplete, which is reported as a broken connection.
            Err(error) if error.is_eof() => {
                self.reply.begun = true;
                return Ok(());
            }
            Err(_) => return Err(self.protocol("is neither an event stream nor JSON")),
        };
        // An array can only be the error of a provider that wraps its errors in one.
        self.check_error(value.get(0).unwrap_or(&value), false)?;
        if list(&value, "choices").is_empty() {
            return Err(self.protocol("is JSON, but no chat completion"));
        }
        self.reply.chunk(&value, parts);
        self.done = true;
        Ok(())
    }

    fn check_error(&self, value: &Value, named_error: bool) -> Result<()> {
        if present(value, "error").is_some() || named_error || text(value, "object") == Some("error") {
            return Err(failure::from_body(self.provider, value));
        }
        Ok(())
    }

    fn protocol(&self, what: &str) -> Error {
        self.protocol_quoting(what, &String::from_utf8_lossy(&self.head))
    }

    fn protocol_quoting(&self, what: &str, text: &str) -> Error {
        let start: String = text.chars().take(120).collect();
        let quote = failure::quote(self.provider, &start);
        Error::new(
            ErrorCode::ProviderProtocol,
            format!("The provider's response {what}; it starts with: {quote}"),
        )
        .with_hint("Check that the base URL is that of a Chat Completions API; it usually ends in /v1.")
    }
}

impl Draft {
    /// Takes in a chunk of a stream, or a whole completion, which differ in `delta` and `message` only.
    fn chunk(&mut self, chunk: &Value, parts: &mut Vec<Part>) {
        self.begun = true;
        let choice =
            list(chunk, "choices").iter().find(|choice| number(choice, "index").unwrap_or_default() == 0);
        if let Some(choice) = choice {
            if let Some(delta) = present(choice, "delta").or_else(|| present(choice, "message")) {
                self.delta(delta, parts);
            }
            if let Some(reason) = text(choice, "finish_reason").map(finish_reason) {
                // Some servers say "stop" once more after the real reason.
                if !self.finish.is_some_and(FinishReason::is_cut_off) {
                    self.finish = Some(reason);
                }
            }
        }
        let usage = present(chunk, "usage")
            .or_else(|| chunk.get("x_groq").and_then(|groq| present(groq, "usage")))
            .or_else(|| choice.and_then(|choice| present(choice, "usage")))
            .map(usage);
        if let Some(usage) = usage.filter(|usage| self.reply.usage != Some(*usage)) {
            self.reply.usage = Some(usage);
            parts.push(Part::Usage(usage));
        }
    }

    fn delta(&mut self, delta: &Value, parts: &mut Vec<Part>) {
        if let Some(reasoning) = text(delta, "reasoning_content") {
            let echoed = self.reply.echo.entry("reasoning_content").or_insert_with(|| Value::from(""));
            if let Value::String(echoed) = echoed {
                echoed.push_str(reasoning);
            }
            self.reasoning(reasoning, parts);
        } else if let Some(reasoning) = text(delta, "reasoning") {
            self.reasoning(reasoning, parts);
        }
        let details = list(delta, "reasoning_details");
        if !details.is_empty() {
            let echoed =
                self.reply.echo.entry("reasoning_details").or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(echoed) = echoed {
                echoed.extend_from_slice(details);
            }
        }
        let before = parts.len();
        match delta.get("content") {
            Some(Value::String(content)) => self.text(content, parts),
            Some(Value::Array(content)) => content.iter().for_each(|part| self.content_part(part, parts)),
            _ => {}
        }
        if let Some(refusal) = text(delta, "refusal") {
            self.refused = true;
            // A refusal is for the person who asked; a server that sends it as content too has been heard already.
            if parts.len() == before {
                self.text(refusal, parts);
            }
        }
        for call in list(delta, "tool_calls") {
            parts.extend(self.calls.push(call));
        }
    }

    /// An element of a content that is an array: a text, or a thought with texts in it.
    fn content_part(&mut self, part: &Value, parts: &mut Vec<Part>) {
        if let Some(content) = text(part, "text") {
            self.text(content, parts);
        }
        for thought in list(part, "thinking") {
            if let Some(thought) = text(thought, "text") {
                self.reasoning(thought, parts);
            }
        }
    }

    fn text(&mut self, text: &str, parts: &mut Vec<Part>) {
        if !text.is_empty() {
            self.reply.text.push_str(text);
            parts.push(Part::Text(text.to_owned()));
        }
    }

    fn reasoning(&mut self, text: &str, parts: &mut Vec<Part>) {
        self.reply.reasoning.push_str(text);
        parts.push(Part::Reasoning(text.to_owned()));
    }

    fn finish(self) -> ModelReply {
        let mut reply = self.reply;
        reply.tool_calls = self.calls.finish();
        reply.finish_reason = match self.finish.unwrap_or_default() {
            FinishReason::Stop | FinishReason::ToolCalls if !reply.tool_calls.is_empty() => {
                FinishReason::ToolCalls
            }
            FinishReason::Stop | FinishReason::ToolCalls if self.refused => FinishReason::ContentFilter,
            FinishReason::ToolCalls => FinishReason::Stop,
            other => other,
        };
        reply
    }
}

/// Whether the text starts like a field or comment of an event stream.
fn looks_like_events(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    [b"data".as_slice(), b"event", b"id", b"retry", b":"].iter().any(|field| {
        head.strip_prefix(*field).is_some_and(|rest| field == b":" || rest.first() == Some(&b':'))
    })
}

fn finish_reason(name: &str) -> FinishReason {
    match name {
        "length" | "max_tokens" | "model_length" | "MAX_TOKENS" => FinishReason::Length,
        "tool_calls" | "function_call" | "tool_use" => FinishReason::ToolCalls,
        "error" | "network_error" => FinishReason::Error,
        name if name.starts_with("content_filter") => FinishReason::ContentFilter,
        "refusal" | "safety" | "sensitive" | "SAFETY" => FinishReason::ContentFilter,
        _ => FinishReason::Stop,
    }
}

fn usage(value: &Value) -> Usage {
    let detail = |object: &str, key: &str| value.get(object).and_then(|object| number(object, key));
    let input_tokens = number(value, "prompt_tokens").unwrap_or_default();
    let output_tokens = number(value, "completion_tokens").unwrap_or_default();
    Usage {
        input_tokens,
        output_tokens,
        total_tokens: number(value, "total_tokens").unwrap_or(input_tokens.saturating_add(output_tokens)),
        cached_input_tokens: detail("prompt_tokens_details", "cached_tokens")
            .or_else(|| number(value, "prompt_cache_hit_tokens"))
            .unwrap_or_default(),
        reasoning_tokens: detail("completion_tokens_details", "reasoning_tokens").unwrap_or_default(),
    }
}
