//! The way through the lines of markdown: which are code, which open or close a block, and what is in the others.

use std::collections::{HashMap, HashSet};

use super::admonition::{alert, directive, indented};
use super::fence::{Fence, closing, fence_of};
use super::left_out::{end_tag, is_ignored};
use super::line::{begins_item, line_end};
use super::script::braces;
use super::tag::MarkupTag;
use super::words::{TagRun, note_name, notes};
use super::{Edit, component, esm, macros};
use crate::rst;

/// The lines of options that a directive may have.
const MAX_OPTIONS: usize = 50;
/// Blocks are not nested deeper than this; further ones are not looked at.
const MAX_BLOCKS: usize = 64;
/// An expression in braces that is longer is none.
const MAX_EXPRESSION: usize = 4096;

/// Finds the edits that take generators' markup out, in order.
pub(super) fn edits(text: &str, is_mdx: bool, liquid: Option<&str>) -> Vec<Edit> {
    let mut scanner = LineScanner {
        text,
        is_mdx,
        liquid,
        before: LinesBefore { are_blank: true, ..LinesBefore::default() },
        comments_end: true,
        notes: notes(text),
        ..LineScanner::default()
    };
    let mut at = front_matter_end(text);
    while at < text.len() {
        at = scanner.line(at);
    }
    scanner.edits
}

/// Finds the end of the metadata that a file begins with.
fn front_matter_end(text: &str) -> usize {
    let Some(mark) = ["---\n", "+++\n", "---\r\n", "+++\r\n"].into_iter().find(|mark| text.starts_with(mark))
    else {
        return 0;
    };
    let mut at = mark.len();
    while at < text.len() {
        let end = line_end(text, at);
        if text[at..end].trim_end() == mark.trim_end() {
            return end;
        }
        at = end;
    }
    0
}

/// A block whose lines are indented by what opened it.
struct IndentedBlock<'a> {
    /// The element, or nothing of an admonition, which ends with its indentation.
    name: Option<&'a str>,
    /// The columns that the blocks around take off, and where this one begins.
    outer: usize,
    indent: usize,
    /// The columns of its first line; nothing before that.
    base: Option<usize>,
}

impl IndentedBlock<'_> {
    /// Counts the columns to take off its lines, so that they begin where what opened it does.
    fn excess(&self) -> usize {
        self.outer + self.base.map_or(0, |base| base.saturating_sub(self.indent))
    }
}

/// The state that lines leave the next one in.
#[derive(Default)]
struct LinesBefore {
    are_blank: bool,
    are_indented_code: bool,
    are_list: bool,
}

/// Finds the place of attributes at the end of a heading's line, and the id among them: `{ #id }`, `{: #id .x}`, `{
/// id="id" }`. Nothing if there are none, or where markdown reads them itself.
fn heading_id(line: &str) -> Option<(usize, Option<&str>)> {
    let open = line.rfind('{')?;
    let inner = line[open + 1..].strip_suffix('}')?;
    let inner = inner.strip_prefix(':').unwrap_or(inner);
    let attributes = inner.split_whitespace();
    if inner.trim().is_empty() {
        return None;
    }
    let mut found = None;
    for attribute in attributes {
        let value = attribute.strip_prefix("id=").map(|value| value.trim_matches(['"', '\'']));
        match value.or_else(|| attribute.strip_prefix('#')) {
            Some(id) => found = found.or(Some(id)),
            None if attribute.starts_with('.') || attribute.contains('=') => {}
            None => return None,
        }
    }
    (!inner.starts_with('#')).then_some((open, found))
}

#[derive(Default)]
struct LineScanner<'a> {
    text: &'a str,
    is_mdx: bool,
    /// The configuration of a site of templates.
    liquid: Option<&'a str>,
    edits: Vec<Edit>,
    /// The code that is open; and whether its end has to be written anew.
    code: Option<(Fence<'a>, bool)>,
    /// Directives in fences that are open, whose content is text.
    directives: Vec<Fence<'a>>,
    blocks: Vec<IndentedBlock<'a>>,
    before: LinesBefore,
    /// True as long as a comment may still end.
    comments_end: bool,
    /// The elements that no end tag closes any more, and the end of braces that nothing closes.
    unclosed: Vec<&'a str>,
    braces_open: usize,
    /// The components of which an end tag is known to be there, or not.
    ends: HashMap<&'a str, bool>,
    tags: TagRun,
    notes: HashSet<&'a str>,
}

impl<'a> LineScanner<'a> {
    /// Reads the line at `at`; returns where the next one to read begins.
    fn line(&mut self, at: usize) -> usize {
        let text = self.text;
        let end = line_end(text, at);
        let line = text[at..end].trim_end();
        let start = at + (line.len() - line.trim_start().len());
        let content_end = at + line.len();
        if line.trim_start().is_empty() {
            self.before.are_blank = true;
            return end;
        }
        if let Some((open, is_rewritten)) = self.code {
            self.dedent(at, start);
            if fence_of(line).is_some_and(|fence| fence.closes(&open)) {
                self.code = None;
                if is_rewritten {
                    self.edits.push(Edit::put(start..content_end, "```"));
                }
            }
            return end;
        }
        if self.is_mdx
            && start == at
            && let Some(statement) = esm::statement_end(text, at)
        {
            self.edits.push(Edit::drop(at..statement));
            return statement;
        }
        let tag = text[start..].starts_with('<').then(|| MarkupTag::read(text, start)).flatten();
        self.leave_blocks(start - at, tag.as_ref());
        let excess = self.dedent(at, start);
        let is_after_blank = std::mem::take(&mut self.before.are_blank);
        self.before.are_indented_code = !self.is_mdx
            && !self.before.are_list
            && (start - at).saturating_sub(excess) >= 4
            && (is_after_blank || self.before.are_indented_code);
        if self.before.are_indented_code {
            return end;
        }
        if begins_item(&text[start..content_end]) {
            self.before.are_list = true;
        } else if start - at <= excess && is_after_blank {
            self.before.are_list = false;
        }
        if let Some(next) = self.block_line(start, content_end, end) {
            return next;
        }
        if let Some(tag) = tag.filter(|tag| tag.range.end == content_end && !tag.is_end && !tag.is_empty)
            && self.blocks.len() < MAX_BLOCKS
            && self.is_markup(&tag)
            && !tag.name.is_empty()
            && !is_ignored(text, &tag)
        {
            let outer = self.blocks.last().map_or(0, IndentedBlock::excess);
            self.blocks.push(IndentedBlock { name: Some(tag.name), outer, indent: start - at, base: None });
        }
        self.inline(start)
    }

    /// Ends the blocks that a line with so much indentation, or with this end tag, is no longer in.
    fn leave_blocks(&mut self, indent: usize, tag: Option<&MarkupTag<'a>>) {
        while self.blocks.last().is_some_and(|block| block.name.is_none() && Some(indent) < block.base) {
            self.blocks.pop();
        }
        if let Some(tag) = tag.filter(|tag| tag.is_end)
            && let Some(at) = self.blocks.iter().rposition(|block| block.name == Some(tag.name))
        {
            self.blocks.truncate(at);
        }
        if let Some(block) = self.blocks.last_mut() {
            block.base.get_or_insert(indent);
        }
    }

    /// Takes off the indentation that blocks give a line; returns how many columns that may be.
    fn dedent(&mut self, at: usize, start: usize) -> usize {
        let excess = self.blocks.last().map_or(0, IndentedBlock::excess);
        let taken = excess.min(start - at);
        if taken > 0 {
            self.edits.push(Edit::drop(at..at + taken));
        }
        excess
    }

    /// Reads a line that is a block or opens one: a fence, a directive, an admonition. Returns where to go on.
    fn block_line(&mut self, start: usize, content_end: usize, end: usize) -> Option<usize> {
        let text = self.text;
        let body = &text[start..content_end];
        let whole = start..content_end;
        if let Some(fence) = fence_of(body) {
            // The marks of a quotation or an item before the fence stay.
            let mark = start + body.find(fence.mark).unwrap_or_default();
            return Some(self.fence(fence, mark..content_end, end));
        }
        if let Some(words) = indented(body).filter(|_| self.blocks.len() < MAX_BLOCKS) {
            let outer = self.blocks.last().map_or(0, IndentedBlock::excess);
            let indent = start - text[..start].rfind('\n').map_or(0, |at| at + 1);
            self.blocks.push(IndentedBlock { name: None, outer, indent, base: Some(indent + 4) });
            self.edits.push(Edit::put(whole, [words, "\n"].concat()));
            return Some(end);
        }
        if body.starts_with('#')
            && let Some((open, id)) = heading_id(body)
        {
            self.edits.push(Edit::put(
                start + open..content_end,
                id.map_or(String::new(), |id| ["{#", id, "}"].concat()),
            ));
            return Some(end);
        }
        let is_label = body.starts_with('(') && body.ends_with(")=");
        if is_label || ["[[toc]]", "[toc]", "[[_toc_]]"].iter().any(|toc| body.eq_ignore_ascii_case(toc)) {
            self.edits.push(Edit::drop(whole));
            return Some(end);
        }
        let quoted = body.trim_start_matches(['>', ' ']);
        if let Some((length, word)) = alert(quoted).filter(|_| body.starts_with('>')) {
            let at = content_end - quoted.len();
            self.edits.push(Edit::put(at..at + length, word));
            return Some(self.inline(at + length));
        }
        None
    }

    /// Reads a fence, whose marks begin `place`.
    fn fence(&mut self, fence: Fence<'a>, place: std::ops::Range<usize>, end: usize) -> usize {
        if self.directives.last().is_some_and(|open| fence.closes(open)) {
            self.directives.pop();
            self.edits.push(Edit::drop(place));
            return end;
        }
        if fence.info == "{eval-rst}" {
            let close = closing(self.text, end, &fence);
            let behind = line_end(self.text, close);
            self.edits.push(Edit::put(place.start..behind, rst::as_markdown(&self.text[end..close])));
            return behind;
        }
        let is_named = fence.mark == ':' || fence.info.starts_with('{');
        let Some(found) = is_named.then(|| directive(fence.info)).flatten() else {
            if fence.mark == ':' {
                self.edits.push(Edit::drop(place));
                return end;
            }
            if let Some(behind) = self.includes_end(&fence, end) {
                self.edits.push(Edit::drop(place.start..behind));
                return behind;
            }
            self.code = Some((fence, false));
            return end;
        };
        if let Some(language) = found.code {
            let marks =
                if fence.mark == ':' { "```".into() } else { fence.mark.to_string().repeat(fence.length) };
            self.edits.push(Edit::put(place, [&marks, language].concat()));
            self.code = Some((fence, fence.mark == ':'));
        } else {
            if fence.mark != ':' {
                self.directives.push(fence);
            }
            let words = if found.words.is_empty() { String::new() } else { [found.words, "\n"].concat() };
            self.edits.push(Edit::put(place, words));
        }
        if found.has_options { self.options_end(end) } else { end }
    }

    /// Takes out the options of a directive; returns where they end.
    fn options_end(&mut self, start: usize) -> usize {
        let text = self.text;
        let mut at = start;
        let is_option = |line: &str| {
            let inner = line.strip_prefix(':').and_then(|line| line.split_once(':'));
            inner.is_some_and(|(name, _)| !name.is_empty() && !name.contains(char::is_whitespace))
        };
        if text[at..line_end(text, at)].trim() == "---" {
            // A line that nothing closes is a rule, and opens no options.
            let mut next = line_end(text, at);
            for _ in 0..MAX_OPTIONS {
                let (line, end) = (text[next..line_end(text, next)].trim(), line_end(text, next));
                if line == "---" {
                    at = end;
                    break;
                }
                next = end;
            }
        } else {
            while at < text.len() && is_option(text[at..line_end(text, at)].trim()) {
                at = line_end(text, at);
            }
        }
        if at > start {
            self.edits.push(Edit::drop(start..at));
        }
        at
    }

    /// Finds the end of code that is only fetched from files when the book is made.
    fn includes_end(&self, fence: &Fence<'_>, start: usize) -> Option<usize> {
        let text = self.text;
        let (mut at, mut lines) = (start, 0);
        while at < text.len() {
            let end = line_end(text, at);
            let line = text[at..end].trim();
            if fence_of(line).is_some_and(|found| found.closes(fence)) {
                return (lines > 0).then_some(end);
            }
            if !line.starts_with("{{#") {
                return None;
            }
            (at, lines) = (end, lines + 1);
        }
        None
    }

    /// Reads what is in a line from `at` on, and in those that it reaches into; returns where the next line begins.
    fn inline(&mut self, mut at: usize) -> usize {
        let text = self.text;
        let bytes = text.as_bytes();
        let mut is_first = true;
        while let Some(&byte) = bytes.get(at) {
            at = match byte {
                b'\n' => return at + 1,
                b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at + 2,
                b'`' => self.code_span_end(at),
                b'<' => self.angle(at, is_first).unwrap_or(at + 1),
                b'{' => self.brace(at, is_first).unwrap_or(at + 1),
                b'[' => self.note(at, is_first).unwrap_or(at + 1),
                _ => at + 1,
            };
            is_first = false;
        }
        at
    }

    /// Leaves the mark of a note out, with the space before it; returns where it ends.
    fn note(&mut self, at: usize, begins_line: bool) -> Option<usize> {
        let name = note_name(&self.text[at..]).filter(|name| self.notes.contains(name))?;
        let end = at + name.len() + 3;
        let has_space =
            self.text[..at].ends_with(' ') && self.edits.last().is_none_or(|edit| edit.range.end < at);
        let is_text = !begins_line || !self.text[end..].starts_with(':');
        is_text.then(|| self.edits.push(Edit::drop(at - usize::from(has_space && !begins_line)..end)))?;
        Some(end)
    }

    /// Finds the end of a span of code; of the backticks where none begins.
    fn code_span_end(&self, start: usize) -> usize {
        let rest = &self.text[start..];
        let length = rest.len() - rest.trim_start_matches('`').len();
        let mut at = length;
        while let Some(found) = rest[at..].find('`') {
            // It ends in its paragraph.
            let between = &rest[at..at + found];
            if between.contains("\n\n") || between.contains("\n\r\n") {
                break;
            }
            let run = &rest[at + found..];
            let run_length = run.len() - run.trim_start_matches('`').len();
            at += found + run_length;
            if run_length == length {
                return start + at;
            }
        }
        start + length
    }

    /// Reads a comment or a tag; returns where it ends.
    fn angle(&mut self, at: usize, begins_line: bool) -> Option<usize> {
        let text = self.text;
        if text[at..].starts_with("<!--") {
            let found = self.comments_end.then(|| text[at + 4..].find("-->")).flatten();
            self.comments_end = found.is_some();
            let inner = &text[at + 4..at + 4 + found?];
            let end = at + 4 + inner.len() + 3;
            let words = inner.trim().strip_prefix("md:").unwrap_or_default();
            self.edits.push(Edit::put(at..end, words.to_owned()));
            return Some(end);
        }
        let tag = MarkupTag::read(text, at)?;
        if !self.is_markup(&tag) {
            return None;
        }
        let end = tag.range.end;
        let is_ignored = is_ignored(text, &tag);
        let is_code = tag.name == "pre" && !is_ignored;
        if is_ignored || component::is_unread(&tag) || (is_code && begins_line && !tag.is_end) {
            let is_open = !self.unclosed.contains(&tag.name);
            let found = is_open.then(|| end_tag(text, &tag, is_ignored)).flatten();
            if is_open && found.is_none() {
                self.unclosed.push(tag.name);
            }
            if let Some((close, behind)) = found {
                if is_code {
                    self.preformatted(at, end, close, behind);
                } else {
                    self.edits.push(Edit::drop(at..behind));
                }
                return Some(behind);
            }
        }
        let mut words = component::words(&tag);
        if self.tags.divides_words(text, &tag) && words.is_empty() {
            words.push(' ');
        }
        let next = text[end..].strip_prefix('\n').unwrap_or("\n");
        if !words.trim().is_empty() && begins_line && !next.starts_with(['\n', '\r']) {
            words.push('\n');
        }
        self.edits.push(Edit::put(at..end, words));
        Some(end)
    }

    /// Makes code of an element `pre`, whose tags stand at `at..inner` and `close..end`.
    fn preformatted(&mut self, at: usize, inner: usize, close: usize, end: usize) {
        let text = self.text;
        let open = if text[inner..].starts_with('\n') { "```" } else { "```\n" };
        self.edits.push(Edit::put(at..inner, open));
        let mut next = inner;
        while let Some(length) = text[next..close].find('<') {
            let start = next + length;
            match MarkupTag::read(text, start)
                .filter(|tag| tag.range.end <= close && component::is_element(tag))
            {
                Some(tag) => {
                    next = tag.range.end;
                    self.edits.push(Edit::drop(tag.range));
                }
                None => next = start + 1,
            }
        }
        self.edits.push(Edit::put(close..end, if text[..close].ends_with('\n') { "```" } else { "\n```" }));
    }

    fn is_markup(&mut self, tag: &MarkupTag<'a>) -> bool {
        let (text, name) = (self.text, tag.name);
        let ends = &mut self.ends;
        let has_end = || *ends.entry(name).or_insert_with(|| text.contains(&["</", name, ">"].concat()));
        component::is_element(tag) || component::is_component(tag, self.is_mdx, has_end)
    }

    /// Reads a call, an expression, a role or attributes; returns where they end.
    fn brace(&mut self, at: usize, begins_line: bool) -> Option<usize> {
        let rest = &self.text[at..];
        if ["{{</*", "{{%/*"].iter().any(|escaped| rest.starts_with(escaped)) {
            return Some(at + 5);
        }
        let mut end = None;
        if rest.starts_with("{{") || rest.starts_with("{%") {
            let found = macros::edits(self.text, at, begins_line, self.liquid)?;
            end = found.last().map(|edit| edit.range.end);
            self.edits.extend(found);
            return end;
        }
        let window = &rest[..rest.floor_char_boundary(MAX_EXPRESSION)];
        let line = window.lines().next().unwrap_or_default();
        let inner = line.get(1..line.find('}').unwrap_or_default().max(1)).unwrap_or_default();
        let is_role = !inner.is_empty()
            && inner.chars().all(|c| c.is_ascii_alphanumeric() || "-:_".contains(c))
            && line[inner.len() + 2..].starts_with('`');
        let is_attributes = [":", ".", " ."].iter().any(|start| inner.starts_with(start));
        if is_role || is_attributes {
            end = Some(at + inner.len() + 2);
        } else if self.is_mdx && !inner.trim_start().starts_with('#') {
            end = if at < self.braces_open { None } else { braces(window).map(|length| at + length) };
            if end.is_none() {
                self.braces_open = self.braces_open.max(at + window.len());
            }
        }
        self.edits.push(Edit::drop(at..end?));
        end
    }
}
