//! Telling what a model thinks from what it says, where the server has not.
//!
//! Models write their thoughts between `<think>` and `</think>`, which the server takes out of the content for those that it
//! knows to do so. With others the tags arrive in the content. And some models think although they were told not to:
//! then the opening tag is missing, because it belongs to the prompt, and all that is left of the tags is `</think>` on a
//! line of its own.
//!
//! Thoughts after an opening tag are told apart as they come. Those that only a closing tag gives away have been
//! shown as text by then, and what was shown cannot be taken back. The reply that is kept has them as its reasoning all the same,
//! and only what comes after them as its text, so that neither a form nor citations are looked for in them. Of a reply
//! that was not streamed nothing has been shown, and all of it is told apart.

use crate::llm::decode::Draft;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// The longest white space before the first word that waits for a tag.
const MAX_HELD_BYTES: usize = 64;

/// Where in the content the stream is.
#[derive(Default, PartialEq)]
enum Place {
    /// Before its first word.
    #[default]
    Start,
    /// After an opening tag.
    Thoughts,
    /// In the text, which a closing tag may yet turn out to have been thoughts.
    Doubtful,
    /// Between the thoughts and the text's first word.
    Between,
    /// In the text, with no doubt.
    Text,
}

/// The content as far as it has arrived.
#[derive(Default)]
pub(super) struct Thoughts {
    place: Place,
    /// What may be the beginning of a tag, and waits for its rest.
    held: String,
    /// Whether the text so far ends within a line.
    within_line: bool,
}

impl Thoughts {
    /// Notes that the server tells thoughts apart itself, so that tags in the content are text.
    pub(super) fn are_apart(&mut self) {
        if self.place == Place::Start {
            self.place = Place::Text;
        }
    }

    /// More of the content.
    pub(super) fn content(&mut self, piece: &str, draft: &mut Draft) {
        let mut joined = std::mem::take(&mut self.held);
        joined.push_str(piece);
        let mut rest = joined.as_str();
        while !rest.is_empty() {
            rest = self.step(rest, draft);
        }
    }

    /// What waited for more, when no more comes.
    pub(super) fn finish(&mut self, draft: &mut Draft) {
        let held = std::mem::take(&mut self.held);
        match self.place {
            Place::Thoughts => draft.reasoning(&held),
            _ => draft.text(&held),
        }
    }

    /// Takes in as much as belongs to one place, and returns the rest. Nothing is left when more has to come first.
    fn step<'c>(&mut self, content: &'c str, draft: &mut Draft) -> &'c str {
        match self.place {
            Place::Start => {
                let trimmed = content.trim_start();
                if let Some(rest) = trimmed.strip_prefix(OPEN) {
                    self.place = Place::Thoughts;
                    return rest;
                }
                if OPEN.starts_with(trimmed) && content.len() < MAX_HELD_BYTES {
                    content.clone_into(&mut self.held);
                    return "";
                }
                self.place = Place::Doubtful;
                content
            }
            Place::Thoughts => {
                if let Some((thoughts, rest)) = content.split_once(CLOSE) {
                    draft.reasoning(thoughts);
                    self.place = Place::Between;
                    return rest;
                }
                let (thoughts, held) = content.split_at(content.len() - tag_begun(content));
                draft.reasoning(thoughts);
                held.clone_into(&mut self.held);
                ""
            }
            Place::Doubtful => self.doubtful(content, draft),
            Place::Between => {
                let text = content.trim_start();
                if !text.is_empty() {
                    self.place = Place::Text;
                }
                text
            }
            Place::Text => {
                draft.text(content);
                ""
            }
        }
    }

    fn doubtful<'c>(&mut self, content: &'c str, draft: &mut Draft) -> &'c str {
        if let Some(at) = self.closing_line(content) {
            let (thoughts, rest) = content.split_at(at);
            let shown = draft.take_text();
            draft.reply.reasoning.push_str(&shown);
            draft.reasoning(thoughts);
            self.place = Place::Between;
            return rest.strip_prefix(CLOSE).unwrap_or(rest);
        }
        let line = content.rfind('\n').map_or(0, |at| at + 1);
        let begins_line = line > 0 || !self.within_line;
        let last = content.get(line..).unwrap_or_default();
        let held = if begins_line && CLOSE.starts_with(last) { last.len() } else { 0 };
        let (text, held) = content.split_at(content.len() - held);
        if !text.is_empty() {
            self.within_line = !text.ends_with('\n');
        }
        draft.text(text);
        held.clone_into(&mut self.held);
        ""
    }

    /// Where a line begins with a closing tag. Within a line it may be what the text is about.
    fn closing_line(&self, content: &str) -> Option<usize> {
        let begins_line = |at: &usize| {
            let before = content.get(..*at).unwrap_or_default();
            before.ends_with('\n') || (before.is_empty() && !self.within_line)
        };
        content.match_indices(CLOSE).map(|(at, _)| at).find(begins_line)
    }
}

/// How many bytes at the end may be the beginning of a closing tag.
fn tag_begun(content: &str) -> usize {
    (1..CLOSE.len()).rev().find(|length| content.ends_with(&CLOSE[..*length])).unwrap_or_default()
}
