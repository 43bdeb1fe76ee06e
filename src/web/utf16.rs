//! Byte ranges of text as JavaScript's strings are indexed, by UTF-16 units.

use crate::platform::Units;
use crate::retrieve::Hit;

/// The same value with every byte range of a text turned into a range of UTF-16 units of that text.
pub(super) trait Utf16 {
    #[must_use]
    fn utf16(self) -> Self;
}

impl<T: Utf16> Utf16 for Vec<T> {
    fn utf16(self) -> Self {
        self.into_iter().map(Utf16::utf16).collect()
    }
}

impl Utf16 for Hit {
    fn utf16(mut self) -> Self {
        let mut units = Units::new(&self.text);
        for range in &mut self.highlights {
            *range = units.range(range);
        }
        self.best_sentence = self.best_sentence.map(|range| units.range(&range));
        self
    }
}
