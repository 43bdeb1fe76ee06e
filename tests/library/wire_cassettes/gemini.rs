//! The recorded exchanges of the generateContent format.

use ibid::llm::{FinishReason, ModelReply, ProviderKind, ReplyPart};
use serde_json::Value;

use super::recordings::{Codec, Exchange, streamed_text};

/// The codec of the format.
pub(crate) const CODEC: Codec = Codec {
    kind: ProviderKind::Gemini,
    paths: &[":generateContent", ":streamGenerateContent"],
    end: "\"finishReason\"",
};

/// What the chunks say, taken together.
#[derive(Default)]
struct Expected {
    text: String,
    thoughts: String,
    calls: Vec<(String, Value, Option<String>)>,
    signature: Option<String>,
    reason: String,
    usage: Value,
}

fn expected(documents: &[Value]) -> Expected {
    let mut expected = Expected::default();
    for document in documents {
        let candidate = &document["candidates"][0];
        for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
            let text = part["text"].as_str().unwrap_or_default();
            let signature = part["thoughtSignature"].as_str().map(str::to_owned);
            if let Some(call) = part.get("functionCall") {
                let name = call["name"].as_str().expect("a name").to_owned();
                expected.calls.push((name, call["args"].clone(), signature));
            } else if part["thought"] == true {
                expected.thoughts.push_str(text);
            } else if part.get("text").is_some() {
                expected.text.push_str(text);
                expected.signature = signature.or(expected.signature);
            }
        }
        expected.reason = candidate["finishReason"].as_str().map_or(expected.reason, str::to_owned);
        expected.usage = document["usageMetadata"].clone();
    }
    expected
}

/// Checks a reply.
fn compare(exchange: &Exchange, parts: &[ReplyPart], reply: &ModelReply) {
    let name = exchange.name();
    let expected = expected(&exchange.documents());
    assert_eq!(reply.text, expected.text, "{name}");
    assert_eq!(streamed_text(parts), expected.text, "{name}");
    assert_eq!(reply.reasoning, expected.thoughts, "{name}");
    let calls = reply.tool_calls.iter().map(|call| {
        let extra = call.extra.as_ref();
        let signature = extra.and_then(|extra| extra["google"]["thought_signature"].as_str());
        let arguments = serde_json::from_str(&call.arguments).expect("JSON");
        (call.name.clone(), arguments, signature.map(str::to_owned))
    });
    assert_eq!(calls.collect::<Vec<_>>(), expected.calls, "{name}");
    assert!(reply.tool_calls.iter().all(|call| !call.id.is_empty()), "{name}");
    let signed = reply.echo.values().find_map(|part| part["thoughtSignature"].as_str());
    assert_eq!(signed, expected.signature.as_deref(), "{name}");
    match (expected.reason.as_str(), expected.calls.is_empty()) {
        ("STOP", true) => assert_eq!(reply.finish_reason, FinishReason::Stop, "{name}"),
        ("STOP", false) => assert!(reply.calls_tools(), "{name}"),
        ("MAX_TOKENS", _) => assert_eq!(reply.finish_reason, FinishReason::Length, "{name}"),
        _ => {}
    }
    let usage = reply.usage.expect("a count of tokens");
    let count = |key: &str| expected.usage[key].as_u64().unwrap_or_default();
    assert_eq!(usage.total_tokens, count("totalTokenCount"), "{name}");
    assert_eq!(usage.input_tokens + usage.output_tokens, usage.total_tokens, "{name}");
    assert_eq!(usage.reasoning_tokens, count("thoughtsTokenCount"), "{name}");
    assert_eq!(usage.cached_input_tokens, count("cachedContentTokenCount"), "{name}");
    assert!(parts.contains(&ReplyPart::Usage(usage)), "{name}");
}

#[test]
fn recorded_answers_are_read_whole() {
    CODEC.compare_answers(compare);
}
