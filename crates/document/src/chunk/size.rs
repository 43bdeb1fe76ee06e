//! The size of a text, in tokens.

/// Characters that count as one token, which for English is near what models count.
pub(super) const CHARACTERS_PER_TOKEN: usize = 4;

/// Returns the number of tokens of a text, rounded up: four characters are one, since that needs no model.
pub fn size(text: &str) -> usize {
    units_of(text).div_ceil(CHARACTERS_PER_TOKEN)
}

/// Computes the size in characters, which keeps the rounding of many small parts from adding up.
pub(super) fn units_of(text: &str) -> usize {
    // The standard library counts several bytes at once.
    text.chars().count()
}
