//! What a run did, step by step.

use serde::{Deserialize, Serialize};

use super::run::AgentRun;
use ibid_llm::Usage;

/// A step that has ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceStep {
    /// What was done: `rewrite`, `classify`, `decompose`, `retrieve`, `retrieve_sub_1` and so on, `deduplicate`, `rerank`, `model`,
    /// `tool`, `answer`, `synthesize`, `reflect`, `assess`, `format`, `guard`
    /// (a source holds text that addresses the model), `seek` (a search for a source that supports a claim), `judge`,
    /// `revise` or `verify`.
    pub name: String,
    /// When it began, in milliseconds since the beginning of 1970.
    pub started_at: f64,
    /// How long it took, in milliseconds. Steps that ran side by side began at the same time.
    pub duration_ms: f64,
    /// How many things came of it: hits, sub-queries, passages, flags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// The tokens used by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What came of it in a few words, such as a class, a query or why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The steps of a run so far, and the time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Trace {
    steps: Vec<TraceStep>,
    /// When the step under way began.
    began: f64,
    now: f64,
}

/// The most characters of a note.
const MAX_NOTE_CHARS: usize = 300;

impl Trace {
    pub(super) fn steps(&self) -> &[TraceStep] {
        &self.steps
    }

    pub(super) fn begin(&mut self, now: f64) {
        self.began = now;
        self.now = now;
    }

    pub(super) fn at(&mut self, now: f64) {
        self.now = now;
    }

    pub(super) fn now(&self) -> f64 {
        self.now
    }

    /// Notes the end of the step under way, or of one of those that run side by side.
    pub(super) fn end(&mut self, name: impl Into<String>) -> &mut TraceStep {
        self.push(name, self.began, (self.now - self.began).max(0.0))
    }

    /// Notes a step that takes no time worth telling, such as choosing among what was found.
    pub(super) fn note(&mut self, name: impl Into<String>) -> &mut TraceStep {
        self.push(name, self.now, 0.0)
    }

    /// The step that ended last, to say more about it. Where there is none it is made, so that nothing is lost.
    pub(super) fn last(&mut self) -> &mut TraceStep {
        if self.steps.is_empty() {
            self.note("start");
        }
        let last = self.steps.len() - 1;
        &mut self.steps[last]
    }

    fn push(&mut self, name: impl Into<String>, started_at: f64, duration_ms: f64) -> &mut TraceStep {
        self.steps.push(TraceStep { name: name.into(), started_at, duration_ms, ..TraceStep::default() });
        let last = self.steps.len() - 1;
        &mut self.steps[last]
    }
}

impl TraceStep {
    pub(super) fn count(&mut self, count: usize) -> &mut Self {
        self.count = Some(count);
        self
    }

    pub(super) fn usage(&mut self, usage: Option<Usage>) -> &mut Self {
        self.usage = usage;
        self
    }

    /// Notes something about the step, behind what was noted before.
    pub(super) fn says(&mut self, note: impl AsRef<str>) -> &mut Self {
        let before = self.note.take().map(|before| before + "; ").unwrap_or_default();
        self.note = Some(before.chars().chain(note.as_ref().chars()).take(MAX_NOTE_CHARS).collect());
        self
    }
}

impl AgentRun {
    /// Tells the time at which the next step begins, in milliseconds since 1970.
    pub fn begin_step(&mut self, now: f64) {
        self.trace.begin(now);
    }

    /// Tells the time before a result is handed back.
    pub fn at(&mut self, now: f64) {
        self.trace.at(now);
    }
}
