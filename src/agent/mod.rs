//! From a question to an answer with citations.
//!
//! [`AgentRun`] is the whole of the thinking: a state machine without input or output, which says what to do
//! next ([`Step`]) and is told what came of it. It can be serialized between any two steps and resumed
//! elsewhere. How it goes about a question is its [`Policy`], all of which share one loop, one register of
//! sources and one end: an [`Answer`]. [`drive`] does what the run says, with the
//! [`Model`](ibid_llm::Model) and [`Host`] it is given, and reports on the way ([`AskEvent`]). The page and
//! the command line share all of it.

mod answer;
pub mod audit;
mod case;
mod choose;
mod drive;
mod event;
mod failed;
mod guarded;
mod inquiry;
mod journal;
mod lookup;
mod machines;
mod memory;
mod names;
mod options;
mod plan;
mod privacy;
mod prompt;
mod query;
mod quote;
mod recorded;
mod replay;
mod request;
mod review;
mod run;
mod stages;
mod state;
mod step;
mod stop;
mod toolbox;
mod trace;
mod turn;
mod wording;

// Futures are driven by a blocking executor, which browsers do not have.
#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

pub use answer::{Answer, AnswerMode};
pub use choose::choose;
pub use drive::{Host, SearchOnly, drive};
pub use event::AskEvent;
pub use guarded::Guarded;
pub use memory::Conversation;
pub use names::SEARCH_TOOL;
pub use options::{
    AgentOptions, CollectionSpec, CustomTool, Enhance, FieldKind, FieldSpec, OutputSpec, Policy, VerifyPolicy,
};
pub use prompt::{Preset, Prompts};
pub use replay::{Replay, ReplayedModel};
pub use run::AgentRun;
pub use stages::{Stages, Transition};
pub use step::{ModelCall, Purpose, SearchCall, Step, StepChange, StepState};
pub use stop::{Budget, Price, Progress, StoppedBy};
pub use trace::TraceStep;
