//! Each trap of the format, as a small stream written by hand.

use serde_json::{Value, json};

use crate::testing::{Tested, assistant, call, result, system, tools, user};
use crate::{
    ChatRequest, FinishReason, ModelReply, OutputForm, Provider, ProviderKind, ReasoningEffort, ReplyPart,
    ToolChoice, Usage, encode,
};
use ibid_platform::{Error, ErrorCode};

fn tested(model: &str) -> Tested {
    Tested(Provider::of(ProviderKind::Ollama, model).unwrap())
}

fn decode(stream: &str) -> (Vec<ReplyPart>, ModelReply) {
    tested("m").decode(stream).unwrap()
}

fn reply(stream: &str) -> ModelReply {
    tested("m").reply(stream)
}

fn error(stream: &str) -> Error {
    tested("m").error(stream)
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
    assert_eq!(parts.first(), Some(&ReplyPart::Reasoning("größer als ".to_owned())));
}

#[test]
fn a_split_at_any_byte_changes_nothing() {
    tested("m").expect_splits_change_nothing(&rich_stream());
}

#[test]
fn ends_and_counts() {
    tested("m").expect_reasons(
        |reason| lines(&[content("a"), end(reason)]),
        &[
            (FinishReason::Stop, "stop"),
            (FinishReason::Stop, ""),
            (FinishReason::Length, "length"),
            (FinishReason::Error, "load unload"),
        ],
    );
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
    assert_eq!(&parts[..2], [ReplyPart::Reasoning("Hm.\n".to_owned()), ReplyPart::Text("Hi".to_owned())]);
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
    let echo = json!({"thinking": "hm", "anthropic_content": []});
    ChatRequest {
        images: Vec::new(),
        model: None,
        messages: vec![
            system("s"),
            user("u"),
            assistant("", vec![call("a", "search", "{\"q\":1}"), call("b", "search", "{")], &echo),
            result("a", "t", false),
            assistant("x", Vec::new(), &echo),
        ],
        tools: tools(&["search", "done"]),
        tool_choice,
        output: Some(OutputForm { name: "o".to_owned(), schema: json!({"type": "object"}) }),
    }
}

#[test]
fn the_whole_request() {
    let request = encode(&tested("qwen3").0, &conversation(ToolChoice::Tool("search".to_owned()))).unwrap();
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
    let qwen = tested("qwen3");
    let open = qwen.body(&conversation(ToolChoice::Required));
    assert_eq!((open["tools"].as_array().unwrap().len(), open.get("format")), (2, None));
    let last = qwen.body(&conversation(ToolChoice::None));
    assert_eq!((last.get("tools"), &last["format"]), (None, &json!({"type": "object"})));
}

#[test]
fn thinking_is_switched_as_the_model_knows_it() {
    let sent = |model: &str, effort| {
        let mut tested = tested(model);
        tested.0.reasoning = effort;
        tested.body(&ChatRequest::default()).get("think").cloned()
    };
    assert_eq!(sent("qwen3:4b", None), None);
    assert_eq!(sent("qwen3:4b", Some(ReasoningEffort::None)), Some(json!(false)));
    assert_eq!(sent("qwen3:4b", Some(ReasoningEffort::High)), Some(json!(true)));
    assert_eq!(sent("gpt-oss:20b", Some(ReasoningEffort::High)), Some(json!("high")));
    assert_eq!(sent("GPT-OSS:20b", Some(ReasoningEffort::None)), Some(json!("low")));
}

#[test]
fn the_address_may_have_the_api_and_a_key_goes_with_it() {
    let mut provider = Provider { temperature: None, max_tokens: None, ..tested("m").0 };
    provider.endpoint.base_url = "https://ollama.com/api/".to_owned();
    let request = encode(&provider.with_api_key("key-1234"), &ChatRequest::default()).unwrap();
    assert_eq!(request.url, "https://ollama.com/api/chat");
    assert!(request.headers.contains(&("authorization".to_owned(), "Bearer key-1234".to_owned())));
    assert!(!String::from_utf8(request.body).unwrap().contains("options"));
}
