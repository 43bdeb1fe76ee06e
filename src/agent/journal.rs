//! The journal of a run: its steps and their times, and the events that are still to be told.

use serde::{Deserialize, Serialize};

use super::audit::Trail;
use super::event::AskEvent;
use super::trace::TraceStep;
use ibid_platform::{Error, lazily};
use ibid_retrieve::Hit;

// A page fetches the code behind this before a question that needs it.
lazily!(fn note_search(trail: &mut Trail, query: &str, collection: Option<&str>, hits: &[Hit]) -> () = Trail::searched);

/// The journal of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Journal {
    pub(super) steps: Vec<TraceStep>,
    /// The time at which the step under way began.
    began: f64,
    pub(super) now: f64,
    /// Events that were not told yet.
    events: Vec<AskEvent>,
    /// The number of steps that were told.
    told: usize,
    /// Notes for the audit log, where there is to be a record.
    pub(super) trail: Option<Trail>,
}

impl Journal {
    pub(super) fn new(audit: bool) -> Self {
        Self { trail: audit.then(Trail::default), ..Self::default() }
    }

    /// Begins a step.
    pub(super) fn begin(&mut self, now: f64) {
        (self.began, self.now) = (now, now);
    }

    /// Notes the end of the step under way, or of one of those that run side by side.
    pub(super) fn end(&mut self, name: impl Into<String>) -> &mut TraceStep {
        self.push(name, self.began, (self.now - self.began).max(0.0))
    }

    /// Notes a step that takes no time worth telling, such as choosing among hits.
    pub(super) fn note(&mut self, name: impl Into<String>) -> &mut TraceStep {
        self.push(name, self.now, 0.0)
    }

    /// Finds the step that ended last, to say more about it. Where there is none it is made, so that nothing is
    /// lost.
    pub(super) fn last(&mut self) -> &mut TraceStep {
        if self.steps.is_empty() {
            self.note("start");
        }
        let last = self.steps.len() - 1;
        &mut self.steps[last]
    }

    fn push(&mut self, name: impl Into<String>, started_at: f64, duration_ms: f64) -> &mut TraceStep {
        self.steps.push(TraceStep { name: name.into(), started_at, duration_ms, ..TraceStep::default() });
        self.last()
    }

    /// Notes the end of a search as a step of that name.
    pub(super) fn searched(
        &mut self,
        step: impl Into<String>,
        query: &str,
        collection: Option<&str>,
        outcome: Result<&[Hit], &Error>,
    ) {
        match outcome {
            Ok(hits) => {
                self.end(step).count(hits.len()).says(query);
                if let Some(trail) = &mut self.trail {
                    note_search(trail, query, collection, hits);
                }
            }
            Err(error) => {
                self.end(step).count(0).fails(error);
            }
        }
    }

    /// Tells an event, after the steps that have ended before it.
    pub(super) fn tell(&mut self, event: AskEvent) {
        self.tell_steps();
        self.events.push(event);
    }

    /// Returns all that has happened since this was last asked for.
    pub(super) fn take_events(&mut self) -> Vec<AskEvent> {
        self.tell_steps();
        std::mem::take(&mut self.events)
    }

    fn tell_steps(&mut self) {
        let new = self.steps.iter().skip(self.told).cloned();
        self.events.extend(new.map(|step| AskEvent::Step { step }));
        self.told = self.steps.len();
    }
}
