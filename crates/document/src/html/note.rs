//! The marks of notes in a text, which are no part of it.

use super::super::writer::Mark;
use super::element::HtmlElement;
use super::reader::HtmlReader;
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

impl HtmlReader<'_> {
    /// Begins superscript.
    pub(super) fn raise(&mut self, tag: &Tag) {
        self.raised = Some(OpenLink::new(self.writer.mark(), false, tag));
        if let Some(link) = &mut self.link {
            let before = self.writer.since(&link.start);
            link.is_note |= !before.contains(char::is_alphanumeric);
        }
        self.writer.superscript(true);
    }

    /// Begins a link.
    pub(super) fn open_link(&mut self, tag: &Tag) {
        // In a heading, such a link may name the page too.
        let href = tag.get("href").unwrap_or_default();
        let leads_here = href.starts_with('#') || (self.writer.in_heading() && href.contains('#'));
        if let Some(raised) = &mut self.raised {
            raised.is_note |= !href.is_empty();
        }
        self.link = Some(OpenLink::new(self.writer.mark(), leads_here, tag));
    }

    /// Takes back what a link or superscript says, if it is a mark.
    pub(super) fn leave_out_mark(&mut self, open: Option<OpenLink>) {
        let Some(open) = open else { return };
        let text = self.writer.since(&open.start);
        let names_here = self.writer.in_heading() && !text.contains(char::is_alphanumeric);
        let is_named =
            matches!(self.innermost(), HtmlElement::Heading(_) | HtmlElement::Signature | HtmlElement::Term);
        // Such as `[source]`.
        let is_bracketed = is_named && text.starts_with('[') && text.ends_with(']') && !text.contains(' ');
        if is_bracketed || open.is_mark(text) {
            self.writer.take_back(&open.start);
        }
        if let Some(own) = open.fragment.filter(|own| names_here && self.ids.contains(own)) {
            self.writer.set_heading_anchor(own);
        }
    }
}
