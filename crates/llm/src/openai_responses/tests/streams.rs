//! Each trap of the format, as a small stream written by hand.

use super::*;
use crate::testing::sse_dressed_up;

#[test]
fn text_usage_and_finish() {
    let usage = json!({"input_tokens": 5, "output_tokens": 3, "total_tokens": 8,
        "input_tokens_details": {"cached_tokens": 2}, "output_tokens_details": {"reasoning_tokens": 1}});
    let message =
        json!({"type": "message", "id": "m", "content": [{"type": "output_text", "text": "Hello"}]});
    let text = sse(&[
        json!({"type": "response.created", "response": {"status": "in_progress", "error": null, "output": []}}),
        json!({"type": "response.in_progress", "response": {"status": "in_progress", "output": []}}),
        added(0, json!({"type": "message", "id": "m", "content": []})),
        event("content_part.added", 0, json!({"part": {"type": "output_text", "text": ""}})),
        text(0, "Hel"),
        text(0, "lo"),
        event("output_text.done", 0, json!({"text": "Hello"})),
        event("content_part.done", 0, json!({"part": {"type": "output_text", "text": "Hello"}})),
        done(0, message.clone()),
        json!({"type": "response.completed", "response": {"status": "completed", "output": [message], "usage": usage}}),
    ]);
    let usage = Usage {
        input_tokens: 5,
        output_tokens: 3,
        total_tokens: 8,
        cached_input_tokens: 2,
        reasoning_tokens: 1,
    };
    let (parts, reply) = tested("m").decode(&text).unwrap();
    assert_eq!(parts, hello(usage));
    assert!(reply.echo.is_empty());
}

#[test]
fn the_end_needs_no_mark_and_ends_reading() {
    let Tested(provider) = tested("m");
    let mut decoder = StreamDecoder::new(&provider);
    decoder.push(sse(&[text(0, "x")]).as_bytes()).unwrap();
    assert!(!decoder.is_complete());
    decoder.push(sse(&[completed()]).as_bytes()).unwrap();
    assert!(decoder.is_done());
    decoder.push(b"data: [DONE]\n\ndata: nonsense\n\n").unwrap();
    assert_eq!(decoder.finish().unwrap().1.text, "x");
}

#[test]
fn what_is_told_only_later_is_not_missed() {
    let message = json!({"type": "message", "content": [{"type": "output_text", "text": "Hi"}]});
    let only_done = [done(0, message.clone()), done(1, call("a", "f", "{\"x\":1}")), completed()];
    let only_end = [json!({"type": "response.completed",
        "response": {"status": "completed", "output": [message, call("a", "f", "{\"x\":1}")]}})];
    let unannounced = [text(0, "Hi"), done(1, call("a", "f", "{\"x\":1}")), completed()];
    for events in [&only_done[..], &only_end, &unannounced] {
        let reply = reply(events);
        assert_eq!((reply.text.as_str(), reply.tool_calls.len()), ("Hi", 1));
        assert_eq!(
            (reply.tool_calls[0].id.as_str(), reply.tool_calls[0].arguments.as_str()),
            ("a", "{\"x\":1}")
        );
    }
}

#[test]
fn arguments_in_pieces_are_replaced_by_the_whole() {
    let delta =
        |index: u32, delta: &str| event("function_call_arguments.delta", index, json!({"delta": delta}));
    let whole = |index: u32, arguments: &str| {
        event("function_call_arguments.done", index, json!({"arguments": arguments}))
    };
    let reply = reply(&[
        added(1, call("a", "f", "")),
        added(2, call("b", "g", "")),
        delta(1, "{\"x\""),
        delta(2, "{\"y\":"),
        delta(1, ":1}"),
        whole(1, "{\"x\":1}"),
        whole(2, "{\"y\":2}"),
        done(1, call("a", "f", "{\"x\":1}")),
        done(2, call("b", "g", "{\"y\":2}")),
        completed(),
    ]);
    let calls: Vec<_> =
        reply.tool_calls.iter().map(|call| format!("{} {} {}", call.id, call.name, call.arguments)).collect();
    assert_eq!(calls, ["a f {\"x\":1}", "b g {\"y\":2}"]);
    // Nothing but the whole, an object, and nothing at all.
    for (events, wanted) in [
        (vec![added(0, call("a", "f", "")), whole(0, "{\"x\":1}"), completed()], "{\"x\":1}"),
        (
            vec![
                done(0, json!({"type": "function_call", "call_id": "a", "name": "f", "arguments": {"x": 1}})),
                completed(),
            ],
            "{\"x\":1}",
        ),
        (vec![added(0, call("a", "f", "")), done(0, call("a", "f", "")), completed()], "{}"),
    ] {
        let reply = self::reply(&events);
        assert_eq!((reply.tool_calls.len(), reply.tool_calls[0].arguments.as_str()), (1, wanted));
    }
}

#[test]
fn events_without_an_index_go_by_their_item() {
    let bare = |kind: &str, fields: Value| {
        let mut event = event(kind, 0, fields);
        event.as_object_mut().unwrap().remove("output_index");
        event
    };
    let arguments =
        |id: &str, delta: &str| bare("function_call_arguments.delta", json!({"item_id": id, "delta": delta}));
    let reply = reply(&[
        bare("output_item.added", json!({"item": {"type": "reasoning", "id": "rs"}})),
        bare("reasoning_text.delta", json!({"item_id": "rs", "delta": "hm"})),
        bare("output_item.added", json!({"item": call("a", "f", "")})),
        bare("output_item.added", json!({"item": call("b", "g", "")})),
        arguments("fc_b", "{\"y\":"),
        arguments("fc_a", "{}"),
        arguments("fc_b", "2}"),
        bare("output_item.done", json!({"item": call("a", "f", "{}")})),
        bare("output_item.done", json!({"item": call("b", "g", "{\"y\":2}")})),
        completed(),
    ]);
    let calls: Vec<_> =
        reply.tool_calls.iter().map(|call| format!("{} {}", call.id, call.arguments)).collect();
    assert_eq!((calls, reply.reasoning.as_str()), (vec!["a {}".to_owned(), "b {\"y\":2}".to_owned()], "hm"));
    // The same place for every item, and another id for each event.
    let reply = self::reply(&[
        added(0, call("a", "f", "")),
        event("function_call_arguments.delta", 0, json!({"item_id": "z1", "delta": "{}"})),
        done(0, call("a", "f", "{}")),
        added(0, call("b", "f", "")),
        event("function_call_arguments.delta", 0, json!({"item_id": "z2", "delta": "{\"x\":2}"})),
        done(0, call("b", "f", "{\"x\":2}")),
        completed(),
    ]);
    assert_eq!(reply.tool_calls.len(), 2);
    assert_eq!(reply.tool_calls[1].arguments, "{\"x\":2}");
}

#[test]
fn several_messages_and_summaries_are_paragraphs() {
    let summary = |part: u32, delta: &str| {
        event(
            "reasoning_summary_text.delta",
            0,
            json!({"item_id": "rs", "summary_index": part, "delta": delta}),
        )
    };
    let reply = reply(&[
        summary(0, "First"),
        summary(0, "."),
        summary(1, "Second."),
        done(
            0,
            json!({"type": "reasoning", "id": "rs", "summary": [{"text": "First."}, {"text": "Second."}]}),
        ),
        done(
            1,
            json!({"type": "reasoning", "id": "r2", "summary": [{"text": "Third."}, {"text": "Fourth."}]}),
        ),
        text(2, "I look."),
        done(2, json!({"type": "message", "id": "m", "content": [{"text": "I look."}]})),
        text(3, "Found."),
        done(3, json!({"type": "message", "id": "m", "content": [{"text": "Found."}]})),
        completed(),
    ]);
    assert_eq!(reply.reasoning, "First.\n\nSecond.\n\nThird.\n\nFourth.");
    assert_eq!(reply.text, "I look.\n\nFound.");
}

#[test]
fn the_providers_own_tools_are_no_calls_and_their_pages_sources() {
    let citation = json!({"type": "url_citation", "url": "https://h/a", "title": "A"});
    let nested = json!({"type": "url_citation", "url_citation": {"url": "https://h/b"}});
    let text = sse(&[
        added(0, json!({"type": "web_search_call", "id": "ws", "status": "in_progress"})),
        event("web_search_call.searching", 0, json!({"item_id": "ws"})),
        done(
            0,
            json!({"type": "web_search_call", "id": "ws", "name": "web", "arguments": "{}", "call_id": "c"}),
        ),
        done(1, json!({"type": "custom_tool_call", "name": "x_search", "input": "{}", "call_id": "c"})),
        text(2, "x"),
        event("output_text.annotation.added", 2, json!({"annotation": citation})),
        event(
            "output_text.annotation.added",
            2,
            json!({"annotation": {"type": "file_citation", "url": "https://h/no"}}),
        ),
        done(2, json!({"type": "message", "content": [{"text": "x", "annotations": [citation, nested]}]})),
        completed(),
    ]);
    let (parts, reply) = tested("m").decode(&text).unwrap();
    assert!(reply.tool_calls.is_empty() && !reply.calls_tools());
    let pages: Vec<_> = parts.iter().filter(|part| matches!(part, ReplyPart::Source { .. })).collect();
    let page = |url: &str, title: Option<&str>| ReplyPart::Source {
        url: url.to_owned(),
        title: title.map(str::to_owned),
    };
    assert_eq!(pages, [&page("https://h/a", Some("A")), &page("https://h/b", None)]);
}

#[test]
fn a_refusal_is_text_under_the_content_filter() {
    let message = json!({"type": "message", "content": [{"type": "refusal", "refusal": "No."}]});
    let streamed =
        [event("refusal.delta", 0, json!({"delta": "No."})), done(0, message.clone()), completed()];
    for events in [&streamed[..], &[done(0, message), completed()]] {
        let reply = reply(events);
        assert_eq!((reply.text.as_str(), reply.finish_reason), ("No.", FinishReason::ContentFilter));
    }
}

#[test]
fn incomplete_responses_say_why() {
    for (details, wanted) in [
        (json!({"reason": "max_output_tokens"}), FinishReason::Length),
        (json!({"reason": "content_filter"}), FinishReason::ContentFilter),
        (json!({"reason": "something_new"}), FinishReason::Error),
        (json!(null), FinishReason::Length),
    ] {
        let end = json!({"type": "response.incomplete", "response": {"incomplete_details": details}});
        let reply = reply(&[added(0, call("a", "f", "")), end]);
        assert_eq!((reply.finish_reason, reply.calls_tools()), (wanted, false));
    }
}

#[test]
fn failures_are_reported_with_their_status() {
    let failed = |code: &str| {
        json!({"type": "response.failed", "response": {"status": "failed",
            "error": {"code": code, "message": "sorry sk-secret-key"}}})
    };
    for (event, code, retryable) in [
        (failed("server_error"), ErrorCode::ProviderUnavailable, true),
        (failed("rate_limit_exceeded"), ErrorCode::ProviderRateLimit, true),
        (failed("invalid_prompt"), ErrorCode::ProviderRequest, false),
        (
            json!({"type": "response.failed", "response": {"error": null}}),
            ErrorCode::ProviderUnavailable,
            true,
        ),
        (
            json!({"type": "error", "code": "rate_limit_exceeded", "message": "m"}),
            ErrorCode::ProviderRateLimit,
            true,
        ),
        (
            json!({"type": "error", "error": {"code": 502, "message": "m"}}),
            ErrorCode::ProviderUnavailable,
            true,
        ),
        (
            json!({"type": "error", "error": {"type": "invalid_request_error", "code": "x", "message": "m"}}),
            ErrorCode::ProviderRequest,
            false,
        ),
        (
            json!({"object": "response", "status": "cancelled", "output": []}),
            ErrorCode::ProviderUnavailable,
            true,
        ),
    ] {
        let error = error(&[text(0, "x"), event.clone()]);
        assert_eq!((error.code(), error.is_retryable()), (code, retryable), "{event}");
        assert!(!error.to_string().contains("secret-key"), "{error}");
        // Some servers do not name their events.
        let unnamed = format!("data: {event}\n\n");
        assert_eq!(tested("m").error(&unnamed).code(), code, "{event}");
    }
}

#[test]
fn streams_that_break_off_or_are_none() {
    for events in [vec![], vec![text(0, "x")], vec![added(0, call("a", "f", ""))]] {
        let error = error(&events);
        assert_eq!((error.code(), error.is_retryable()), (ErrorCode::Network, true));
    }
    for body in [
        "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n",
        r#"{"object":"list","data":[]}"#,
        r#"{"object":"response","status":"in_progress","output":[]}"#,
    ] {
        assert_eq!(tested("m").error(body).code(), ErrorCode::ProviderProtocol, "{body}");
    }
}

#[test]
fn a_whole_response_is_a_reply_too() {
    let whole = json!({"object": "response", "status": "completed", "error": null, "output": [
        thought("rs"),
        {"type": "message", "content": [{"type": "output_text", "text": "Hi"}]},
        call("a", "f", "{\"x\":1}"),
    ], "reasoning": {"effort": "low"}, "usage": {"input_tokens": 1, "output_tokens": 2}});
    let (parts, reply) = tested("m").decode(&whole.to_string()).unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.tool_calls.len(), reply.finish_reason),
        ("Hi", 1, FinishReason::ToolCalls)
    );
    assert_eq!((reply.usage.unwrap().total_tokens, reply.echo[ECHO].as_array().unwrap().len()), (3, 3));
    assert_eq!(parts.len(), 6, "{parts:?}");
    // mistral.rs says what its model thought next to the items.
    let beside = json!({"object": "response", "status": "completed", "output": [], "output_text": "Hi", "reasoning": "hm"});
    let reply = tested("m").reply(&beside.to_string());
    assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("Hi", "hm"));
}

#[test]
fn a_flood_of_items_is_cut() {
    let flood: Vec<Value> = (0..2000)
        .map(|n| added(n, call(&format!("c{n}"), "f", "")))
        .chain((0..2000).map(|n| text(n, "x")))
        .chain([completed()])
        .collect();
    let reply = reply(&flood);
    assert_eq!((reply.tool_calls.len(), reply.text.len()), (128, 2000));
}

/// A stream with everything in it that a split could harm.
fn rich_stream() -> String {
    let delta =
        |delta: &str| event("function_call_arguments.delta", 2, json!({"item_id": "fc_a", "delta": delta}));
    let end = json!({"type": "response.completed", "response": {"status": "completed", "output": [],
        "usage": {"input_tokens": 1, "output_tokens": 2}}});
    let events = [
        event(
            "reasoning_summary_text.delta",
            0,
            json!({"item_id": "rs", "summary_index": 0, "delta": "größer als ½?"}),
        ),
        done(0, thought("rs")),
        text(1, "naïve – 日本語 🩺"),
        added(2, call("a", "suche", "")),
        delta("{\"q\":\"Ä"),
        delta("rzte\"}"),
        done(2, call("a", "suche", "{\"q\":\"Ärzte\"}")),
        end,
    ];
    sse_dressed_up(&events)
}

#[test]
fn a_split_at_any_byte_changes_nothing() {
    let whole = tested("m").expect_splits_change_nothing(&rich_stream());
    assert_eq!(whole.1.tool_calls[0].arguments, "{\"q\":\"Ärzte\"}");
}
