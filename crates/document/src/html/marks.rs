//! Marks by which the author of a page says what of it is searched: `data-ibid-*`, and those of other programs.

use std::collections::{HashMap, HashSet};

use super::element::{HtmlElement, ends_at, is_void};
use super::reader::{HtmlFrame, HtmlReader};
use crate::metadata::scalar;
use crate::tags::{Tag, Token, has_marks};
use crate::weight::{NO_WEIGHT, USUAL_WEIGHT, weight};
use crate::writer::resolved;
use crate::{MetadataValue, Warning};

/// The most marked elements that are open one in the other, and the most bytes of a field's text.
const MOST_OPEN: usize = 64;
const MOST_TEXT: usize = 2000;

/// The marks of a page.
#[derive(Default)]
pub(super) struct AuthorMarks {
    /// The places, among the page's tokens, of elements that are left out.
    pub(super) ignored: HashSet<usize>,
    /// The places of elements that are content.
    pub(super) bodies: HashSet<usize>,
    /// Steps for the reader: before the start tag at a place, or behind the end tag.
    pub(super) steps: HashMap<usize, Vec<MarkStep>>,
    /// Fields of the metadata, the stronger ones last.
    pub(super) fields: Vec<(String, MetadataValue)>,
    pub(super) warnings: Vec<Warning>,
}

/// A step for the reader of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum MarkStep {
    BodyBegins,
    BodyEnds,
    /// Text has this weight from here on.
    Weight(u16),
    /// The value of an attribute is text; in the second case with what follows directly behind it.
    Text(String),
    Note(String),
}

impl MarkStep {
    /// Makes the step for a text, on one line and without a table's signs.
    pub(super) fn text(text: &str) -> Self {
        Self::Text(on_one_line(text))
    }
}

pub(super) fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "/")
}

/// A mark whose element is open.
struct OpenMark<'a> {
    name: &'a str,
    /// The elements of its name that are open in it.
    depth: usize,
    /// The fields that its text is the value of.
    fields: Vec<(FieldKind, String)>,
    text: String,
    /// The weight around it, if it has its own.
    weight: Option<u16>,
    is_body: bool,
    /// Left out with the fields in it.
    hides_fields: bool,
}

/// The kinds of fields, in the order in which one is stronger than the one before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FieldKind {
    Default,
    Meta,
    Sort,
    Filter,
}

const FIELDS: [(&str, FieldKind); 4] = [
    ("default-meta", FieldKind::Default),
    ("meta", FieldKind::Meta),
    ("sort", FieldKind::Sort),
    ("filter", FieldKind::Filter),
];

impl AuthorMarks {
    /// Reads the marks of a page; nothing of one without them.
    pub(super) fn of(page: &str, tokens: &[Token]) -> Self {
        if !has_marks(page) {
            return Self::default();
        }
        let mut look = MarkFinder { weight: USUAL_WEIGHT, ..MarkFinder::default() };
        for (at, token) in tokens.iter().enumerate() {
            match token {
                Token::Start(tag) => look.start(at, tag),
                Token::End(name) => look.end(at, name),
                Token::Text(range) => look.text(&page[range.clone()]),
            }
        }
        look.finish(tokens.len())
    }
}

#[derive(Default)]
struct MarkFinder<'a> {
    marks: AuthorMarks,
    open: Vec<OpenMark<'a>>,
    weight: u16,
    /// The level of the heading whose section is left out.
    excluded: Option<usize>,
    /// The text is that of a script or a style.
    is_unread: bool,
    found: Vec<(FieldKind, String, String)>,
}

impl<'a> MarkFinder<'a> {
    fn start(&mut self, at: usize, tag: &'a Tag) {
        while self.open.last().is_some_and(|open| ends_at(open.name, &tag.name, true)) {
            self.close_last(at);
        }
        self.is_unread |= matches!(tag.name.as_str(), "script" | "style" | "template");
        self.exclude(at, tag);
        self.open.iter_mut().filter(|open| open.name == tag.name).for_each(|open| open.depth += 1);
        if tag.is_marked() {
            self.mark(at, tag);
        }
    }

    /// Leaves out what belongs to the section of a heading that says so.
    fn exclude(&mut self, at: usize, tag: &Tag) {
        let element = HtmlElement::of_name(&tag.name);
        if let HtmlElement::Heading(level) = element {
            self.excluded = self.excluded.filter(|around| *around < level);
            if self.excluded.is_none() && tag.excludes_section() {
                self.excluded = Some(level);
            }
        }
        // A section may begin with the next heading.
        if self.excluded.is_some() && !matches!(tag.name.as_str(), "section" | "article" | "main") {
            self.marks.ignored.insert(at);
        }
    }

    fn mark(&mut self, at: usize, tag: &'a Tag) {
        let ignored = tag.mark("ignore");
        let is_ignored = ignored.is_some() || tag.is_ignored_by_others();
        if is_ignored {
            self.marks.ignored.insert(at);
        }
        let hides_fields = ignored.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("all"));
        if self.open.len() == MOST_OPEN {
            return;
        }
        let holds = !is_void(&tag.name);
        let is_body = holds && tag.mark("body").is_some() && !is_ignored;
        if is_body {
            self.marks.bodies.insert(at);
            self.step(at, MarkStep::BodyBegins);
        }
        let mut around = None;
        if let Some(text) = tag.mark("weight").filter(|_| holds) {
            match weight(text) {
                Some(weight) => {
                    around = Some(std::mem::replace(&mut self.weight, weight));
                    self.step(at, MarkStep::Weight(weight));
                }
                None => self.marks.warnings.push(Warning::new(NO_WEIGHT, format!("`{text}`"))),
            }
        }
        for name in tag.mark("index-attrs").into_iter().flat_map(|names| names.split(',')) {
            if let Some(text) = tag.attribute(name.trim()).filter(|text| !text.trim().is_empty()) {
                self.step(at, MarkStep::text(text));
            }
        }
        let mut of_text = Vec::new();
        for (mark, kind) in FIELDS {
            for (name, value) in tag.mark(mark).map(|fields| fields_of(fields, tag)).unwrap_or_default() {
                match value {
                    Some(value) if !hides_fields && !self.hides_fields() => {
                        self.found.push((kind, name, value));
                    }
                    Some(_) => {}
                    None => of_text.push((kind, name)),
                }
            }
        }
        if holds {
            self.open.push(OpenMark {
                name: &tag.name,
                depth: 0,
                fields: of_text,
                text: String::new(),
                weight: around,
                is_body,
                hides_fields,
            });
        }
    }

    fn end(&mut self, at: usize, name: &str) {
        self.is_unread &= !matches!(name, "script" | "style" | "template");
        while self.open.last().is_some_and(|open| ends_at(open.name, name, false)) {
            self.close_last(at);
        }
        let Some(inner) = self.open.iter().rposition(|open| open.name == name) else { return };
        if self.open[inner].depth > 0 {
            let same = self.open.iter_mut().filter(|open| open.name == name);
            return same.for_each(|open| open.depth = open.depth.saturating_sub(1));
        }
        while self.open.len() > inner {
            self.close_last(at);
        }
        let same = self.open.iter_mut().filter(|open| open.name == name);
        same.for_each(|open| open.depth = open.depth.saturating_sub(1));
    }

    fn close_last(&mut self, at: usize) {
        let hides_fields = self.hides_fields();
        let Some(open) = self.open.pop() else { return };
        if open.is_body {
            self.step(at, MarkStep::BodyEnds);
        }
        if let Some(weight) = open.weight {
            self.weight = weight;
            self.step(at, MarkStep::Weight(weight));
        }
        if !hides_fields {
            let fields = open.fields.into_iter();
            self.found.extend(fields.map(|(kind, name)| (kind, name, open.text.clone())));
        }
    }

    fn text(&mut self, text: &str) {
        if self.is_unread {
            return;
        }
        let open = self.open.iter_mut().filter(|open| !open.fields.is_empty() && open.text.len() < MOST_TEXT);
        open.for_each(|open| open.text.push_str(&resolved(text)));
    }

    fn hides_fields(&self) -> bool {
        self.open.iter().any(|open| open.hides_fields)
    }

    fn step(&mut self, at: usize, step: MarkStep) {
        self.marks.steps.entry(at).or_default().push(step);
    }

    fn finish(mut self, end: usize) -> AuthorMarks {
        while !self.open.is_empty() {
            self.close_last(end);
        }
        let mut found = self.found;
        found.sort_by_key(|(kind, ..)| *kind);
        let fields = &mut self.marks.fields;
        for (kind, name, text) in found {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            if text.is_empty() {
                continue;
            }
            let known = fields.iter_mut().find(|(known, _)| *known == name).map(|(_, value)| value);
            match (kind, known) {
                (FieldKind::Filter, Some(MetadataValue::Keywords(values))) => values.push(text),
                // A single value can be filtered as it is.
                (FieldKind::Filter, Some(value)) if value.to_string() == text => {}
                (FieldKind::Filter, Some(value)) => *value = MetadataValue::Keywords(vec![text]),
                (FieldKind::Filter, None) => fields.push((name, MetadataValue::Keywords(vec![text]))),
                (kind, known) => {
                    let Some(value) = scalar(&text, kind == FieldKind::Sort) else { continue };
                    match known {
                        Some(known) => *known = value,
                        None => fields.push((name, value)),
                    }
                }
            }
        }
        self.marks
    }
}

/// The name of the element that a mark of content opens around the one that has it.
const BODY: &str = "ibid:body";

impl HtmlReader<'_> {
    /// Takes a step that the author's marks ask for.
    pub(super) fn step(&mut self, step: &MarkStep) {
        let is_read = self.skipping.is_none();
        match step {
            MarkStep::BodyBegins if is_read => {
                self.enter(HtmlElement::Body.rank());
                self.writer.paragraph_break();
                let (name, place) = (BODY.to_owned(), self.stack.last().map_or(0, |frame| frame.place));
                self.stack.push(HtmlFrame { name, element: HtmlElement::Body, language: None, place });
            }
            MarkStep::BodyBegins => {}
            MarkStep::BodyEnds => self.end(BODY),
            MarkStep::Weight(weight) => self.writer.weigh(*weight),
            MarkStep::Text(text) | MarkStep::Note(text) => {
                if is_read && self.is_content() && !self.writer.in_code() {
                    self.writer.space();
                    self.writer.literal(text);
                    if matches!(step, MarkStep::Text(_)) {
                        self.writer.space();
                    }
                }
            }
        }
    }
}

/// Reads the fields that a mark names, each with its value: `name`, for the element's text, which is none yet;
/// `name[attribute]`; and last `name:value`.
fn fields_of(mark: &str, tag: &Tag) -> Vec<(String, Option<String>)> {
    let mut fields = Vec::new();
    let mut rest = mark;
    while !rest.trim().is_empty() {
        let end = rest.find([',', ':', '[']).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        // Names with spaces are usual, and fields of the metadata have none.
        let name = name.trim().replace(|c| !is_part(c), "_");
        let value = if let Some(value) = behind.strip_prefix(':') {
            rest = "";
            Some(value.to_owned())
        } else if let Some(behind) = behind.strip_prefix('[') {
            let (attribute, behind) = behind.split_once(']').unwrap_or((behind, ""));
            rest = behind.split_once(',').map_or("", |(_, next)| next);
            Some(tag.attribute(attribute.trim()).unwrap_or_default().to_owned())
        } else {
            rest = behind.strip_prefix(',').unwrap_or_default();
            None
        };
        if !name.is_empty() {
            fields.push((name, value));
        }
    }
    fields
}

#[cfg(test)]
mod tests;
