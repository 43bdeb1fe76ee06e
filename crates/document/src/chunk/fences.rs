//! Code between fences: what a chunk that has only a part of it begins and ends with.

use std::ops::Range;

use crate::markup::{Fence, fence_of};
use crate::{BlockKind, Document};

/// The most bytes of a fence's line that are repeated; what a language is called is shorter.
const MAX_INFO: usize = 24;

/// A stretch of code with its fences.
struct FencedCode {
    /// From the first mark of the fence that opens it to the end of that which closes it.
    range: Range<usize>,
    /// The line to begin a part with, and the line to end one with.
    open: String,
    close: String,
}

impl FencedCode {
    /// The code from a fence on, of which the first mark, and what stands before that in its line, are told.
    fn new((start, before, fence): (usize, &str, Fence<'_>), end: usize) -> Self {
        let marks = fence.mark.to_string().repeat(fence.length);
        // A part begins with the indentation, or the marks of a quotation, that the code has, and no item.
        let before: String =
            before.chars().map(|c| if c == '>' || c.is_whitespace() { c } else { ' ' }).collect();
        let language = fence.info.split_whitespace().next().filter(|language| language.len() <= MAX_INFO);
        let open = format!("{before}{marks}{}\n", language.unwrap_or_default());
        Self { range: start..end, open, close: format!("\n{before}{marks}") }
    }
}

/// The fenced code of a document, in its order.
#[derive(Default)]
pub(super) struct CodeFences(Vec<FencedCode>);

impl CodeFences {
    pub(super) fn of(document: &Document) -> Self {
        let mut found = Vec::new();
        for block in document.sections.iter().flat_map(|section| &section.blocks) {
            if matches!(block.kind, BlockKind::Code | BlockKind::List) {
                find(&document.text, block.range.clone(), &mut found);
            }
        }
        Self(found)
    }

    /// Lists the lines that a chunk gets which begins or ends here, where that is inside of code.
    pub(super) fn open_at(&self, start: usize) -> Option<&str> {
        Some(&self.around(start)?.open)
    }

    pub(super) fn close_at(&self, end: usize) -> Option<&str> {
        Some(&self.around(end)?.close)
    }

    fn around(&self, at: usize) -> Option<&FencedCode> {
        let code = self.0.get(self.0.partition_point(|code| code.range.end <= at))?;
        (code.range.start < at).then_some(code)
    }
}

fn find(text: &str, block: Range<usize>, found: &mut Vec<FencedCode>) {
    let mut opened: Option<(usize, &str, Fence<'_>)> = None;
    // Blocks of a document that contradicts itself may overlap.
    if found.last().is_some_and(|last| last.range.end > block.start) {
        return;
    }
    let mut at = block.start;
    let end = block.end;
    for line in text.get(block).unwrap_or_default().split_inclusive('\n') {
        let fence = fence_of(line).filter(|fence| fence.mark != ':');
        let content = line.trim_end();
        match (opened.take(), fence) {
            (None, Some(fence)) => {
                let mark = content.find(fence.mark).unwrap_or_default();
                opened = Some((at + mark, &content[..mark], fence));
            }
            (Some(open), Some(fence)) if fence.closes(&open.2) => {
                found.push(FencedCode::new(open, at + content.len()));
            }
            (open, _) => opened = open,
        }
        at += line.len();
    }
    // Code that nothing closes goes on to the end of its block, where it gets a fence too.
    found.extend(opened.map(|open| FencedCode::new(open, end + 1)));
}
