//! The recorded exchanges of the Responses format, by the providers that speak it.

use ibid::llm::{FinishReason, ModelReply, ProviderKind, ReplyPart};
use serde_json::Value;

use super::recordings::{Codec, Exchange, streamed_text};

/// The codec of the format.
pub(crate) const CODEC: Codec =
    Codec { kind: ProviderKind::OpenAiResponses, paths: &["/responses"], end: "\"response.completed\"" };

/// The response as a document: the whole body, or what the last event of a stream has.
fn response(documents: &[Value]) -> &Value {
    documents
        .iter()
        .rev()
        .map(|document| document.get("response").unwrap_or(document))
        .next()
        .expect("a response")
}

/// The texts of the parts of all items of a type.
fn texts(response: &Value, kind: &str, parts: &str, keys: &[&str]) -> Vec<String> {
    let items = response["output"].as_array().into_iter().flatten().filter(|item| item["type"] == kind);
    let parts = items.flat_map(|item| item[parts].as_array().cloned().unwrap_or_default());
    parts.filter_map(|part| keys.iter().find_map(|key| part[*key].as_str().map(str::to_owned))).collect()
}

/// Checks a reply.
fn compare(exchange: &Exchange, parts: &[ReplyPart], reply: &ModelReply) {
    let name = exchange.name();
    let documents = exchange.documents();
    let response = response(&documents);
    let text = texts(response, "message", "content", &["text", "refusal"]).concat();
    assert_eq!(reply.text, text, "{name}");
    assert_eq!(streamed_text(parts), text, "{name}");
    let mut reasoning = texts(response, "reasoning", "summary", &["text"]);
    if reasoning.is_empty() {
        reasoning = texts(response, "reasoning", "content", &["text"]);
    }
    reasoning.extend(response["reasoning"].as_str().map(str::to_owned));
    assert_eq!(reply.reasoning, reasoning.join("\n\n"), "{name}");
    let items = response["output"].as_array().into_iter().flatten();
    let wanted: Vec<_> = items
        .filter(|item| item["type"] == "function_call")
        .map(|item| ["call_id", "name", "arguments"].map(|key| item[key].as_str().unwrap_or_default()))
        .collect();
    let calls = reply.tool_calls.iter();
    let calls: Vec<_> =
        calls.map(|call| [call.id.as_str(), call.name.as_str(), call.arguments.as_str()]).collect();
    assert_eq!(calls, wanted, "{name}");
    for call in &reply.tool_calls {
        assert!(serde_json::from_str::<Value>(&call.arguments).is_ok(), "{name}: {}", call.arguments);
    }
    let refused = !texts(response, "message", "content", &["refusal"]).is_empty();
    let reason = match response["status"].as_str() {
        // What it is incomplete for, the reply says.
        Some("incomplete") => reply.finish_reason,
        _ if refused => FinishReason::ContentFilter,
        _ if wanted.is_empty() => FinishReason::Stop,
        _ => FinishReason::ToolCalls,
    };
    assert_eq!(reply.finish_reason, reason, "{name}");
    let usage = reply.usage.expect("a count of tokens");
    let told = |pointer: &str| response["usage"].pointer(pointer).and_then(Value::as_u64).unwrap_or_default();
    assert_eq!(usage.input_tokens, told("/input_tokens"), "{name}");
    assert_eq!(usage.output_tokens, told("/output_tokens"), "{name}");
    assert_eq!(usage.total_tokens, told("/total_tokens"), "{name}");
    assert_eq!(usage.cached_input_tokens, told("/input_tokens_details/cached_tokens"), "{name}");
    assert_eq!(usage.reasoning_tokens, told("/output_tokens_details/reasoning_tokens"), "{name}");
    assert!(parts.contains(&ReplyPart::Usage(usage)), "{name}");
    let items = response["output"].as_array().into_iter().flatten();
    let encrypted = items.filter(|item| item["encrypted_content"].is_string()).count();
    let kept = reply.echo.values().flat_map(|items| items.as_array().into_iter().flatten());
    assert_eq!(kept.filter(|item| item["encrypted_content"].is_string()).count(), encrypted, "{name}");
}

#[test]
fn recorded_answers_are_read_whole() {
    CODEC.compare_answers(compare);
}
