//! reStructuredText, as Sphinx has it, as markdown: one way through its lines, and no tree.
//!
//! Whatever a directive is for, its words are kept and its machinery is not. The grammar is that of
//! <https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html>.

mod blocks;
mod directive;
mod inline;
mod substitution;
mod table;

use std::collections::HashMap;
use std::ops::Range;

use super::Origin;
use super::encoding::Decoded;
use super::markup::fence_around;
use super::rewrite::{Rewriter, rewritten};

/// The columns that a tab may take.
const TAB: usize = 8;

/// Writes a document as markdown. `shared` are definitions of substitutions that hold besides its own.
pub(super) fn to_markdown(decoded: Decoded, shared: &str) -> Decoded {
    let text = &decoded.text;
    let mut lines = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        lines.push(RstLine::new(line, at));
        at += line.len();
    }
    let mut writer = RstWriter {
        text,
        out: Rewriter::new(&decoded),
        prefix: String::new(),
        mark: String::new(),
        lead: String::new(),
        gap: false,
        is_first: false,
        styles: Vec::new(),
        substitutions: substitution::definitions(shared).chain(substitution::definitions(text)).collect(),
        language: "",
    };
    writer.blocks(&lines, 0);
    writer.out.put("\n", at..at);
    let written = writer.out.finish();
    rewritten(written, decoded)
}

/// Writes the markdown of a part of another document.
pub(super) fn as_markdown(text: &str) -> String {
    let decoded =
        Decoded { text: text.to_owned(), origin: Origin::of(text.as_bytes()), warnings: Vec::new() };
    to_markdown(decoded, "").text
}

/// A line: its text without white space around, and the column that it begins in.
#[derive(Clone, Copy)]
struct RstLine {
    start: usize,
    end: usize,
    indent: usize,
}

impl RstLine {
    fn new(line: &str, at: usize) -> Self {
        let body = line.trim_start();
        let before = &line[..line.len() - body.len()];
        let indent = before
            .chars()
            .fold(0, |columns, c| if c == '\t' { (columns / TAB + 1) * TAB } else { columns + 1 });
        let start = at + before.len();
        Self { start, end: start + body.trim_end().len(), indent }
    }

    fn is_blank(&self) -> bool {
        self.start == self.end
    }

    fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Takes the rest of the line behind its first `length` bytes.
    fn from(&self, text: &str, length: usize) -> Self {
        let rest = &text[self.start + length..self.end];
        let blank = rest.len() - rest.trim_start().len();
        let columns = text[self.start..self.start + length].chars().count() + blank;
        Self { start: self.start + length + blank, end: self.end, indent: self.indent + columns }
    }
}

/// The markdown as it grows.
struct RstWriter<'a> {
    text: &'a str,
    out: Rewriter<'a>,
    /// The indentation of the items that are open, and what the next line has at the end of it instead.
    prefix: String,
    mark: String,
    /// Words that the next line of text begins with.
    lead: String,
    /// True if a blank line comes before the next line.
    gap: bool,
    /// True if the next block follows on the line before it.
    is_first: bool,
    /// The marks of headings in the order of their levels, each with whether it has a line above too.
    styles: Vec<(char, bool)>,
    /// The words that names stand for.
    substitutions: HashMap<&'a str, String>,
    /// The language of code that names none.
    language: &'a str,
}

impl<'a> RstWriter<'a> {
    fn str(&self, line: &RstLine) -> &'a str {
        &self.text[line.range()]
    }

    /// Begins a block: behind a blank line, but at the beginning of an item.
    fn block(&mut self) {
        self.gap |= !std::mem::take(&mut self.is_first);
    }

    /// Writes a line that is made of a range of the source.
    fn line(&mut self, line: &str, made_of: Range<usize>) {
        let at = made_of.start..made_of.start;
        let mut before = String::new();
        if !self.out.text.is_empty() {
            before.push_str(if self.gap { "\n\n" } else { "\n" });
        }
        (self.gap, self.is_first) = (false, false);
        if !line.is_empty() {
            before.push_str(&self.prefix[..self.prefix.len().saturating_sub(self.mark.len())]);
            before.push_str(&std::mem::take(&mut self.mark));
            before.push_str(&std::mem::take(&mut self.lead));
        }
        self.out.put(&before, at);
        self.out.put(line, made_of);
    }

    /// Writes words on a line above what comes next, unless there are none.
    fn above(&mut self, words: &str, line: &RstLine) {
        if !words.is_empty() {
            self.block();
            self.line(words, line.range());
            self.is_first = true;
        }
    }

    /// Gives the words that wait for a line of text one of their own, before something else comes.
    fn flush(&mut self, at: usize) {
        if !self.lead.is_empty() {
            self.line(" ", at..at);
        }
    }

    /// Writes text whose markup is read, line by line.
    fn words(&mut self, words: &str, lines: &[RstLine]) {
        let shown = self.inline(words, true);
        for (number, line) in shown.split('\n').enumerate() {
            let Some(place) = lines.get(number).or(lines.last()) else { break };
            let line = line.trim();
            // Marks that begin a line mean something else in markdown.
            let is_mark = ["# ", "~~~", "> "].iter().any(|mark| line.starts_with(mark));
            if !line.is_empty() {
                self.line(&[if is_mark { "\\" } else { "" }, line].concat(), place.range());
            }
        }
    }

    /// Joins the text of lines, each on its own.
    fn joined(&self, lines: &[RstLine]) -> String {
        lines.iter().map(|line| self.str(line)).collect::<Vec<_>>().join("\n")
    }

    /// Writes code, whose lines keep their indentation from the least of it on.
    fn code(&mut self, lines: &[RstLine], language: &str) {
        let is_text = |line: &RstLine| !line.is_blank();
        let (Some(first), Some(last)) = (lines.iter().position(is_text), lines.iter().rposition(is_text))
        else {
            return;
        };
        let lines = &lines[first..=last];
        let margin =
            lines.iter().filter(|line| is_text(line)).map(|line| line.indent).min().unwrap_or_default();
        let fence = fence_around(&self.text[lines[0].start..lines[lines.len() - 1].end]);
        let language = if matches!(language, "none" | "default" | "text") { "" } else { language };
        let at = lines[0].start;
        self.flush(at);
        self.block();
        self.line(&[&fence, language].concat(), at..at);
        for line in lines {
            if line.is_blank() {
                self.line("", line.range());
            } else {
                self.line(&[&" ".repeat(line.indent - margin), self.str(line)].concat(), line.range());
            }
        }
        let end = lines[lines.len() - 1].end;
        self.line(&fence, end..end);
    }

    /// Writes blocks as an item of a list, whose first line begins with a mark.
    fn item(&mut self, mark: &str, at: usize, content: impl FnOnce(&mut Self)) {
        self.flush(at);
        let (prefix, marks) = (self.prefix.len(), self.mark.len());
        self.prefix.push_str(&"     "[..mark.len().min(5)]);
        self.mark.push_str(mark);
        self.is_first = true;
        content(self);
        // An item without text leaves no trace.
        self.mark.truncate(marks);
        self.lead.clear();
        self.prefix.truncate(prefix);
        self.is_first = false;
    }
}

#[cfg(test)]
mod tests;
