//! The model as the strategist of its searches: a loop of turns and tool calls.

use crate::agent::event::AskEvent;
use crate::agent::memory::{Body, Item};
use crate::agent::run::{AgentRun, out_of_turn};
use crate::agent::state::{Pending, PendingKind, State};
use crate::agent::step::{SearchCall, Step};
use crate::agent::stop::{Left, StoppedBy};
use crate::agent::toolbox::{self, DONE_TOOL, Request, SEARCH_TOOL};
use ibid_llm::{FinishReason, ModelReply, ToolCall};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::{Hit, Query};
use ibid_trust::cite::check;
use ibid_trust::guard::injection::visible;

/// How often the same call may be asked for again before the model gets no more tools.
const MOST_REPEATS: u32 = 2;

/// The most characters of a tool's result that the model sees.
const MAX_RESULT_CHARS: usize = 20_000;

/// What a reply's calls come to beside their results.
#[derive(Default)]
struct Outcome {
    /// The model has given its answer.
    answer: Option<String>,
    /// The case is to be assessed.
    assess: bool,
}

impl AgentRun {
    pub(in crate::agent) fn tool_step(&self, pending: &[Pending]) -> Step {
        let open = || pending.iter().filter(|pending| pending.body.is_none());
        let searches = open().filter_map(|pending| match &pending.kind {
            PendingKind::Search(query, collection) => Some(SearchCall {
                id: pending.call.id.clone(),
                collection: collection.clone(),
                query: (**query).clone(),
            }),
            _ => None,
        });
        let searches = self.outgoing(searches.collect());
        let custom = open().filter(|pending| pending.kind == PendingKind::Custom);
        let tools: Vec<_> = custom.map(|pending| self.outgoing_call(pending.call.clone())).collect();
        if tools.is_empty() { Step::Retrieve(searches) } else { Step::CallTools { searches, tools } }
    }

    /// Takes in the reply of a turn, in which there were tools of these names.
    pub(in crate::agent) fn turn_replied(&mut self, reply: ModelReply, tools: &[String]) {
        if !tools.is_empty() && reply.calls_tools() {
            return self.call_tools(reply, tools);
        }
        // A model that gives its answer by a tool in a turn without tools has given it all the same.
        let done = reply.tool_calls.iter().find(|call| call.name == DONE_TOOL && reply.calls_tools());
        if let Some(Ok(Request::Done(text, sources))) =
            done.map(|call| toolbox::read(call, &self.options, &[DONE_TOOL.to_owned()]))
        {
            let text = self.with_citations(text, &sources);
            return self.conclude(&text, FinishReason::Stop);
        }
        // Calls that are not to be made are no reason to stop, and the text before them is a preamble ("Let me look
        // further") rather than an answer, unless it cites.
        let finish = match reply.finish_reason {
            FinishReason::ToolCalls => FinishReason::Stop,
            finish => finish,
        };
        let text = reply.text.trim();
        let cites = || !check(text, &self.conversation.register).citations.is_empty();
        if !text.is_empty() && (reply.tool_calls.is_empty() || cites()) {
            self.conclude(text, finish);
        } else {
            self.quote_what_was_found(finish, "The model gave no answer.");
        }
    }

    fn call_tools(&mut self, reply: ModelReply, tools: &[String]) {
        let calls = self.with_fresh_ids(reply.tool_calls);
        let mut outcome = Outcome::default();
        let mut steps_left = self.options.max_steps.saturating_sub(self.progress.steps().saturating_add(1));
        let mut searches_left = self.options.max_searches.saturating_sub(self.progress.searches);
        let mut pending: Vec<Pending> = Vec::new();
        for call in &calls {
            let kind = match toolbox::read(call, &self.options, tools) {
                Ok(request) => self.take(call, request, &mut outcome, &mut searches_left, &mut steps_left),
                Err(told) => Err(told),
            };
            let (kind, body) = match kind {
                Ok(Ok(kind)) => (kind, None),
                Ok(Err(said)) => (PendingKind::Settled, Some(Body::Text { content: said, is_error: false })),
                Err(told) => {
                    let (id, name) = (call.id.clone(), call.name.clone());
                    self.tell(AskEvent::ToolError { id, name, message: told.clone() });
                    let content = format!("Error: {told}");
                    (PendingKind::Settled, Some(Body::Text { content, is_error: true }))
                }
            };
            pending.push(Pending { call: call.clone(), kind, body });
        }
        self.conversation.items.push(Item::Assistant {
            content: reply.text,
            tool_calls: calls,
            echo: reply.echo,
        });
        if let Some(answer) = outcome.answer {
            for Pending { call, body, .. } in pending {
                let content = "The work was ended before this call was made.".to_owned();
                let body = body.unwrap_or(Body::Text { content, is_error: true });
                self.conversation.items.push(Item::Result { call_id: call.id, body });
            }
            return self.conclude(&answer, FinishReason::Stop);
        }
        self.state = State::Tools(pending);
        self.advance(outcome.assess);
    }

    /// What a call is to be: something to be done, something that is said at once, or what the model has done wrong.
    fn take(
        &mut self,
        call: &ToolCall,
        request: Request,
        outcome: &mut Outcome,
        searches_left: &mut u32,
        steps_left: &mut u32,
    ) -> Result<Result<PendingKind, String>, String> {
        if !matches!(request, Request::Search(..) | Request::Custom) {
            self.progress.called(&call.name);
        }
        Ok(match request {
            Request::Search(query, collection) => {
                if self.is_repeated(search_key(&query, collection.as_deref()), 1) {
                    return Err("You have made this very search, and its passages stand above. Search for something else, \
                                or answer."
                        .to_owned());
                }
                if *searches_left == 0 || *steps_left == 0 {
                    return Err("This search was not made: the limit of searches is reached.".to_owned());
                }
                *searches_left -= 1;
                *steps_left -= 1;
                Ok(PendingKind::Search(query, collection))
            }
            Request::Custom => {
                if self.is_repeated(format!("{} {}", call.name, call.arguments), 2) {
                    return Err("You have made this very call before; its result stands above.".to_owned());
                }
                if *steps_left == 0 {
                    return Err("This call was not made: the limit of steps is reached.".to_owned());
                }
                *steps_left -= 1;
                Ok(PendingKind::Custom)
            }
            Request::Evaluate => {
                let left = searches_left;
                Err(format!("{} Searches left: {left}.", crate::agent::prompt::EVALUATED))
            }
            Request::Done(text, sources) => {
                outcome.answer = Some(self.with_citations(text, &sources));
                Err("The answer was given.".to_owned())
            }
            Request::Record(conditions, findings) => Err(self.record(&conditions, &findings)),
            Request::Assess => {
                outcome.assess = true;
                Err("The case is being assessed from what is written down.".to_owned())
            }
            Request::Close(message) => {
                self.conversation.case.closed = true;
                outcome.answer = Some(message);
                Err("The case was closed.".to_owned())
            }
        })
    }

    /// Whether the call was made so many times already. A model that insists gets no more tools.
    fn is_repeated(&mut self, key: String, most: usize) -> bool {
        let repeated = self.made.iter().filter(|other| **other == key).count() >= most;
        if repeated {
            self.repeats += 1;
            if self.repeats >= MOST_REPEATS {
                self.stopped.get_or_insert(StoppedBy::Repetition);
            }
        } else {
            self.made.push(key);
        }
        repeated
    }

    /// The text, with the numbers of known sources behind it if it cites none itself.
    fn with_citations(&self, text: String, sources: &[u32]) -> String {
        let register = &self.conversation.register;
        if !check(&text, register).citations.is_empty() {
            return text;
        }
        let known = sources.iter().filter(|number| register.get(**number).is_some());
        let marks = known.fold(String::new(), |marks, number| format!("{marks}[{number}]"));
        if marks.is_empty() { text } else { format!("{text} {marks}") }
    }

    /// The calls with ids that no earlier call of the conversation has, since some servers count anew in each reply.
    fn with_fresh_ids(&self, mut calls: Vec<ToolCall>) -> Vec<ToolCall> {
        let used = |id: &str| {
            self.conversation
                .items
                .iter()
                .any(|item| matches!(item, Item::Result { call_id, .. } if call_id == id))
        };
        let turn = self.conversation.items.len() % 1000;
        for (n, call) in calls.iter_mut().enumerate() {
            if used(&call.id) {
                call.id = format!("t{turn:04}{n:04}");
            }
        }
        calls
    }

    /// Takes in the hits of a search that the model asked for.
    pub(in crate::agent) fn tool_found(&mut self, id: &str, hits: Vec<Hit>) -> Result<()> {
        let at = self.open(id, |kind| matches!(kind, PendingKind::Search(..)), "the hits of a search")?;
        let (query, collection) = match &self.state {
            State::Tools(pending) => match &pending[at].kind {
                PendingKind::Search(query, collection) => (query.text.clone(), collection.clone()),
                _ => return Err(out_of_turn("the hits of a search")),
            },
            _ => return Err(out_of_turn("the hits of a search")),
        };
        self.progress.searches = self.progress.searches.saturating_add(1);
        self.progress.called(SEARCH_TOOL);
        self.trace.end("retrieve").count(hits.len()).says(&query);
        if let Some(trail) = &mut self.trail {
            trail.searched(&query, collection.as_deref(), &hits);
        }
        let found = self.register(id, &query, collection, hits);
        self.settle(at, Body::Sources(found));
        Ok(())
    }

    /// Takes in that a search failed that the model asked for.
    pub(in crate::agent) fn tool_search_failed(&mut self, id: &str, error: Error) -> Result<()> {
        let at = self.open(id, |kind| matches!(kind, PendingKind::Search(..)), "the failure of a search")?;
        // A filter is the model's to mend. Anything else it can do without only if it has found something.
        if error.code() == ErrorCode::Aborted
            || (error.code() != ErrorCode::FilterInvalid && self.found.is_empty())
        {
            return Err(error);
        }
        self.progress.searches = self.progress.searches.saturating_add(1);
        self.trace.end("retrieve").count(0).says(format!("failed: {}", error.message()));
        let told = match error.hint() {
            Some(hint) => format!("The search failed: {} {hint}", error.message()),
            None => format!("The search failed: {}", error.message()),
        };
        self.tell(AskEvent::ToolError {
            id: id.to_owned(),
            name: SEARCH_TOOL.to_owned(),
            message: told.clone(),
        });
        self.settle(at, Body::Text { content: format!("Error: {told}"), is_error: true });
        Ok(())
    }

    /// Takes in what a tool of the host's returned, or why it failed.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] if that call was not awaited.
    pub fn tool_returned(&mut self, id: &str, content: &str, is_error: bool) -> Result<()> {
        let at = self.open(id, |kind| *kind == PendingKind::Custom, "the result of a tool")?;
        let State::Tools(pending) = &self.state else { return Err(out_of_turn("the result of a tool")) };
        let name = pending[at].call.name.clone();
        self.progress.tool_calls = self.progress.tool_calls.saturating_add(1);
        self.progress.called(&name);
        self.trace.end("tool").says(&name);
        if let (Some(stages), Some(stage)) = (&self.options.stages, &self.conversation.stage)
            && !is_error
        {
            self.conversation.stage = Some(stages.after(stage, &name).to_owned());
        }
        let mut text: String = content.chars().take(MAX_RESULT_CHARS).collect();
        if text.len() < content.len() {
            text.push_str(" … (cut)");
        }
        let (id, shown) = (id.to_owned(), text.clone());
        self.tell(AskEvent::ToolResult { id, name, content: shown, is_error });
        // A tool of the page's may return a person's record, and nobody knows what else.
        let text = self.hide(&visible(&text));
        let content = if is_error { format!("Error: {text}") } else { text };
        self.settle(at, Body::Text { content, is_error });
        Ok(())
    }

    /// Takes in whether the model is to get no more tools.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] if that was not asked.
    pub fn stop(&mut self, stop: bool) -> Result<()> {
        if !matches!(self.state, State::AskStop) {
            return Err(out_of_turn("whether to stop"));
        }
        if stop {
            self.stopped.get_or_insert(StoppedBy::Function);
        }
        self.next_turn();
        Ok(())
    }

    fn open(&self, id: &str, fits: impl Fn(&PendingKind) -> bool, what: &str) -> Result<usize> {
        let State::Tools(pending) = &self.state else { return Err(out_of_turn(what)) };
        let found = pending
            .iter()
            .position(|pending| pending.call.id == id && pending.body.is_none() && fits(&pending.kind));
        found.ok_or_else(|| out_of_turn(what))
    }

    fn settle(&mut self, at: usize, body: Body) {
        if let State::Tools(pending) = &mut self.state {
            pending[at].body = Some(body);
        }
        self.advance(false);
    }

    /// Goes on when all calls of the turn have their results.
    fn advance(&mut self, assess: bool) {
        let State::Tools(pending) = &mut self.state else { return };
        // An assessment comes of itself, and what else was called with it stays undone.
        if !assess && pending.iter().any(|pending| pending.body.is_none()) {
            return;
        }
        for Pending { call, body, .. } in std::mem::take(pending) {
            let content = "The case is assessed first.".to_owned();
            let body = body.unwrap_or(Body::Text { content, is_error: true });
            self.conversation.items.push(Item::Result { call_id: call.id, body });
        }
        if assess {
            return self.start_assessment();
        }
        if self.stopped.is_none() {
            self.stopped = self.options.stop_when.as_ref().and_then(|stop| stop.holds(&self.progress));
        }
        if let Left::Nothing(by) = self.left() {
            self.stopped = Some(by);
            self.quote_what_was_found(FinishReason::Stop, "The budget for this question is used up.");
        } else if self.options.stop_function && self.stopped.is_none() {
            self.state = State::AskStop;
        } else {
            self.next_turn();
        }
    }

    fn next_turn(&mut self) {
        self.stopped = self.why_no_tools();
        self.enter(State::Turn);
    }
}

/// What makes two searches the same.
fn search_key(query: &Query, collection: Option<&str>) -> String {
    let words: Vec<String> = query.text.split_whitespace().map(str::to_lowercase).collect();
    let filter = query.filter.as_ref().map(|filter| filter.to_json().to_string()).unwrap_or_default();
    format!("{SEARCH_TOOL} {} {} {filter} {}", words.join(" "), collection.unwrap_or_default(), query.limit)
}
