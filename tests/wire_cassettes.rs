//! Replays recorded exchanges with real providers through the Chat Completions codec.
//!
//! The recordings are third-party data beside the checkout and no part of this repository; without them these tests
//! say so and pass. What is expected of a reply is read from the recording by the simplest means there are.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::disallowed_methods, reason = "the recordings are files")]
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::panic,
    reason = "these are tests, helpers included"
)]

use std::fs;
use std::path::{Path, PathBuf};

use ibid::ErrorCode;
use ibid::llm::{FinishReason, ModelReply, Part, Provider, StreamDecoder, failure};
use serde_json::Value;
use yaml_rust2::YamlLoader;

const PROVIDERS: [&str; 8] =
    ["deepseek", "groq", "llamacpp", "mistral", "mistralrs", "openai", "openrouter", "perplexity"];

struct Exchange {
    name: String,
    status: u16,
    body: String,
}

impl Exchange {
    fn is_stream(&self) -> bool {
        self.body.contains("data:") && !self.body.trim_start().starts_with('{')
    }

    /// The chunks of a stream, or the one document.
    fn documents(&self) -> Vec<Value> {
        if !self.is_stream() {
            return vec![serde_json::from_str(&self.body).expect("a recorded body is JSON")];
        }
        let lines = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        lines.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).expect("JSON")).collect()
    }
}

fn recordings() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/wire");
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: there are no recordings at {}", path.display());
    None
}

/// All recorded Chat Completions exchanges.
fn exchanges() -> Vec<Exchange> {
    let Some(root) = recordings() else { return Vec::new() };
    let mut files = Vec::new();
    for provider in PROVIDERS {
        collect(&root.join(provider), &mut files);
    }
    files.sort();
    let mut exchanges = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a readable recording");
        if !text.contains("/chat/completions") {
            continue;
        }
        for (n, document) in YamlLoader::load_from_str(&text).expect("YAML").iter().enumerate() {
            if !document["when"]["path"].as_str().unwrap_or_default().ends_with("/chat/completions") {
                continue;
            }
            exchanges.push(Exchange {
                name: format!("{} #{n}", file.strip_prefix(&root).unwrap_or(&file).display()),
                status: document["then"]["status"]
                    .as_i64()
                    .and_then(|n| u16::try_from(n).ok())
                    .expect("a status"),
                body: document["then"]["body"].as_str().unwrap_or_default().to_owned(),
            });
        }
    }
    assert!(exchanges.len() > 300, "only {} exchanges were found", exchanges.len());
    exchanges
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            files.push(path);
        }
    }
}

fn decode(provider: &Provider, body: &[u8], piece: usize) -> ibid::Result<(Vec<Part>, ModelReply)> {
    let mut decoder = StreamDecoder::new(provider);
    let mut parts = Vec::new();
    for piece in body.chunks(piece) {
        parts.extend(decoder.push(piece)?);
    }
    let (last, reply) = decoder.finish()?;
    parts.extend(last);
    Ok((parts, reply))
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
    let provider = Provider::new("https://provider.example/v1", "m").expect("valid");
    let (mut streams, mut with_tools, mut cut) = (0, 0, 0);
    for exchange in exchanges().iter().filter(|exchange| exchange.status == 200) {
        let name = &exchange.name;
        let (parts, reply) = decode(&provider, exchange.body.as_bytes(), usize::MAX)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let (text, tools, reason, tokens) = expected(&exchange.documents());
        assert_eq!(reply.text, text, "{name}");
        let streamed: String = parts
            .iter()
            .filter_map(|part| if let Part::Text(text) = part { Some(text.as_str()) } else { None })
            .collect();
        assert_eq!(streamed, text, "{name}");
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
        for piece in [1, 7, 1000] {
            assert_eq!(
                decode(&provider, exchange.body.as_bytes(), piece).as_ref(),
                Ok(&(parts.clone(), reply.clone())),
                "{name}"
            );
        }
        streams += usize::from(exchange.is_stream());
        with_tools += usize::from(!tools.is_empty());
        cut += usize::from(reply.finish_reason == FinishReason::Length);
    }
    if recordings().is_some() {
        println!("{streams} streams, {with_tools} replies with tool calls, {cut} cut off by their limit");
        assert!(streams > 150 && with_tools > 100 && cut > 20);
    }
}

#[test]
fn recorded_refusals_have_code_and_message() {
    let provider =
        Provider::new("https://provider.example/v1", "m").expect("valid").with_api_key("sk-1234567890");
    let mut seen = Vec::new();
    for exchange in exchanges().iter().filter(|exchange| exchange.status != 200) {
        let error = failure::from_response(&provider, exchange.status, &[], exchange.body.as_bytes()).error;
        let code = match exchange.status {
            400 => ErrorCode::ProviderRequest,
            401 => ErrorCode::ProviderAuth,
            404 => ErrorCode::ProviderNotFound,
            500 => ErrorCode::ProviderUnavailable,
            other => panic!("{}: an unexpected status {other}", exchange.name),
        };
        assert_eq!(error.code(), code, "{}", exchange.name);
        let body = &exchange.documents()[0];
        let said = [&body["error"]["message"], &body["message"], &body["detail"]]
            .into_iter()
            .find_map(Value::as_str);
        assert!(error.message().ends_with(said.expect("a message")), "{}: {error}", exchange.name);
        seen.push(exchange.status);
    }
    if recordings().is_some() {
        assert!([400, 401, 404, 500].iter().all(|status| seen.contains(status)), "{seen:?}");
    }
}

#[test]
fn recorded_streams_that_break_off_are_network_failures() {
    let provider = Provider::new("https://provider.example/v1", "m").expect("valid");
    for exchange in exchanges().iter().filter(|exchange| exchange.status == 200 && exchange.is_stream()) {
        let Some(end) = exchange.body.find("\"finish_reason\":\"") else { continue };
        for cut in [end / 3, end / 2, end] {
            let error = decode(&provider, &exchange.body.as_bytes()[..cut], 50).expect_err(&exchange.name);
            assert_eq!((error.code(), error.is_retryable()), (ErrorCode::Network, true), "{}", exchange.name);
        }
    }
}
