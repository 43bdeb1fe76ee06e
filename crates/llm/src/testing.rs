//! One harness for the tests of all formats: the rules that each keeps, and the words that tests are written
//! in.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{
    ChatRequest, FinishReason, Message, ModelReply, Provider, ProviderKind, ReplyPart, StreamDecoder,
    ToolCall, ToolSpec, Usage, encode,
};
use ibid_platform::{Api, Error, Result};

/// The longest response whose values are changed one by one.
const MAX_CHANGED: usize = 4000;
/// The values that they are changed to.
const ODD: [&str; 9] = ["null", "-1", "1e400", "\"\"", "\"x\"", "[]", "{}", "[null]", "true"];

/// A format under test, by a provider that speaks it.
pub(super) struct Tested(pub(super) Provider);

impl Tested {
    /// Decodes a response. Byte by byte it has to come to the same, and with any of its values changed it has
    /// to end in a reply or an error.
    #[track_caller]
    pub(super) fn decode(&self, response: &str) -> Result<(Vec<ReplyPart>, ModelReply)> {
        let whole = self.pieces([response.as_bytes()]);
        // An error quotes what had come by then.
        let told = |result: Result<_>| result.map_err(|error| (error.code(), error.is_retryable()));
        let slowly = self.pieces(response.as_bytes().chunks(1));
        assert_eq!(told(slowly), told(whole.clone()), "byte by byte");
        if response.len() <= MAX_CHANGED {
            for changed in changed(response) {
                let _ = self.pieces([changed.as_bytes()]);
            }
        }
        whole
    }

    #[track_caller]
    pub(super) fn reply(&self, response: &str) -> ModelReply {
        self.decode(response).unwrap().1
    }

    #[track_caller]
    pub(super) fn error(&self, response: &str) -> Error {
        self.decode(response).unwrap_err()
    }

    /// Expects a response to come to the same in two pieces cut anywhere; returns what that is.
    #[track_caller]
    pub(super) fn expect_splits_change_nothing(&self, response: &str) -> (Vec<ReplyPart>, ModelReply) {
        let whole = self.decode(response).unwrap();
        for at in 0..=response.len() {
            let (start, end) = response.as_bytes().split_at(at);
            assert_eq!(self.pieces([start, end]).unwrap(), whole, "split at {at}");
        }
        whole
    }

    /// Expects a response that ends for one of these reasons, with spaces between them, to be finished so.
    #[track_caller]
    pub(super) fn expect_reasons(&self, respond: impl Fn(&str) -> String, reasons: &[(FinishReason, &str)]) {
        for (wanted, names) in reasons {
            for name in names.split(' ') {
                assert_eq!(self.reply(&respond(name)).finish_reason, *wanted, "{name}");
            }
        }
    }

    /// Writes the body of the request that is sent.
    pub(super) fn body(&self, request: &ChatRequest) -> Value {
        serde_json::from_slice(&encode(&self.0, request).unwrap().body).unwrap()
    }

    fn pieces<'a>(&self, pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<(Vec<ReplyPart>, ModelReply)> {
        let mut decoder = StreamDecoder::new(&self.0);
        let mut parts = Vec::new();
        for piece in pieces {
            parts.extend(decoder.push(piece)?);
        }
        let (last, reply) = decoder.finish()?;
        parts.extend(last);
        Ok((parts, reply))
    }
}

/// The response with one of its values replaced, for each value and each of [`ODD`].
fn changed(response: &str) -> impl Iterator<Item = String> {
    response
        .split_inclusive('\n')
        .scan(0, |start, line| {
            let from = *start;
            *start += line.len();
            Some((from, line))
        })
        .flat_map(move |(from, line)| {
            let inner = line.find(['{', '[']).map_or("", |at| &line[at..]).trim_end();
            let at = from + line.find(inner).unwrap_or_default();
            let document: Value = serde_json::from_str(inner).unwrap_or_default();
            let mut paths = Vec::new();
            paths_of(&document, "", &mut paths);
            paths.into_iter().flat_map(move |path| {
                let mut document = document.clone();
                document.pointer_mut(&path).into_iter().for_each(|value| *value = "@odd".into());
                let ends = (&response[..at], &response[at + inner.len()..]);
                let text = document.to_string();
                ODD.map(|odd| [ends.0, &text.replace("\"@odd\"", odd), ends.1].concat())
            })
        })
}

/// The paths of all values within a value.
fn paths_of(value: &Value, path: &str, paths: &mut Vec<String>) {
    let inner: Vec<(String, &Value)> = match value {
        Value::Array(values) => {
            values.iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect()
        }
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), value)).collect(),
        _ => Vec::new(),
    };
    for (name, value) in inner {
        let path = format!("{path}/{name}");
        paths_of(value, &path, paths);
        paths.push(path);
    }
}

/// Server-sent events, each under its type as its name if it has one.
pub(super) fn sse(events: &[Value]) -> String {
    events.iter().fold(String::new(), |text, event| {
        let name = event["type"].as_str().map_or(String::new(), |name| format!("event: {name}\n"));
        text + &format!("{name}data: {event}\n\n")
    })
}

/// The same behind a byte order mark and a comment, with line ends of two bytes.
pub(super) fn sse_dressed_up(events: &[Value]) -> String {
    format!("\u{feff}: hi\r\n\r\n{}", sse(events).replace('\n', "\r\n"))
}

/// The parts of a reply in two pieces.
pub(super) fn hello(usage: Usage) -> [ReplyPart; 4] {
    let [start, end] = ["Hel", "lo"].map(|text| ReplyPart::Text(text.to_owned()));
    [start, end, ReplyPart::Usage(usage), ReplyPart::Finish(FinishReason::Stop)]
}

pub(super) fn system(content: &str) -> Message {
    Message::System { content: content.to_owned() }
}

pub(super) fn user(content: &str) -> Message {
    Message::User { content: content.to_owned() }
}

/// A past turn of the model; `echo` is an object, or null for none.
pub(super) fn assistant(content: &str, tool_calls: Vec<ToolCall>, echo: &Value) -> Message {
    let echo = echo.as_object().cloned().unwrap_or_else(Map::new);
    Message::Assistant { content: content.to_owned(), tool_calls, echo }
}

pub(super) fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned(), extra: None }
}

pub(super) fn result(call_id: &str, content: &str, is_error: bool) -> Message {
    Message::Tool { call_id: call_id.to_owned(), content: content.to_owned(), is_error }
}

pub(super) fn tool(name: &str, parameters: Value) -> ToolSpec {
    ToolSpec { name: name.to_owned(), description: "d".to_owned(), parameters }
}

/// Tools of those names without parameters.
pub(super) fn tools(names: &[&str]) -> Vec<ToolSpec> {
    names.iter().map(|name| tool(name, json!({"type": "object"}))).collect()
}

/// One format in its shortest form, as a stream of deltas and as a whole document.
pub(super) struct FormatSample {
    pub(super) kind: ProviderKind,
    /// The text before the deltas, around each of them, and after them. A delta's text is put in for `@`, in
    /// JSON.
    pub(super) stream: [&'static str; 3],
    /// The same for reasoning.
    pub(super) reasoning: &'static str,
    /// A piece of a tool call's arguments, which are text, where the format has pieces of them.
    pub(super) arguments: Option<&'static str>,
    /// A whole reply with a text.
    pub(super) whole: &'static str,
    /// The provider's report of a failure.
    pub(super) failure: &'static str,
}

pub(super) const SAMPLES: [FormatSample; 5] = [
    FormatSample {
        kind: ProviderKind::OpenAi,
        stream: [
            "",
            r#"{"choices":[{"delta":{"content":"@"}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
        ],
        reasoning: r#"{"choices":[{"delta":{"reasoning_content":"@"}}]}"#,
        arguments: Some(
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"@"}}]}}]}"#,
        ),
        whole: r#"{"choices":[{"message":{"content":"@"},"finish_reason":"stop"}]}"#,
        failure: r#"{"error":{"message":"@"}}"#,
    },
    FormatSample {
        kind: ProviderKind::Anthropic,
        stream: [
            r#"{"type":"message_start","message":{"id":"m","content":[]}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"@"}}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
        ],
        reasoning: r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"@"}}"#,
        arguments: None,
        whole: r#"{"type":"message","id":"m","content":[{"type":"text","text":"@"}],"stop_reason":"end_turn"}"#,
        failure: r#"{"type":"error","error":{"type":"overloaded_error","message":"@"}}"#,
    },
    FormatSample {
        kind: ProviderKind::Gemini,
        stream: [
            "",
            r#"{"candidates":[{"content":{"parts":[{"text":"@"}]}}]}"#,
            r#"{"candidates":[{"finishReason":"STOP"}]}"#,
        ],
        reasoning: r#"{"candidates":[{"content":{"parts":[{"text":"@","thought":true}]}}]}"#,
        arguments: None,
        whole: r#"{"candidates":[{"content":{"parts":[{"text":"@"}]},"finishReason":"STOP"}]}"#,
        failure: r#"{"error":{"message":"@"}}"#,
    },
    FormatSample {
        kind: ProviderKind::Ollama,
        stream: [
            "",
            r#"{"message":{"content":"@"},"done":false}"#,
            r#"{"message":{"content":""},"done":true}"#,
        ],
        reasoning: r#"{"message":{"thinking":"@"},"done":false}"#,
        arguments: None,
        whole: r#"{"message":{"content":"@"},"done":true}"#,
        failure: r#"{"error":"@"}"#,
    },
    FormatSample {
        kind: ProviderKind::OpenAiResponses,
        stream: [
            "",
            r#"{"type":"response.output_text.delta","output_index":0,"delta":"@"}"#,
            r#"{"type":"response.completed","response":{"status":"completed"}}"#,
        ],
        reasoning: r#"{"type":"response.reasoning_text.delta","output_index":1,"content_index":0,"delta":"@"}"#,
        arguments: Some(r#"{"type":"response.function_call_arguments.delta","output_index":2,"delta":"@"}"#),
        whole: r#"{"object":"response","status":"completed","output":[{"type":"message","content":[{"text":"@"}]}]}"#,
        failure: r#"{"type":"error","message":"@"}"#,
    },
];

impl FormatSample {
    pub(super) fn tested(&self) -> Tested {
        Tested(Provider::of(self.kind, "m").unwrap())
    }

    /// A stream with these events between its beginning and its end.
    pub(super) fn around(&self, events: &[String]) -> String {
        let ends = [self.stream[0].to_owned(), self.stream[2].to_owned()];
        let all = ends[..1].iter().chain(events).chain(&ends[1..]).filter(|event| !event.is_empty());
        let (begin, end) = self.framing();
        all.flat_map(|event| [begin, event, end]).collect()
    }

    /// The beginning and the end of an event.
    fn framing(&self) -> (&'static str, &'static str) {
        if self.tested().0.api() == Api::OllamaChat { ("", "\n") } else { ("data: ", "\n\n") }
    }

    pub(super) fn decode(&self, response: &str) -> (Vec<ReplyPart>, ModelReply) {
        self.tested().pieces(response.as_bytes().chunks(7)).unwrap()
    }
}

pub(super) fn texts(parts: &[ReplyPart]) -> String {
    parts
        .iter()
        .filter_map(|part| if let ReplyPart::Text(text) = part { Some(text.as_str()) } else { None })
        .collect()
}

pub(super) fn thoughts(parts: &[ReplyPart]) -> String {
    let thoughts = parts
        .iter()
        .filter_map(|part| if let ReplyPart::Reasoning(text) = part { Some(text.as_str()) } else { None });
    thoughts.collect()
}

proptest! {
    #[test]
    fn any_bytes_end_in_a_reply_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for sample in &SAMPLES {
            let (begin, end) = sample.framing();
            for begin in [begin, "{"] {
                let _ = sample.tested().pieces([begin.as_bytes(), &bytes, end.as_bytes()]);
            }
            let _ = sample.tested().pieces(bytes.chunks(11));
        }
    }
}
