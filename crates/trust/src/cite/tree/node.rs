//! The nodes of a tree.

use serde::{Deserialize, Serialize};

/// The most nodes around a piece of text. What is nested deeper becomes content of what it is in.
pub const MAX_DEPTH: usize = 32;

/// A part of an answer. In JSON its kind is the field `type`, such as `"codeBlock"`.
///
/// *Blocks* are [`Paragraph`](Self::Paragraph), [`Heading`](Self::Heading), [`List`](Self::List),
/// [`Table`](Self::Table), [`CodeBlock`](Self::CodeBlock), [`BlockQuote`](Self::BlockQuote) and
/// [`ThematicBreak`](Self::ThematicBreak); a tree, a quote and an item of a list consist of blocks. All others but
/// [`Item`](Self::Item) and [`Cell`](Self::Cell) are *inline*; what has inline content has no blocks. `start` and `end`
/// are byte positions in the answer's text, and increase through the tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Node {
    /// A paragraph of inline content.
    Paragraph {
        /// Its content.
        children: Vec<Node>,
    },
    /// A heading of inline content.
    Heading {
        /// From 1, the highest, to 6.
        level: u8,
        /// Its content.
        children: Vec<Node>,
    },
    /// A list.
    List {
        /// True if its items are numbered.
        ordered: bool,
        /// The number of the first item, if they are.
        #[serde(skip_serializing_if = "Option::is_none")]
        start: Option<u32>,
        /// [Items](Self::Item).
        children: Vec<Node>,
    },
    /// An item of a list.
    Item {
        /// Blocks.
        children: Vec<Node>,
    },
    /// A table.
    Table {
        /// The way each column is aligned.
        alignment: Vec<Alignment>,
        /// The [cells](Self::Cell) of its first row.
        header: Vec<Node>,
        /// The cells of the other rows, as many in each as in the header.
        rows: Vec<Vec<Node>>,
    },
    /// A cell of a table.
    Cell {
        /// Inline content.
        children: Vec<Node>,
    },
    /// Code, line by line as it is.
    CodeBlock {
        /// The language that it is said to be in: letters, digits and `+`, `-`, `#`, `.`, `_`.
        #[serde(skip_serializing_if = "Option::is_none")]
        language: Option<String>,
        /// Texts and citations.
        children: Vec<Node>,
    },
    /// A quotation.
    BlockQuote {
        /// Blocks.
        children: Vec<Node>,
    },
    /// A line between blocks.
    ThematicBreak,
    /// Code within a line.
    Code {
        /// Texts and citations.
        children: Vec<Node>,
    },
    /// Emphasized text.
    Emphasis {
        /// Inline content.
        children: Vec<Node>,
    },
    /// Strongly emphasized text.
    Strong {
        /// Inline content.
        children: Vec<Node>,
    },
    /// Text that is struck through.
    Strikethrough {
        /// Inline content.
        children: Vec<Node>,
    },
    /// The end of a line within a paragraph.
    LineBreak,
    /// A link to a source.
    Link {
        /// The `http(s)` or relative address of a source of the run, as the index has it.
        url: String,
        /// Inline content without citations and links.
        children: Vec<Node>,
    },
    /// Plain text. A line's end in it is as good as a space, except in code.
    Text {
        /// Its content: the answer's text from `start` to `end` itself, unless that is a character reference such as
        /// `&lt;`, or the rest of a mark of which some numbers are citations.
        text: String,
        /// The place where it begins.
        start: usize,
        /// The place where it ends.
        end: usize,
    },
    /// A number of a citation mark that leads to a source. The citations of one mark, such as `[1, 2]`, follow one
    /// another, and have the same position.
    Citation {
        /// The source's number.
        number: u32,
        /// The place where the mark begins.
        start: usize,
        /// The place where the mark ends.
        end: usize,
    },
}

/// The way a column of a table is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Alignment {
    /// Not said.
    None,
    /// To the left.
    Left,
    /// In the middle.
    Center,
    /// To the right.
    Right,
}

impl Node {
    /// Calls the function with each start and end in the tree, in the order of the text.
    pub fn for_each_span(nodes: &mut [Self], change: &mut dyn FnMut(&mut usize, &mut usize)) {
        for node in nodes {
            match node {
                Self::Text { start, end, .. } | Self::Citation { start, end, .. } => change(start, end),
                Self::Table { header, rows, .. } => {
                    Self::for_each_span(header, change);
                    rows.iter_mut().for_each(|row| Self::for_each_span(row, change));
                }
                other => Self::for_each_span(other.children_mut(), change),
            }
        }
    }

    /// The parts of the node; none for a table, whose cells are in rows.
    fn children_mut(&mut self) -> &mut [Self] {
        self.list_mut().map_or(&mut [], |children| children.as_mut_slice())
    }

    pub(super) fn list_mut(&mut self) -> Option<&mut Vec<Self>> {
        match self {
            Self::Paragraph { children }
            | Self::Heading { children, .. }
            | Self::List { children, .. }
            | Self::Item { children }
            | Self::Cell { children }
            | Self::CodeBlock { children, .. }
            | Self::BlockQuote { children }
            | Self::Code { children }
            | Self::Emphasis { children }
            | Self::Strong { children }
            | Self::Strikethrough { children }
            | Self::Link { children, .. } => Some(children),
            Self::Table { .. }
            | Self::ThematicBreak
            | Self::LineBreak
            | Self::Text { .. }
            | Self::Citation { .. } => None,
        }
    }
}
