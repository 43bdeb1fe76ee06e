//! What stands between a question and everything else: the guard's verdict, and placeholders for personal data.
//!
//! Inside a run, all that a person has said has placeholders in the place of personal data, so that no prompt can hold any
//! by mistake. The real words come back at four doors only: the answer, the events, the arguments of the page's own tools,
//! and searches that stay in the page.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{Answer, AnswerMode};
use super::event::AskEvent;
use super::memory::{Body, Item};
use super::options::AgentOptions;
use super::prompt::Preset;
use super::run::AgentRun;
use super::step::SearchCall;
use ibid_llm::ToolCall;
use ibid_platform::Result;
use ibid_platform::json;
use ibid_trust::cite::{Source, tree};
use ibid_trust::guard::injection::visible;
use ibid_trust::guard::pii::{Finder, PiiMode, Redaction, Restorer};
use ibid_trust::guard::{Emergency, EmergencyMode, Intent, Notice, Verdict, inspect};

/// What the guard made of a question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Guarded {
    /// The question as it was used, without what nobody can see.
    pub question: String,
    /// Its language, as a primary tag of BCP 47 such as `en`, where it can be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// What it asks for.
    pub intent: Intent,
    /// What is odd about it, with byte ranges in the question.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
    /// The emergency that it tells of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emergency: Option<Emergency>,
    /// How many different pieces of personal data were found in what the person has said, by kind.
    pub pii: BTreeMap<String, usize>,
}

/// The confidence below which an answer from clinical sources gives way to the passages, unless the options say otherwise.
/// Of the development claims with less, one in fourteen was fully supported (docs/verification.md).
const CLINICAL_ABSTAIN_BELOW: f32 = 0.3;

/// The options with what the preset decides, where they do not.
pub(super) fn resolve(options: AgentOptions) -> AgentOptions {
    let clinical = options.prompts.preset == Preset::Clinical;
    let mut options = options;
    let emergency = if clinical { EmergencyMode::Answer } else { EmergencyMode::Off };
    options.guard.emergency.get_or_insert(emergency);
    options.pii = options.pii.resolve(clinical);
    options.abstain_below = options.abstain_below.or(clinical.then_some(CLINICAL_ABSTAIN_BELOW));
    options
}

/// The question as the guard sees it.
pub(super) fn guard(question: &str, options: &AgentOptions) -> Result<Guarded> {
    // An option that cannot be read is a mistake to be told now.
    Finder::new(&options.pii)?;
    inspect(question, &options.guard).map(Guarded::from)
}

impl From<Verdict> for Guarded {
    fn from(verdict: Verdict) -> Self {
        let Verdict { question, language, intent, notices, emergency, .. } = verdict;
        Self { question, language, intent, notices, emergency, pii: BTreeMap::new() }
    }
}

impl AgentRun {
    fn finder(&self) -> Option<Finder> {
        let on = self.options.pii.mode != Some(PiiMode::Off);
        on.then(|| Finder::new(&self.options.pii).ok()).flatten()
    }

    /// A finder of personal data, where it is to be replaced.
    fn redactor(&self) -> Option<Finder> {
        self.finder().filter(|_| self.options.pii.mode != Some(PiiMode::Flag))
    }

    /// Puts placeholders into what was said, before now too: a conversation may come from elsewhere.
    pub(super) fn hide_what_was_said(&mut self) {
        if let Some(finder) = self.redactor() {
            let redaction = &mut self.conversation.redaction;
            for item in &mut self.conversation.items {
                match item {
                    Item::User { content }
                    | Item::Assistant { content, .. }
                    | Item::Result { body: Body::Text { content, .. }, .. } => {
                        // What has placeholders already gets the same ones.
                        *content = redaction.redact(&finder, &redaction.restore(content));
                    }
                    Item::Result { body: Body::Sources(_), .. } => {}
                }
            }
        }
        let question = self.guarded.question.clone();
        self.question = self.hide(&question);
        self.guarded.pii = match self.finder() {
            Some(_) if self.redactor().is_some() => self.conversation.redaction.counts(),
            Some(finder) => count(finder.find(&question).into_iter().map(|found| found.label)),
            None => BTreeMap::new(),
        };
        self.tell(AskEvent::Guard { guard: self.guarded.clone() });
    }

    /// A text without placeholders with them, as the model may see it.
    pub(super) fn hide(&mut self, text: &str) -> String {
        match self.redactor() {
            Some(finder) => self.conversation.redaction.redact(&finder, text),
            None => text.to_owned(),
        }
    }

    /// The same, without remembering what is new in it.
    pub(super) fn hidden(&self, text: &str) -> String {
        match self.redactor() {
            Some(finder) => self.conversation.redaction.clone().redact(&finder, text),
            None => text.to_owned(),
        }
    }

    /// Puts what the person has said, or what is to be searched for, in the person's own words again.
    pub(super) fn said(&self, text: &str) -> String {
        self.conversation.redaction.restore(text)
    }

    /// Puts what a model has written in the person's own words again, but for addresses in it.
    pub(super) fn shown(&self, text: &str) -> String {
        self.conversation.redaction.restore_reply(text)
    }

    /// The same for a value.
    pub(super) fn shown_json(&self, mut value: Value) -> Value {
        self.conversation.redaction.restore_json(&mut value, Redaction::restore_reply);
        value
    }

    /// Gives back the person's own words in a text that comes in pieces; nothing where there is nothing to give back.
    pub(super) fn restorer(&self) -> Option<Restorer> {
        let redaction = &self.conversation.redaction;
        (!redaction.is_empty()).then(|| redaction.restorer())
    }

    /// Personal data in a text of the model's that neither the person nor a source has said.
    pub(super) fn leaked(&self, text: &str) -> Vec<ibid_trust::guard::pii::Found> {
        let Some(finder) = self.finder() else { return Vec::new() };
        let allowed: Vec<&str> = self
            .conversation
            .register
            .sources()
            .iter()
            .map(|source| source.hit.text.as_str())
            .chain([self.guarded.question.as_str()])
            .collect();
        ibid_trust::guard::pii::leaks(&finder, &self.conversation.redaction, text, &allowed)
    }

    /// The searches as they are made: those that leave the page hold no personal data.
    pub(super) fn outgoing(&self, mut searches: Vec<SearchCall>) -> Vec<SearchCall> {
        let redaction = &self.conversation.redaction;
        if redaction.is_empty() {
            return searches;
        }
        for search in &mut searches {
            let text = &mut search.query.text;
            *text = if self.leaves(search.collection.as_deref()) {
                self.searchable(text)
            } else {
                redaction.restore(text)
            };
        }
        searches
    }

    /// A text of the person's as it is searched for. Who asks is no part of it, unless it is about nothing else.
    pub(super) fn topic(&self, text: &str) -> String {
        self.conversation.redaction.topic(text).unwrap_or_else(|| text.to_owned())
    }

    /// The query without personal data; placeholders mean nothing to a search.
    pub(super) fn searchable(&self, query: &str) -> String {
        let without = self.conversation.redaction.without(query);
        if without.trim().is_empty() { query.to_owned() } else { without }
    }

    /// Whether a search in that collection leaves the page.
    fn leaves(&self, collection: Option<&str>) -> bool {
        let mut collections = self.options.collections.iter();
        let found = match collection {
            Some(name) => collections.find(|other| other.name == name),
            None => collections.next(),
        };
        found.is_some_and(|collection| collection.remote)
    }

    /// A call of a tool of the host's, which runs in the page and may need the real words.
    pub(super) fn outgoing_call(&self, mut call: ToolCall) -> ToolCall {
        if !self.conversation.redaction.is_empty()
            && let Ok(mut value) = json::parse(&call.arguments)
        {
            self.conversation.redaction.restore_json(&mut value, Redaction::restore);
            call.arguments = value.to_string();
        }
        call
    }

    /// Ends the run with advice instead of an answer, where the question tells of an emergency and that is what is wanted.
    pub(super) fn answer_emergency(&mut self) -> bool {
        let wanted = self.options.guard.emergency == Some(EmergencyMode::Answer);
        let Some(emergency) = self.guarded.emergency.as_ref().filter(|_| wanted) else { return false };
        let text = emergency.message.clone();
        self.done(Answer { tree: tree(&text, &[], &[]), text, mode: AnswerMode::Guard, ..Answer::default() });
        true
    }
}

fn count(labels: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for label in labels {
        *counts.entry(label).or_default() += 1;
    }
    counts
}

/// The source without characters that nobody sees, as the model reads it.
pub(super) fn legible(source: &Source) -> Source {
    let clean = |text: &str| visible(text).into_owned();
    let mut source = source.clone();
    source.hit.text = clean(&source.hit.text);
    source.hit.title = clean(&source.hit.title);
    source.hit.heading_path.iter_mut().for_each(|heading| *heading = clean(heading));
    source
}
