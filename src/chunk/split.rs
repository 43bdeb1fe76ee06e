//! Splitting a block that is larger than a chunk may be.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// Consecutive ranges of a block, none longer than the budget, cut at the best place there is: behind the last
/// line end that fits, else behind the last white space, else behind the last grapheme.
pub(super) struct Pieces<'a> {
    text: &'a str,
    rest: Range<usize>,
    characters: usize,
}

impl<'a> Pieces<'a> {
    pub(super) fn new(text: &'a str, block: Range<usize>, characters: usize) -> Self {
        Self { text, rest: block, characters }
    }
}

impl Iterator for Pieces<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let rest = &self.text[self.rest.clone()];
        let rest_start = self.rest.start + (rest.len() - rest.trim_start().len());
        self.rest.start = rest_start;
        let rest = &self.text[self.rest.clone()];
        if rest.is_empty() {
            return None;
        }
        let window = match rest.char_indices().nth(self.characters) {
            Some((end, _)) => &rest[..end],
            None => rest,
        };
        let cut = if window.len() == rest.len() { rest.len() } else { best_cut(rest, window) };
        self.rest.start += cut;
        let piece = &rest[..cut];
        Some(rest_start..rest_start + piece.trim_end().len())
    }
}

/// Where to cut `rest`, at the latest behind `window`; never 0.
fn best_cut(rest: &str, window: &str) -> usize {
    // A cut in the first half would leave a stub of a chunk; the next kind of place is better then.
    let late = |at: &usize| *at > window.len() / 2;
    let line_end = window.rfind('\n').map(|at| at + 1).filter(late);
    let space = || window.char_indices().rfind(|(_, c)| c.is_whitespace()).map(|(at, c)| at + c.len_utf8());
    line_end.or_else(|| space().filter(late)).unwrap_or_else(|| last_grapheme_end(rest, window.len()))
}

/// The end of the last grapheme that ends within the first `limit` bytes; `limit` itself where the first grapheme
/// alone is longer, since a chunk must end somewhere.
fn last_grapheme_end(rest: &str, limit: usize) -> usize {
    let mut end = 0;
    for grapheme in rest.graphemes(true) {
        if end + grapheme.len() > limit {
            break;
        }
        end += grapheme.len();
    }
    if end == 0 { limit } else { end }
}
