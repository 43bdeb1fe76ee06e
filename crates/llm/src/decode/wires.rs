//! Every format in its shortest form, for tests that go through all of them.

use crate::testing::decode_pieces;
use crate::{Api, ModelReply, Part, Provider, ProviderKind};

/// One format as a stream of deltas, and as a whole document.
pub(super) struct Wire {
    pub(super) kind: ProviderKind,
    /// The text before the deltas, around each of them, and after them. A delta's text is put in for `@`, in JSON.
    pub(super) stream: [&'static str; 3],
    /// The same for reasoning.
    pub(super) reasoning: &'static str,
    /// A piece of a tool call's arguments, which are text, where the format has pieces of them.
    pub(super) arguments: Option<&'static str>,
    /// A whole reply with a text.
    pub(super) whole: &'static str,
    /// The provider's report of a failure.
    pub(super) failure: &'static str,
}

pub(super) const WIRES: [Wire; 5] = [
    Wire {
        kind: ProviderKind::OpenAi,
        stream: [
            "",
            r#"{"choices":[{"delta":{"content":"@"}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
        ],
        reasoning: r#"{"choices":[{"delta":{"reasoning_content":"@"}}]}"#,
        arguments: Some(
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"@"}}]}}]}"#,
        ),
        whole: r#"{"choices":[{"message":{"content":"@"},"finish_reason":"stop"}]}"#,
        failure: r#"{"error":{"message":"@"}}"#,
    },
    Wire {
        kind: ProviderKind::Anthropic,
        stream: [
            r#"{"type":"message_start","message":{"id":"m","content":[]}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"@"}}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
        ],
        reasoning: r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"@"}}"#,
        arguments: None,
        whole: r#"{"type":"message","id":"m","content":[{"type":"text","text":"@"}],"stop_reason":"end_turn"}"#,
        failure: r#"{"type":"error","error":{"type":"overloaded_error","message":"@"}}"#,
    },
    Wire {
        kind: ProviderKind::Gemini,
        stream: [
            "",
            r#"{"candidates":[{"content":{"parts":[{"text":"@"}]}}]}"#,
            r#"{"candidates":[{"finishReason":"STOP"}]}"#,
        ],
        reasoning: r#"{"candidates":[{"content":{"parts":[{"text":"@","thought":true}]}}]}"#,
        arguments: None,
        whole: r#"{"candidates":[{"content":{"parts":[{"text":"@"}]},"finishReason":"STOP"}]}"#,
        failure: r#"{"error":{"message":"@"}}"#,
    },
    Wire {
        kind: ProviderKind::Ollama,
        stream: [
            "",
            r#"{"message":{"content":"@"},"done":false}"#,
            r#"{"message":{"content":""},"done":true}"#,
        ],
        reasoning: r#"{"message":{"thinking":"@"},"done":false}"#,
        arguments: None,
        whole: r#"{"message":{"content":"@"},"done":true}"#,
        failure: r#"{"error":"@"}"#,
    },
    Wire {
        kind: ProviderKind::OpenAiResponses,
        stream: [
            "",
            r#"{"type":"response.output_text.delta","output_index":0,"delta":"@"}"#,
            r#"{"type":"response.completed","response":{"status":"completed"}}"#,
        ],
        reasoning: r#"{"type":"response.reasoning_text.delta","output_index":1,"content_index":0,"delta":"@"}"#,
        arguments: Some(r#"{"type":"response.function_call_arguments.delta","output_index":2,"delta":"@"}"#),
        whole: r#"{"object":"response","status":"completed","output":[{"type":"message","content":[{"text":"@"}]}]}"#,
        failure: r#"{"type":"error","message":"@"}"#,
    },
];

impl Wire {
    pub(super) fn provider(&self) -> Provider {
        Provider::of(self.kind, "m").unwrap()
    }

    /// A stream with these events between its beginning and its end.
    pub(super) fn around(&self, events: &[String]) -> String {
        let ends = [self.stream[0].to_owned(), self.stream[2].to_owned()];
        let all = ends[..1].iter().chain(events).chain(&ends[1..]).filter(|event| !event.is_empty());
        let lines = self.provider().api() == Api::OllamaChat;
        all.map(|event| if lines { format!("{event}\n") } else { format!("data: {event}\n\n") }).collect()
    }

    pub(super) fn decode(&self, response: &str) -> (Vec<Part>, ModelReply) {
        decode_pieces(&self.provider(), response.as_bytes().chunks(7)).unwrap()
    }
}

pub(super) fn texts(parts: &[Part]) -> String {
    parts
        .iter()
        .filter_map(|part| if let Part::Text(text) = part { Some(text.as_str()) } else { None })
        .collect()
}

pub(super) fn thoughts(parts: &[Part]) -> String {
    let thoughts = parts
        .iter()
        .filter_map(|part| if let Part::Reasoning(text) = part { Some(text.as_str()) } else { None });
    thoughts.collect()
}
