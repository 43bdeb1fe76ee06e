//! Text that is set aside before its place in the document is known.

use std::ops::Range;

/// Text with the ranges of the decoded file that its runs were made from.
#[derive(Debug, Default)]
pub(super) struct Fragment {
    text: String,
    runs: Vec<(Range<usize>, Range<usize>)>,
}

impl Fragment {
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    pub(super) fn text(&self, range: Range<usize>) -> &str {
        &self.text[range]
    }

    pub(super) fn push(&mut self, text: &str, read: Option<Range<usize>>) {
        let start = self.text.len();
        self.text.push_str(text);
        if let Some(read) = read {
            self.runs.push((start..self.text.len(), read));
        }
    }

    /// Takes the end of the text back, down to that length.
    pub(super) fn truncate(&mut self, length: usize) {
        self.text.truncate(length);
        while self.runs.pop_if(|(text, _)| text.end > length).is_some() {}
    }

    /// Lists the pieces of a range in order, each with where it was read from.
    pub(super) fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = (&str, Option<Range<usize>>)> {
        let first = self.runs.partition_point(|(text, _)| text.end <= range.start);
        let mut runs = self.runs[first..].iter().peekable();
        let mut at = range.start;
        std::iter::from_fn(move || {
            let rest = at..range.end;
            if rest.is_empty() {
                return None;
            }
            // Ranges are those of cells, whose runs lie within them.
            let (end, read) = match runs.next_if(|(text, _)| text.start <= rest.start) {
                Some((text, read)) => (text.end.min(rest.end), Some(read.clone())),
                None => (runs.peek().map_or(rest.end, |(text, _)| text.start.min(rest.end)), None),
            };
            at = end;
            Some((&self.text[rest.start..end], read))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_a_range() {
        let mut fragment = Fragment::default();
        fragment.push("one", Some(10..13));
        fragment.push(" ", None);
        fragment.push("two", Some(20..23));
        fragment.push("!", None);
        let pieces: Vec<_> = fragment.pieces(0..8).collect();
        assert_eq!(pieces, [("one", Some(10..13)), (" ", None), ("two", Some(20..23)), ("!", None)]);
        assert_eq!(fragment.pieces(4..7).collect::<Vec<_>>(), [("two", Some(20..23))]);
        assert_eq!(fragment.pieces(2..2).count(), 0);
    }
}
