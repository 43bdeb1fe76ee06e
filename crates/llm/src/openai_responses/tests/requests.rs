//! Requests as they are sent.

use super::*;

#[test]
fn the_whole_request() {
    let parameters = json!({"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"],
        "additionalProperties": false});
    let calls = vec![past_call("c1", "search", r#"{"q":"x"}"#), past_call("c2", "", "{")];
    let request = ChatRequest {
        images: Vec::new(),
        model: None,
        messages: vec![
            system("Be brief."),
            system("Cite."),
            user("u"),
            assistant("Looking.", calls, &json!({"reasoning_content": "not ours"})),
            result("c1", "t", false),
            result("c2", "no", true),
            system("Last turn."),
        ],
        tools: vec![tool("search", parameters.clone()), tool("odd", json!({"type": "object"}))],
        tool_choice: ToolChoice::Tool("search".to_owned()),
        output: Some(OutputForm { name: "dose".to_owned(), schema: parameters.clone() }),
    };
    let sent = encode(&tested("gpt-4.1").0, &request).unwrap();
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
        let mut tested = tested(model);
        tested.0.reasoning = effort;
        let body = tested.body(&ChatRequest::default());
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
    for (choice, word) in
        [(ToolChoice::Auto, "auto"), (ToolChoice::None, "none"), (ToolChoice::Required, "required")]
    {
        let request = ChatRequest { tools: tools(&["f"]), tool_choice: choice, ..ChatRequest::default() };
        assert_eq!(tested("m").body(&request)["tool_choice"], word);
    }
    assert!(tested("m").body(&ChatRequest::default()).get("tool_choice").is_none());
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
fn any_echo_is_survived() {
    for key in ["type", "phase", "call_id", "summary"] {
        for value in
            [json!(null), json!(1), json!("message"), json!("function_call"), json!("reasoning"), json!([])]
        {
            let item = json!({key: value});
            let items = replayed("t", vec![past_call("a", "f", "{}")], json!([item, item]));
            assert!(items.len() >= 2, "{item}");
        }
    }
}
