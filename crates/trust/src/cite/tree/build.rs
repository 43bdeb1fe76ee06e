//! From the events of a Markdown parser to the nodes of a tree.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};

use super::link::Addresses;
use super::mark::Mark;
use super::node::{Alignment, MAX_DEPTH, Node};

/// The number of nodes a list, a table or a quote puts between itself and the text in it, itself included.
const BLOCK_DEPTH: usize = 3;

/// Builds a tree from events, on a stack of its own: text may be nested as deep as it likes.
#[derive(Default)]
pub(super) struct TreeBuilder<'t> {
    text: &'t str,
    marks: Vec<Mark>,
    addresses: Addresses<'t>,
    /// The first mark that is not in the tree yet.
    mark: usize,
    /// The blocks that are complete.
    blocks: Vec<Node>,
    /// The nodes that are still growing, outermost first.
    open: Vec<Node>,
    /// True if the innermost open node is a paragraph that the parser knows nothing of.
    implied: bool,
    /// The place where a text ends that the next piece may continue.
    joint: Option<usize>,
    /// True if a link is open, and whether it has a citation in it.
    link: Option<bool>,
}

/// The work at the end of a tag.
#[derive(Clone, Copy, PartialEq)]
enum Ending {
    /// The node that its start opened is complete.
    Close,
    /// Its start opened no node.
    Nothing,
    /// Its start was a single tilde, which is text; so is its end.
    Tilde,
}

impl<'t> TreeBuilder<'t> {
    pub(super) fn new(text: &'t str, marks: Vec<Mark>, addresses: Addresses<'t>) -> Self {
        Self { text, marks, addresses, ..Self::default() }
    }

    /// Builds the tree of what the parser found in the text's masked form, `source`.
    pub(super) fn build(mut self, source: &str, events: Vec<(Event<'_>, Range<usize>)>) -> Vec<Node> {
        let mut endings = Vec::new();
        for (event, range) in events {
            let here = source.get(range.clone()).unwrap_or_default();
            match event {
                Event::Start(tag) => endings.push(self.start(tag, here, range)),
                Event::End(tag) => self.end(tag, endings.pop().unwrap_or(Ending::Nothing), range),
                Event::Text(shown) if self.is_reference(&shown, here) => {
                    self.show_marks(range.start);
                    self.put(Node::Text { text: shown.into_string(), start: range.start, end: range.end });
                }
                Event::Text(shown) | Event::Html(shown) | Event::InlineHtml(shown) => {
                    self.pieces(&shown, here, range.start);
                }
                Event::Code(shown) => self.code(&shown, here, range.start),
                Event::SoftBreak => {
                    let at = range.start + here.find('\n').unwrap_or(0);
                    self.show(at..at + 1);
                }
                Event::HardBreak => self.put(Node::LineBreak),
                Event::Rule => {
                    self.end_implied();
                    self.attach(Node::ThematicBreak);
                }
                // Nothing else comes without an option that asks for it.
                _ => {}
            }
        }
        self.show_marks(self.text.len());
        self.end_implied();
        self.blocks
    }

    fn start(&mut self, tag: Tag<'_>, here: &str, range: Range<usize>) -> Ending {
        let children = Vec::new();
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.block(Node::Paragraph { children }, 1),
            Tag::Heading { level, .. } => self.block(Node::Heading { level: level as u8, children }, 1),
            Tag::BlockQuote(_) => self.block(Node::BlockQuote { children }, BLOCK_DEPTH),
            Tag::CodeBlock(kind) => self.block(Node::CodeBlock { language: language(&kind), children }, 1),
            Tag::List(start) => {
                let ordered = start.is_some();
                let start = start.and_then(|start| u32::try_from(start).ok());
                self.block(Node::List { ordered, start, children }, BLOCK_DEPTH)
            }
            Tag::Item if matches!(self.open.last(), Some(Node::List { .. })) => {
                self.block(Node::Item { children }, 1)
            }
            Tag::Table(alignment) => {
                let alignment = alignment.into_iter().map(aligned).collect();
                self.block(Node::Table { alignment, header: Vec::new(), rows: Vec::new() }, BLOCK_DEPTH)
            }
            Tag::TableRow => {
                if let Some(Node::Table { rows, .. }) = self.open.last_mut() {
                    rows.push(Vec::new());
                }
                Ending::Nothing
            }
            Tag::TableCell if matches!(self.open.last(), Some(Node::Table { .. })) => {
                self.block(Node::Cell { children }, 1)
            }
            Tag::Item | Tag::TableCell => {
                self.end_implied();
                Ending::Nothing
            }
            Tag::Emphasis => self.inline(Node::Emphasis { children }),
            Tag::Strong => self.inline(Node::Strong { children }),
            Tag::Strikethrough if here.starts_with("~~") => self.inline(Node::Strikethrough { children }),
            Tag::Strikethrough => {
                self.show(range.start..range.start + 1);
                Ending::Tilde
            }
            Tag::Link { dest_url, .. } if self.link.is_none() => {
                // Brackets in an address were masked, as those of marks are.
                let written = here.rfind(&*dest_url).map(|at| range.start + at);
                let written = written.and_then(|at| self.text.get(at..at + dest_url.len()));
                let Some(url) = self.addresses.find(written.unwrap_or(&dest_url)) else {
                    return Ending::Nothing;
                };
                let ending = self.inline(Node::Link { url: url.to_owned(), children });
                self.link = (ending == Ending::Close).then_some(false);
                ending
            }
            _ => Ending::Nothing,
        }
    }

    fn end(&mut self, tag: TagEnd, ending: Ending, range: Range<usize>) {
        let inline = match tag {
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image => true,
            TagEnd::TableHead | TagEnd::TableRow => return self.end_row(range.end),
            _ => false,
        };
        if inline || matches!(tag, TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::TableCell) {
            self.show_marks(range.end);
        }
        if tag == TagEnd::CodeBlock {
            self.trim_code();
        }
        if !inline {
            self.end_implied();
        }
        match ending {
            Ending::Close if tag == TagEnd::Link => self.end_link(),
            Ending::Close => self.close(),
            Ending::Tilde => self.show(range.end - 1..range.end),
            Ending::Nothing => {}
        }
    }

    /// Opens a block that has room for itself and, with that depth, for what is in it.
    fn block(&mut self, node: Node, depth: usize) -> Ending {
        self.end_implied();
        if matches!(node, Node::Item { .. } | Node::Cell { .. }) || self.open.len() + depth <= MAX_DEPTH {
            self.open.push(node);
            return Ending::Close;
        }
        Ending::Nothing
    }

    fn inline(&mut self, node: Node) -> Ending {
        self.begin_implied();
        if self.open.len() < MAX_DEPTH {
            self.joint = None;
            self.open.push(node);
            return Ending::Close;
        }
        Ending::Nothing
    }

    /// Opens a paragraph if inline content is to come where blocks are: in the items of a tight list, and where a block
    /// was too deep to become a node.
    fn begin_implied(&mut self) {
        if matches!(
            self.open.last(),
            None | Some(Node::Item { .. } | Node::BlockQuote { .. } | Node::List { .. })
        ) {
            self.open.push(Node::Paragraph { children: Vec::new() });
            self.implied = true;
            self.joint = None;
        }
    }

    fn end_implied(&mut self) {
        if std::mem::take(&mut self.implied) {
            self.close();
        }
    }

    /// The innermost open node is complete.
    fn close(&mut self) {
        if let Some(node) = self.open.pop() {
            self.attach(node);
        }
    }

    fn attach(&mut self, node: Node) {
        self.joint = None;
        match self.open.last_mut() {
            Some(Node::Table { header, rows, .. }) => rows.last_mut().unwrap_or(header).push(node),
            Some(parent) => {
                if let Some(children) = parent.list_mut() {
                    children.push(node);
                }
            }
            None => self.blocks.push(node),
        }
    }

    /// A link with a citation in it becomes its content: both can be clicked, and the citation leads to the source too.
    fn end_link(&mut self) {
        let cited = self.link.take().unwrap_or_default();
        match self.open.pop() {
            Some(Node::Link { children, .. }) if cited || children.is_empty() => {
                for child in children {
                    self.attach(child);
                }
            }
            Some(link) => self.attach(link),
            None => {}
        }
    }

    /// Columns beyond those of the header are not shown, but the marks in them are, in the last column.
    fn end_row(&mut self, end: usize) {
        if self.marks.get(self.mark).is_none_or(|mark| mark.span.end > end) {
            return;
        }
        let Some(Node::Table { header, rows, .. }) = self.open.last_mut() else {
            self.show_marks(end);
            return self.end_implied();
        };
        let cell = rows.last_mut().unwrap_or(header).pop();
        self.open.push(cell.unwrap_or(Node::Cell { children: Vec::new() }));
        self.show_marks(end);
        self.close();
    }

    /// The line's end behind the last line of code is not part of it.
    fn trim_code(&mut self) {
        let Some(Node::CodeBlock { children, .. }) = self.open.last_mut() else { return };
        if let Some(Node::Text { text, end, .. }) = children.last_mut()
            && text.ends_with('\n')
        {
            text.pop();
            *end -= 1;
        }
        children.pop_if(|last| matches!(last, Node::Text { text, .. } if text.is_empty()));
    }

    /// Code within a line; `here` begins and ends with its backticks.
    fn code(&mut self, shown: &str, here: &str, at: usize) {
        let inner = here.trim_start_matches('`');
        let at = at + here.len() - inner.len();
        let ending = self.inline(Node::Code { children: Vec::new() });
        self.pieces(shown, inner.trim_end_matches('`'), at);
        if ending == Ending::Close {
            self.close();
        }
    }

    /// Returns true if this is what a character reference such as `&lt;` stands for.
    fn is_reference(&self, shown: &str, here: &str) -> bool {
        let in_code = matches!(self.open.last(), Some(Node::CodeBlock { .. }));
        here.starts_with('&') && here.ends_with(';') && shown != here && !in_code
    }

    /// Shows what the parser made of the text `here`: that itself, or without characters that are markup, such as the
    /// `>` before the lines of code in a quote.
    fn pieces(&mut self, shown: &str, here: &str, at: usize) {
        if shown == here {
            return self.show(at..at + here.len());
        }
        let mut wanted = shown.chars().peekable();
        let mut piece = at..at;
        for (offset, c) in here.char_indices() {
            // A line's end in code is shown as a space.
            if wanted.next_if(|next| *next == c || (*next == ' ' && matches!(c, '\r' | '\n'))).is_some() {
                piece.end = at + offset + c.len_utf8();
            } else {
                self.show(piece);
                let next = at + offset + c.len_utf8();
                piece = next..next;
            }
        }
        self.show(piece);
    }

    /// Shows the answer's text in the range, and the citations in it.
    fn show(&mut self, range: Range<usize>) {
        // What closes an unfinished text is no part of it.
        let range = range.start..range.end.min(self.text.len());
        // A mark is shown as a whole where it begins, however the parser cuts it.
        let last = self.mark.checked_sub(1).and_then(|last| self.marks.get(last));
        let mut at = range.start.max(last.map_or(0, |mark| mark.span.end));
        while let Some(mark) = self.marks.get(self.mark).filter(|mark| mark.span.start < range.end) {
            let span = mark.span.clone();
            if at < span.start {
                self.show_text(at..span.start);
            }
            self.show_mark();
            at = at.max(span.end);
        }
        if at < range.end {
            self.show_text(at..range.end);
        }
    }

    /// Shows the marks up to there that stood where nothing is shown.
    fn show_marks(&mut self, end: usize) {
        while self.marks.get(self.mark).is_some_and(|mark| mark.span.end <= end) {
            self.show_mark();
        }
    }

    fn show_mark(&mut self) {
        let Some(mark) = self.marks.get_mut(self.mark) else { return };
        let Range { start, end } = mark.span;
        let rest = mark.rest(self.text);
        let numbers = std::mem::take(&mut mark.numbers);
        self.mark += 1;
        for number in numbers {
            self.put(Node::Citation { number, start, end });
        }
        if let Some(text) = rest {
            self.put(Node::Text { text, start, end });
        }
        self.link = self.link.map(|_| true);
    }

    fn show_text(&mut self, range: Range<usize>) {
        let Some(text) = self.text.get(range.clone()) else { return };
        self.begin_implied();
        if self.joint == Some(range.start)
            && let Some(Node::Text { text: before, end, .. }) =
                self.open.last_mut().and_then(Node::list_mut).and_then(|children| children.last_mut())
        {
            before.push_str(text);
            *end = range.end;
        } else {
            self.put(Node::Text { text: text.to_owned(), start: range.start, end: range.end });
        }
        self.joint = Some(range.end);
    }

    /// Adds inline content.
    fn put(&mut self, node: Node) {
        self.begin_implied();
        self.attach(node);
    }
}

fn aligned(alignment: pulldown_cmark::Alignment) -> Alignment {
    match alignment {
        pulldown_cmark::Alignment::None => Alignment::None,
        pulldown_cmark::Alignment::Left => Alignment::Left,
        pulldown_cmark::Alignment::Center => Alignment::Center,
        pulldown_cmark::Alignment::Right => Alignment::Right,
    }
}

/// Reads the first word behind a fence, if it can be a language's name: it may end up in the name of a class.
fn language(kind: &CodeBlockKind<'_>) -> Option<String> {
    let CodeBlockKind::Fenced(info) = kind else { return None };
    let name = info.split([' ', '\t', ',']).next().unwrap_or_default();
    let allowed = |c: char| c.is_ascii_alphanumeric() || "+-#._".contains(c);
    (!name.is_empty() && name.len() <= 32 && name.chars().all(allowed)).then(|| name.to_owned())
}
