use serde_json::{Value, json};

use crate::anthropic::ECHO;
use crate::testing::{Tested, sse as events};
use crate::{FinishReason, ModelReply, Provider, ProviderKind, ReplyPart, Usage};
use ibid_platform::{Error, ErrorCode};

fn tested() -> Tested {
    Tested(Provider::of(ProviderKind::Anthropic, "m").unwrap())
}

fn reply(stream: &str) -> ModelReply {
    tested().reply(stream)
}

fn error(stream: &str) -> Error {
    tested().error(stream)
}

fn begin() -> Value {
    json!({"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "content": [],
        "stop_reason": null, "usage": {"input_tokens": 10, "output_tokens": 1}}})
}

fn start(index: u32, block: &Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u32, kind: &str, name: &str, piece: &str) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": {"type": kind, name: piece}})
}

fn text(index: u32, piece: &str) -> Value {
    delta(index, "text_delta", "text", piece)
}

fn input(index: u32, piece: &str) -> Value {
    delta(index, "input_json_delta", "partial_json", piece)
}

fn stop(index: u32) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn stopped(reason: &str) -> Value {
    json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null},
        "usage": {"output_tokens": 7}})
}

fn end() -> Value {
    json!({"type": "message_stop"})
}

/// A stream of those events within a message that ends for that reason.
fn message(reason: &str, inner: &[Value]) -> String {
    events(&[&[begin()], inner, &[stopped(reason), end()]].concat())
}

/// Thinking, text, and two tool calls.
fn rich_stream() -> String {
    let pings = "event: ping\ndata: {\"type\": \"ping\"}\n\n";
    let inner = [
        start(0, &json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(0, "thinking_delta", "thinking", "größer als "),
        delta(0, "thinking_delta", "thinking", "½?"),
        delta(0, "signature_delta", "signature", "c2ln"),
        stop(0),
        start(1, &json!({"type": "redacted_thinking", "data": "opaque"})),
        stop(1),
        start(2, &json!({"type": "text", "text": ""})),
        text(2, "naïve – "),
        text(2, "日本語 🩺"),
        stop(2),
        start(3, &json!({"type": "tool_use", "id": "toolu_1", "name": "suche", "input": {}})),
        input(3, ""),
        input(3, "{\"q\": \"Ä"),
        input(3, "rzte\"}"),
        stop(3),
        start(4, &json!({"type": "tool_use", "id": "toolu_2", "name": "suche", "input": {}})),
        input(4, ""),
        stop(4),
    ];
    format!("{pings}{}{pings}", message("tool_use", &inner)).replace('\n', "\r\n")
}

#[test]
fn everything_of_a_stream() {
    let (parts, reply) = tested().expect_splits_change_nothing(&rich_stream());
    assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("naïve – 日本語 🩺", "größer als ½?"));
    let calls: Vec<_> =
        reply.tool_calls.iter().map(|call| (call.id.as_str(), call.arguments.as_str())).collect();
    assert_eq!(calls, [("toolu_1", "{\"q\": \"Ärzte\"}"), ("toolu_2", "{}")]);
    assert_eq!(reply.finish_reason, FinishReason::ToolCalls);
    assert_eq!(
        reply.echo[ECHO],
        json!([
            {"type": "thinking", "thinking": "größer als ½?", "signature": "c2ln"},
            {"type": "redacted_thinking", "data": "opaque"},
            {"type": "text", "text": "naïve – 日本語 🩺"},
            {"type": "tool_use", "id": "toolu_1"},
            {"type": "tool_use", "id": "toolu_2"},
        ])
    );
    let usage = |output_tokens| {
        ReplyPart::Usage(Usage {
            input_tokens: 10,
            output_tokens,
            total_tokens: 10 + output_tokens,
            ..Usage::default()
        })
    };
    assert_eq!(parts.iter().filter(|part| matches!(part, ReplyPart::Usage(_))).count(), 2);
    assert!(parts.contains(&usage(1)) && parts.contains(&usage(7)));
    assert!(parts.contains(&ReplyPart::ToolCallStart { slot: 1, name: "suche".to_owned() }));
}

#[test]
fn a_plain_reply_echoes_nothing() {
    let reply =
        reply(&message("end_turn", &[start(0, &json!({"type": "text", "text": "Hel"})), text(0, "lo")]));
    assert_eq!((reply.text.as_str(), reply.finish_reason), ("Hello", FinishReason::Stop));
    assert!(reply.echo.is_empty());
}

#[test]
fn every_stop_reason() {
    tested().expect_reasons(
        |reason| message(reason, &[]),
        &[
            (FinishReason::Stop, "end_turn stop_sequence pause_turn compaction a_new_one"),
            (FinishReason::Length, "max_tokens model_context_window_exceeded"),
            (FinishReason::ContentFilter, "refusal"),
        ],
    );
    let call = start(0, &json!({"type": "tool_use", "id": "a", "name": "f", "input": {}}));
    assert!(reply(&message("tool_use", std::slice::from_ref(&call))).calls_tools());
    assert!(reply(&message("end_turn", std::slice::from_ref(&call))).calls_tools());
    let cut = reply(&message("max_tokens", &[call, input(0, "{\"q\": \"un")]));
    assert!(!cut.calls_tools() && cut.tool_calls.len() == 1);
}

#[test]
fn a_refusal_says_why_where_it_says_nothing_else() {
    let refused = json!({"type": "message_delta", "delta": {"stop_reason": "refusal",
        "stop_details": {"type": "refusal", "category": "bio", "explanation": "Not this."}}});
    let bare = reply(&events(&[begin(), refused.clone(), end()]));
    assert_eq!((bare.text.as_str(), bare.finish_reason), ("Not this.", FinishReason::ContentFilter));
    let partly = reply(&events(&[begin(), text(0, "Well"), refused, end()]));
    assert_eq!(partly.text, "Well");
}

#[test]
fn counts_are_the_latest_and_the_cache_is_part_of_the_input() {
    let first = json!({"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 3,
        "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20, "output_tokens": 1}}});
    let last = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"input_tokens": 5,
        "cache_read_input_tokens": null, "output_tokens": 9, "output_tokens_details": {"thinking_tokens": 4}}});
    assert_eq!(
        reply(&events(&[first, last, end()])).usage,
        Some(Usage {
            input_tokens: 125,
            output_tokens: 9,
            total_tokens: 134,
            cached_input_tokens: 100,
            reasoning_tokens: 4
        })
    );
}

#[test]
fn tools_of_the_provider_are_no_calls_but_their_citations_are_sources() {
    let citation = json!({"type": "web_search_result_location", "url": "https://h/sky", "title": "Sky",
        "cited_text": "blue", "encrypted_index": "x"});
    let in_document = json!({"type": "char_location", "cited_text": "x", "document_index": 0});
    let found = json!({"type": "web_search_tool_result", "tool_use_id": "srv_1",
        "content": [{"type": "web_search_result", "url": "https://h/other", "title": "Other"}]});
    let cite = |citation: &Value| json!({"type": "content_block_delta", "index": 2, "delta": {"type": "citations_delta", "citation": citation}});
    let inner = [
        start(0, &json!({"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}})),
        input(0, ""),
        input(0, "{\"query\": \"sky\"}"),
        stop(0),
        start(1, &found),
        stop(1),
        start(2, &json!({"type": "text", "text": "", "citations": []})),
        cite(&citation),
        cite(&in_document),
        cite(&citation),
        text(2, "Blue."),
        stop(2),
    ];
    let text = message("end_turn", &inner);
    let (parts, reply) = tested().decode(&text).unwrap();
    assert!(reply.tool_calls.is_empty());
    let sources: Vec<_> = parts.iter().filter(|part| matches!(part, ReplyPart::Source { .. })).collect();
    assert_eq!(
        sources,
        [&ReplyPart::Source { url: "https://h/sky".to_owned(), title: Some("Sky".to_owned()) }]
    );
    assert_eq!(reply.echo[ECHO][0]["input"], json!({"query": "sky"}));
    assert_eq!(reply.echo[ECHO][1], found);
    assert_eq!(reply.echo[ECHO][2], json!({"type": "text", "text": "Blue."}));
}

#[test]
fn a_shortened_conversation_is_kept_for_the_next_turn() {
    let inner = [
        start(0, &json!({"type": "compaction", "content": null})),
        delta(0, "compaction_delta", "content", "So far: "),
        delta(0, "compaction_delta", "content", "tea."),
    ];
    let reply = reply(&message("compaction", &inner));
    assert_eq!((reply.text.as_str(), reply.finish_reason), ("", FinishReason::Stop));
    assert_eq!(reply.echo[ECHO], json!([{"type": "compaction", "content": "So far: tea."}]));
}

#[test]
fn a_message_may_begin_twice_but_not_another_within_it() {
    let mut second = begin();
    second["message"]["id"] = "msg_2".into();
    let twice = events(&[begin(), begin(), text(0, "a"), begin(), text(0, "b"), stopped("end_turn"), end()]);
    assert_eq!(reply(&twice).text, "ab");
    let spliced = events(&[begin(), text(0, "a"), second.clone(), text(0, "b"), stopped("end_turn"), end()]);
    assert_eq!(error(&spliced).code(), ErrorCode::ProviderProtocol);
    let after = events(&[begin(), text(0, "a"), stopped("end_turn"), second, text(0, "b")]);
    assert_eq!(reply(&after).text, "a");
}

#[test]
fn what_comes_after_the_end_is_not_read() {
    let after = "event: ping\ndata: {\"type\": \"ping\"}\n\nevent: ping\ndata: nonsense\n\n";
    assert_eq!(reply(&(message("end_turn", &[text(0, "a")]) + after)).text, "a");
}

#[test]
fn types_may_be_in_the_events_name_only_and_starts_missing() {
    let mut bare = String::new();
    for mut event in [begin(), text(0, "a"), json!({"type": "a_new_event"}), stopped("end_turn")] {
        let name = event.as_object_mut().unwrap().remove("type").unwrap();
        bare = bare + "event: " + name.as_str().unwrap() + "\ndata: " + &event.to_string() + "\n\n";
    }
    assert_eq!(reply(&bare).text, "a");
    let foreign = "event: message\ndata: {\"choices\":[]}\n\n";
    assert_eq!(error(foreign).code(), ErrorCode::ProviderProtocol);
    assert!(error("data: {\"choices\":[]}\n\n").hint().unwrap().contains("Messages API"));
}

#[test]
fn errors_inside_the_stream() {
    let fault = |kind: &str| json!({"type": "error", "error": {"type": kind, "message": "m"}});
    for (kind, code, retryable) in [
        ("overloaded_error", ErrorCode::ProviderUnavailable, true),
        ("api_error", ErrorCode::ProviderUnavailable, true),
        ("rate_limit_error", ErrorCode::ProviderRateLimit, true),
        ("invalid_request_error", ErrorCode::ProviderRequest, false),
        ("authentication_error", ErrorCode::ProviderAuth, false),
    ] {
        let error = error(&events(&[begin(), text(0, "a"), fault(kind)]));
        assert_eq!((error.code(), error.is_retryable()), (code, retryable), "{kind}");
    }
}

#[test]
fn a_stream_that_breaks_off_is_a_network_failure() {
    let text = rich_stream();
    let end = text.find("message_delta").unwrap();
    for cut in [0, 40, end / 2, end] {
        let error = error(&text[..cut]);
        assert_eq!((error.code(), error.is_retryable()), (ErrorCode::Network, true), "{cut}");
    }
    // Nothing is missed but the farewell.
    let end = text.find("event: message_stop").unwrap();
    assert_eq!(reply(&text[..end]).finish_reason, FinishReason::ToolCalls);
}

#[test]
fn a_whole_message_is_a_reply_too() {
    let whole = json!({"id": "msg_1", "type": "message", "role": "assistant", "stop_reason": "tool_use", "content": [
        {"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "Hi"},
        {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}},
        {"type": "tool_use", "id": "b", "name": "f", "input": {}}],
        "usage": {"input_tokens": 1, "output_tokens": 2}});
    let reply = reply(&whole.to_string());
    assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("Hi", "hm"));
    let arguments: Vec<_> = reply.tool_calls.iter().map(|call| call.arguments.as_str()).collect();
    assert_eq!(arguments, ["{\"x\":1}", "{}"]);
    assert_eq!(reply.usage.unwrap().total_tokens, 3);
    assert_eq!(reply.echo[ECHO].as_array().unwrap().len(), 4);
    assert_eq!(error("{\"type\":\"completion\",\"completion\":\"x\"}").code(), ErrorCode::ProviderProtocol);
}
