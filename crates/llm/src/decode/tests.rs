//! Characters torn apart in the replies of every format: joined where their halves meet, and replaced where not.

use proptest::prelude::*;
use serde_json::json;

use crate::testing::{SAMPLES, texts, thoughts};
use crate::{CustomReply, ProviderKind, ReplyPart};

#[test]
fn halves_in_two_deltas_are_joined() {
    for sample in &SAMPLES {
        let delta = |text: &str| sample.stream[1].replace('@', text);
        let (parts, reply) = sample.decode(&sample.around(&[
            delta("a\\ud83d"),
            delta(""),
            delta("\\ude00b"),
            delta("c\\ud83d"),
        ]));
        assert_eq!(reply.text, "a😀bc\u{FFFD}", "{:?}", sample.kind);
        assert_eq!(texts(&parts), reply.text, "{:?}", sample.kind);
        assert!(parts.contains(&ReplyPart::Text("a".to_owned())), "a half keeps nothing back but itself");
    }
}

#[test]
fn halves_of_reasoning_and_of_text_do_not_meet() {
    for sample in &SAMPLES {
        let [text, thought] =
            [sample.stream[1], sample.reasoning].map(|event| move |text| event.replace('@', text));
        let (parts, reply) = sample.decode(&sample.around(&[
            thought("x\\uD83D"),
            thought("\\uDE00"),
            thought("\\uD83D"),
            text("\\uDE00y"),
        ]));
        assert_eq!(reply.reasoning, "x😀\u{FFFD}", "{:?}", sample.kind);
        assert_eq!(reply.text, "\u{FFFD}y", "{:?}", sample.kind);
        assert_eq!((texts(&parts), thoughts(&parts)), (reply.text, reply.reasoning));
    }
}

#[test]
fn a_whole_document_is_read_too() {
    for sample in &SAMPLES {
        for (text, expected) in
            [("a\\ud83d", "a\u{FFFD}"), ("\\ud83d\\ude00", "😀"), ("\\ude00\\\\ud83d", "\u{FFFD}\\ud83d")]
        {
            let (_, reply) = sample.decode(&sample.whole.replace('@', text));
            assert_eq!(reply.text, expected, "{:?}", sample.kind);
        }
    }
}

#[test]
fn arguments_are_joined_and_mended() {
    for sample in SAMPLES.iter().filter(|sample| sample.arguments.is_some()) {
        let piece = |text: &str| sample.arguments.unwrap_or_default().replace('@', text);
        let begin = r#"{"type":"response.output_item.added","output_index":2,
            "item":{"type":"function_call","call_id":"a","name":"f"}}"#
            .replace('\n', "");
        let begin = if sample.kind == ProviderKind::OpenAiResponses { begin } else { piece("") };
        let (parts, reply) = sample.decode(&sample.around(&[
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
            sample.kind
        );
        assert!(parts.iter().any(|part| matches!(part, ReplyPart::ToolCallDelta { .. })));
    }
}

#[test]
fn names_pages_and_what_is_handed_back_have_no_halves() {
    let chunk = r#"{"choices":[{"delta":{"reasoning_content":"\ud83d","tool_calls":[{"index":0,"id":"i\ud83d",
        "function":{"name":"\ude00f","arguments":{"\ud83d":1}},"extra_content":{"k\ud83d":["\ude00"]}}],
        "annotations":[{"url_citation":{"url":"https://h/\ud83d","title":"t\ude00"}}]}}]}"#;
    let sample = &SAMPLES[0];
    let again = r#"{"choices":[{"delta":{"reasoning_content":"\ude00"}}]}"#;
    let (parts, reply) = sample.decode(&sample.around(&[chunk.replace('\n', ""), again.to_owned()]));
    let call = &reply.tool_calls[0];
    assert_eq!((call.id.as_str(), call.name.as_str()), ("i\u{FFFD}", "\u{FFFD}f"));
    assert_eq!(call.arguments, "{\"\u{FFFD}\":1}");
    assert_eq!(call.extra, Some(json!({"k\u{FFFD}": ["\u{FFFD}"]})));
    assert_eq!(reply.echo["reasoning_content"], "😀", "what is handed back is joined");
    let page =
        ReplyPart::Source { url: "https://h/\u{FFFD}".to_owned(), title: Some("t\u{FFFD}".to_owned()) };
    assert!(parts.contains(&page));
}

#[test]
fn failures_are_quoted_without_halves() {
    for sample in &SAMPLES {
        let failure = sample.around(&[sample.failure.replace('@', "full \\ud83d.")]);
        let error = sample.tested().error(&failure);
        assert!(error.message().ends_with("full \u{FFFD}."), "{error}");
    }
}

#[test]
fn what_only_a_torn_reply_needs_is_not_done_to_others() {
    for sample in &SAMPLES {
        let private = "\u{10F83D}\u{10FE00}";
        let (_, reply) = sample.decode(&sample.around(&[sample.stream[1].replace('@', private)]));
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
        at in 0usize..SAMPLES.len(),
    ) {
        let sample = &SAMPLES[at];
        let escaped = |units: &[u16]| units.iter().fold(String::new(), |json, unit| json + &format!("\\u{unit:04x}"));
        let deltas: Vec<String> =
            units.chunks(size).map(|units| sample.stream[1].replace('@', &escaped(units))).collect();
        let (parts, reply) = sample.decode(&sample.around(&deltas));
        let expected = String::from_utf16_lossy(&units);
        prop_assert_eq!(texts(&parts), expected.clone());
        prop_assert_eq!(reply.text, expected.clone());
        let (_, reply) = sample.decode(&sample.whole.replace('@', &escaped(&units)));
        prop_assert_eq!(reply.text, expected);
    }
}
