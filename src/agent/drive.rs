//! The driver, which does what a run says.

use std::cell::RefCell;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use serde_json::Value;

use super::answer::Answer;
use super::event::AskEvent;
use super::run::{AgentRun, Verified};
use super::state::RunState;
use super::step::{ModelCall, SearchCall, Step, StepChange, StepState};
use ibid_llm::{CallEvent, Model, ModelReply, ReplyPart, ToolCall, partial_json};
use ibid_platform::Clock;
use ibid_platform::call::{Pause, pauses, within};
use ibid_platform::{Error, ErrorCode, Result, lazily};
use ibid_retrieve::{Hit, Query, Search};
use ibid_trust::guard::pii::{Redaction, Restorer};

// A page fetches the code behind these before a question that needs it.
lazily!(fn verify<'a>(run: &'a mut AgentRun, pause: &'a mut Pause<'_>) -> Verified<'a> = AgentRun::verify_boxed);
lazily!(fn prepared(run: &mut AgentRun, change: StepChange) -> Result<()> = AgentRun::prepared);
lazily!(fn model_replied(run: &mut AgentRun, reply: ModelReply) -> Result<()> = AgentRun::model_replied);
lazily!(fn model_failed(run: &mut AgentRun, error: &Error) -> bool = AgentRun::model_failed);
lazily!(fn tool_returned(run: &mut AgentRun, id: &str, content: &str, is_error: bool) -> Result<()>
    = AgentRun::tool_returned);
lazily!(fn reranked(run: &mut AgentRun, scores: Option<&[f32]>) -> Result<()> = AgentRun::reranked);
lazily!(fn rerank_failed(run: &mut AgentRun, error: Error) -> Result<()> = AgentRun::rerank_failed);
lazily!(fn timed_out(run: &mut AgentRun) -> () = AgentRun::timed_out);

/// The world of a run besides its model: searches, and whatever tools and decisions its options leave to the
/// host.
#[allow(
    async_fn_in_trait,
    reason = "futures here run on one thread: a page's event loop or a blocking command"
)]
pub trait Host {
    /// Finds the hits of a query in a collection, best first; the only one where there is no name.
    async fn search(&self, collection: Option<&str>, query: &Query) -> Result<Vec<Hit>>;

    /// Runs a tool, whose arguments fit its schema. An error is told to the model, except
    /// [`ErrorCode::Aborted`].
    async fn call_tool(&self, call: &ToolCall) -> Result<String> {
        let message = format!("Nothing here can run the tool {:?}.", call.name);
        Err(Error::new(ErrorCode::InvalidOption, message))
    }

    /// Returns true if a tool may be called that does not only read; by default none may. Text from documents
    /// can make a model ask for a call but cannot answer this. An error is a no, and is told to the model,
    /// except [`ErrorCode::Aborted`].
    async fn approve(&self, _call: &ToolCall) -> Result<bool> {
        Ok(false)
    }

    /// Returns the changes of the next call of the model, where the options say that this is to be asked.
    async fn prepare_step(&self, _state: &StepState) -> Result<StepChange> {
        Ok(StepChange::default())
    }

    /// Computes a score for each text, where the options say that there is a reranker; `None` if there is none
    /// after all. After an error the texts keep their order, unless the reranker would fail again for the
    /// same reason ([`AgentRun::rerank_failed`]).
    async fn rerank(&self, _query: &str, _texts: &[&str]) -> Result<Option<Vec<f32>>> {
        Ok(None)
    }
}

/// A host that searches one index and does nothing else.
pub struct SearchOnly<'a, S: ?Sized>(pub &'a S);

impl<S: Search + ?Sized> Host for SearchOnly<'_, S> {
    async fn search(&self, _collection: Option<&str>, query: &Query) -> Result<Vec<Hit>> {
        self.0.search(query).await
    }
}

/// The time limit of the search that a run quotes from when its own time is over. An index is searched in
/// milliseconds, but it may have to be fetched.
const LAST_SEARCH: Duration = Duration::from_secs(5);

/// Drives a run to its answer, reporting what happens on the way. Searches and tools of one step are done
/// side by side.
///
/// After an error the run stands where it stood before the failed step, and can be driven again. With a time
/// limit, a run that has not ended by then ends with what it has; where that is nothing, it makes one more
/// search, to be quoted from.
///
/// # Errors
/// The model's, the network's and the search's errors as they are, unless the run can go on without;
/// [`ErrorCode::Aborted`] at once; [`ErrorCode::InvalidOption`] if the run needs a model and there is none.
pub async fn drive<M: Model, H: Host, C: Clock>(
    run: &mut AgentRun,
    model: Option<&M>,
    host: &H,
    clock: &C,
    timeout: Option<Duration>,
    on_event: &mut dyn FnMut(AskEvent),
) -> Result<Answer> {
    if let Some(model) = model {
        run.set_model(model.name());
    }
    let begun = clock.now();
    // The question was looked at before the first step.
    run.take_events().into_iter().for_each(&mut *on_event);
    loop {
        run.begin_step(clock.now());
        let step = run.next_step();
        if let Step::Done(answer) = step {
            return Ok(*answer);
        }
        let driver = Driver { model, host, clock };
        let spent = Duration::try_from_secs_f64((clock.now() - begun) / 1000.0).unwrap_or_default();
        let left = timeout.map(|timeout| timeout.saturating_sub(spent));
        let left = if run.inquiry.is_over_time() { left.map(|_| LAST_SEARCH) } else { left };
        match left {
            None => driver.perform(run, step, on_event).await?,
            Some(left) => match within(clock, left, driver.perform(run, step, on_event)).await? {
                None => timed_out(run),
                Some(performed) => performed?,
            },
        }
        run.take_events().into_iter().for_each(&mut *on_event);
    }
}

struct Driver<'a, M, H, C> {
    model: Option<&'a M>,
    host: &'a H,
    clock: &'a C,
}

impl<M: Model, H: Host, C: Clock> Driver<'_, M, H, C> {
    async fn perform(
        &self,
        run: &mut AgentRun,
        step: Step,
        on_event: &mut dyn FnMut(AskEvent),
    ) -> Result<()> {
        match step {
            Step::Prepare(state) => prepared(run, self.host.prepare_step(&state).await?),
            Step::CallModel(call) => {
                let replied = self.call_model(run, &call, on_event).await;
                run.at(self.clock.now());
                // It may be another than the one that was asked first.
                self.model.into_iter().for_each(|model| run.set_model(model.name()));
                match replied {
                    Ok(reply) => model_replied(run, reply),
                    Err(error) if error.code() == ErrorCode::Aborted => Err(error),
                    Err(error) => {
                        if model_failed(run, &error) {
                            Ok(())
                        } else {
                            Err(error)
                        }
                    }
                }
            }
            Step::Retrieve(searches) => self.act(run, searches, Vec::new(), on_event).await,
            Step::CallTools { searches, tools } => self.act(run, searches, tools, on_event).await,
            Step::Rerank { query, texts } => {
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                let answered = self.host.rerank(&query, &texts).await;
                run.at(self.clock.now());
                match answered {
                    Ok(scores) => reranked(run, scores.as_deref()),
                    Err(error) => rerank_failed(run, error),
                }
            }
            Step::Verify => verify(run, &mut pauses(self.clock)).await,
            Step::Done(_) => Ok(()),
        }
    }

    async fn call_model(
        &self,
        run: &AgentRun,
        call: &ModelCall,
        on_event: &mut dyn FnMut(AskEvent),
    ) -> Result<ModelReply> {
        let model = self.model.ok_or_else(|| {
            Error::new(ErrorCode::InvalidOption, "This run needs a model, but no provider is set.")
                .with_hint("Set a provider, or use the extractive policy.")
        })?;
        let ModelCall { purpose, request } = call;
        let tools = !request.tools.is_empty() && run.may_use_tools();
        on_event(AskEvent::Turn { turn: run.turn(), purpose: *purpose, tools });
        let restorer = || {
            let redaction = &run.inquiry.conversation.redaction;
            Unhidden((!redaction.is_empty()).then(|| redaction.restorer()))
        };
        let (mut text, mut reasoning) = (restorer(), restorer());
        let mut output = GrowingOutput::default();
        let mut restart = true;
        let mut piece = |delta| AskEvent::Text { delta, restart: std::mem::take(&mut restart) };
        let mut report = |event| match event {
            CallEvent::Part(ReplyPart::Text(delta)) if purpose.is_answer() => {
                text.push(delta).into_iter().for_each(|delta| on_event(piece(delta)));
            }
            CallEvent::Part(ReplyPart::Text(delta)) if purpose.is_output() => {
                let redaction = &run.inquiry.conversation.redaction;
                let grown = output.push(&delta, redaction);
                grown.into_iter().for_each(|partial| on_event(AskEvent::Output { partial }));
            }
            CallEvent::Part(ReplyPart::Reasoning(delta)) => {
                reasoning.push(delta).into_iter().for_each(|delta| on_event(AskEvent::Reasoning { delta }));
            }
            CallEvent::Part(_) => {}
            CallEvent::Retry { attempt, delay_ms, reason } => {
                on_event(AskEvent::Retry { attempt, delay_ms, reason });
            }
        };
        let replied = model.call(request, &mut report).await;
        reasoning.finish().into_iter().for_each(|delta| on_event(AskEvent::Reasoning { delta }));
        text.finish().into_iter().for_each(|delta| on_event(piece(delta)));
        replied
    }

    /// Makes all searches and calls all tools, side by side, and hands each result to the run as it comes.
    async fn act(
        &self,
        run: &mut AgentRun,
        searches: Vec<SearchCall>,
        tools: Vec<ToolCall>,
        on_event: &mut dyn FnMut(AskEvent),
    ) -> Result<()> {
        // Searches for names are part of hiding them: nobody is told of them while they are made.
        let told = if matches!(run.state, RunState::Names) { &[] } else { searches.as_slice() };
        for SearchCall { id, collection, query } in told {
            let (id, collection) = (id.clone(), collection.clone());
            let (query, max_results) = (query.text.clone(), query.limit);
            on_event(AskEvent::Search { id, query, collection, max_results });
        }
        for ToolCall { id, name, arguments, .. } in &tools {
            let (id, name, arguments) = (id.clone(), name.clone(), arguments.clone());
            on_event(AskEvent::ToolCall { id, name, arguments });
        }
        let mut open: Vec<Option<Pin<Box<dyn Future<Output = StepResult<'_>> + '_>>>> = Vec::new();
        for SearchCall { id, collection, query } in &searches {
            open.push(Some(Box::pin(async move {
                StepResult::Search(id, self.host.search(collection.as_deref(), query).await)
            })));
        }
        for call in &tools {
            let known = run.inquiry.options.tools.iter().find(|tool| tool.name == call.name);
            let reads = known.is_some_and(|tool| tool.read_only);
            open.push(Some(Box::pin(async move {
                StepResult::Tool(&call.id, self.call_tool(call, reads).await)
            })));
        }
        let (run, on_event) = (RefCell::new(run), RefCell::new(on_event));
        std::future::poll_fn(|context| {
            for slot in &mut open {
                let Some(future) = slot else { continue };
                let Poll::Ready(done) = future.as_mut().poll(context) else { continue };
                *slot = None;
                let mut run = run.borrow_mut();
                run.at(self.clock.now());
                let handed = hand_back(&mut run, done);
                run.take_events().into_iter().for_each(&mut **on_event.borrow_mut());
                if let Err(error) = handed {
                    return Poll::Ready(Err(error));
                }
            }
            if open.iter().all(Option::is_none) { Poll::Ready(Ok(())) } else { Poll::Pending }
        })
        .await
    }

    /// Calls a tool, if it only reads or if that is approved.
    async fn call_tool(&self, call: &ToolCall, reads: bool) -> Result<String> {
        if reads || self.host.approve(call).await? {
            return self.host.call_tool(call).await;
        }
        let message = format!("The call of {:?} was not approved, so it was not made.", call.name);
        Err(Error::new(ErrorCode::InvalidOption, message))
    }
}

/// A text of the model's as it comes, with the person's own words instead of placeholders. A placeholder that
/// has come in part is held back.
struct Unhidden(Option<Restorer>);

impl Unhidden {
    fn push(&mut self, delta: String) -> Option<String> {
        let shown = match &mut self.0 {
            Some(restorer) => restorer.push(&delta),
            None => delta,
        };
        Some(shown).filter(|shown| !shown.is_empty())
    }

    fn finish(self) -> Option<String> {
        self.0.map(Restorer::finish).filter(|rest| !rest.is_empty())
    }
}

/// The answer as JSON while it is written.
#[derive(Default)]
struct GrowingOutput {
    text: String,
    value: Option<Value>,
}

impl GrowingOutput {
    /// Returns the value so far if it has grown, with the person's own words.
    fn push(&mut self, delta: &str, redaction: &Redaction) -> Option<Value> {
        self.text.push_str(delta);
        let mut value = partial_json(&self.text)?;
        // Without half a placeholder at its end.
        redaction.restore_json(&mut value, |redaction, text| redaction.restorer().push(text));
        if self.value.as_ref() == Some(&value) {
            return None;
        }
        self.value = Some(value.clone());
        Some(value)
    }
}

/// The result of a search or of a tool, with its id.
enum StepResult<'a> {
    Search(&'a str, Result<Vec<Hit>>),
    Tool(&'a str, Result<String>),
}

fn hand_back(run: &mut AgentRun, result: StepResult<'_>) -> Result<()> {
    match result {
        StepResult::Search(_, Err(error)) | StepResult::Tool(_, Err(error))
            if error.code() == ErrorCode::Aborted =>
        {
            Err(error)
        }
        StepResult::Search(id, Ok(hits)) => run.retrieved(id, hits),
        StepResult::Search(id, Err(error)) => run.search_failed(id, error),
        StepResult::Tool(id, Ok(content)) => tool_returned(run, id, &content, false),
        StepResult::Tool(id, Err(error)) => tool_returned(run, id, error.message(), true),
    }
}
