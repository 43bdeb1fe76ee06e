//! A conversation as a Messages request.

use serde_json::{Map, Value};

use super::traits::Traits;
use super::{ECHO, schema};
use crate::common::{arguments, json, name, number, put};
use crate::image::images_of;
use crate::{ChatRequest, Image, Message, Provider, ReasoningEffort, ToolCall, ToolChoice};
use ibid_platform::json::text;
use ibid_platform::order;

/// The limit of tokens where the provider has none, since the API wants one.
const DEFAULT_MAX_TOKENS: u32 = 4096;

/// The headers of the format.
pub(crate) const HEADERS: [(&str, &str); 2] = [
    ("anthropic-version", "2023-06-01"),
    // Otherwise requests from pages are refused. Whose key it is, the page has to mind: see docs/providers.md.
    ("anthropic-dangerous-direct-browser-access", "true"),
];

/// Writes the body of a request for the conversation's next message.
pub(crate) fn encode(provider: &Provider, request: &ChatRequest) -> Map<String, Value> {
    let model = provider.model_of(request);
    let traits = Traits::of(model);
    let choice = (!request.tools.is_empty()).then(|| choice(&request.tool_choice, traits));
    let mut thinking = Thinking::of(provider.reasoning, traits, choice.as_ref().is_some_and(is_forced));
    if matches!(thinking, Thinking::Budget(_)) && !may_think_on(&request.messages) {
        thinking = Thinking::Unsaid;
    }

    let mut body = Map::new();
    let mut set = |name: &str, value: Value| put(&mut body, name, value);
    set("model", model.into());
    let limit = provider.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS);
    set("max_tokens", limit.saturating_add(thinking.room(traits)).into());
    set("stream", true.into());
    set("messages", messages(request));
    let system: Vec<Value> = request.messages.iter().filter_map(system).collect();
    if !system.is_empty() {
        set("system", cached(system, provider));
    }
    if let Some(choice) = choice {
        let tools = request.tools.iter().map(|tool| {
            json!({"name": &tool.name, "description": &tool.description, "input_schema": schema::arguments(&tool.parameters)})
        });
        set("tools", cached(tools.collect(), provider));
        set("tool_choice", choice);
    }
    let mut config = Map::new();
    if let Some(form) = &request.output {
        let format = json!({"type": "json_schema", "schema": schema::form(&form.schema)});
        put(&mut config, "format", format);
    }
    if let Some(value) = thinking.parameter(traits) {
        set("thinking", value);
    }
    if let Thinking::Adaptive(effort) = thinking {
        put(&mut config, "effort", effort.word().into());
    }
    if !config.is_empty() {
        set("output_config", config.into());
    }
    // Models that think refuse it. Its range ends at 1 here.
    let fixed = traits.fixed_sampling() || thinking.is_on();
    if let Some(value) = provider.temperature.filter(|_| !fixed) {
        set("temperature", number(value.min(1.0)));
    }
    body
}

/// The way a model is told to think.
#[derive(Clone, Copy)]
enum Thinking {
    /// Nothing is said.
    Unsaid,
    /// Not at all.
    Off,
    /// With a budget of tokens.
    Budget(ReasoningEffort),
    /// As much as the model finds good, by an effort.
    Adaptive(ReasoningEffort),
}

impl Thinking {
    /// `forced` says that a tool has to be called, which a model that thinks cannot be made to do: that turn goes without
    /// thinking.
    fn of(effort: Option<ReasoningEffort>, traits: Traits, forced: bool) -> Self {
        match effort {
            None => Self::Unsaid,
            // The least that these can do.
            Some(ReasoningEffort::None) if traits.always_thinks() => Self::Adaptive(ReasoningEffort::Low),
            Some(effort) if effort == ReasoningEffort::None || forced => {
                // Earlier models do not think unless told to, and the oldest know no such option.
                if traits.adaptive() && !traits.always_thinks() { Self::Off } else { Self::Unsaid }
            }
            Some(effort) if traits.adaptive() => Self::Adaptive(effort),
            Some(effort) => Self::Budget(effort),
        }
    }

    const fn is_on(self) -> bool {
        matches!(self, Self::Budget(_) | Self::Adaptive(_))
    }

    /// Computes the number of tokens thinking may take. They come on top of the limit, which is one of both together in
    /// this format, so that the answer keeps its room.
    fn room(self, traits: Traits) -> u32 {
        match self {
            Self::Budget(effort) | Self::Adaptive(effort) => budget(effort),
            Self::Unsaid if traits.thinks_unasked() => budget(ReasoningEffort::Medium),
            Self::Unsaid | Self::Off => 0,
        }
    }

    fn parameter(self, traits: Traits) -> Option<Value> {
        match self {
            Self::Unsaid => None,
            Self::Off => Some(json!({"type": "disabled"})),
            Self::Budget(effort) => Some(json!({"type": "enabled", "budget_tokens": budget(effort)})),
            Self::Adaptive(_) if traits.silent() => {
                Some(json!({"type": "adaptive", "display": "summarized"}))
            }
            Self::Adaptive(_) => Some(json!({"type": "adaptive"})),
        }
    }
}

/// Returns true if the model may think about the results that the conversation ends with. One that is given a budget may only if it
/// thought before it called the first of the tools; otherwise the request is refused.
fn may_think_on(messages: &[Message]) -> bool {
    let question = messages.iter().rposition(|message| matches!(message, Message::User { .. }));
    let since = messages.get(question.unwrap_or_default()..).unwrap_or_default();
    let first = since.iter().find_map(|message| match message {
        Message::Assistant { echo, .. } => Some(echo.get(ECHO)),
        _ => None,
    });
    first.is_none_or(|echoed| {
        let block = echoed.and_then(|blocks| blocks.get(0));
        block.and_then(|block| text(block, "type")).is_some_and(|kind| kind.ends_with("thinking"))
    })
}

/// Chooses the tokens for an effort; the API takes no fewer than 1,024.
const fn budget(effort: ReasoningEffort) -> u32 {
    match effort {
        ReasoningEffort::None | ReasoningEffort::Low => 1024,
        ReasoningEffort::Medium => 4096,
        ReasoningEffort::High => 16_384,
    }
}

fn choice(choice: &ToolChoice, traits: Traits) -> Value {
    match choice {
        ToolChoice::None => json!({"type": "none"}),
        ToolChoice::Required if !traits.unforced() => json!({"type": "any"}),
        ToolChoice::Tool(name) if !traits.unforced() => json!({"type": "tool", "name": name}),
        ToolChoice::Auto | ToolChoice::Required | ToolChoice::Tool(_) => json!({"type": "auto"}),
    }
}

fn is_forced(choice: &Value) -> bool {
    matches!(text(choice, "type"), Some("any" | "tool"))
}

/// Gives the list the mark that everything up to its end is to be kept for the next call, for the five minutes that are
/// the API's default.
fn cached(mut list: Vec<Value>, provider: &Provider) -> Value {
    if let Some(Value::Object(last)) = list.last_mut().filter(|_| provider.cache) {
        last.insert("cache_control".to_owned(), json!({"type": "ephemeral"}));
    }
    list.into()
}

/// Instructions stand apart from the conversation, wherever in it they were.
fn system(message: &Message) -> Option<Value> {
    match message {
        Message::System { content } => text_block(content),
        _ => None,
    }
}

/// Writes a block of text; none for a blank one, which the API refuses.
fn text_block(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}))
}

/// Images stand in front of the text, as the API's guide advises.
fn image_block(Image { media_type, data }: &Image) -> Value {
    json!({"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}})
}

/// Writes the messages, those of one role in a row joined, because the roles have to take turns.
fn messages(request: &ChatRequest) -> Value {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in &request.messages {
        let (role, blocks) = match message {
            Message::System { .. } => continue,
            Message::User { content } => {
                let mut blocks: Vec<Value> = images_of(request, message).iter().map(image_block).collect();
                blocks.extend(text_block(content));
                ("user", blocks)
            }
            Message::Tool { call_id, content, is_error } => {
                ("user", vec![tool_result(call_id, content, *is_error)])
            }
            Message::Assistant { content, tool_calls, echo } => {
                ("assistant", assistant(content, tool_calls, echo.get(ECHO)))
            }
        };
        match turns.last_mut() {
            _ if blocks.is_empty() => {}
            Some((last, joined)) if *last == role => joined.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    let turns = turns.into_iter().map(|(role, mut blocks)| {
        // Results come before whatever else is said in the same message. The sort keeps the order otherwise.
        if role == "user" {
            order::by_key(&mut blocks, |block| text(block, "type") != Some("tool_result"));
        }
        json!({"role": role, "content": blocks})
    });
    turns.collect()
}

fn tool_result(call_id: &str, content: &str, is_error: bool) -> Value {
    let mut block = json!({"type": "tool_result", "tool_use_id": word(call_id), "content": content});
    if let Some(fields) = block.as_object_mut().filter(|_| is_error) {
        put(fields, "is_error", true.into());
        // The API wants to be told what went wrong.
        if content.is_empty() {
            put(fields, "content", "The tool failed.".into());
        }
    }
    block
}

/// Writes the blocks of an earlier reply: those echoed at their places, with the message's own text and tool calls
/// between them.
fn assistant(content: &str, tool_calls: &[ToolCall], echoed: Option<&Value>) -> Vec<Value> {
    let echoed = echoed.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let kind = |block: &Value| text(block, "type").unwrap_or_default().to_owned();
    let texts: String =
        echoed.iter().filter(|block| kind(block) == "text").filter_map(|block| text(block, "text")).collect();
    // A text that was changed since stands whole where it began.
    let mut changed = (content != texts).then_some(content);
    let mut calls: Vec<&ToolCall> = tool_calls.iter().collect();
    let mut blocks = Vec::new();
    for block in echoed {
        match kind(block).as_str() {
            "text" => {
                let own = if content == texts { text(block, "text") } else { changed.take() };
                blocks.extend(own.and_then(text_block));
            }
            "tool_use" => {
                let at = calls.iter().position(|call| Some(call.id.as_str()) == text(block, "id"));
                blocks.extend(at.map(|at| tool_use(calls.remove(at))));
            }
            // Thinking that was cut off is not signed, and refused.
            "thinking" if text(block, "signature").is_none() => {}
            _ => blocks.push(block.clone()),
        }
    }
    blocks.extend(changed.and_then(text_block));
    blocks.extend(calls.into_iter().map(tool_use));
    blocks
}

fn tool_use(call: &ToolCall) -> Value {
    json!({"type": "tool_use", "id": word(&call.id), "name": word(name(&call.name)), "input": arguments(&call.arguments)})
}

/// Writes an id or a name in the only characters that the API takes; those of other providers have others.
fn word(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => character,
            _ => '_',
        })
        .collect()
}
