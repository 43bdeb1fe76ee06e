//! The run of one question, as a state machine.
//!
//! What all policies have in common is here; what a policy does in its states is in its own file under `policy`.

use serde::{Deserialize, Serialize};

use super::answer::{Answer, iso_8601};
use super::audit::Trail;
use super::event::AskEvent;
use super::guarded::{Guarded, guard, resolve};
use super::memory::{Conversation, Item, Shown};
use super::options::{AgentOptions, Policy};
use super::policy::{Plan, choose};
use super::review::Review;
use super::state::{Draft, NoAnswer, State};
use super::step::{Purpose, SearchCall, Step, StepChange};
use super::stop::{Left, Progress, StoppedBy};
use super::trace::Trace;
use ibid_llm::{FinishReason, ModelReply};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::Hit;

/// The run of one question, from the question to its answer.
///
/// It decides everything and does nothing: [`AgentRun::next_step`] says what is to be done, and the results are
/// handed back. Asking for the next step changes nothing, so a step that failed can simply be done again. Between
/// any two calls the run can be serialized, and goes on where it was when deserialized; what it holds is the
/// conversation with its sources, but no key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentRun {
    /// The question as the model sees it: with placeholders in the place of personal data.
    pub(super) question: String,
    /// The question as it is searched for: it can be understood by itself.
    pub(super) query: String,
    pub(super) options: AgentOptions,
    /// What was made of the question.
    pub(super) guarded: Guarded,
    /// What was done about the draft.
    pub(super) review: Review,
    /// Whether the draft was withdrawn.
    pub(super) abstained: bool,
    /// What the audit log is to know.
    pub(super) trail: Option<Trail>,
    pub(super) conversation: Conversation,
    /// Where this question begins in the conversation.
    pub(super) begin: usize,
    pub(super) progress: Progress,
    pub(super) trace: Trace,
    pub(super) state: State,
    pub(super) plan: Plan,
    /// The best answer of the model so far.
    pub(super) draft: Option<Draft>,
    pub(super) stopped: Option<StoppedBy>,
    /// Tokens and money that the last call took.
    last_call: (u64, f64),
    pub(super) shown: Shown,
    model: Option<String>,
    pub(super) change: StepChange,
    /// The calls that were made, to notice a model that makes them again and again.
    pub(super) made: Vec<String>,
    pub(super) repeats: u32,
    /// The sources found for this question, each with its best score.
    pub(super) found: Vec<(u32, f32)>,
    /// What has happened and was not told yet.
    pub(super) events: Vec<AskEvent>,
    /// How many steps of the trace were told.
    pub(super) told: usize,
}

/// The id of a search with the question itself.
pub(super) const QUOTE_ID: &str = "question";

impl AgentRun {
    /// A run for a question by itself.
    ///
    /// # Errors
    /// [`ErrorCode::QuestionLength`] and [`ErrorCode::QuestionBlocked`] for a question that
    /// [`inspect`](ibid_trust::guard::inspect) refuses; [`ErrorCode::InvalidOption`] for an option out of its range.
    pub fn new(question: &str, options: AgentOptions) -> Result<Self> {
        Self::in_conversation(question, options, Conversation::new(None))
    }

    /// A run for a question that goes on with a conversation: the model sees what was said, sources keep their numbers, and
    /// a case and its stage go on.
    ///
    /// # Errors
    /// Those of [`AgentRun::new`].
    pub fn in_conversation(
        question: &str,
        options: AgentOptions,
        mut conversation: Conversation,
    ) -> Result<Self> {
        let options = resolve(options);
        options.validate()?;
        options.prompts.validate()?;
        let guarded = guard(question, &options)?;
        if let Some(stages) = &options.stages {
            stages.validate(options.tools.iter().flat_map(|tool| &tool.stage))?;
            conversation.stage.get_or_insert_with(|| stages.initial.clone());
        }
        let policy = match options.policy {
            Policy::Auto => choose(&guarded.question, &options, &conversation),
            policy => policy,
        };
        let options = AgentOptions { policy, ..options };
        let begin = conversation.items.len();
        let mut run = Self {
            question: String::new(),
            query: String::new(),
            guarded,
            review: Review::default(),
            abstained: false,
            trail: options.audit.then(Trail::default),
            options,
            conversation,
            begin,
            progress: Progress { cost: Some(0.0), ..Progress::default() },
            trace: Trace::default(),
            state: State::Turn,
            plan: Plan::default(),
            draft: None,
            stopped: None,
            last_call: (0, 0.0),
            shown: Shown::default(),
            model: None,
            change: StepChange::default(),
            made: Vec::new(),
            repeats: 0,
            found: Vec::new(),
            events: Vec::new(),
            told: 0,
        };
        run.hide_what_was_said();
        run.conversation.items.push(Item::User { content: run.question.clone() });
        run.query = super::policy::expand(&run.topic(&run.question), &run.options.enhance.abbreviations);
        if !run.answer_emergency() {
            run.start();
        }
        Ok(run)
    }

    fn start(&mut self) {
        match self.options.policy {
            Policy::Extractive => self.state = State::Quote(None),
            Policy::Tools | Policy::Auto => self.enter(State::Turn),
            Policy::Case => self.start_case(),
            Policy::Classic | Policy::Pipeline => {
                // What was said before is needed to understand a question that goes on from there.
                if self.options.enhance.rewrite || self.begin > 0 {
                    self.enter(State::Rewrite);
                } else {
                    self.question_is_ready();
                }
            }
        }
    }

    /// The question can be understood by itself now.
    pub(super) fn question_is_ready(&mut self) {
        match self.options.policy {
            Policy::Pipeline => self.start_pipeline(),
            _ => self.start_classic(),
        }
    }

    /// What to do next.
    pub fn next_step(&self) -> Step {
        match &self.state {
            State::Prepare(_) => Step::Prepare(Box::new(self.step_state())),
            State::AskStop => Step::AskStop(Box::new(self.step_state())),
            State::Tools(pending) => self.tool_step(pending),
            State::Find => Step::Retrieve(self.outgoing(self.plan.searches(&self.options))),
            State::Seek(wanted) => Step::Retrieve(self.outgoing(self.seek_searches(wanted))),
            State::Rerank => Step::Rerank {
                query: self.searchable(&self.query),
                texts: self.plan.candidates.iter().map(|candidate| candidate.hit.text.clone()).collect(),
            },
            State::Quote(_) => {
                let query = self.options.query(self.query.clone(), None);
                let collection = self.options.collection_names().next().map(str::to_owned);
                Step::Retrieve(self.outgoing(vec![SearchCall { id: QUOTE_ID.to_owned(), collection, query }]))
            }
            State::Done(answer) => Step::Done(answer.clone()),
            _ => Step::CallModel(Box::new(self.model_call())),
        }
    }

    /// The turn that is next, or under way, from 1.
    pub fn turn(&self) -> u32 {
        self.progress.turns.saturating_add(1)
    }

    /// How far the run has come.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The conversation with this question, and with its answer once there is one. Whenever it is asked for, every tool call
    /// has a result, so that it can be gone on from after an abort too.
    pub fn conversation(&self) -> Conversation {
        let mut conversation = self.conversation.clone();
        conversation.mend();
        conversation
    }

    /// Names the conversation.
    pub fn set_conversation_id(&mut self, id: Option<String>) {
        self.conversation.id = id.or(self.conversation.id.take());
    }

    /// Tells which model is called, for the answer and for its price.
    pub fn set_model(&mut self, name: &str) {
        self.model = Some(name.to_owned());
    }

    /// Takes in the model's reply.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] if no reply was awaited.
    pub fn model_replied(&mut self, mut reply: ModelReply) -> Result<()> {
        let Some(purpose) = self.purpose() else { return Err(out_of_turn("a model's reply")) };
        // What may be done is decided by what the model was shown.
        let tools = if self.may_use_tools() { self.tool_names() } else { Vec::new() };
        if self.trail.is_some() {
            let request = self.model_call().request;
            let model = self.change.model.as_deref().or(self.model.as_deref());
            if let Some(trail) = &mut self.trail {
                trail.called(purpose.step(), model, &request, &reply);
            }
        }
        self.account(&reply);
        self.trace.end(purpose.step()).usage(reply.usage);
        self.change = StepChange::default();
        match self.state.clone() {
            State::Turn => {
                if self.options.bare_tool_calls {
                    super::policy::read_bare_call(&mut reply, &tools);
                }
                self.turn_replied(reply, &tools);
            }
            State::Rewrite => self.rewritten(&reply.text),
            State::Classify => self.classified(&reply.text),
            State::Decompose => self.decomposed(&reply.text),
            State::Write(purpose) => self.written(purpose, &reply),
            State::Reflect => self.reflected(&reply.text),
            State::Judge => self.judged(&reply.text),
            State::Revise => self.revised(&reply.text, reply.finish_reason),
            State::Format(misfit) => self.formatted(&reply.text, misfit.is_some()),
            _ => return Err(out_of_turn("a model's reply")),
        }
        Ok(())
    }

    /// Takes in the hits of a search.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] if that search was not awaited.
    pub fn retrieved(&mut self, id: &str, hits: Vec<Hit>) -> Result<()> {
        match &self.state {
            State::Tools(_) => self.tool_found(id, hits),
            State::Find => self.sub_found(id, Ok(hits)),
            State::Seek(_) => self.sought(id, Some(hits)),
            State::Quote(no_answer) if id == QUOTE_ID => {
                let no_answer = no_answer.clone();
                self.progress.searches = self.progress.searches.saturating_add(1);
                self.trace.end("retrieve").count(hits.len()).says(&self.query);
                if let Some(trail) = &mut self.trail {
                    trail.searched(&self.query, None, &hits);
                }
                let found = self.register(QUOTE_ID, &self.query.clone(), None, hits);
                self.quote(&found.numbers, no_answer.as_ref());
                Ok(())
            }
            _ => Err(out_of_turn("the hits of a search")),
        }
    }

    /// Takes in that a search failed. The model is told, or the other searches do without it.
    ///
    /// # Errors
    /// The error itself where nothing has been found that the run could go on with; [`ErrorCode::Internal`] if that search
    /// was not awaited.
    pub fn search_failed(&mut self, id: &str, error: Error) -> Result<()> {
        match &self.state {
            State::Tools(_) => self.tool_search_failed(id, error),
            State::Find => self.sub_found(id, Err(error)),
            // The answer stands without it.
            State::Seek(_) if error.code() != ErrorCode::Aborted => self.sought(id, None),
            _ => Err(error),
        }
    }

    /// Ends the run with what it has, because it has taken longer than it was given. Where nothing has been found, the question
    /// itself is searched for first; when that takes too long as well, this is to be called again.
    pub fn timed_out(&mut self) {
        if matches!(self.state, State::Done(_)) {
            return;
        }
        let again = self.is_over_time();
        self.stopped = Some(StoppedBy::Timeout);
        if self.draft.is_some() {
            let problem = self.options.output.as_ref().map(|_| "There was no time left for it.".to_owned());
            return self.finish(None, problem);
        }
        let (finish, why) = (FinishReason::Stop, "The time for this question ran out.");
        if again {
            self.quote(&[], Some(&NoAnswer { finish, why: why.to_owned() }));
        } else {
            self.quote_what_was_found(finish, why);
        }
    }

    /// Returns whether the run has had all the time that it was given.
    pub(super) fn is_over_time(&self) -> bool {
        self.stopped == Some(StoppedBy::Timeout)
    }

    /// Goes on to a state, by way of the host where it wants to change calls.
    pub(super) fn enter(&mut self, state: State) {
        self.state = state;
        if self.options.prepare_step && self.purpose().is_some() {
            self.state = State::Prepare(Box::new(self.state.clone()));
        }
    }

    /// What the model is called for in this state, if it is.
    pub(super) fn purpose(&self) -> Option<Purpose> {
        self.state.purpose()
    }

    /// How much of the budget is left.
    pub(super) fn left(&self) -> Left {
        let (tokens, cost) = self.last_call;
        self.options.budget.left(&self.progress, tokens, cost)
    }

    fn account(&mut self, reply: &ModelReply) {
        self.progress.turns = self.turn();
        if let Some(usage) = reply.usage {
            self.progress.usage.get_or_insert_default().add(usage);
        }
        let tokens = reply.usage.map_or_else(
            || super::policy::estimate(&self.model_call().request, reply),
            |usage| usage.total_tokens.max(usage.input_tokens.saturating_add(usage.output_tokens)),
        );
        self.progress.tokens = self.progress.tokens.saturating_add(tokens);
        let name = self.change.model.as_deref().or(self.model.as_deref()).unwrap_or_default();
        let price = self.options.prices.get(name).zip(reply.usage);
        let cost = price.map(|(price, usage)| price.of(usage));
        self.progress.cost = self.progress.cost.zip(cost).map(|(so_far, cost)| so_far + cost);
        self.last_call = (tokens, cost.unwrap_or_default());
    }

    /// Ends the run with an answer, complete but for what the run has counted.
    pub(super) fn done(&mut self, answer: Answer) {
        let text = self.hide(&answer.text);
        self.done_saying(answer, &text);
    }

    /// The same with the text that the conversation is to remember.
    pub(super) fn done_saying(&mut self, answer: Answer, said: &str) {
        self.trace.note("verify").count(answer.flags.len());
        self.conversation.mend();
        self.conversation.items.push(Item::Assistant {
            content: said.to_owned(),
            tool_calls: Vec::new(),
            echo: serde_json::Map::new(),
        });
        let asked = self.progress.turns > 0;
        self.state = State::Done(Box::new(Answer {
            sources: self.conversation.register.sources().to_vec(),
            guard: self.guarded.clone(),
            policy: self.options.policy,
            stopped_by: self.stopped,
            usage: self.progress.usage,
            cost: self.progress.cost.filter(|_| asked),
            turns: self.progress.turns,
            searches: self.progress.searches,
            model: self.model.clone().filter(|_| asked),
            trace: self.trace.steps().to_vec(),
            created_at: iso_8601(self.trace.now()),
            conversation_id: self.conversation.id.clone(),
            ..answer
        }));
    }
}

pub(super) fn out_of_turn(what: &str) -> Error {
    Error::new(ErrorCode::Internal, format!("The run was handed {what} it did not ask for."))
}
