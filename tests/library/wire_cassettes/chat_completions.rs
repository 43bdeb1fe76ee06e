//! The recorded exchanges of the Chat Completions format, by the providers that speak it.

use ibid::llm::{FinishReason, ModelReply, ProviderKind, ReplyPart};
use serde_json::Value;

use super::recordings::{Codec, Exchange, streamed_text};

/// The codec of the format.
pub(crate) const CODEC: Codec = Codec {
    kind: ProviderKind::OpenAi,
    folders: &["deepseek", "groq", "llamacpp", "mistral", "mistralrs", "openai", "openrouter", "perplexity"],
    reads: |method, path| method == "POST" && path.ends_with("/chat/completions"),
    recorded: (551, 20),
    end: "\"finish_reason\":\"",
};

/// Text, names of the tools called, the provider's finish reason and its count of tokens written.
fn expected(documents: &[Value]) -> (String, Vec<String>, String, Option<u64>) {
    let (mut text, mut refusal, mut names) = (String::new(), String::new(), Vec::new());
    let (mut reason, mut tokens) = (String::new(), None);
    for document in documents {
        // A request for several choices gets them interleaved; the first is the answer.
        let choices = document["choices"].as_array().into_iter().flatten();
        let choice = choices.into_iter().find(|choice| choice["index"] == 0).unwrap_or(&Value::Null);
        let delta = if choice["delta"].is_null() { &choice["message"] } else { &choice["delta"] };
        text.push_str(delta["content"].as_str().unwrap_or_default());
        refusal.push_str(delta["refusal"].as_str().unwrap_or_default());
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            names
                .extend(call["function"]["name"].as_str().filter(|name| !name.is_empty()).map(str::to_owned));
        }
        reason = choice["finish_reason"].as_str().map_or(reason, str::to_owned);
        tokens = document["usage"]["completion_tokens"].as_u64().or(tokens);
    }
    (if text.is_empty() { refusal } else { text }, names, reason, tokens)
}

/// Checks a reply, and says whether it was streamed, calls tools, was cut off, and has thoughts in its content.
fn compare(exchange: &Exchange, parts: &[ReplyPart], reply: &ModelReply) -> [bool; 4] {
    let name = exchange.name();
    let (content, tools, reason, tokens) = expected(&exchange.documents());
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
    match reason.as_str() {
        "length" => assert_eq!(reply.finish_reason, FinishReason::Length, "{name}"),
        "tool_calls" => assert!(reply.calls_tools(), "{name}"),
        "stop" => assert!(
            !reply.finish_reason.is_cut_off() || text.contains("sorry") || text.contains("can"),
            "{name}"
        ),
        other => panic!("{name}: an unexpected finish reason {other}"),
    }
    for call in reply.tool_calls.iter().filter(|_| !reply.finish_reason.is_cut_off()) {
        // Some providers say "tool_calls" where the limit cut the arguments off.
        let whole = serde_json::from_str::<Value>(&call.arguments).is_ok() || name.contains("truncation");
        assert!(whole, "{name}: {}", call.arguments);
        assert!(!call.id.is_empty(), "{name}");
    }
    let is_cut = reply.finish_reason == FinishReason::Length;
    [exchange.is_stream(), !tools.is_empty(), is_cut, content.starts_with("<think>")]
}

#[test]
fn recorded_answers_are_read_whole() {
    let counts = CODEC.count_answers(compare);
    let Some([streams, with_tools, cut, thinking]) = counts else { return };
    assert!(streams > 150 && with_tools > 100 && cut > 20 && thinking > 0, "{counts:?}");
}
