//! Finding `[1]` in Markdown.

use std::ops::Range;

use super::form::{Named, lenticular, may_name_source, square};

/// The most bytes between the brackets of a mark.
const MAX_LENGTH: usize = 64;

/// The most bytes between the brackets of a mark that names a source by its title.
const MAX_LABEL: usize = 300;

/// A citation mark: where it stands and what it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// The byte range from `[` to `]`.
    pub span: Range<usize>,
    /// The numbers in the order they are named, each once; none if it names a title.
    pub numbers: Vec<u32>,
    /// The byte range of the title that it names in place of numbers, with the year if there is one.
    pub label: Option<Range<usize>>,
}

/// The citation marks in a Markdown text, in order: `[1]`, `[1, 2]`, `[1][3]` (two marks) and `[2-4]`; with the word before
/// the numbers, `[Source 2]`; as a footnote's, `[^1]`; in the brackets `【1】`; and by a title, `[Source: Title, Year]`.
///
/// Titles have no brackets, backticks or backslashes. Code spans, fenced code, links such as `[1](address)`, link definitions and escaped brackets hold none. With
/// `complete` false the text is the beginning of one that is still arriving: only marks that no continuation can
/// undo are returned, so that the marks of a longer beginning start with those of a shorter one.
pub fn markers(text: &str, complete: bool) -> Vec<Marker> {
    let mut scanner =
        Scanner { text, bytes: text.as_bytes(), complete, at: 0, open_to: 0, markers: Vec::new() };
    scanner.run();
    scanner.markers
}

/// The other brackets, and the first byte of the one that opens.
const OTHER_OPEN: char = '【';
const OTHER_CLOSE: char = '】';
const OTHER_OPEN_BYTE: u8 = 0xe3;

struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    complete: bool,
    at: usize,
    /// No `)` stands between where a link was last looked at and here.
    open_to: usize,
    markers: Vec<Marker>,
}

/// What a `[` begins.
enum Bracket {
    Mark(Named, usize),
    /// Not a mark; scanning goes on at the given place.
    Other(usize),
    /// What follows will tell.
    Undecided,
}

impl Scanner<'_> {
    fn run(&mut self) {
        let mut line_start = true;
        while self.at < self.bytes.len() {
            if line_start {
                line_start = false;
                if let Some(fence) = self.fence(self.at) {
                    // The first line of a fence must be whole: "```x```" is a code span.
                    if self.line_end(self.at) == self.bytes.len() {
                        return;
                    }
                    self.skip_fenced(fence);
                    line_start = true;
                    continue;
                }
            }
            match self.bytes[self.at] {
                b'\n' => {
                    self.at += 1;
                    line_start = true;
                }
                b'\\' => {
                    self.at +=
                        if self.byte(self.at + 1).is_some_and(|b| b.is_ascii_punctuation()) { 2 } else { 1 }
                }
                b'`' => match self.code_span_end() {
                    Some(end) => self.at = end,
                    None => return,
                },
                b'[' => match self.bracket() {
                    Bracket::Mark(named, end) => self.push(named, end),
                    Bracket::Other(next) => self.at = next,
                    Bracket::Undecided => return,
                },
                OTHER_OPEN_BYTE => match self.other_bracket() {
                    Bracket::Mark(named, end) => self.push(named, end),
                    Bracket::Other(next) => self.at = next,
                    Bracket::Undecided => return,
                },
                _ => self.at += 1,
            }
        }
    }

    fn push(&mut self, named: Named, end: usize) {
        let (numbers, label) = match named {
            Named::Numbers(numbers) => (numbers, None),
            Named::Label(label) => (Vec::new(), Some(self.at + 1 + label.start..self.at + 1 + label.end)),
        };
        self.markers.push(Marker { span: self.at..end, numbers, label });
        self.at = end;
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn line_end(&self, from: usize) -> usize {
        self.bytes[from..].iter().position(|byte| *byte == b'\n').map_or(self.bytes.len(), |len| from + len)
    }

    /// How many times the byte stands there.
    fn run_length(&self, from: usize, byte: u8) -> usize {
        self.bytes[from.min(self.bytes.len())..].iter().take_while(|other| **other == byte).count()
    }

    /// Past the spaces and quote marks that a line may begin with.
    fn indented(&self, line: usize) -> usize {
        line + self.bytes[line..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'>')).count()
    }

    /// The character and length of the fence that opens on this line, if one does.
    fn fence(&self, line: usize) -> Option<(u8, usize)> {
        let start = self.indented(line);
        let mark = self.byte(start).filter(|byte| matches!(byte, b'`' | b'~'))?;
        let length = self.run_length(start, mark);
        let info = &self.bytes[start + length..self.line_end(start)];
        (length >= 3 && (mark == b'~' || !info.contains(&b'`'))).then_some((mark, length))
    }

    /// Goes on after the line that closes the fence, or at the end of the text.
    fn skip_fenced(&mut self, (mark, length): (u8, usize)) {
        self.at = (self.line_end(self.at) + 1).min(self.bytes.len());
        while self.at < self.bytes.len() {
            let start = self.indented(self.at);
            let end = self.line_end(self.at);
            let run = self.run_length(start, mark);
            let rest = self.bytes.get(start + run..end).unwrap_or_default();
            self.at = (end + 1).min(self.bytes.len());
            if run >= length && rest.trim_ascii().is_empty() {
                // The last line may still grow into one that closes nothing.
                if end == self.bytes.len() {
                    self.at = end;
                }
                return;
            }
        }
    }

    /// The end of the code span that a run of backticks opens; the end of the run if it opens none; `None` if what
    /// follows will tell.
    fn code_span_end(&self) -> Option<usize> {
        let length = self.run_length(self.at, b'`');
        let open = self.at + length;
        let mut at = open;
        while at < self.bytes.len() {
            match self.bytes[at] {
                b'`' => {
                    let run = self.run_length(at, b'`');
                    if run == length && (self.complete || at + run < self.bytes.len()) {
                        return Some(at + run);
                    }
                    at += run;
                }
                b'\n' => {
                    at += 1;
                    // A code span ends with its paragraph at the latest, and a fence ends the paragraph.
                    let line_end = self.line_end(at);
                    let whole = self.complete || line_end < self.bytes.len();
                    match self.fence(at) {
                        Some((mark, _)) => return (whole || mark == b'~').then_some(open),
                        None if whole && self.bytes[at..line_end].trim_ascii().is_empty() => {
                            return Some(open);
                        }
                        None => {}
                    }
                }
                _ => at += 1,
            }
        }
        self.complete.then_some(open)
    }

    fn bracket(&mut self) -> Bracket {
        let inner = self.at + 1;
        let names_source = self.bytes[inner..].first().is_some_and(|byte| matches!(byte, b's' | b'S'))
            && may_name_source(self.text.get(inner..).unwrap_or_default());
        let most = if names_source { MAX_LABEL } else { MAX_LENGTH };
        let Some(length) =
            self.bytes[inner..].iter().take(most + 1).position(|byte| matches!(byte, b']' | b'[' | b'\n'))
        else {
            let open = !self.complete && self.bytes.len() - inner <= most;
            return if open { Bracket::Undecided } else { Bracket::Other(inner) };
        };
        let close = inner + length;
        if self.bytes[close] != b']' {
            return Bracket::Other(inner);
        }
        let Some(named) = self.text.get(inner..close).and_then(square) else {
            return Bracket::Other(inner);
        };
        let end = close + 1;
        match self.byte(end) {
            None if !self.complete => Bracket::Undecided,
            Some(b'(') => match self.link_end(end) {
                Some(link_end) if link_end > end => Bracket::Other(link_end),
                Some(_) => Bracket::Mark(named, end),
                None => Bracket::Undecided,
            },
            Some(b':') if self.starts_line() => Bracket::Other(end),
            _ => Bracket::Mark(named, end),
        }
    }

    /// A `【`, which begins nothing in Markdown, so that what follows the mark does not matter.
    fn other_bracket(&self) -> Bracket {
        let next = Bracket::Other(self.at + 1);
        let Some(rest) = self.text.get(self.at..) else { return next };
        let Some(rest) = rest.strip_prefix(OTHER_OPEN) else {
            return next;
        };
        let window = rest.get(..rest.floor_char_boundary(MAX_LENGTH + 1)).unwrap_or_default();
        match window.find([OTHER_OPEN, OTHER_CLOSE, '\n']) {
            Some(length) if window[length..].starts_with(OTHER_CLOSE) => {
                let end = self.at + OTHER_OPEN.len_utf8() + length + OTHER_CLOSE.len_utf8();
                lenticular(&window[..length]).map_or(next, |named| Bracket::Mark(named, end))
            }
            None if !self.complete && rest.len() <= MAX_LENGTH => Bracket::Undecided,
            _ => next,
        }
    }

    /// Whether nothing but indentation stands before this place in its line.
    fn starts_line(&self) -> bool {
        let before = self.bytes[..self.at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t' | b'>'));
        before.is_none_or(|byte| *byte == b'\n')
    }

    /// The end of the link's address in parentheses; `open` itself if they hold no address but a remark, as in
    /// `[1](at most 5 days)`; `None` if what follows will tell.
    fn link_end(&mut self, open: usize) -> Option<usize> {
        // A line of `[1](` after `[1](` is looked through once, not from each of them anew.
        if open < self.open_to {
            return Some(open);
        }
        let (mut blank, mut title) = (false, false);
        for (n, byte) in self.bytes[open..].iter().enumerate() {
            match byte {
                b')' => return Some(open + n + 1),
                b'\n' => {
                    self.open_to = open + n;
                    return Some(open);
                }
                b' ' | b'\t' => blank = true,
                // A title follows the address in quotes.
                b'"' | b'\'' if blank => title = true,
                _ if blank && !title => return Some(open),
                _ => {}
            }
        }
        self.open_to = self.bytes.len();
        self.complete.then_some(open)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The marks as they stand in the text, with their numbers.
    fn found(text: &str) -> Vec<(&str, Vec<u32>)> {
        markers(text, true).into_iter().map(|marker| (&text[marker.span], marker.numbers)).collect()
    }

    #[test]
    fn the_forms() {
        assert_eq!(
            found("A[1]. B [1, 2] C [1][3]; Ä [2-4] [5–6,9] [ 7 ;8 ] [3,3]"),
            [
                ("[1]", vec![1]),
                ("[1, 2]", vec![1, 2]),
                ("[1]", vec![1]),
                ("[3]", vec![3]),
                ("[2-4]", vec![2, 3, 4]),
                ("[5–6,9]", vec![5, 6, 9]),
                ("[ 7 ;8 ]", vec![7, 8]),
                ("[3,3]", vec![3]),
            ]
        );
        assert_eq!(
            found("[1999-2020] [4-2] [[1]]"),
            [("[1999-2020]", vec![1999, 2020]), ("[4-2]", vec![4, 2]), ("[1]", vec![1])]
        );
    }

    #[test]
    fn what_is_no_mark() {
        for text in [
            "[]",
            "[a]",
            "[1a]",
            "[ ]",
            "[1,]",
            "[-1]",
            "[1.5]",
            "[12345]",
            "[^a]",
            "[^1]: a note",
            "【】",
            "【1",
            "【1]",
            "[1】",
            "【a】",
            "`【1】`",
            "[Source code]",
            "[Source: [a], 2020]",
            "[Source: a](https://x.org)",
            "[Source: a]: x",
            "[Source: `a]`",
            "[Source: a\nb]",
            "[1\n]",
            "[1",
            "1]",
            "[²]",
            "[1-2-3]",
            r"\[1\]",
            r"\[1]",
            "[1](https://x.org)",
            "[1](x \"a title\")",
            "![1](x.png)",
            "[1]()",
            "[1]: https://x.org",
            "> [1]: x",
            "[1, two]",
            "[000000000000000000000000000000000000000000000000000000000000000000000001]",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
        assert_eq!(found(r"\\[1]").len(), 1);
        assert_eq!(found("so [1]: x").len(), 1);
        assert_eq!(found("5 mg [1](at most 5 days)").len(), 1);
        assert_eq!(found("[1](open").len(), 1);
        assert_eq!(found("[1](a) [2]"), [("[2]", vec![2])]);
    }

    #[test]
    fn other_forms_that_models_write() {
        assert_eq!(
            found("A [Source 2] b [source: 1, 3] c [^4]. D【5】【6†source】 e [Sources 1-3]"),
            [
                ("[Source 2]", vec![2]),
                ("[source: 1, 3]", vec![1, 3]),
                ("[^4]", vec![4]),
                ("【5】", vec![5]),
                ("【6†source】", vec![6]),
                ("[Sources 1-3]", vec![1, 2, 3]),
            ]
        );
        // Only number marks inside are marks: which title an outer one would name is not certain.
        assert_eq!(found("[Source: see [1], 2020]"), [("[1]", vec![1])]);
        let text = "So [Source: Grüner Tee, 2020]. And [SOURCE:Rice] [Source: \n a]";
        let labels: Vec<&str> =
            markers(text, true).into_iter().filter_map(|mark| mark.label).map(|label| &text[label]).collect();
        assert_eq!(labels, ["Grüner Tee, 2020", "Rice"]);
        assert_eq!(found(&format!("[Source: {}]", "x".repeat(MAX_LABEL))), []);
    }

    #[test]
    fn a_megabyte_of_brackets_is_read_once() {
        // Looked through to the end from each bracket, these would take hours.
        for (repeated, marks) in [
            ("[", 0),
            ("]", 0),
            ("[Source: ", 0),
            ("[source: x", 0),
            ("[Source: a](", 100_000),
            ("【", 0),
            ("【1", 0),
            ("[[1]]", 100_000),
            ("【[1】", 0),
        ] {
            assert_eq!(markers(&repeated.repeat(100_000), true).len(), marks, "{repeated}");
            markers(&repeated.repeat(100_000), false);
        }
    }

    #[test]
    fn a_line_of_links_that_do_not_end_is_looked_through_once() {
        // Looked through from each mark anew, these would take hours.
        for (repeated, marks) in
            [("[1](x", 300_000), ("[1]: ", 299_999), ("[1](x \"", 300_000), ("[1](a b", 300_000)]
        {
            assert_eq!(markers(&repeated.repeat(300_000), true).len(), marks, "{repeated}");
        }
        assert_eq!(found("[1](x\n[1](x)[2](y\n[3]"), [("[1]", vec![1]), ("[2]", vec![2]), ("[3]", vec![3])]);
    }

    #[test]
    fn code_holds_no_marks() {
        for text in [
            "`a[1]`",
            "``a`[1]``",
            "```\n[1]\n```",
            "~~~ x\n[1]\n```\n[2]",
            "> ```\n> [1]\n> ```",
            "```rust\n[1]",
            "`a\n[1]`",
            "````\n```\n[1]\n````",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
        for text in
            ["`a [1]", "``a` [1]", "`a\n\n[1] `b", "```\nx\n```\n[1]", "```x``` [1]", "`a\n```\nx\n```\n[1]"]
        {
            assert_eq!(found(text), [("[1]", vec![1])], "{text}");
        }
    }

    #[test]
    fn an_unfinished_text_gives_only_what_is_certain() {
        let certain = |text: &str| markers(text, false).len();
        assert_eq!(certain("A [1]"), 0);
        assert_eq!(certain("A [1]."), 1);
        assert_eq!(certain("A [1] [2"), 1);
        assert_eq!(certain("A [1](b"), 0);
        assert_eq!(certain("A `b [1]. "), 0);
        assert_eq!(certain("A `b\n\n[1]. "), 1);
        assert_eq!(certain("```\n[1].\n"), 0);
        assert_eq!(certain("A [Source: Green tea, 2020"), 0);
        assert_eq!(certain("A [Source: Green tea, 2020]"), 0);
        assert_eq!(certain("A [Source: Green tea, 2020]."), 1);
        assert_eq!(certain("A 【1"), 0);
        assert_eq!(certain("A 【1】"), 1);
        assert_eq!(certain("A [Sou [1]."), 1);
    }

    proptest! {
        #[test]
        fn a_beginning_has_the_first_marks_of_the_whole(
            pieces in prop::collection::vec(
                prop::sample::select(vec!["[1]", "[", "]", "(", ")", "`", "``", "```", "~~~", "\n", "\n\n", " ", "a", "1", ",",
                    "-", "\\", ":", "é", "\"", ">", "[2, 3]", "【", "】", "【1】", "[Source: ", "[Source: a]", "Sou", "^", "†"]),
                0..25,
            ),
        ) {
            let text = pieces.concat();
            let whole = markers(&text, true);
            for (end, _) in text.char_indices() {
                let part = markers(&text[..end], false);
                prop_assert!(whole.starts_with(&part), "{:?}: {:?} / {:?}", &text[..end], part, whole);
            }
            for marker in whole {
                let mark = &text[marker.span.clone()];
                prop_assert!(mark.starts_with(['[', '【']) && mark.ends_with([']', '】']));
                prop_assert!(marker.numbers.is_empty() == marker.label.is_some());
            }
        }

        #[test]
        fn any_text_is_scanned(text in any::<String>()) {
            markers(&text, true);
            markers(&text, false);
        }
    }
}
