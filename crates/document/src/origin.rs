//! The place where each stretch of a document's text stands in the file it was read from.

use std::ops::Range;

/// Maps byte ranges of a document's text to byte ranges and lines of its source file.
///
/// For plain text that is the identity, or nearly so: a byte order mark shifts it. Of markdown, the markup of site
/// generators is left out. For formats whose
/// text is extracted from markup, the parser notes each run of text together with the bytes it was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Runs in the order of the text, which is also the order of the source.
    runs: Vec<OriginRun>,
    /// The offset of each line feed in the source.
    line_ends: Vec<u32>,
}

/// A stretch of text that came from one place of the source. In 32 bits, which no file exceeds: a page has a run for each
/// piece of its text, and all documents are held at once.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OriginRun {
    text: Range<u32>,
    source: Range<u32>,
    /// The line, where it was told and is not to be counted.
    line: Option<u32>,
}

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The byte range.
    pub span: Range<usize>,
    /// The line that it starts on, from 1.
    pub line: u32,
}

impl OriginRun {
    fn new(text: Range<usize>, source: Range<usize>, line: Option<u32>) -> Self {
        let short = |range: Range<usize>| word(range.start)..word(range.end);
        Self { text: short(text), source: short(source), line }
    }

    fn text(&self) -> Range<usize> {
        self.text.start as usize..self.text.end as usize
    }

    fn source(&self) -> Range<usize> {
        self.source.start as usize..self.source.end as usize
    }

    /// Returns true if the text is the source byte by byte, so that offsets inside the run can be carried over.
    fn is_verbatim(&self) -> bool {
        self.text().len() == self.source().len()
    }
}

impl Origin {
    /// An origin without any runs yet, over the bytes of a whole file.
    pub(crate) fn of(source: &[u8]) -> Self {
        Self { runs: Vec::new(), line_ends: memchr::memchr_iter(b'\n', source).map(word).collect() }
    }

    /// Notes that `text` (of the document) was made from `source` (of the file). Runs are added in order; one that
    /// would go back is ignored. Runs that continue each other byte by byte are joined.
    pub(crate) fn push(&mut self, text: Range<usize>, source: Range<usize>) {
        let run = OriginRun::new(text, source, None);
        match self.runs.last_mut() {
            Some(last) if run.text.start < last.text.end || run.source.start < last.source.end => {}
            Some(last)
                if last.line.is_none()
                    && last.text.end == run.text.start
                    && last.source.end == run.source.start
                    && last.is_verbatim()
                    && run.is_verbatim() =>
            {
                (last.text.end, last.source.end) = (run.text.end, run.source.end);
            }
            _ => self.runs.push(run),
        }
    }

    /// Notes that `text` was made from a place of another file, which is known from what that file's reader wrote
    /// down: a ready-made chunk says where it was cut from.
    pub(crate) fn push_placed(&mut self, text: Range<usize>, place: Place) {
        if self.runs.last().is_none_or(|last| last.text().end <= text.start) {
            self.runs.push(OriginRun::new(text, place.span, Some(place.line)));
        }
    }

    /// Notes that `text` was made from `read`, a range of the text that `decoded` is the origin of. Where that text is
    /// not the file byte by byte, the run is divided, so that offsets still carry over.
    pub(super) fn push_through(&mut self, text: Range<usize>, read: Range<usize>, decoded: &Self) {
        if decoded.runs.len() < 2 || text.len() != read.len() {
            return self.push(text, decoded.span(&read));
        }
        let first = decoded.runs.partition_point(|run| run.text().end <= read.start);
        for run in decoded.runs[first..].iter().map(OriginRun::text).take_while(|run| run.start < read.end) {
            let part = run.start.max(read.start)..run.end.min(read.end);
            let shifted = text.start + (part.start - read.start)..text.start + (part.end - read.start);
            self.push(shifted, decoded.span(&part));
        }
    }

    /// Forgets what stands behind the first `length` bytes of the text.
    pub(super) fn truncate(&mut self, length: usize) {
        let length = word(length);
        while self.runs.last().is_some_and(|run| run.text.start >= length) {
            self.runs.pop();
        }
        if let Some(run) = self.runs.last_mut()
            && run.text.end > length
        {
            if run.is_verbatim() {
                run.source.end -= run.text.end - length;
            }
            run.text.end = length;
        }
    }

    /// Takes the lines from another origin over the same file.
    pub(super) fn with_lines_of(mut self, other: Self) -> Self {
        self.line_ends = other.line_ends;
        self
    }

    /// Returns the place where a range of the text comes from: from the first byte of its first run to the last byte
    /// of its last, with whatever markup stands between.
    pub fn place(&self, text: &Range<usize>) -> Place {
        let span = self.span(text);
        let first = self.runs.partition_point(|run| run.text().end <= text.start);
        let told = self.runs.get(first).and_then(|run| run.line);
        Place { line: told.unwrap_or_else(|| self.line_of(span.start)), span }
    }

    /// Returns the byte of the text that a byte of the source became, or the next one that became text.
    pub(super) fn text_at(&self, source: usize) -> usize {
        let at = self.runs.partition_point(|run| run.source().end <= source);
        let Some(run) = self.runs.get(at) else { return usize::MAX };
        let inside = source.saturating_sub(run.source().start);
        run.text().start + if run.is_verbatim() { inside } else { 0 }
    }

    fn span(&self, text: &Range<usize>) -> Range<usize> {
        let first = self.runs.partition_point(|run| run.text().end <= text.start);
        let Some(run) = self.runs.get(first) else {
            let end = self.runs.last().map_or(0, |run| run.source().end);
            return end..end;
        };
        let start = match (run.is_verbatim(), text.start.checked_sub(run.text().start)) {
            (true, Some(inside)) => run.source().start + inside,
            _ => run.source().start,
        };
        let after = self.runs.partition_point(|run| run.text().start < text.end.max(text.start + 1));
        let end = match after.checked_sub(1).and_then(|at| self.runs.get(at)) {
            Some(run) if run.is_verbatim() && text.end < run.text().end => {
                run.source().start + text.end.saturating_sub(run.text().start)
            }
            Some(run) => run.source().end,
            None => start,
        };
        start..end.max(start)
    }

    /// Finds the line of the source that a byte of the source lies on, from 1.
    fn line_of(&self, source: usize) -> u32 {
        self.line_ends.partition_point(|&end| (end as usize) < source) as u32 + 1
    }
}

/// Makes a place in 32 bits; the last of them for one behind that, which a ready-made chunk may tell.
fn word(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The source `<p>one &amp; two</p>\n<p>three</p>` read as `one & two\n\nthree`.
    fn origin() -> Origin {
        let mut origin = Origin::of(b"<p>one &amp; two</p>\n<p>three</p>");
        origin.push(0..4, 3..7);
        origin.push(4..5, 7..12);
        origin.push(5..9, 12..16);
        origin.push(11..16, 24..29);
        origin
    }

    #[test]
    fn spans_reach_from_the_first_byte_to_the_last() {
        let span = |text| origin().place(&text).span;
        assert_eq!(span(0..3), 3..6);
        assert_eq!(span(2..5), 5..12);
        assert_eq!(span(6..9), 13..16);
        assert_eq!(span(6..13), 13..26);
        // What was put between the paragraphs belongs to neither.
        assert_eq!(span(0..11), 3..16);
        assert_eq!(span(9..12), 24..25);
    }

    #[test]
    fn a_place_that_was_told_is_kept() {
        let mut origin = Origin::of(b"{}\n{}");
        origin.push_placed(0..4, Place { span: 90..94, line: 7 });
        origin.push_placed(5..9, Place { span: 10..14, line: 2 });
        assert_eq!(origin.place(&(5..9)), Place { span: 10..14, line: 2 });
        assert_eq!(origin.place(&(1..3)), Place { span: 91..93, line: 7 });
    }

    #[test]
    fn lines_count_from_one() {
        let origin = origin();
        assert_eq!([0, 20, 21, 28].map(|at| origin.line_of(at)), [1, 1, 2, 2]);
        assert_eq!([0..3, 12..13].map(|text| origin.place(&text).line), [1, 2]);
    }

    #[test]
    fn what_lies_outside_maps_to_the_end() {
        assert_eq!(origin().place(&(40..50)).span, 29..29);
        assert_eq!(Origin::default().place(&(0..5)), Place { span: 0..0, line: 1 });
    }

    #[test]
    fn a_second_reading_is_traced_through_the_first() {
        let mut decoded = Origin::of(b"ab\xFFcd");
        decoded.push(0..2, 0..2);
        decoded.push(2..5, 2..3);
        decoded.push(5..7, 3..5);
        let mut origin = Origin::default();
        origin.push_through(10..17, 0..7, &decoded);
        assert_eq!(
            [10..12, 12..15, 15..16, 16..17].map(|text| origin.place(&text).span),
            [0..2, 2..3, 3..4, 4..5]
        );
        origin.truncate(16);
        assert_eq!(origin.place(&(15..20)).span, 3..4);
        origin.truncate(11);
        assert_eq!(origin.place(&(10..20)).span, 0..1);
    }

    #[test]
    fn runs_that_continue_each_other_are_one() {
        let mut origin = Origin::of(b"");
        origin.push(0..4, 3..7);
        origin.push(4..8, 7..11);
        origin.push(2..3, 1..2);
        assert_eq!(origin.runs.len(), 1);
    }
}
