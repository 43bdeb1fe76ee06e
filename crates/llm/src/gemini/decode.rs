//! The meaning of the chunks of a `generateContent` response.

use serde_json::{Value, json};

use super::SIGNED_TEXT;
use super::partial_args::PartialArgs;
use crate::decode::{CallPiece, ReplyDraft, ReplyFormat, ReplyProblem};
use crate::{FinishReason, Usage};
use ibid_platform::json::{list, number, present, text};

/// Takes in chunks of a stream, of an array, or a whole response, which are all alike.
#[derive(Default)]
pub(crate) struct GenerateContent {
    /// The number of calls there were.
    calls: u64,
    /// The call that goes on in the next chunk.
    open: Option<OpenCallArgs>,
}

struct OpenCallArgs {
    index: u64,
    id: String,
    arguments: PartialArgs,
}

impl ReplyFormat for GenerateContent {
    fn value(&mut self, _event: &str, chunk: &Value, draft: &mut ReplyDraft) -> Result<(), ReplyProblem> {
        let keys = ["candidates", "usageMetadata", "promptFeedback", "modelVersion", "responseId"];
        if keys.iter().all(|key| chunk.get(key).is_none()) {
            return Err(ReplyProblem::Protocol("has an event in another format"));
        }
        draft.begin();
        if let Some(usage) = present(chunk, "usageMetadata") {
            self::usage(usage, draft);
        }
        let blocked = present(chunk, "promptFeedback").and_then(|feedback| text(feedback, "blockReason"));
        if blocked.is_some() {
            draft.finished(FinishReason::ContentFilter);
        }
        let mut candidates = list(chunk, "candidates").iter();
        let first = candidates.find(|candidate| number(candidate, "index").unwrap_or_default() == 0);
        let Some(candidate) = first else { return Ok(()) };
        if let Some(content) = present(candidate, "content") {
            list(content, "parts").iter().for_each(|part| self.part(part, draft));
        }
        if let Some(grounding) = present(candidate, "groundingMetadata") {
            let pages = list(grounding, "groundingChunks").iter().filter_map(|chunk| present(chunk, "web"));
            for page in pages {
                if let Some(url) = text(page, "uri") {
                    draft.source(url, text(page, "title"));
                }
            }
        }
        // What comes after the reason still counts: a model that runs code itself gives one before and one after.
        match text(candidate, "finishReason") {
            Some(name) => finished(name, text(candidate, "finishMessage"), draft),
            None => Ok(()),
        }
    }

    fn finish(&mut self, draft: &mut ReplyDraft) {
        self.close(draft);
    }

    fn hint(&self) -> &'static str {
        "Check that the base URL belongs to the Gemini API; it usually ends in /v1beta."
    }
}

impl GenerateContent {
    fn part(&mut self, part: &Value, draft: &mut ReplyDraft) {
        let said = text(part, "text").unwrap_or_default();
        if let Some(call) = present(part, "functionCall") {
            self.call(call, text(part, "thoughtSignature"), draft);
        } else if part.get("thought") == Some(&Value::Bool(true)) {
            draft.reasoning(said);
        } else {
            draft.text(said);
            // A signature may come alone, after the text; those of code and the like go with what is not kept.
            let is_text = part.get("text").is_some() || part.as_object().is_some_and(|part| part.len() == 1);
            if let Some(signature) = text(part, "thoughtSignature").filter(|_| is_text) {
                let signed = json!({"text": said, "thoughtSignature": signature});
                draft.reply.echo.insert(SIGNED_TEXT.to_owned(), signed);
            }
        }
    }

    /// Takes a call, or a piece of the one before: a piece has no name, and all but the last say that another comes. The
    /// last may be missing.
    fn call(&mut self, call: &Value, signature: Option<&str>, draft: &mut ReplyDraft) {
        let (id, name) = (text(call, "id").unwrap_or_default(), text(call, "name").unwrap_or_default());
        let extra = signature.map(|signature| json!({"google": {"thought_signature": signature}}));
        let goes_on = call.get("willContinue") == Some(&Value::Bool(true));
        let in_pieces = goes_on || !list(call, "partialArgs").is_empty();
        let same = |open: &OpenCallArgs| name.is_empty() || (!id.is_empty() && open.id == id);
        if !self.open.as_ref().is_some_and(same) {
            self.close(draft);
            let args = call.get("args").filter(|args| args.is_object()).map(Value::to_string);
            if name.is_empty() && args.is_none() && !in_pieces {
                return;
            }
            let arguments = args.as_deref().filter(|_| !in_pieces).unwrap_or_default();
            let index = Some(self.calls);
            draft.call(CallPiece { index, id, name, arguments, extra: extra.as_ref() });
            self.calls += 1;
            if !in_pieces {
                return;
            }
            let arguments = PartialArgs::default();
            self.open = Some(OpenCallArgs { index: self.calls - 1, id: id.to_owned(), arguments });
        } else if let (Some(open), Some(_)) = (&self.open, &extra) {
            draft.call(CallPiece { index: Some(open.index), extra: extra.as_ref(), ..CallPiece::default() });
        }
        if let Some(open) = &mut self.open {
            open.arguments.push(call);
        }
        if !goes_on {
            self.close(draft);
        }
    }

    /// The call that came in pieces is whole.
    fn close(&mut self, draft: &mut ReplyDraft) {
        if let Some(open) = self.open.take() {
            let arguments = open.arguments.finish();
            draft.call(CallPiece { index: Some(open.index), arguments: &arguments, ..CallPiece::default() });
        }
    }
}

/// Takes the reason why the model stopped. It says `STOP` with tool calls too.
///
/// A call that it could not get right is an accident of sampling. As long as nothing of the reply was shown, it is
/// reported as a failure, which has the request made again; afterwards the reply ends as broken.
fn finished(name: &str, message: Option<&str>, draft: &mut ReplyDraft) -> Result<(), ReplyProblem> {
    let reason = match name {
        "FINISH_REASON_UNSPECIFIED" => return Ok(()),
        "STOP" => FinishReason::Stop,
        "MAX_TOKENS" => FinishReason::Length,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "MODEL_ARMOR" => {
            FinishReason::ContentFilter
        }
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "MALFORMED_RESPONSE"
            if draft.reply.text.is_empty() && draft.reply.reasoning.is_empty() =>
        {
            let message = message.unwrap_or(name);
            return Err(ReplyProblem::Reported(json!({"error": {"message": message}})));
        }
        _ => FinishReason::Error,
    };
    draft.finished(reason);
    Ok(())
}

/// Thoughts are counted apart from the text here, and what the provider's own tools found apart from what was asked.
fn usage(value: &Value, draft: &mut ReplyDraft) {
    let count = |key: &str| number(value, key).unwrap_or_default();
    // The first chunks may have no counts, only how they are billed.
    if number(value, "promptTokenCount").or_else(|| number(value, "totalTokenCount")).is_none() {
        return;
    }
    let reasoning_tokens = count("thoughtsTokenCount");
    draft.usage(Usage {
        input_tokens: count("promptTokenCount").saturating_add(count("toolUsePromptTokenCount")),
        output_tokens: count("candidatesTokenCount").saturating_add(reasoning_tokens),
        total_tokens: count("totalTokenCount"),
        cached_input_tokens: count("cachedContentTokenCount"),
        reasoning_tokens,
    });
}
