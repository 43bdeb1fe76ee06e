//! Each trap of the format, as a small stream written by hand.

use super::*;
use crate::testing::sse_dressed_up;

#[test]
fn text_thoughts_usage_and_finish() {
    let usage = json!({"promptTokenCount": 5, "toolUsePromptTokenCount": 1, "candidatesTokenCount": 2,
        "thoughtsTokenCount": 3, "cachedContentTokenCount": 4, "totalTokenCount": 11});
    let mut last = finish("STOP");
    last["usageMetadata"] = usage;
    let text = sse(&[
        json!({"usageMetadata": {"trafficType": "ON_DEMAND"}, "candidates": []}),
        chunk(json!([{"text": "Hm.", "thought": true}])),
        chunk(json!([{"text": "Hel", "thought": false}])),
        chunk(json!([{"executableCode": {"language": "PYTHON", "code": "1"}, "thoughtSignature": "s"},
            {"codeExecutionResult": {"output": "1"}}, {"inlineData": {"data": "AA=="}}, {"text": "lo"}])),
        last,
    ]);
    let usage = Usage {
        input_tokens: 6,
        output_tokens: 5,
        total_tokens: 11,
        cached_input_tokens: 4,
        reasoning_tokens: 3,
    };
    let (parts, reply) = tested("g").decode(&text).unwrap();
    assert_eq!(
        parts,
        [
            ReplyPart::Reasoning("Hm.".to_owned()),
            ReplyPart::Text("Hel".to_owned()),
            ReplyPart::Text("lo".to_owned()),
            ReplyPart::Usage(usage),
            ReplyPart::Finish(FinishReason::Stop)
        ]
    );
    assert!(reply.echo.is_empty(), "code's signature is not the text's");
}

#[test]
fn calls_come_whole_with_stop_and_their_signature() {
    let reply = reply(&[
        chunk(json!([{"functionCall": {"name": "f", "args": {"x": 1}}, "thoughtSignature": "s"},
            {"functionCall": {"id": "", "name": "f", "args": {"x": 2}}}])),
        chunk(json!([{"functionCall": {"id": "given", "name": "g"}}])),
        finish("STOP"),
    ]);
    let calls: Vec<_> =
        reply.tool_calls.iter().map(|call| format!("{} {} {}", call.id, call.name, call.arguments)).collect();
    assert_eq!(calls, ["call00001 f {\"x\":1}", "call00002 f {\"x\":2}", "given g {}"]);
    assert_eq!(reply.tool_calls[0].extra, Some(json!({"google": {"thought_signature": "s"}})));
    assert!(reply.tool_calls[1].extra.is_none() && reply.calls_tools());
    assert_eq!(reply.finish_reason, FinishReason::ToolCalls);
}

#[test]
fn arguments_in_pieces_are_put_together() {
    let begin = |name: &str| {
        chunk(json!([{"functionCall": {"name": name, "willContinue": true}, "thoughtSignature": "s"}]))
    };
    let piece = |call: Value| chunk(json!([{"functionCall": call}]));
    let string = |path: &str, value: &str, goes_on: bool| {
        piece(
            json!({"partialArgs": [{"jsonPath": path, "stringValue": value, "willContinue": goes_on}], "willContinue": true}),
        )
    };
    // The end is an empty piece, a piece that does not say that another comes, the next call, or the reply's.
    let ends = [
        vec![piece(json!({}))],
        vec![piece(json!({"partialArgs": [{"jsonPath": "$.n", "numberValue": 2}]}))],
        vec![],
    ];
    for end in ends {
        let counted = end.iter().any(|chunk| chunk.to_string().contains("numberValue"));
        let mut chunks = vec![
            begin("f"),
            string("$.q", "Ren", true),
            string("$.q", "al", false),
            piece(json!({"willContinue": true})),
            string("$.ids[0]", "a", false),
        ];
        chunks.extend(end);
        chunks.push(chunk(json!([{"functionCall": {"name": "g", "args": {"x": 1}}}])));
        chunks.push(finish("STOP"));
        let reply = reply(&chunks);
        let wanted = if counted {
            json!({"q": "Renal", "ids": ["a"], "n": 2})
        } else {
            json!({"q": "Renal", "ids": ["a"]})
        };
        assert_eq!(reply.tool_calls.len(), 2, "{:?}", reply.tool_calls);
        assert_eq!(serde_json::from_str::<Value>(&reply.tool_calls[0].arguments).unwrap(), wanted);
        assert_eq!(reply.tool_calls[0].extra, Some(json!({"google": {"thought_signature": "s"}})));
        assert_eq!(reply.tool_calls[1].arguments, "{\"x\":1}");
    }
    let open = reply(&[begin("f"), string("$.q", "x", true), finish("STOP")]);
    assert_eq!(open.tool_calls[0].arguments, "{\"q\":\"x\"}");
    assert!(reply(&[piece(json!({})), finish("STOP")]).tool_calls.is_empty());
}

#[test]
fn reasons_to_stop() {
    tested("g").expect_reasons(
        |name| sse(&[chunk(json!([{"text": "x"}])), finish(name)]),
        &[
            (FinishReason::Stop, "STOP"),
            (FinishReason::Length, "MAX_TOKENS"),
            (FinishReason::ContentFilter, "SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII"),
            (FinishReason::Error, "OTHER LANGUAGE MALFORMED_FUNCTION_CALL"),
        ],
    );
    let blocked = json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 3}});
    assert_eq!(reply(&[blocked]).finish_reason, FinishReason::ContentFilter);
    // A model that runs code stops twice.
    let text = reply(&[
        chunk(json!([{"text": "a"}])),
        finish("STOP"),
        chunk(json!([{"text": "b"}])),
        finish("STOP"),
    ])
    .text;
    assert_eq!(text, "ab");
}

#[test]
fn a_call_gone_wrong_is_worth_another_try_while_nothing_was_shown() {
    let mut end = finish("MALFORMED_FUNCTION_CALL");
    end["candidates"][0]["finishMessage"] = "Malformed function call: call:f{".into();
    let error = tested("g").error(&sse(&[end]));
    assert_eq!((error.code(), error.is_retryable()), (ErrorCode::ProviderUnavailable, true));
    assert!(error.message().contains("Malformed function call"), "{error}");
}

#[test]
fn pages_that_a_search_found_are_sources() {
    let mut last = finish("STOP");
    last["candidates"][0]["groundingMetadata"] = json!({"groundingChunks": [
        {"web": {"uri": "https://h/a", "title": "A"}}, {"web": {"uri": "https://h/a"}}, {"retrievedContext": {}}, null]});
    let text = sse(&[chunk(json!([{"text": "x"}])), last]);
    let (parts, _) = tested("g").decode(&text).unwrap();
    let page = ReplyPart::Source { url: "https://h/a".to_owned(), title: Some("A".to_owned()) };
    assert_eq!(parts.iter().filter(|part| **part == page).count(), 1, "{parts:?}");
    assert_eq!(parts.len(), 3);
}

#[test]
fn whole_responses_and_arrays_are_replies_too() {
    let first = chunk(json!([{"text": "Hi"}, {"functionCall": {"name": "f", "args": {}}}]));
    let mut whole = first.clone();
    whole["candidates"][0]["finishReason"] = "STOP".into();
    let array = json!([first, finish("STOP")]);
    for body in [whole.to_string(), array.to_string(), serde_json::to_string_pretty(&array).unwrap()] {
        let (_, reply) = tested("g").decode(&body).unwrap();
        assert_eq!((reply.text.as_str(), reply.tool_calls.len()), ("Hi", 1));
        assert_eq!(reply.finish_reason, FinishReason::ToolCalls);
    }
}

#[test]
fn errors_and_streams_that_break_off() {
    let full =
        json!([{"error": {"code": 429, "message": "Quota AI-secret-key", "status": "RESOURCE_EXHAUSTED"}}]);
    let error = tested("g").error(&full.to_string());
    assert_eq!((error.code(), error.is_retryable()), (ErrorCode::ProviderRateLimit, true));
    assert!(!error.to_string().contains("secret-key"));
    let busy = json!({"error": {"code": 503, "message": "m", "status": "UNAVAILABLE"}});
    let text = sse(&[chunk(json!([{"text": "x"}])), busy]);
    assert_eq!(tested("g").error(&text).code(), ErrorCode::ProviderUnavailable);
    for text in [String::new(), sse(&[chunk(json!([{"text": "x"}]))])] {
        assert_eq!(tested("g").error(&text).code(), ErrorCode::Network);
    }
    for text in ["data: {\"choices\":[]}\n\n", "{\"models\":[]}", "{\"modelVersion\":\"g\"}"] {
        assert_eq!(tested("g").error(text).code(), ErrorCode::ProviderProtocol, "{text}");
    }
}

/// A stream with everything in it that a split could harm.
fn rich_stream() -> String {
    let mut last = finish("STOP");
    last["usageMetadata"] = json!({"promptTokenCount": 1, "candidatesTokenCount": 2});
    let piece = |value: &str| {
        chunk(
            json!([{"functionCall": {"partialArgs": [{"jsonPath": "$.q", "stringValue": value}], "willContinue": true}}]),
        )
    };
    let events = [
        chunk(json!([{"text": "größer als ½?", "thought": true}])),
        chunk(json!([{"text": "naïve – 日本語 🩺", "thoughtSignature": "s"}])),
        chunk(json!([{"functionCall": {"name": "suche", "willContinue": true}}])),
        piece("Ä"),
        piece("rzte"),
        last,
    ];
    sse_dressed_up(&events)
}

#[test]
fn a_split_at_any_byte_changes_nothing() {
    let whole = tested("g").expect_splits_change_nothing(&rich_stream());
    assert_eq!(whole.1.tool_calls[0].arguments, "{\"q\":\"Ärzte\"}");
}
