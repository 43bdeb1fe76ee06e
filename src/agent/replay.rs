//! The answers that a run has got, by which one that broke off goes on.

use std::cell::RefCell;

use serde_json::{Map, Value};

use ibid_llm::{CallEvent, ChatRequest, Model, ModelReply, ReplyPart, ToolCall};
use ibid_platform::json::{self, list, present, text};
use ibid_platform::{Error, ErrorCode, Result};

/// The answers of models and tools in a run so far.
///
/// A run decides by nothing but its question, its options and such answers. So one that is made anew with them comes to
/// where the first broke off, and only then makes calls of its own; its searches are made again. Replies are kept as the model
/// gave them, with placeholders for personal data; the question and calls of tools have the person's words.
pub struct Replay<'a> {
    question: &'a str,
    ahead: RefCell<Vec<Answered>>,
    /// As JSON, one behind the other.
    behind: RefCell<String>,
    /// A failure of a model. It is an answer only if the run goes on after it.
    failure: RefCell<Option<Error>>,
    keep: Option<&'a dyn Fn(String)>,
}

/// An answer of a model or a tool: what it said, or its failure.
struct Answered {
    /// The call, where a tool has answered.
    tool: Option<ToolCall>,
    result: Result<ModelReply>,
}

impl Answered {
    fn read(value: &Value) -> Option<Self> {
        let result = match present(value, "failure") {
            None => Ok(json::of(value.get("reply")?.clone()).ok()?),
            Some(failure) => {
                let code = ErrorCode::from_name(text(failure, "code")?)?;
                Err(Error::new(code, text(failure, "message")?))
            }
        };
        let tool = match present(value, "tool") {
            None => None,
            Some(tool) => Some(json::of(tool.clone()).ok()?),
        };
        Some(Self { tool, result })
    }

    fn write(&self) -> serde_json::Result<Value> {
        let mut fields = Map::new();
        if let Some(tool) = &self.tool {
            fields.insert("tool".to_owned(), json::tree(tool)?);
        }
        let (name, value) = match &self.result {
            Ok(reply) => ("reply", json::tree(reply)?),
            Err(error) => ("failure", json::tree(error)?),
        };
        fields.insert(name.to_owned(), value);
        Ok(Value::Object(fields))
    }
}

/// Reads the answers of a run of this question that was kept.
fn read(question: &str, kept: &str) -> Option<Vec<Answered>> {
    let kept = json::parse(kept).ok()?;
    if text(&kept, "question") != Some(question) {
        return None;
    }
    let mut answers = Vec::new();
    for answered in list(&kept, "answers") {
        answers.push(Answered::read(answered)?);
    }
    Some(answers)
}

impl<'a> Replay<'a> {
    /// Begins with the answers of a run that `keep` was given, or with none. `keep` is called with the run as JSON after each
    /// answer.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] for what is no run, or one of another question.
    #[inline(never)]
    pub fn new(question: &'a str, kept: Option<&str>, keep: Option<&'a dyn Fn(String)>) -> Result<Self> {
        let ahead = match kept {
            None => Vec::new(),
            Some(kept) => read(question, kept).ok_or_else(|| {
                Error::new(ErrorCode::InvalidOption, "`resume` is not a run of this question.").with_hint(
                    "Resume a run with its own question and the version that saved it, or ask again.",
                )
            })?,
        };
        Ok(Self {
            question,
            ahead: RefCell::new(ahead),
            behind: RefCell::default(),
            failure: RefCell::default(),
            keep,
        })
    }

    /// Returns the answer that a tool gave to this call.
    pub fn of_tool(&self, call: &ToolCall) -> Option<Result<String>> {
        let answered = self.take(Some(call))?;
        Some(answered.result.map(|reply| reply.text))
    }

    /// Takes in what a tool has answered.
    pub fn tool_answered(&self, call: &ToolCall, result: &Result<String>) {
        if matches!(result, Err(error) if error.code() == ErrorCode::Aborted) {
            return;
        }
        let result = result.clone().map(|text| ModelReply { text, ..ModelReply::default() });
        self.push(&Answered { tool: Some(call.clone()), result });
    }

    /// Takes the next of the answers ahead: a tool's to this call, or else a model's.
    fn take(&self, call: Option<&ToolCall>) -> Option<Answered> {
        let mut ahead = self.ahead.borrow_mut();
        let at = ahead.iter().position(|answered| answered.tool.as_ref() == call)?;
        let answered = ahead.remove(at);
        self.pass(&answered);
        Some(answered)
    }

    fn push(&self, answered: &Answered) {
        let Some(keep) = self.keep else { return };
        self.pass(answered);
        let question = Value::from(self.question);
        keep(format!("{{\"question\":{question},\"answers\":[{}]}}", self.behind.borrow()));
    }

    fn pass(&self, answered: &Answered) {
        if let Ok(value) = answered.write() {
            let mut behind = self.behind.borrow_mut();
            if !behind.is_empty() {
                behind.push(',');
            }
            behind.push_str(&value.to_string());
        }
    }
}

/// A model whose replies are those of a replay, as long as that has some.
pub struct ReplayedModel<'a, M> {
    model: M,
    replay: &'a Replay<'a>,
}

impl<'a, M> ReplayedModel<'a, M> {
    /// Returns the model, behind the replay.
    pub const fn new(model: M, replay: &'a Replay<'a>) -> Self {
        Self { model, replay }
    }
}

impl<M: Model> Model for ReplayedModel<'_, M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    async fn call(&self, request: &ChatRequest, on_event: &mut dyn FnMut(CallEvent)) -> Result<ModelReply> {
        let Self { model, replay } = self;
        if let Some(answered) = replay.take(None) {
            if let Ok(reply) = &answered.result
                && !reply.text.is_empty()
            {
                on_event(CallEvent::Part(ReplyPart::Text(reply.text.clone())));
            }
            return answered.result;
        }
        if let Some(failure) = replay.failure.take() {
            replay.push(&Answered { tool: None, result: Err(failure) });
        }
        let result = model.call(request, on_event).await;
        match &result {
            Err(error) => drop(replay.failure.replace(Some(error.clone()))),
            reply => replay.push(&Answered { tool: None, result: reply.clone() }),
        }
        result
    }
}
