//! The recorded exchanges of Ollama's own chat.

use ibid::ErrorCode;
use ibid::llm::{FinishReason, ProviderKind, ReplyPart};
use rayon::prelude::*;
use serde_json::Value;

use super::recordings::{Codec, Exchange, decode, decode_in_every_way, root, streamed_text};

/// The codec of the format.
pub(crate) const CODEC: Option<Codec> = Some(OLLAMA);

const OLLAMA: Codec = Codec {
    kind: ProviderKind::Ollama,
    folders: &["ollama"],
    reads: |method, path| method == "POST" && path == "/api/chat",
};

fn exchanges() -> Vec<Exchange> {
    let exchanges = OLLAMA.exchanges();
    assert!(exchanges.len() == 25 || root().is_none(), "{} exchanges were found", exchanges.len());
    exchanges
}

fn lines(exchange: &Exchange) -> Vec<Value> {
    exchange
        .body
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// Reads one exchange, and says whether it was streamed, calls tools, and has thoughts that leaked into its content.
fn read(exchange: &Exchange) -> [usize; 3] {
    let name = exchange.name();
    let (parts, reply) = decode_in_every_way(&OLLAMA.provider(), exchange);
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
    let shown = streamed_text(&parts);
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
        other => panic!("{name}: an unexpected reason {other:?}"),
    };
    assert_eq!(reply.finish_reason, reason, "{name}");
    let usage = reply.usage.expect("counts");
    assert_eq!(Some(usage.input_tokens), last["prompt_eval_count"].as_u64(), "{name}");
    assert_eq!(Some(usage.output_tokens), last["eval_count"].as_u64(), "{name}");
    let echoed = reply.echo.get("thinking").and_then(Value::as_str).unwrap_or_default();
    assert_eq!(echoed, if calls.is_empty() { "" } else { &thinking }, "{name}");
    assert!(matches!(parts.last(), Some(ReplyPart::Finish(_))), "{name}");
    [lines.len() > 1, !calls.is_empty(), leak.is_some()].map(usize::from)
}

#[test]
fn recorded_answers_are_read_whole() {
    let exchanges = exchanges();
    let [streams, with_tools, leaks] =
        exchanges.par_iter().map(read).reduce(|| [0; 3], |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
    if root().is_some() {
        println!(
            "{streams} streams, {with_tools} replies with tool calls, {leaks} with thoughts in their content"
        );
        assert!(streams > 7 && with_tools > 8 && leaks > 10);
    }
}

#[test]
fn recorded_streams_that_break_off_are_network_failures() {
    let provider = OLLAMA.provider();
    for exchange in exchanges() {
        let end = exchange.body.find("\"done\":true").expect("an end");
        for cut in [end / 3, end / 2, end] {
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
