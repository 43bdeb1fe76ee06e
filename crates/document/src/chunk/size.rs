//! The size of a text, in tokens.

/// Characters that count as one token.
const CHARACTERS_PER_TOKEN: usize = 4;

/// Counts the tokens of a text: of all of it, however long it is.
///
/// Only [`size`](Self::size) must be written. The other two let a sizer whose tokens are fractions of something
/// whole say so, which keeps the rounding of many small parts from adding up.
///
/// Chunks are put together from parts that were counted one by one, and counted as a whole in the end, so a sizer may
/// count a text as more or as less than its parts. A single character must count for at most seven tokens, since it
/// cannot be cut any further.
pub trait Sizer {
    /// The number of tokens, rounded up.
    fn size(&self, text: &str) -> usize;

    /// The size in units of which [`units_per_token`](Self::units_per_token) make a token.
    fn units(&self, text: &str) -> usize {
        self.size(text)
    }

    /// The number of units a token has; 1 by default, and never 0.
    fn units_per_token(&self) -> usize {
        1
    }
}

/// Four characters are a token, which for English is near what models count. The default, since it needs no model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Characters;

impl Sizer for Characters {
    fn size(&self, text: &str) -> usize {
        self.units(text).div_ceil(CHARACTERS_PER_TOKEN)
    }

    fn units(&self, text: &str) -> usize {
        // The standard library counts several bytes at once.
        text.chars().count()
    }

    fn units_per_token(&self) -> usize {
        CHARACTERS_PER_TOKEN
    }
}
