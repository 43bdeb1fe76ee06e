//! Each trap of the format, as a small stream written by hand.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::testing;
use crate::{
    ChatRequest, FinishReason, Message, ModelReply, OutputForm, Part, Provider, ProviderKind,
    ReasoningEffort, ToolCall, ToolChoice, ToolSpec, Usage, encode,
};
use ibid_platform::{Error, ErrorCode, Result};

fn provider(model: &str) -> Provider {
    Provider::of(ProviderKind::Ollama, model).unwrap()
}

fn decode_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<(Vec<Part>, ModelReply)> {
    testing::decode_pieces(&provider("m"), pieces)
}

fn decode(stream: &str) -> (Vec<Part>, ModelReply) {
    decode_pieces([stream.as_bytes()]).unwrap()
}

fn reply(stream: &str) -> ModelReply {
    decode(stream).1
}

fn error(stream: &str) -> Error {
    decode_pieces([stream.as_bytes()]).unwrap_err()
}

fn content(content: &str) -> Value {
    json!({"model": "m", "message": {"role": "assistant", "content": content}, "done": false})
}

fn thinking(thinking: &str) -> Value {
    json!({"message": {"role": "assistant", "content": "", "thinking": thinking}, "done": false})
}

fn end(reason: &str) -> Value {
    json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": reason,
        "total_duration": 5, "prompt_eval_count": 3, "eval_count": 4})
}

fn lines(lines: &[Value]) -> String {
    lines.iter().fold(String::new(), |text, line| text + &line.to_string() + "\n")
}

/// A stream of those contents.
fn saying(contents: &[&str]) -> String {
    let mut all: Vec<Value> = contents.iter().map(|piece| content(piece)).collect();
    all.push(end("stop"));
    lines(&all)
}

fn rich_stream() -> String {
    let calls = json!([
        {"id": "call_1", "function": {"index": 0, "name": "suche", "arguments": {"q": "Ärzte"}}},
        {"function": {"name": "suche", "arguments": {}}},
    ]);
    lines(&[
        thinking("größer als "),
        thinking("½?"),
        content("naïve – "),
        content("日本語 🩺"),
        json!({"message": {"role": "assistant", "content": "", "tool_calls": calls}, "done": false}),
        end("stop"),
    ])
    .replace('\n', "\r\n\n")
}

#[test]
fn everything_of_a_stream() {
    let (parts, reply) = decode(&rich_stream());
    assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("naïve – 日本語 🩺", "größer als ½?"));
    let calls: Vec<_> = reply.tool_calls.iter().map(|call| (&*call.id, &*call.arguments)).collect();
    assert_eq!(calls, [("call_1", "{\"q\":\"Ärzte\"}"), ("call00002", "{}")]);
    assert_eq!(reply.finish_reason, FinishReason::ToolCalls);
    assert_eq!(reply.echo["thinking"], "größer als ½?");
    let usage = Usage { input_tokens: 3, output_tokens: 4, total_tokens: 7, ..Usage::default() };
    assert_eq!(reply.usage, Some(usage));
    assert_eq!(parts.first(), Some(&Part::Reasoning("größer als ".to_owned())));
}

#[test]
fn a_split_at_any_byte_changes_nothing() {
    testing::expect_splits_change_nothing(&provider("m"), &rich_stream());
}

#[test]
fn ends_and_counts() {
    for (reason, wanted) in [
        ("stop", FinishReason::Stop),
        ("length", FinishReason::Length),
        ("load", FinishReason::Error),
        ("unload", FinishReason::Error),
        ("", FinishReason::Stop),
    ] {
        assert_eq!(reply(&lines(&[content("a"), end(reason)])).finish_reason, wanted, "{reason}");
    }
    assert_eq!(reply("{\"done\":true,\"eval_count\":2}").usage.unwrap().total_tokens, 2);
    assert_eq!(reply("{\"done\":true}").usage, None);
    // The last line may lack its line feed, and nothing after it counts.
    assert_eq!(reply(&format!("{}{}\nnonsense", lines(&[content("a")]), end("stop"))).text, "a");
}

#[test]
fn a_reply_that_was_not_streamed() {
    let whole = json!({"message": {"role": "assistant", "content": "Hm.\n</think>\n\nHi", "tool_calls":
        [{"function": {"name": "f", "arguments": "{\"x\":1}"}}]}, "done": true, "done_reason": "stop"});
    let (parts, reply) = decode(&whole.to_string());
    assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("Hi", "Hm.\n"));
    assert_eq!(reply.tool_calls[0].arguments, "{\"x\":1}");
    assert_eq!(&parts[..2], [Part::Reasoning("Hm.\n".to_owned()), Part::Text("Hi".to_owned())]);
}

#[test]
fn errors_are_told() {
    let fault = json!({"error": "model 'x' not found"});
    assert_eq!(error(&fault.to_string()).code(), ErrorCode::ProviderUnavailable);
    let late = error(&lines(&[content("a"), fault]));
    assert!(late.message().contains("model 'x' not found"), "{late}");
    let foreign = error("{\"choices\":[]}\n");
    assert_eq!(foreign.code(), ErrorCode::ProviderProtocol);
    assert!(foreign.hint().unwrap().contains("11434"));
    for text in ["<html>", "{\"message\":\"x\"}\n", "{]\n{}", "It works"] {
        assert_eq!(error(text).code(), ErrorCode::ProviderProtocol, "{text}");
    }
}

#[test]
fn a_stream_that_breaks_off_is_a_network_failure() {
    let text = saying(&["a", "b"]);
    for cut in [0, 10, text.len() / 2, text.len() - 5] {
        let error = error(&text[..cut]);
        assert_eq!((error.code(), error.is_retryable()), (ErrorCode::Network, true), "{cut}");
    }
}

fn conversation(tool_choice: ToolChoice) -> ChatRequest {
    let tool = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: "d".to_owned(),
        parameters: json!({"type": "object"}),
    };
    let call = |id: &str, arguments: &str| ToolCall {
        id: id.to_owned(),
        name: "search".to_owned(),
        arguments: arguments.to_owned(),
        extra: None,
    };
    let echo = json!({"thinking": "hm", "anthropic_content": []}).as_object().unwrap().clone();
    ChatRequest {
        model: None,
        messages: vec![
            Message::System { content: "s".to_owned() },
            Message::User { content: "u".to_owned() },
            Message::Assistant {
                content: String::new(),
                tool_calls: vec![call("a", "{\"q\":1}"), call("b", "{")],
                echo: echo.clone(),
            },
            Message::Tool { call_id: "a".to_owned(), content: "t".to_owned(), is_error: false },
            Message::Assistant { content: "x".to_owned(), tool_calls: Vec::new(), echo },
        ],
        tools: vec![tool("search"), tool("done")],
        tool_choice,
        output: Some(OutputForm { name: "o".to_owned(), schema: json!({"type": "object"}) }),
    }
}

fn body(provider: &Provider, request: &ChatRequest) -> Value {
    serde_json::from_slice(&encode(provider, request).unwrap().body).unwrap()
}

#[test]
fn the_whole_request() {
    let request = encode(&provider("qwen3"), &conversation(ToolChoice::Tool("search".to_owned()))).unwrap();
    assert_eq!(request.url, "http://localhost:11434/api/chat");
    assert_eq!(
        serde_json::from_slice::<Value>(&request.body).unwrap(),
        json!({
            "model": "qwen3", "stream": true, "options": {"temperature": 0.3, "num_predict": 2000},
            "tools": [{"type": "function",
                "function": {"name": "search", "description": "d", "parameters": {"type": "object"}}}],
            "messages": [
                {"role": "system", "content": "s"},
                {"role": "user", "content": "u"},
                {"role": "assistant", "content": "", "thinking": "hm", "tool_calls": [
                    {"id": "a", "function": {"name": "search", "arguments": {"q": 1}}},
                    {"id": "b", "function": {"name": "search", "arguments": {}}}]},
                {"role": "tool", "tool_name": "search", "tool_call_id": "a", "content": "t"},
                {"role": "assistant", "content": "x"},
            ],
        })
    );
}

#[test]
fn a_form_waits_while_tools_may_be_called() {
    let provider = provider("qwen3");
    let open = body(&provider, &conversation(ToolChoice::Required));
    assert_eq!((open["tools"].as_array().unwrap().len(), open.get("format")), (2, None));
    let last = body(&provider, &conversation(ToolChoice::None));
    assert_eq!((last.get("tools"), &last["format"]), (None, &json!({"type": "object"})));
}

#[test]
fn thinking_is_switched_as_the_model_knows_it() {
    let sent = |model: &str, effort| {
        let provider = Provider { reasoning: effort, ..provider(model) };
        body(&provider, &ChatRequest::default()).get("think").cloned()
    };
    assert_eq!(sent("qwen3:4b", None), None);
    assert_eq!(sent("qwen3:4b", Some(ReasoningEffort::None)), Some(json!(false)));
    assert_eq!(sent("qwen3:4b", Some(ReasoningEffort::High)), Some(json!(true)));
    assert_eq!(sent("gpt-oss:20b", Some(ReasoningEffort::High)), Some(json!("high")));
    assert_eq!(sent("GPT-OSS:20b", Some(ReasoningEffort::None)), Some(json!("low")));
}

#[test]
fn the_address_may_have_the_api_and_a_key_goes_with_it() {
    let mut provider = Provider { temperature: None, max_tokens: None, ..provider("m") };
    provider.endpoint.base_url = "https://ollama.com/api/".to_owned();
    let request = encode(&provider.with_api_key("key-1234"), &ChatRequest::default()).unwrap();
    assert_eq!(request.url, "https://ollama.com/api/chat");
    assert!(request.headers.contains(&("authorization".to_owned(), "Bearer key-1234".to_owned())));
    assert!(!String::from_utf8(request.body).unwrap().contains("options"));
}

proptest! {
    #[test]
    fn any_splits_change_nothing(cuts in testing::any_cuts()) {
        testing::expect_cuts_change_nothing(&provider("m"), &rich_stream(), &cuts);
    }

    #[test]
    fn arbitrary_bytes_end_in_a_reply_or_an_error(bytes in testing::any_bytes()) {
        testing::expect_an_end(&provider("m"), &bytes, ("{", "\n"));
    }

    #[test]
    fn arbitrary_json_shapes_do_not_panic(
        key in prop::sample::select(vec!["message", "done", "done_reason", "error", "prompt_eval_count", "eval_count"]),
        inner in prop::sample::select(vec!["content", "thinking", "tool_calls", "function", "name", "arguments", "id"]),
        leaf in prop::sample::select(vec!["null", "-1", "1e400", "\"\"", "\"x\"", "[]", "{}", "[null]", "[[]]", "true"]),
    ) {
        for body in [
            format!("{{\"{key}\":{leaf}}}"),
            format!("{{\"message\":{{\"{inner}\":{leaf}}},\"{key}\":{leaf}}}"),
            format!("{{\"message\":{{\"tool_calls\":[{{\"function\":{{\"{inner}\":{leaf}}},\"{inner}\":{leaf}}}]}}}}"),
        ] {
            let _ = decode_pieces([body.as_bytes()]);
            let _ = decode_pieces([format!("{body}\n{body}\n{{\"done\":true}}").as_bytes()]);
        }
    }
}
