//! From a question to an answer with citations.
//!
//! [`AgentRun`] is the whole of the thinking: a state machine without input or output, which says what to do next
//! ([`Step`]) and is told what came of it. It can be serialized between any two steps and resumed elsewhere.
//! [`drive`] does what it says with the network, clock and search it is given, and reports on the way
//! ([`AskEvent`]). The page and the command line share both.

mod answer;
mod drive;
mod event;
mod prompt;
mod rerank;
mod run;
mod tool;

// Futures are driven by a blocking executor, which browsers do not have.
#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

pub use answer::{Answer, AnswerMode};
pub use drive::drive;
pub use event::AskEvent;
pub use rerank::ListwiseReranker;
pub use run::{AgentOptions, AgentRun, Policy, SearchCall, Step, ToolProblem};
pub use tool::SEARCH_TOOL;
