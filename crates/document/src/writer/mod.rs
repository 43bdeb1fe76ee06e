//! The text that a person reads in a file with markup, written as light markdown and traced to the bytes it came from.
//!
//! The readers of NXML and of HTML say what they meet: a heading, an item, a cell, a stretch of text. The writer
//! decides how that looks, so that the same thing looks the same whatever it was read from. Text is taken over in
//! runs as long as possible; only white space is collapsed and references are resolved.

mod blocks;
mod code;
mod declared;
mod fragment;
mod reference;
mod table;
mod text;

use std::ops::Range;

use super::outline::{Level, Outline};
use super::page::{BlockLook, PageFacts};
use super::weight::USUAL_WEIGHT;
use super::{BlockKind, Document, Metadata, Origin, Warning};
use fragment::Fragment;
pub(super) use reference::resolved;
use table::Table;
pub(super) use text::are_apart;

/// Writes the text of a document, its origin and its tree of sections.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is due or not on its own; they form no state together"
)]
pub(super) struct Writer<'a> {
    /// The file as text.
    source: &'a str,
    /// The place where that text stands in the file.
    decoded: Origin,
    out: String,
    origin: Origin,
    outline: Outline,
    /// The block that is open, with its beginning.
    block: Option<(Open, usize)>,
    heading: Option<Heading>,
    /// A section that has begun, and shows once it has a heading or text.
    section: Option<Pending>,
    /// The level of the section that text belongs to.
    level: Level,
    /// White space stands before whatever comes next.
    space: bool,
    /// The next text begins a line of its own.
    line: Line,
    /// The number of the next item of each list that is open, if they are numbered.
    lists: Vec<Option<u32>>,
    /// The number of elements that are open whose paragraphs are written as one, such as captions.
    joined: usize,
    /// True if those paragraphs are sentences.
    joins_sentences: bool,
    /// The text so far is a sentence once more follows.
    stop: bool,
    /// Superscript has begun, and nothing of it is written yet.
    raised: bool,
    /// An element has ended that is a whole, and another one begun, with nothing between.
    apart: Apart,
    /// The code that is open.
    code: Option<Code>,
    table: Option<Table>,
    caption: Fragment,
    in_caption: bool,
    /// The level of the definition whose signature comes next.
    signature: Option<Level>,
    /// That signature begins a section.
    defines: bool,
    /// The end of the signature that was written last, and where the definition goes on behind its list, the level around.
    signed: usize,
    around: Option<Level>,
    /// The place among the page's elements of what comes next, and of the block that is open.
    place: u32,
    look: BlockLook,
    looks: Vec<BlockLook>,
    /// The weight that the author gives what comes next, and the block that is open, unless it is the usual one.
    weight: Option<u16>,
    block_weight: Option<u16>,
    weights: Vec<(Range<usize>, u16)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Paragraph,
    List,
    Code,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Line {
    #[default]
    Same,
    Next,
    Item,
}

/// The way from the end of an element that is a whole to the beginning of the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Apart {
    #[default]
    No,
    Ended,
    Begun,
}

struct Heading {
    level: Level,
    anchor: Option<String>,
    start: usize,
    text: usize,
}

/// A place in what is written.
pub(super) struct Mark {
    at: usize,
    line: Line,
    in_caption: bool,
    in_table: bool,
    /// The character directly before, if it is in the same line.
    pub(super) before: Option<char>,
}

struct Pending {
    anchor: Option<String>,
    title: Option<&'static str>,
}

/// Code that is open.
#[derive(Default)]
struct Code {
    /// The beginnings of its fence and its first line, once there is a line.
    begun: Option<(usize, usize)>,
    language: Option<String>,
    /// The spaces before each of its lines, in an item of a list.
    indent: usize,
    /// The beginning of the element that is a line of its own.
    line: usize,
    /// The sign of a diff that the next line begins with.
    mark: Option<&'static str>,
    /// A line was ended where the file need not end one, so a line end that follows is the same.
    is_ended: bool,
}

/// Deeper lists are written at this depth: indentation without bound would make deep nesting quadratic.
const MAX_INDENT: usize = 16;

impl<'a> Writer<'a> {
    /// A writer for what is read from `source`, which `decoded` is the origin of.
    pub(super) fn new(source: &'a str, decoded: Origin) -> Self {
        Self { source, decoded, out: String::with_capacity(source.len() / 2), ..Self::default() }
    }

    /// Notes the place among the page's elements of what comes next.
    pub(super) fn at(&mut self, place: u32) {
        self.place = place;
    }

    /// Counts the bytes of text that come next, in a link or not.
    pub(super) fn count(&mut self, bytes: usize, is_linked: bool) {
        self.look.bytes += bytes;
        self.look.linked += if is_linked { bytes } else { 0 };
    }

    /// Gives what comes next a weight.
    pub(super) fn weigh(&mut self, weight: u16) {
        self.weight = Some(weight).filter(|weight| *weight != USUAL_WEIGHT);
    }

    /// Adds a block to the section that is open.
    fn add_block(&mut self, kind: BlockKind, range: Range<usize>) {
        self.looks.push(std::mem::take(&mut self.look));
        self.weights.extend(self.block_weight.take().map(|weight| (range.clone(), weight)));
        self.outline.block(kind, range);
    }

    /// Forgets all that was written.
    pub(super) fn restart(&mut self) {
        let decoded = std::mem::take(&mut self.decoded);
        *self = Self { weight: self.weight, ..Self::new(self.source, decoded) };
    }

    /// Finishes the document, with the title of its first heading where `metadata` has none.
    pub(super) fn finish(
        mut self,
        source: String,
        mut metadata: Metadata,
        mut warnings: Vec<Warning>,
    ) -> Document {
        self.table_end();
        self.close_all();
        metadata.complete(&source, self.outline.first_title());
        let sections = self.outline.into_sections(&metadata.title, &mut warnings);
        let origin = self.origin.with_lines_of(self.decoded);
        let page = PageFacts { looks: self.looks, weights: self.weights, ..PageFacts::default() };
        Document { source, text: self.out, origin, metadata, sections, warnings, page }
    }

    /// Returns true if anything that could be searched was written.
    pub(super) fn is_empty(&self) -> bool {
        self.block.is_none() && self.table.is_none() && !self.outline.has_blocks()
    }

    /// Begins a section of a level from 1, which gets the given title where the file has none. One that stays
    /// without title and text leaves no trace.
    pub(super) fn section_start(
        &mut self,
        level: Level,
        anchor: Option<String>,
        title: Option<&'static str>,
    ) {
        self.close_all();
        // One that only holds sections still gives them its name.
        if self.section.as_ref().is_some_and(|section| section.title.is_some()) {
            self.show_section();
        }
        self.level = level;
        self.section = Some(Pending { anchor, title });
    }

    /// Ends a section; what follows belongs to the one of the given level around it.
    pub(super) fn section_end(&mut self, around: Level) {
        self.close_all();
        (self.section, self.around) = (None, None);
        self.level = around;
    }

    /// Ends a list of definitions. What follows describes the last of them, if nothing in the list does.
    pub(super) fn definitions_end(&mut self, around: Level) {
        self.close_all();
        let is_bare = self.signed > 0 && self.signed == self.out.len();
        self.section_end(around);
        if is_bare && let Some(level) = self.outline.describe_last(&self.out) {
            (self.around, self.level) = (Some(around), level);
        }
    }

    /// Returns true if a section has begun that has neither heading nor text yet.
    pub(super) fn wants_heading(&self) -> bool {
        self.section.is_some()
    }

    /// Begins the heading of the section that has begun, or else of a new one of this level.
    pub(super) fn heading_start(&mut self, level: Level, anchor: Option<String>) {
        self.close_all();
        let pending = self.section.take();
        let anchor = anchor.or_else(|| pending.and_then(|pending| pending.anchor));
        self.around = None;
        self.gap();
        let start = self.out.len();
        // Markdown knows six levels.
        self.out.extend(std::iter::repeat_n('#', level.clamp(1, 6)));
        self.out.push(' ');
        self.level = level;
        self.heading = Some(Heading { level, anchor, start, text: self.out.len() });
        self.space = false;
    }

    /// Returns true if a heading is open.
    pub(super) fn in_heading(&self) -> bool {
        self.heading.is_some()
    }

    /// Gives the open heading an anchor, if it has none.
    pub(super) fn heading_anchor(&mut self, anchor: &str) {
        if let Some(heading) = &mut self.heading {
            heading.anchor.get_or_insert_with(|| anchor.to_owned());
        }
    }

    /// Gives the open heading an anchor in place of the one it has.
    pub(super) fn set_heading_anchor(&mut self, anchor: String) {
        if let Some(heading) = &mut self.heading {
            heading.anchor = Some(anchor);
        }
    }

    /// The level of the open section around a list of definitions.
    pub(super) fn level(&self) -> Level {
        self.around.unwrap_or(self.level)
    }

    /// Returns true if a section can begin here, outside of lists and tables.
    pub(super) fn may_define(&self) -> bool {
        self.lists.is_empty() && !self.is_aside() && self.heading.is_none()
    }

    /// Begins the signature of a definition, on a line of its own, in the section that has begun, if one has.
    pub(super) fn signature_start(&mut self, level: Level) {
        self.paragraph_break();
        self.join_start(false);
        self.signature = Some(level);
    }

    /// Gives the definition that has begun an anchor, if it has none.
    pub(super) fn signature_anchor(&mut self, id: &str) {
        if let (Some(section), Some(_)) = (&mut self.section, self.signature) {
            section.anchor.get_or_insert_with(|| id.to_owned());
        }
    }

    /// Ends it. The section goes by the name in it.
    pub(super) fn signature_end(&mut self) {
        self.join_end();
        self.signature = None;
        let defines = std::mem::take(&mut self.defines);
        let Some((_, start)) = self.block else { return };
        if defines {
            let name = ibid_text::defined_name(&self.out[start..]).to_owned();
            self.outline.name_last(name);
        }
        // Another signature of the same definition follows behind a blank line.
        let is_signed = defines || start == self.signed + "\n\n".len();
        self.paragraph_break();
        if is_signed {
            self.signed = self.out.len();
        }
    }

    /// The place behind what was written, to come back to.
    pub(super) fn mark(&self) -> Mark {
        let at = self.set_aside().map_or(self.out.len(), Fragment::len);
        let before = self.written().chars().next_back().filter(|_| !self.space);
        Mark { at, line: self.line, in_caption: self.in_caption, in_table: self.table.is_some(), before }
    }

    /// The text that was written since.
    pub(super) fn since(&self, mark: &Mark) -> &str {
        let text = self.written_since(mark);
        // The number in the sign of an item is no text.
        let behind = text.trim_start().split_once(' ').map_or("", |(_, text)| text);
        if mark.line == Line::Item && !text.is_empty() { behind } else { text }
    }

    fn written_since(&self, mark: &Mark) -> &str {
        let written = self.written();
        let length = self.set_aside().map_or(self.out.len(), Fragment::len).saturating_sub(mark.at);
        let is_here = (mark.in_caption, mark.in_table) == (self.in_caption, self.table.is_some());
        // Of a cell that has ended, the place is noted.
        let is_open = self.in_caption || self.table.as_ref().is_none_or(|table| table.in_cell);
        let since = written.get(written.len().saturating_sub(length)..);
        since.filter(|_| is_here && is_open).unwrap_or_default()
    }

    /// Takes that text back. What follows stands where it stood.
    pub(super) fn take_back(&mut self, mark: &Mark) {
        let length = self.written_since(mark).len();
        if length == 0 {
            return;
        }
        (self.line, self.space, self.raised) = (mark.line, false, false);
        if let Some(fragment) = self.fragment() {
            return fragment.truncate(fragment.len() - length);
        }
        let end = self.out.len() - length;
        self.out.truncate(end);
        self.origin.truncate(end);
    }

    /// Ends the open heading. One without text leaves no trace.
    pub(super) fn heading_end(&mut self) {
        let Some(heading) = self.heading.take() else { return };
        let title = self.out[heading.text..].trim_end().to_owned();
        self.space = false;
        if title.is_empty() {
            self.out.truncate(heading.start);
            self.origin.truncate(heading.start);
            return;
        }
        self.look = BlockLook::default();
        self.outline.heading(heading.level, title, heading.anchor, heading.start..self.out.len());
    }

    /// The text of the first heading of level 1.
    pub(super) fn first_title(&self) -> Option<&str> {
        self.outline.first_title()
    }

    /// Ends whatever heading, lists and block are open.
    fn close_all(&mut self) {
        self.heading_end();
        self.lists.clear();
        self.joined = 0;
        self.close_block();
    }

    fn close_block(&mut self) {
        self.close_code();
        (self.space, self.stop, self.line) = (false, false, Line::Same);
        let Some((open, start)) = self.block.take() else { return };
        if self.out.len() == start {
            return;
        }
        let kind = match open {
            Open::Paragraph => BlockKind::Paragraph,
            Open::List => BlockKind::List,
            Open::Code => BlockKind::Code,
        };
        self.add_block(kind, start..self.out.len());
    }

    /// Lets what comes next begin behind a blank line.
    fn gap(&mut self) {
        let blank = if self.out.is_empty() || self.out.ends_with("\n\n") {
            ""
        } else if self.out.ends_with('\n') {
            "\n"
        } else {
            "\n\n"
        };
        self.out.push_str(blank);
    }

    /// Opens a block, in the section that it belongs to.
    fn open_block(&mut self, open: Open) {
        if self.section.is_some() {
            self.show_section();
        } else {
            self.outline.resume(self.level);
        }
        self.gap();
        self.space = false;
        self.look.place = self.place;
        self.block_weight = self.weight;
        self.block = Some((open, self.out.len()));
    }

    /// Lets the section that has begun without a heading be one, under the title that it was given.
    fn show_section(&mut self) {
        let Some(Pending { anchor, title }) = self.section.take() else { return };
        let lists = std::mem::take(&mut self.lists);
        match title {
            Some(title) => {
                self.heading_start(self.level, anchor);
                self.out.push_str(title);
                self.heading_end();
            }
            None => self.outline.heading(self.level, String::new(), anchor, self.out.len()..self.out.len()),
        }
        self.lists = lists;
    }

    /// Writes text whose place in the file is `read`, or that is not in the file.
    fn put(&mut self, text: &str, read: Option<Range<usize>>) {
        if let Some(fragment) = self.fragment() {
            return fragment.push(text, read);
        }
        let start = self.out.len();
        self.out.push_str(text);
        if let Some(read) = read {
            self.origin.push_through(start..self.out.len(), read, &self.decoded);
        }
    }

    fn set_aside(&self) -> Option<&Fragment> {
        if self.in_caption { Some(&self.caption) } else { self.table.as_ref().map(|table| &table.fragment) }
    }

    /// The place where text goes that is set aside.
    fn fragment(&mut self) -> Option<&mut Fragment> {
        if self.in_caption {
            return Some(&mut self.caption);
        }
        self.table.as_mut().map(|table| &mut table.fragment)
    }
}
