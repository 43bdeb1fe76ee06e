//! From elements to the writer.

use std::ops::Range;

use quick_xml::events::BytesStart;

use super::super::outline::Level;
use super::super::writer::{Writer, resolved};
use super::super::{Document, Origin, Warning};
use super::element::{Element, is_about_authors, is_no_content};
use super::front::{Field, Front};

/// How far up an end tag is looked for among the open elements, which keeps broken files linear.
const END_SEARCH: usize = 128;
/// How far ahead the end of superscript is looked for.
const LOOK_AHEAD: usize = 400;

pub(super) struct Reader<'a> {
    source: &'a str,
    /// The title of the book, for parts of it that do not say.
    book: Option<&'a str>,
    writer: Writer<'a>,
    front: Front,
    stack: Vec<Frame<'a>>,
    /// How many elements were open outside the one that is being left out.
    skipping: Option<usize>,
    /// The field whose text is being collected, with how many elements are open outside it.
    field: Option<(Field, String, usize)>,
    /// The level of the section that is open.
    level: Level,
    has_title: bool,
    in_head: bool,
    /// Articles within the article: comments, replies, translations.
    in_other: usize,
    superscripts: usize,
    unmatched: usize,
}

struct Frame<'a> {
    name: &'a str,
    element: Element,
    /// Whether text in it is no part of the document.
    is_hidden: bool,
    /// What was the level outside.
    level: Level,
    /// How many children it has had.
    children: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a str, origin: Origin, book: Option<&'a str>) -> Self {
        Self {
            source,
            book,
            writer: Writer::new(source, origin),
            front: Front::default(),
            stack: Vec::new(),
            skipping: None,
            field: None,
            level: 1,
            has_title: false,
            in_head: false,
            in_other: 0,
            superscripts: 0,
            unmatched: 0,
        }
    }

    /// Whether nothing was found that could be searched.
    pub(super) fn is_empty(&self) -> bool {
        self.writer.is_empty()
    }

    pub(super) fn is_open(&self) -> bool {
        !self.stack.is_empty()
    }

    pub(super) fn finish(self, source: String, mut warnings: Vec<Warning>) -> Document {
        if self.unmatched > 0 {
            let count = self.unmatched.to_string();
            warnings.push(Warning::new("end tags that match no element are passed over", count));
        }
        self.writer.finish(source, self.front.into_metadata(), warnings)
    }

    pub(super) fn into_title(self) -> Option<String> {
        self.writer.first_title().map(str::to_owned)
    }

    pub(super) fn text(&mut self, range: Range<usize>) {
        if let Some((_, text, _)) = &mut self.field {
            text.push_str(&resolved(&self.source[range]));
        } else if self.is_read() {
            self.writer.text(range);
        }
    }

    pub(super) fn verbatim(&mut self, range: Range<usize>) {
        let Some(text) = self.source.get(range.clone()) else { return };
        if let Some((_, kept, _)) = &mut self.field {
            kept.push_str(text);
        } else if self.is_read() {
            self.writer.verbatim(range);
        }
    }

    /// Whether text here is part of the document.
    fn is_read(&self) -> bool {
        let Some(frame) = self.stack.last() else { return false };
        let is_between_tokens = matches!(
            frame.element,
            Element::Math | Element::Fraction | Element::Power | Element::Root | Element::MathRow
        );
        self.skipping.is_none() && !frame.is_hidden && !is_between_tokens
    }

    fn parent(&self) -> Option<Element> {
        self.stack.last().map(|frame| frame.element)
    }

    /// An element begins, whose tag stands from `at` to `end`.
    pub(super) fn start(&mut self, tag: &BytesStart<'_>, at: usize, end: usize) {
        // The name as a part of the file, which outlives the event.
        let written = self.source.get(at + 1..at + 1 + tag.name().as_ref().len()).unwrap_or_default();
        let name = written.rsplit(':').next().unwrap_or(written);
        let mut element = Element::of(name);
        let is_hidden = self.stack.last().is_some_and(|frame| frame.is_hidden);
        let parent = self.parent();
        if let Some(parent) = self.stack.last_mut() {
            parent.children += 1;
        }
        let (level, mut hides) = (self.level, is_hidden);
        if self.field.is_some() {
            element = Element::Inline;
        } else if self.skipping.is_none() {
            if is_hidden {
                element = self.start_hidden(name, element, parent, tag);
                hides = !matches!(element, Element::MainTitle | Element::Subtitle | Element::Abstract);
            } else if element == Element::Front {
                hides = true;
            }
            if self.is_left_out(element, parent, tag, end) {
                self.skipping = Some(self.stack.len());
            } else if !(hides && element == Element::Inline) {
                element = self.begin(element, parent, name, tag);
            }
        }
        self.stack.push(Frame { name, element, is_hidden: hides, level, children: 0 });
    }

    /// Whether the element is left out with all that is in it.
    fn is_left_out(
        &self,
        element: Element,
        parent: Option<Element>,
        tag: &BytesStart<'_>,
        end: usize,
    ) -> bool {
        let ahead = || {
            let limit = self.source.floor_char_boundary((end + LOOK_AHEAD).min(self.source.len()));
            self.source.get(end..limit).unwrap_or_default()
        };
        match element {
            Element::Skipped => true,
            // Some publishers mark these up as sections like any other.
            Element::Section(_) => ahead()
                .trim_start()
                .strip_prefix("<title>")
                .and_then(|title| title.split('<').next())
                .is_some_and(is_no_content),
            Element::Footnote => attribute(tag, "fn-type").is_some_and(|kind| is_about_authors(&kind)),
            Element::Abstract => attribute(tag, "abstract-type")
                .is_some_and(|kind| matches!(kind.as_str(), "graphical" | "toc" | "teaser" | "video")),
            Element::Tex => parent == Some(Element::Alternatives),
            Element::CrossReference => {
                attribute(tag, "ref-type").is_some_and(|kind| kind == "bibr")
                    && (self.superscripts > 0 || ahead().trim_start().starts_with("<sup"))
            }
            Element::Superscript => {
                let inside = ahead().split("</sup>").next().unwrap_or_default();
                inside.contains("\"bibr\"") || inside.contains("'bibr'")
            }
            _ => false,
        }
    }

    /// In the front matter: what an element is there, where only titles and the abstract are text.
    fn start_hidden(
        &mut self,
        name: &str,
        element: Element,
        parent: Option<Element>,
        tag: &BytesStart<'_>,
    ) -> Element {
        let in_group = parent == Some(Element::TitleGroup);
        let field = match (name, parent) {
            ("journal-title", _) => Some(Field::Journal),
            ("article-id" | "book-id" | "book-part-id", _) => {
                let kind = ["pub-id-type", "book-id-type", "book-part-id-type"];
                match kind.iter().find_map(|name| attribute(tag, name)).as_deref() {
                    Some("pmid") => Some(Field::Pmid),
                    Some("doi") => Some(Field::Doi),
                    _ => None,
                }
            }
            ("year", Some(Element::PublicationDate)) => Some(Field::Year),
            ("month", Some(Element::PublicationDate)) => Some(Field::Month),
            ("day", Some(Element::PublicationDate)) => Some(Field::Day),
            _ => None,
        };
        if let (Some(field), 0) = (field, self.in_other) {
            self.field = Some((field, String::new(), self.stack.len()));
        }
        if name == "self-uri"
            && let Some(address) = attribute(tag, "href")
            && address.starts_with("http")
            && !address.to_ascii_lowercase().ends_with(".pdf")
        {
            self.front.address.get_or_insert(address);
        }
        match element {
            Element::MainTitle | Element::Title | Element::Label if in_group => Element::MainTitle,
            Element::Subtitle if in_group => Element::Subtitle,
            Element::Abstract
            | Element::Skipped
            | Element::TitleGroup
            | Element::Front
            | Element::PublicationDate => element,
            _ => Element::Inline,
        }
    }

    fn begin(
        &mut self,
        element: Element,
        parent: Option<Element>,
        name: &str,
        tag: &BytesStart<'_>,
    ) -> Element {
        if self.stack.is_empty() {
            self.root(name, tag);
        }
        let id = || attribute(tag, "id").filter(|id| !id.is_empty());
        let span = |name: &str| attribute(tag, name).and_then(|span| span.trim().parse().ok()).unwrap_or(1);
        let is_section = matches!(parent, Some(Element::Section(_) | Element::Part | Element::Abstract));
        match element {
            Element::Section(title) => {
                self.in_other += usize::from(matches!(name, "sub-article" | "response"));
                self.section(id(), title);
            }
            Element::Abstract => self.section(id(), Some("Abstract")),
            Element::Part => {
                if let (false, Some(book)) = (self.has_title, self.book) {
                    self.writer.heading_start(1, None);
                    self.writer.literal(book);
                    self.writer.heading_end();
                    self.has_title = true;
                }
                // Of a part that is a file of its own, without its book's title, the title is the document's.
                if self.has_title {
                    self.section(id(), None);
                }
            }
            Element::MainTitle => {
                if self.writer.in_heading() {
                    self.writer.space();
                } else if self.writer.wants_heading() || !self.has_title {
                    self.writer.heading_start(self.level, None);
                } else {
                    self.skipping = Some(self.stack.len());
                }
                self.has_title = true;
            }
            Element::Subtitle if self.writer.in_heading() => {
                self.writer.literal(":");
                self.writer.space();
            }
            Element::Subtitle => self.skipping = Some(self.stack.len()),
            Element::Title | Element::Label if is_section && self.writer.in_heading() => self.writer.space(),
            Element::Title | Element::Label if is_section && self.writer.wants_heading() => {
                self.writer.heading_start(self.level, None);
            }
            Element::Title => self.writer.paragraph_break(),
            Element::Label | Element::Caption if parent == Some(Element::TableWrap) => {
                self.writer.caption_start();
            }
            Element::Paragraph | Element::TableWrap => self.block(),
            Element::Footnote => {
                self.block();
                self.writer.join_start(false);
            }
            Element::List => {
                self.writer.heading_end();
                self.writer.list_start(attribute(tag, "list-type").is_some_and(|kind| kind == "order"));
            }
            Element::Item | Element::DefinitionItem => self.writer.item_start(),
            Element::Definition => {
                self.writer.literal(":");
                self.writer.space();
                self.writer.join_start(false);
            }
            Element::Caption | Element::Figure => {
                self.block();
                self.writer.join_start(true);
            }
            Element::Table => self.writer.table_start(),
            Element::TableHead => self.in_head = true,
            Element::Row => self.writer.row_start(self.in_head),
            Element::Cell | Element::HeaderCell => {
                self.writer.cell_start(element == Element::HeaderCell, span("colspan"), span("rowspan"));
            }
            Element::Code => {
                self.writer.heading_end();
                self.writer.code_start();
            }
            Element::Break => self.writer.line_break(),
            Element::Superscript => {
                self.superscripts += 1;
                self.writer.superscript(true);
            }
            Element::PublicationDate => {
                let kind = ["pub-type", "date-type", "publication-format"];
                let kind = kind.iter().find_map(|name| attribute(tag, name)).unwrap_or_default();
                self.front.date_start(&kind);
            }
            _ => self.begin_math(element),
        }
        element
    }

    /// Writes what stands between the parts of a formula.
    fn begin_math(&mut self, element: Element) {
        let Some(parent) = self.stack.last() else { return };
        let (kind, child) = (parent.element, parent.children);
        match (kind, child) {
            (Element::Fraction, 2) => self.writer.literal("/"),
            (Element::Power, 2) => self.writer.literal("^"),
            _ => {}
        }
        let groups = element == Element::MathRow && matches!(kind, Element::Fraction | Element::Power);
        match element {
            Element::Root => self.writer.literal("√("),
            _ if groups => self.writer.literal("("),
            _ => {}
        }
    }

    /// What the first element of the file says of the document.
    fn root(&mut self, name: &str, tag: &BytesStart<'_>) {
        self.front.language = attribute(tag, "xml:lang").filter(|language| !language.is_empty());
        self.front.document_type = match name {
            "article" => attribute(tag, "article-type"),
            "book-part" => attribute(tag, "book-part-type"),
            _ => Some("book".to_owned()),
        };
    }

    fn section(&mut self, anchor: Option<String>, title: Option<&'static str>) {
        self.level += 1;
        self.writer.section_start(self.level, anchor, title);
    }

    /// A paragraph or the like begins or ends.
    fn block(&mut self) {
        if self.writer.in_heading() {
            self.writer.heading_end();
        }
        self.writer.paragraph_break();
    }

    /// The element that began last has no content.
    pub(super) fn end_last(&mut self) {
        if let Some(frame) = self.stack.pop() {
            self.close(&frame);
        }
    }

    /// An element ends, and with it all that are open within it.
    pub(super) fn end(&mut self, name: &str) {
        let near = self.stack.iter().rev().take(END_SEARCH);
        let Some(inner) = near.map(|frame| frame.name).position(|open| open == name) else {
            self.unmatched += 1;
            return;
        };
        for _ in 0..=inner {
            self.end_last();
        }
    }

    fn close(&mut self, frame: &Frame<'a>) {
        if let Some(outside) = self.skipping {
            if self.stack.len() <= outside {
                self.skipping = None;
            }
            return;
        }
        if let Some((field, text, outside)) = self.field.take() {
            if self.stack.len() > outside {
                self.field = Some((field, text, outside));
            } else {
                self.front.keep(field, &text);
            }
            return;
        }
        let parent = self.parent();
        match frame.element {
            Element::Section(_) | Element::Abstract | Element::Part => {
                if matches!(frame.name, "sub-article" | "response") {
                    self.in_other = self.in_other.saturating_sub(1);
                }
                if self.level != frame.level {
                    self.level = frame.level;
                    self.writer.section_end(frame.level);
                }
            }
            Element::TitleGroup => self.writer.heading_end(),
            Element::Title => {
                self.writer.heading_end();
                self.writer.paragraph_break();
            }
            Element::Label | Element::Caption if parent == Some(Element::TableWrap) => {
                self.writer.caption_end();
            }
            Element::Label if parent == Some(Element::Figure) => self.writer.end_sentence(),
            Element::Label => self.writer.space(),
            Element::Paragraph => self.writer.paragraph_break(),
            Element::List => self.writer.list_end(),
            Element::Definition => self.writer.join_end(),
            Element::Caption | Element::Figure | Element::Footnote => {
                self.writer.join_end();
                self.writer.paragraph_break();
            }
            Element::TableWrap => {
                self.writer.caption_flush();
                self.writer.paragraph_break();
            }
            Element::Table => self.writer.table_end(),
            Element::TableHead => self.in_head = false,
            Element::Cell | Element::HeaderCell => self.writer.cell_end(),
            Element::Code => self.writer.code_end(),
            Element::Superscript => {
                self.superscripts = self.superscripts.saturating_sub(1);
                self.writer.superscript(false);
            }
            Element::PublicationDate => self.front.date_end(),
            Element::Root => self.writer.literal(")"),
            Element::MathRow if matches!(parent, Some(Element::Fraction | Element::Power)) => {
                self.writer.literal(")");
            }
            _ => {}
        }
    }
}

/// An attribute's value with its references resolved, by its name with or without prefix.
fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    // Looking for duplicates would be quadratic in the number of attributes.
    let mut attributes = tag.attributes();
    attributes.with_checks(false).flatten().find_map(|attribute| {
        let key = attribute.key;
        let matches = key.as_ref() == name || key.local_name().as_ref() == name;
        matches.then(|| resolved(&attribute.value))
    })
}
