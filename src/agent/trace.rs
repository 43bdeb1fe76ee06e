//! The steps of a run, as they are told.

use serde::{Deserialize, Serialize};

use ibid_llm::Usage;
use ibid_platform::Error;

/// A step that has ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceStep {
    /// Its name: `rewrite`, `classify`, `decompose`, `retrieve`, `retrieve_sub_1` and so on, `deduplicate`,
    /// `rerank`, `model`, `tool`, `answer`, `synthesize`, `reflect`, `assess`, `format`, `guard` (a source has text
    /// that addresses the model), `judge`, `revise` or `verify`.
    pub name: String,
    /// The time when it began, in milliseconds since the beginning of 1970.
    pub started_at: f64,
    /// Its duration in milliseconds. Steps that ran side by side began at the same time.
    pub duration_ms: f64,
    /// The number of things that came of it: hits, sub-queries, passages, flags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// The tokens used by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Its outcome in a few words, such as a class, a query or why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The most characters of a note.
const MAX_NOTE_CHARS: usize = 300;

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

    /// Notes that the step failed.
    pub(super) fn fails(&mut self, error: &Error) -> &mut Self {
        self.says(format!("failed: {}", error.message()))
    }
}
