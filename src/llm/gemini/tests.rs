//! Requests as they are sent, and each trap of the format, as a small stream written by hand.

#![allow(clippy::needless_pass_by_value, reason = "literals read best without a reference")]

use proptest::prelude::*;
use serde_json::{Value, json};

use super::SIGNED_TEXT;
use crate::error::{ErrorCode, Result};
use crate::llm::{
    ChatRequest, FinishReason, Message, ModelReply, OutputForm, Part, Provider, ProviderKind,
    ReasoningEffort, StreamDecoder, ToolCall, ToolChoice, ToolSpec, Usage, encode,
};

fn provider(model: &str) -> Provider {
    Provider::of(ProviderKind::Gemini, model).unwrap().with_api_key("AI-secret-key")
}

fn body(provider: &Provider, request: &ChatRequest) -> Value {
    serde_json::from_slice(&encode(provider, request).unwrap().body).unwrap()
}

/// The contents sent to a model for those messages.
fn contents(model: &str, messages: Vec<Message>) -> Value {
    body(&provider(model), &ChatRequest { messages, ..ChatRequest::default() })["contents"].clone()
}

fn user(content: &str) -> Message {
    Message::User { content: content.to_owned() }
}

fn result(call_id: &str, content: &str) -> Message {
    Message::Tool { call_id: call_id.to_owned(), content: content.to_owned(), is_error: false }
}

fn call(id: &str, name: &str, signature: Option<&str>) -> ToolCall {
    let extra = signature.map(|signature| json!({"google": {"thought_signature": signature}}));
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: r#"{"q":1}"#.to_owned(), extra }
}

fn said(content: &str, tool_calls: Vec<ToolCall>, echo: Value) -> Message {
    let echo = echo.as_object().cloned().unwrap_or_default();
    Message::Assistant { content: content.to_owned(), tool_calls, echo }
}

fn decode_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<(Vec<Part>, ModelReply)> {
    let provider = provider("gemini-2.5-flash");
    let mut decoder = StreamDecoder::new(&provider);
    let mut parts = Vec::new();
    for piece in pieces {
        parts.extend(decoder.push(piece)?);
    }
    let (last, reply) = decoder.finish()?;
    parts.extend(last);
    Ok((parts, reply))
}

fn reply(chunks: &[Value]) -> ModelReply {
    decode_pieces([stream(chunks).as_bytes()]).unwrap().1
}

fn stream(chunks: &[Value]) -> String {
    chunks.iter().fold(String::new(), |text, chunk| text + &format!("data: {chunk}\r\n\r\n"))
}

fn chunk(parts: Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}], "modelVersion": "g"})
}

fn finish(reason: &str) -> Value {
    json!({"candidates": [{"content": {}, "finishReason": reason}]})
}

#[test]
fn the_whole_request() {
    let parameters = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
        "properties": {"q": {"type": ["string", "null"]}}, "additionalProperties": false});
    let tool = |name: &str, parameters: Value| ToolSpec {
        name: name.to_owned(),
        description: "d".to_owned(),
        parameters,
    };
    let request = ChatRequest {
        model: None,
        messages: vec![
            Message::System { content: "Be brief.".to_owned() },
            user("a"),
            user("b"),
            said(
                "Looking.",
                vec![call("x1", "search", Some("sig")), call("call00002", "read", None)],
                json!(null),
            ),
            result("x1", "found"),
            Message::Tool { call_id: "call00002".to_owned(), content: "no".to_owned(), is_error: true },
            user("Answer now."),
            Message::System { content: "Cite.".to_owned() },
        ],
        tools: vec![
            tool("search", parameters.clone()),
            tool("done", json!({"type": "object", "properties": {}})),
        ],
        tool_choice: ToolChoice::Tool("search".to_owned()),
        output: Some(OutputForm { name: "dose".to_owned(), schema: parameters.clone() }),
    };
    let sent = encode(&provider("gemini-2.5-flash"), &request).unwrap();
    assert_eq!(
        sent.url,
        "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
    );
    assert!(sent.headers.contains(&("x-goog-api-key".to_owned(), "AI-secret-key".to_owned())));
    assert_eq!(
        serde_json::from_slice::<Value>(&sent.body).unwrap(),
        json!({
            "systemInstruction": {"parts": [{"text": "Be brief."}, {"text": "Cite."}]},
            "contents": [
                {"role": "user", "parts": [{"text": "a"}, {"text": "b"}]},
                {"role": "model", "parts": [
                    {"text": "Looking."},
                    {"functionCall": {"id": "x1", "name": "search", "args": {"q": 1}}, "thoughtSignature": "sig"},
                    {"functionCall": {"name": "read", "args": {"q": 1}}},
                ]},
                {"role": "user", "parts": [
                    {"functionResponse": {"id": "x1", "name": "search", "response": {"output": "found"}}},
                    {"functionResponse": {"name": "read", "response": {"error": "no"}}},
                ]},
                {"role": "user", "parts": [{"text": "Answer now."}]},
            ],
            "tools": [{"functionDeclarations": [
                {"name": "search", "description": "d", "parametersJsonSchema": parameters},
                {"name": "done", "description": "d"},
            ]}],
            "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["search"]}},
            "generationConfig": {"maxOutputTokens": 2000, "temperature": 0.3,
                "responseMimeType": "application/json", "responseJsonSchema": parameters},
        })
    );
}

#[test]
fn the_model_may_be_given_with_its_folder_and_the_address_with_its_path() {
    for (base, model, wanted) in [
        ("https://h/v1beta/", "models/gemini-2.5-pro", "https://h/v1beta/models/gemini-2.5-pro"),
        ("https://h/v1beta", "tunedModels/mine", "https://h/v1beta/tunedModels/mine"),
        (
            "https://h/v1/projects/p/locations/l",
            "publishers/google/models/g",
            "https://h/v1/projects/p/locations/l/publishers/google/models/g",
        ),
        ("https://h/v1beta/models/g:streamGenerateContent", "g", "https://h/v1beta/models/g"),
    ] {
        let provider = Provider { base_url: base.to_owned(), ..provider(model) };
        let url = encode(&provider, &ChatRequest::default()).unwrap().url;
        assert_eq!(url, format!("{wanted}:streamGenerateContent?alt=sse"));
    }
}

#[test]
fn the_modes_of_tool_choice() {
    let tool = ToolSpec { name: "f".to_owned(), description: String::new(), parameters: json!({}) };
    for (choice, mode) in
        [(ToolChoice::Auto, "AUTO"), (ToolChoice::None, "NONE"), (ToolChoice::Required, "ANY")]
    {
        let request =
            ChatRequest { tools: vec![tool.clone()], tool_choice: choice, ..ChatRequest::default() };
        let calling = &body(&provider("g"), &request)["toolConfig"]["functionCallingConfig"];
        assert_eq!(*calling, json!({"mode": mode}));
    }
    assert!(body(&provider("g"), &ChatRequest::default()).get("toolConfig").is_none());
}

#[test]
fn gemma_is_instructed_in_the_first_message() {
    let messages = vec![Message::System { content: "Be brief.".to_owned() }, user("u")];
    let body = body(&provider("gemma-3-27b-it"), &ChatRequest { messages, ..ChatRequest::default() });
    assert!(body.get("systemInstruction").is_none());
    assert_eq!(body["contents"], json!([{"role": "user", "parts": [{"text": "Be brief."}, {"text": "u"}]}]));
}

#[test]
fn thinking_is_told_as_each_model_takes_it() {
    use ReasoningEffort::{High, Low, Medium, None as Off};
    for (model, effort, wanted) in [
        ("gemini-3-flash-preview", Off, json!({"thinkingLevel": "minimal", "includeThoughts": false})),
        ("gemini-3.7-flash", Off, json!({"thinkingLevel": "low", "includeThoughts": false})),
        ("gemini-3.1-pro-preview", Medium, json!({"thinkingLevel": "medium", "includeThoughts": true})),
        ("models/gemini-3-pro-preview", Medium, json!({"thinkingLevel": "high", "includeThoughts": true})),
        ("gemini-2.5-flash", Off, json!({"thinkingBudget": 0, "includeThoughts": false})),
        ("gemini-2.5-pro", Off, json!({"thinkingBudget": 128, "includeThoughts": false})),
        ("gemini-2.5-pro", Low, json!({"thinkingBudget": 1024, "includeThoughts": true})),
        ("gemini-flash-latest", High, json!({"thinkingBudget": 24576, "includeThoughts": true})),
        ("gemini-2.0-flash", High, json!(null)),
        ("gemma-3-4b-it", High, json!(null)),
    ] {
        let provider = Provider { reasoning: Some(effort), ..provider(model) };
        let config = &body(&provider, &ChatRequest::default())["generationConfig"];
        assert_eq!(config["thinkingConfig"], wanted, "{model}");
    }
    let untold = body(&provider("gemini-2.5-flash"), &ChatRequest::default());
    assert!(untold["generationConfig"].get("thinkingConfig").is_none());
}

#[test]
fn the_default_temperature_is_not_urged_on_models_that_are_worse_for_it() {
    for (model, temperature, wanted) in [
        ("gemini-2.5-flash", Some(0.3), json!(0.3)),
        ("gemini-3-flash-preview", Some(0.3), json!(null)),
        ("gemini-3-flash-preview", Some(0.0), json!(0.0)),
        ("gemini-2.5-flash", None, json!(null)),
    ] {
        let provider = Provider { temperature, ..provider(model) };
        let config = &body(&provider, &ChatRequest::default())["generationConfig"];
        assert_eq!(config["temperature"], wanted, "{model}");
    }
}

#[test]
fn calls_without_a_signature_are_excused_where_one_is_wanted() {
    let turn = |signature: Option<&str>| {
        vec![said("", vec![call("a", "f", signature), call("b", "f", None)], json!({}))]
    };
    for (model, signature, wanted) in [
        ("gemini-3-flash-preview", None, json!("skip_thought_signature_validator")),
        ("gemini-pro-latest", None, json!("skip_thought_signature_validator")),
        ("gemini-3-flash-preview", Some("s"), json!("s")),
        ("gemini-2.5-flash", None, json!(null)),
        ("gemini-2.5-flash", Some("s"), json!("s")),
    ] {
        let parts = &contents(model, turn(signature))[0]["parts"];
        assert_eq!(parts[0]["thoughtSignature"], wanted, "{model}");
        assert!(parts[1].get("thoughtSignature").is_none(), "the first call speaks for all");
    }
}

#[test]
fn made_up_ids_that_come_again_mean_the_call_of_their_own_turn() {
    let messages = vec![
        said("", vec![call("call00001", "search", None)], json!({})),
        result("call00001", "a"),
        said("", vec![call("call00001", "read", None)], json!({})),
        result("call00001", "b"),
        result("call00009", "c"),
    ];
    let contents = contents("g", messages);
    assert_eq!(contents[1]["parts"][0]["functionResponse"]["name"], "search");
    assert_eq!(contents[3]["parts"][0]["functionResponse"]["name"], "read");
    assert_eq!(contents[3]["parts"][1]["functionResponse"]["name"], "unknown");
}

#[test]
fn a_signed_text_goes_back_with_its_signature() {
    let reply = reply(&[
        chunk(json!([{"text": "A tab"}])),
        chunk(json!([{"text": "let.", "thoughtSignature": "s"}])),
        finish("STOP"),
    ]);
    let echo = Value::Object(reply.echo.clone());
    let part = json!({"text": "let.", "thoughtSignature": "s"});
    assert_eq!(echo[SIGNED_TEXT], part);
    let sent = |content: &str, echo: &Value| contents("g", vec![said(content, Vec::new(), echo.clone())]);
    assert_eq!(sent(&reply.text, &echo)[0]["parts"], json!([{"text": "A tab"}, part]));
    assert_eq!(sent("let.", &echo)[0]["parts"], json!([part]));
    assert_eq!(sent("Something else", &echo)[0]["parts"], json!([{"text": "Something else"}]));
    assert_eq!(sent("", &json!({})), json!([]));
    // The signature may come after all of the text.
    for alone in [json!({"text": "", "thoughtSignature": "s"}), json!({"thoughtSignature": "s"})] {
        let reply = self::reply(&[chunk(json!([{"text": "Yes"}])), chunk(json!([alone])), finish("STOP")]);
        let parts = &sent("Yes", &Value::Object(reply.echo))[0]["parts"];
        assert_eq!(*parts, json!([{"text": "Yes"}, {"text": "", "thoughtSignature": "s"}]));
    }
    for odd in [json!("x"), json!({"text": 1}), json!({"thoughtSignature": ""})] {
        assert_eq!(sent("x", &json!({SIGNED_TEXT: odd}))[0]["parts"], json!([{"text": "x"}]));
    }
}

#[test]
fn text_thoughts_usage_and_finish() {
    let usage = json!({"promptTokenCount": 5, "toolUsePromptTokenCount": 1, "candidatesTokenCount": 2,
        "thoughtsTokenCount": 3, "cachedContentTokenCount": 4, "totalTokenCount": 11});
    let mut last = finish("STOP");
    last["usageMetadata"] = usage;
    let text = stream(&[
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
    let (parts, reply) = decode_pieces([text.as_bytes()]).unwrap();
    assert_eq!(
        parts,
        [
            Part::Reasoning("Hm.".to_owned()),
            Part::Text("Hel".to_owned()),
            Part::Text("lo".to_owned()),
            Part::Usage(usage),
            Part::Finish(FinishReason::Stop)
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
    for (name, wanted) in [
        ("STOP", FinishReason::Stop),
        ("MAX_TOKENS", FinishReason::Length),
        ("SAFETY", FinishReason::ContentFilter),
        ("RECITATION", FinishReason::ContentFilter),
        ("BLOCKLIST", FinishReason::ContentFilter),
        ("PROHIBITED_CONTENT", FinishReason::ContentFilter),
        ("SPII", FinishReason::ContentFilter),
        ("OTHER", FinishReason::Error),
        ("LANGUAGE", FinishReason::Error),
        ("MALFORMED_FUNCTION_CALL", FinishReason::Error),
    ] {
        assert_eq!(reply(&[chunk(json!([{"text": "x"}])), finish(name)]).finish_reason, wanted, "{name}");
    }
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
    let error = decode_pieces([stream(&[end]).as_bytes()]).unwrap_err();
    assert_eq!((error.code(), error.is_retryable()), (ErrorCode::ProviderUnavailable, true));
    assert!(error.message().contains("Malformed function call"), "{error}");
}

#[test]
fn pages_that_a_search_found_are_sources() {
    let mut last = finish("STOP");
    last["candidates"][0]["groundingMetadata"] = json!({"groundingChunks": [
        {"web": {"uri": "https://h/a", "title": "A"}}, {"web": {"uri": "https://h/a"}}, {"retrievedContext": {}}, null]});
    let text = stream(&[chunk(json!([{"text": "x"}])), last]);
    let (parts, _) = decode_pieces([text.as_bytes()]).unwrap();
    let page = Part::Source { url: "https://h/a".to_owned(), title: Some("A".to_owned()) };
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
        let (_, reply) = decode_pieces(body.as_bytes().chunks(7)).unwrap();
        assert_eq!((reply.text.as_str(), reply.tool_calls.len()), ("Hi", 1));
        assert_eq!(reply.finish_reason, FinishReason::ToolCalls);
    }
}

#[test]
fn errors_and_streams_that_break_off() {
    let full =
        json!([{"error": {"code": 429, "message": "Quota AI-secret-key", "status": "RESOURCE_EXHAUSTED"}}]);
    let error = decode_pieces([full.to_string().as_bytes()]).unwrap_err();
    assert_eq!((error.code(), error.is_retryable()), (ErrorCode::ProviderRateLimit, true));
    assert!(!error.to_string().contains("secret-key"));
    let busy = json!({"error": {"code": 503, "message": "m", "status": "UNAVAILABLE"}});
    let text = stream(&[chunk(json!([{"text": "x"}])), busy]);
    assert_eq!(decode_pieces([text.as_bytes()]).unwrap_err().code(), ErrorCode::ProviderUnavailable);
    for text in [String::new(), stream(&[chunk(json!([{"text": "x"}]))])] {
        assert_eq!(decode_pieces([text.as_bytes()]).unwrap_err().code(), ErrorCode::Network);
    }
    for text in ["data: {\"choices\":[]}\n\n", "{\"models\":[]}", "{\"modelVersion\":\"g\"}"] {
        assert_eq!(
            decode_pieces([text.as_bytes()]).unwrap_err().code(),
            ErrorCode::ProviderProtocol,
            "{text}"
        );
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
    format!("\u{feff}: hi\r\n\r\n{}", stream(&events))
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
    fn arbitrary_json_shapes_do_not_panic(
        key in prop::sample::select(vec![
            "candidates", "usageMetadata", "promptFeedback", "content", "finishReason", "groundingMetadata", "index",
        ]),
        inner in prop::sample::select(vec![
            "text", "thought", "thoughtSignature", "functionCall", "parts", "name", "id", "args", "partialArgs",
            "willContinue", "jsonPath", "stringValue", "groundingChunks", "web", "promptTokenCount", "blockReason",
        ]),
        leaf in prop::sample::select(vec!["null", "-1", "1e400", "\"\"", "\"x\"", "[]", "{}", "[null]", "[[]]", "true"]),
    ) {
        let mut text = String::new();
        for body in [
            format!("{{\"{key}\":{leaf},\"modelVersion\":\"g\"}}"),
            format!("{{\"candidates\":[{{\"{key}\":{leaf}}}]}}"),
            format!("{{\"{key}\":{{\"{inner}\":{leaf}}},\"modelVersion\":\"g\"}}"),
            format!("{{\"candidates\":[{{\"{key}\":{{\"{inner}\":[{{\"{inner}\":{leaf}}}]}}}}]}}"),
            format!("{{\"candidates\":[{{\"content\":{{\"parts\":[{{\"{inner}\":{leaf}}}]}}}}]}}"),
            format!("{{\"candidates\":[{{\"content\":{{\"parts\":[{{\"functionCall\":{{\"{inner}\":{leaf}}}}}]}}}}]}}"),
            format!("{{\"candidates\":[{{\"content\":{{\"parts\":[{{\"functionCall\":{{\"partialArgs\":[{{\"{inner}\":{leaf}}}]}}}}]}}}}]}}"),
        ] {
            let _ = decode_pieces([body.as_bytes()]);
            text += &format!("data: {body}\n\n");
        }
        let _ = decode_pieces([text.as_bytes()]);
    }

    #[test]
    fn any_echo_is_survived(
        key in prop::sample::select(vec!["text", "thoughtSignature", "google", "thought_signature"]),
        leaf in prop::sample::select(vec!["null", "1", "\"t\"", "\"\"", "[]", "{}"]),
    ) {
        let odd: Value = serde_json::from_str(&format!("{{\"{key}\":{leaf}}}")).unwrap();
        let call = ToolCall { extra: Some(json!({"google": odd})), ..call("a", "f", None) };
        let turn = said("t", vec![call], json!({SIGNED_TEXT: odd}));
        prop_assert!(contents("gemini-3-flash", vec![turn])[0]["parts"].is_array());
    }
}
