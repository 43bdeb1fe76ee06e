//! Doing what a run says.

use super::{AgentRun, Answer, AskEvent, Step};
use crate::error::{Error, ErrorCode, Result};
use crate::llm::{CallEvent, Model, Part};
use crate::retrieve::Search;

/// Drives a run to its answer, reporting what happens on the way.
///
/// A failed call of the model is retried by the provider's [`RetryPolicy`](crate::llm::RetryPolicy) as long as none of
/// the reply's text has been shown. After an error the run stands where it stood before the failed step, and can be
/// driven again.
///
/// # Errors
/// The provider's, the network's and the search's errors as they are; [`ErrorCode::Aborted`] at once, never retried;
/// [`ErrorCode::InvalidOption`] if the run needs a model and there is no provider.
pub async fn drive<M: Model, S: Search + ?Sized>(
    run: &mut AgentRun,
    model: Option<&M>,
    search: &S,
    on_event: &mut dyn FnMut(AskEvent),
) -> Result<Answer> {
    loop {
        match run.next_step() {
            Step::CallModel(request) => {
                let model = model.ok_or_else(|| {
                    Error::new(ErrorCode::InvalidOption, "This run needs a model, but no provider is set.")
                        .with_hint("Set a provider, or use the extractive policy.")
                })?;
                on_event(AskEvent::Turn { turn: run.turn(), tools: run.may_search() });
                let mut report = |event| match event {
                    CallEvent::Part(Part::Text(delta)) => on_event(AskEvent::Text { delta }),
                    CallEvent::Part(_) => {}
                    CallEvent::Retry { attempt, delay_ms, reason } => {
                        on_event(AskEvent::Retry { attempt, delay_ms, reason });
                    }
                };
                let reply = model.call(&request, &mut report).await?;
                for problem in run.model_replied(reply)? {
                    let (id, name, message) = (problem.id, problem.name, problem.message);
                    on_event(AskEvent::ToolError { id, name, message });
                }
            }
            Step::Retrieve(calls) => {
                for call in calls {
                    let (id, query) = (call.id, call.query.text.clone());
                    on_event(AskEvent::Search {
                        id: id.clone(),
                        query: query.clone(),
                        max_results: call.query.limit,
                    });
                    let hits = search.search(&call.query).await?;
                    let sources = run.retrieved(&id, hits)?;
                    on_event(AskEvent::Sources { id, query, sources });
                }
            }
            Step::Done(answer) => return Ok(*answer),
        }
    }
}
