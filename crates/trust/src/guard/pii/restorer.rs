//! Placeholders back to what the person wrote, while a text arrives.

use std::collections::BTreeMap;

use super::link::Links;
use super::placeholder::{PlaceholderReading, ends_word, group, read};

/// Puts back what placeholders stand for in a text that arrives in pieces, however it is cut.
///
/// Text that a model has written may lead a reader, or a page that loads an image, to an address that a document has told it: there
/// a placeholder stays what it is, or the person's name would go with it. Only what may yet become a placeholder that is known is held back: at most some fifty characters, and none where
/// nothing was replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restorer {
    /// The words for each placeholder, by its name.
    known: BTreeMap<String, String>,
    /// The text that has been held back.
    held: String,
    /// The last character of what has been read, for the beginning of words.
    previous: Option<char>,
    /// Finds the addresses; nothing if it is the person's own, which comes back whole.
    links: Option<Links>,
}

/// The next step with the beginning of a text.
enum Act {
    /// Let that many bytes through.
    Keep(usize),
    /// Put something in place of that many bytes.
    Replace(usize, String),
    Wait,
}

impl Restorer {
    /// Restores what a model has written.
    pub(super) fn new(known: BTreeMap<String, String>) -> Self {
        Self { known, held: String::new(), previous: None, links: Some(Links::default()) }
    }

    /// Restores what the person has written.
    pub(super) fn whole(known: BTreeMap<String, String>) -> Self {
        Self { links: None, ..Self::new(known) }
    }

    /// Returns the next piece of the text with everything put back, as far as it is certain.
    pub fn push(&mut self, delta: &str) -> String {
        self.advance(delta, false)
    }

    /// Returns the text held back, at the end of the text.
    pub fn finish(mut self) -> String {
        self.advance("", true)
    }

    fn advance(&mut self, delta: &str, complete: bool) -> String {
        if self.known.is_empty() {
            return delta.to_owned();
        }
        let mut text = std::mem::take(&mut self.held);
        text.push_str(delta);
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        while at < text.len() {
            let before = out.len();
            match self.act(&text[at..], complete) {
                Act::Keep(len) => {
                    out.push_str(&text[at..at + len]);
                    at += len;
                }
                Act::Replace(len, value) => {
                    out.push_str(&value);
                    at += len;
                }
                Act::Wait => break,
            }
            if let Some(links) = &mut self.links {
                out[before..].chars().for_each(|c| links.push(c));
            }
            self.previous = text[..at].chars().next_back();
        }
        text.drain(..at);
        self.held = text;
        out
    }

    fn act(&self, rest: &str, complete: bool) -> Act {
        let Some(first) = rest.chars().next() else { return Act::Wait };
        let keep = Act::Keep(first.len_utf8());
        if !matches!(first, '[' | '\\' | 'A'..='Z')
            || self.links.as_ref().is_some_and(|links| links.has(first))
        {
            return keep;
        }
        let bare = !matches!(first, '[' | '\\');
        match read(rest, self.previous.is_none_or(ends_word)) {
            PlaceholderReading::No => keep,
            PlaceholderReading::Is(name, len) => match self.known.get(&name) {
                Some(value) => Act::Replace(len, value.clone()),
                None => keep,
            },
            // What is complete without brackets ends with the text; a `\` behind it is none of its own.
            PlaceholderReading::Begins(name) if complete => match self.known.get(&name) {
                Some(value) if bare && group(&name).is_some() => {
                    Act::Replace(rest.len() - usize::from(rest.ends_with('\\')), value.clone())
                }
                _ => keep,
            },
            PlaceholderReading::Begins(name) => {
                let mut next = self.known.range(name.clone()..);
                if next.next().is_some_and(|(known, _)| known.starts_with(&name)) { Act::Wait } else { keep }
            }
        }
    }
}
