//! The body of a document as blocks of HTML.

use std::collections::HashMap;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::package::attribute;
use super::styles::{Form, Numberings, Role, Styles};
use crate::Fault;
use crate::html::escape;

/// The most bytes of HTML, and of a cell that is repeated in the rows that it reaches over.
const MOST: usize = 512 << 20;
const MOST_REPEATED: usize = 4096;
/// Lists within lists, as deep as Word has them.
const DEEPEST_LIST: u8 = 8;

/// A heading, or any other part of a document, with its HTML.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DocxBlock {
    pub(super) kind: DocxKind,
    pub(super) html: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DocxKind {
    Title,
    /// A heading's text, of a level from 0.
    Heading(u8),
    /// Whole elements.
    Other,
}

/// A note, by whether it is a footnote or an endnote, and by its id.
pub(super) type Notes = HashMap<(&'static str, String), String>;

pub(super) struct BodyReader<'a> {
    styles: &'a Styles,
    numberings: &'a Numberings,
    links: &'a HashMap<String, String>,
    /// The notes that no paragraph has called yet.
    waiting: Notes,
    pub(super) blocks: Vec<DocxBlock>,
    /// The notes that a part of notes holds.
    pub(super) notes: HashMap<String, String>,
    paragraphs: Vec<Paragraph>,
    tables: Vec<OpenTable>,
    /// The lists that are open at the top, each with its level.
    lists: Vec<(u8, &'static str)>,
    /// Elements within one whose content is left out.
    skipped: usize,
    is_text: bool,
    /// A table of contents comes next.
    is_contents: bool,
    note: Option<String>,
    written: usize,
}

#[derive(Default)]
struct Paragraph {
    html: String,
    style: String,
    numbering: Option<String>,
    level: u8,
    outline: Option<u8>,
    /// The notes that it calls.
    notes: Vec<String>,
    run: Run,
    is_link: bool,
}

/// The looks of a run that say something.
#[derive(Default)]
struct Run {
    is_hidden: bool,
    raise: Option<&'static str>,
}

#[derive(Default)]
struct OpenTable {
    html: String,
    has_head: bool,
    rows: usize,
    is_head: bool,
    /// The cells of the row before, by the column that they begin at.
    above: HashMap<usize, String>,
    column: usize,
    cell: Cell,
}

#[derive(Default)]
struct Cell {
    html: String,
    columns: usize,
    goes_on: bool,
    begins: bool,
}

impl<'a> BodyReader<'a> {
    pub(super) fn new(
        styles: &'a Styles,
        numberings: &'a Numberings,
        links: &'a HashMap<String, String>,
        waiting: Notes,
    ) -> Self {
        Self {
            styles,
            numberings,
            links,
            waiting,
            blocks: Vec::new(),
            notes: HashMap::new(),
            paragraphs: Vec::new(),
            tables: Vec::new(),
            lists: Vec::new(),
            skipped: 0,
            is_text: false,
            is_contents: false,
            note: None,
            written: 0,
        }
    }

    /// Reads a part up to its end, or to where it breaks.
    pub(super) fn read(&mut self, xml: &str) -> Result<(), Fault> {
        let mut reader = Reader::from_str(xml);
        reader.config_mut().check_end_names = false;
        loop {
            match reader.read_event() {
                Ok(Event::Start(tag)) => {
                    if self.skipped > 0 {
                        self.skipped += 1;
                    } else {
                        self.start(&tag);
                    }
                }
                Ok(Event::Empty(tag)) if self.skipped == 0 => {
                    self.start(&tag);
                    if self.skipped > 0 {
                        self.skipped = 0;
                    } else {
                        self.end(tag.local_name().as_ref())?;
                    }
                }
                Ok(Event::End(_)) if self.skipped > 0 => self.skipped -= 1,
                Ok(Event::End(tag)) => self.end(tag.local_name().as_ref())?,
                Ok(Event::Text(text)) if self.is_text && self.skipped == 0 => {
                    self.text(&text);
                }
                Ok(Event::GeneralRef(name)) if self.is_text && self.skipped == 0 => {
                    let c = match (name.resolve_char_ref(), &*name) {
                        (Ok(Some(c)), _) => Some(c),
                        (_, "lt") => Some('<'),
                        (_, "gt") => Some('>'),
                        (_, "amp") => Some('&'),
                        (_, "quot") => Some('"'),
                        (_, "apos") => Some('\''),
                        _ => None,
                    };
                    c.into_iter().for_each(|c| self.text(c.encode_utf8(&mut [0; 4])));
                }
                Ok(Event::Eof) | Err(_) => break,
                Ok(_) => {}
            }
        }
        while !self.paragraphs.is_empty() {
            self.paragraph_end();
        }
        while !self.tables.is_empty() {
            self.cell_end();
            self.table_end();
        }
        self.close_lists(0);
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some(paragraph) = self.paragraphs.last_mut().filter(|paragraph| !paragraph.run.is_hidden) {
            if let Some(raise) = paragraph.run.raise.filter(|_| !text.trim().is_empty()) {
                paragraph.html.push_str(&["<", raise, ">"].concat());
                escape(&mut paragraph.html, text);
                paragraph.html.push_str(&["</", raise, ">"].concat());
            } else {
                escape(&mut paragraph.html, text);
            }
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>) {
        let name = tag.local_name();
        let value = || attribute(tag, "val");
        let is_on = || value().is_none_or(|value| !matches!(value.as_str(), "0" | "false" | "off"));
        match name.as_ref() {
            // Deleted text, and the other form of what a newer program shows.
            "Fallback" | "moveFrom" | "del" | "rPrChange" | "pPrChange" | "sectPrChange" => self.skipped = 1,
            // The marks of notes and comments.
            "footnoteRef" | "endnoteRef" | "annotationRef" => {}
            "footnote" | "endnote" => {
                let is_note = attribute(tag, "type").is_none_or(|kind| kind == "normal");
                self.note = attribute(tag, "id").filter(|_| is_note);
            }
            "sdtContent" if std::mem::take(&mut self.is_contents) => self.skipped = 1,
            "p" => self.paragraphs.push(Paragraph::default()),
            "tbl" => {
                if self.tables.is_empty() {
                    self.close_lists(0);
                }
                self.tables.push(OpenTable::default());
            }
            "docPartGallery" if value().is_some_and(|kind| kind == "Table of Contents") => {
                self.is_contents = true;
            }
            other => {
                if let Some(table) = self.tables.last_mut() {
                    table.start(other, tag);
                }
                if let Some(paragraph) = self.paragraphs.last_mut() {
                    match other {
                        "pStyle" => paragraph.style = value().unwrap_or_default(),
                        "numId" => paragraph.numbering = value(),
                        "ilvl" => paragraph.level = value().and_then(|level| level.parse().ok()).unwrap_or(0),
                        "outlineLvl" => paragraph.outline = value().and_then(|level| level.parse().ok()),
                        "r" => paragraph.run = Run::default(),
                        "vanish" => paragraph.run.is_hidden = is_on(),
                        "vertAlign" => {
                            paragraph.run.raise = match value().as_deref() {
                                Some("superscript") => Some("sup"),
                                Some("subscript") => Some("sub"),
                                _ => None,
                            }
                        }
                        "t" => self.is_text = true,
                        "tab" | "ptab" if !paragraph.html.is_empty() => paragraph.html.push('\t'),
                        "br" | "cr" if attribute(tag, "type").is_none_or(|kind| kind == "textWrapping") => {
                            paragraph.html.push_str("<br>");
                        }
                        "noBreakHyphen" => paragraph.html.push('-'),
                        "hyperlink" => {
                            if let Some(target) = attribute(tag, "id").and_then(|id| self.links.get(&id)) {
                                paragraph.html.push_str("<a href=\"");
                                escape(&mut paragraph.html, target);
                                paragraph.html.push_str("\">");
                                paragraph.is_link = true;
                            }
                        }
                        "footnoteReference" | "endnoteReference" => {
                            let kind = if other == "footnoteReference" { "footnote" } else { "endnote" };
                            let id = attribute(tag, "id").unwrap_or_default();
                            paragraph.notes.extend(self.waiting.remove(&(kind, id)));
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    fn end(&mut self, name: &str) -> Result<(), Fault> {
        match name {
            "t" => self.is_text = false,
            "p" => self.paragraph_end(),
            "tc" => self.cell_end(),
            "tr" => {
                if let Some(table) = self.tables.last_mut() {
                    table.html.push_str("</tr>");
                }
            }
            "tbl" => self.table_end(),
            "hyperlink" => {
                if let Some(paragraph) = self.paragraphs.last_mut().filter(|paragraph| paragraph.is_link) {
                    paragraph.html.push_str("</a>");
                    paragraph.is_link = false;
                }
            }
            "footnote" | "endnote" => self.note = None,
            _ => {}
        }
        if self.written > MOST { Err(Fault::new("its text is larger than 512 MiB", "")) } else { Ok(()) }
    }

    fn paragraph_end(&mut self) {
        let Some(paragraph) = self.paragraphs.pop() else { return };
        let Paragraph { mut html, style, numbering, level, outline, notes, is_link, .. } = paragraph;
        if is_link {
            html.push_str("</a>");
        }
        let role = match (self.styles.role(&style), outline) {
            (Role::Text, Some(level)) if level < 9 => Role::Heading(level),
            (role, _) => role,
        };
        let is_empty = html.trim().is_empty() || role == Role::Contents;
        if is_empty && notes.is_empty() {
            return;
        }
        self.written += html.len();
        let notes: String = notes.iter().map(|note| ["<p>", note, "</p>"].concat()).collect();
        self.written += notes.len();
        if let Some(id) = &self.note {
            let note = self.notes.entry(id.clone()).or_default();
            if !note.is_empty() {
                note.push_str("<br>");
            }
            note.push_str(html.trim());
            return;
        }
        if let Some(table) = self.tables.last_mut() {
            table.cell.html.push_str(&["<p>", &html, "</p>", &notes].concat());
            return;
        }
        let numbering = numbering.as_deref().or_else(|| self.styles.numbering(&style));
        let form = numbering.map(|numbering| self.numberings.form(numbering, level));
        let kind = match role {
            Role::Title => DocxKind::Title,
            Role::Heading(level) => DocxKind::Heading(level),
            _ => DocxKind::Other,
        };
        match (kind, form) {
            (DocxKind::Other, Some(form @ (Form::Bullets | Form::Numbers))) if role != Role::Code => {
                let tag = if form == Form::Numbers { "ol" } else { "ul" };
                self.item(level.min(DEEPEST_LIST), tag, &[&html, &*notes].concat());
            }
            (DocxKind::Other, _) if role == Role::Code => {
                self.close_lists(0);
                let line = html.replace("<br>", "\n");
                match self.blocks.last_mut() {
                    Some(DocxBlock { kind: DocxKind::Other, html }) if html.ends_with("</pre>") => {
                        html.truncate(html.len() - "</pre>".len());
                        html.push_str(&[&line, "\n</pre>"].concat());
                    }
                    _ => self.block(DocxKind::Other, ["<pre>", &line, "\n</pre>"].concat()),
                }
            }
            (DocxKind::Other, _) => {
                self.close_lists(0);
                self.block(DocxKind::Other, ["<p>", &html, "</p>", &notes].concat());
            }
            (kind, _) => {
                self.close_lists(0);
                self.block(kind, html.replace("<br>", " "));
                if !notes.is_empty() {
                    self.block(DocxKind::Other, notes);
                }
            }
        }
    }

    fn block(&mut self, kind: DocxKind, html: String) {
        self.blocks.push(DocxBlock { kind, html });
    }

    /// Adds an item to the list that is open, or to a new one.
    fn item(&mut self, level: u8, tag: &'static str, text: &str) {
        let mut html = String::new();
        while let Some((open, _)) = self.lists.last().filter(|(open, _)| *open > level) {
            let (_, tag) = (*open, self.lists.pop().map_or("ul", |(_, tag)| tag));
            html.push_str(&["</li></", tag, ">"].concat());
        }
        if self.lists.last().is_some_and(|(open, other)| *open == level && *other == tag) {
            html.push_str("</li>");
        } else {
            if let Some((_, other)) = self.lists.pop_if(|(open, _)| *open == level) {
                html.push_str(&["</li></", other, ">"].concat());
            }
            html.push_str(&["<", tag, ">"].concat());
            self.lists.push((level, tag));
        }
        html.push_str(&["<li>", text].concat());
        self.block(DocxKind::Other, html);
    }

    fn close_lists(&mut self, least: usize) {
        let mut html = String::new();
        while self.lists.len() > least {
            let tag = self.lists.pop().map_or("ul", |(_, tag)| tag);
            html.push_str(&["</li></", tag, ">"].concat());
        }
        if !html.is_empty() {
            self.block(DocxKind::Other, html);
        }
    }

    fn cell_end(&mut self) {
        self.written += self.tables.last_mut().map_or(0, OpenTable::cell_end);
    }

    fn table_end(&mut self) {
        let Some(table) = self.tables.pop() else { return };
        let html = ["<table>", &table.html, "</table>"].concat();
        if let Some(note) = self.note.as_ref().and_then(|id| self.notes.get_mut(id)) {
            note.push_str(&html);
        } else if let Some(outer) = self.tables.last_mut() {
            // A table within a cell is its text.
            outer.cell.html.push_str(&table.html.replace("</tr>", "<br>").replace("<tr>", ""));
        } else {
            self.block(DocxKind::Other, html);
        }
    }
}

impl OpenTable {
    fn start(&mut self, name: &str, tag: &BytesStart<'_>) {
        let value = || attribute(tag, "val");
        match name {
            "tblLook" => {
                let bits = value().and_then(|value| u32::from_str_radix(&value, 16).ok()).unwrap_or(0);
                self.has_head = attribute(tag, "firstRow").map_or(bits & 0x20 != 0, |value| value == "1");
            }
            "tr" => {
                self.rows += 1;
                self.column = 0;
                self.is_head = self.has_head && self.rows == 1;
                self.html.push_str("<tr>");
            }
            "tblHeader" => self.is_head = true,
            "tc" => self.cell = Cell { columns: 1, ..Cell::default() },
            "gridSpan" => {
                let columns = value().and_then(|value| value.parse().ok()).unwrap_or(1);
                self.cell.columns = usize::clamp(columns, 1, 63);
            }
            "vMerge" => {
                let begins = value().is_some_and(|value| value == "restart");
                (self.cell.begins, self.cell.goes_on) = (begins, !begins);
            }
            _ => {}
        }
    }

    /// Ends a cell; returns the bytes that it took.
    fn cell_end(&mut self) -> usize {
        let Cell { mut html, columns, goes_on, begins } = std::mem::take(&mut self.cell);
        if columns == 0 {
            return 0;
        }
        if goes_on {
            html = self.above.get(&self.column).cloned().unwrap_or_default();
        } else {
            self.above.remove(&self.column);
            if begins && html.len() <= MOST_REPEATED {
                self.above.insert(self.column, html.clone());
            }
        }
        let tag = if self.is_head { "th" } else { "td" };
        let span = if columns > 1 { format!(" colspan=\"{columns}\"") } else { String::new() };
        self.html.push_str(&["<", tag, &span, ">", &html, "</", tag, ">"].concat());
        self.column += columns;
        html.len()
    }
}

/// Returns the title in a document's properties.
pub(super) fn core_title(xml: &str) -> Option<String> {
    let mut reader = Reader::from_str(xml);
    let mut title: Option<String> = None;
    let mut is_title = false;
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(tag) => is_title = tag.local_name().as_ref() == "title",
            Event::End(_) => is_title = false,
            Event::Text(text) if is_title => {
                title.get_or_insert_default().push_str(&text);
            }
            Event::GeneralRef(name) if is_title => {
                let c = match &*name {
                    "amp" => "&",
                    "lt" => "<",
                    "gt" => ">",
                    "apos" => "'",
                    _ => " ",
                };
                title.get_or_insert_default().push_str(c);
            }
            Event::Eof => break,
            _ => {}
        }
    }
    title.map(|title| title.split_whitespace().collect::<Vec<_>>().join(" "))
}
