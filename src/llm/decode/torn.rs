//! Characters torn apart in the replies of every format: joined where their halves meet, and replaced where not.

use proptest::prelude::*;
use serde_json::json;

use crate::llm::testing::decode_pieces;
use crate::llm::{Api, CustomReply, ModelReply, Part, Provider, ProviderKind};

/// One format as a stream of deltas, and as a whole document.
struct Wire {
    kind: ProviderKind,
    /// What comes before the deltas, around each of them, and after them. A delta's text is put in for `@`, in JSON.
    stream: [&'static str; 3],
    /// The same for reasoning.
    reasoning: &'static str,
    /// A piece of a tool call's arguments, which are text, where the format has pieces of them.
    arguments: Option<&'static str>,
    /// A whole reply with a text.
    whole: &'static str,
    /// The provider's report of a failure.
    failure: &'static str,
}

const WIRES: [Wire; 5] = [
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
    fn provider(&self) -> Provider {
        Provider::of(self.kind, "m").unwrap()
    }

    /// A stream with these events between its beginning and its end.
    fn around(&self, events: &[String]) -> String {
        let ends = [self.stream[0].to_owned(), self.stream[2].to_owned()];
        let all = ends[..1].iter().chain(events).chain(&ends[1..]).filter(|event| !event.is_empty());
        let lines = self.provider().api() == Api::OllamaChat;
        all.map(|event| if lines { format!("{event}\n") } else { format!("data: {event}\n\n") }).collect()
    }

    fn decode(&self, response: &str) -> (Vec<Part>, ModelReply) {
        decode_pieces(&self.provider(), response.as_bytes().chunks(7)).unwrap()
    }
}

fn texts(parts: &[Part]) -> String {
    parts
        .iter()
        .filter_map(|part| if let Part::Text(text) = part { Some(text.as_str()) } else { None })
        .collect()
}

fn thoughts(parts: &[Part]) -> String {
    let thoughts = parts
        .iter()
        .filter_map(|part| if let Part::Reasoning(text) = part { Some(text.as_str()) } else { None });
    thoughts.collect()
}

#[test]
fn halves_in_two_deltas_are_joined() {
    for wire in &WIRES {
        let delta = |text: &str| wire.stream[1].replace('@', text);
        let (parts, reply) =
            wire.decode(&wire.around(&[delta("a\\ud83d"), delta(""), delta("\\ude00b"), delta("c\\ud83d")]));
        assert_eq!(reply.text, "a😀bc\u{FFFD}", "{:?}", wire.kind);
        assert_eq!(texts(&parts), reply.text, "{:?}", wire.kind);
        assert!(parts.contains(&Part::Text("a".to_owned())), "a half keeps nothing back but itself");
    }
}

#[test]
fn halves_of_reasoning_and_of_text_do_not_meet() {
    for wire in &WIRES {
        let [text, thought] =
            [wire.stream[1], wire.reasoning].map(|event| move |text| event.replace('@', text));
        let (parts, reply) = wire.decode(&wire.around(&[
            thought("x\\uD83D"),
            thought("\\uDE00"),
            thought("\\uD83D"),
            text("\\uDE00y"),
        ]));
        assert_eq!(reply.reasoning, "x😀\u{FFFD}", "{:?}", wire.kind);
        assert_eq!(reply.text, "\u{FFFD}y", "{:?}", wire.kind);
        assert_eq!((texts(&parts), thoughts(&parts)), (reply.text, reply.reasoning));
    }
}

#[test]
fn a_whole_document_is_read_too() {
    for wire in &WIRES {
        for (text, expected) in
            [("a\\ud83d", "a\u{FFFD}"), ("\\ud83d\\ude00", "😀"), ("\\ude00\\\\ud83d", "\u{FFFD}\\ud83d")]
        {
            let (_, reply) = wire.decode(&wire.whole.replace('@', text));
            assert_eq!(reply.text, expected, "{:?}", wire.kind);
        }
    }
}

#[test]
fn arguments_are_joined_and_mended() {
    for wire in WIRES.iter().filter(|wire| wire.arguments.is_some()) {
        let piece = |text: &str| wire.arguments.unwrap_or_default().replace('@', text);
        let begin = r#"{"type":"response.output_item.added","output_index":2,
            "item":{"type":"function_call","call_id":"a","name":"f"}}"#
            .replace('\n', "");
        let begin = if wire.kind == ProviderKind::OpenAiResponses { begin } else { piece("") };
        let (parts, reply) = wire.decode(&wire.around(&[
            begin,
            piece("{\\\"a\\\":\\\"\\ud83d"),
            piece("\\ude00 \\ud83d\\\\ud8"),
            piece("3d\\\\u00e9\\\"}"),
        ]));
        let arguments = &reply.tool_calls[0].arguments;
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(arguments).unwrap(),
            json!({"a": "😀 \u{FFFD}\u{FFFD}é"}),
            "{:?}",
            wire.kind
        );
        assert!(parts.iter().any(|part| matches!(part, Part::ToolCallDelta { .. })));
    }
}

#[test]
fn names_pages_and_what_is_handed_back_have_no_halves() {
    let chunk = r#"{"choices":[{"delta":{"reasoning_content":"\ud83d","tool_calls":[{"index":0,"id":"i\ud83d",
        "function":{"name":"\ude00f","arguments":{"\ud83d":1}},"extra_content":{"k\ud83d":["\ude00"]}}],
        "annotations":[{"url_citation":{"url":"https://h/\ud83d","title":"t\ude00"}}]}}]}"#;
    let wire = &WIRES[0];
    let again = r#"{"choices":[{"delta":{"reasoning_content":"\ude00"}}]}"#;
    let (parts, reply) = wire.decode(&wire.around(&[chunk.replace('\n', ""), again.to_owned()]));
    let call = &reply.tool_calls[0];
    assert_eq!((call.id.as_str(), call.name.as_str()), ("i\u{FFFD}", "\u{FFFD}f"));
    assert_eq!(call.arguments, "{\"\u{FFFD}\":1}");
    assert_eq!(call.extra, Some(json!({"k\u{FFFD}": ["\u{FFFD}"]})));
    assert_eq!(reply.echo["reasoning_content"], "😀", "what is handed back is joined");
    let page = Part::Source { url: "https://h/\u{FFFD}".to_owned(), title: Some("t\u{FFFD}".to_owned()) };
    assert!(parts.contains(&page));
}

#[test]
fn failures_are_quoted_without_halves() {
    for wire in &WIRES {
        let failure = wire.around(&[wire.failure.replace('@', "full \\ud83d.")]);
        let error = decode_pieces(&wire.provider(), [failure.as_bytes()]).unwrap_err();
        assert!(error.message().ends_with("full \u{FFFD}."), "{error}");
    }
}

#[test]
fn what_only_a_torn_reply_needs_is_not_done_to_others() {
    for wire in &WIRES {
        let private = "\u{10F83D}\u{10FE00}";
        let (_, reply) = wire.decode(&wire.around(&[wire.stream[1].replace('@', private)]));
        assert_eq!(reply.text, private);
    }
}

#[test]
fn a_models_own_pieces_are_joined() {
    let mut reply = CustomReply::default();
    let mut parts = Vec::new();
    for piece in [
        r#"{"type":"text","delta":"a\ud83d"}"#,
        r#"{"type":"text","delta":"\ude00"}"#,
        r#"{"type":"tool-call","name":"f","arguments":{"x":"\ud83d"}}"#,
        r#"{"type":"text","delta":"\ud83d"}"#,
    ] {
        parts.extend(reply.push(piece).unwrap());
    }
    let (last, reply) = reply.finish();
    parts.extend(last);
    assert_eq!((reply.text.as_str(), texts(&parts).as_str()), ("a😀\u{FFFD}", "a😀\u{FFFD}"));
    assert_eq!(reply.tool_calls[0].arguments, "{\"x\":\"\u{FFFD}\"}");
}

proptest! {
    #[test]
    fn any_text_cut_into_deltas_is_that_text(
        units in prop::collection::vec(
            prop::sample::select(vec![0xD83D, 0xDE00, 0xD800, 0xDFFF, 0x61, 0xE9, 0x22, 0x5C, 0x20AC]), 1..30),
        size in 1usize..5,
        at in 0usize..WIRES.len(),
    ) {
        let wire = &WIRES[at];
        let escaped = |units: &[u16]| units.iter().fold(String::new(), |json, unit| json + &format!("\\u{unit:04x}"));
        let deltas: Vec<String> =
            units.chunks(size).map(|units| wire.stream[1].replace('@', &escaped(units))).collect();
        let (parts, reply) = wire.decode(&wire.around(&deltas));
        let expected = String::from_utf16_lossy(&units);
        prop_assert_eq!(texts(&parts), expected.clone());
        prop_assert_eq!(reply.text, expected.clone());
        let (_, reply) = wire.decode(&wire.whole.replace('@', &escaped(&units)));
        prop_assert_eq!(reply.text, expected);
    }
}
