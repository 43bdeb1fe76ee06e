//! The text of a section, put together from its passages, and the part of it that one call returns.

use std::ops::Range;

use ibid_index::StoredPlace;

/// The number of characters of a section one call returns.
pub(super) const SECTION_LENGTH: usize = 8_000;
/// The least and the most that a call can ask for.
pub(super) const LEAST_LENGTH: usize = 500;
pub(super) const MOST_LENGTH: usize = 40_000;

/// The deepest heading that markdown has.
const DEEPEST_HEADING: usize = 6;

/// A passage as it stands in one document.
pub(super) struct SectionPiece {
    pub(super) text: String,
    /// The number of bytes at the beginning of `text` the passage before has too.
    pub(super) repeated: usize,
    pub(super) place: StoredPlace,
}

/// Several passages in a row as one text.
pub(super) struct Assembled {
    text: String,
    /// In characters.
    length: usize,
    parts: Vec<SectionPart>,
}

/// The place of a passage in the text, and in its file.
struct SectionPart {
    /// In characters.
    range: Range<usize>,
    first_line: u32,
    last_line: u32,
}

/// The part of a text that one call returns.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SectionWindow<'a> {
    pub(super) text: &'a str,
    /// Its place in the whole, in characters.
    pub(super) range: Range<usize>,
    /// The first and the last line of the file that its passages stand on, from 1.
    pub(super) lines: (u32, u32),
}

impl SectionPiece {
    fn path(&self) -> &[String] {
        &self.place.section.heading_path
    }

    /// Takes the text without what the passage before has too, if that one is there.
    fn own_text(&self, follows: bool) -> &str {
        // A part of code stays within fences.
        let is_code = self.text.trim_start().starts_with(['`', '~']);
        let text = if follows && !is_code { self.text.get(self.repeated..) } else { None };
        text.unwrap_or(&self.text).trim_start_matches(['\n', '\r']).trim_end()
    }

    /// Finds the last line, counted in the text where that is what the file has. Of a format whose text was extracted,
    /// only the line is known that a passage starts on.
    fn last_line(&self) -> u32 {
        let text = self.text.get(self.repeated..).unwrap_or_default();
        let is_verbatim = text.len() == self.place.span.len();
        let breaks = if is_verbatim { text.trim_end().matches('\n').count() as u32 } else { 0 };
        self.place.line.saturating_add(breaks)
    }

    /// Returns true if it goes on in the line or on the line after the one where another ends, as between two sentences of a
    /// paragraph, or two rows of a table.
    fn continues(&self, before: &Self) -> bool {
        let gap = self.place.span.start.checked_sub(before.place.span.end);
        gap.is_some_and(|gap| gap <= 2) && self.place.line <= before.last_line().saturating_add(1)
    }
}

impl Assembled {
    /// Puts passages together that follow each other in a document, below a section of which the first `depth` headings
    /// are known. Headings further down, which passages have in their paths and not in their texts, are written as in
    /// markdown.
    pub(super) fn new(pieces: &[SectionPiece], depth: usize) -> Self {
        let mut assembled = Self { text: String::new(), length: 0, parts: Vec::with_capacity(pieces.len()) };
        let mut before: Option<&SectionPiece> = None;
        for piece in pieces {
            let shared = before.map_or(0, |before| shared(before.path(), piece.path())).max(depth);
            let continues =
                before.is_some_and(|before| piece.continues(before) && before.path() == piece.path());
            if before.is_some() {
                assembled.push(if continues { "\n" } else { "\n\n" });
            }
            for (level, heading) in (1..).zip(piece.path()).skip(shared) {
                assembled.push(&format!("{} {heading}\n\n", "#".repeat(level.min(DEEPEST_HEADING))));
            }
            let start = assembled.length;
            assembled.push(piece.own_text(before.is_some()));
            assembled.parts.push(SectionPart {
                range: start..assembled.length,
                first_line: piece.place.line,
                last_line: piece.last_line(),
            });
            before = Some(piece);
        }
        assembled
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.length += text.chars().count();
    }

    /// The length in characters.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// At most that many characters from an offset on, ending with a line if that costs little.
    pub(super) fn from(&self, offset: usize, most: usize) -> SectionWindow<'_> {
        let start = offset.min(self.length);
        let first = byte_at(&self.text, start);
        let rest = &self.text[first..];
        let cut = byte_at(rest, most);
        let end = if cut == rest.len() { cut } else { good_end(&rest[..cut]) };
        let text = &rest[..end];
        let range = start..start + text.chars().count();
        let shown =
            self.parts.iter().filter(|part| part.range.start < range.end && part.range.end > range.start);
        let lines = shown.fold((u32::MAX, 0), |(first, last), part| {
            (part.first_line.min(first), part.last_line.max(last))
        });
        // A part of nothing but headings belongs to the passage behind them.
        let lines = if lines.1 > 0 { lines } else { self.lines_behind(range.start) };
        SectionWindow { text, range, lines }
    }

    /// At most that many characters around a passage: all of it if it fits, and as much before as behind.
    pub(super) fn around(&self, piece: usize, most: usize) -> SectionWindow<'_> {
        let Some(part) = self.parts.get(piece).filter(|_| self.length > most) else {
            return self.from(0, most);
        };
        let spare = most.saturating_sub(part.range.len()) / 2;
        let start = part.range.start.saturating_sub(spare).min(self.length - most);
        // Behind a line break, of which there is one before every passage but the first.
        let first = byte_at(&self.text, start);
        let before = &self.text[first..byte_at(&self.text, part.range.start).max(first)];
        let line_start =
            before.find('\n').filter(|_| start > 0).map_or(0, |at| before[..=at].chars().count());
        self.from(start + line_start, most)
    }

    fn lines_behind(&self, offset: usize) -> (u32, u32) {
        let behind = self.parts.iter().find(|part| part.range.start >= offset).or(self.parts.last());
        behind.map_or((1, 1), |part| (part.first_line, part.first_line))
    }
}

/// Counts the headings that two paths begin with alike.
pub(super) fn shared(a: &[String], b: &[String]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Finds the byte that the character of a number begins at; the length for one that is not there.
fn byte_at(text: &str, character: usize) -> usize {
    text.char_indices().nth(character).map_or(text.len(), |(at, _)| at)
}

/// Finds the place to end a text that was cut: behind its last line or word, if that is in its last quarter.
fn good_end(text: &str) -> usize {
    let least = text.len() - text.len() / 4;
    let behind = |found: Option<usize>| found.map(|at| at + 1).filter(|&end| end >= least && end > 0);
    behind(text.rfind('\n')).or_else(|| behind(text.rfind(' '))).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use ibid_index::{DocumentRecord, SectionRecord};

    fn piece(path: &[&str], line: u32, start: usize, text: &str, repeated: usize) -> SectionPiece {
        let place = StoredPlace {
            document: DocumentRecord::default(),
            document_number: 0,
            section: SectionRecord {
                heading_path: path.iter().map(|&heading| heading.to_owned()).collect(),
                anchor: None,
            },
            index: 0,
            span: start..start + text.len() - repeated,
            line,
            anchors: Vec::new(),
        };
        SectionPiece { text: text.to_owned(), repeated, place }
    }

    /// A file with a heading, a paragraph that was cut, a section below and a table that was cut.
    fn pieces() -> Vec<SectionPiece> {
        vec![
            piece(&["Tea"], 3, 7, "One. Two.", 0),
            piece(&["Tea"], 3, 17, "Two. Three\nand four.", 5),
            piece(&["Tea", "Black"], 8, 50, "|a|\n|-|\n|1|", 0),
            piece(&["Tea", "Black"], 11, 62, "|a|\n|-|\n|2|", 8),
        ]
    }

    #[test]
    fn what_was_cut_is_put_together() {
        let whole = Assembled::new(&pieces(), 1);
        let window = whole.from(0, 1000);
        assert_eq!(window.text, "One. Two.\nThree\nand four.\n\n## Black\n\n|a|\n|-|\n|1|\n|2|");
        assert_eq!(window.lines, (3, 11));
        assert_eq!(window.range, 0..whole.length());
        assert!(Assembled::new(&pieces(), 0).from(0, 1000).text.starts_with("# Tea\n\nOne."));
        let black = Assembled::new(&pieces()[2..], 2);
        assert_eq!(black.from(0, 1000).text, "|a|\n|-|\n|1|\n|2|");
        assert_eq!(Assembled::new(&[], 0).from(0, 10).text, "");
    }

    #[test]
    fn a_long_one_is_read_in_steps() {
        let lines: Vec<SectionPiece> = (0..30)
            .map(|at| piece(&["T"], 1 + 2 * at, 40 * at as usize, &format!("The {at}th é line."), 0))
            .collect();
        let whole = Assembled::new(&lines, 1);
        let (mut offset, mut read, mut steps) = (0, String::new(), 0);
        while offset < whole.length() {
            let window = whole.from(offset, 100);
            assert!(
                window.range.len() <= 100
                    && window.range.start == offset
                    && window.text.ends_with(['\n', '.'])
            );
            read.push_str(window.text);
            offset = window.range.end;
            steps += 1;
        }
        assert_eq!(read, whole.text);
        assert_eq!(steps, 6);
        let middle = whole.around(15, 100);
        assert!(middle.text.contains("The 15th é line."), "{middle:?}");
        assert!(middle.text.starts_with("The ") || middle.text.starts_with('\n'), "{middle:?}");
        assert!(middle.lines.0 < 31 && middle.lines.1 > 31, "{middle:?}");
        assert!(whole.around(29, 100).text.ends_with("The 29th é line."));
        assert_eq!(whole.around(0, 100), whole.from(0, 100));
        assert_eq!(whole.around(4, 10_000).range, 0..whole.length());
    }

    #[test]
    fn lines_of_extracted_text_are_those_that_passages_start_on() {
        let mut html = piece(&["T"], 7, 100, "a\nb\nc", 0);
        html.place.span = 100..180;
        assert_eq!(Assembled::new(&[html], 1).from(0, 100).lines, (7, 7));
    }

    proptest! {
        #[test]
        fn any_text_is_returned_in_whole(
            texts in prop::collection::vec(("[a-c]{0,2}", any::<String>(), 0..9usize), 0..8),
            most in 1..60usize,
        ) {
            let pieces: Vec<SectionPiece> = (1..).zip(&texts).map(|(line, (path, text, repeated))| {
                let path: Vec<String> = path.chars().map(String::from).collect();
                let path: Vec<&str> = path.iter().map(String::as_str).collect();
                piece(&path, line, 10 * line as usize, text, (*repeated).min(text.len()))
            }).collect();
            let whole = Assembled::new(&pieces, 1);
            prop_assert_eq!(whole.length(), whole.text.chars().count());
            let (mut offset, mut read) = (0, String::new());
            while offset < whole.length() {
                let window = whole.from(offset, most);
                prop_assert!(!window.text.is_empty() && window.text.chars().count() <= most);
                read.push_str(window.text);
                offset = window.range.end;
            }
            prop_assert_eq!(&read, &whole.text);
            for at in 0..pieces.len() {
                let window = whole.around(at, most);
                let part = &whole.parts[at].range;
                let shown = part.len().min(most.saturating_sub(most / 4));
                prop_assert!(window.range.start <= part.start);
                prop_assert!(shown == 0 || window.range.end >= part.start + shown.min(1));
            }
        }
    }
}
