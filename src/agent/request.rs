//! What is sent to the model in each state.

use serde_json::Value;

use super::memory::Found;
use super::options::Policy;
use super::prompt::{LAST_TURN, Task};
use super::run::AgentRun;
use super::state::{Misfit, State};
use super::step::{ModelCall, Purpose, StepState};
use super::stop::{Left, StoppedBy};
use super::toolbox::{self, DONE_TOOL, EVALUATE_TOOL, SEARCH_TOOL};
use ibid_llm::{ChatRequest, Message, OutputForm, ToolChoice};
use ibid_platform::json;

/// The most sources that the model sees when it judges an answer or puts it into a form.
const MOST_SHOWN: usize = 12;

impl AgentRun {
    /// The names of the tools that exist in the next turn.
    pub(super) fn tool_names(&self) -> Vec<String> {
        let own: &[&str] = match self.options.policy {
            Policy::Case => self.conversation.case.tools(),
            _ => &[SEARCH_TOOL],
        };
        let optional = [(self.options.evaluate_tool, EVALUATE_TOOL), (self.options.done_tool, DONE_TOOL)];
        let optional = optional.into_iter().filter(|(on, _)| *on).map(|(_, name)| name);
        let stage = self.conversation.stage.as_deref();
        let custom = self.options.tools.iter().filter(|tool| {
            tool.stage.is_empty() || tool.stage.iter().any(|other| Some(other.as_str()) == stage)
        });
        let names = own.iter().copied().chain(custom.map(|tool| tool.name.as_str())).chain(optional);
        let listed = |list: &Option<Vec<String>>, name: &str| {
            list.as_ref().is_none_or(|list| list.iter().any(|other| other == name))
        };
        names
            .filter(|name| listed(&self.options.allowed_tools, name) && listed(&self.change.tools, name))
            .map(str::to_owned)
            .collect()
    }

    /// Whether a tool of the host's changes nothing.
    pub(super) fn only_reads(&self, name: &str) -> bool {
        self.options.tools.iter().any(|tool| tool.name == name && tool.read_only)
    }

    /// Whether the model may call tools in the next turn: turns and steps must be left for a call and for the answer after it,
    /// and there must be a tool that does something.
    pub fn may_use_tools(&self) -> bool {
        self.why_no_tools().is_none() && !self.tool_names().is_empty()
    }

    /// Why it may not, where that is a limit.
    pub(super) fn why_no_tools(&self) -> Option<StoppedBy> {
        if self.stopped.is_some() {
            return self.stopped;
        }
        if self.turn() >= self.options.max_turns {
            return Some(StoppedBy::Turns);
        }
        if self.progress.steps().saturating_add(3) > self.options.max_steps {
            return Some(StoppedBy::Steps);
        }
        if let Left::OneCall(by) | Left::Nothing(by) = self.left() {
            return Some(by);
        }
        let searches_left = self.progress.searches < self.options.max_searches;
        let does = |name: &String| match name.as_str() {
            SEARCH_TOOL => searches_left,
            EVALUATE_TOOL | DONE_TOOL => false,
            _ => true,
        };
        let names = self.tool_names();
        (!names.is_empty() && !searches_left && !names.iter().any(does)).then_some(StoppedBy::Searches)
    }

    /// The call that the state is for.
    pub(super) fn model_call(&self) -> ModelCall {
        let state = match &self.state {
            State::Prepare(inner) => inner,
            state => state,
        };
        let purpose = state.purpose().unwrap_or(Purpose::Answer);
        let mut request = match state {
            State::Rewrite => plain(self.options.prompts.rewrite(
                &self.question,
                &self.conversation.transcript(self.begin, self.options.history_tokens),
            )),
            State::Classify => plain(self.options.prompts.classify(&self.query)),
            State::Decompose => {
                let class = self.plan.class;
                plain(self.options.prompts.decompose(&self.query, class.name(), class.sub_queries()))
            }
            State::Write(purpose) => self.write(*purpose),
            State::Reflect => {
                let answer = self.draft.as_ref().map_or("", |draft| draft.text.as_str());
                plain(self.options.prompts.reflect(&self.question, answer, &self.cited_xml()))
            }
            State::Judge => {
                let text = self.draft.as_ref().map(|draft| self.shown(&draft.text)).unwrap_or_default();
                let claims = self.undecided(&text).into_iter().map(|claim| {
                    let marks: Vec<String> = claim.sources.iter().map(u32::to_string).collect();
                    format!("{} [{}]", self.hidden(&claim.text), marks.join("]["))
                });
                let claims: Vec<_> = claims.collect();
                plain(self.options.prompts.judge(&numbered(&claims), &self.cited_xml()))
            }
            State::Revise => {
                let answer = self.draft.as_ref().map_or("", |draft| draft.text.as_str());
                let (problems, sources) = (bullets(&self.problems()), self.cited_xml());
                let prompts = &self.options.prompts;
                let system = prompts.system(&self.options.nonce, Task::Sources);
                let mut request = plain(prompts.revise(&self.question, answer, &problems, &sources));
                request.messages.insert(0, Message::System { content: system });
                request
            }
            State::Format(misfit) => self.format(misfit.as_ref()),
            _ => self.turn_request(),
        };
        request.model.clone_from(&self.change.model);
        if let Some(messages) = &self.change.messages {
            request.messages.retain(|message| matches!(message, Message::System { .. }));
            request.messages.extend(messages.iter().cloned());
        }
        if let Some(system) = &self.change.system {
            request.messages.retain(|message| !matches!(message, Message::System { .. }));
            request.messages.insert(0, Message::System { content: system.clone() });
        }
        ModelCall { purpose, request }
    }

    /// Where the run stands, for the host.
    pub(super) fn step_state(&self) -> StepState {
        StepState {
            question: self.question.clone(),
            purpose: match &self.state {
                State::Prepare(_) => Some(self.model_call().purpose),
                _ => None,
            },
            turn: self.turn(),
            progress: self.progress.clone(),
            sources: self.conversation.register.sources().len(),
            messages: self.model_call().request.messages,
        }
    }

    fn turn_request(&self) -> ChatRequest {
        let task = if self.options.policy == Policy::Case && !self.conversation.case.closed {
            Task::Interview
        } else {
            Task::Search
        };
        let mut messages = self.with_history(task, self.begin);
        let tools_on = self.may_use_tools();
        if !tools_on && let Some(Message::Tool { content, .. }) = messages.last_mut() {
            content.push_str("\n\n");
            content.push_str(LAST_TURN);
        }
        let tool_choice = if !tools_on {
            ToolChoice::None
        } else if let Some(choice) = &self.change.tool_choice {
            choice.clone()
        } else if self.options.done_tool {
            ToolChoice::Required
        } else {
            ToolChoice::Auto
        };
        let tools = toolbox::specs(&self.tool_names(), &self.options);
        ChatRequest { messages, tools, tool_choice, ..ChatRequest::default() }
    }

    /// The standing instructions, as much of the history as fits, and all items from there.
    fn with_history(&self, task: Task, begin: usize) -> Vec<Message> {
        let nonce = &self.options.nonce;
        let system = self.options.prompts.system(nonce, task);
        // Where the context was too long, history goes first.
        let tokens =
            if self.shown == super::memory::Shown::default() { self.options.history_tokens } else { 0 };
        let mut messages = vec![Message::System { content: system }];
        messages.extend(self.conversation.messages(begin, tokens, nonce, self.shown));
        messages
    }

    fn write(&self, purpose: Purpose) -> ChatRequest {
        let mut sources = String::new();
        for found in &self.plan.selected {
            if !sources.is_empty() {
                sources.push('\n');
            }
            sources.push_str(&self.conversation.xml(found, &self.options.nonce, self.shown));
        }
        let prompts = &self.options.prompts;
        let content = match purpose {
            Purpose::Synthesize => {
                prompts.synthesize(&self.question, &numbered(&self.plan.queries()), &sources)
            }
            Purpose::Assess => {
                let case = &self.conversation.case;
                // Where the question is the case itself, it has been said.
                let question =
                    if super::case::Case::parse(&self.question).is_some() { "" } else { &self.question };
                prompts.assess(question, &bullets(&case.conditions), &bullets(&case.findings), &sources)
            }
            _ => prompts.answer(&self.question, &sources),
        };
        let mut messages = self.with_history(Task::Sources, self.begin);
        // The question stands in the template, in the place of all that has happened since it was asked.
        let since = self.conversation.items.len() - self.begin;
        messages.truncate(messages.len().saturating_sub(since));
        messages.push(Message::User { content });
        ChatRequest { messages, ..ChatRequest::default() }
    }

    fn format(&self, misfit: Option<&Misfit>) -> ChatRequest {
        let answer = self.draft.as_ref().map_or("", |draft| draft.text.as_str());
        let schema = self.options.output.as_ref().map(|output| output.schema.to_string()).unwrap_or_default();
        let content = format!(
            "{}\n\nQuestion: {}\n\nAnswer: {answer}\n\nWrite this answer as JSON that fits the following JSON Schema. Take all \
             values from the answer and its sources, invent none, and write nothing but the JSON.\n\n{schema}",
            self.cited_xml(),
            self.question
        );
        let mut messages = vec![Message::User { content }];
        if let Some(Misfit { text, problems }) = misfit {
            messages.push(Message::Assistant {
                content: text.clone(),
                tool_calls: Vec::new(),
                echo: serde_json::Map::new(),
            });
            let problems = problems.join("; ");
            let content =
                format!("This does not fit the schema: {problems}. Write all of the JSON again, corrected.");
            messages.push(Message::User { content });
        }
        let output = self.options.output.as_ref();
        let output =
            output.map(|output| OutputForm { name: output.name.clone(), schema: output.schema.clone() });
        ChatRequest { messages, output, ..ChatRequest::default() }
    }

    /// The sources that the draft cites, or those found where it cites none.
    fn cited_xml(&self) -> String {
        let text = self.draft.as_ref().map_or("", |draft| draft.text.as_str());
        let mut numbers: Vec<u32> = Vec::new();
        for citation in ibid_trust::cite::check(text, &self.conversation.register).citations {
            if !numbers.contains(&citation.number) {
                numbers.push(citation.number);
            }
        }
        if numbers.is_empty() {
            numbers = self.found.iter().map(|(number, _)| *number).collect();
        }
        numbers.truncate(MOST_SHOWN);
        let found = Found { query: self.query.clone(), numbers, best: 1.0, average: 1.0, ..Found::default() };
        self.conversation.xml(&found, &self.options.nonce, self.shown)
    }

    /// Takes in what the host changes about the next call of the model.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`](ibid_platform::ErrorCode::Internal) if it was not asked.
    pub fn prepared(&mut self, change: super::step::StepChange) -> ibid_platform::Result<()> {
        let State::Prepare(next) = &self.state else { return Err(super::run::out_of_turn("a change")) };
        self.state = (**next).clone();
        self.change = change;
        Ok(())
    }
}

fn plain(content: String) -> ChatRequest {
    ChatRequest { messages: vec![Message::User { content }], ..ChatRequest::default() }
}

fn numbered(lines: &[String]) -> String {
    let lines = lines.iter().zip(1..).map(|(line, number)| format!("{number}. {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

fn bullets(lines: &[String]) -> String {
    lines.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n")
}

/// The JSON of a reply, without the fence that models like to put around it.
pub(super) fn json_of(text: &str) -> Result<Value, String> {
    let text = text.trim();
    let inner = text.strip_prefix("```").and_then(|rest| rest.trim_end().strip_suffix("```"));
    let inner = inner.map_or(text, |inner| inner.split_once('\n').map_or(inner, |(_, rest)| rest));
    json::parse(inner.trim()).map_err(|error| format!("it is not valid JSON ({error})"))
}
