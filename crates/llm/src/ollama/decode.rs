//! The meaning of the lines of a chat's response.

use serde_json::Value;

use super::THINKING;
use crate::decode::{CallPiece, ReplyDraft, ReplyFormat, ReplyProblem};
use crate::{FinishReason, Usage};
use ibid_platform::json::{list, number, present, text};

/// Takes in the lines of a stream, or the one line of a reply that was not streamed.
#[derive(Default)]
pub(crate) struct Chat {
    /// The text that the server told apart as thinking.
    thinking: String,
    /// The number of tools that have been called. Calls come whole, and their own numbers are missing from some versions.
    calls: u64,
}

impl ReplyFormat for Chat {
    fn value(&mut self, _event: &str, line: &Value, draft: &mut ReplyDraft) -> Result<(), ReplyProblem> {
        let done = line.get("done").and_then(Value::as_bool);
        let message = present(line, "message").filter(|message| message.is_object());
        if message.is_none() && done.is_none() {
            return Err(ReplyProblem::Protocol("has a line that is not a part of a chat"));
        }
        draft.begin();
        if let Some(message) = message {
            if let Some(thinking) = text(message, THINKING) {
                self.thinking.push_str(thinking);
                draft.reasoning(thinking);
            }
            draft.text(text(message, "content").unwrap_or_default());
            for call in list(message, "tool_calls") {
                self.call(call, draft);
            }
        }
        if done == Some(true) {
            if let Some(usage) = usage(line) {
                draft.usage(usage);
            }
            draft.finished(match text(line, "done_reason") {
                Some("length") => FinishReason::Length,
                // The model was put into the memory or out of it, and said nothing.
                Some("load" | "unload") => FinishReason::Error,
                _ => FinishReason::Stop,
            });
            draft.done = true;
        }
        Ok(())
    }

    fn finish(&mut self, draft: &mut ReplyDraft) {
        if self.calls > 0 && !self.thinking.is_empty() {
            draft.reply.echo.insert(THINKING.to_owned(), std::mem::take(&mut self.thinking).into());
        }
    }

    fn is_lines(&self) -> bool {
        true
    }

    fn hint(&self) -> &'static str {
        "Check that the base URL is Ollama's own, such as http://localhost:11434, without /v1."
    }
}

impl Chat {
    fn call(&mut self, call: &Value, draft: &mut ReplyDraft) {
        let function = present(call, "function").unwrap_or(call);
        let arguments = match function.get("arguments") {
            Some(Value::String(arguments)) => arguments.clone(),
            Some(Value::Null) | None => String::new(),
            Some(arguments) => arguments.to_string(),
        };
        draft.call(CallPiece {
            index: Some(self.calls),
            id: text(call, "id").unwrap_or_default(),
            name: text(function, "name").unwrap_or_default(),
            arguments: &arguments,
            extra: None,
        });
        self.calls += 1;
    }
}

/// Reads the counts of the last line; none of a reply that was not generated. What was read before is not counted again
/// by some versions.
fn usage(line: &Value) -> Option<Usage> {
    let (read, written) = (number(line, "prompt_eval_count"), number(line, "eval_count"));
    if read.is_none() && written.is_none() {
        return None;
    }
    let (input_tokens, output_tokens) = (read.unwrap_or_default(), written.unwrap_or_default());
    Some(Usage { input_tokens, output_tokens, ..Usage::default() })
}
