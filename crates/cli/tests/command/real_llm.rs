//! A real model server, called as the crate calls it: streams, usage, and replies that are held to a schema.
//!
//! `tests/real-llm/run.sh` starts the server and names it in `REAL_LLM_URL`; without it these tests say so and pass.

use std::time::{Duration, Instant};

use ibid::llm::{
    CallEvent, ChatRequest, FinishReason, HttpModel, Message, Model, ModelReply, OutputForm, Provider,
    ReplyPart,
};
use ibid_native::http::NativeHttp;
use ibid_native::system::{SystemClock, block_on};
use serde::Deserialize;
use serde_json::{Value, json};

const TEA: &str = "Green tea steeps at 80 degrees, black tea at 100 degrees. Answer in one sentence.";

/// What a call came to: the reply, and when each piece of its text came.
struct Called {
    reply: ModelReply,
    pieces: Vec<(String, Duration)>,
}

/// Calls the model; nothing if there is none.
fn call(system: &str, question: &str, output: Option<OutputForm>) -> Option<Called> {
    let Some(server) = std::env::var("REAL_LLM_URL").ok().filter(|url| !url.is_empty()) else {
        eprintln!("skipped: tests/real-llm/run.sh starts the model server");
        return None;
    };
    let mut provider = Provider::new(format!("{server}/v1"), "smollm2").unwrap();
    // The server's grammar allows white space between all parts of JSON, and a small model takes what it is allowed. Every
    // run of it is short, so that the largest reply of the form below stays below this.
    provider.max_tokens = Some(if output.is_some() { 600 } else { 120 });
    let messages =
        vec![Message::System { content: system.to_owned() }, Message::User { content: question.to_owned() }];
    let request = ChatRequest { messages, output, ..ChatRequest::default() };
    let http = NativeHttp::for_services();
    let (started, mut pieces) = (Instant::now(), Vec::new());
    let mut watch = |event: CallEvent| match event {
        CallEvent::Part(ReplyPart::Text(text)) => pieces.push((text, started.elapsed())),
        CallEvent::Part(_) => {}
        CallEvent::Retry { reason, .. } => eprintln!("retried: {reason}"),
    };
    let model = HttpModel::new(&provider, &http, &SystemClock);
    let reply = block_on(model.call(&request, &mut watch)).unwrap();
    Some(Called { reply, pieces })
}

#[test]
fn text_streams_and_ends_with_its_usage() {
    let Some(Called { reply, pieces }) = call(TEA, "How hot is the water for green tea?", None) else {
        return;
    };
    assert!(pieces.len() > 1);
    assert_eq!(pieces.iter().map(|(text, _)| text.as_str()).collect::<String>(), reply.text);
    assert_eq!(reply.finish_reason, FinishReason::Stop, "{}", reply.text);
    let usage = reply.usage.unwrap();
    assert!(usage.input_tokens > 10 && usage.output_tokens > 1, "{usage:?}");
    let (first, last) = (pieces[0].1, pieces[pieces.len() - 1].1);
    let rate = (usage.output_tokens - 1) as f64 / last.saturating_sub(first).as_secs_f64();
    eprintln!(
        "core: first text after {} ms, {} pieces, {} tokens, {rate:.1} tokens/s, {} tokens read",
        first.as_millis(),
        pieces.len(),
        usage.output_tokens,
        usage.input_tokens
    );
}

#[test]
fn a_system_message_has_its_role() {
    let pirate = "You are a pirate captain called Redbeard, and speak as one.";
    let Some(Called { reply, .. }) = call(pirate, "Who are you?", None) else { return };
    let says = reply.text.to_lowercase();
    assert!(["pirate", "captain", "redbeard"].iter().any(|word| says.contains(word)), "{says}");
}

/// What the schema below asks for, and nothing else.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Brewing {
    tea: Tea,
    celsius: u8,
    steps: Vec<String>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Tea {
    Green,
    Black,
}

#[test]
fn a_schema_holds_the_reply_to_its_form() {
    let schema = json!({
        "type": "object",
        "properties": {
            "tea": { "type": "string", "enum": ["green", "black"] },
            "celsius": { "type": "integer", "minimum": 0, "maximum": 100 },
            "steps": { "type": "array", "items": { "type": "string", "maxLength": 40 }, "minItems": 1, "maxItems": 2 }
        },
        "required": ["tea", "celsius", "steps"],
        "additionalProperties": false
    });
    let form = OutputForm { name: "brewing".to_owned(), schema };
    let Some(Called { reply, pieces }) = call(TEA, "How is green tea made?", Some(form)) else { return };
    // The server keeps a reply to the schema, whatever the model would like to write.
    assert_eq!(reply.finish_reason, FinishReason::Stop, "{}", reply.text);
    let brewing: Brewing = serde_json::from_str(&reply.text).unwrap();
    assert!(brewing.celsius <= 100 && (1..=2).contains(&brewing.steps.len()), "{brewing:?}");
    assert!(
        [Tea::Green, Tea::Black].contains(&brewing.tea)
            && brewing.steps.iter().all(|step| step.chars().count() <= 40)
    );
    let compact: Value = serde_json::from_str(&reply.text).unwrap();
    eprintln!("core: by schema, in {} pieces: {compact}", pieces.len());
}
