//! A reply as far as it has arrived.

use std::borrow::Cow;

use serde_json::Value;

use super::thoughts::{Thoughts, ToldReply};
use super::tool_calls::{CallPiece, ToolCalls};
use crate::{FinishReason, ModelReply, ReplyPart, Usage};
use ibid_platform::surrogate::{Joiner, joined, without_halves};

/// The most pages of a provider's search that are told.
const MAX_PAGES: usize = 100;

/// The reply as far as it has arrived, and the parts that nobody has been given yet.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "these are facts of their own, in any combination")]
pub(crate) struct ReplyDraft {
    pub(crate) reply: ModelReply,
    calls: ToolCalls,
    /// The addresses of the pages told so far.
    pages: Vec<String>,
    pub(super) parts: Vec<ReplyPart>,
    finish: Option<FinishReason>,
    refused: bool,
    /// True if anything of the reply has arrived at all.
    pub(super) begun: bool,
    /// True if nothing more comes.
    pub(crate) done: bool,
    /// True if characters are torn apart somewhere in the response, so that its strings may hold marks of their halves.
    pub(crate) torn: bool,
    /// The joiner of characters of the text and of the reasoning; only one of them waits at a time.
    text: Joiner,
    reasoning: Joiner,
    /// Tells thoughts from text where the server has not.
    thoughts: Thoughts,
}

impl ReplyDraft {
    /// Notes that something of the reply has arrived, even if it says nothing.
    pub(crate) fn begin(&mut self) {
        self.begun = true;
    }

    /// More of the content: text, and thoughts where it begins with them.
    pub(crate) fn text(&mut self, text: &str) {
        self.begun = true;
        if text.is_empty() {
            return;
        }
        self.end_reasoning();
        let text = if self.torn { Cow::Owned(self.text.push(text)) } else { Cow::Borrowed(text) };
        self.content(&text);
    }

    fn content(&mut self, text: &str) {
        self.thoughts.content(text, &mut ToldReply { reply: &mut self.reply, parts: &mut self.parts });
    }

    /// More of a refusal. It is for the person who asked, so it is text too.
    pub(crate) fn refusal(&mut self, text: &str) {
        self.refused = true;
        self.text(text);
    }

    /// More reasoning, which the server has told from the text: tags in that are text then.
    pub(crate) fn reasoning(&mut self, text: &str) {
        self.begun = true;
        if text.is_empty() {
            return;
        }
        self.end_text();
        self.thoughts.are_apart();
        let text = if self.torn { Cow::Owned(self.reasoning.push(text)) } else { Cow::Borrowed(text) };
        self.add_reasoning(&text);
    }

    /// Gives up waiting for the rest of a character of the text.
    fn end_text(&mut self) {
        let rest = self.text.rest();
        self.content(rest);
    }

    fn end_reasoning(&mut self) {
        let rest = self.reasoning.rest();
        self.add_reasoning(rest);
    }

    fn add_reasoning(&mut self, text: &str) {
        ToldReply { reply: &mut self.reply, parts: &mut self.parts }.reasoning(text);
    }

    /// More of a tool call.
    pub(crate) fn call(&mut self, piece: CallPiece<'_>) {
        self.begun = true;
        let (id, name) = (self.whole(piece.id), self.whole(piece.name));
        let extra = piece.extra.filter(|_| self.torn).map(without_halves);
        let piece = CallPiece { id: &id, name: &name, extra: extra.as_ref().or(piece.extra), ..piece };
        self.calls.push(piece, self.torn, &mut self.parts);
    }

    /// Takes the whole arguments of the call of that index, in place of what came in pieces.
    pub(crate) fn call_arguments(&mut self, index: u64, arguments: &str) {
        let arguments = self.whole(arguments);
        self.calls.replace_arguments(index, &arguments);
    }

    /// Returns a text that has no other pieces, without marks of halves.
    fn whole<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.torn { Cow::Owned(joined(text)) } else { Cow::Borrowed(text) }
    }

    /// Adds a page that the provider's search found; one that was told before is not told again.
    pub(crate) fn source(&mut self, url: &str, title: Option<&str>) {
        let url = self.whole(url).into_owned();
        if self.pages.len() >= MAX_PAGES || self.pages.contains(&url) {
            return;
        }
        self.pages.push(url.clone());
        let title = title.map(|title| self.whole(title).into_owned());
        self.parts.push(ReplyPart::Source { url, title });
    }

    /// Takes the tokens used so far, in place of those told before.
    pub(crate) fn usage(&mut self, mut usage: Usage) {
        if usage.total_tokens == 0 {
            usage.total_tokens = usage.input_tokens.saturating_add(usage.output_tokens);
        }
        if self.reply.usage != Some(usage) {
            self.reply.usage = Some(usage);
            self.parts.push(ReplyPart::Usage(usage));
        }
    }

    /// Takes the reason why the model stopped. Some servers say "stop" once more after the real reason, which stays.
    pub(crate) fn finished(&mut self, reason: FinishReason) {
        self.begun = true;
        if !self.finish.is_some_and(FinishReason::is_cut_off) {
            self.finish = Some(reason);
        }
    }

    /// Returns true if the model has stopped.
    pub(crate) fn is_complete(&self) -> bool {
        self.done || self.finish.is_some()
    }

    /// Returns true if there is anything that can be an answer, or the word that there is none.
    pub(super) fn has_answer(&self) -> bool {
        self.begun || self.is_complete()
    }

    /// Computes the length of text and reasoning; by it a codec can tell whether it has added any.
    pub(crate) fn told(&self) -> usize {
        // A half that waits will be text too, and so may be the beginning of a tag.
        let halves = usize::from(self.text.waits()) + usize::from(self.reasoning.waits());
        let waiting = halves + self.thoughts.held.len();
        self.reply.text.len() + self.reply.reasoning.len() + waiting
    }

    /// Takes the parts that nobody has been given yet.
    pub(crate) fn take_parts(&mut self) -> Vec<ReplyPart> {
        std::mem::take(&mut self.parts)
    }

    pub(crate) fn finish(mut self) -> (Vec<ReplyPart>, ModelReply) {
        self.end_text();
        self.end_reasoning();
        self.thoughts.finish(&mut ToldReply { reply: &mut self.reply, parts: &mut self.parts });
        let mut reply = self.reply;
        if self.torn
            && let Value::Object(echo) = without_halves(&Value::Object(std::mem::take(&mut reply.echo)))
        {
            reply.echo = echo;
        }
        reply.tool_calls = self.calls.finish(&mut self.parts);
        reply.finish_reason = match self.finish.unwrap_or_default() {
            FinishReason::Stop | FinishReason::ToolCalls if !reply.tool_calls.is_empty() => {
                FinishReason::ToolCalls
            }
            FinishReason::Stop | FinishReason::ToolCalls if self.refused => FinishReason::ContentFilter,
            FinishReason::ToolCalls => FinishReason::Stop,
            other => other,
        };
        self.parts.extend(reply.tool_calls.iter().cloned().map(ReplyPart::ToolCallComplete));
        self.parts.push(ReplyPart::Finish(reply.finish_reason));
        (self.parts, reply)
    }
}

/// Returns true if the text starts like a field or comment of an event stream.
pub(super) fn looks_like_events(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    [b"data".as_slice(), b"event", b"id", b"retry", b":"].iter().any(|field| {
        head.strip_prefix(*field).is_some_and(|rest| field == b":" || rest.first() == Some(&b':'))
    })
}
