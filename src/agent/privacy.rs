//! Placeholders for personal data, on the way in and out of an inquiry.
//!
//! Inside a run, all that a person has said has placeholders instead of personal data, so that no prompt can
//! hold any by mistake. The real words come back at four doors only: the answer, the events, the arguments of
//! the page's own tools, and searches that stay in the page.

use std::collections::BTreeMap;

use super::inquiry::Inquiry;
use super::options::Policy;
use super::query::expand;
use super::step::SearchCall;
use ibid_llm::{Message, ToolCall};
use ibid_platform::{json, lazily};
use ibid_trust::guard::pii::{Finder, PiiMode, Redaction, leaks};

// A page fetches the code behind these before a question that needs it.
lazily!(fn hide_said(inquiry: &mut Inquiry) -> () = Inquiry::hide_said);
lazily!(fn hide(inquiry: &mut Inquiry, text: &str) -> String = Inquiry::hide_in);
lazily!(fn topic(inquiry: &Inquiry, text: &str) -> String = Inquiry::topic_of);
lazily!(fn restored(inquiry: &Inquiry, text: &str) -> String = Inquiry::restored_of);
lazily!(fn outgoing(inquiry: &Inquiry, searches: Vec<SearchCall>) -> Vec<SearchCall> = Inquiry::without_names);

impl Inquiry {
    /// Returns whether no word of the person's leaves, so that none is hidden.
    pub(super) fn stays_here(&self) -> bool {
        self.options.policy == Policy::Extractive && self.options.pii.mode == Some(PiiMode::Off)
    }

    fn finder(&self) -> Option<Finder> {
        let on = self.options.pii.mode != Some(PiiMode::Off);
        on.then(|| Finder::new(&self.options.pii).ok()).flatten()
    }

    /// Makes a finder of personal data, if it is to be replaced.
    fn redactor(&self) -> Option<Finder> {
        self.finder().filter(|_| self.options.pii.mode != Some(PiiMode::Flag))
    }

    /// Puts placeholders into all that was said, before now too: a conversation may come from elsewhere. The question
    /// is said with it.
    pub(super) fn hide_all(&mut self) {
        if self.stays_here() {
            self.question = self.guarded.question.clone();
        } else {
            hide_said(self);
        }
        let content = self.question.clone();
        self.query = expand(&self.topic(&content), &self.options.enhance.abbreviations);
        self.conversation.items.push(Message::User { content });
    }

    pub(super) fn hide_said(&mut self) {
        if let Some(finder) = self.redactor() {
            let redaction = &mut self.conversation.redaction;
            for item in &mut self.conversation.items {
                let content = item.text_mut();
                // Text that has placeholders already gets the same ones.
                *content = redaction.redact(&finder, &redaction.restore(content));
            }
        }
        let question = self.guarded.question.clone();
        self.question = self.hide(&question);
        self.guarded.pii = match self.finder() {
            Some(_) if self.redactor().is_some() => self.conversation.redaction.counts(),
            Some(finder) => {
                let mut counts = BTreeMap::new();
                for found in finder.find(&question) {
                    *counts.entry(found.label).or_default() += 1;
                }
                counts
            }
            None => BTreeMap::new(),
        };
    }

    /// Puts placeholders into a text, as the model may see it.
    pub(super) fn hide(&mut self, text: &str) -> String {
        if self.stays_here() { text.to_owned() } else { hide(self, text) }
    }

    pub(super) fn hide_in(&mut self, text: &str) -> String {
        match self.redactor() {
            Some(finder) => self.conversation.redaction.redact(&finder, text),
            None => text.to_owned(),
        }
    }

    /// Puts placeholders into a text without remembering new ones.
    pub(super) fn hidden(&self, text: &str) -> String {
        match self.redactor() {
            Some(finder) => self.conversation.redaction.clone().redact(&finder, text),
            None => text.to_owned(),
        }
    }

    /// Puts a text of the model's in the person's own words again, but for addresses in it.
    pub(super) fn shown(&self, text: &str) -> String {
        self.conversation.redaction.restore_reply(text)
    }

    /// A text of the person's as it is searched for. Who asks is no part of it, unless it is about nothing
    /// else.
    pub(super) fn topic(&self, text: &str) -> String {
        if self.stays_here() { text.to_owned() } else { topic(self, text) }
    }

    pub(super) fn topic_of(&self, text: &str) -> String {
        self.conversation.redaction.topic(text).unwrap_or_else(|| text.to_owned())
    }

    /// Puts the person's own words back into a text.
    pub(super) fn restored(&self, text: &str) -> String {
        if self.stays_here() { text.to_owned() } else { restored(self, text) }
    }

    pub(super) fn restored_of(&self, text: &str) -> String {
        self.conversation.redaction.restore(text)
    }

    /// The query without personal data; placeholders mean nothing to a search.
    pub(super) fn searchable(&self, query: &str) -> String {
        let without = self.conversation.redaction.without(query);
        if without.trim().is_empty() { query.to_owned() } else { without }
    }

    /// Personal data in a text of the model's that neither the person nor a source has said.
    pub(super) fn leaked(&self, text: &str) -> Vec<ibid_trust::guard::pii::Found> {
        let Some(finder) = self.finder() else { return Vec::new() };
        let sources = self.conversation.register.sources().iter().map(|source| source.hit.text.as_str());
        let allowed: Vec<&str> = sources.chain([self.guarded.question.as_str()]).collect();
        leaks(&finder, &self.conversation.redaction, text, &allowed)
    }

    /// Writes the searches as they are made: those that leave the page hold no personal data.
    pub(super) fn outgoing(&self, searches: Vec<SearchCall>) -> Vec<SearchCall> {
        if self.stays_here() { searches } else { outgoing(self, searches) }
    }

    pub(super) fn without_names(&self, mut searches: Vec<SearchCall>) -> Vec<SearchCall> {
        let redaction = &self.conversation.redaction;
        if redaction.is_empty() {
            return searches;
        }
        for SearchCall { collection, query, .. } in &mut searches {
            let collections = &self.options.collections;
            let place = match collection {
                Some(name) => collections.iter().find(|other| other.name == *name),
                None => collections.first(),
            };
            let leaves = place.is_some_and(|collection| collection.remote);
            query.text = if leaves { self.searchable(&query.text) } else { redaction.restore(&query.text) };
        }
        searches
    }

    /// Makes a call of a tool of the host's, which runs in the page and may need the real words.
    pub(super) fn outgoing_call(&self, mut call: ToolCall) -> ToolCall {
        let redaction = &self.conversation.redaction;
        if !redaction.is_empty()
            && let Ok(mut value) = json::parse(&call.arguments)
        {
            redaction.restore_json(&mut value, Redaction::restore);
            call.arguments = value.to_string();
        }
        call
    }
}
