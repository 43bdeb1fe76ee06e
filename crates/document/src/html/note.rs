//! The marks of notes in a text, which are no part of it.

use super::super::writer::Mark;
use crate::tags::Tag;

/// A link, or superscript, which may be the mark of a note.
pub(super) struct OpenLink {
    pub(super) start: Mark,
    /// It leads to this page itself.
    leads_here: bool,
    /// It says that it is the mark of a note, or is a link in superscript.
    pub(super) is_note: bool,
    /// The place on this page that it leads to.
    pub(super) fragment: Option<String>,
}

impl OpenLink {
    pub(super) fn new(start: Mark, leads_here: bool, tag: &Tag) -> Self {
        let is_note = tag.get("role") == Some("doc-noteref")
            || tag.has_class(|class| class.contains("footnote") || class.contains("noteref"));
        let fragment = tag.get("href").and_then(|href| href.strip_prefix('#')).map(str::to_owned);
        Self { start, leads_here, is_note, fragment }
    }

    /// Returns true if its text is the mark of a note, or leads only to the place itself: `#`, `¶`.
    pub(super) fn is_mark(&self, text: &str) -> bool {
        let is_sign = self.leads_here && !text.contains(char::is_alphanumeric);
        // `word[1]`, and `word1` where the page raises it by its style: in Chinese, a number there is a word of its own.
        let is_glued = if text.starts_with('[') {
            self.start.before.is_some_and(|c| c != '[' && c != '(')
        } else {
            self.start.before.is_some_and(char::is_lowercase)
        };
        is_sign || (names_note(text) && (self.is_note || (self.leads_here && is_glued)))
    }
}

/// Returns true for what notes are called by: numbers, single letters, signs, and small Roman numbers.
fn names_note(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_mark = |word: &str| {
        let is_number = word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_digit());
        is_number || word.chars().count() == 1 || word.bytes().all(|byte| b"ivx".contains(&byte))
    };
    words.all(is_mark)
}
