//! Requests as they are sent, and each liberty that a provider takes with the format, as a small stream written by hand.

#![allow(clippy::needless_pass_by_value, reason = "literals read best without a reference")]

use proptest::prelude::*;
use serde_json::{Value, json};

use super::ECHO;
use crate::error::{Error, ErrorCode, Result};
use crate::llm::{
    ChatRequest, FinishReason, Message, ModelReply, OutputForm, Part, Provider, ProviderKind,
    ReasoningEffort, StreamDecoder, ToolCall, ToolChoice, ToolSpec, Usage, encode,
};

fn provider(model: &str) -> Provider {
    Provider::of(ProviderKind::OpenAiResponses, model).unwrap().with_api_key("sk-secret-key")
}

fn body(provider: &Provider, request: &ChatRequest) -> Value {
    serde_json::from_slice(&encode(provider, request).unwrap().body).unwrap()
}

fn decode_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<(Vec<Part>, ModelReply)> {
    let provider = provider("m");
    let mut decoder = StreamDecoder::new(&provider);
    let mut parts = Vec::new();
    for piece in pieces {
        parts.extend(decoder.push(piece)?);
    }
    let (last, reply) = decoder.finish()?;
    parts.extend(last);
    Ok((parts, reply))
}

fn reply(events: &[Value]) -> ModelReply {
    decode_pieces([stream(events).as_bytes()]).unwrap().1
}

fn error(events: &[Value]) -> Error {
    decode_pieces([stream(events).as_bytes()]).unwrap_err()
}

/// A stream of the events given, each under its type as its name.
fn stream(events: &[Value]) -> String {
    events.iter().fold(String::new(), |text, event| {
        let name = event["type"].as_str().map_or(String::new(), |name| format!("event: {name}\n"));
        text + &format!("{name}data: {event}\n\n")
    })
}

fn event(name: &str, index: u32, fields: Value) -> Value {
    let mut event = json!({"type": format!("response.{name}"), "output_index": index});
    event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    event
}

fn added(index: u32, item: Value) -> Value {
    event("output_item.added", index, json!({"item": item}))
}

fn done(index: u32, item: Value) -> Value {
    event("output_item.done", index, json!({"item": item}))
}

fn text(index: u32, delta: &str) -> Value {
    event("output_text.delta", index, json!({"item_id": "m", "content_index": 0, "delta": delta}))
}

fn completed() -> Value {
    json!({"type": "response.completed", "response": {"status": "completed", "output": [], "usage": null}})
}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": name, "arguments": arguments})
}

fn thought(id: &str) -> Value {
    json!({"type": "reasoning", "id": id, "summary": [], "encrypted_content": "gAAA", "status": null, "content": []})
}

fn past_call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned(), extra: None }
}

/// The input items for one past turn of the model.
fn replayed(content: &str, tool_calls: Vec<ToolCall>, echo: Value) -> Vec<Value> {
    let echo = json!({ECHO: echo}).as_object().unwrap().clone();
    let messages = vec![Message::Assistant { content: content.to_owned(), tool_calls, echo }];
    let request = ChatRequest { messages, ..ChatRequest::default() };
    body(&provider("m"), &request)["input"].as_array().unwrap().clone()
}

#[test]
fn the_whole_request() {
    let parameters = json!({"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"],
        "additionalProperties": false});
    let tool = |name: &str, parameters: Value| ToolSpec {
        name: name.to_owned(),
        description: "d".to_owned(),
        parameters,
    };
    let said = |content: &str| content.to_owned();
    let request = ChatRequest {
        model: None,
        messages: vec![
            Message::System { content: said("Be brief.") },
            Message::System { content: said("Cite.") },
            Message::User { content: said("u") },
            Message::Assistant {
                content: said("Looking."),
                tool_calls: vec![past_call("c1", "search", r#"{"q":"x"}"#), past_call("c2", "", "{")],
                echo: json!({"reasoning_content": "not ours"}).as_object().unwrap().clone(),
            },
            Message::Tool { call_id: said("c1"), content: said("t"), is_error: false },
            Message::Tool { call_id: said("c2"), content: said("no"), is_error: true },
            Message::System { content: said("Last turn.") },
        ],
        tools: vec![tool("search", parameters.clone()), tool("odd", json!({"type": "object"}))],
        tool_choice: ToolChoice::Tool(said("search")),
        output: Some(OutputForm { name: said("dose"), schema: parameters.clone() }),
    };
    let sent = encode(&provider("gpt-4.1"), &request).unwrap();
    assert_eq!(sent.url, "https://api.openai.com/v1/responses");
    assert!(sent.headers.contains(&("authorization".to_owned(), "Bearer sk-secret-key".to_owned())));
    assert_eq!(
        serde_json::from_slice::<Value>(&sent.body).unwrap(),
        json!({
            "model": "gpt-4.1", "stream": true, "store": false, "instructions": "Be brief.\n\nCite.",
            "max_output_tokens": 2000, "temperature": 0.3,
            "input": [
                {"type": "message", "role": "user", "content": "u"},
                {"type": "message", "role": "assistant", "content": "Looking."},
                {"type": "function_call", "call_id": "c1", "name": "search", "arguments": "{\"q\":\"x\"}"},
                {"type": "function_call", "call_id": "c2", "name": "unknown", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "c1", "output": "t"},
                {"type": "function_call_output", "call_id": "c2", "output": "no"},
                {"type": "message", "role": "system", "content": "Last turn."},
            ],
            "tools": [
                {"type": "function", "name": "search", "description": "d", "parameters": parameters, "strict": true},
                {"type": "function", "name": "odd", "description": "d", "parameters": {"type": "object"},
                    "strict": false},
            ],
            "tool_choice": {"type": "function", "name": "search"},
            "text": {"format": {"type": "json_schema", "name": "dose", "schema": parameters, "strict": true}},
        })
    );
}

#[test]
fn reasoning_models_keep_their_reasoning_and_get_no_temperature() {
    for (model, effort, reasons, included) in [
        ("gpt-5-mini", None, true, true),
        ("o4-mini", Some(ReasoningEffort::Low), true, true),
        ("gpt-4o", None, false, false),
        ("gpt-4o", Some(ReasoningEffort::None), false, false),
        ("grok-4.3", None, false, true),
        ("gpt-oss-20b", Some(ReasoningEffort::High), false, true),
    ] {
        let provider = Provider { reasoning: effort, ..provider(model) };
        let body = body(&provider, &ChatRequest::default());
        assert_eq!(body.get("temperature").is_none(), reasons, "{model}");
        let include = included.then(|| json!(["reasoning.encrypted_content"]));
        assert_eq!(body.get("include"), include.as_ref(), "{model}");
        let reasoning = effort.map(|effort| match effort {
            ReasoningEffort::None => json!({"effort": "none"}),
            effort => json!({"effort": effort.word(), "summary": "auto"}),
        });
        assert_eq!(body.get("reasoning"), reasoning.as_ref(), "{model}");
    }
}

#[test]
fn the_words_of_tool_choice() {
    let tool = ToolSpec { name: "f".to_owned(), description: String::new(), parameters: json!({}) };
    for (choice, word) in
        [(ToolChoice::Auto, "auto"), (ToolChoice::None, "none"), (ToolChoice::Required, "required")]
    {
        let request =
            ChatRequest { tools: vec![tool.clone()], tool_choice: choice, ..ChatRequest::default() };
        assert_eq!(body(&provider("m"), &request)["tool_choice"], word);
    }
    assert!(body(&provider("m"), &ChatRequest::default()).get("tool_choice").is_none());
}

#[test]
fn reasoning_goes_back_before_the_calls_it_led_to() {
    let reply = reply(&[
        added(0, thought("rs_1")),
        done(0, thought("rs_1")),
        added(1, call("a", "f", "")),
        done(1, call("a", "f", "{}")),
        done(2, thought("rs_2")),
        done(
            3,
            json!({"type": "message", "phase": "commentary", "content": [{"type": "output_text", "text": "Hm."}]}),
        ),
        done(4, call("b", "g", "{\"x\":1}")),
        completed(),
    ]);
    assert_eq!((reply.text.as_str(), reply.finish_reason), ("Hm.", FinishReason::ToolCalls));
    let sent = |id: &str| json!({"type": "reasoning", "id": id, "summary": [], "encrypted_content": "gAAA"});
    let function = |id: &str, name: &str, arguments: &str| json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments});
    let said = json!({"type": "message", "role": "assistant", "content": "Hm.", "phase": "commentary"});
    let echo = reply.echo[ECHO].clone();
    assert_eq!(
        replayed(&reply.text, reply.tool_calls.clone(), echo.clone()),
        [sent("rs_1"), function("a", "f", "{}"), sent("rs_2"), said.clone(), function("b", "g", "{\"x\":1}")]
    );
    // Reasoning whose call is gone would be refused; without any calls none is of use.
    assert_eq!(replayed("", reply.tool_calls[1..].to_vec(), echo.clone()), [function("b", "g", "{\"x\":1}")]);
    assert_eq!(replayed("Hm.", Vec::new(), echo), [said]);
}

#[test]
fn another_providers_echo_and_what_cannot_be_looked_up_are_left_out() {
    // xAI's reasoning without encryption stays in a store that is not used.
    let stored = json!({"type": "reasoning", "id": "rs_1", "status": "completed",
        "summary": [{"type": "summary_text", "text": "Think."}]});
    let reply = reply(&[done(0, stored), done(1, call("a", "f", "{}")), completed()]);
    assert_eq!(reply.reasoning, "Think.");
    assert!(reply.echo.is_empty(), "{:?}", reply.echo);
    // A local model's reasoning in plain words needs no store.
    let plain = json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "", "status": "completed",
        "content": [{"type": "reasoning_text", "text": "Think."}]});
    let reply = self::reply(&[done(0, plain), done(1, call("a", "f", "{}")), completed()]);
    assert_eq!(reply.reasoning, "Think.");
    let item = &reply.echo[ECHO][0];
    assert!(item["status"].is_null() && item["content"].is_array() && item["summary"].is_array(), "{item}");
    for odd in [json!(null), json!("x"), json!([null, 1, {"type": "function_call"}, {"type": "odd"}, {}])] {
        let items = replayed("t", vec![past_call("a", "f", "{}")], odd);
        assert_eq!((items.len(), &items[0]["content"]), (2, &json!("t")));
    }
}

#[test]
fn text_usage_and_finish() {
    let usage = json!({"input_tokens": 5, "output_tokens": 3, "total_tokens": 8,
        "input_tokens_details": {"cached_tokens": 2}, "output_tokens_details": {"reasoning_tokens": 1}});
    let message =
        json!({"type": "message", "id": "m", "content": [{"type": "output_text", "text": "Hello"}]});
    let text = stream(&[
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
    let (parts, reply) = decode_pieces([text.as_bytes()]).unwrap();
    assert_eq!(
        parts,
        [
            Part::Text("Hel".to_owned()),
            Part::Text("lo".to_owned()),
            Part::Usage(usage),
            Part::Finish(FinishReason::Stop)
        ]
    );
    assert!(reply.echo.is_empty());
}

#[test]
fn the_end_needs_no_mark_and_ends_reading() {
    let provider = provider("m");
    let mut decoder = StreamDecoder::new(&provider);
    decoder.push(stream(&[text(0, "x")]).as_bytes()).unwrap();
    assert!(!decoder.is_complete());
    decoder.push(stream(&[completed()]).as_bytes()).unwrap();
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
    let text = stream(&[
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
    let (parts, reply) = decode_pieces([text.as_bytes()]).unwrap();
    assert!(reply.tool_calls.is_empty() && !reply.calls_tools());
    let pages: Vec<_> = parts.iter().filter(|part| matches!(part, Part::Source { .. })).collect();
    let page = |url: &str, title: Option<&str>| Part::Source {
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
        assert_eq!(decode_pieces([unnamed.as_bytes()]).unwrap_err().code(), code, "{event}");
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
        assert_eq!(
            decode_pieces([body.as_bytes()]).unwrap_err().code(),
            ErrorCode::ProviderProtocol,
            "{body}"
        );
    }
}

#[test]
fn a_whole_response_is_a_reply_too() {
    let whole = json!({"object": "response", "status": "completed", "error": null, "output": [
        thought("rs"),
        {"type": "message", "content": [{"type": "output_text", "text": "Hi"}]},
        call("a", "f", "{\"x\":1}"),
    ], "reasoning": {"effort": "low"}, "usage": {"input_tokens": 1, "output_tokens": 2}});
    let (parts, reply) = decode_pieces(whole.to_string().as_bytes().chunks(7)).unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.tool_calls.len(), reply.finish_reason),
        ("Hi", 1, FinishReason::ToolCalls)
    );
    assert_eq!((reply.usage.unwrap().total_tokens, reply.echo[ECHO].as_array().unwrap().len()), (3, 3));
    assert_eq!(parts.len(), 6, "{parts:?}");
    // mistral.rs says what its model thought beside the items.
    let beside = json!({"object": "response", "status": "completed", "output": [], "output_text": "Hi", "reasoning": "hm"});
    let reply = decode_pieces([beside.to_string().as_bytes()]).unwrap().1;
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
    format!("\u{feff}: hi\r\n\r\n{}", stream(&events).replace('\n', "\r\n"))
}

#[test]
fn a_split_at_any_byte_changes_nothing() {
    let text = rich_stream();
    let bytes = text.as_bytes();
    let whole = decode_pieces([bytes]).unwrap();
    assert_eq!(whole.1.tool_calls[0].arguments, "{\"q\":\"Ärzte\"}");
    for at in 0..=bytes.len() {
        assert_eq!(decode_pieces([&bytes[..at], &bytes[at..]]).unwrap(), whole, "split at {at}");
    }
    assert_eq!(decode_pieces(bytes.chunks(1)).unwrap(), whole);
}

proptest! {
    #[test]
    fn any_pieces_change_nothing(size in 1_usize..200) {
        let text = rich_stream();
        prop_assert_eq!(
            decode_pieces(text.as_bytes().chunks(size)).unwrap(),
            decode_pieces([text.as_bytes()]).unwrap()
        );
    }

    #[test]
    fn arbitrary_bytes_end_in_a_reply_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = decode_pieces(bytes.chunks(11));
        let _ = decode_pieces([b"data: ".as_slice(), &bytes, b"\n\n"]);
    }

    #[test]
    fn arbitrary_events_do_not_panic(
        kinds in prop::collection::vec(prop::sample::select(vec![
            "output_item.added", "output_item.done", "output_text.delta", "refusal.delta", "reasoning_text.delta",
            "reasoning_summary_text.delta", "function_call_arguments.delta", "function_call_arguments.done",
            "output_text.annotation.added", "completed", "incomplete", "failed",
        ]), 1..6),
        key in prop::sample::select(vec![
            "item", "delta", "output_index", "item_id", "arguments", "annotation", "response", "summary_index",
        ]),
        inner in prop::sample::select(vec![
            "type", "id", "content", "summary", "name", "call_id", "arguments", "output", "usage", "status", "error",
            "encrypted_content", "phase", "incomplete_details",
        ]),
        leaf in prop::sample::select(vec!["null", "-1", "1e400", "\"\"", "\"x\"", "[]", "{}", "[null]", "[[]]", "true"]),
    ) {
        let mut text = String::new();
        for kind in kinds {
            for value in [
                leaf.to_owned(),
                format!("{{\"{inner}\":{leaf}}}"),
                format!("{{\"type\":\"message\",\"{inner}\":{leaf}}}"),
                format!("{{\"type\":\"function_call\",\"{inner}\":{leaf}}}"),
                format!("{{\"type\":\"reasoning\",\"{inner}\":[{{\"{inner}\":{leaf}}}]}}"),
            ] {
                let event = format!("{{\"type\":\"response.{kind}\",\"{key}\":{value}}}");
                let _ = decode_pieces([event.as_bytes()]);
                text += &format!("data: {event}\n\n");
            }
        }
        let _ = decode_pieces([text.as_bytes()]);
    }

    #[test]
    fn any_echo_is_survived(
        key in prop::sample::select(vec!["type", "phase", "call_id", "summary"]),
        leaf in prop::sample::select(vec!["null", "1", "\"message\"", "\"function_call\"", "\"reasoning\"", "[]", "{}"]),
    ) {
        let item: Value = serde_json::from_str(&format!("{{\"{key}\":{leaf}}}")).unwrap();
        let items = replayed("t", vec![past_call("a", "f", "{}")], json!([item, item]));
        prop_assert!(items.len() >= 2);
    }
}
