//! A text made of another: what is written anew, and where each stretch of it comes from.

use std::ops::Range;

use super::Origin;
use super::encoding::Decoded;

/// The new text as it grows, next to the one that it is made of.
pub(super) struct Rewriter<'a> {
    pub(super) text: String,
    origin: Origin,
    from: &'a Decoded,
}

impl<'a> Rewriter<'a> {
    pub(super) fn new(from: &'a Decoded) -> Self {
        let text = String::with_capacity(from.text.len());
        Self { text, origin: Origin::default(), from }
    }

    /// Adds text that is made of a range of the other.
    pub(super) fn put(&mut self, text: &str, made_of: Range<usize>) {
        if !text.is_empty() {
            let start = self.text.len();
            self.text.push_str(text);
            self.origin.push_through(start..self.text.len(), made_of, &self.from.origin);
        }
    }

    /// Adds a range of the other as it is.
    pub(super) fn keep(&mut self, range: Range<usize>) {
        self.put(&self.from.text[range.clone()], range);
    }

    /// Returns the text, and the origin of each stretch, which still lacks the ends of the file's lines.
    pub(super) fn finish(self) -> (String, Origin) {
        (self.text, self.origin)
    }
}

/// The new text instead of the one that it is made of.
pub(super) fn rewritten((text, origin): (String, Origin), from: Decoded) -> Decoded {
    Decoded { text, origin: origin.with_lines_of(from.origin), warnings: from.warnings }
}
