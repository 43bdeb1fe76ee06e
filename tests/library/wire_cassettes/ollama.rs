//! The recorded exchanges of Ollama's own chat.

use ibid::llm::{FinishReason, ModelReply, ProviderKind, ReplyPart};
use serde_json::Value;

use super::recordings::{Codec, Exchange, streamed_text};

/// The codec of the format.
pub(crate) const CODEC: Codec =
    Codec { kind: ProviderKind::Ollama, paths: &["/api/chat"], end: "\"done\":true" };

fn lines(exchange: &Exchange) -> Vec<Value> {
    exchange
        .body
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// Checks a reply.
fn compare(exchange: &Exchange, parts: &[ReplyPart], reply: &ModelReply) {
    let name = exchange.name();
    let lines = lines(exchange);
    let joined =
        |name: &str| -> String { lines.iter().filter_map(|line| line["message"][name].as_str()).collect() };
    let (content, thinking) = (joined("content"), joined("thinking"));
    let leak = content.split_once("\n</think>");
    match leak {
        None => assert_eq!((&reply.text, &reply.reasoning), (&content, &thinking), "{name}"),
        Some((before, after)) => {
            assert_eq!(reply.text, after.trim_start(), "{name}");
            assert_eq!(reply.reasoning, format!("{before}\n"), "{name}");
        }
    }
    // Of a stream the thoughts were shown; of a whole reply they were told apart.
    let shown = streamed_text(parts);
    assert!(shown.ends_with(&reply.text) && (lines.len() > 1 || shown == reply.text), "{name}");

    let calls: Vec<&Value> =
        lines.iter().filter_map(|line| line["message"]["tool_calls"].as_array()).flatten().collect();
    assert_eq!(reply.tool_calls.len(), calls.len(), "{name}");
    for (call, wanted) in reply.tool_calls.iter().zip(&calls) {
        assert_eq!(
            (call.id.as_str().into(), call.name.as_str().into()),
            (wanted["id"].clone(), wanted["function"]["name"].clone()),
            "{name}"
        );
        let arguments: Value = serde_json::from_str(&call.arguments).expect("JSON");
        assert_eq!(arguments, wanted["function"]["arguments"], "{name}");
    }
    let last = lines.last().expect("a line");
    let reason = match last["done_reason"].as_str() {
        Some("length") => FinishReason::Length,
        Some("stop") if calls.is_empty() => FinishReason::Stop,
        Some("stop") => FinishReason::ToolCalls,
        _ => reply.finish_reason,
    };
    assert_eq!(reply.finish_reason, reason, "{name}");
    let usage = reply.usage.expect("counts");
    assert_eq!(Some(usage.input_tokens), last["prompt_eval_count"].as_u64(), "{name}");
    assert_eq!(Some(usage.output_tokens), last["eval_count"].as_u64(), "{name}");
    let echoed = reply.echo.get("thinking").and_then(Value::as_str).unwrap_or_default();
    assert_eq!(echoed, if calls.is_empty() { "" } else { &thinking }, "{name}");
    assert!(matches!(parts.last(), Some(ReplyPart::Finish(_))), "{name}");
}

#[test]
fn recorded_answers_are_read_whole() {
    CODEC.compare_answers(compare);
}
