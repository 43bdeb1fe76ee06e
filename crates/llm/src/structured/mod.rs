//! Replies that are JSON of a given form.
//!
//! Most providers take a JSON Schema and hold the model to it. Where one does not, the reply is asked for as the arguments
//! of a tool that the model has to call. Whatever the way, the reply is checked against the schema here too: see [`check`].

mod partial;
mod schema;

use serde_json::Value;

pub use self::partial::partial;
pub use self::schema::check;
use super::{ChatRequest, ModelReply, ReplyPart, ToolChoice, ToolSpec};

/// The tool whose arguments are the reply.
pub(super) const OUTPUT_TOOL: &str = "give_answer";

/// The same request with a tool in place of the form.
pub(super) fn by_tool(request: &ChatRequest) -> ChatRequest {
    let mut request = request.clone();
    let Some(form) = request.output.take() else { return request };
    let others = !request.tools.is_empty() && request.tool_choice != ToolChoice::None;
    request.tool_choice =
        if others { ToolChoice::Required } else { ToolChoice::Tool(OUTPUT_TOOL.to_owned()) };
    request.tools.push(ToolSpec {
        name: OUTPUT_TOOL.to_owned(),
        description: "Gives the answer. Call it once, with the whole answer as its arguments.".to_owned(),
        parameters: form.schema,
    });
    request
}

/// Makes the arguments of that tool the reply's text.
pub(super) fn from_tool(reply: &mut ModelReply) {
    if let Some(at) = reply.tool_calls.iter().position(|call| call.name == OUTPUT_TOOL) {
        reply.text = reply.tool_calls.swap_remove(at).arguments;
        // With a final answer there, whatever else was to be called is not needed.
        reply.tool_calls.clear();
        if !reply.finish_reason.is_cut_off() {
            reply.finish_reason = super::FinishReason::Stop;
        }
    }
}

/// Turns the pieces of that tool's call into pieces of text.
#[derive(Default)]
pub(super) struct AsText {
    /// The call's place, once it has begun.
    slot: Option<usize>,
}

impl AsText {
    /// Makes the part as it is shown; none for one that means nothing any more.
    pub(super) fn part(&mut self, part: ReplyPart) -> Option<ReplyPart> {
        match part {
            ReplyPart::ToolCallStart { slot, name } if name == OUTPUT_TOOL => {
                self.slot = Some(slot);
                None
            }
            ReplyPart::ToolCallDelta { slot, arguments } if self.slot == Some(slot) => {
                Some(ReplyPart::Text(arguments))
            }
            ReplyPart::ToolCallComplete(call) if call.name == OUTPUT_TOOL => None,
            part => Some(part),
        }
    }
}

/// Returns true if a schema keeps `OpenAI`'s rules for strict ones: every object lists all its properties as required and allows
/// no others, and nothing refers elsewhere than into the schema itself.
pub(super) fn is_strict(schema: &Value) -> bool {
    let Value::Object(fields) = schema else {
        return schema.as_array().is_none_or(|list| list.iter().all(is_strict));
    };
    if let Some(Value::Object(properties)) = fields.get("properties") {
        let required = fields.get("required").and_then(Value::as_array);
        let all = required.is_some_and(|required| {
            properties.keys().all(|name| required.iter().any(|other| other.as_str() == Some(name)))
        });
        return all
            && fields.get("additionalProperties") == Some(&Value::Bool(false))
            && properties.values().all(is_strict)
            && fields
                .get("$defs")
                .and_then(Value::as_object)
                .is_none_or(|defs| defs.values().all(is_strict));
    }
    fields.get("type").and_then(Value::as_str) != Some("object")
        && ["items", "anyOf", "$defs"].iter().filter_map(|name| fields.get(*name)).all(|inner| match inner {
            Value::Object(defs) if !defs.contains_key("type") && !defs.contains_key("$ref") => {
                defs.values().all(is_strict)
            }
            inner => is_strict(inner),
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{FinishReason, OutputForm, ToolCall};

    #[test]
    fn a_form_becomes_a_tool_and_its_call_the_text() {
        let form = OutputForm { name: "dose".to_owned(), schema: json!({"type": "object"}) };
        let request = ChatRequest { output: Some(form), ..ChatRequest::default() };
        let lowered = by_tool(&request);
        assert_eq!(lowered.tool_choice, ToolChoice::Tool(OUTPUT_TOOL.to_owned()));
        assert!(lowered.output.is_none() && lowered.tools[0].parameters == json!({"type": "object"}));
        let call = ToolCall {
            id: "a".to_owned(),
            name: OUTPUT_TOOL.to_owned(),
            arguments: "{\"mg\":5}".to_owned(),
            extra: None,
        };
        let mut reply = ModelReply {
            tool_calls: vec![call],
            finish_reason: FinishReason::ToolCalls,
            ..ModelReply::default()
        };
        from_tool(&mut reply);
        assert_eq!((reply.text.as_str(), reply.finish_reason), ("{\"mg\":5}", FinishReason::Stop));
        assert!(reply.tool_calls.is_empty());
    }

    #[test]
    fn strict_schemas_are_told_from_others() {
        let strict = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
            "additionalProperties": false});
        assert!(is_strict(&strict));
        assert!(is_strict(&json!({"type": "array", "items": strict})));
        assert!(!is_strict(&json!({"type": "object", "properties": {"a": {"type": "string"}}})));
        assert!(!is_strict(&json!({"type": "array", "items": {"type": "object"}})));
        assert!(!is_strict(
            &json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": [],
            "additionalProperties": false})
        ));
    }
}
