//! From elements to the writer.

use std::ops::Range;

use quick_xml::events::BytesStart;

use super::super::outline::Level;
use super::super::writer::{Writer, resolved};
use super::super::{Document, Origin, Warning};
use super::element::{NxmlElement, is_about_authors, is_no_content};
use super::front::{ArticleField, Front};

/// The height to which an end tag is looked for among the open elements, which keeps broken files linear.
const END_SEARCH: usize = 128;
/// The distance ahead to which the end of superscript is looked for.
const LOOK_AHEAD: usize = 400;

#[derive(Default)]
pub(super) struct NxmlReader<'a> {
    source: &'a str,
    /// The title of the book, for parts of it that do not say.
    book: Option<&'a str>,
    writer: Writer<'a>,
    front: Front,
    stack: Vec<NxmlFrame<'a>>,
    /// The number of elements that were open outside the one that is being left out.
    skipping: Option<usize>,
    /// The field whose text is being collected, with how many elements are open outside it.
    field: Option<(ArticleField, String, usize)>,
    /// The level of the section that is open.
    level: Level,
    has_title: bool,
    in_head: bool,
    /// Articles within the article: comments, replies, translations.
    in_other: usize,
    superscripts: usize,
    unmatched: usize,
}

struct NxmlFrame<'a> {
    name: &'a str,
    element: NxmlElement,
    /// True if text in it is no part of the document.
    is_hidden: bool,
    /// The level outside.
    level: Level,
    /// The number of children it has had.
    children: usize,
}

impl<'a> NxmlReader<'a> {
    pub(super) fn new(source: &'a str, origin: Origin, book: Option<&'a str>) -> Self {
        Self { source, book, writer: Writer::new(source, origin), level: 1, ..Self::default() }
    }

    /// Returns true if nothing was found that could be searched.
    pub(super) fn is_empty(&self) -> bool {
        self.writer.is_empty()
    }

    pub(super) fn is_open(&self) -> bool {
        !self.stack.is_empty()
    }

    pub(super) fn finish(self, source: String, mut warnings: Vec<Warning>) -> Document {
        if self.unmatched > 0 {
            let count = self.unmatched.to_string();
            warnings.push(Warning::new("end tags that match no element are ignored", count));
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

    /// Returns true if text here is part of the document.
    fn is_read(&self) -> bool {
        let Some(frame) = self.stack.last() else { return false };
        let is_between_tokens = matches!(
            frame.element,
            NxmlElement::Math
                | NxmlElement::Fraction
                | NxmlElement::Power
                | NxmlElement::Root
                | NxmlElement::MathRow
        );
        self.skipping.is_none() && !frame.is_hidden && !is_between_tokens
    }

    fn parent(&self) -> Option<NxmlElement> {
        self.stack.last().map(|frame| frame.element)
    }

    /// An element begins, whose tag stands from `at` to `end`.
    pub(super) fn start(&mut self, tag: &BytesStart<'_>, at: usize, end: usize) {
        // The name as a part of the file, which outlives the event.
        let written = self.source.get(at + 1..at + 1 + tag.name().as_ref().len()).unwrap_or_default();
        let name = written.rsplit(':').next().unwrap_or(written);
        let mut element = NxmlElement::of(name);
        let is_hidden = self.stack.last().is_some_and(|frame| frame.is_hidden);
        let parent = self.parent();
        if let Some(parent) = self.stack.last_mut() {
            parent.children += 1;
        }
        let (level, mut hides) = (self.level, is_hidden);
        if self.field.is_some() {
            element = NxmlElement::Inline;
        } else if self.skipping.is_none() {
            if is_hidden {
                element = self.start_hidden(name, element, parent, tag);
                hides = !matches!(
                    element,
                    NxmlElement::MainTitle | NxmlElement::Subtitle | NxmlElement::Abstract
                );
            } else if element == NxmlElement::Front {
                hides = true;
            }
            if self.is_left_out(element, parent, tag, end) {
                self.skipping = Some(self.stack.len());
            } else if !(hides && element == NxmlElement::Inline) {
                self.begin(element, parent, name, tag);
            }
        }
        self.stack.push(NxmlFrame { name, element, is_hidden: hides, level, children: 0 });
    }

    /// Returns true if the element is left out with all that is in it.
    fn is_left_out(
        &self,
        element: NxmlElement,
        parent: Option<NxmlElement>,
        tag: &BytesStart<'_>,
        end: usize,
    ) -> bool {
        let ahead = || {
            let limit = self.source.floor_char_boundary((end + LOOK_AHEAD).min(self.source.len()));
            self.source.get(end..limit).unwrap_or_default()
        };
        match element {
            NxmlElement::Skipped => true,
            // Some publishers mark these up as sections like any other.
            NxmlElement::Section(_) => ahead()
                .trim_start()
                .strip_prefix("<title>")
                .and_then(|title| title.split('<').next())
                .is_some_and(is_no_content),
            NxmlElement::Footnote => attribute(tag, "fn-type").is_some_and(|kind| is_about_authors(&kind)),
            NxmlElement::Abstract => attribute(tag, "abstract-type")
                .is_some_and(|kind| matches!(kind.as_str(), "graphical" | "toc" | "teaser" | "video")),
            NxmlElement::Tex => parent == Some(NxmlElement::Alternatives),
            NxmlElement::CrossReference => {
                attribute(tag, "ref-type").is_some_and(|kind| kind == "bibr")
                    && (self.superscripts > 0 || ahead().trim_start().starts_with("<sup"))
            }
            NxmlElement::Superscript => {
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
        element: NxmlElement,
        parent: Option<NxmlElement>,
        tag: &BytesStart<'_>,
    ) -> NxmlElement {
        let in_group = parent == Some(NxmlElement::TitleGroup);
        let field = match (name, parent) {
            ("journal-title", _) => Some(ArticleField::Journal),
            ("article-id" | "book-id" | "book-part-id", _) => {
                let kind = ["pub-id-type", "book-id-type", "book-part-id-type"];
                match kind.iter().find_map(|name| attribute(tag, name)).as_deref() {
                    Some("pmid") => Some(ArticleField::Pmid),
                    Some("doi") => Some(ArticleField::Doi),
                    _ => None,
                }
            }
            ("year", Some(NxmlElement::PublicationDate)) => Some(ArticleField::Year),
            ("month", Some(NxmlElement::PublicationDate)) => Some(ArticleField::Month),
            ("day", Some(NxmlElement::PublicationDate)) => Some(ArticleField::Day),
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
            NxmlElement::MainTitle | NxmlElement::Title | NxmlElement::Label if in_group => {
                NxmlElement::MainTitle
            }
            NxmlElement::Subtitle if in_group => NxmlElement::Subtitle,
            NxmlElement::Abstract
            | NxmlElement::Skipped
            | NxmlElement::TitleGroup
            | NxmlElement::Front
            | NxmlElement::PublicationDate => element,
            _ => NxmlElement::Inline,
        }
    }

    fn begin(&mut self, element: NxmlElement, parent: Option<NxmlElement>, name: &str, tag: &BytesStart<'_>) {
        if self.stack.is_empty() {
            self.root(name, tag);
        }
        let span = |name: &str| attribute(tag, name).and_then(|span| span.trim().parse().ok()).unwrap_or(1);
        let is_section =
            matches!(parent, Some(NxmlElement::Section(_) | NxmlElement::Part | NxmlElement::Abstract));
        match element {
            NxmlElement::Section(_) | NxmlElement::Abstract | NxmlElement::Part => {
                self.section(element, name, tag);
            }
            NxmlElement::MainTitle | NxmlElement::Subtitle => self.title(element),
            NxmlElement::Title | NxmlElement::Label
                if is_section && (self.writer.in_heading() || self.writer.wants_heading()) =>
            {
                self.title(element);
            }
            NxmlElement::Title => self.writer.paragraph_break(),
            NxmlElement::Label | NxmlElement::Caption if parent == Some(NxmlElement::TableWrap) => {
                self.writer.caption_start();
            }
            NxmlElement::Paragraph | NxmlElement::TableWrap => self.block(),
            NxmlElement::List => {
                self.writer.heading_end();
                self.writer.list_start(attribute(tag, "list-type").is_some_and(|kind| kind == "order"));
            }
            NxmlElement::Item | NxmlElement::DefinitionItem => self.writer.item_start(),
            NxmlElement::Definition => {
                self.writer.literal(":");
                self.writer.space();
                self.writer.join_start(false);
            }
            NxmlElement::Caption | NxmlElement::Figure | NxmlElement::Footnote => {
                self.block();
                self.writer.join_start(element != NxmlElement::Footnote);
            }
            NxmlElement::Table => self.writer.table_start(),
            NxmlElement::TableHead => self.in_head = true,
            NxmlElement::Row => self.writer.row_start(self.in_head),
            NxmlElement::Cell | NxmlElement::HeaderCell => {
                self.writer.cell_start(element == NxmlElement::HeaderCell, span("colspan"), span("rowspan"));
            }
            NxmlElement::Code => {
                self.writer.heading_end();
                self.writer.code_start();
            }
            NxmlElement::Break => self.writer.line_break(),
            NxmlElement::Superscript => {
                self.superscripts += 1;
                self.writer.superscript(true);
            }
            NxmlElement::PublicationDate => {
                let kind = ["pub-type", "date-type", "publication-format"];
                let kind = kind.iter().find_map(|name| attribute(tag, name)).unwrap_or_default();
                self.front.date_start(&kind);
            }
            _ => self.begin_math(element),
        }
    }

    /// Writes what stands between the parts of a formula.
    fn begin_math(&mut self, element: NxmlElement) {
        let Some(parent) = self.stack.last() else { return };
        let (kind, child) = (parent.element, parent.children);
        match (kind, child) {
            (NxmlElement::Fraction, 2) => self.writer.literal("/"),
            (NxmlElement::Power, 2) => self.writer.literal("^"),
            _ => {}
        }
        let groups =
            element == NxmlElement::MathRow && matches!(kind, NxmlElement::Fraction | NxmlElement::Power);
        match element {
            NxmlElement::Root => self.writer.literal("√("),
            _ if groups => self.writer.literal("("),
            _ => {}
        }
    }

    /// The document's description in the first element of the file.
    fn root(&mut self, name: &str, tag: &BytesStart<'_>) {
        self.front.language = attribute(tag, "xml:lang").filter(|language| !language.is_empty());
        self.front.document_type = match name {
            "article" => attribute(tag, "article-type"),
            "book-part" => attribute(tag, "book-part-type"),
            _ => Some("book".to_owned()),
        };
    }

    /// A section begins, unless it is a part that is a file of its own, without its book's title: the title of such
    /// a part is the document's.
    fn section(&mut self, element: NxmlElement, name: &str, tag: &BytesStart<'_>) {
        let title = match element {
            NxmlElement::Section(title) => title,
            NxmlElement::Abstract => Some("Abstract"),
            _ => None,
        };
        self.in_other += usize::from(matches!(name, "sub-article" | "response"));
        if element == NxmlElement::Part && !self.has_title {
            let Some(book) = self.book else { return };
            self.writer.heading_start(1, None);
            self.writer.literal(book);
            self.writer.heading_end();
            self.has_title = true;
        }
        self.level += 1;
        let id = attribute(tag, "id").filter(|id| !id.is_empty());
        self.writer.section_start(self.level, id, title);
    }

    /// A title begins, or goes on. A second main title is left out unless a section waits for its own, and so is a subtitle
    /// below no title.
    fn title(&mut self, element: NxmlElement) {
        let (is_main, is_sub) = (element == NxmlElement::MainTitle, element == NxmlElement::Subtitle);
        if self.writer.in_heading() {
            if is_sub {
                self.writer.literal(":");
            }
            self.writer.space();
        } else if !is_sub && (self.writer.wants_heading() || (is_main && !self.has_title)) {
            self.writer.heading_start(self.level, None);
        } else {
            self.skipping = Some(self.stack.len());
        }
        self.has_title |= is_main;
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
        if let Some(frame) = self.stack.pop()
            && !self.ends_aside()
        {
            self.close(&frame);
        }
    }

    /// Returns true if the element that ended is left out or belongs to a field, and ends what it began.
    fn ends_aside(&mut self) -> bool {
        let open = self.stack.len();
        if self.skipping.is_some() {
            self.skipping.take_if(|outside| open <= *outside);
            return true;
        }
        if let Some((field, text, _)) = self.field.take_if(|(.., outside)| open <= *outside) {
            self.front.keep(field, &text);
            return true;
        }
        self.field.is_some()
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

    fn close(&mut self, frame: &NxmlFrame<'a>) {
        let parent = self.parent();
        match frame.element {
            NxmlElement::Section(_) | NxmlElement::Abstract | NxmlElement::Part => {
                if matches!(frame.name, "sub-article" | "response") {
                    self.in_other = self.in_other.saturating_sub(1);
                }
                if self.level != frame.level {
                    self.level = frame.level;
                    self.writer.section_end(frame.level);
                }
            }
            NxmlElement::TitleGroup => self.writer.heading_end(),
            NxmlElement::Title => {
                self.writer.heading_end();
                self.writer.paragraph_break();
            }
            NxmlElement::Label | NxmlElement::Caption if parent == Some(NxmlElement::TableWrap) => {
                self.writer.caption_end();
            }
            NxmlElement::Label if parent == Some(NxmlElement::Figure) => self.writer.end_sentence(),
            NxmlElement::Label => self.writer.space(),
            NxmlElement::Paragraph => self.writer.paragraph_break(),
            NxmlElement::List => self.writer.list_end(),
            NxmlElement::Definition => self.writer.join_end(),
            NxmlElement::Caption | NxmlElement::Figure | NxmlElement::Footnote => {
                self.writer.join_end();
                self.writer.paragraph_break();
            }
            NxmlElement::TableWrap => {
                self.writer.caption_flush();
                self.writer.paragraph_break();
            }
            NxmlElement::Table => self.writer.table_end(),
            NxmlElement::TableHead => self.in_head = false,
            NxmlElement::Cell | NxmlElement::HeaderCell => self.writer.cell_end(),
            NxmlElement::Code => self.writer.code_end(),
            NxmlElement::Superscript => {
                self.superscripts = self.superscripts.saturating_sub(1);
                self.writer.superscript(false);
            }
            NxmlElement::PublicationDate => self.front.date_end(),
            NxmlElement::Root => self.writer.literal(")"),
            NxmlElement::MathRow if matches!(parent, Some(NxmlElement::Fraction | NxmlElement::Power)) => {
                self.writer.literal(")");
            }
            _ => {}
        }
    }
}

/// Reads an attribute's value with its references resolved, by its name with or without prefix.
fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    // Looking for duplicates would be quadratic in the number of attributes.
    let mut attributes = tag.attributes();
    attributes.with_checks(false).flatten().find_map(|attribute| {
        let key = attribute.key;
        let matches = key.as_ref() == name || key.local_name().as_ref() == name;
        matches.then(|| resolved(&attribute.value))
    })
}
