//! Code: text whose lines and spaces mean something, between fences.

use std::ops::Range;

use super::{Code, Line, MAX_INDENT, Open, Writer};

impl Writer<'_> {
    /// Begins code. In an item of a list it is indented as the item is; in a cell, a caption or a heading it is text like
    /// any other.
    pub(crate) fn code_start(&mut self) {
        if self.is_aside() || self.heading.is_some() {
            return self.paragraph_break();
        }
        self.close_code();
        if self.lists.is_empty() {
            self.close_block();
        } else if self.line == Line::Same {
            self.line = Line::Next;
        }
        self.code = Some(Code { indent: 2 * self.lists.len().min(MAX_INDENT), ..Code::default() });
    }

    /// Says which language the code is in, as long as nothing of it is written; what was said first counts.
    pub(crate) fn code_language(&mut self, language: &str) {
        if let Some(code) = &mut self.code {
            code.language.get_or_insert_with(|| language.to_owned());
        }
    }

    /// Returns whether text is taken for code.
    pub(crate) fn in_code(&self) -> bool {
        self.code.is_some() && self.table.is_none() && !self.in_caption
    }

    /// Ends code. Without a line it leaves no trace.
    pub(crate) fn code_end(&mut self) {
        if self.code.is_none() {
            return self.paragraph_break();
        }
        let begun = self.code.as_ref().and_then(|code| code.begun).filter(|_| self.lists.is_empty());
        if begun.is_some_and(|(_, start)| self.define_declared(start)) {
            return;
        }
        self.close_code();
        if self.lists.is_empty() {
            self.close_block();
        }
    }

    /// Writes the fence behind the code that is open, if any is.
    pub(super) fn close_code(&mut self) {
        let Some(Code { begun, indent, .. }) = self.code.take() else { return };
        let Some((fence, start)) = begun else { return };
        let end = start + self.out.get(start..).map_or(0, |code| code.trim_end().len());
        self.out.truncate(end);
        self.origin.truncate(end);
        if end == start {
            self.out.truncate(fence);
        } else {
            self.new_code_line(indent);
            self.out.push_str("```");
        }
        (self.space, self.line) = (false, if self.lists.is_empty() { Line::Same } else { Line::Next });
    }

    /// Ends a line of code, as an element does that stands for a line end.
    pub(crate) fn code_break(&mut self) {
        let Some(code) = &mut self.code else { return };
        if code.begun.is_some() {
            code.is_ended = true;
            self.out.push('\n');
        }
    }

    /// Lets what comes next begin a line, where the element before or behind it is a block.
    pub(crate) fn code_edge(&mut self) {
        let Some(code) = &mut self.code else { return };
        if code.begun.is_some() && !self.out.ends_with('\n') {
            code.is_ended = true;
            self.out.push('\n');
        }
    }

    /// Begins an element that is a line of code.
    pub(crate) fn code_line_start(&mut self) {
        self.code_edge();
        let at = self.out.len();
        if let Some(code) = &mut self.code {
            (code.line, code.is_ended) = (at, false);
        }
    }

    /// Puts the sign of a diff before the text that comes next, where the page shows it by colour alone.
    pub(crate) fn code_mark(&mut self, mark: &'static str) {
        if let Some(code) = &mut self.code {
            code.mark = Some(mark).filter(|_| code.language.as_deref() == Some("diff"));
        }
    }

    /// Ends it. An empty one is an empty line.
    pub(crate) fn code_line_end(&mut self) {
        if self.code.as_ref().is_some_and(|code| code.line == self.out.len()) {
            self.code_break();
        } else {
            self.code_edge();
        }
    }

    /// Writes a stretch of code.
    pub(super) fn put_code(&mut self, text: &str, read: Range<usize>) {
        let Some(code) = &mut self.code else { return };
        // What a reference stands for has another length than the reference.
        let is_copied = read.len() == text.len();
        let mut text = text;
        if std::mem::take(&mut code.is_ended) {
            text = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text);
        }
        if code.begun.is_none() {
            text = text.trim_start_matches(['\n', '\r']);
            if text.is_empty() {
                return;
            }
            self.open_code();
        }
        let indent = self.code.as_ref().map_or(0, |code| code.indent);
        let mut at = read.end.saturating_sub(text.len());
        for line in text.split_inclusive('\n') {
            if self.out.ends_with('\n') && !line.trim_start_matches('\r').starts_with('\n') {
                self.out.extend(std::iter::repeat_n(' ', indent));
            }
            if let Some(mark) = self.code.as_mut().and_then(|code| code.mark.take()) {
                self.put(mark, None);
            }
            let from = if is_copied { at..at + line.len() } else { read.clone() };
            self.put(line, Some(from));
            at += line.len();
        }
    }

    /// Writes the fence before the code's first line.
    fn open_code(&mut self) {
        if self.lists.is_empty() {
            self.open_block(Open::Code);
        } else {
            self.prepare();
        }
        let fence = self.out.len();
        let Some(code) = &mut self.code else { return };
        self.out.push_str("```");
        self.out.push_str(code.language.as_deref().unwrap_or_default());
        self.out.push('\n');
        code.begun = Some((fence, self.out.len()));
        code.line = self.out.len();
    }

    fn new_code_line(&mut self, indent: usize) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', indent));
    }
}
