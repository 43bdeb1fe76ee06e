//! A document's headings and blocks in one row, each counted once, and which stretch of it each section covers.

use std::ops::Range;

use super::size::units_of;
use crate::{BlockKind, Document};

/// A heading or a block that has text.
pub(super) struct OutlinePart<'a> {
    /// Its place, without the white space around it.
    pub(super) range: Range<usize>,
    /// The kind of block; nothing for a heading.
    pub(super) kind: Option<&'a BlockKind>,
    /// The units of the text before it and up to its end. Differences of these are the sizes of everything.
    units: Range<usize>,
    /// The number of blocks, and of ready-made ones, before it.
    blocks: usize,
    ready: usize,
}

/// A section and the parts that belong to it.
pub(super) struct OutlineNode {
    /// The number of the section behind this one and all that it contains.
    pub(super) end: usize,
    /// The first part, which is its heading if that has text.
    first: usize,
    /// The first part behind its heading.
    body: usize,
    /// The number of sections before this one that have headings that no text shows.
    unnamed: usize,
}

/// The parts of a document, and its sections over them. Every section's parts, and those of all that it contains,
/// are neighbours.
pub(super) struct ChunkOutline<'a> {
    pub(super) parts: Vec<OutlinePart<'a>>,
    /// One for each section, and one behind the last.
    nodes: Vec<OutlineNode>,
}

impl<'a> ChunkOutline<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        let mut row =
            TableRow { text: &document.text, parts: Vec::new(), end: 0, units: 0, blocks: 0, ready: 0 };
        let mut nodes: Vec<OutlineNode> = Vec::with_capacity(document.sections.len() + 1);
        // The sections that the next one may be a part of.
        let mut open: Vec<usize> = Vec::new();
        let mut unnamed = 0;
        for (number, section) in document.sections.iter().enumerate() {
            // A parent that ended before cannot get a further part; the section then stands on its own.
            while open.last().is_some_and(|last| Some(*last) != section.parent) {
                close(&mut nodes, open.pop(), number);
            }
            let first = row.parts.len();
            row.push(section.heading.clone(), None);
            let body = row.parts.len();
            nodes.push(OutlineNode { end: 0, first, body, unnamed });
            let above = open.last().map(|parent| &document.sections[*parent].heading_path);
            let is_shown = body > first || section.is_definition(&document.text);
            unnamed += usize::from(!is_shown && above != Some(&section.heading_path));
            open.push(number);
            for block in &section.blocks {
                row.push(block.range.clone(), Some(&block.kind));
            }
        }
        let count = nodes.len();
        while let Some(last) = open.pop() {
            close(&mut nodes, Some(last), count);
        }
        let first = row.parts.len();
        nodes.push(OutlineNode { end: count + 1, first, body: first, unnamed });
        Self { parts: row.parts, nodes }
    }

    /// The number of sections.
    pub(super) fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Finds the section behind the last that this one contains.
    pub(super) fn end(&self, section: usize) -> usize {
        self.nodes[section].end
    }

    /// Finds the blocks of the section itself.
    pub(super) fn own(&self, section: usize) -> Range<usize> {
        self.nodes[section].body..self.nodes[section + 1].first
    }

    /// All parts from the section's heading on, or from behind it, up to another section.
    pub(super) fn up_to(&self, section: usize, end: usize, with_heading: bool) -> Range<usize> {
        let OutlineNode { first, body, .. } = self.nodes[section];
        let start = if with_heading { first } else { body };
        start..self.nodes[end].first.max(start)
    }

    /// Counts the units of a row of parts with what stands between them.
    pub(super) fn units(&self, parts: &Range<usize>) -> usize {
        self.parts[parts.clone()]
            .first()
            .zip(self.parts[parts.clone()].last())
            .map_or(0, |(first, last)| last.units.end - first.units.start)
    }

    /// Computes the place where a row of parts is in the text.
    pub(super) fn text_range(&self, parts: &Range<usize>) -> Range<usize> {
        let parts = &self.parts[parts.clone()];
        parts.first().zip(parts.last()).map_or(0..0, |(first, last)| first.range.start..last.range.end)
    }

    /// Counts the parts that are blocks, and says whether one of those was made elsewhere and must stay alone.
    pub(super) fn blocks(&self, parts: &Range<usize>) -> (usize, bool) {
        let Some((first, last)) = self.parts[parts.clone()].first().zip(self.parts[parts.clone()].last())
        else {
            return (0, false);
        };
        let blocks = last.blocks + usize::from(last.kind.is_some()) - first.blocks;
        let ready = last.ready + usize::from(is_ready(last.kind)) - first.ready;
        (blocks, ready > 0)
    }

    /// Returns true if each of these sections shows its heading in the text, so that it is not lost among others.
    pub(super) fn named(&self, sections: Range<usize>) -> bool {
        self.nodes[sections.start].unnamed == self.nodes[sections.end].unnamed
    }
}

fn close(nodes: &mut [OutlineNode], section: Option<usize>, end: usize) {
    if let Some(node) = section.and_then(|section| nodes.get_mut(section)) {
        node.end = end;
    }
}

/// The parts as they are gathered.
struct TableRow<'a> {
    text: &'a str,
    parts: Vec<OutlinePart<'a>>,
    end: usize,
    units: usize,
    blocks: usize,
    ready: usize,
}

impl<'a> TableRow<'a> {
    /// Adds a part, unless it is blank. Parts never overlap, whatever the document says.
    fn push(&mut self, range: Range<usize>, kind: Option<&'a BlockKind>) {
        let start = self.text.floor_char_boundary(range.start).max(self.end);
        let end = self.text.floor_char_boundary(range.end).max(start);
        let range = trim(self.text, start..end);
        if range.is_empty() {
            return;
        }
        let before = self.units + units_of(&self.text[self.end..range.start]);
        let after = before + units_of(&self.text[range.clone()]);
        (self.end, self.units) = (range.end, after);
        self.parts.push(OutlinePart {
            range,
            kind,
            units: before..after,
            blocks: self.blocks,
            ready: self.ready,
        });
        self.blocks += usize::from(kind.is_some());
        self.ready += usize::from(is_ready(kind));
    }
}

fn is_ready(kind: Option<&BlockKind>) -> bool {
    matches!(kind, Some(BlockKind::Ready { .. }))
}

/// The range without the white space at its ends, but with the indentation of its first line, which in markdown
/// can mean code.
pub(super) fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let body = text[range.clone()].trim_end();
    let blank_lines = body.len() - body.trim_start_matches(['\n', '\r']).len();
    range.start + blank_lines..range.start + body.len()
}
