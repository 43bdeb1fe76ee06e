//! Runs from question to answer, with everything around them scripted.

mod drive;
mod run;

use std::cell::RefCell;

use serde_json::{Value, json};

use super::{AgentOptions, AgentRun, Policy};
use crate::error::{Error, ErrorCode, Result};
use crate::llm::{FinishReason, ModelReply, ToolCall, Usage};
use crate::retrieve::{Hit, Query, Search};

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
        document_id: "pneumonia.md".to_owned(),
        title: "Pneumonia".to_owned(),
        url: None,
        source: "pneumonia.md".to_owned(),
        heading_path: vec!["Treatment".to_owned()],
        anchor: None,
        text: text.to_owned(),
        highlights: Vec::new(),
        span: 0..text.len(),
        line: 1,
        repeated: 0,
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
