//! A reply as far as it has arrived.

use serde_json::Value;

use super::tool_calls::{Piece, ToolCalls};
use crate::llm::{FinishReason, ModelReply, Part, Usage};

/// The most pages of a provider's search that are told.
const MAX_PAGES: usize = 100;

/// What is wrong with a piece of a stream.
pub(in crate::llm) enum Problem {
    /// It is not what the format says.
    Protocol(&'static str),
    /// It is the provider's report of a failure.
    Reported(Value),
}

/// The reply as far as it has arrived, and the parts that nobody has been given yet.
#[derive(Default)]
pub(in crate::llm) struct Draft {
    pub(in crate::llm) reply: ModelReply,
    calls: ToolCalls,
    /// The addresses of the pages told so far.
    pages: Vec<String>,
    pub(super) parts: Vec<Part>,
    finish: Option<FinishReason>,
    refused: bool,
    /// Whether anything of the reply has arrived at all.
    pub(super) begun: bool,
    /// Whether nothing more comes.
    pub(in crate::llm) done: bool,
}

impl Draft {
    /// Notes that something of the reply has arrived, even if it says nothing.
    pub(in crate::llm) fn begin(&mut self) {
        self.begun = true;
    }

    /// More text.
    pub(in crate::llm) fn text(&mut self, text: &str) {
        self.begun = true;
        if !text.is_empty() {
            self.reply.text.push_str(text);
            self.parts.push(Part::Text(text.to_owned()));
        }
    }

    /// More of a refusal. It is for the person who asked, so it is text too.
    pub(in crate::llm) fn refusal(&mut self, text: &str) {
        self.refused = true;
        self.text(text);
    }

    /// More reasoning.
    pub(in crate::llm) fn reasoning(&mut self, text: &str) {
        self.begun = true;
        if !text.is_empty() {
            self.reply.reasoning.push_str(text);
            self.parts.push(Part::Reasoning(text.to_owned()));
        }
    }

    /// More of a tool call.
    pub(in crate::llm) fn call(&mut self, piece: Piece<'_>) {
        self.begun = true;
        self.calls.push(piece, &mut self.parts);
    }

    /// The whole arguments of the call of that index, in the place of what came in pieces.
    pub(in crate::llm) fn call_arguments(&mut self, index: u64, arguments: &str) {
        self.calls.replace_arguments(index, arguments);
    }

    /// A page that the provider's search found; one that was told before is not told again.
    pub(in crate::llm) fn source(&mut self, url: &str, title: Option<&str>) {
        if self.pages.len() >= MAX_PAGES || self.pages.iter().any(|page| page == url) {
            return;
        }
        self.pages.push(url.to_owned());
        self.parts.push(Part::Source { url: url.to_owned(), title: title.map(str::to_owned) });
    }

    /// The tokens used so far, in the place of those told before.
    pub(in crate::llm) fn usage(&mut self, usage: Usage) {
        if self.reply.usage != Some(usage) {
            self.reply.usage = Some(usage);
            self.parts.push(Part::Usage(usage));
        }
    }

    /// Why the model stopped. Some servers say "stop" once more after the real reason, which stays.
    pub(in crate::llm) fn finished(&mut self, reason: FinishReason) {
        self.begun = true;
        if !self.finish.is_some_and(FinishReason::is_cut_off) {
            self.finish = Some(reason);
        }
    }

    /// Whether the model has stopped.
    pub(in crate::llm) fn is_complete(&self) -> bool {
        self.done || self.finish.is_some()
    }

    /// How many parts wait to be given out; by it a codec can tell whether it has added any.
    pub(in crate::llm) fn waiting(&self) -> usize {
        self.parts.len()
    }

    pub(super) fn finish(mut self) -> (Vec<Part>, ModelReply) {
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
        self.parts.extend(reply.tool_calls.iter().cloned().map(Part::ToolCallComplete));
        self.parts.push(Part::Finish(reply.finish_reason));
        (self.parts, reply)
    }
}

/// Whether the text starts like a field or comment of an event stream.
pub(super) fn looks_like_events(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    [b"data".as_slice(), b"event", b"id", b"retry", b":"].iter().any(|field| {
        head.strip_prefix(*field).is_some_and(|rest| field == b":" || rest.first() == Some(&b':'))
    })
}
