//! Positions in text as JavaScript and other languages of UTF-16 count them.

use std::ops::Range;

/// Counts the UTF-16 units before places in a text, from the place asked for last: places that come in the order of the
/// text, or nearly so, cost one walk through it together.
pub struct Units<'t> {
    text: &'t str,
    /// The place asked for last, in bytes.
    at: usize,
    /// The number of units that stand before it.
    before: usize,
}

impl<'t> Units<'t> {
    /// Begins at the text's start.
    pub fn new(text: &'t str) -> Self {
        Self { text, at: 0, before: 0 }
    }

    /// Counts the units before the byte, which is moved back to where a character begins, and into the text.
    pub(crate) fn at(&mut self, byte: usize) -> usize {
        let byte = self.text.floor_char_boundary(byte);
        let between = |range: Range<usize>| count(self.text.get(range).unwrap_or_default());
        if byte >= self.at {
            self.before += between(self.at..byte);
        } else {
            self.before -= between(byte..self.at);
        }
        self.at = byte;
        self.before
    }

    /// Returns the range of units that a range of bytes is.
    pub fn range(&mut self, range: &Range<usize>) -> Range<usize> {
        let start = self.at(range.start);
        start..self.at(range.end).max(start)
    }
}

fn count(text: &str) -> usize {
    text.encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_any_order() {
        let text = "a\u{e9}\u{1fac1} z\u{6f22}";
        let mut units = Units::new(text);
        for byte in [0, 3, 7, 1, text.len(), 8, 0, 99, 3] {
            let expected = text[..byte.min(text.len())].encode_utf16().count();
            assert_eq!(units.at(byte), expected, "{byte}");
        }
        assert_eq!(units.at(5), 2, "in the middle of a character");
        assert_eq!((units.range(&(3..7)), units.range(&(7..7))), (2..4, 4..4));
    }
}
