//! From tags to the writer.

use std::ops::Range;

use super::super::writer::{Writer, resolved};
use super::super::{Document, Origin, Warning};
use super::element::{HtmlElement, ends_at, is_badge, is_void, is_whole_name};
use super::furniture::{is_label, may_list, note_kind};
use super::head::Head;
use super::marks::AuthorMarks;
use super::math::Math;
use super::note::OpenLink;
use super::structure::ElementRole;
use crate::tags::Tag;

/// The levels above code at which an element may say its language.
pub(super) const LANGUAGE_SEARCH: usize = 6;
/// The height to which an end tag is looked for among the open elements, which keeps broken pages linear.
pub(super) const END_SEARCH: usize = 128;

#[derive(Default)]
pub(super) struct HtmlReader<'a> {
    source: &'a str,
    pub(super) writer: Writer<'a>,
    head: Head,
    pub(super) stack: Vec<HtmlFrame>,
    /// The name of the element that is being left out, and how many of that name are open.
    pub(super) skipping: Option<(String, usize)>,
    /// The rank of the content that was found: 0 in a body, 1 in an article, 2 in the main element, 3 if a mark says so.
    best: u8,
    /// The number of elements of the best kind that are open.
    inside: usize,
    /// The id of what the next heading stands in or behind.
    near_id: Option<String>,
    /// The id of the section that has begun, until it has a heading.
    section_id: Option<String>,
    /// All ids since the last heading.
    pub(super) ids: Vec<String>,
    /// The level of the section around each list of definitions that is open, and whether the next term begins one.
    levels: Vec<usize>,
    begins_definition: bool,
    /// The name of a term has ended, a span begun directly behind it, and a colon been written.
    classified: Classified,
    /// The link that is open, and the superscript.
    pub(super) link: Option<OpenLink>,
    pub(super) raised: Option<OpenLink>,
    /// The number of open spans that are wholes, and of elements of code: the spans within are the highlighter's.
    badges: usize,
    codes: usize,
    math: Math,
    in_title: bool,
    in_head: bool,
    /// The number of links that are open, and how many bytes of text stand in links and in all.
    links: usize,
    linked: usize,
    read: usize,
}

/// The way from the name in a term to what is said of it.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Classified {
    #[default]
    No,
    Named,
    Begun,
    Told,
}

pub(super) struct HtmlFrame {
    pub(super) name: String,
    pub(super) element: HtmlElement,
    /// The language of the code in it, if it says one.
    pub(super) language: Option<String>,
    /// The elements around it and itself, as a number.
    pub(super) place: u32,
}

impl<'a> HtmlReader<'a> {
    pub(super) fn new(source: &'a str, origin: Origin) -> Self {
        Self { source, writer: Writer::new(source, origin), ..Self::default() }
    }

    /// Returns true if nothing was found that could be searched.
    pub(super) fn is_empty(&self) -> bool {
        self.writer.is_empty()
    }

    /// Returns why the page is left out, if it is not for readers.
    pub(super) fn reason(&self, source: &str) -> Option<&'static str> {
        let is_list = || may_list(source) && self.linked * 5 > self.read * 2;
        self.head.reason(self.read).or_else(|| is_list().then_some("it only lists other pages"))
    }

    pub(super) fn finish(self, source: String, mut warnings: Vec<Warning>, marks: AuthorMarks) -> Document {
        let (mut metadata, mut title) = self.head.into_metadata(self.writer.first_title());
        if marks.fields.iter().any(|(name, _)| name == "title") {
            // One that the author marks is not compared with those of other pages.
            title.clear();
        }
        metadata.put_all(marks.fields, &mut warnings);
        warnings.extend(marks.warnings);
        let mut document = self.writer.finish(source, metadata, warnings);
        document.page.title = title;
        document.page.has_body = !marks.bodies.is_empty();
        document.entitle_manual();
        document
    }

    pub(super) fn text(&mut self, range: Range<usize>) {
        if let Some((name, _)) = &self.skipping {
            if name == "noscript" {
                self.head.unscripted(&self.source[range]);
            }
            return;
        }
        if self.in_title {
            self.head.title.push_str(&resolved(&self.source[range]));
        } else if self.is_content() {
            let is_blank = self.source[range.clone()].bytes().all(|byte| byte.is_ascii_whitespace());
            if is_blank && self.math.is_open() {
                return;
            }
            if !is_blank && !self.writer.in_heading() {
                self.near_id = None;
                self.read += range.len();
                self.linked += if self.links > 0 { range.len() } else { 0 };
            }
            if !is_blank {
                self.writer.count(range.len(), self.links > 0);
            }
            let text = self.source[range.clone()].trim_start();
            // The colon behind a kind that is not shown.
            let is_sign = matches!(self.innermost(), HtmlElement::Term | HtmlElement::Signature)
                && self.writer.begins_line()
                && text.trim_end() == ":";
            if is_sign {
                return;
            }
            self.classified = match self.classified {
                Classified::Begun if text.starts_with(char::is_alphanumeric) => {
                    self.writer.colon();
                    Classified::Told
                }
                Classified::Told => Classified::Told,
                _ => Classified::No,
            };
            self.writer.text(range);
        }
    }

    /// Finds the innermost element that is open.
    pub(super) fn innermost(&self) -> HtmlElement {
        self.stack.last().map_or(HtmlElement::Block, |frame| frame.element)
    }

    /// Returns true if what stands here is part of the best content that was found.
    pub(super) fn is_content(&self) -> bool {
        self.best == 0 || self.inside > 0
    }

    /// Reads a start tag. `is_kept` says that what is in it is content, though it looks like furniture.
    pub(super) fn start(&mut self, tag: &Tag, is_kept: bool, role: Option<ElementRole>) {
        if let Some((name, open)) = &mut self.skipping {
            if !ends_at(name, &tag.name, true) {
                *open += usize::from(*name == tag.name);
                return;
            }
            self.skipping = None;
        }
        let in_code = self.is_content() && self.writer.in_code();
        let element = if role == Some(ElementRole::LeftOut) {
            HtmlElement::Skipped
        } else if in_code {
            HtmlElement::in_code(tag, is_kept)
        } else {
            let element = HtmlElement::of(tag, is_kept);
            match role {
                Some(ElementRole::Label) if element != HtmlElement::Skipped => HtmlElement::Block,
                Some(ElementRole::Definitions) if self.writer.may_define() => HtmlElement::Definitions,
                _ => self.by_place(element),
            }
        };
        if self.classified == Classified::Named && tag.name == "span" {
            self.classified = Classified::Begun;
        }
        let in_listing = self.stack.last().is_some_and(|frame| frame.language.is_some());
        let is_left_out = match element {
            HtmlElement::Skipped => true,
            _ if is_label(tag, in_code, in_listing) => true,
            // Within the content, a header has its title and an aside a remark.
            HtmlElement::Around => self.best == 0 || self.inside == 0 || tag.name == "footer",
            _ => false,
        };
        if is_left_out && !is_void(&tag.name) {
            self.skipping = Some((tag.name.clone(), 1));
            return;
        }
        if element == HtmlElement::Meta {
            self.head.meta(tag);
        }
        self.enter(element.rank());
        self.end_implied(element);
        if self.is_content() && !in_code && !is_void(&tag.name) {
            self.math.start(&tag.name).into_iter().for_each(|sign| self.writer.sign(sign));
        }
        self.codes += usize::from(tag.name == "code");
        if is_whole_name(&tag.name) || (is_badge(tag) && self.codes == 0) {
            self.writer.whole(true);
            self.badges += usize::from(tag.name == "span");
        }
        if in_code {
            self.begin_in_code(element, tag);
        } else if self.is_content() {
            self.begin(element, tag);
        }
        self.in_title = element == HtmlElement::Title && self.stack.iter().all(|frame| frame.name != "svg");
        // Of elements within lines of code, the end of one must not be taken for the line's.
        let is_tracked = element.is_tracked() || (in_code && element == HtmlElement::Inline);
        if is_tracked && !is_void(&tag.name) {
            let is_plain = matches!(element, HtmlElement::Block | HtmlElement::CodeTable);
            let language = if is_plain { tag.language() } else { None };
            self.links += usize::from(element == HtmlElement::Link);
            let place = self.place(tag, element);
            self.writer.at(place);
            let language = language.map(str::to_owned);
            self.stack.push(HtmlFrame { name: tag.name.clone(), element, language, place });
        }
    }

    /// An element begins that is content by its rank.
    pub(super) fn enter(&mut self, rank: u8) {
        if rank > self.best {
            // All that was written stood around the content.
            self.writer.restart();
            (self.linked, self.read, self.inside) = (0, 0, 0);
            self.best = rank;
            self.near_id = None;
        }
        self.inside += usize::from(rank > 0 && rank == self.best);
    }

    fn begin(&mut self, element: HtmlElement, tag: &Tag) {
        self.keep_id(tag);
        match element {
            HtmlElement::Heading(level) => {
                let (near, section) = (self.near_id.take(), self.section_id.take());
                let anchor = tag.id().map(str::to_owned).or(section).or(near);
                self.writer.heading_start(level, anchor);
            }
            HtmlElement::Body
            | HtmlElement::Main
            | HtmlElement::Article
            | HtmlElement::Around
            | HtmlElement::Block
            | HtmlElement::CodeTable
            | HtmlElement::Summary
            | HtmlElement::Paragraph => {
                self.writer.paragraph_break();
            }
            HtmlElement::List | HtmlElement::NumberedList | HtmlElement::DefinitionList => {
                self.writer.list_start(element == HtmlElement::NumberedList);
            }
            HtmlElement::Item | HtmlElement::Term => {
                self.classified = Classified::No;
                self.writer.item_start();
            }
            HtmlElement::Definition if self.classified == Classified::Told => self.writer.line_break(),
            HtmlElement::Definition => self.writer.colon(),
            HtmlElement::Definitions => {
                self.writer.paragraph_break();
                self.levels.push(self.writer.level());
                self.begins_definition = true;
            }
            HtmlElement::Signature => {
                let level = self.levels.last().map_or(1, |level| (*level).max(1)) + 1;
                let near = self.near_id.take();
                if std::mem::take(&mut self.begins_definition) {
                    self.writer.section_start(level, tag.id().map(str::to_owned).or(near), None);
                }
                self.writer.signature_start(level);
            }
            HtmlElement::Described => {
                self.writer.paragraph_break();
                self.begins_definition = true;
            }
            HtmlElement::Code => {
                self.writer.code_start();
                let mut around = self.stack.iter().rev().take(LANGUAGE_SEARCH);
                let language = tag.language().or_else(|| around.find_map(|frame| frame.language.as_deref()));
                if let Some(language) = language {
                    self.writer.code_language(language);
                }
            }
            HtmlElement::Break => self.writer.line_break(),
            HtmlElement::Superscript => self.raise(tag),
            HtmlElement::Table => self.writer.table_start(),
            HtmlElement::TableHead => self.in_head = true,
            HtmlElement::Caption => self.writer.caption_start(),
            HtmlElement::Row => self.writer.row_start(self.in_head),
            HtmlElement::Cell | HtmlElement::HeaderCell => {
                let (columns, rows) = (tag.span("colspan"), tag.span("rowspan"));
                self.writer.cell_start(element == HtmlElement::HeaderCell, columns, rows);
            }
            HtmlElement::Link => self.open_link(tag),
            HtmlElement::Inline => {
                if let Some(kind) = note_kind(tag) {
                    self.writer.literal(kind);
                    self.writer.space();
                }
            }
            HtmlElement::Skipped
            | HtmlElement::Button
            | HtmlElement::TableBody
            | HtmlElement::Title
            | HtmlElement::Meta
            | HtmlElement::CodeLine => {}
        }
    }

    /// Keeps the id of an element for the heading around it, or the next one.
    fn keep_id(&mut self, tag: &Tag) {
        self.ids.extend(tag.id().map(str::to_owned));
        if self.innermost() == HtmlElement::Signature {
            if let Some(id) = tag.id().or_else(|| tag.get("name").filter(|_| tag.name == "a")) {
                self.writer.signature_anchor(id);
            }
        } else if self.writer.in_heading() {
            if let Some(id) = tag.id().or_else(|| tag.get("name")) {
                self.writer.heading_anchor(id);
            }
        } else if let Some(id) = tag.id().or_else(|| tag.get("name").filter(|_| tag.name == "a")) {
            self.near_id = Some(id.to_owned());
        }
        if tag.name == "section" {
            self.section_id = tag.id().map(str::to_owned);
        }
    }

    /// Within code an element means at most that a line begins.
    fn begin_in_code(&mut self, element: HtmlElement, tag: &Tag) {
        if let Some(language) = tag.language() {
            self.writer.code_language(language);
        }
        match element {
            HtmlElement::Break => self.writer.code_break(),
            HtmlElement::CodeLine => {
                self.writer.code_line_start();
                for (class, mark) in [("del", "- "), ("ins", "+ ")] {
                    if tag.has_class(|known| known == class) {
                        self.writer.code_mark(mark);
                    }
                }
            }
            HtmlElement::Block => self.writer.code_edge(),
            _ => {}
        }
    }

    pub(super) fn end(&mut self, name: &str) {
        if let Some((skipped, open)) = &mut self.skipping {
            let ends_here = skipped == name;
            *open -= usize::from(ends_here);
            if *open > 0 && !ends_at(skipped, name, false) {
                return;
            }
            self.skipping = None;
            if ends_here {
                return;
            }
        }
        if self.math.is_open() {
            self.writer.sign(self.math.end(name));
        }
        if name == "section" {
            self.section_id = None;
        }
        if matches!(name, "strong" | "b" | "code" | "dfn" | "tt" | "var")
            && self.innermost() == HtmlElement::Term
        {
            self.classified = Classified::Named;
        }
        self.codes -= usize::from(name == "code").min(self.codes);
        let ends_badge = name == "span" && self.badges > 0;
        if ends_badge || is_whole_name(name) {
            self.badges -= usize::from(ends_badge);
            self.writer.whole(false);
        }
        if name == "p" && self.is_content() && !self.writer.in_code() {
            return self.writer.paragraph_break();
        }
        let near = self.stack.iter().rev().take(END_SEARCH);
        // An end tag never ends a table that it does not stand around.
        let is_cell_part =
            matches!(name, "td" | "th" | "tr" | "table" | "thead" | "tbody" | "tfoot" | "body" | "html");
        let mut reach = near
            .take_while(|frame| is_cell_part || frame.element != HtmlElement::Table || frame.name == name);
        let Some(inner) = reach.position(|frame| frame.name == name) else { return };
        for _ in 0..=inner {
            self.end_last();
        }
    }

    pub(super) fn end_last(&mut self) {
        let Some(frame) = self.stack.pop() else { return };
        match frame.element {
            _ if !self.is_content() => {}
            HtmlElement::CodeLine => self.writer.code_line_end(),
            HtmlElement::Block if self.writer.in_code() => self.writer.code_edge(),
            element => self.close(element),
        }
        self.writer.at(self.stack.last().map_or(0, |frame| frame.place));
        let rank = frame.element.rank();
        if rank > 0 && rank == self.best {
            self.inside = self.inside.saturating_sub(1);
        }
        if frame.element == HtmlElement::Title {
            self.in_title = false;
        }
        self.links -= usize::from(frame.element == HtmlElement::Link).min(self.links);
    }

    fn close(&mut self, element: HtmlElement) {
        match element {
            HtmlElement::Heading(_) => {
                self.writer.heading_end();
                self.ids.clear();
            }
            HtmlElement::Signature => {
                self.writer.signature_end();
                self.ids.clear();
            }
            HtmlElement::Described => self.writer.paragraph_break(),
            HtmlElement::Definitions => {
                self.begins_definition = true;
                match self.levels.pop() {
                    Some(level) if self.levels.is_empty() => self.writer.definitions_end(level),
                    level => self.writer.section_end(level.unwrap_or_default()),
                }
            }
            HtmlElement::Body
            | HtmlElement::Main
            | HtmlElement::Article
            | HtmlElement::Around
            | HtmlElement::Block
            | HtmlElement::CodeTable
            | HtmlElement::Summary => {
                self.writer.paragraph_break();
            }
            HtmlElement::List | HtmlElement::NumberedList | HtmlElement::DefinitionList => {
                self.writer.list_end();
            }
            HtmlElement::Code => self.writer.code_end(),
            HtmlElement::Superscript => {
                self.writer.superscript(false);
                let raised = self.raised.take();
                self.leave_out_mark(raised);
            }
            HtmlElement::Table => {
                self.writer.table_end();
                self.writer.caption_flush();
            }
            HtmlElement::TableHead => self.in_head = false,
            HtmlElement::Caption => self.writer.caption_end(),
            HtmlElement::Cell | HtmlElement::HeaderCell => self.writer.cell_end(),
            HtmlElement::Link => {
                let link = self.link.take();
                // That of superscript is judged with what stands around the link.
                if self.raised.is_none() {
                    self.leave_out_mark(link);
                }
            }
            _ => {}
        }
    }
}
