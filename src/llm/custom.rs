//! Replies of models that the caller brings along, told in pieces.

use serde::Deserialize;
use serde_json::Value;

use super::decode::{Draft, Piece};
use super::{FinishReason, ModelReply, Part, Usage};
use crate::error::{Error, ErrorCode, Result};
use crate::platform::surrogate::parse_piece;

/// A piece of a reply as JSON: an object whose `type` is the variant's name in kebab case.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum CustomPart {
    /// More of the text.
    Text { delta: String },
    /// More of what the model thinks aloud.
    Reasoning { delta: String },
    /// A whole tool call; its arguments are JSON, as text or as the object itself.
    ToolCall {
        #[serde(default)]
        id: String,
        name: String,
        #[serde(default)]
        arguments: Value,
    },
    /// A page that the model's own search found.
    Source {
        url: String,
        #[serde(default)]
        title: Option<String>,
    },
    /// The tokens used so far.
    Usage { usage: Usage },
    /// Why the model stopped.
    Finish { reason: FinishReason },
}

/// The most bytes of all pieces of a reply together.
const MAX_BYTES: usize = 64 << 20;

/// Puts a reply together from pieces that are JSON.
#[derive(Default)]
pub struct CustomReply {
    draft: Draft,
    calls: u64,
    bytes: usize,
}

impl CustomReply {
    /// Takes in a piece, and returns the parts that are known with it.
    ///
    /// # Errors
    /// [`ErrorCode::ProviderProtocol`] for what is no piece, or for more of them than any reply has.
    pub fn push(&mut self, json: &str) -> Result<Vec<Part>> {
        self.bytes = self.bytes.saturating_add(json.len());
        if self.bytes > MAX_BYTES {
            return Err(Error::new(
                ErrorCode::ProviderProtocol,
                "The model's reply does not come to an end.",
            ));
        }
        let read = parse_piece(json.as_bytes()).and_then(|(value, torn)| {
            self.draft.torn |= torn;
            serde_json::from_value(value)
        });
        let part = read.map_err(|error| {
            Error::new(
                ErrorCode::ProviderProtocol,
                format!("A piece of the model's reply cannot be read: {error}."),
            )
            .with_hint("Pieces are objects such as { type: 'text', delta: '…' }.")
        })?;
        match part {
            CustomPart::Text { delta } => self.draft.text(&delta),
            CustomPart::Reasoning { delta } => self.draft.reasoning(&delta),
            CustomPart::ToolCall { id, name, arguments } => {
                let arguments = match arguments {
                    Value::String(text) => text,
                    Value::Null => String::new(),
                    value => value.to_string(),
                };
                let index = Some(self.calls);
                self.calls += 1;
                self.draft.call(Piece { index, id: &id, name: &name, arguments: &arguments, extra: None });
            }
            CustomPart::Source { url, title } => self.draft.source(&url, title.as_deref()),
            CustomPart::Usage { mut usage } => {
                usage.total_tokens =
                    usage.total_tokens.max(usage.input_tokens.saturating_add(usage.output_tokens));
                self.draft.usage(usage);
            }
            CustomPart::Finish { reason } => self.draft.finished(reason),
        }
        Ok(self.draft.take_parts())
    }

    /// The reply, when no more pieces come: its last parts, and all of it. One that ends without saying why has said all.
    pub fn finish(self) -> (Vec<Part>, ModelReply) {
        self.draft.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&str]) -> Result<ModelReply> {
        let mut reply = CustomReply::default();
        for piece in pieces {
            reply.push(piece)?;
        }
        Ok(reply.finish().1)
    }

    #[test]
    fn pieces_become_a_reply() {
        let reply = read(&[
            r#"{"type":"reasoning","delta":"hm"}"#,
            r#"{"type":"text","delta":"A "}"#,
            r#"{"type":"text","delta":"b."}"#,
            r#"{"type":"usage","usage":{"inputTokens":3,"outputTokens":2}}"#,
        ])
        .unwrap();
        assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("A b.", "hm"));
        assert_eq!((reply.finish_reason, reply.usage.unwrap().total_tokens), (FinishReason::Stop, 5));
    }

    #[test]
    fn calls_are_whole_and_have_ids() {
        let reply = read(&[
            r#"{"type":"tool-call","name":"f","arguments":{"x":1}}"#,
            r#"{"type":"tool-call","name":"f","arguments":"{\"x\":2}"}"#,
            r#"{"type":"tool-call","id":"own","name":"g"}"#,
            r#"{"type":"finish","reason":"stop"}"#,
        ])
        .unwrap();
        let calls: Vec<_> =
            reply.tool_calls.iter().map(|call| (call.id.as_str(), call.arguments.as_str())).collect();
        assert_eq!(calls, [("call00001", "{\"x\":1}"), ("call00002", "{\"x\":2}"), ("own", "{}")]);
        assert_eq!(reply.finish_reason, FinishReason::ToolCalls);
        let cut =
            read(&[r#"{"type":"tool-call","name":"f"}"#, r#"{"type":"finish","reason":"length"}"#]).unwrap();
        assert!(!cut.calls_tools());
    }

    #[test]
    fn what_is_no_piece_is_an_error() {
        for piece in ["", "{}", "7", r#"{"type":"other"}"#, r#"{"type":"text"}"#] {
            assert_eq!(read(&[piece]).unwrap_err().code(), ErrorCode::ProviderProtocol, "{piece}");
        }
    }
}
