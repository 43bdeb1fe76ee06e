//! The way through a document's sections: which become one chunk, which are taken apart, which are merged.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use super::fences::CodeFences;
use super::outline::ChunkOutline;
use super::pack::{ChunkPiece, Packer, halve};
use super::prefix::prefix_within;
use super::size::{CHARACTERS_PER_TOKEN, size, units_of};
use super::{Chunk, ChunkOptions};
use crate::{Document, Place};

pub(super) fn chunks(document: &Document, options: &ChunkOptions) -> Vec<Chunk> {
    let outline = ChunkOutline::new(document);
    let mut walk = Walk {
        document,
        options,
        outline,
        fences: CodeFences::of(document),
        ahead: Vec::new(),
        chunks: Vec::new(),
        buffer: String::new(),
    };
    walk.plan(0..walk.outline.len(), None);
    while let Some(step) = walk.ahead.pop() {
        match step {
            WalkStep::Section(section) => walk.section(section),
            WalkStep::Merged(owner, range) => walk.emit(&owner, ChunkPiece { range, lead: None }),
            WalkStep::Nothing => {}
        }
    }
    walk.chunks
}

/// The next steps. Sections may be nested deeper than a stack is, so these are kept in a list.
enum WalkStep {
    /// A section with all that it contains.
    Section(usize),
    /// A stretch of the text that is one chunk.
    Merged(Rc<Owner>, Range<usize>),
    /// Headings without any text.
    Nothing,
}

/// The section that chunks belong to.
struct Owner {
    section: usize,
    prefix: Arc<str>,
    /// The units that the prefix leaves.
    limit: usize,
}

struct Walk<'a> {
    document: &'a Document,
    options: &'a ChunkOptions,
    outline: ChunkOutline<'a>,
    fences: CodeFences,
    /// The next step last.
    ahead: Vec<WalkStep>,
    chunks: Vec<Chunk>,
    buffer: String,
}

impl Walk<'_> {
    fn owner(&self, section: usize) -> Rc<Owner> {
        let prefix = prefix_within(&self.document.sections[section].heading_path, self.options);
        let limit = self.budget().saturating_sub(units_of(&prefix));
        Rc::new(Owner { section, prefix: prefix.into(), limit })
    }

    fn budget(&self) -> usize {
        self.options.budget * CHARACTERS_PER_TOKEN
    }

    fn section(&mut self, section: usize) {
        let end = self.outline.end(section);
        let all = self.outline.up_to(section, end, false);
        let (blocks, ready) = self.outline.blocks(&all);
        if blocks == 0 {
            return;
        }
        let owner = self.owner(section);
        // A ready-made block may still be all that there is.
        let may_be_one = all.len() == 1 || (!ready && self.outline.named(section + 1..end));
        if may_be_one && self.outline.units(&all) <= owner.limit {
            let range = self.outline.text_range(&all);
            self.emit(&owner, ChunkPiece { range, lead: None });
            return;
        }
        let mut packer = Packer::new(&self.document.text, &self.fences, owner.limit, self.options.overlap);
        for at in self.outline.own(section) {
            let part = &self.outline.parts[at];
            if let Some(kind) = part.kind {
                packer.block(part.range.clone(), self.outline.units(&(at..at + 1)), kind);
            }
        }
        for piece in packer.finish() {
            self.emit(&owner, piece);
        }
        self.plan(section + 1..end, Some(&owner));
    }

    /// Plans what stands next to each other: sections with the same parent, or at the top of the document, where there
    /// is none.
    fn plan(&mut self, siblings: Range<usize>, parent: Option<&Rc<Owner>>) {
        let planned = self.ahead.len();
        let mut first = siblings.start;
        while first < siblings.end {
            let (end, step) = self.group(first, siblings.end, parent);
            self.ahead.push(step);
            first = end;
        }
        self.ahead[planned..].reverse();
    }

    /// Plans a section, and those next to it that it is merged with; and which section comes then.
    fn group(&self, first: usize, end: usize, parent: Option<&Rc<Owner>>) -> (usize, WalkStep) {
        let outline = &self.outline;
        let least = self.options.min_size * CHARACTERS_PER_TOKEN;
        // The heading of the first is in the prefix if the chunk belongs to it, else in the text like those of all.
        let parts_to = |end: usize| outline.up_to(first, end, parent.is_some());
        let is_tiny = |section: usize, named_from: usize| {
            let end = outline.end(section);
            let all = outline.up_to(section, end, true);
            outline.units(&all) < least && !outline.blocks(&all).1 && outline.named(named_from..end)
        };
        let alone = outline.end(first);
        let mut group_end = alone;
        let mut owner = parent.cloned();
        if is_tiny(first, if parent.is_some() { first } else { first + 1 }) {
            while group_end < end
                && outline.units(&parts_to(group_end)) < least
                && is_tiny(group_end, group_end)
            {
                let next_end = outline.end(group_end);
                let stands_for_it = parent.is_some() || self.is_below(group_end, first);
                let owner = owner.get_or_insert_with(|| self.owner(first));
                if !stands_for_it || outline.units(&parts_to(next_end)) > owner.limit {
                    break;
                }
                group_end = next_end;
            }
        }
        let parts = parts_to(group_end);
        let step = match owner {
            Some(owner) if group_end > alone && outline.blocks(&parts).0 > 0 => {
                WalkStep::Merged(owner, outline.text_range(&parts))
            }
            _ if group_end > alone => WalkStep::Nothing,
            _ => WalkStep::Section(first),
        };
        (group_end, step)
    }

    /// Returns true if one section's heading path continues another's.
    fn is_below(&self, section: usize, other: usize) -> bool {
        let sections = &self.document.sections;
        sections[section].heading_path.starts_with(&sections[other].heading_path)
    }

    /// Makes a chunk, or several if it has no room for the fences around it.
    fn emit(&mut self, owner: &Owner, piece: ChunkPiece) {
        let document = self.document;
        let mut waiting = vec![piece];
        while let Some(ChunkPiece { range, lead }) = waiting.pop() {
            // Lines and brackets say nothing: what separates a table's header from its rows, cut from both.
            if document.text[range.clone()].bytes().all(|b| b.is_ascii() && !b.is_ascii_alphanumeric()) {
                continue;
            }
            let table = lead.clone().map(|lead| &document.text[lead]);
            let mut fences = [
                table.or_else(|| self.fences.open_at(range.start)).unwrap_or_default(),
                self.fences.close_at(range.end).unwrap_or_default(),
            ];
            let text = &document.text[range.clone()];
            let mut write = |[before, behind]: [&str; 2]| {
                self.buffer.clear();
                for part in [&*owner.prefix, before, text, behind] {
                    self.buffer.push_str(part);
                }
                size(&self.buffer) <= self.options.budget
            };
            if !write(fences) {
                if lead.is_some() {
                    waiting.push(ChunkPiece { range, lead: None });
                    continue;
                }
                fences = [""; 2];
                if !write(fences)
                    && let Some((first, second)) = halve(&document.text, &range)
                {
                    waiting.extend([second, first].map(|range| ChunkPiece { range, lead: None }));
                    continue;
                }
            }
            let repeated = fences[0].len();
            let Place { span, line } = document.origin.place(&range);
            let text = self.buffer[owner.prefix.len()..].to_owned();
            self.chunks.push(Chunk {
                section: owner.section,
                prefix: Arc::clone(&owner.prefix),
                text,
                repeated,
                range,
                span,
                line,
            });
        }
    }
}
