//! The meaning of HTML's elements to a reader of text.

use super::furniture::{doubt, is_code_table, is_hidden};
use crate::tags::Tag;

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
    /// The content by its author's mark, the main content, or an article.
    Body,
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
    /// A list of definitions, each a section: its name, and its text.
    Definitions,
    Signature,
    Described,
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
    /// Left out unless it is all that a heading or a term says.
    Button,
    /// The line of a part that can be opened.
    Summary,
    Title,
    /// The description of the page: `meta`, `link`, `html`.
    Meta,
}

impl HtmlElement {
    /// `is_kept` says that an element holds content, though it is hidden or its class says furniture.
    pub(super) fn of(tag: &Tag, is_kept: bool) -> Self {
        if !is_kept && (is_hidden(tag) || doubt(tag).is_some()) {
            return Self::Skipped;
        }
        if is_code_table(tag) {
            return Self::CodeTable;
        }
        match tag.get("role").map(str::trim) {
            Some("main") => return Self::Main,
            Some("navigation" | "banner" | "contentinfo" | "complementary" | "search") => {
                return Self::Around;
            }
            _ => {}
        }
        match Self::of_name(&tag.name) {
            Self::Block | Self::Inline if tag.get("role") == Some("heading") => {
                let level = tag.get("aria-level").and_then(|level| level.trim().parse().ok());
                Self::Heading(level.filter(|level| (1..=6).contains(level)).unwrap_or(2))
            }
            Self::Button if is_kept => Self::Block,
            element => element,
        }
    }

    pub(super) fn of_name(name: &str) -> Self {
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
            "button" => Self::Button,
            "summary" => Self::Summary,
            "meta" | "link" | "html" => Self::Meta,
            "rp" | "rt" | "rtc" | "nav" | "script" | "style" | "template" | "noscript" | "svg" | "iframe"
            | "object" | "canvas" | "audio" | "video" | "select" | "textarea" | "datalist" | "dialog"
            | "map" | "annotation" | "annotation-xml" | "noembed" | "noframes" | "search" => Self::Skipped,
            "address" | "blockquote" | "body" | "center" | "details" | "div" | "fieldset" | "figcaption"
            | "figure" | "form" | "head" | "hgroup" | "hr" | "label" | "legend" | "section" => Self::Block,
            _ => Self::Inline,
        }
    }

    /// The element's meaning within code, where nothing but lines matters.
    pub(super) fn in_code(tag: &Tag, is_kept: bool) -> Self {
        let is_line = |class: &str| class == "line" || class.ends_with("-line");
        match Self::of(tag, is_kept) {
            element @ (Self::Skipped | Self::Break | Self::Meta) => element,
            Self::Button => Self::Skipped,
            _ if tag.has_class(is_line) => Self::CodeLine,
            Self::Inline | Self::Link | Self::Superscript => Self::Inline,
            _ => Self::Block,
        }
    }

    /// Computes the certainty that it is the content of the page: 0 for all but those that say so.
    pub(super) fn rank(self) -> u8 {
        match self {
            Self::Body => 3,
            Self::Main => 2,
            Self::Article => 1,
            _ => 0,
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

/// Returns true for an element within a line that is a whole, and no part of a word. Names with a hyphen are
/// those of components.
pub(super) fn is_whole_name(name: &str) -> bool {
    matches!(
        name,
        "a" | "abbr" | "button" | "cite" | "code" | "data" | "kbd" | "output" | "q" | "samp" | "time"
    ) || name.contains('-')
}

/// Returns true for a span that is one by its class.
pub(super) fn is_badge(tag: &Tag) -> bool {
    let is_part = |part: &str| matches!(part, "badge" | "btn" | "button" | "chip" | "label" | "pill" | "tag");
    tag.name == "span" && tag.has_class(|class| class.split(['-', '_']).any(is_part))
}

/// Returns true if an element that is open ends where one of the other name begins, or ends.
pub(super) fn ends_at(open: &str, name: &str, begins: bool) -> bool {
    match open {
        "td" | "th" => {
            matches!((name, begins), ("td" | "th" | "tr", true) | ("tr" | "table" | "tbody", false))
        }
        "rt" | "rp" | "rtc" => matches!((name, begins), ("rb" | "rt" | "rp" | "rtc", true) | ("ruby", false)),
        "p" => {
            use HtmlElement as E;
            !matches!(
                E::of_name(name),
                E::Inline | E::Link | E::Superscript | E::Break | E::Meta | E::Skipped | E::Button
            )
        }
        _ => false,
    }
}
