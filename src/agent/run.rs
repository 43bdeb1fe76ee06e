//! The run of one question, as a state machine.

use serde::{Deserialize, Serialize};

use super::answer::{Answer, Counts, by_model, by_quotes};
use super::prompt::{LAST_TURN, NO_HITS, search_tool, system};
use super::tool::{self, MOST_RESULTS};
use crate::cite::{Source, SourceRegister, xml};
use crate::error::{Error, ErrorCode, Result};
use crate::guard;
use crate::llm::{ChatRequest, FinishReason, Message, ModelReply, ToolCall, ToolChoice, Usage};
use crate::retrieve::{Hit, Query};

/// The limits of a run, and how it goes about its question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AgentOptions {
    /// How the answer is found.
    pub policy: Policy,
    /// How often the model may be called, 2 to 20; 4 by default. In the last turn it cannot search, so that there is
    /// always an answer.
    pub max_turns: u32,
    /// How many searches the model may make, 1 to 20; 3 by default.
    pub max_searches: u32,
    /// How many turns and searches there may be together, 3 to 100; 10 by default.
    pub max_steps: u32,
    /// The hits of a search that does not say how many it wants, 1 to 10; 5 by default.
    pub max_results: usize,
    /// The least cosine of a hit; by default, what is relevant by [`Hit::relevance`](crate::retrieve::Hit::relevance).
    pub threshold: Option<f32>,
    /// What all searches have in common beside that, such as a filter; its text and its limit are not used.
    pub query: Query,
    /// 6 to 64 ASCII letters and digits that no document can know, new for each run: they mark where sources begin
    /// and end. There is no default, because nothing here is random; [`Policy::Extractive`] needs none.
    pub nonce: String,
}

impl Default for AgentOptions {
    fn default() -> Self {
        Self {
            policy: Policy::Tools,
            max_turns: 4,
            max_searches: 3,
            max_steps: 10,
            max_results: 5,
            threshold: None,
            query: Query::default(),
            nonce: String::new(),
        }
    }
}

/// How a run goes about its question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// A model searches by tool calls, as often as it needs to, and writes the answer.
    #[default]
    Tools,
    /// No model: one search with the question itself, and the best passages are quoted.
    Extractive,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Call the model and hand its reply to [`AgentRun::model_replied`].
    CallModel(ChatRequest),
    /// Make these searches and hand the hits of each to [`AgentRun::retrieved`].
    Retrieve(Vec<SearchCall>),
    /// Nothing: this is the answer.
    Done(Box<Answer>),
}

/// A search to be made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchCall {
    /// Names the search within the run.
    pub id: String,
    /// What to look for.
    pub query: Query,
}

/// A tool call that could not be done, and what the model was told about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolProblem {
    /// The call's id.
    pub id: String,
    /// The tool's name as the model wrote it.
    pub name: String,
    /// What the model was told.
    pub message: String,
}

/// The run of one question, from the question to its answer.
///
/// It decides everything and does nothing: [`AgentRun::next_step`] says what is to be done, and the results are
/// handed back. Asking for the next step changes nothing, so a step that failed can simply be done again. Between
/// any two calls the run can be serialized, and goes on where it was when deserialized; what it holds is the
/// conversation with its sources, but no key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentRun {
    question: String,
    options: AgentOptions,
    messages: Vec<Message>,
    register: SourceRegister,
    usage: Option<Usage>,
    turns: u32,
    searches: u32,
    state: State,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum State {
    CallModel,
    /// Searches that the model asked for.
    CallTools(Vec<ToolResult>),
    /// A search with the question, to be quoted from; with the reason why the model gave no answer, if one was asked.
    Quote(Option<FinishReason>),
    Done(Box<Answer>),
}

/// A tool call of the current turn, with its result once there is one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolResult {
    id: String,
    query: Option<Query>,
    content: Option<String>,
}

impl AgentRun {
    /// A run for a question.
    ///
    /// # Errors
    /// [`ErrorCode::QuestionLength`] for a question that [`guard::question`] refuses; [`ErrorCode::InvalidOption`] for
    /// an option out of its range.
    pub fn new(question: &str, options: AgentOptions) -> Result<Self> {
        let question = guard::question(question)?;
        validate(&options)?;
        let (messages, state) = match options.policy {
            Policy::Tools => {
                let system = Message::System { content: system(&options.nonce) };
                (vec![system, Message::User { content: question.clone() }], State::CallModel)
            }
            Policy::Extractive => (Vec::new(), State::Quote(None)),
        };
        let register = SourceRegister::default();
        Ok(Self { question, options, messages, register, usage: None, turns: 0, searches: 0, state })
    }

    /// What to do next.
    pub fn next_step(&self) -> Step {
        match &self.state {
            State::CallModel => Step::CallModel(ChatRequest {
                model: None,
                output: None,
                messages: self.messages.clone(),
                tools: vec![search_tool(self.options.max_results, MOST_RESULTS)],
                tool_choice: if self.may_search() { ToolChoice::Auto } else { ToolChoice::None },
            }),
            State::CallTools(results) => Step::Retrieve(
                results
                    .iter()
                    .filter(|result| result.content.is_none())
                    .filter_map(|result| {
                        Some(SearchCall { id: result.id.clone(), query: result.query.clone()? })
                    })
                    .collect(),
            ),
            State::Quote(_) => {
                let query = self.query(self.question.clone(), None);
                Step::Retrieve(vec![SearchCall { id: QUOTE_ID.to_owned(), query }])
            }
            State::Done(answer) => Step::Done(answer.clone()),
        }
    }

    /// The turn that is next, or under way, from 1.
    pub fn turn(&self) -> u32 {
        self.turns.saturating_add(1)
    }

    /// Whether the model may search in that turn: turns, searches and steps must be left for a search and for the
    /// answer after it.
    pub fn may_search(&self) -> bool {
        self.turn() < self.options.max_turns
            && self.searches < self.options.max_searches
            && self.steps().saturating_add(3) <= self.options.max_steps
    }

    /// Takes in the model's reply and returns the tool calls that cannot be done.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] if no reply was awaited.
    pub fn model_replied(&mut self, reply: ModelReply) -> Result<Vec<ToolProblem>> {
        if !matches!(self.state, State::CallModel) {
            return Err(out_of_turn("a model's reply"));
        }
        let may_search = self.may_search();
        self.turns = self.turn();
        if let Some(usage) = reply.usage {
            self.usage.get_or_insert_default().add(usage);
        }
        if may_search && reply.calls_tools() {
            return Ok(self.call_tools(reply));
        }
        // Calls that are not to be made are no reason to stop, and the text before them is a preamble ("Let me look
        // further") rather than an answer, unless it cites.
        let finish = match reply.finish_reason {
            FinishReason::ToolCalls => FinishReason::Stop,
            finish => finish,
        };
        let answer = by_model(reply.text.trim(), finish, &self.register, self.counts());
        let answers =
            !answer.text.is_empty() && (reply.tool_calls.is_empty() || !answer.citations.is_empty());
        self.state = if answers {
            State::Done(Box::new(answer))
        } else if self.searches == 0 {
            State::Quote(Some(finish))
        } else {
            State::Done(Box::new(by_quotes(&self.question, Some(finish), &self.register, self.counts())))
        };
        Ok(Vec::new())
    }

    /// Takes in the hits of a search and returns them as numbered sources.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] if that search was not awaited.
    pub fn retrieved(&mut self, id: &str, hits: Vec<Hit>) -> Result<Vec<Source>> {
        let awaited = match &mut self.state {
            State::CallTools(results) => {
                let result = results.iter_mut().find(|result| result.id == id && result.content.is_none());
                result.map(|result| (Some(&mut result.content), result.query.as_ref()))
            }
            State::Quote(_) if id == QUOTE_ID => Some((None, None)),
            _ => None,
        };
        let Some((content, query)) = awaited else { return Err(out_of_turn("the hits of a search")) };
        let mut sources: Vec<Source> = Vec::new();
        for hit in hits {
            let source = self.register.register(hit);
            if sources.iter().all(|other| other.number != source.number) {
                sources.push(source);
            }
        }
        if let Some(content) = content {
            let query = query.map_or("", |query| query.text.as_str());
            let mut text = xml::sources(&self.options.nonce, query, &sources);
            if sources.is_empty() {
                text.push('\n');
                text.push_str(NO_HITS);
            }
            *content = Some(text);
        }
        self.searches = self.searches.saturating_add(1);
        self.advance();
        Ok(sources)
    }

    /// Sorts the reply's tool calls into searches and problems.
    fn call_tools(&mut self, reply: ModelReply) -> Vec<ToolProblem> {
        let mut problems = Vec::new();
        let mut results: Vec<ToolResult> = Vec::new();
        let mut searches_left = (self.options.max_searches.saturating_sub(self.searches))
            .min(self.options.max_steps.saturating_sub(self.steps().saturating_add(1)));
        let calls = self.with_fresh_ids(reply.tool_calls);
        for call in &calls {
            let told = match tool::read(call) {
                Ok(_) if searches_left == 0 => {
                    "This search was not made: the limit of searches is reached.".to_owned()
                }
                Ok(arguments) => {
                    searches_left -= 1;
                    let query = self.query(arguments.query, arguments.max_results);
                    results.push(ToolResult { id: call.id.clone(), query: Some(query), content: None });
                    continue;
                }
                Err(told) => told,
            };
            results.push(ToolResult {
                id: call.id.clone(),
                query: None,
                content: Some(format!("Error: {told}")),
            });
            problems.push(ToolProblem { id: call.id.clone(), name: call.name.clone(), message: told });
        }
        self.messages.push(Message::Assistant { content: reply.text, tool_calls: calls, echo: reply.echo });
        self.state = State::CallTools(results);
        self.advance();
        problems
    }

    /// Goes on when all searches of the current state are made.
    fn advance(&mut self) {
        match &mut self.state {
            State::CallTools(results) if results.iter().all(|result| result.content.is_some()) => {
                let results = std::mem::take(results);
                self.state = State::CallModel;
                let last_turn = !self.may_search();
                let count = results.len();
                for (n, result) in results.into_iter().enumerate() {
                    let mut content = result.content.unwrap_or_default();
                    if last_turn && n + 1 == count {
                        content.push_str("\n\n");
                        content.push_str(LAST_TURN);
                    }
                    self.messages.push(Message::Tool { call_id: result.id, content, is_error: false });
                }
            }
            State::Quote(finish) => {
                let answer = by_quotes(&self.question, *finish, &self.register, self.counts());
                self.state = State::Done(Box::new(answer));
            }
            _ => {}
        }
    }

    /// The calls with ids that no earlier call of the run has, since some servers count anew in each reply.
    fn with_fresh_ids(&self, mut calls: Vec<ToolCall>) -> Vec<ToolCall> {
        let used = |id: &str| {
            self.messages
                .iter()
                .any(|message| matches!(message, Message::Tool { call_id, .. } if call_id == id))
        };
        for (n, call) in calls.iter_mut().enumerate() {
            if used(&call.id) {
                call.id = format!("turn{:02}{n:03}", self.turns % 100);
            }
        }
        calls
    }

    fn query(&self, text: String, limit: Option<usize>) -> Query {
        Query {
            text,
            limit: limit.unwrap_or(self.options.max_results),
            threshold: self.options.threshold.or(self.options.query.threshold),
            ..self.options.query.clone()
        }
    }

    fn steps(&self) -> u32 {
        self.turns.saturating_add(self.searches)
    }

    fn counts(&self) -> Counts {
        Counts { usage: self.usage, turns: self.turns, searches: self.searches }
    }
}

/// The id of a search with the question itself.
const QUOTE_ID: &str = "question";

fn validate(options: &AgentOptions) -> Result<()> {
    let nonce_fits = (6..=64).contains(&options.nonce.len())
        && options.nonce.bytes().all(|byte| byte.is_ascii_alphanumeric());
    for (fits, message) in [
        ((2..=20).contains(&options.max_turns), "maxTurns is not between 2 and 20."),
        ((1..=20).contains(&options.max_searches), "maxSearches is not between 1 and 20."),
        ((3..=100).contains(&options.max_steps), "maxSteps is not between 3 and 100."),
        ((1..=MOST_RESULTS).contains(&options.max_results), "maxResults is not between 1 and 10."),
        (
            options.threshold.is_none_or(|value| (-1.0..=1.0).contains(&value)),
            "The threshold is not between -1 and 1.",
        ),
        (
            nonce_fits || options.policy == Policy::Extractive,
            "The nonce is not 6 to 64 ASCII letters and digits.",
        ),
    ] {
        if !fits {
            return Err(Error::new(ErrorCode::InvalidOption, message));
        }
    }
    Ok(())
}

fn out_of_turn(what: &str) -> Error {
    Error::new(ErrorCode::Internal, format!("The run was handed {what} it did not ask for."))
}
