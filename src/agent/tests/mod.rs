//! Runs from question to answer, with everything around them scripted.

mod drive;
mod failures;
mod hostile;
mod limits;
mod policies;
mod privacy;
mod review;
mod run;
mod tools;

use std::cell::RefCell;

use serde_json::{Value, json};

use super::{AgentOptions, AgentRun, Answer, AskEvent, ModelCall, Policy, Step};
use ibid_llm::{ChatRequest, FinishReason, Message, ModelReply, ToolCall, Usage};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::{Hit, Query, Search};
use ibid_trust::cite::Source;

const QUESTION: &str = "What is the dose of amoxicillin for children?";

fn options() -> AgentOptions {
    AgentOptions { nonce: "n0nce42".to_owned(), ..AgentOptions::default() }
}

fn run() -> AgentRun {
    AgentRun::new(QUESTION, options()).unwrap()
}

fn extractive() -> AgentRun {
    AgentRun::new(QUESTION, AgentOptions { policy: Policy::Extractive, ..AgentOptions::default() }).unwrap()
}

fn hit(chunk: u32, text: &str) -> Hit {
    Hit {
        chunk,
        id: format!("{chunk:016x}"),
        score: 1.0 / (chunk as f32 + 1.0),
        relevance: 0.8,
        document_id: "pneumonia.md".to_owned(),
        title: "Pneumonia".to_owned(),
        source: "pneumonia.md".to_owned(),
        heading_path: vec!["Treatment".to_owned()],
        text: text.to_owned(),
        span: 0..text.len(),
        line: 1,
        chunk_index: chunk,
        total_chunks: 9,
        ..Hit::default()
    }
}

/// Three passages; a query finds those whose text holds one of its words.
#[derive(Default)]
struct Passages {
    queries: RefCell<Vec<Query>>,
    fails: Option<ErrorCode>,
}

impl Search for Passages {
    async fn search(&self, query: &Query) -> Result<Vec<Hit>> {
        self.queries.borrow_mut().push(query.clone());
        if let Some(code) = self.fails {
            return Err(Error::new(code, "scripted"));
        }
        let texts = [
            "Children get amoxicillin 40 mg/kg twice daily.",
            "Fever needs paracetamol.",
            "Amoxicillin causes rash.",
        ];
        let query_text = query.text.to_lowercase();
        let found = (0..).zip(texts).filter(|(_, text)| {
            text.to_lowercase().split([' ', '.']).any(|word| word.len() > 4 && query_text.contains(word))
        });
        Ok(found.map(|(chunk, text)| hit(chunk, text)).take(query.limit).collect())
    }
}

fn call(id: &str, arguments: &Value) -> ToolCall {
    raw_call(id, "search_documents", &arguments.to_string())
}

fn raw_call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned(), extra: None }
}

fn calls(tool_calls: Vec<ToolCall>) -> ModelReply {
    let usage = Some(Usage { input_tokens: 10, output_tokens: 2, total_tokens: 12, ..Usage::default() });
    ModelReply { tool_calls, finish_reason: FinishReason::ToolCalls, usage, ..ModelReply::default() }
}

fn says(text: &str, finish_reason: FinishReason) -> ModelReply {
    ModelReply { text: text.to_owned(), finish_reason, ..ModelReply::default() }
}

/// A reply as a provider streams it.
fn stream(reply: &ModelReply) -> String {
    let chunk = |delta: Value, finish: Value| {
        format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}))
    };
    let mut text = String::new();
    for word in reply.text.split_inclusive(' ') {
        text.push_str(&chunk(json!({"content": word}), Value::Null));
    }
    for (index, call) in reply.tool_calls.iter().enumerate() {
        let function = json!({"name": call.name, "arguments": call.arguments});
        text.push_str(&chunk(
            json!({"tool_calls": [{"index": index, "id": call.id, "function": function}]}),
            Value::Null,
        ));
    }
    text.push_str(&chunk(json!({}), json!("stop")));
    if let Some(usage) = reply.usage {
        let usage = json!({"prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens});
        let chunk = json!({"choices": [], "usage": usage});
        text = format!("{text}data: {chunk}\n\n");
    }
    text + "data: [DONE]\n\n"
}

/// The text that a person saw come in.
fn streamed(events: &[AskEvent]) -> String {
    let mut text = String::new();
    for event in events {
        match event {
            AskEvent::Text { delta, restart: true } => text.clone_from(delta),
            AskEvent::Text { delta, .. } => text.push_str(delta),
            _ => {}
        }
    }
    text
}

/// Hands a reply to the run, and returns the calls that could not be done: id, name and what the model was told.
fn replied(run: &mut AgentRun, reply: ModelReply) -> Vec<(String, String, String)> {
    run.take_events();
    run.model_replied(reply).unwrap();
    let errors = run.take_events().into_iter().filter_map(|event| match event {
        AskEvent::ToolError { id, name, message } => Some((id, name, message)),
        _ => None,
    });
    errors.collect()
}

/// Hands hits to the run, and returns them as sources.
fn found(run: &mut AgentRun, id: &str, hits: Vec<Hit>) -> Vec<Source> {
    run.take_events();
    run.retrieved(id, hits).unwrap();
    let sources = run.take_events().into_iter().find_map(|event| match event {
        AskEvent::Sources { sources, .. } => Some(sources),
        _ => None,
    });
    sources.unwrap_or_default()
}

fn model_call(run: &AgentRun) -> ModelCall {
    match run.next_step() {
        Step::CallModel(call) => *call,
        other => panic!("a call of the model was expected, not {other:?}"),
    }
}

fn request(run: &AgentRun) -> ChatRequest {
    model_call(run).request
}

fn searches(run: &AgentRun) -> Vec<(String, String, usize)> {
    let calls = match run.next_step() {
        Step::Retrieve(calls) | Step::CallTools { searches: calls, .. } => calls,
        other => panic!("searches were expected, not {other:?}"),
    };
    calls.into_iter().map(|call| (call.id, call.query.text, call.query.limit)).collect()
}

fn answer(run: &AgentRun) -> Answer {
    match run.next_step() {
        Step::Done(answer) => *answer,
        other => panic!("the answer was expected, not {other:?}"),
    }
}

/// What the model reads as results of its latest calls.
fn told(run: &AgentRun) -> Vec<(String, String)> {
    let messages = request(run).messages;
    let results = messages.into_iter().rev().map_while(|message| match message {
        Message::Tool { call_id, content, .. } => Some((call_id, content)),
        _ => None,
    });
    let mut results: Vec<_> = results.collect();
    results.reverse();
    results
}

fn search_once(run: &mut AgentRun, id: &str, query: &str, hits: Vec<Hit>) {
    run.model_replied(calls(vec![call(id, &json!({"query": query}))])).unwrap();
    run.retrieved(id, hits).unwrap();
}

/// The last thing that a person's message says to the model.
fn asked(run: &AgentRun) -> String {
    match request(run).messages.pop() {
        Some(Message::User { content }) => content,
        other => panic!("a person's message was expected, not {other:?}"),
    }
}

/// What the trace says was done.
fn steps(answer: &Answer) -> Vec<&str> {
    answer.trace.iter().map(|step| step.name.as_str()).collect()
}
