//! The normalized conversation: what every codec encodes from and decodes to.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::Image;
use ibid_platform::deserialize;
use ibid_platform::json::Fields;

/// One call of a model: the conversation so far and the tools it may use.
///
/// What belongs to the provider rather than to the conversation (model, temperature, key) is in
/// [`Provider`](super::Provider).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatRequest {
    /// Another model than the [`Provider`](super::Provider)'s own, by the name that the provider knows it by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The conversation, oldest message first.
    pub messages: Vec<Message>,
    /// The images that go with the last words of the person; empty for none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// The tools the model knows of; empty for none.
    #[serde(default)]
    pub tools: Vec<ToolSpec>,
    /// True if the model may, or must, use them now.
    #[serde(default)]
    pub tool_choice: ToolChoice,
    /// The form that the reply's text is to have; free text if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputForm>,
}

impl ChatRequest {
    /// Finds the name of the tool that an earlier call of the conversation asked for; empty for a call that is not in it.
    pub(crate) fn tool_of(&self, call_id: &str) -> &str {
        let calls = self.messages.iter().rev().filter_map(|message| match message {
            Message::Assistant { tool_calls, .. } => Some(tool_calls),
            _ => None,
        });
        calls.flatten().find(|call| call.id == call_id).map_or("", |call| call.name.as_str())
    }
}

/// The form of a reply that is JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutputForm {
    /// The form's name, of letters, digits, `_` and `-`.
    pub name: String,
    /// The JSON Schema of the reply.
    pub schema: Value,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "role", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Message {
    /// Standing instructions.
    System {
        /// The instructions.
        content: String,
    },
    /// The words of a person.
    User {
        /// The text.
        content: String,
    },
    /// The words of the model in an earlier turn.
    Assistant {
        /// The text; may be empty when there are tool calls.
        content: String,
        /// The tool calls, in the order they were made.
        tool_calls: Vec<ToolCall>,
        /// [`ModelReply::echo`] of that turn.
        echo: Map<String, Value>,
    },
    /// The result of a tool call.
    Tool {
        /// The [`ToolCall::id`] that this answers.
        call_id: String,
        /// The result as the model will read it.
        content: String,
        /// True if it says why there is no result.
        is_error: bool,
    },
}

impl Message {
    /// Its text.
    pub fn text_mut(&mut self) -> &mut String {
        match self {
            Self::System { content }
            | Self::User { content }
            | Self::Assistant { content, .. }
            | Self::Tool { content, .. } => content,
        }
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Fields::deserialize(deserializer)?;
        let role: String = fields.take("role")?;
        let content = fields.take("content")?;
        Ok(match role.as_str() {
            "system" => Self::System { content },
            "user" => Self::User { content },
            "assistant" => Self::Assistant {
                content,
                tool_calls: fields.take_or("toolCalls", Vec::new())?,
                echo: fields.take_or("echo", Map::new())?,
            },
            "tool" => Self::Tool {
                call_id: fields.take("callId")?,
                content,
                is_error: fields.take_or("isError", false)?,
            },
            other => return Err(D::Error::unknown_variant(other, &["system", "user", "assistant", "tool"])),
        })
    }
}

/// A model's wish to have a tool run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// Names the call within its turn; never empty.
    pub id: String,
    /// The tool's name as the model wrote it; it may be no known tool, and even empty.
    pub name: String,
    /// The arguments as the model wrote them: JSON by agreement, anything in fact.
    pub arguments: String,
    /// The data that the provider attached to the call and wants back unchanged (such as a thought signature).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<Value>,
}

/// A tool as it is described to the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    /// The name, of letters, digits and `_`.
    pub name: String,
    /// Its effect, and when to use it.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

/// True if a model may call tools in a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// The tools are known from earlier turns but may not be called in this one.
    None,
    /// It has to call a tool, whichever it wants.
    Required,
    /// It has to call the tool of that name.
    Tool(String),
}

/// A piece of a model's reply, as soon as it is known.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyPart {
    /// More of the text.
    Text(String),
    /// More of what a reasoning model thinks aloud; no part of the text.
    Reasoning(String),
    /// A tool call begins. It is complete only when [`ReplyPart::ToolCallComplete`] says so, at the end of the reply.
    ToolCallStart {
        /// The call's place among the reply's calls, from 0.
        slot: usize,
        /// The tool's name.
        name: String,
    },
    /// More of a tool call's arguments.
    ToolCallDelta {
        /// The call's place among the reply's calls.
        slot: usize,
        /// The continuation of the arguments so far.
        arguments: String,
    },
    /// A tool call is whole. Whether it is to be made, [`ModelReply::calls_tools`] says.
    ToolCallComplete(ToolCall),
    /// A page that the provider's own search found. It is none of the run's sources, and no citation leads to it.
    Source {
        /// The page's address.
        url: String,
        /// Its title, where the provider says one.
        title: Option<String>,
    },
    /// Tokens used so far; a later one replaces an earlier one.
    Usage(Usage),
    /// The reason why the model stopped.
    Finish(FinishReason),
}

impl ReplyPart {
    /// Returns true for text and thoughts: a reader has seen them, and nothing takes them back.
    pub(crate) fn is_shown(&self) -> bool {
        matches!(self, Self::Text(_) | Self::Reasoning(_))
    }
}

/// A model's whole reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelReply {
    /// The text, which a refusal is part of.
    pub text: String,
    /// The thoughts of a reasoning model; empty for most.
    pub reasoning: String,
    /// Complete tool calls in the order they were made, each with an id of its own.
    pub tool_calls: Vec<ToolCall>,
    /// The reason why the model stopped.
    pub finish_reason: FinishReason,
    /// The tokens used, if the provider said so.
    pub usage: Option<Usage>,
    /// Fields that the provider wants back unchanged with this message when the conversation goes on, under its
    /// own names.
    pub echo: Map<String, Value>,
}

deserialize!(ModelReply by fields:
    text,
    reasoning or String::new(),
    tool_calls as "toolCalls" or Vec::new(),
    finish_reason as "finishReason",
    usage,
    echo or Map::new(),
);

impl ModelReply {
    /// Returns true if the tool calls are to be run: there are some, and the reply was not cut off.
    ///
    /// The finish reason alone does not tell, because several providers say "stop" with tool calls.
    pub fn calls_tools(&self) -> bool {
        !self.tool_calls.is_empty() && !self.finish_reason.is_cut_off()
    }
}

/// The reason why a model stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FinishReason {
    /// It had said all it had to say.
    #[default]
    Stop,
    /// It reached the limit of tokens.
    Length,
    /// It wants tools to be run.
    ToolCalls,
    /// The provider's content filter stepped in, or the model refused.
    ContentFilter,
    /// It broke down while generating.
    Error,
}

impl FinishReason {
    /// Returns true if the reply ended before the model meant it to.
    pub const fn is_cut_off(self) -> bool {
        matches!(self, Self::Length | Self::ContentFilter | Self::Error)
    }
}

/// Tokens used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written, reasoning included.
    pub output_tokens: u64,
    /// The provider's total, which may be more than the sum.
    pub total_tokens: u64,
    /// The part of the tokens read that came from the provider's cache.
    pub cached_input_tokens: u64,
    /// The part of the tokens written that was spent on reasoning.
    pub reasoning_tokens: u64,
}

impl Usage {
    /// Adds another call's usage to this one.
    pub fn add(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.total_tokens = self.total_tokens.saturating_add(other.total_tokens);
        self.cached_input_tokens = self.cached_input_tokens.saturating_add(other.cached_input_tokens);
        self.reasoning_tokens = self.reasoning_tokens.saturating_add(other.reasoning_tokens);
    }
}
