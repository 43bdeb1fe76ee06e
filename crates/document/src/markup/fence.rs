//! Lines that open or close code, or a directive.

use super::line::line_end;

/// A line of backticks or tildes, or of the colons of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence<'a> {
    pub(crate) mark: char,
    pub(crate) length: usize,
    pub(crate) info: &'a str,
}

impl Fence<'_> {
    /// Says whether the line ends what `open` began.
    pub(crate) fn closes(&self, open: &Fence<'_>) -> bool {
        self.mark == open.mark && self.length >= open.length && self.info.is_empty()
    }
}

/// Reads the fence that a line is, in a quotation or an item perhaps.
pub(crate) fn fence_of(line: &str) -> Option<Fence<'_>> {
    let is_before = |c: char| c.is_whitespace() || c.is_ascii_digit() || "-*+.)>".contains(c);
    let body = line.trim_start_matches(is_before).trim_end();
    let mark = body.chars().next().filter(|c| matches!(c, '`' | '~' | ':'))?;
    let info = body.trim_start_matches(mark);
    let length = body.len() - info.len();
    let is_code_span = mark == '`' && info.contains('`');
    (length >= 3 && !is_code_span).then_some(Fence { mark, length, info: info.trim() })
}

/// Finds the beginning of the line that ends what `open` began, from `at` on; the text's end where none does.
pub(crate) fn closing(text: &str, mut at: usize, open: &Fence<'_>) -> usize {
    while at < text.len() {
        let end = line_end(text, at);
        if fence_of(&text[at..end]).is_some_and(|fence| fence.closes(open)) {
            break;
        }
        at = end;
    }
    at
}

/// Backticks that no run of them in the code can end.
pub(crate) fn fence_around(code: &str) -> String {
    "`".repeat(longest_run(code).max(2) + 1)
}

/// Computes the length of the longest run of backticks.
pub(crate) fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}
