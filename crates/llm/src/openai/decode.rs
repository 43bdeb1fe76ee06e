//! The meaning of the chunks of a Chat Completions response.

use serde_json::{Map, Value};

use crate::decode::{CallPiece, ReplyDraft, ReplyFormat, ReplyProblem};
use crate::{FinishReason, Usage};
use ibid_platform::json::{list, number, present, text};

/// Takes in chunks of a stream, or a whole completion, which differ in `delta` and `message` only.
#[derive(Default)]
pub(crate) struct ChatCompletions;

impl ReplyFormat for ChatCompletions {
    fn value(&mut self, _event: &str, chunk: &Value, draft: &mut ReplyDraft) -> Result<(), ReplyProblem> {
        // What has none of these is no chunk, such as a note of a server's own.
        if ["choices", "usage", "x_groq", "object"].iter().any(|key| chunk.get(key).is_some()) {
            draft.begin();
        }
        let choice =
            list(chunk, "choices").iter().find(|choice| number(choice, "index").unwrap_or_default() == 0);
        if let Some(choice) = choice {
            let delta = present(choice, "delta");
            // Some send the message so far next to the delta.
            let message = present(choice, "message").filter(|_| delta.is_none());
            if let Some(delta) = delta.or(message) {
                self::delta(delta, draft);
            }
            if let Some(reason) = text(choice, "finish_reason").map(finish_reason) {
                draft.finished(reason);
            } else if message.is_some() {
                // A whole completion is complete, whether it gives a reason or not.
                draft.finished(FinishReason::Stop);
            }
        }
        // Perplexity lists what its search found, again in every chunk.
        for page in list(chunk, "search_results") {
            if let Some(url) = text(page, "url") {
                draft.source(url, text(page, "title"));
            }
        }
        let usage = present(chunk, "usage")
            .or_else(|| chunk.get("x_groq").and_then(|groq| present(groq, "usage")))
            .or_else(|| choice.and_then(|choice| present(choice, "usage")));
        if let Some(usage) = usage {
            draft.usage(self::usage(usage, "prompt_tokens", "completion_tokens"));
        }
        Ok(())
    }

    fn hint(&self) -> &'static str {
        "Check that the base URL belongs to a Chat Completions API; it usually ends in /v1."
    }
}

fn delta(delta: &Value, draft: &mut ReplyDraft) {
    if let Some(reasoning) = text(delta, "reasoning_content") {
        let echoed = echo(draft).entry("reasoning_content").or_insert_with(|| Value::from(""));
        if let Value::String(echoed) = echoed {
            echoed.push_str(reasoning);
        }
        draft.reasoning(reasoning);
    } else if let Some(reasoning) = text(delta, "reasoning") {
        draft.reasoning(reasoning);
    }
    let details = list(delta, "reasoning_details");
    if !details.is_empty() {
        let echoed = echo(draft).entry("reasoning_details").or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(echoed) = echoed {
            echoed.extend_from_slice(details);
        }
    }
    let before = draft.told();
    match delta.get("content") {
        Some(Value::String(content)) => draft.text(content),
        Some(Value::Array(content)) => content.iter().for_each(|part| content_part(part, draft)),
        _ => {}
    }
    if let Some(refusal) = text(delta, "refusal") {
        // A server that sends a refusal as content too has been heard already.
        draft.refusal(if draft.told() == before { refusal } else { "" });
    }
    for call in list(delta, "tool_calls") {
        tool_call(call, draft);
    }
    for page in list(delta, "annotations").iter().filter_map(|annotation| present(annotation, "url_citation"))
    {
        if let Some(url) = text(page, "url") {
            draft.source(url, text(page, "title"));
        }
    }
}

fn echo(draft: &mut ReplyDraft) -> &mut Map<String, Value> {
    &mut draft.reply.echo
}

/// Reads an element of a content that is an array: a text, or a thought with texts in it.
fn content_part(part: &Value, draft: &mut ReplyDraft) {
    if let Some(content) = text(part, "text") {
        draft.text(content);
    }
    for thought in list(part, "thinking") {
        if let Some(thought) = text(thought, "text") {
            draft.reasoning(thought);
        }
    }
}

fn tool_call(call: &Value, draft: &mut ReplyDraft) {
    let function = present(call, "function").unwrap_or(call);
    // Some servers send the arguments as an object, which is then the whole of them.
    let whole = function.get("arguments").filter(|arguments| arguments.is_object()).map(Value::to_string);
    draft.call(CallPiece {
        index: number(call, "index"),
        id: text(call, "id").unwrap_or_default(),
        name: text(function, "name").unwrap_or_default(),
        arguments: whole.as_deref().or_else(|| text(function, "arguments")).unwrap_or_default(),
        extra: present(call, "extra_content"),
    });
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

/// Reads the counts of `OpenAI`'s formats, which differ in the words for what is read and what is written.
pub(crate) fn usage(value: &Value, read: &str, written: &str) -> Usage {
    let count = |key: &str| number(value, key).unwrap_or_default();
    let detail = |of: &str, key: &str| value.get(format!("{of}_details")).and_then(|of| number(of, key));
    Usage {
        input_tokens: count(read),
        output_tokens: count(written),
        total_tokens: count("total_tokens"),
        cached_input_tokens: detail(read, "cached_tokens")
            .unwrap_or_else(|| count("prompt_cache_hit_tokens")),
        reasoning_tokens: detail(written, "reasoning_tokens").unwrap_or_default(),
    }
}
