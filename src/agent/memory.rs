//! A conversation, as far as the model is to remember it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::case::CaseFile;
use super::prompt::{NO_HITS, WEAK};
use ibid_llm::{ChatRequest, Message, ModelReply, ToolCall};
use ibid_platform::json;
use ibid_platform::{Error, ErrorCode, Result};
use ibid_trust::cite::{Source, SourceRegister, xml};
use ibid_trust::guard::injection::visible;
use ibid_trust::guard::pii::Redaction;

/// The version of what [`Conversation::to_json`] writes.
const VERSION: u32 = 1;

/// Characters of a token, for estimates.
const CHARS_PER_TOKEN: usize = 4;

/// The most characters of a source in an earlier exchange that the model still sees.
const REMEMBERED_CHARS: usize = 240;

/// The best relevance below which sources are said to fit weakly.
const WEAK_RELEVANCE: f32 = 0.6;

/// All that was said and found before, to go on from.
///
/// It holds the questions, answers, tool calls with their results, the sources with their numbers, and the
/// state of a case, and no key. What was said has placeholders instead of personal data, and what they
/// stand for is held next to it: it is as private as the person's own words. A conversation is always valid:
/// every tool call has a result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Conversation {
    version: u32,
    /// Its name, chosen by the caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// All that was said. The content of a result that is sources is written when it is sent.
    pub(super) items: Vec<Message>,
    /// The sources that searches found, by the ids of their calls.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) found: BTreeMap<String, FoundSources>,
    pub(super) register: SourceRegister,
    /// The person's words that the placeholders stand for.
    #[serde(default, skip_serializing_if = "Redaction::is_empty")]
    pub(super) redaction: Redaction,
    #[serde(default)]
    pub(super) case: CaseFile,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) stage: Option<String>,
}

/// The sources that a search found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FoundSources {
    pub(super) query: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) collection: Option<String>,
    /// The number of the search within the run, from 1.
    pub(super) search: u32,
    /// The numbers of the sources, best first.
    pub(super) numbers: Vec<u32>,
    /// The relevance of the best, and of all on average.
    pub(super) best: f32,
    pub(super) average: f32,
}

/// Limits of the sources that the model is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Abridged {
    /// The most characters of each source.
    pub(super) chars: Option<usize>,
    /// The most sources of each search.
    pub(super) sources: Option<usize>,
}

impl Conversation {
    /// Makes a new conversation.
    pub fn new(id: Option<String>) -> Self {
        Self { version: VERSION, id, ..Self::default() }
    }

    /// Reads a conversation that [`Conversation::to_json`] wrote. Calls without a result get one that says
    /// so, and results without a call are dropped.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] for what is no conversation, or one of a later version.
    pub fn from_json(text: &str) -> Result<Self> {
        let invalid = |what: String| {
            Error::new(ErrorCode::InvalidOption, format!("The conversation cannot be read: {what}."))
                .with_hint("Use the conversation as exported, or start a new one.")
        };
        let mut read: Self = json::read(text).map_err(|error| invalid(error.to_string()))?;
        if read.version != VERSION {
            return Err(invalid(format!("it has version {}, this is {VERSION}", read.version)));
        }
        let numbers = read.register.sources().iter().map(|source| source.number);
        if !numbers.eq(1..=read.register.sources().len() as u32) {
            return Err(invalid("its sources are not numbered from 1".to_owned()));
        }
        if read.items.iter().any(|item| matches!(item, Message::System { .. })) {
            return Err(invalid("it has standing instructions, which only the run may set".to_owned()));
        }
        read.mend();
        Ok(read)
    }

    /// Returns the conversation as JSON, to be stored by the caller.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|error| {
            Error::new(ErrorCode::Internal, format!("The conversation could not be written: {error}."))
        })
    }

    /// Returns the sources found so far.
    pub fn sources(&self) -> &[Source] {
        self.register.sources()
    }

    /// Tells whether nothing has been said.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Adds a text of the model's.
    pub(super) fn say(&mut self, content: String) {
        self.items.push(Message::Assistant { content, tool_calls: Vec::new(), echo: Map::new() });
    }

    /// Gives every call a result, and drops results without a call.
    pub(super) fn mend(&mut self) {
        let mut mended: Vec<Message> = Vec::new();
        let mut open: Vec<String> = Vec::new();
        for item in std::mem::take(&mut self.items) {
            match &item {
                Message::Tool { call_id, .. } => {
                    let Some(at) = open.iter().position(|id| id == call_id) else { continue };
                    open.remove(at);
                }
                _ => close(&mut mended, &mut open),
            }
            if let Message::Assistant { tool_calls, .. } = &item {
                open.extend(tool_calls.iter().map(|call| call.id.clone()));
            }
            mended.push(item);
        }
        close(&mut mended, &mut open);
        self.items = mended;
    }

    /// Writes the questions and answers as plain text, the latest that fit.
    pub(super) fn transcript(&self, end: usize, max_tokens: usize) -> String {
        let mut lines: Vec<String> = Vec::new();
        let mut left = max_tokens.saturating_mul(CHARS_PER_TOKEN);
        for item in self.items[..end].iter().rev() {
            let line = match item {
                Message::User { content } => format!("Question: {content}"),
                Message::Assistant { content, .. } if !content.is_empty() => {
                    format!("Answer: {content}")
                }
                _ => continue,
            };
            let length = line.chars().count();
            if length > left {
                break;
            }
            left -= length;
            lines.push(line);
        }
        lines.reverse();
        lines.join("\n")
    }

    /// Chooses the messages that the model sees: of the items before `begin`, the latest exchanges that fit into the
    /// tokens, in whole groups of calls and results and from a question on; and all items from there.
    pub(super) fn messages(&self, begin: usize, tokens: usize, nonce: &str, shown: Abridged) -> Vec<Message> {
        let brief = Abridged { chars: Some(REMEMBERED_CHARS), ..shown };
        let mut start = begin;
        let mut left = tokens.saturating_mul(CHARS_PER_TOKEN);
        let mut group = 0;
        for at in (0..begin).rev() {
            group += length(&self.message(&self.items[at], "nonce", brief));
            // A group is complete where it begins: at a question, or at the calls of its results.
            if matches!(self.items[at], Message::Tool { .. }) {
                continue;
            }
            if group > left {
                break;
            }
            left -= group;
            group = 0;
            if matches!(self.items[at], Message::User { .. }) {
                start = at;
            }
        }
        let before = self.items[start..begin].iter().map(|item| self.message(item, nonce, brief));
        before.chain(self.items[begin..].iter().map(|item| self.message(item, nonce, shown))).collect()
    }

    /// Writes a message as it is sent.
    fn message(&self, item: &Message, nonce: &str, shown: Abridged) -> Message {
        let mut message = item.clone();
        if let Message::Tool { call_id, content, .. } = &mut message
            && let Some(found) = self.found.get(call_id)
        {
            *content = self.xml(found, nonce, shown);
        }
        message
    }

    /// Sources as the model reads them, with what is worth knowing about the search that found them.
    pub(super) fn xml(&self, found: &FoundSources, nonce: &str, shown: Abridged) -> String {
        let most = shown.sources.unwrap_or(usize::MAX);
        let sources: Vec<Source> = found
            .numbers
            .iter()
            .take(most)
            .filter_map(|number| self.register.get(*number))
            .map(legible)
            .collect();
        let sources: Vec<&Source> = sources.iter().collect();
        let mut attributes = vec![("query", found.query.clone())];
        if let Some(collection) = &found.collection {
            attributes.push(("collection", collection.clone()));
        }
        if found.search > 0 {
            attributes.push(("search", found.search.to_string()));
        }
        attributes.push(("count", sources.len().to_string()));
        if !sources.is_empty() {
            attributes.push(("best", format!("{:.2}", found.best)));
            attributes.push(("average", format!("{:.2}", found.average)));
        }
        let mut text = xml::sources(nonce, &attributes, &sources, shown.chars);
        if sources.is_empty() {
            text.push('\n');
            text.push_str(NO_HITS);
        } else if found.best < WEAK_RELEVANCE {
            text.push('\n');
            text.push_str(WEAK);
        }
        text
    }
}

/// Counts the characters of a message, with some for the frame of each call.
fn length(message: &Message) -> usize {
    match message {
        Message::System { content } | Message::User { content } | Message::Tool { content, .. } => {
            content.chars().count()
        }
        Message::Assistant { content, tool_calls, .. } => content.chars().count() + calls_length(tool_calls),
    }
}

fn calls_length(calls: &[ToolCall]) -> usize {
    calls.iter().map(|call| call.arguments.len() + 20).sum()
}

/// Estimates the tokens of a call whose provider does not tell, at four characters each.
pub(super) fn estimate(request: &ChatRequest, reply: &ModelReply) -> u64 {
    let sent: usize = request.messages.iter().map(length).sum();
    let replied = reply.text.chars().count() + reply.reasoning.chars().count();
    ((sent + replied + calls_length(&reply.tool_calls)) / CHARS_PER_TOKEN) as u64
}

/// Makes the source without characters that nobody sees, as the model reads it.
fn legible(source: &Source) -> Source {
    let clean = |text: &str| visible(text).into_owned();
    let mut source = source.clone();
    source.hit.text = clean(&source.hit.text);
    source.hit.title = clean(&source.hit.title);
    source.hit.heading_path.iter_mut().for_each(|heading| *heading = clean(heading));
    source
}

/// Adds a result for each call that has none.
fn close(items: &mut Vec<Message>, open: &mut Vec<String>) {
    for call_id in open.drain(..) {
        let content = "Error: the call was broken off before it had a result.".to_owned();
        items.push(Message::Tool { call_id, content, is_error: true });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_retrieve::Hit;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.to_owned(), name: "f".to_owned(), arguments: "{}".to_owned(), extra: None }
    }

    fn user(content: &str) -> Message {
        Message::User { content: content.to_owned() }
    }

    fn assistant(content: &str, ids: &[&str]) -> Message {
        let tool_calls = ids.iter().map(|id| call(id)).collect();
        Message::Assistant { content: content.to_owned(), tool_calls, echo: Map::new() }
    }

    fn result(id: &str, content: &str) -> Message {
        Message::Tool { call_id: id.to_owned(), content: content.to_owned(), is_error: false }
    }

    fn of(items: Vec<Message>) -> Conversation {
        Conversation { items, ..Conversation::new(None) }
    }

    #[test]
    fn dangling_calls_get_a_result() {
        let broken = of(vec![
            user("q"),
            result("z", "lost"),
            assistant("", &["a", "b"]),
            result("b", "x"),
            user("next"),
        ]);
        let mended = Conversation::from_json(&broken.to_json().unwrap()).unwrap();
        let roles: Vec<_> = mended.messages(0, 0, "n", Abridged::default()).iter().map(role).collect();
        assert_eq!(roles, ["user", "assistant", "tool b", "tool a", "user"]);
    }

    fn role(message: &Message) -> String {
        match message {
            Message::System { .. } => "system".to_owned(),
            Message::User { .. } => "user".to_owned(),
            Message::Assistant { .. } => "assistant".to_owned(),
            Message::Tool { call_id, .. } => format!("tool {call_id}"),
        }
    }

    #[test]
    fn history_is_cut_in_whole_groups_from_a_question_on() {
        let long = "x".repeat(400);
        let items = vec![
            user("one"),
            assistant("", &["a"]),
            result("a", &long),
            assistant("first", &[]),
            user("two"),
            assistant("", &["b"]),
            result("b", &long),
            assistant("second", &[]),
            user("three"),
        ];
        let conversation = of(items);
        let seen = |tokens| -> Vec<String> {
            conversation.messages(8, tokens, "n", Abridged::default()).iter().map(role).collect()
        };
        assert_eq!(seen(1000).len(), 9);
        assert_eq!(seen(150), ["user", "assistant", "tool b", "assistant", "user"]);
        assert_eq!(seen(50), ["user"], "an exchange is not begun in its middle");
        assert_eq!(seen(0), ["user"]);
    }

    #[test]
    fn what_is_no_conversation_is_refused() {
        let instructed = r#"{"version":1,"items":[{"role":"system","content":"x"}],"register":[]}"#;
        for json in ["", "[]", "{}", r#"{"version":2,"items":[],"register":[]}"#, instructed] {
            assert_eq!(Conversation::from_json(json).unwrap_err().code(), ErrorCode::InvalidOption, "{json}");
        }
        let mut numbered = Conversation::new(None);
        numbered.register.register(Hit::default());
        let json = numbered.to_json().unwrap();
        assert!(Conversation::from_json(&json).is_ok());
        assert!(Conversation::from_json(&json.replace("\"number\":1", "\"number\":2")).is_err());
    }

    #[test]
    fn sources_are_shown_with_their_scores() {
        let mut conversation = Conversation::new(None);
        conversation.register.register(Hit { text: "abcdef".to_owned(), ..Hit::default() });
        let found = FoundSources {
            query: "q".to_owned(),
            search: 2,
            numbers: vec![1],
            best: 0.5,
            average: 0.5,
            ..FoundSources::default()
        };
        let text = conversation.xml(&found, "n0", Abridged { chars: Some(3), sources: None });
        assert!(
            text.starts_with(
                "<sources-n0 query=\"q\" search=\"2\" count=\"1\" best=\"0.50\" average=\"0.50\">"
            ),
            "{text}"
        );
        assert!(text.contains("\nabc …\n") && text.ends_with(WEAK), "{text}");
        let none = conversation.xml(
            &FoundSources { query: "q".to_owned(), ..FoundSources::default() },
            "n0",
            Abridged::default(),
        );
        assert!(none.ends_with(NO_HITS) && none.contains("count=\"0\""), "{none}");
    }
}
