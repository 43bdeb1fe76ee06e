//! The boundaries of what only a run with options or a model does: a page fetches it before such a run.

use super::audit::Trail;
use super::inquiry::Inquiry;
use super::lookup::Lookup;
use super::machines::Machines;
use super::plan::Plan;
use super::run::AgentRun;
use super::state::{Next, RunState};
use super::step::{SearchCall, SearchOutcome, Step, StepChange};
use ibid_llm::ModelReply;
use ibid_platform::call::Pause;
use ibid_platform::{Error, Result, lazily};
use ibid_retrieve::Hit;
use ibid_trust::guard::pii::Redaction;
use std::pin::Pin;

lazily!(pub(super) fn start(plan: &mut Plan, inquiry: &mut Inquiry) -> Next = Plan::start_with_model);
lazily!(pub(super) fn step(machines: &Machines, inquiry: &Inquiry, state: &RunState) -> Step = Machines::rare_step);
lazily!(pub(super) fn searched(machines: &mut Machines, inquiry: &mut Inquiry, state: &RunState, outcome: SearchOutcome<'_>)
    -> Result<Next> = Machines::rarely_searched);
lazily!(pub(super) fn reach(machines: &mut Machines, inquiry: &mut Inquiry, next: Next) -> Next = Machines::rare_way);
lazily!(pub(super) fn verify<'a>(run: &'a mut AgentRun, pause: &'a mut Pause<'_>) -> Verified<'a> = AgentRun::verify_boxed);
lazily!(pub(super) fn prepared(run: &mut AgentRun, change: StepChange) -> Result<()> = AgentRun::prepared);
lazily!(pub(super) fn model_replied(run: &mut AgentRun, reply: ModelReply) -> Result<()> = AgentRun::model_replied);
lazily!(pub(super) fn model_failed(run: &mut AgentRun, error: &Error) -> bool = AgentRun::model_failed);
lazily!(pub(super) fn tool_returned(run: &mut AgentRun, id: &str, content: &str, is_error: bool) -> Result<()>
    = AgentRun::tool_returned);
lazily!(pub(super) fn reranked(run: &mut AgentRun, scores: Option<&[f32]>) -> Result<()> = AgentRun::reranked);
lazily!(pub(super) fn rerank_failed(run: &mut AgentRun, error: Error) -> Result<()> = AgentRun::rerank_failed);
lazily!(pub(super) fn timed_out(run: &mut AgentRun) -> () = AgentRun::timed_out);

lazily!(pub(super) fn note_search(trail: &mut Trail, query: &str, collection: Option<&str>, hits: &[Hit]) -> ()
    = Trail::searched);

lazily!(pub(super) fn lookup(inquiry: &Inquiry, before: Redaction) -> Option<Lookup> = Lookup::of);
lazily!(pub(super) fn hide_said(inquiry: &mut Inquiry) -> () = Inquiry::hide_said);
lazily!(pub(super) fn hide(inquiry: &mut Inquiry, text: &str) -> String = Inquiry::hide_in);
lazily!(pub(super) fn topic(inquiry: &Inquiry, text: &str) -> String = Inquiry::topic_of);
lazily!(pub(super) fn restored(inquiry: &Inquiry, text: &str) -> String = Inquiry::restored_of);
lazily!(pub(super) fn outgoing(inquiry: &Inquiry, searches: Vec<SearchCall>) -> Vec<SearchCall>
    = Inquiry::without_names);

/// A verification under way.
pub(super) type Verified<'a> = Pin<Box<dyn Future<Output = Result<()>> + 'a>>;
