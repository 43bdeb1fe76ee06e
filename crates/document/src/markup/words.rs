//! Markup that stands directly behind a word: marks of notes, and tags between which another word begins.

use std::collections::HashSet;

use super::component;
use super::tag::MarkupTag;
use crate::writer::are_apart;

/// Tags that stand directly one behind the other.
#[derive(Default)]
pub(super) struct TagRun {
    start: usize,
    end: usize,
    /// An element has ended among them, and one that is no part of a word.
    has_end: bool,
    has_ended_whole: bool,
}

impl TagRun {
    /// Says whether a tag begins an element directly behind another, where both are wholes: code, links, components.
    pub(super) fn divides_words(&mut self, text: &str, tag: &MarkupTag<'_>) -> bool {
        if self.end != tag.range.start {
            *self = Self { start: tag.range.start, ..Self::default() };
        }
        self.end = tag.range.end;
        let is_whole = !component::is_formatting(tag);
        if tag.is_end {
            self.has_end = true;
            self.has_ended_whole |= is_whole;
            return false;
        }
        let (before, behind) = (&text[..self.start], &text[self.end..]);
        // Tags may stand around a link or code of markdown.
        let are_links = before.ends_with(['`', ')', ']']) && behind.starts_with(['`', '[']);
        let around = before.chars().next_back().zip(behind.chars().next());
        let are_words = around.is_some_and(|(last, first)| are_apart(last, first));
        self.has_end && (are_links || (are_words && is_whole && self.has_ended_whole))
    }
}

/// Finds the names of the notes that a text has: `[^1]: The text.`
pub(super) fn notes(text: &str) -> HashSet<&str> {
    let opens = memchr::memmem::find_iter(text.as_bytes(), "[^");
    let named = opens.filter_map(|at| {
        let before = text[..at].trim_end_matches(' ');
        let begins_line = at - before.len() < 4 && (before.is_empty() || before.ends_with('\n'));
        note_name(&text[at..]).filter(|name| begins_line && text[at + name.len() + 3..].starts_with(':'))
    });
    named.collect()
}

/// Reads the name in the mark of a note that a text begins with.
pub(super) fn note_name(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("[^")?;
    let length = rest.find(|c: char| c == ']' || c == '[' || c.is_whitespace())?;
    (length > 0 && rest[length..].starts_with(']')).then(|| &rest[..length])
}
