//! The meaning of the events of a Messages response.

use serde_json::{Map, Value, json};

use super::ECHO;
use crate::decode::{CallPiece, ReplyDraft, ReplyFormat, ReplyProblem};
use crate::{FinishReason, Usage};
use ibid_platform::json::{list, number, parse, present, text};

/// The most blocks of a reply; further ones are dropped.
const MAX_BLOCKS: usize = 1024;

/// Takes in the events of a stream, or a whole message, which has the blocks that a stream builds up.
#[derive(Default)]
pub(crate) struct Messages {
    /// The message's id, once it has begun.
    id: Option<String>,
    blocks: Vec<ContentBlock>,
    counts: TokenCounts,
}

/// A content block as far as it has arrived.
struct ContentBlock {
    /// Its place as the stream counts.
    index: Option<u64>,
    fields: Map<String, Value>,
    /// The arguments of a tool's call, in pieces of JSON.
    input: String,
}

/// The latest of each count. The API repeats some of them in later events, and corrects them there.
#[derive(Default)]
struct TokenCounts {
    /// Tokens read that were neither taken from the cache nor put into it.
    fresh: u64,
    cache_read: u64,
    cache_written: u64,
    output: u64,
    thinking: u64,
}

impl ReplyFormat for Messages {
    fn value(&mut self, event: &str, value: &Value, draft: &mut ReplyDraft) -> Result<(), ReplyProblem> {
        // Unnamed events are called "message" by some servers.
        match text(value, "type").unwrap_or(if event == "message" { "" } else { event }) {
            "message" => {
                self.message(value, draft)?;
                draft.done = true;
            }
            "message_start" => self.message(value.get("message").unwrap_or(&Value::Null), draft)?,
            "content_block_start" => {
                if let Some(block) = present(value, "content_block") {
                    self.start(number(value, "index"), block, draft);
                }
            }
            "content_block_delta" => {
                if let Some(delta) = present(value, "delta") {
                    self.delta(number(value, "index"), delta, draft);
                }
            }
            "message_delta" => {
                if let Some(delta) = present(value, "delta") {
                    stopped(delta, draft);
                }
                if let Some(usage) = present(value, "usage") {
                    self.usage(usage, draft);
                }
            }
            "message_stop" => draft.done = true,
            "" => return Err(ReplyProblem::Protocol("has an event without a type")),
            // Pings, ends of blocks, and what the API may add: it asks to be read past.
            _ => draft.begin(),
        }
        Ok(())
    }

    fn finish(&mut self, draft: &mut ReplyDraft) {
        for (at, block) in self.blocks.iter().enumerate() {
            if let Some(arguments) = block.whole_input() {
                draft.call(CallPiece {
                    index: Some(at as u64),
                    arguments: &arguments,
                    ..CallPiece::default()
                });
            }
        }
        let blocks = std::mem::take(&mut self.blocks);
        if blocks.iter().any(|block| !matches!(block.kind(), "text" | "tool_use")) {
            let blocks = blocks.into_iter().map(ContentBlock::into_echo);
            draft.reply.echo.insert(ECHO.to_owned(), blocks.collect());
        }
    }

    fn hint(&self) -> &'static str {
        "Check that the base URL belongs to Anthropic's Messages API; it usually ends in /v1."
    }
}

impl Messages {
    /// Begins a message, with nothing in it yet, or a whole one.
    fn message(&mut self, message: &Value, draft: &mut ReplyDraft) -> Result<(), ReplyProblem> {
        draft.begin();
        let id = text(message, "id").unwrap_or_default();
        match &self.id {
            // Some gateways send the beginning twice.
            Some(open) if open == id => return Ok(()),
            Some(_) if draft.is_complete() => {
                draft.done = true;
                return Ok(());
            }
            // Others join the streams of two tries. Which pieces belong to which is past telling.
            Some(_) => return Err(ReplyProblem::Protocol("starts a second message within the first")),
            None => self.id = Some(id.to_owned()),
        }
        for (at, block) in list(message, "content").iter().enumerate() {
            self.start(Some(at as u64), block, draft);
        }
        stopped(message, draft);
        if let Some(usage) = present(message, "usage") {
            self.usage(usage, draft);
        }
        Ok(())
    }

    fn start(&mut self, index: Option<u64>, block: &Value, draft: &mut ReplyDraft) {
        draft.begin();
        let Some(fields) = block.as_object().filter(|_| self.blocks.len() < MAX_BLOCKS) else { return };
        match text(block, "type").unwrap_or_default() {
            "text" => {
                draft.text(text(block, "text").unwrap_or_default());
                list(block, "citations").iter().for_each(|citation| cited(citation, draft));
            }
            "thinking" => draft.reasoning(text(block, "thinking").unwrap_or_default()),
            // What the provider runs itself (`server_tool_use` and its likes) is no call to be made here.
            "tool_use" => draft.call(CallPiece {
                index: Some(self.blocks.len() as u64),
                id: text(block, "id").unwrap_or_default(),
                name: text(block, "name").unwrap_or_default(),
                ..CallPiece::default()
            }),
            _ => {}
        }
        self.blocks.push(ContentBlock { index, fields: fields.clone(), input: String::new() });
    }

    fn delta(&mut self, index: Option<u64>, delta: &Value, draft: &mut ReplyDraft) {
        draft.begin();
        let found = self.blocks.iter().rposition(|block| index.is_none() || block.index == index);
        let mut unknown = ContentBlock { index, fields: Map::new(), input: String::new() };
        let block = found.and_then(|at| self.blocks.get_mut(at)).unwrap_or(&mut unknown);
        let piece = |name: &str| text(delta, name).unwrap_or_default();
        match text(delta, "type").unwrap_or_default() {
            "text_delta" => {
                draft.text(piece("text"));
                block.append("text", piece("text"));
            }
            "thinking_delta" => {
                draft.reasoning(piece("thinking"));
                block.append("thinking", piece("thinking"));
            }
            "signature_delta" => block.append("signature", piece("signature")),
            "compaction_delta" => block.append("content", piece("content")),
            "citations_delta" => {
                if let Some(citation) = present(delta, "citation") {
                    cited(citation, draft);
                }
            }
            "input_json_delta" => {
                block.input.push_str(piece("partial_json"));
                if let Some(at) = found.filter(|_| block.kind() == "tool_use") {
                    draft.call(CallPiece {
                        index: Some(at as u64),
                        arguments: piece("partial_json"),
                        ..CallPiece::default()
                    });
                }
            }
            _ => {}
        }
    }

    fn usage(&mut self, usage: &Value, draft: &mut ReplyDraft) {
        let counts = &mut self.counts;
        for (name, count) in [
            ("input_tokens", &mut counts.fresh),
            ("cache_read_input_tokens", &mut counts.cache_read),
            ("cache_creation_input_tokens", &mut counts.cache_written),
            ("output_tokens", &mut counts.output),
        ] {
            *count = number(usage, name).unwrap_or(*count);
        }
        if let Some(thinking) =
            usage.get("output_tokens_details").and_then(|of| number(of, "thinking_tokens"))
        {
            counts.thinking = thinking;
        }
        draft.usage(Usage {
            input_tokens: counts.fresh.saturating_add(counts.cache_read).saturating_add(counts.cache_written),
            output_tokens: counts.output,
            total_tokens: 0,
            cached_input_tokens: counts.cache_read,
            reasoning_tokens: counts.thinking,
        });
    }
}

impl ContentBlock {
    fn kind(&self) -> &str {
        self.fields.get("type").and_then(Value::as_str).unwrap_or_default()
    }

    fn append(&mut self, name: &str, piece: &str) {
        match self.fields.get_mut(name) {
            Some(Value::String(text)) => text.push_str(piece),
            _ if piece.is_empty() => {}
            _ => drop(self.fields.insert(name.to_owned(), piece.into())),
        }
    }

    /// Reads the arguments of a tool call that came with the block's start and not in pieces, as in a whole message.
    fn whole_input(&self) -> Option<String> {
        let input =
            self.fields.get("input").filter(|_| self.kind() == "tool_use" && self.input.is_empty())?;
        input.as_object().filter(|input| !input.is_empty()).map(|_| input.to_string())
    }

    /// The block as it is handed back.
    fn into_echo(mut self) -> Value {
        match self.kind() {
            "text" => json!({"type": "text", "text": self.fields.remove("text")}),
            "tool_use" => json!({"type": "tool_use", "id": self.fields.remove("id")}),
            _ => {
                // The start of a streamed block has an empty object in place of its input.
                if let Ok(input) = parse(&self.input) {
                    self.fields.insert("input".to_owned(), input);
                }
                self.fields.into()
            }
        }
    }
}

/// Reads the reason why the model stopped, if it has.
fn stopped(message: &Value, draft: &mut ReplyDraft) {
    let Some(reason) = text(message, "stop_reason") else { return };
    let reason = match reason {
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
        "tool_use" => FinishReason::ToolCalls,
        "refusal" => FinishReason::ContentFilter,
        // `pause_turn` and `compaction` ask for another request to go on with tools that the provider runs and with
        // conversations that it shortens. Neither is asked for by a request of this codec.
        _ => FinishReason::Stop,
    };
    if reason == FinishReason::ContentFilter && draft.reply.text.is_empty() {
        let why = message.get("stop_details").and_then(|details| text(details, "explanation"));
        draft.refusal(why.unwrap_or_default());
    }
    draft.finished(reason);
}

/// Adds a page that is cited. Citations of documents have no address; none are sent.
fn cited(citation: &Value, draft: &mut ReplyDraft) {
    if let Some(url) = text(citation, "url") {
        draft.source(url, text(citation, "title"));
    }
}
