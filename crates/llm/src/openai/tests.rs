//! Each liberty that a provider takes with the format, as a small stream written by hand.

#![allow(clippy::needless_pass_by_value, reason = "literals read best without a reference")]

use serde_json::json;

use crate::testing::{Tested, hello, sse};
use crate::{FinishReason, ModelReply, Provider, StreamDecoder, Usage};
use ibid_platform::{Error, ErrorCode};

fn tested() -> Tested {
    Tested(Provider::new("https://h/v1", "m").unwrap().with_api_key("sk-secret-key"))
}

fn reply(stream: &str) -> ModelReply {
    tested().reply(stream)
}

fn error(stream: &str) -> Error {
    tested().error(stream)
}

/// A stream of the chunks given, ended properly.
fn stream(chunks: &[serde_json::Value]) -> String {
    sse(chunks) + "data: [DONE]\n\n"
}

fn delta(delta: serde_json::Value) -> serde_json::Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn finish(reason: &str) -> serde_json::Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

#[test]
fn text_usage_and_finish() {
    let text = stream(&[
        json!({"choices": [], "created": 0, "id": "", "prompt_filter_results": []}),
        delta(json!({"role": "assistant", "content": ""})),
        delta(json!({"role": "", "content": "Hel"})),
        delta(json!({"content": "lo", "tool_calls": null, "refusal": null})),
        delta(json!({"content": null})),
        finish("stop"),
        json!({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7,
            "prompt_tokens_details": {"cached_tokens": 1}, "completion_tokens_details": {"reasoning_tokens": 1}}}),
    ]);
    let usage = Usage {
        input_tokens: 5,
        output_tokens: 2,
        total_tokens: 7,
        cached_input_tokens: 1,
        reasoning_tokens: 1,
    };
    let (parts, reply) = tested().decode(&text).unwrap();
    assert_eq!(parts, hello(usage));
    assert_eq!((reply.text.as_str(), reply.usage), ("Hello", Some(usage)));
}

#[test]
fn usage_may_be_groqs_or_in_the_choice_or_repeated() {
    let usage = json!({"prompt_tokens": 5, "completion_tokens": 2.0});
    let in_groq = json!({"choices": [], "usage": null, "x_groq": {"usage": usage}});
    let in_choice = json!({"choices": [{"delta": {}, "finish_reason": "stop", "usage": usage}]});
    for chunk in [&in_groq, &in_choice] {
        assert_eq!(reply(&stream(std::slice::from_ref(chunk))).usage.unwrap().total_tokens, 7);
    }
    let growing = |n: u32| json!({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": n}});
    let text = stream(&[growing(1), growing(1), growing(2)]);
    let (parts, reply) = tested().decode(&text).unwrap();
    assert_eq!(parts.len(), 3, "{parts:?}");
    assert_eq!(reply.usage.unwrap().output_tokens, 2);
}

#[test]
fn tool_calls_with_stop_are_tool_calls() {
    let call = json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}]});
    for reason in ["stop", "tool_calls", "STOP", "eos"] {
        let reply = reply(&stream(&[delta(call.clone()), finish(reason)]));
        assert_eq!(reply.finish_reason, FinishReason::ToolCalls, "{reason}");
        assert!(reply.calls_tools());
    }
    for (reason, wanted) in [
        ("length", FinishReason::Length),
        ("content_filter", FinishReason::ContentFilter),
        ("error", FinishReason::Error),
    ] {
        let reply = reply(&stream(&[delta(call.clone()), finish(reason), finish("stop")]));
        assert_eq!(reply.finish_reason, wanted);
        assert!(!reply.calls_tools(), "{reason}");
    }
    assert_eq!(reply(&stream(&[finish("tool_calls")])).finish_reason, FinishReason::Stop);
}

#[test]
fn a_refusal_is_text_under_the_content_filter() {
    let both = delta(json!({"content": "No", "refusal": "No"}));
    let own = delta(json!({"content": null, "refusal": "No"}));
    let empty = delta(json!({"content": "", "refusal": "No"}));
    for chunk in [both, own, empty] {
        let reply = reply(&stream(&[chunk, finish("stop")]));
        assert_eq!((reply.text.as_str(), reply.finish_reason), ("No", FinishReason::ContentFilter));
    }
    assert_eq!(
        reply(&stream(&[delta(json!({"content": "x", "refusal": ""}))])).finish_reason,
        FinishReason::Stop
    );
}

#[test]
fn reasoning_is_apart_and_echoed_under_its_name() {
    let reply = reply(&stream(&[
        delta(json!({"reasoning_content": "a", "reasoning": "a"})),
        delta(json!({"reasoning_content": "b", "content": null})),
        delta(json!({"content": "c"})),
    ]));
    assert_eq!((reply.reasoning.as_str(), reply.text.as_str()), ("ab", "c"));
    assert_eq!(reply.echo["reasoning_content"], "ab");
    let routed = self::reply(&stream(&[
        delta(json!({"reasoning": "a", "reasoning_details": [{"index": 0, "text": "a"}]})),
        delta(json!({"reasoning_details": [{"index": 0, "signature": "s"}]})),
    ]));
    assert_eq!(routed.reasoning, "a");
    assert_eq!(routed.echo["reasoning_details"].as_array().unwrap().len(), 2);
    assert!(!routed.echo.contains_key("reasoning_content"));
}

#[test]
fn content_may_be_an_array_of_parts() {
    let thought = json!({"type": "thinking", "thinking": [{"type": "text", "text": "t"}]});
    let reply = reply(&stream(&[delta(
        json!({"content": [thought, {"type": "text", "text": "x"}, {"type": "odd"}]}),
    )]));
    assert_eq!((reply.reasoning.as_str(), reply.text.as_str()), ("t", "x"));
}

#[test]
fn only_the_first_choice_counts() {
    let chunk = json!({"choices": [{"index": 1, "delta": {"content": "b"}}, {"index": 0, "delta": {"content": "a"}}]});
    assert_eq!(reply(&stream(&[chunk])).text, "a");
}

#[test]
fn ends_that_are_ends() {
    let chunk = delta(json!({"content": "x"}));
    assert_eq!(reply(&format!("data: {chunk}\n\ndata: [DONE]")).text, "x");
    assert_eq!(reply(&format!("data: {chunk}\n\ndata: {}", finish("stop"))).text, "x");
    assert_eq!(reply(&format!("{}data: nonsense after the end\n\n", stream(&[chunk]))).text, "x");
}

#[test]
fn a_stream_that_breaks_off_is_a_network_failure() {
    let chunk = delta(json!({"content": "x"}));
    for text in [
        String::new(),
        "\n \n".to_owned(),
        ": ping\n\n".to_owned(),
        "data: {\"choi".to_owned(),
        format!("data: {chunk}\n\n"),
        format!("data: {chunk}\n\ndata: {{\"choices\":[{{"),
        "{\"choices\":[{\"message\":{\"content\":\"x".to_owned(),
    ] {
        let error = error(&text);
        assert_eq!((error.code(), error.is_retryable()), (ErrorCode::Network, true), "{text}");
    }
}

#[test]
fn what_is_no_such_stream_is_a_protocol_error() {
    for text in [
        "<!DOCTYPE html><html>",
        "It works! sk-secret-key",
        "data: {not json}\n\ndata: [DONE]\n\n",
        "data: 17\n\n",
        "data: null\n\n",
        "{]",
        "{\"models\":[]}",
        "[1]",
        "{\"choices\":[]}",
    ] {
        let error = error(text);
        assert_eq!((error.code(), error.is_retryable()), (ErrorCode::ProviderProtocol, false), "{text}");
        assert!(!error.to_string().contains("sk-secret"), "{error}");
    }
}

#[test]
fn errors_inside_the_stream() {
    let chunk = delta(json!({"content": "x"}));
    let rate = json!({"error": {"message": "slow down sk-secret-key", "code": 429}});
    let text = format!("data: {chunk}\n\ndata: {rate}\n\n");
    assert_eq!(error(&text).code(), ErrorCode::ProviderRateLimit);
    assert!(error(&text).message().contains("slow down [secret]"));
    let named = "event: error\ndata: {\"message\":\"m\",\"code\":500}\n\n";
    assert_eq!(error(named).code(), ErrorCode::ProviderUnavailable);
    let vllm = "data: {\"object\":\"error\",\"message\":\"m\",\"code\":400}\n\n";
    assert_eq!(error(vllm).code(), ErrorCode::ProviderRequest);
    let routed = json!({"choices": [{"delta": {"content": ""}, "finish_reason": "error"}],
        "error": {"code": 502, "message": "m"}});
    assert_eq!(error(&stream(&[routed])).code(), ErrorCode::ProviderUnavailable);
    assert_eq!(reply(&stream(&[json!({"error": null, "choices": []})])).text, "");
}

#[test]
fn a_whole_completion_is_a_reply_too() {
    let whole = json!({"id": "x", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant",
        "content": "Hi", "tool_calls": [{"id": "a", "type": "function",
        "function": {"name": "f", "arguments": "{\"x\":1}"}}]}}], "usage": {"prompt_tokens": 1, "completion_tokens": 2}});
    for text in
        [whole.to_string(), format!("\n\n  \u{feff}{whole}\n"), serde_json::to_string_pretty(&whole).unwrap()]
    {
        let (parts, reply) = tested().decode(&text).unwrap();
        assert_eq!((reply.text.as_str(), reply.tool_calls.len()), ("Hi", 1));
        assert_eq!(reply.finish_reason, FinishReason::ToolCalls);
        assert_eq!(parts.len(), 6, "{parts:?}");
    }
    let refused = json!([{"error": {"code": 400, "message": "bad", "status": "INVALID_ARGUMENT"}}]);
    assert_eq!(error(&refused.to_string()).code(), ErrorCode::ProviderRequest);
}

#[test]
fn reading_may_stop_at_the_end_mark() {
    let Tested(provider) = tested();
    let mut decoder = StreamDecoder::new(&provider);
    decoder.push(format!("data: {}\n\n", finish("stop")).as_bytes()).unwrap();
    assert!(decoder.is_complete() && !decoder.is_done());
    decoder.push(b"data: [DONE]\n").unwrap();
    assert!(!decoder.is_done());
    decoder.push(b"\n").unwrap();
    assert!(decoder.is_done());
}

/// A stream with everything in it that a split could harm.
fn rich_stream() -> String {
    let call = |id: &str, arguments: &str| {
        delta(
            json!({"tool_calls": [{"index": 0, "id": id, "function": {"name": "suche", "arguments": arguments}}]}),
        )
    };
    let body = [
        delta(json!({"content": "naïve – 日本語 🩺"})),
        delta(json!({"reasoning_content": "größer als ½?"})),
        call("a", "{\"q\":\"Ä"),
        call("", "rzte\"}"),
        finish("stop"),
        json!({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}}),
    ]
    .iter()
    .fold(String::new(), |text, chunk| {
        text + &format!(": ping\r\n\r\nevent: message\r\ndata: {chunk}\r\n\r\n")
    });
    format!("\u{feff}{body}data: [DONE]\r\r")
}

#[test]
fn a_split_at_any_byte_changes_nothing() {
    let whole = tested().expect_splits_change_nothing(&rich_stream());
    assert_eq!(whole.1.tool_calls[0].arguments, "{\"q\":\"Ärzte\"}");
}
