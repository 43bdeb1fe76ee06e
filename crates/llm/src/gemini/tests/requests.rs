//! Requests as they are sent.

use super::*;

#[test]
fn the_whole_request() {
    let parameters = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
        "properties": {"q": {"type": ["string", "null"]}}, "additionalProperties": false});
    let request = ChatRequest {
        images: Vec::new(),
        model: None,
        messages: vec![
            system("Be brief."),
            user("a"),
            user("b"),
            said(
                "Looking.",
                vec![call("x1", "search", Some("sig")), call("call00002", "read", None)],
                &json!(null),
            ),
            result("x1", "found", false),
            result("call00002", "no", true),
            user("Answer now."),
            system("Cite."),
        ],
        tools: vec![
            tool("search", parameters.clone()),
            tool("done", json!({"type": "object", "properties": {}})),
        ],
        tool_choice: ToolChoice::Tool("search".to_owned()),
        output: Some(OutputForm { name: "dose".to_owned(), schema: parameters.clone() }),
    };
    let sent = encode(&tested("gemini-2.5-flash").0, &request).unwrap();
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
        let Tested(mut provider) = tested(model);
        provider.endpoint.base_url = base.to_owned();
        let url = encode(&provider, &ChatRequest::default()).unwrap().url;
        assert_eq!(url, format!("{wanted}:streamGenerateContent?alt=sse"));
    }
}

#[test]
fn the_modes_of_tool_choice() {
    for (choice, mode) in
        [(ToolChoice::Auto, "AUTO"), (ToolChoice::None, "NONE"), (ToolChoice::Required, "ANY")]
    {
        let request = ChatRequest { tools: tools(&["f"]), tool_choice: choice, ..ChatRequest::default() };
        let calling = &tested("g").body(&request)["toolConfig"]["functionCallingConfig"];
        assert_eq!(*calling, json!({"mode": mode}));
    }
    assert!(tested("g").body(&ChatRequest::default()).get("toolConfig").is_none());
}

#[test]
fn gemma_is_instructed_in_the_first_message() {
    let messages = vec![system("Be brief."), user("u")];
    let body = tested("gemma-3-27b-it").body(&ChatRequest { messages, ..ChatRequest::default() });
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
        let provider = Provider { reasoning: Some(effort), ..tested(model).0 };
        let config = &Tested(provider).body(&ChatRequest::default())["generationConfig"];
        assert_eq!(config["thinkingConfig"], wanted, "{model}");
    }
    let untold = tested("gemini-2.5-flash").body(&ChatRequest::default());
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
        let provider = Provider { temperature, ..tested(model).0 };
        let config = &Tested(provider).body(&ChatRequest::default())["generationConfig"];
        assert_eq!(config["temperature"], wanted, "{model}");
    }
}

#[test]
fn calls_without_a_signature_are_excused_where_one_is_wanted() {
    let turn = |signature: Option<&str>| {
        vec![said("", vec![call("a", "f", signature), call("b", "f", None)], &json!({}))]
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
        said("", vec![call("call00001", "search", None)], &json!({})),
        result("call00001", "a", false),
        said("", vec![call("call00001", "read", None)], &json!({})),
        result("call00001", "b", false),
        result("call00009", "c", false),
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
    let sent = |content: &str, echo: &Value| contents("g", vec![said(content, Vec::new(), echo)]);
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
fn any_echo_is_survived() {
    for key in ["text", "thoughtSignature", "google", "thought_signature"] {
        for value in [json!(null), json!(1), json!("t"), json!(""), json!([]), json!({})] {
            let odd = json!({key: value});
            let call = ToolCall { extra: Some(json!({"google": odd})), ..call("a", "f", None) };
            let turn = said("t", vec![call], &json!({SIGNED_TEXT: odd}));
            assert!(contents("gemini-3-flash", vec![turn])[0]["parts"].is_array(), "{odd}");
        }
    }
}
