//! The recorded exchanges of the Responses format, by the providers that speak it.

use std::collections::BTreeMap;

use ibid::ErrorCode;
use ibid::llm::{FinishReason, ProviderKind, ReplyPart, failure};
use serde_json::Value;

use super::recordings::{Codec, Exchange, decode, decode_in_every_way, root, streamed_text};

/// The codec of the format.
pub(crate) const CODEC: Option<Codec> = Some(RESPONSES);

const RESPONSES: Codec = Codec {
    kind: ProviderKind::OpenAiResponses,
    folders: &["llamacpp", "mistralrs", "openai", "openrouter", "xai"],
    reads: |_, path| path.ends_with("/responses"),
};

fn exchanges() -> Vec<Exchange> {
    let exchanges = RESPONSES.exchanges();
    assert!(exchanges.len() > 120 || root().is_none(), "only {} exchanges were found", exchanges.len());
    exchanges
}

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

#[test]
fn recorded_answers_are_read_whole() {
    let provider = RESPONSES.provider();
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let mut count = |what: &str, one: bool| *counts.entry(what.to_owned()).or_default() += u32::from(one);
    for exchange in exchanges().iter().filter(|exchange| exchange.status == 200) {
        let name = &exchange.name();
        let (parts, reply) = decode_in_every_way(&provider, exchange);
        let documents = exchange.documents();
        let response = response(&documents);
        let text = texts(response, "message", "content", &["text", "refusal"]).concat();
        assert_eq!(reply.text, text, "{name}");
        assert_eq!(streamed_text(&parts), text, "{name}");
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
            Some("incomplete") => FinishReason::Length,
            _ if refused => FinishReason::ContentFilter,
            _ if wanted.is_empty() => FinishReason::Stop,
            _ => FinishReason::ToolCalls,
        };
        assert_eq!(reply.finish_reason, reason, "{name}");
        let usage = reply.usage.expect("a count of tokens");
        let told =
            |pointer: &str| response["usage"].pointer(pointer).and_then(Value::as_u64).unwrap_or_default();
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
        count("streams", exchange.is_stream());
        count("with tool calls", !wanted.is_empty());
        count("with reasoning", !reasoning.is_empty());
        count("with encrypted reasoning", encrypted > 0);
        count("refused", refused);
        count("cut off", reason == FinishReason::Length);
    }
    println!("{counts:?}");
    if root().is_some() {
        assert!(counts["streams"] > 40 && counts["with tool calls"] > 30 && counts.values().all(|n| *n > 0));
    }
}

#[test]
fn recorded_refusals_have_code_and_message() {
    let provider = RESPONSES.provider();
    let mut seen = Vec::new();
    for exchange in exchanges().iter().filter(|exchange| exchange.status != 200) {
        let error = failure::from_response(&provider, exchange.status, &[], exchange.body.as_bytes()).error;
        let code = match exchange.status {
            400 => ErrorCode::ProviderRequest,
            401 => ErrorCode::ProviderAuth,
            other => panic!("{}: an unexpected status {other}", exchange.name()),
        };
        assert_eq!(error.code(), code, "{}", exchange.name());
        let body = &exchange.documents()[0];
        let said = body["error"]["message"].as_str().or_else(|| body["error"].as_str()).expect("a message");
        // A key is blotted out.
        let start = said.split("sk-").next().unwrap_or(said);
        assert!(error.message().contains(start), "{}: {error}", exchange.name());
        seen.push(exchange.status);
    }
    assert!(root().is_none() || seen.len() == 9, "{seen:?}");
}

#[test]
fn recorded_streams_that_break_off_are_network_failures() {
    let provider = RESPONSES.provider();
    for exchange in exchanges().iter().filter(|exchange| exchange.status == 200 && exchange.is_stream()) {
        let end = exchange.body.rfind("\"response.completed\"").expect("an end");
        for cut in [end / 3, end / 2, end] {
            // The last event's name may stand before its data, and whoever breaks off there has lost its data.
            let pieces = exchange.body.as_bytes()[..cut].chunks(50);
            let error = decode(&provider, pieces).expect_err(&exchange.name());
            assert_eq!(
                (error.code(), error.is_retryable()),
                (ErrorCode::Network, true),
                "{}",
                exchange.name()
            );
        }
    }
}
