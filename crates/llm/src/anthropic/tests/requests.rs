use serde_json::{Value, json};

use crate::anthropic::ECHO;
use crate::testing::{Tested, result, system, tools, user};
use crate::{
    ChatRequest, Message, OutputForm, Provider, ProviderKind, ReasoningEffort, ToolCall, ToolChoice, encode,
    testing,
};

fn provider(model: &str) -> Provider {
    Provider::of(ProviderKind::Anthropic, model).unwrap().with_api_key("sk-ant-1234")
}

fn body(provider: &Provider, request: &ChatRequest) -> Value {
    Tested(provider.clone()).body(request)
}

fn call(id: &str, arguments: &str) -> ToolCall {
    testing::call(id, "search", arguments)
}

fn assistant(content: &str, tool_calls: Vec<ToolCall>, echoed: Value) -> Message {
    let echo = if echoed.is_null() { echoed } else { json!({ECHO: echoed}) };
    testing::assistant(content, tool_calls, &echo)
}

fn saying(messages: Vec<Message>) -> Value {
    body(&provider("claude-haiku-4-5"), &ChatRequest { messages, ..ChatRequest::default() })["messages"]
        .clone()
}

#[test]
fn the_whole_request() {
    let request = ChatRequest {
        messages: vec![
            system("Be brief."),
            system("Cite."),
            user("u"),
            assistant("Let me look.", vec![call("t1", "{\"q\":1}"), call("t2", "{\"q\"")], Value::Null),
            result("t1", "found", false),
            result("t2", "broken", true),
        ],
        tools: tools(&["search", "done"]),
        ..ChatRequest::default()
    };
    let sent = encode(&provider("claude-haiku-4-5"), &request).unwrap();
    assert_eq!(sent.url, "https://api.anthropic.com/v1/messages");
    for (name, value) in [
        ("x-api-key", "sk-ant-1234"),
        ("anthropic-version", "2023-06-01"),
        ("anthropic-dangerous-direct-browser-access", "true"),
    ] {
        assert!(sent.headers.contains(&(name.to_owned(), value.to_owned())), "{name}");
    }
    assert!(!sent.headers.iter().any(|(name, _)| name == "authorization"));
    let kept = json!({"type": "ephemeral"});
    assert_eq!(
        serde_json::from_slice::<Value>(&sent.body).unwrap(),
        json!({
            "model": "claude-haiku-4-5", "max_tokens": 2000, "temperature": 0.3, "stream": true,
            "system": [{"type": "text", "text": "Be brief."},
                {"type": "text", "text": "Cite.", "cache_control": kept}],
            "tools": [{"name": "search", "description": "d", "input_schema": {"type": "object"}},
                {"name": "done", "description": "d", "input_schema": {"type": "object"}, "cache_control": kept}],
            "tool_choice": {"type": "auto"},
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "u"}]},
                {"role": "assistant", "content": [{"type": "text", "text": "Let me look."},
                    {"type": "tool_use", "id": "t1", "name": "search", "input": {"q": 1}},
                    {"type": "tool_use", "id": "t2", "name": "search", "input": {}}]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "content": "found"},
                    {"type": "tool_result", "tool_use_id": "t2", "content": "broken", "is_error": true}]},
            ],
        })
    );
    let uncached = Provider { cache: false, ..provider("claude-haiku-4-5") };
    assert!(!body(&uncached, &request).to_string().contains("cache_control"));
}

#[test]
fn roles_take_turns_and_blank_texts_are_left_out() {
    let sent = saying(vec![
        user("a"),
        system("in between"),
        user(" \n"),
        user("b"),
        assistant("  ", Vec::new(), Value::Null),
        user("c"),
    ]);
    let texts = ["a", "b", "c"].map(|text| json!({"type": "text", "text": text}));
    assert_eq!(sent, json!([{"role": "user", "content": texts}]));
}

#[test]
fn results_come_before_what_is_said_with_them() {
    let sent = saying(vec![
        assistant("", vec![call("functions.search:0", "{}")], Value::Null),
        user("and hurry"),
        result("functions.search:0", "", true),
    ]);
    assert_eq!(sent[0]["content"][0]["id"], "functions_search_0");
    assert_eq!(
        sent[1]["content"],
        json!([
            {"type": "tool_result", "tool_use_id": "functions_search_0", "content": "The tool failed.", "is_error": true},
            {"type": "text", "text": "and hurry"},
        ])
    );
}

#[test]
fn thinking_goes_back_unchanged_and_in_its_place() {
    let thought = json!({"type": "thinking", "thinking": "", "signature": "s1"});
    let hidden = json!({"type": "redacted_thinking", "data": "xyz"});
    let echoed = json!([thought, {"type": "text", "text": "A "}, hidden, {"type": "text", "text": "B"},
        {"type": "tool_use", "id": "t1"}, {"type": "thinking", "thinking": "cut off"}, {"type": "tool_use", "id": "gone"}]);
    let blocks = |content: &str| {
        let calls = vec![call("t2", "{}"), call("t1", "{\"q\":1}")];
        let sent = saying(vec![user("u"), assistant(content, calls, echoed.clone())]);
        sent[1]["content"].clone()
    };
    let first = json!({"type": "tool_use", "id": "t1", "name": "search", "input": {"q": 1}});
    let second = json!({"type": "tool_use", "id": "t2", "name": "search", "input": {}});
    let text = |text: &str| json!({"type": "text", "text": text});
    assert_eq!(blocks("A B"), json!([thought, text("A "), hidden, text("B"), first, second]));
    // A text that was changed since is sent as it is now.
    assert_eq!(blocks("new"), json!([thought, text("new"), hidden, first, second]));
    assert_eq!(blocks(""), json!([thought, hidden, first, second]));
    let other = json!({"not": "a list"});
    let sent = saying(vec![assistant("x", Vec::new(), other)]);
    assert_eq!(sent[0]["content"], json!([text("x")]));
}

#[test]
fn every_tool_choice() {
    let sent = |model: &str, tool_choice: ToolChoice| {
        let request = ChatRequest { tools: tools(&["search"]), tool_choice, ..ChatRequest::default() };
        body(&provider(model), &request)["tool_choice"].clone()
    };
    let named = || ToolChoice::Tool("search".to_owned());
    assert_eq!(sent("claude-haiku-4-5", ToolChoice::Auto), json!({"type": "auto"}));
    assert_eq!(sent("claude-haiku-4-5", ToolChoice::None), json!({"type": "none"}));
    assert_eq!(sent("claude-haiku-4-5", ToolChoice::Required), json!({"type": "any"}));
    assert_eq!(sent("claude-haiku-4-5", named()), json!({"type": "tool", "name": "search"}));
    // These refuse to be made to.
    assert_eq!(sent("claude-opus-5-5", ToolChoice::Required), json!({"type": "auto"}));
    assert_eq!(sent("claude-fable-5-1", named()), json!({"type": "auto"}));
    let without = ChatRequest { tool_choice: ToolChoice::Required, ..ChatRequest::default() };
    assert!(body(&provider("claude-haiku-4-5"), &without).get("tool_choice").is_none());
}

#[test]
fn thinking_is_asked_for_as_the_model_wants_it() {
    let sent = |model: &str, effort: Option<ReasoningEffort>, choice: ToolChoice| {
        let provider = Provider { reasoning: effort, ..provider(model) };
        let request =
            ChatRequest { tools: tools(&["search"]), tool_choice: choice, ..ChatRequest::default() };
        let body = body(&provider, &request);
        let field = |name: &str| body.get(name).cloned().unwrap_or_default();
        json!([field("thinking"), field("output_config"), field("max_tokens"), field("temperature")])
    };
    let auto = |model: &str, effort| sent(model, effort, ToolChoice::Auto);
    let forced = |model: &str| sent(model, Some(ReasoningEffort::High), ToolChoice::Required);
    let (none, low, high) =
        (Some(ReasoningEffort::None), Some(ReasoningEffort::Low), Some(ReasoningEffort::High));
    let budget = |tokens: u32| json!({"type": "enabled", "budget_tokens": tokens});
    let off = json!({"type": "disabled"});
    let adaptive = json!({"type": "adaptive", "display": "summarized"});

    assert_eq!(auto("claude-haiku-4-5", None), json!([null, null, 2000, 0.3]));
    assert_eq!(auto("claude-haiku-4-5", none), json!([null, null, 2000, 0.3]));
    assert_eq!(auto("claude-haiku-4-5", low), json!([budget(1024), null, 3024, null]));
    assert_eq!(auto("claude-haiku-4-5", high), json!([budget(16384), null, 18384, null]));
    assert_eq!(forced("claude-haiku-4-5"), json!([null, null, 2000, 0.3]));

    let effort = |effort: &str| json!({"effort": effort});
    assert_eq!(auto("claude-sonnet-4-6", none), json!([off, null, 2000, 0.3]));
    assert_eq!(auto("claude-sonnet-4-6", low), json!([{"type": "adaptive"}, effort("low"), 3024, null]));
    assert_eq!(auto("claude-opus-4-8", None), json!([null, null, 2000, null]));
    assert_eq!(auto("claude-opus-4-8", high), json!([adaptive, effort("high"), 18384, null]));
    assert_eq!(forced("claude-opus-4-8"), json!([off, null, 2000, null]));
    // It thinks unless told not to, and needs room for it.
    assert_eq!(auto("claude-sonnet-5", None), json!([null, null, 6096, null]));
    assert_eq!(auto("claude-sonnet-5", none), json!([off, null, 2000, null]));
    assert_eq!(auto("claude-opus-5-5", none), json!([adaptive, effort("low"), 3024, null]));
    assert_eq!(forced("claude-opus-5-5"), json!([adaptive, effort("high"), 18384, null]));
}

#[test]
fn a_budget_is_not_given_in_the_middle_of_a_turn_without_thinking() {
    let thinks = |echoed: Value| {
        let provider = Provider { reasoning: Some(ReasoningEffort::Low), ..provider("claude-haiku-4-5") };
        let messages = vec![
            user("u"),
            assistant("", vec![call("a", "{}")], echoed),
            result("a", "found", false),
            assistant("", vec![call("b", "{}")], Value::Null),
            result("b", "found", false),
        ];
        let mut request = ChatRequest { messages, tools: tools(&["search"]), ..ChatRequest::default() };
        let within = body(&provider, &request).get("thinking").is_some();
        request.messages.push(user("next"));
        assert!(body(&provider, &request).get("thinking").is_some());
        within
    };
    let use_of = |id: &str| json!({"type": "tool_use", "id": id});
    assert!(thinks(json!([{"type": "thinking", "thinking": "", "signature": "s"}, use_of("a")])));
    assert!(thinks(json!([{"type": "redacted_thinking", "data": "x"}, use_of("a")])));
    assert!(!thinks(Value::Null));
    assert!(!thinks(json!([use_of("a")])));
}

#[test]
fn limits_and_ranges_are_the_formats() {
    let provider = Provider { temperature: Some(1.7), max_tokens: None, ..provider("claude-haiku-4-5") };
    let sent = body(&provider, &ChatRequest::default());
    assert_eq!((&sent["max_tokens"], &sent["temperature"]), (&json!(4096), &json!(1.0)));
    assert!(sent.get("system").is_none() && sent.get("tools").is_none());
}

#[test]
fn the_form_of_a_reply_is_sent_as_the_api_takes_it() {
    let schema = json!({"type": "object", "properties": {"mg": {"type": "integer", "minimum": 1}}});
    let output = Some(OutputForm { name: "dose".to_owned(), schema });
    let request = ChatRequest { output, ..ChatRequest::default() };
    let provider = Provider { reasoning: Some(ReasoningEffort::Low), ..provider("claude-sonnet-4-6") };
    let format = json!({"type": "json_schema", "schema": {"type": "object", "additionalProperties": false,
        "properties": {"mg": {"type": "integer"}}}});
    assert_eq!(body(&provider, &request)["output_config"], json!({"format": format, "effort": "low"}));
}
