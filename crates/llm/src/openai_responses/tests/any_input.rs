//! Streams cut anywhere, and input that is no stream of the format.

use proptest::prelude::*;

use super::*;

/// A stream with everything in it that a split could harm.
fn rich_stream() -> String {
    let delta =
        |delta: &str| event("function_call_arguments.delta", 2, json!({"item_id": "fc_a", "delta": delta}));
    let end = json!({"type": "response.completed", "response": {"status": "completed", "output": [],
        "usage": {"input_tokens": 1, "output_tokens": 2}}});
    let events = [
        event(
            "reasoning_summary_text.delta",
            0,
            json!({"item_id": "rs", "summary_index": 0, "delta": "größer als ½?"}),
        ),
        done(0, thought("rs")),
        text(1, "naïve – 日本語 🩺"),
        added(2, call("a", "suche", "")),
        delta("{\"q\":\"Ä"),
        delta("rzte\"}"),
        done(2, call("a", "suche", "{\"q\":\"Ärzte\"}")),
        end,
    ];
    format!("\u{feff}: hi\r\n\r\n{}", stream(&events).replace('\n', "\r\n"))
}

#[test]
fn a_split_at_any_byte_changes_nothing() {
    let whole = testing::expect_splits_change_nothing(&provider("m"), &rich_stream());
    assert_eq!(whole.1.tool_calls[0].arguments, "{\"q\":\"Ärzte\"}");
}

proptest! {
    #[test]
    fn any_splits_change_nothing(cuts in testing::any_cuts()) {
        testing::expect_cuts_change_nothing(&provider("m"), &rich_stream(), &cuts);
    }

    #[test]
    fn arbitrary_bytes_end_in_a_reply_or_an_error(bytes in testing::any_bytes()) {
        testing::expect_an_end(&provider("m"), &bytes, ("data: ", "\n\n"));
    }

    #[test]
    fn arbitrary_events_do_not_panic(
        kinds in prop::collection::vec(prop::sample::select(vec![
            "output_item.added", "output_item.done", "output_text.delta", "refusal.delta", "reasoning_text.delta",
            "reasoning_summary_text.delta", "function_call_arguments.delta", "function_call_arguments.done",
            "output_text.annotation.added", "completed", "incomplete", "failed",
        ]), 1..6),
        key in prop::sample::select(vec![
            "item", "delta", "output_index", "item_id", "arguments", "annotation", "response", "summary_index",
        ]),
        inner in prop::sample::select(vec![
            "type", "id", "content", "summary", "name", "call_id", "arguments", "output", "usage", "status", "error",
            "encrypted_content", "phase", "incomplete_details",
        ]),
        leaf in prop::sample::select(vec!["null", "-1", "1e400", "\"\"", "\"x\"", "[]", "{}", "[null]", "[[]]", "true"]),
    ) {
        let mut text = String::new();
        for kind in kinds {
            for value in [
                leaf.to_owned(),
                format!("{{\"{inner}\":{leaf}}}"),
                format!("{{\"type\":\"message\",\"{inner}\":{leaf}}}"),
                format!("{{\"type\":\"function_call\",\"{inner}\":{leaf}}}"),
                format!("{{\"type\":\"reasoning\",\"{inner}\":[{{\"{inner}\":{leaf}}}]}}"),
            ] {
                let event = format!("{{\"type\":\"response.{kind}\",\"{key}\":{value}}}");
                let _ = decode_pieces([event.as_bytes()]);
                text.extend(["data: ", &event, "\n\n"]);
            }
        }
        let _ = decode_pieces([text.as_bytes()]);
    }

    #[test]
    fn any_echo_is_survived(
        key in prop::sample::select(vec!["type", "phase", "call_id", "summary"]),
        leaf in prop::sample::select(vec!["null", "1", "\"message\"", "\"function_call\"", "\"reasoning\"", "[]", "{}"]),
    ) {
        let item: Value = serde_json::from_str(&format!("{{\"{key}\":{leaf}}}")).unwrap();
        let items = replayed("t", vec![past_call("a", "f", "{}")], json!([item, item]));
        prop_assert!(items.len() >= 2);
    }
}
