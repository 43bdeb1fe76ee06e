//! The meaning of HTML's elements to a reader of text.

use super::furniture::{is_code_table, is_furniture};
use crate::tags::{Attribute, Tag};

/// An element by what is done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HtmlElement {
    /// Part of the line that it stands in.
    Inline,
    /// Begins and ends a paragraph.
    Block,
    /// Left out with all that is in it.
    Skipped,
    /// Left out unless it stands within the main content.
    Around,
    /// The main content, or an article.
    Main,
    Article,
    Heading(usize),
    Paragraph,
    List,
    NumberedList,
    Item,
    DefinitionList,
    Term,
    Definition,
    Code,
    /// A line of code, whether it is a block or made one by the page's style.
    CodeLine,
    Break,
    Superscript,
    Table,
    /// Sets code next to the numbers of its lines.
    CodeTable,
    TableHead,
    TableBody,
    Caption,
    Row,
    Cell,
    HeaderCell,
    Link,
    Title,
    /// The description of the page: `meta`, `link`, `html`.
    Meta,
}

impl HtmlElement {
    pub(super) fn of(tag: &Tag) -> Self {
        if is_hidden(tag) || is_furniture(tag) {
            return Self::Skipped;
        }
        if is_code_table(tag) {
            return Self::CodeTable;
        }
        match tag.get(Attribute::Role).map(str::trim) {
            Some("main") => return Self::Main,
            Some("navigation" | "banner" | "contentinfo" | "complementary" | "search") => {
                return Self::Around;
            }
            _ => {}
        }
        Self::of_name(&tag.name)
    }

    fn of_name(name: &str) -> Self {
        match name {
            "main" => Self::Main,
            "article" => Self::Article,
            "header" | "footer" | "aside" => Self::Around,
            "h1" => Self::Heading(1),
            "h2" => Self::Heading(2),
            "h3" => Self::Heading(3),
            "h4" => Self::Heading(4),
            "h5" => Self::Heading(5),
            "h6" => Self::Heading(6),
            "p" => Self::Paragraph,
            "ul" | "menu" | "dir" => Self::List,
            "ol" => Self::NumberedList,
            "li" => Self::Item,
            "dl" => Self::DefinitionList,
            "dt" => Self::Term,
            "dd" => Self::Definition,
            "pre" | "listing" => Self::Code,
            "br" => Self::Break,
            "sup" => Self::Superscript,
            "table" => Self::Table,
            "thead" => Self::TableHead,
            "tbody" | "tfoot" => Self::TableBody,
            "caption" => Self::Caption,
            "tr" => Self::Row,
            "td" => Self::Cell,
            "th" => Self::HeaderCell,
            "a" => Self::Link,
            "title" => Self::Title,
            "meta" | "link" | "html" => Self::Meta,
            "nav" | "script" | "style" | "template" | "noscript" | "svg" | "iframe" | "object" | "canvas"
            | "audio" | "video" | "button" | "select" | "textarea" | "datalist" | "dialog" | "map"
            | "annotation" | "annotation-xml" | "noembed" | "noframes" | "search" => Self::Skipped,
            "address" | "blockquote" | "body" | "center" | "details" | "div" | "fieldset" | "figcaption"
            | "figure" | "form" | "head" | "hgroup" | "hr" | "label" | "legend" | "section" | "summary" => {
                Self::Block
            }
            _ => Self::Inline,
        }
    }

    /// The element's meaning within code, where nothing but lines matters.
    pub(super) fn in_code(tag: &Tag) -> Self {
        let is_line = |class: &str| class == "line" || class.ends_with("-line");
        match Self::of(tag) {
            element @ (Self::Skipped | Self::Break | Self::Meta) => element,
            _ if tag.has_class(is_line) => Self::CodeLine,
            Self::Inline | Self::Link | Self::Superscript => Self::Inline,
            _ => Self::Block,
        }
    }

    /// Returns true if its end is waited for.
    pub(super) fn is_tracked(self) -> bool {
        !matches!(self, Self::Inline | Self::Break | Self::Meta | Self::Paragraph)
    }
}

/// Elements without content, which have no end tag.
pub(super) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "source"
            | "track"
            | "wbr"
    )
}

/// Returns true if a page shows none of what is in the element.
fn is_hidden(tag: &Tag) -> bool {
    let style = || {
        let style = tag.get(Attribute::Style)?;
        let style: String = style.chars().filter(|c| !c.is_whitespace()).take(400).collect();
        Some(style.to_ascii_lowercase().contains("display:none"))
    };
    // Text that is hidden until it is searched for, or until its tab is chosen, is there to be found.
    let is_shown_later = |value: &str| value == "until-found" || tag.get(Attribute::Role) == Some("tabpanel");
    let hidden = tag.get(Attribute::Hidden).is_some_and(|value| !is_shown_later(value));
    // A paragraph is no ornament: its words are told to a screen reader in another way.
    let is_ornament = tag.get(Attribute::AriaHidden) == Some("true") && tag.name != "p";
    hidden || is_ornament || style().unwrap_or(false)
}
