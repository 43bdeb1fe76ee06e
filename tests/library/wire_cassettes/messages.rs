//! The recorded exchanges of Anthropic's Messages format.

use ibid::llm::{FinishReason, ModelReply, ProviderKind, ReplyPart};
use serde_json::Value;

use super::recordings::{Codec, Exchange, streamed_text};

/// The codec of the format.
pub(crate) const CODEC: Codec =
    Codec { kind: ProviderKind::Anthropic, paths: &["/messages"], end: "event: message_delta" };

/// A message as its recording has it.
#[derive(Default)]
struct Expected {
    /// The blocks; those of a stream have their texts and inputs put together.
    blocks: Vec<Value>,
    reason: String,
    /// Every object of counts, in the order they came.
    counts: Vec<Value>,
}

impl Expected {
    fn of(exchange: &Exchange) -> Self {
        let documents = exchange.documents();
        if !exchange.is_stream() {
            let mut message = documents[0].clone();
            return Self {
                reason: message["stop_reason"].as_str().unwrap_or_default().to_owned(),
                counts: vec![message["usage"].take()],
                blocks: message["content"].as_array().expect("blocks").clone(),
            };
        }
        let mut expected = Self::default();
        let mut inputs: Vec<String> = Vec::new();
        for mut event in documents {
            match event["type"].as_str().expect("a type") {
                "message_start" => expected.counts.push(event["message"]["usage"].take()),
                "content_block_start" => {
                    expected.blocks.push(event["content_block"].take());
                    inputs.push(String::new());
                }
                "content_block_delta" => {
                    let at =
                        event["index"].as_u64().and_then(|at| usize::try_from(at).ok()).expect("an index");
                    let (block, delta) = (&mut expected.blocks[at], &event["delta"]);
                    for name in ["text", "thinking", "signature"] {
                        if let Some(piece) = delta[name].as_str() {
                            block[name] =
                                format!("{}{piece}", block[name].as_str().unwrap_or_default()).into();
                        }
                    }
                    inputs[at] += delta["partial_json"].as_str().unwrap_or_default();
                    if delta["citation"].is_object() {
                        let mut citations = block["citations"].as_array().cloned().unwrap_or_default();
                        citations.push(delta["citation"].clone());
                        block["citations"] = citations.into();
                    }
                }
                "message_delta" => {
                    event["delta"]["stop_reason"]
                        .as_str()
                        .expect("a reason")
                        .clone_into(&mut expected.reason);
                    expected.counts.push(event["usage"].take());
                }
                _ => {}
            }
        }
        for (block, input) in expected.blocks.iter_mut().zip(inputs) {
            if !input.is_empty() {
                block["input"] = serde_json::from_str(&input).unwrap_or(Value::String(input));
            }
        }
        expected
    }

    fn all<'v>(&'v self, kind: &'v str) -> impl Iterator<Item = &'v Value> {
        self.blocks.iter().filter(move |block| block["type"] == kind)
    }

    fn joined(&self, kind: &str) -> String {
        self.all(kind).filter_map(|block| block[kind].as_str()).collect()
    }

    /// The last count of that name.
    fn count(&self, name: &str) -> u64 {
        self.counts.iter().rev().find_map(|counts| counts[name].as_u64()).unwrap_or_default()
    }
}

fn compare(name: &str, expected: &Expected, parts: &[ReplyPart], reply: &ModelReply) {
    assert_eq!(reply.text, expected.joined("text"), "{name}");
    assert_eq!(reply.reasoning, expected.joined("thinking"), "{name}");
    assert_eq!(streamed_text(parts), reply.text, "{name}");

    let calls: Vec<&Value> = expected.all("tool_use").collect();
    assert_eq!(reply.tool_calls.len(), calls.len(), "{name}");
    for (call, wanted) in reply.tool_calls.iter().zip(&calls) {
        assert_eq!(
            (call.id.as_str(), call.name.as_str()),
            (wanted["id"].as_str().expect("an id"), wanted["name"].as_str().expect("a name")),
            "{name}"
        );
        let arguments =
            serde_json::from_str(&call.arguments).unwrap_or(Value::String(call.arguments.clone()));
        assert_eq!(arguments, wanted["input"], "{name}");
    }
    let reason = match expected.reason.as_str() {
        "end_turn" | "stop_sequence" => FinishReason::Stop,
        "tool_use" => FinishReason::ToolCalls,
        "max_tokens" => FinishReason::Length,
        // The API adds to these.
        _ => reply.finish_reason,
    };
    assert_eq!(reply.finish_reason, reason, "{name}");

    let usage = reply.usage.expect("counts");
    let cached = expected.count("cache_read_input_tokens");
    let read = expected.count("input_tokens") + cached + expected.count("cache_creation_input_tokens");
    assert_eq!((usage.input_tokens, usage.cached_input_tokens), (read, cached), "{name}");
    assert_eq!(usage.output_tokens, expected.count("output_tokens"), "{name}");

    let pages: Vec<&Value> =
        expected.all("text").filter_map(|block| block["citations"].as_array()).flatten().collect();
    for page in &pages {
        let told =
            parts.iter().any(|part| matches!(part, ReplyPart::Source { url, .. } if *url == page["url"]));
        assert!(told || page["url"].is_null(), "{name}: {page}");
    }
    // What has to go back goes back as it came, in its order.
    let echoed = reply.echo.get("anthropic_content").and_then(Value::as_array);
    let own = |kind: &Value| kind == "text" || kind == "tool_use";
    let special: Vec<&Value> = expected.blocks.iter().filter(|block| !own(&block["type"])).collect();
    match echoed {
        None => assert!(special.is_empty(), "{name}"),
        Some(echoed) => {
            assert_eq!(
                echoed.iter().filter(|block| !own(&block["type"])).collect::<Vec<_>>(),
                special,
                "{name}"
            );
            let kinds =
                |blocks: &[Value]| blocks.iter().map(|block| block["type"].clone()).collect::<Vec<_>>();
            assert_eq!(kinds(echoed), kinds(&expected.blocks), "{name}");
        }
    }
}

#[test]
fn recorded_answers_are_read_whole() {
    CODEC.compare_answers(|exchange, parts, reply| {
        compare(&exchange.name(), &Expected::of(exchange), parts, reply);
    });
}
