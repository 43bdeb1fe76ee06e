//! A run's record for the audit log.

use serde_json::{Value, json};

use super::answer::{Answer, iso_8601};
use super::guarded::Guarded;
use super::run::AgentRun;
use super::state::State;
use ibid_platform::Error;
use ibid_platform::json;
use ibid_trust::guard::pii::{Finder, PiiMode, PiiOptions};

impl AgentRun {
    /// The run as a record for an audit log, if its options say that there is to be one: of a run that has ended, or, with an
    /// error, of one that failed, since what was sent by then was sent. It holds no key, and placeholders in the place of
    /// personal data, even if the model was to see that.
    pub fn audit_record(&self, failure: Option<&Error>) -> Option<Value> {
        let trail = self.trail.as_ref()?;
        let answer = match (&self.state, failure) {
            (State::Done(answer), _) => answer,
            (_, None) => return None,
            (_, Some(_)) => &Box::new(Answer {
                policy: self.options.policy,
                usage: self.progress.usage,
                turns: self.progress.turns,
                created_at: iso_8601(self.trace.now()),
                ..Answer::default()
            }),
        };
        let options = PiiOptions { mode: Some(PiiMode::Redact), ..self.options.pii.clone() };
        let finder = Finder::new(&options).ok()?;
        // One map for the whole record, so that a placeholder means the same everywhere in it.
        let redaction = std::cell::RefCell::new(self.conversation.redaction.clone());
        let redact = |text: &str| redaction.borrow_mut().redact(&finder, text);
        let question = redact(&self.guarded.question);
        let verdicts = json::tree(&Guarded { question: String::new(), ..self.guarded.clone() });
        let plan = json!({"policy": self.options.policy, "queries": self.plan.queries()});
        let mut record = trail.record(&question, &verdicts.unwrap_or_default(), &plan, answer, &redact);
        if let (Some(failure), Value::Object(members)) = (failure, &mut record) {
            members.insert("error".to_owned(), failure.code().as_str().into());
        }
        Some(record)
    }
}
