//! The machine in which the model searches itself: a loop of turns and tool calls.

use serde::{Deserialize, Serialize};

use super::event::AskEvent;
use super::inquiry::Inquiry;
use super::memory::FoundSources;
use super::names::{DONE_TOOL, SEARCH_TOOL};
use super::prompt::EVALUATED;
use super::state::{DraftAnswer, Next, NoAnswer, RunState};
use super::step::{Purpose, SearchCall, SearchOutcome, Step, out_of_turn};
use super::stop::StoppedBy;
use super::toolbox::{self, Refusal, Request};
use ibid_llm::{FinishReason, Message, ModelReply, ToolCall};
use ibid_platform::{Error, ErrorCode, Result, case};
use ibid_retrieve::Query;
use ibid_trust::guard::injection::visible;

/// The number of repeated calls after which the model gets no more tools.
const MOST_REPEATS: u32 = 2;

/// The most characters of a tool's result that the model sees.
const MAX_RESULT_CHARS: usize = 20_000;

/// The calls of the turn under way, and those before it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Turn {
    calls: Vec<TurnCall>,
    /// The calls that were made, to notice a model that makes them again and again.
    made: Vec<String>,
    repeats: u32,
}

/// A tool call of the turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TurnCall {
    call: ToolCall,
    status: CallStatus,
}

/// The work that a call waits for, or its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum CallStatus {
    Search(Box<Query>, Option<String>),
    Custom,
    Found(FoundSources),
    Said { content: String, is_error: bool },
}

/// The end that a call puts to the turn.
enum TurnEnding {
    /// The answer was given.
    Answer(String),
    /// The case is to be assessed.
    Assess,
}

impl CallStatus {
    fn is_open(&self) -> bool {
        matches!(self, Self::Search(..) | Self::Custom)
    }
}

impl Turn {
    /// Lists the calls that are still to be made.
    pub(super) fn step(&self, inquiry: &Inquiry) -> Step {
        let (mut searches, mut tools) = (Vec::new(), Vec::new());
        for TurnCall { call, status } in &self.calls {
            match status {
                CallStatus::Search(query, collection) => searches.push(SearchCall {
                    id: call.id.clone(),
                    collection: collection.clone(),
                    query: (**query).clone(),
                }),
                CallStatus::Custom => tools.push(inquiry.outgoing_call(call.clone())),
                CallStatus::Found(_) | CallStatus::Said { .. } => {}
            }
        }
        let searches = inquiry.outgoing(searches);
        if tools.is_empty() { Step::Retrieve(searches) } else { Step::CallTools { searches, tools } }
    }

    /// Takes in the reply of a turn, in which there were tools of these names.
    pub(super) fn replied(&mut self, inquiry: &mut Inquiry, reply: ModelReply, tools: &[String]) -> Next {
        if !tools.is_empty() && reply.calls_tools() {
            return self.call_tools(inquiry, reply, tools);
        }
        // A model that gives its answer by a tool in a turn without tools has given it all the same.
        let done = reply.tool_calls.iter().find(|call| call.name == DONE_TOOL && reply.calls_tools());
        let done = done.map(|call| toolbox::read(call, &inquiry.options, &[DONE_TOOL.to_owned()]));
        if let Some(Ok(Request::Done(text, sources))) = done {
            let text = with_citations(inquiry, text, &sources);
            return Next::Review(DraftAnswer::new(text, FinishReason::Stop));
        }
        // The text before calls that are not made is a preamble ("Let me look further") and no answer, unless
        // it cites.
        let text = reply.text.trim();
        if !text.is_empty() && (reply.tool_calls.is_empty() || inquiry.cites(text)) {
            Next::Review(DraftAnswer::new(text, reply.finish_reason))
        } else {
            Next::Unanswered(NoAnswer::silent(reply.finish_reason))
        }
    }

    fn call_tools(&mut self, inquiry: &mut Inquiry, reply: ModelReply, tools: &[String]) -> Next {
        let calls = with_fresh_ids(inquiry, reply.tool_calls);
        let mut ending = None;
        self.calls.clear();
        for call in &calls {
            let status = toolbox::read(call, &inquiry.options, tools)
                .and_then(|request| self.take(inquiry, call, request, &mut ending))
                .unwrap_or_else(|refusal| refused(inquiry, call, refusal));
            self.calls.push(TurnCall { call: call.clone(), status });
        }
        inquiry.conversation.items.push(Message::Assistant {
            content: reply.text,
            tool_calls: calls,
            echo: reply.echo,
        });
        match ending {
            Some(TurnEnding::Answer(text)) => {
                self.close(inquiry, "The work was ended before this call was made.");
                Next::Review(DraftAnswer::new(text, FinishReason::Stop))
            }
            Some(TurnEnding::Assess) => {
                self.close(inquiry, "The case is assessed first.");
                Next::Assess
            }
            None => self.advance(inquiry),
        }
    }

    /// Takes a call: it is still to be made, or has its result at once and may end the turn.
    fn take(
        &mut self,
        inquiry: &mut Inquiry,
        call: &ToolCall,
        request: Request,
        ending: &mut Option<TurnEnding>,
    ) -> std::result::Result<CallStatus, Refusal> {
        let (searches_left, steps_left) = self.left(inquiry);
        if !matches!(request, Request::Search(..) | Request::Custom) {
            inquiry.progress.called(&call.name);
        }
        let case = &mut inquiry.conversation.case;
        let said = match request {
            Request::Search(query, collection) => {
                if self.is_repeated(inquiry, search_key(&query, collection.as_deref()), 1) {
                    let told = "You have made this very search, and its passages stand above. Search for something \
                                else, or answer.";
                    return Err(told.into());
                }
                if searches_left == 0 || steps_left == 0 {
                    return Err("This search was not made: the limit of searches is reached.".into());
                }
                return Ok(CallStatus::Search(query, collection));
            }
            Request::Custom => {
                if self.is_repeated(inquiry, format!("{} {}", call.name, call.arguments), 2) {
                    return Err("You have made this very call before; its result stands above.".into());
                }
                if steps_left == 0 {
                    return Err("This call was not made: the limit of steps is reached.".into());
                }
                return Ok(CallStatus::Custom);
            }
            Request::Evaluate => format!("{EVALUATED} Searches left: {searches_left}."),
            Request::Record(conditions, findings) => {
                case.add(&conditions, &findings);
                case.written()
            }
            Request::Done(text, sources) => {
                *ending = Some(TurnEnding::Answer(with_citations(inquiry, text, &sources)));
                "The answer was given.".to_owned()
            }
            Request::Close(message) => {
                case.closed = true;
                *ending = Some(TurnEnding::Answer(message));
                "The case was closed.".to_owned()
            }
            Request::Assess => {
                ending.get_or_insert(TurnEnding::Assess);
                "The case is being assessed from what is written down.".to_owned()
            }
        };
        Ok(CallStatus::Said { content: said, is_error: false })
    }

    /// Counts the searches and the steps that are left besides the calls of this turn.
    fn left(&self, Inquiry { options, progress, .. }: &Inquiry) -> (u32, u32) {
        let open = self.calls.iter().filter(|call| call.status.is_open());
        let is_search = |call: &&TurnCall| matches!(call.status, CallStatus::Search(..));
        let (searches, all) = (open.clone().filter(is_search).count() as u32, open.count() as u32);
        // One step is kept for the answer.
        let steps = options.max_steps().saturating_sub(progress.steps() + 1 + all);
        (options.max_searches.saturating_sub(progress.searches + searches), steps)
    }

    /// Tells whether the call was made that many times already. A model that insists gets no more tools.
    fn is_repeated(&mut self, inquiry: &mut Inquiry, key: String, most: usize) -> bool {
        let repeated = self.made.iter().filter(|other| **other == key).count() >= most;
        if repeated {
            self.repeats += 1;
            if self.repeats >= MOST_REPEATS {
                inquiry.stopped.get_or_insert(StoppedBy::Repetition);
            }
        } else {
            self.made.push(key);
        }
        repeated
    }

    /// Takes in the outcome of a search. The error is the run's where the model can neither mend it nor do
    /// without.
    pub(super) fn searched(&mut self, inquiry: &mut Inquiry, outcome: SearchOutcome<'_>) -> Result<Next> {
        let SearchOutcome { id, hits } = outcome;
        let awaited = self.calls.iter_mut().find_map(|TurnCall { call, status }| match status {
            CallStatus::Search(query, collection) if call.id == id => {
                let (query, collection) = (query.text.clone(), collection.clone());
                Some((call, status, query, collection))
            }
            _ => None,
        });
        let Some((call, status, query, collection)) = awaited else {
            return Err(out_of_turn("the hits of a search"));
        };
        // A filter is the model's to mend. Anything else it can do without only if it has found something.
        if let Err(error) = &hits
            && (error.code() == ErrorCode::Aborted
                || (error.code() != ErrorCode::FilterInvalid && inquiry.found.is_empty()))
        {
            return Err(error.clone());
        }
        inquiry.progress.searches += 1;
        inquiry.journal.searched("retrieve", &query, collection.as_deref(), hits.as_deref());
        *status = match hits {
            Ok(hits) => {
                inquiry.progress.called(SEARCH_TOOL);
                CallStatus::Found(inquiry.register(id, &query, collection, hits))
            }
            Err(error) => refused(inquiry, call, failed(&error)),
        };
        Ok(self.advance(inquiry))
    }

    /// Takes in the result of a tool of the host's, or the reason why it failed.
    pub(super) fn returned(
        &mut self,
        inquiry: &mut Inquiry,
        id: &str,
        content: &str,
        is_error: bool,
    ) -> Result<Next> {
        let awaited = |turn: &&mut TurnCall| turn.call.id == id && turn.status == CallStatus::Custom;
        let Some(turn) = self.calls.iter_mut().find(awaited) else {
            return Err(out_of_turn("the result of a tool"));
        };
        let name = turn.call.name.clone();
        inquiry.progress.tool_calls = inquiry.progress.tool_calls.saturating_add(1);
        inquiry.progress.called(&name);
        inquiry.journal.end("tool").says(&name);
        if let (Some(stages), Some(stage), false) =
            (&inquiry.options.stages, &inquiry.conversation.stage, is_error)
        {
            inquiry.conversation.stage = Some(stages.after(stage, &name).to_owned());
        }
        let mut text: String = content.chars().take(MAX_RESULT_CHARS).collect();
        if text.len() < content.len() {
            text.push_str(" … (cut)");
        }
        let (id, content) = (id.to_owned(), text.clone());
        inquiry.journal.tell(AskEvent::ToolResult { id, name, content, is_error });
        // A tool of the page's may return a person's record, and nobody knows what else.
        let text = inquiry.hide(&visible(&text));
        let content = if is_error { format!("Error: {text}") } else { text };
        turn.status = CallStatus::Said { content, is_error };
        Ok(self.advance(inquiry))
    }

    /// Goes on when all calls of the turn have their results.
    fn advance(&mut self, inquiry: &mut Inquiry) -> Next {
        if self.calls.iter().any(|call| call.status.is_open()) {
            return Next::Wait(RunState::Tools);
        }
        self.close(inquiry, "");
        if let Some(spent) = inquiry.spent() {
            return spent;
        }
        inquiry.stopped = toolbox::limit(inquiry);
        Next::call(Purpose::Answer)
    }

    /// Writes the results of all calls into the conversation; those of calls that were not made say `undone`.
    fn close(&mut self, inquiry: &mut Inquiry, undone: &str) {
        let conversation = &mut inquiry.conversation;
        for TurnCall { call, status } in self.calls.drain(..) {
            let (content, is_error) = match status {
                CallStatus::Said { content, is_error } => (content, is_error),
                CallStatus::Found(found) => {
                    conversation.found.insert(call.id.clone(), found);
                    (String::new(), false)
                }
                CallStatus::Search(..) | CallStatus::Custom => (undone.to_owned(), true),
            };
            conversation.items.push(Message::Tool { call_id: call.id, content, is_error });
        }
    }
}

/// Announces a call that is not made, and makes that its result.
fn refused(inquiry: &mut Inquiry, call: &ToolCall, Refusal(message): Refusal) -> CallStatus {
    let content = format!("Error: {message}");
    inquiry.journal.tell(AskEvent::ToolError { id: call.id.clone(), name: call.name.clone(), message });
    CallStatus::Said { content, is_error: true }
}

fn failed(error: &Error) -> Refusal {
    Refusal(format!("The search failed: {}", error.in_words()))
}

/// The text, with the numbers of known sources behind it if it cites none itself.
fn with_citations(inquiry: &Inquiry, text: String, sources: &[u32]) -> String {
    if inquiry.cites(&text) {
        return text;
    }
    let register = &inquiry.conversation.register;
    let known = sources.iter().filter(|number| register.get(**number).is_some());
    let marks = known.fold(String::new(), |marks, number| format!("{marks}[{number}]"));
    if marks.is_empty() { text } else { format!("{text} {marks}") }
}

/// Gives the calls ids that no earlier call of the conversation has, since some servers count anew in each
/// reply, or give all calls the same.
fn with_fresh_ids(inquiry: &Inquiry, mut calls: Vec<ToolCall>) -> Vec<ToolCall> {
    let items = &inquiry.conversation.items;
    let ids = items.iter().filter_map(|item| match item {
        Message::Tool { call_id, .. } => Some(call_id.clone()),
        _ => None,
    });
    let mut used: Vec<String> = ids.collect();
    let turn = items.len() % 1000;
    for (n, call) in calls.iter_mut().enumerate() {
        if used.contains(&call.id) {
            call.id = format!("t{turn:04}{n:04}");
        }
        used.push(call.id.clone());
    }
    calls
}

/// Makes a key that two searches share if they are the same.
fn search_key(query: &Query, collection: Option<&str>) -> String {
    let words: Vec<String> = query.text.split_whitespace().map(case::lowercase).collect();
    let filter = query.filter.as_ref().map(|filter| filter.to_json().to_string()).unwrap_or_default();
    format!("{SEARCH_TOOL} {} {} {filter} {}", words.join(" "), collection.unwrap_or_default(), query.limit)
}
