//! A word of a text, with all that is known of it.

use std::ops::Range;

/// A word, or a quantity in its place.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about a word on its own")]
pub(super) struct ReadWord {
    pub(super) term: u32,
    /// The first token that it is made of.
    pub(super) token: usize,
    pub(super) span: Range<usize>,
    /// The word that denies it, as a place among the tokens.
    pub(super) denied: Option<usize>,
    /// The number of its clause, and whether it stands in a condition or a relative clause there.
    pub(super) clause: u32,
    pub(super) subordinate: bool,
    /// It stands between backticks.
    pub(super) code: bool,
    /// It says that something is done, or that it may be: "give", "suitable".
    pub(super) acts: bool,
    /// It stands behind "is", "should" or "not", as verbs do.
    pub(super) led: bool,
}

impl ReadWord {
    pub(super) fn new(term: u32, token: usize, span: Range<usize>) -> Self {
        Self { term, token, span, ..Self::default() }
    }
}
