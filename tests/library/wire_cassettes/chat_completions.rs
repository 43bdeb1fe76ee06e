//! The recorded exchanges of the Chat Completions format, by the providers that speak it.

use ibid::ErrorCode;
use ibid::llm::{FinishReason, ProviderKind, failure};
use serde_json::Value;

use super::recordings::{Codec, Exchange, decode, decode_in_every_way, root, streamed_text};

/// The codec of the format.
pub(crate) const CODEC: Option<Codec> = Some(CHAT_COMPLETIONS);

const CHAT_COMPLETIONS: Codec = Codec {
    kind: ProviderKind::OpenAi,
    folders: &["deepseek", "groq", "llamacpp", "mistral", "mistralrs", "openai", "openrouter", "perplexity"],
    reads: |method, path| method == "POST" && path.ends_with("/chat/completions"),
};

fn exchanges() -> Vec<Exchange> {
    let exchanges = CHAT_COMPLETIONS.exchanges();
    assert!(exchanges.len() > 300 || root().is_none(), "only {} exchanges were found", exchanges.len());
    exchanges
}

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

#[test]
fn recorded_answers_are_read_whole() {
    let provider = CHAT_COMPLETIONS.provider();
    let (mut streams, mut with_tools, mut cut, mut thinking) = (0, 0, 0, 0);
    for exchange in exchanges().iter().filter(|exchange| exchange.status == 200) {
        let name = &exchange.name();
        let (parts, reply) = decode_in_every_way(&provider, exchange);
        let (content, tools, reason, tokens) = expected(&exchange.documents());
        // llama.cpp sends thoughts in the content, some of them cut off by their limit.
        let (text, thoughts) = match content.strip_prefix("<think>") {
            Some(rest) => {
                let (thoughts, text) = rest.split_once("</think>").unwrap_or((rest, ""));
                thinking += 1;
                (text.trim_start(), thoughts)
            }
            None => (content.as_str(), reply.reasoning.as_str()),
        };
        assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), (text, thoughts), "{name}");
        assert_eq!(streamed_text(&parts), text, "{name}");
        assert_eq!(
            reply.tool_calls.iter().map(|call| call.name.clone()).collect::<Vec<_>>(),
            tools,
            "{name}"
        );
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
        streams += usize::from(exchange.is_stream());
        with_tools += usize::from(!tools.is_empty());
        cut += usize::from(reply.finish_reason == FinishReason::Length);
    }
    if root().is_some() {
        println!("{streams} streams, {with_tools} replies with tool calls, {cut} cut off by their limit");
        assert!(streams > 150 && with_tools > 100 && cut > 20 && thinking > 0);
    }
}

#[test]
fn recorded_refusals_have_code_and_message() {
    let provider = CHAT_COMPLETIONS.provider();
    let mut seen = Vec::new();
    for exchange in exchanges().iter().filter(|exchange| exchange.status != 200) {
        let error = failure::from_response(&provider, exchange.status, &[], exchange.body.as_bytes()).error;
        let code = match exchange.status {
            400 => ErrorCode::ProviderRequest,
            401 => ErrorCode::ProviderAuth,
            404 => ErrorCode::ProviderNotFound,
            500 => ErrorCode::ProviderUnavailable,
            other => panic!("{}: an unexpected status {other}", exchange.name()),
        };
        assert_eq!(error.code(), code, "{}", exchange.name());
        let body = &exchange.documents()[0];
        let said = [&body["error"]["message"], &body["message"], &body["detail"]]
            .into_iter()
            .find_map(Value::as_str);
        assert!(error.message().ends_with(said.expect("a message")), "{}: {error}", exchange.name());
        seen.push(exchange.status);
    }
    if root().is_some() {
        assert!([400, 401, 404, 500].iter().all(|status| seen.contains(status)), "{seen:?}");
    }
}

#[test]
fn recorded_streams_that_break_off_are_network_failures() {
    let provider = CHAT_COMPLETIONS.provider();
    for exchange in exchanges().iter().filter(|exchange| exchange.status == 200 && exchange.is_stream()) {
        let Some(end) = exchange.body.find("\"finish_reason\":\"") else { continue };
        for cut in [end / 3, end / 2, end] {
            let error =
                decode(&provider, exchange.body.as_bytes()[..cut].chunks(50)).expect_err(&exchange.name());
            assert_eq!(
                (error.code(), error.is_retryable()),
                (ErrorCode::Network, true),
                "{}",
                exchange.name()
            );
        }
    }
}
