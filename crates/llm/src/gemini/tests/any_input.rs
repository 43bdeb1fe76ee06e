//! Streams cut anywhere, and input that is no stream of the format.

use proptest::prelude::*;

use super::*;

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
    let whole = testing::expect_splits_change_nothing(&provider("gemini-2.5-flash"), &rich_stream());
    assert_eq!(whole.1.tool_calls[0].arguments, "{\"q\":\"Ärzte\"}");
}

proptest! {
    #[test]
    fn any_splits_change_nothing(cuts in testing::any_cuts()) {
        testing::expect_cuts_change_nothing(&provider("gemini-2.5-flash"), &rich_stream(), &cuts);
    }

    #[test]
    fn arbitrary_bytes_end_in_a_reply_or_an_error(bytes in testing::any_bytes()) {
        testing::expect_an_end(&provider("gemini-2.5-flash"), &bytes, ("data: ", "\n\n"));
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
            text.extend(["data: ", &body, "\n\n"]);
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
