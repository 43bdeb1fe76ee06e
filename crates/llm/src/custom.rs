//! Replies of models that the caller brings along, told in pieces.

use serde::de::Error as _;
use serde_json::Value;

use super::decode::{CallPiece, ReplyDraft};
use super::{ModelReply, ReplyPart, Usage};
use ibid_platform::json::{self, Fields};
use ibid_platform::surrogate::parse_piece;
use ibid_platform::{Error, ErrorCode, Result};

/// The most bytes of all pieces of a reply together.
const MAX_BYTES: usize = 64 << 20;

/// Puts a reply together from pieces that are JSON.
#[derive(Default)]
pub struct CustomReply {
    draft: ReplyDraft,
    calls: u64,
    bytes: usize,
}

impl CustomReply {
    /// Takes in a piece, and returns the parts that are known with it.
    ///
    /// # Errors
    /// [`ErrorCode::ProviderProtocol`] for what is no piece, or for more of them than any reply has.
    pub fn push(&mut self, json: &str) -> Result<Vec<ReplyPart>> {
        self.bytes = self.bytes.saturating_add(json.len());
        if self.bytes > MAX_BYTES {
            return Err(Error::new(ErrorCode::ProviderProtocol, "The model's reply does not end."));
        }
        self.take_in(json).map_err(|error| {
            Error::new(
                ErrorCode::ProviderProtocol,
                format!("A piece of the model's reply cannot be read: {error}."),
            )
            .with_hint("Pieces are objects such as { type: 'text', delta: '…' }.")
        })?;
        Ok(self.draft.take_parts())
    }

    /// A piece is an object whose `type` says what else it has.
    fn take_in(&mut self, json: &str) -> serde_json::Result<()> {
        const TYPES: &[&str] = &["text", "reasoning", "tool-call", "source", "usage", "finish"];
        let (value, torn) = parse_piece(json.as_bytes())?;
        self.draft.torn |= torn;
        let mut fields: Fields = json::of(value)?;
        match fields.take::<String, _>("type")?.as_str() {
            "text" => self.draft.text(&fields.take::<String, _>("delta")?),
            "reasoning" => self.draft.reasoning(&fields.take::<String, _>("delta")?),
            "tool-call" => {
                let id: String = fields.take_or("id", String::new())?;
                let name: String = fields.take("name")?;
                // A call is told whole; its arguments are JSON, as text or as the object itself.
                let arguments = match fields.take("arguments")? {
                    Value::String(text) => text,
                    Value::Null => String::new(),
                    value => value.to_string(),
                };
                let index = Some(self.calls);
                self.calls += 1;
                self.draft.call(CallPiece {
                    index,
                    id: &id,
                    name: &name,
                    arguments: &arguments,
                    extra: None,
                });
            }
            // A page that the model's own search found.
            "source" => {
                let url: String = fields.take("url")?;
                self.draft.source(&url, fields.take::<Option<String>, _>("title")?.as_deref());
            }
            // The tokens used so far.
            "usage" => {
                let mut usage: Usage = fields.take("usage")?;
                usage.total_tokens =
                    usage.total_tokens.max(usage.input_tokens.saturating_add(usage.output_tokens));
                self.draft.usage(usage);
            }
            // Why the model stopped.
            "finish" => self.draft.finished(fields.take("reason")?),
            other => return Err(serde_json::Error::unknown_variant(other, TYPES)),
        }
        Ok(())
    }

    /// Returns the reply, when no more pieces come: its last parts, and all of it. One that ends without saying why
    /// has said all.
    pub fn finish(self) -> (Vec<ReplyPart>, ModelReply) {
        self.draft.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FinishReason;

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
