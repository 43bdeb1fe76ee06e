//! Sections to chunks: pieces small enough to be retrieved on their own, each with its heading path.
//!
//! The blocks of a section are gathered up to the budget; a block that alone exceeds it is split at line ends, then
//! between words, and as the last resort between graphemes. No chunk exceeds the budget, its prefix included, as
//! long as the prefix leaves room for any text at all.

mod split;

use std::ops::Range;

use crate::document::{Document, Place, Section};
use split::Pieces;

/// A passage of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The number of the section in its document, from 0.
    pub section: usize,
    /// The text, without the heading path.
    pub text: String,
    /// How many bytes at the beginning of `text` an earlier chunk has too: a table's header, or the sentences that
    /// overlap.
    pub repeated: usize,
    /// Where the rest of `text` stands in the document's text.
    pub range: Range<usize>,
    /// Where it stands in the source file, in bytes.
    pub span: Range<usize>,
    /// The line of the source file that it starts on, from 1.
    pub line: u32,
}

/// How to chunk.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ChunkOptions {
    /// The most tokens a chunk may have with its prefix, 16 or more; 800 by default. A token is counted as four
    /// characters, which for English is near what models count.
    pub budget: usize,
}

impl Default for ChunkOptions {
    fn default() -> Self {
        Self { budget: 800 }
    }
}

/// Characters that count as one token.
const CHARACTERS_PER_TOKEN: usize = 4;
/// Even under a very long heading path a chunk gets this many tokens for its text.
const LEAST_BODY: usize = 16;

/// `[A > B > C] `, the line of headings that stands before a chunk's text where it is embedded or shown to a model.
pub fn prefix(heading_path: &[String]) -> String {
    format!("[{}] ", heading_path.join(" > "))
}

/// The number of tokens that a text counts for, rounded up.
pub fn token_count(text: &str) -> usize {
    text.chars().count().div_ceil(CHARACTERS_PER_TOKEN)
}

/// Splits a document's sections into chunks, in reading order. Sections without text yield none.
pub fn chunk(document: &Document, options: &ChunkOptions) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    for (number, section) in document.sections.iter().enumerate() {
        let characters = body_budget(section, options) * CHARACTERS_PER_TOKEN;
        for range in spans(&document.text, section, characters) {
            let Place { span, line } = document.origin.place(&range);
            let text = document.text[range.clone()].to_owned();
            chunks.push(Chunk { section: number, text, repeated: 0, range, span, line });
        }
    }
    chunks
}

/// The tokens left for text below the section's prefix.
fn body_budget(section: &Section, options: &ChunkOptions) -> usize {
    options.budget.saturating_sub(token_count(&prefix(&section.heading_path))).max(LEAST_BODY)
}

/// Gathers blocks while they fit; consecutive blocks are joined with whatever stands between them in the source.
fn spans(text: &str, section: &Section, characters: usize) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    // Characters in the last span, while that span may still grow.
    let mut gathered: Option<usize> = None;
    for block in &section.blocks {
        let block = trim(text, block.range.clone());
        if block.is_empty() {
            continue;
        }
        let size = text[block.clone()].chars().count();
        if let (Some(used), Some(last)) = (gathered, out.last_mut()) {
            let between = text[last.end..block.start].chars().count();
            if used + between + size <= characters {
                last.end = block.end;
                gathered = Some(used + between + size);
                continue;
            }
        }
        if size <= characters {
            gathered = Some(size);
            out.push(block);
        } else {
            gathered = None;
            out.extend(Pieces::new(text, block, characters));
        }
    }
    out
}

/// The range without the white space at its ends, but with the indentation of its first line, which in markdown
/// can mean code.
fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let body = part.trim_end();
    let blank_lines = body.len() - body.trim_start_matches(['\n', '\r']).len();
    range.start + blank_lines..range.start + body.len().max(blank_lines)
}

#[cfg(test)]
mod tests;
