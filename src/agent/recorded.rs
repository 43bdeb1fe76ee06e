//! The record of a run for the audit log.

use std::cell::RefCell;

use serde_json::{Value, json};

use super::answer::{Answer, iso_8601};
use super::guarded::Guarded;
use super::inquiry::Inquiry;
use ibid_platform::Error;
use ibid_platform::json;
use ibid_trust::guard::pii::{Finder, PiiMode, PiiOptions};

/// Makes the record of a run that has ended with an answer, or failed with an error.
pub(super) fn record(
    inquiry: &Inquiry,
    queries: &[String],
    answer: Option<&Answer>,
    failure: Option<&Error>,
) -> Option<Value> {
    let trail = inquiry.journal.trail.as_ref()?;
    let answer = match (answer, failure) {
        (Some(answer), _) => answer,
        (None, None) => return None,
        (None, Some(_)) => &Answer {
            policy: inquiry.options.policy,
            usage: inquiry.progress.usage,
            turns: inquiry.progress.turns,
            created_at: iso_8601(inquiry.journal.now),
            ..Answer::default()
        },
    };
    let options = PiiOptions { mode: Some(PiiMode::Redact), ..inquiry.options.pii.clone() };
    let finder = Finder::new(&options).ok()?;
    // One map for the whole record, so that a placeholder means the same everywhere in it.
    let redaction = RefCell::new(inquiry.conversation.redaction.clone());
    let redact = |text: &str| redaction.borrow_mut().redact(&finder, text);
    let question = redact(&inquiry.guarded.question);
    let verdicts = json::tree(&Guarded { question: String::new(), ..inquiry.guarded.clone() });
    let plan = json!({"policy": inquiry.options.policy, "queries": queries});
    let mut record = trail.record(&question, &verdicts.unwrap_or_default(), &plan, answer, &redact);
    if let (Some(failure), Value::Object(members)) = (failure, &mut record) {
        members.insert("error".to_owned(), failure.code().as_str().into());
    }
    Some(record)
}
