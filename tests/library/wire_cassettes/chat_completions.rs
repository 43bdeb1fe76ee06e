//! The recorded exchanges of the Chat Completions format, by the providers that speak it.

use ibid::llm::{FinishReason, ModelReply, ProviderKind, ReplyPart};
use serde_json::Value;

use super::recordings::{Codec, Exchange, streamed_text};

/// The codec of the format.
pub(crate) const CODEC: Codec =
    Codec { kind: ProviderKind::OpenAi, paths: &["/chat/completions"], end: "\"finish_reason\":\"" };

/// What the chunks say, taken together.
struct Expected {
    text: String,
    /// The names of the tools called.
    names: Vec<String>,
    /// The provider's finish reason, in its own words.
    reason: String,
    /// Its count of tokens written.
    tokens: Option<u64>,
    refused: bool,
}

fn expected(documents: &[Value]) -> Expected {
    let (mut text, mut refusal, mut names) = (String::new(), String::new(), Vec::new());
    let (mut reason, mut tokens) = (String::new(), None);
    for document in documents {
        // A request for several choices gets them interleaved; the first is the answer.
        let choices = document["choices"].as_array().into_iter().flatten();
        let choice = choices
            .into_iter()
            .find(|choice| choice["index"].as_u64().unwrap_or_default() == 0)
            .unwrap_or(&Value::Null);
        let delta = if choice["delta"].is_null() { &choice["message"] } else { &choice["delta"] };
        text.push_str(delta["content"].as_str().unwrap_or_default());
        for part in delta["content"].as_array().into_iter().flatten() {
            text.push_str(part["text"].as_str().unwrap_or_default());
        }
        refusal.push_str(delta["refusal"].as_str().unwrap_or_default());
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            names
                .extend(call["function"]["name"].as_str().filter(|name| !name.is_empty()).map(str::to_owned));
        }
        reason = choice["finish_reason"].as_str().map_or(reason, str::to_owned);
        tokens = document["usage"]["completion_tokens"].as_u64().or(tokens);
    }
    let refused = !refusal.is_empty();
    Expected { text: if text.is_empty() { refusal } else { text }, names, reason, tokens, refused }
}

/// Checks a reply.
fn compare(exchange: &Exchange, parts: &[ReplyPart], reply: &ModelReply) {
    let name = exchange.name();
    let Expected { text: content, names: tools, reason, tokens, refused } = expected(&exchange.documents());
    // llama.cpp sends thoughts in the content, some of them cut off by their limit.
    let (text, thoughts) = match content.strip_prefix("<think>") {
        Some(rest) => {
            let (thoughts, text) = rest.split_once("</think>").unwrap_or((rest, ""));
            (text.trim_start(), thoughts)
        }
        None => (content.as_str(), reply.reasoning.as_str()),
    };
    assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), (text, thoughts), "{name}");
    assert_eq!(streamed_text(parts), text, "{name}");
    assert_eq!(reply.tool_calls.iter().map(|call| call.name.clone()).collect::<Vec<_>>(), tools, "{name}");
    assert_eq!(reply.usage.map(|usage| usage.output_tokens), tokens, "{name}");
    // Providers have reasons of their own, which say nothing here.
    match reason.as_str() {
        "length" => assert_eq!(reply.finish_reason, FinishReason::Length, "{name}"),
        "tool_calls" => assert_eq!(reply.calls_tools(), !tools.is_empty(), "{name}"),
        "stop" if !refused => assert!(!reply.finish_reason.is_cut_off(), "{name}"),
        _ => {}
    }
    for call in reply.tool_calls.iter().filter(|_| !reply.finish_reason.is_cut_off()) {
        assert!(!call.id.is_empty(), "{name}");
    }
}

#[test]
fn recorded_answers_are_read_whole() {
    CODEC.compare_answers(compare);
}
