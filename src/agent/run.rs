//! The run of one question, as a state machine.
//!
//! Its states are in `state`, the dispatch between its machines is in `machines`, and they share an
//! `inquiry`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::pin::Pin;

use super::answer::{Answer, AnswerMode};
use super::event::AskEvent;
use super::failed::lasts;
use super::inquiry::Inquiry;
use super::machines::Machines;
use super::memory::{Abridged, Conversation};
use super::options::{AgentOptions, Policy, VerifyPolicy};
use super::query::read_bare_call;
use super::recorded::record;
use super::request::model_call;
use super::review::Formed;
use super::state::{Next, NoAnswer, RunState};
use super::step::{Purpose, SearchOutcome, Step, StepChange, out_of_turn};
use super::stop::{Progress, StoppedBy};
use super::toolbox;
use ibid_llm::{FinishReason, ModelReply};
use ibid_platform::call::Pause;
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::Hit;
use ibid_trust::cite::tree;
use ibid_trust::guard::EmergencyMode;

/// A verification under way.
pub(super) type Verified<'a> = Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

/// The run of one question, from the question to its answer.
///
/// It decides everything and does nothing: [`AgentRun::next_step`] says what is to be done, and the results
/// are handed back. Asking for the next step changes nothing, so a step that failed can simply be done again.
/// Between any two calls the run can be serialized, and goes on where it was when deserialized; what it holds
/// is the conversation with its sources, but no key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentRun {
    pub(super) inquiry: Inquiry,
    machines: Machines,
    pub(super) state: RunState,
}

impl AgentRun {
    /// Makes a run for a question alone.
    ///
    /// # Errors
    /// [`ErrorCode::QuestionLength`] and [`ErrorCode::QuestionBlocked`] for a question that
    /// [`inspect`](ibid_trust::guard::inspect) refuses; [`ErrorCode::InvalidOption`] for an option out of its
    /// range.
    pub fn new(question: &str, options: AgentOptions) -> Result<Self> {
        Self::in_conversation(question, options, Conversation::new(None))
    }

    /// Makes a run for a question that goes on with a conversation: the model sees what was said, sources keep
    /// their numbers, and a case and its stage go on.
    ///
    /// # Errors
    /// Those of [`AgentRun::new`].
    pub fn in_conversation(
        question: &str,
        options: AgentOptions,
        conversation: Conversation,
    ) -> Result<Self> {
        let mut inquiry = Inquiry::new(question, options, conversation)?;
        let next = advice(&mut inquiry);
        Ok(Self::begun(inquiry, next))
    }

    /// Makes a run that quotes the best passages for a question that goes on with a conversation. It has no options.
    ///
    /// # Errors
    /// [`ErrorCode::QuestionLength`] and [`ErrorCode::QuestionBlocked`], as [`AgentRun::new`].
    pub fn quoting(question: &str, conversation: Conversation) -> Result<Self> {
        Ok(Self::begun(Inquiry::quoting(question, conversation)?, None))
    }

    fn begun(mut inquiry: Inquiry, next: Option<Next>) -> Self {
        let mut machines = Machines::default();
        let next = next.unwrap_or_else(|| match inquiry.lookup {
            Some(_) => Next::Wait(RunState::Names),
            None => machines.plan.start(&mut inquiry),
        });
        let state = machines.reach(&mut inquiry, next);
        Self { inquiry, machines, state }
    }

    /// Returns the step to be taken next.
    pub fn next_step(&self) -> Step {
        self.machines.step(&self.inquiry, &self.state)
    }

    /// Returns the turn that is next, or under way, from 1.
    pub fn turn(&self) -> u32 {
        self.inquiry.turn()
    }

    /// Returns the work done so far.
    pub fn progress(&self) -> &Progress {
        &self.inquiry.progress
    }

    /// Returns the conversation with this question, and with its answer once there is one. Whenever it is asked for,
    /// every tool call has a result, so that it can be gone on from after an abort too.
    pub fn conversation(&self) -> Conversation {
        let mut conversation = self.inquiry.conversation.clone();
        conversation.mend();
        conversation
    }

    /// Names the conversation.
    pub fn set_conversation_id(&mut self, id: Option<String>) {
        let conversation = &mut self.inquiry.conversation;
        conversation.id = id.or(conversation.id.take());
    }

    /// Tells which model is called, for the answer and for its price.
    pub fn set_model(&mut self, name: &str) {
        self.inquiry.model = Some(name.to_owned());
    }

    /// Tells the time at which the next step begins, in milliseconds since 1970.
    pub fn begin_step(&mut self, now: f64) {
        self.inquiry.journal.begin(now);
    }

    /// Tells the time before a result is handed back.
    pub fn at(&mut self, now: f64) {
        self.inquiry.journal.now = now;
    }

    /// Returns all that has happened since this was last asked for.
    pub fn take_events(&mut self) -> Vec<AskEvent> {
        self.inquiry.journal.take_events()
    }

    /// Tells whether the model may call tools in the next turn: turns and steps must be left for a call and
    /// for the answer after it, and there must be a tool that does something.
    pub fn may_use_tools(&self) -> bool {
        toolbox::may_use(&self.inquiry)
    }

    /// Takes in the host's changes of the next call of the model.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] if it was not asked.
    pub fn prepared(&mut self, change: StepChange) -> Result<()> {
        let RunState::Prepare(purpose) = self.state else { return Err(out_of_turn("a change")) };
        self.inquiry.change = change;
        self.state = RunState::Call(purpose);
        Ok(())
    }

    /// Takes in the model's reply.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] if no reply was awaited.
    pub fn model_replied(&mut self, mut reply: ModelReply) -> Result<()> {
        let RunState::Call(purpose) = self.state else { return Err(out_of_turn("a model's reply")) };
        let Self { inquiry, machines, .. } = self;
        // The tools that the model was shown decide what may be done.
        let tools = if toolbox::may_use(inquiry) { toolbox::names(inquiry) } else { Vec::new() };
        let request = model_call(purpose, inquiry, &machines.plan, &machines.review).request;
        if let Some(trail) = &mut inquiry.journal.trail {
            let model = inquiry.change.model.as_deref().or(inquiry.model.as_deref());
            trail.called(purpose.step(), model, &request, &reply);
        }
        inquiry.account(&request, &reply);
        inquiry.journal.end(purpose.step()).usage(reply.usage);
        inquiry.change = StepChange::default();
        if !request.tools.is_empty() {
            read_bare_call(&mut reply, &tools);
        }
        let next = machines.replied(inquiry, purpose, reply, &tools);
        self.go(next);
        Ok(())
    }

    /// Tells whether the run can go on although the model could not be called: by the classic policy where the
    /// model takes no tools, with fewer sources where the context was too long, without the step if it can do
    /// without, with the best answer so far, or with quotes where passages were found. If not, the error is the
    /// run's, which stands where it stood and can be driven on. A wrong key, address, model or setting
    /// ends the run as long as there is no answer: whatever the call was for, the next one would fail for the same
    /// reason.
    pub fn model_failed(&mut self, error: &Error) -> bool {
        let RunState::Call(purpose) = self.state else { return false };
        let Self { inquiry, machines, .. } = self;
        let (lasts, optional) = (lasts(error), purpose.is_optional());
        if error.code() == ErrorCode::ToolsUnsupported
            && purpose == Purpose::Answer
            && inquiry.options.policy != Policy::Classic
        {
            inquiry.options.policy = Policy::Classic;
            inquiry.change = StepChange::default();
            let step = inquiry.journal.end(purpose.step());
            step.says("the model takes no tools; answered by the classic policy").fails(error);
            let next = machines.plan.start(inquiry);
            self.go(next);
            return true;
        }
        let lost = inquiry.draft.is_none() && (lasts || !optional);
        if !optional && error.code() == ErrorCode::ContextLength && inquiry.abridged == Abridged::default() {
            inquiry.abridged = Abridged { chars: Some(600), sources: Some(3) };
            let told = "too long for the model; tried again with fewer sources";
            inquiry.journal.end(purpose.step()).says(told);
            return true;
        }
        // Quotes would hide what the maker of the page has to mend.
        let is_setup = matches!(
            error.code(),
            ErrorCode::InvalidOption
                | ErrorCode::ProviderAuth
                | ErrorCode::ProviderNotFound
                | ErrorCode::ProviderProtocol
                | ErrorCode::ProviderRequest
                | ErrorCode::ToolsUnsupported
        );
        if lost && (inquiry.found.is_empty() || is_setup) {
            return false;
        }
        inquiry.journal.end(purpose.step()).fails(error);
        if lost {
            self.go(Next::Unanswered(NoAnswer::failed(error)));
            return true;
        }
        let problem = format!("The model could not be asked for it: {}", error.message());
        if lasts {
            machines.review.ask_no_more(&problem);
        }
        let next = match (purpose, inquiry.draft.take()) {
            (Purpose::Answer | Purpose::Synthesize | Purpose::Assess, Some(draft)) => Next::Review(draft),
            (Purpose::Format | Purpose::Repair, draft) => {
                inquiry.draft = draft;
                machines.review.end(inquiry, Formed::Missing(problem))
            }
            (_, draft) => {
                inquiry.draft = draft;
                let silence = ModelReply { finish_reason: FinishReason::Error, ..ModelReply::default() };
                machines.replied(inquiry, purpose, silence, &[])
            }
        };
        self.go(next);
        true
    }

    /// Checks a long text of the model's against its sources; between claims, `pause` tells whether to wait. Where this
    /// is not waited for to its end, it can be begun again.
    ///
    /// # Errors
    /// Those of a wait; [`ErrorCode::Internal`] if this was not asked for.
    pub async fn verify(&mut self, pause: &mut Pause<'_>) -> Result<()> {
        if !matches!(self.state, RunState::Verify) {
            return Err(out_of_turn("a verification"));
        }
        let next = self.machines.review.verify(&mut self.inquiry, pause).await?;
        self.go(next);
        Ok(())
    }

    /// The same as [`AgentRun::verify`].
    pub(super) fn verify_boxed<'a>(&'a mut self, pause: &'a mut Pause<'_>) -> Verified<'a> {
        Box::pin(self.verify(pause))
    }

    /// Takes in the hits of a search.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] if that search was not awaited.
    pub fn retrieved(&mut self, id: &str, mut hits: Vec<Hit>) -> Result<()> {
        // Quotes leave out what is not relevant on their own: if nothing is, they name the closest.
        if !matches!(self.state, RunState::Names | RunState::Quote(_)) {
            self.inquiry.options.keep_relevant(&mut hits);
        }
        let next =
            self.machines.searched(&mut self.inquiry, &self.state, SearchOutcome { id, hits: Ok(hits) })?;
        self.go(next);
        Ok(())
    }

    /// Takes in that a search failed. The model is told, or the other searches do without it.
    ///
    /// # Errors
    /// The error itself if nothing has been found that the run could go on with; [`ErrorCode::Internal`]
    /// if that search was not awaited.
    pub fn search_failed(&mut self, id: &str, error: Error) -> Result<()> {
        let next =
            self.machines.searched(&mut self.inquiry, &self.state, SearchOutcome { id, hits: Err(error) })?;
        self.go(next);
        Ok(())
    }

    /// Takes in what a tool of the host's returned, or why it failed.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] if that call was not awaited.
    pub fn tool_returned(&mut self, id: &str, content: &str, is_error: bool) -> Result<()> {
        if !matches!(self.state, RunState::Tools) {
            return Err(out_of_turn("the result of a tool"));
        }
        let next = self.machines.turn.returned(&mut self.inquiry, id, content, is_error)?;
        self.go(next);
        Ok(())
    }

    /// Takes in the scores of a reranker, or `None` if there is none after all.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] if none were awaited.
    pub fn reranked(&mut self, scores: Option<&[f32]>) -> Result<()> {
        if !matches!(self.state, RunState::Rerank) {
            return Err(out_of_turn("a reranker's scores"));
        }
        let next = self.machines.plan.reranked(&mut self.inquiry, scores);
        self.go(next);
        Ok(())
    }

    /// Takes in that the reranker failed. The passages that were found keep the order they have.
    ///
    /// # Errors
    /// The error itself where the reranker will not do better the next time, as with a wrong key, or where it
    /// is [`ErrorCode::Aborted`]; [`ErrorCode::Internal`] if no scores were awaited.
    pub fn rerank_failed(&mut self, error: Error) -> Result<()> {
        // A page's own function throws `InvalidOption`, though it may have thrown it for a moment's trouble.
        if error.code() == ErrorCode::Aborted || (error.code() != ErrorCode::InvalidOption && lasts(&error)) {
            return Err(error);
        }
        self.reranked(None)?;
        self.inquiry.journal.last().fails(&error);
        Ok(())
    }

    /// Ends the run with what it has, because it has taken longer than it was given. Where nothing has been
    /// found, the question itself is searched for first; when that takes too long as well, this is to be
    /// called again.
    pub fn timed_out(&mut self) {
        if matches!(self.state, RunState::Done(_)) {
            return;
        }
        let Self { inquiry, machines, .. } = self;
        if inquiry.lookup.take().is_some() {
            inquiry.tell_guard();
        }
        let again = inquiry.is_over_time();
        inquiry.stopped = Some(StoppedBy::Timeout);
        if again {
            // There was no time to verify it either.
            inquiry.options.verify = VerifyPolicy::Off;
        }
        let next = if inquiry.draft.is_some() {
            let formed = match inquiry.options.output {
                Some(_) => Formed::Missing("There was no time left for it.".to_owned()),
                None => Formed::Unasked,
            };
            machines.review.end(inquiry, formed)
        } else {
            let why = NoAnswer::unasked("The time for this question ran out.");
            let found = inquiry.best_found();
            if again { super::quote::quote(inquiry, &found, Some(&why)) } else { Next::Unanswered(why) }
        };
        self.go(next);
    }

    /// Returns the run as a record for an audit log, if its options say that there is to be one: of a run that has
    /// ended, or, with an error, of one that failed, since what was sent by then was sent. It holds no key,
    /// and placeholders instead of personal data, even if the model was to see that.
    pub fn audit_record(&self, failure: Option<&Error>) -> Option<Value> {
        let answer = match &self.state {
            RunState::Done(answer) => Some(&**answer),
            _ => None,
        };
        record(&self.inquiry, &self.machines.plan.searches.queries(), answer, failure)
    }

    /// Goes the way that a machine takes.
    fn go(&mut self, next: Next) {
        self.state = self.machines.reach(&mut self.inquiry, next);
    }
}

/// Ends a run with advice instead of an answer, where the question speaks of an emergency and that is
/// wanted.
fn advice(inquiry: &mut Inquiry) -> Option<Next> {
    let wanted = inquiry.options.guard.emergency == Some(EmergencyMode::Answer);
    let emergency = inquiry.guarded.emergency.as_ref().filter(|_| wanted)?;
    let text = emergency.message.clone();
    if inquiry.lookup.take().is_some() {
        inquiry.tell_guard();
    }
    let said = inquiry.hide(&text);
    let tree = tree(&text, &[], &[]);
    Some(inquiry.end(Answer { tree, text, mode: AnswerMode::Guard, ..Answer::default() }, said))
}
