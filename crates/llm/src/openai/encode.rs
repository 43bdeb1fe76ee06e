//! A conversation as a Chat Completions request.

use serde_json::{Map, Value};

use crate::common::{function, is_reasoning_model, json, name, number, put};
use crate::image::{content, images_of};
use crate::structured::is_strict;
use crate::{ChatRequest, Image, Message, Provider, ReasoningEffort, ToolCall, ToolChoice};

/// Writes the body of a request for the conversation's next message.
pub(crate) fn encode(provider: &Provider, request: &ChatRequest) -> Map<String, Value> {
    let (model, row) = (provider.model_of(request), provider.row());
    let mut body = Map::new();
    put(&mut body, "model", model.into());
    let messages = request.messages.iter().map(|said| message(said, images_of(request, said)));
    put(&mut body, "messages", messages.collect());
    if !request.tools.is_empty() {
        put(&mut body, "tools", request.tools.iter().map(function).collect());
        let choice = match &request.tool_choice {
            ToolChoice::Auto => "auto".into(),
            ToolChoice::None => "none".into(),
            ToolChoice::Required => row.any_tool.into(),
            ToolChoice::Tool(name) => json!({"type": "function", "function": {"name": name}}),
        };
        put(&mut body, "tool_choice", choice);
    }
    if let Some(form) = &request.output {
        let schema = json!({"name": &form.name, "schema": &form.schema, "strict": is_strict(&form.schema)});
        put(&mut body, "response_format", json!({"type": "json_schema", "json_schema": schema}));
    }
    put(&mut body, "stream", true.into());
    if row.counts_on_request {
        put(&mut body, "stream_options", json!({"include_usage": true}));
    }
    let reasons = is_reasoning_model(model);
    if let Some(limit) = provider.max_tokens {
        let name = if reasons { "max_completion_tokens" } else { "max_tokens" };
        put(&mut body, name, limit.into());
    }
    if let Some(value) = provider.temperature.filter(|_| !reasons) {
        put(&mut body, "temperature", number(value));
    }
    if let Some(effort) = provider.reasoning {
        let (name, value) = match effort {
            _ if !row.nests_reasoning => ("reasoning_effort", effort.word().into()),
            ReasoningEffort::None => ("reasoning", json!({"enabled": false})),
            effort => ("reasoning", json!({"effort": effort.word()})),
        };
        put(&mut body, name, value);
    }
    body
}

fn message(message: &Message, images: &[Image]) -> Value {
    match message {
        Message::System { content } => json!({"role": "system", "content": content}),
        Message::User { content: text } => {
            let images = images.iter();
            let parts =
                images.map(|image| json!({"type": "image_url", "image_url": {"url": image.data_url()}}));
            json!({"role": "user", "content": content(text, "text", parts.collect())})
        }
        Message::Tool { call_id, content, .. } => {
            json!({"role": "tool", "tool_call_id": call_id, "content": content})
        }
        Message::Assistant { content, tool_calls, echo } => {
            let mut fields = Map::new();
            // Reasoning goes back only with the tool calls that came out of it: that is where providers want it.
            if !tool_calls.is_empty() {
                let known = ["reasoning_content", "reasoning_details"];
                let echoed = echo.iter().filter(|(name, _)| known.contains(&name.as_str()));
                fields.extend(echoed.map(|(name, value)| (name.clone(), value.clone())));
                put(&mut fields, "tool_calls", tool_calls.iter().map(tool_call).collect());
            }
            put(&mut fields, "role", "assistant".into());
            put(&mut fields, "content", content.as_str().into());
            Value::Object(fields)
        }
    }
}

fn tool_call(call: &ToolCall) -> Value {
    let arguments = match ibid_platform::json::parse(&call.arguments) {
        Ok(Value::Object(_)) => call.arguments.as_str(),
        _ => "{}",
    };
    let mut value = json!({"id": &call.id, "type": "function", "function": {"name": name(&call.name), "arguments": arguments}});
    if let (Some(extra), Some(fields)) = (&call.extra, value.as_object_mut()) {
        put(fields, "extra_content", extra.clone());
    }
    value
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::encode;
    use crate::testing::{Tested, assistant, call, result, system, tools, user};

    fn body(provider: &Provider, request: &ChatRequest) -> Value {
        Tested(provider.clone()).body(request)
    }

    fn conversation() -> ChatRequest {
        let extra = Some(json!({"google": {"thought_signature": "s"}}));
        let asked = ToolCall { extra, ..call("c1", "search", r#"{"q":1}"#) };
        ChatRequest {
            model: None,
            output: None,
            images: Vec::new(),
            messages: vec![
                system("s"),
                user("u"),
                assistant("", vec![asked], &json!({"reasoning_content": "hm"})),
                result("c1", "t", false),
            ],
            tools: tools(&["search"]),
            tool_choice: ToolChoice::None,
        }
    }

    #[test]
    fn the_whole_request() {
        let provider = Provider::new("https://h/v1/", "m").unwrap().with_api_key("key-1234");
        let request = encode(&provider, &conversation()).unwrap();
        assert_eq!((request.method, request.url.as_str()), ("POST", "https://h/v1/chat/completions"));
        assert!(request.headers.contains(&("authorization".to_owned(), "Bearer key-1234".to_owned())));
        assert_eq!(
            serde_json::from_slice::<Value>(&request.body).unwrap(),
            json!({
                "model": "m", "stream": true, "stream_options": {"include_usage": true},
                "max_tokens": 2000, "temperature": 0.3, "tool_choice": "none",
                "tools": [{"type": "function",
                    "function": {"name": "search", "description": "d", "parameters": {"type": "object"}}}],
                "messages": [
                    {"role": "system", "content": "s"},
                    {"role": "user", "content": "u"},
                    {"role": "assistant", "content": "", "reasoning_content": "hm", "tool_calls": [
                        {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{\"q\":1}"},
                            "extra_content": {"google": {"thought_signature": "s"}}}]},
                    {"role": "tool", "tool_call_id": "c1", "content": "t"},
                ],
            })
        );
    }

    #[test]
    fn reasoning_models_get_their_own_limit_and_no_temperature() {
        for (model, reasons) in [
            ("o3-mini", true),
            ("openai/gpt-5-nano", true),
            ("gpt-5-chat-latest", false),
            ("o1", true),
            ("o100", false),
            ("gpt-4o", false),
            ("openai/o4-mini", true),
            ("o5-mini", true),
            ("gpt-6", true),
            ("gpt-5.2-chat-latest", true),
            ("gpt-5.1", true),
            ("gpt-6-mini", true),
            ("gpt-4.1-mini", false),
            ("gpt-oss-20b", false),
            ("olmo-2", false),
        ] {
            let body = body(&Provider::new("https://h", model).unwrap(), &ChatRequest::default());
            assert_eq!(body.get("max_completion_tokens").is_some(), reasons, "{model}");
            assert_eq!(body.get("max_tokens").is_none(), reasons, "{model}");
            assert_eq!(body.get("temperature").is_none(), reasons, "{model}");
        }
    }

    #[test]
    fn settings_change_the_body_and_the_headers() {
        let mut provider = Provider::new("https://api.mistral.ai/v1", "m").unwrap().with_api_key("key-1234");
        assert!(body(&provider, &ChatRequest::default()).get("stream_options").is_none());
        provider.temperature = None;
        provider.extra_body = json!({"max_tokens": null, "seed": 7}).as_object().unwrap().clone();
        provider.endpoint.headers.insert("Authorization".to_owned(), ibid_platform::Secret::new("Basic x"));
        let body = body(&provider, &ChatRequest::default());
        assert_eq!(body["seed"], 7);
        for gone in ["max_tokens", "temperature", "tools", "tool_choice"] {
            assert!(body.get(gone).is_none(), "{gone}");
        }
        let headers = encode(&provider, &ChatRequest::default()).unwrap().headers;
        let auth: Vec<_> = headers.iter().filter(|(name, _)| name == "authorization").collect();
        assert_eq!(auth, [&("authorization".to_owned(), "Basic x".to_owned())]);
    }

    #[test]
    fn broken_past_arguments_do_not_break_the_conversation() {
        for broken in ["", "null", "{\"q\":", "[1]"] {
            let value = tool_call(&call("c", "", broken));
            assert_eq!(value["function"]["arguments"], "{}");
            assert_eq!(value["function"]["name"], "unknown");
        }
    }

    #[test]
    fn a_plain_assistant_message_echoes_nothing() {
        let value = message(&assistant("a", Vec::new(), &json!({"reasoning_content": "hm"})), &[]);
        assert_eq!(value, json!({"role": "assistant", "content": "a"}));
    }
}
