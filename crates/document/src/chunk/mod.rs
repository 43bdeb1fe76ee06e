//! Sections to chunks: pieces small enough to be retrieved on their own, each below the line of its headings.
//!
//! One algorithm for all formats, after the way a person would cut a handbook:
//!
//! 1. A section that fits the budget with all the sections in it is one chunk, their heading lines included. Its own
//!    heading is not in the text: the prefix carries it.
//! 2. Of a larger one, its own text is chunked on its own, then each section in it. Tiny neighbours are merged up to
//!    [`ChunkOptions::min_size`]; such a chunk belongs to the section that contains them, whose heading path is true
//!    of all, and shows all their headings. Next to each other at the top of a document they are merged only if the
//!    first one's heading path is true of all.
//! 3. Blocks of a section are gathered while they fit. A block that alone is too large is cut: a paragraph between
//!    sentences, a list between items, then sentences, a table between rows, repeating its header (unless that takes
//!    more than half of the room: then it is a row like any other), code between lines, each part within fences; as
//!    last resorts between words, and between graphemes. What was cut goes on filling the chunk that is open.
//! 4. A [ready-made](crate::BlockKind::Ready) block is never joined with anything, and cut only if it must
//!    be.
//!
//! **No chunk exceeds the budget**, its prefix included. Every chunk's text, apart from what
//! it repeats and from a fence that ends a part of code, is a stretch of the document's text, in order and without overlap. The time is linear in the input.

mod fences;
mod options;
mod outline;
mod pack;
pub(crate) mod pieces;
mod prefix;
mod sentence;
mod size;
mod stats;
mod walk;

use std::ops::Range;
use std::sync::Arc;

use twox_hash::XxHash64;

pub use options::ChunkOptions;
pub use prefix::prefix;
pub use sentence::sentences;
pub use size::size;
pub use stats::{Bucket, ChunkStats};

use crate::{Document, Section};

/// A passage of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The number of the section in its document, from 0, whose heading path is true of all of the text.
    pub section: usize,
    /// The line of headings that stands before the text when it is embedded or shown to a model: `[A > B > C] `, shared
    /// by all chunks of a section. Where it would take more than half of the budget it is shortened; it is empty when
    /// the options want none.
    pub prefix: Arc<str>,
    /// The text, without the heading path. A part of code ends with a fence, though the code goes on.
    pub text: String,
    /// The number of bytes at the beginning of `text` an earlier chunk has too: a table's header, the line that
    /// opens code, or the sentences that overlap.
    pub repeated: usize,
    /// The place where the rest of `text` stands in the document's text.
    pub range: Range<usize>,
    /// Its place in the source file, in bytes.
    pub span: Range<usize>,
    /// The line of the source file that it starts on, from 1.
    pub line: u32,
}

impl Chunk {
    /// Returns the text that is embedded for the chunk: its prefix and its text. A model learns more about a passage
    /// from its headings than from anything else.
    pub fn embedding_text(&self) -> String {
        [&*self.prefix, &self.text].concat()
    }

    /// Returns the anchors of the headings that stand in the text, as in that of several small sections, each behind
    /// the place in `text` where its heading begins; of a document with pages, those of the pages that it is on.
    pub fn anchors(&self, document: &Document) -> Vec<(usize, String)> {
        let (Range { start, end }, repeated) = (self.range.clone(), self.repeated);
        let place = |at: usize| if at == start { 0 } else { repeated + at - start };
        if !document.leaves().is_empty() {
            return document.leaf_anchors(start, end).map(|(at, anchor)| (place(at), anchor)).collect();
        }
        let sections = document.sections.get(self.section..).unwrap_or_default();
        // Headings stand in order, so that those before the chunk need not be gone through.
        let first = sections.partition_point(|section| section.start() < start);
        let within = sections[first..].iter().take_while(|section| section.start() < end);
        let shown = |section: &&Section| !section.heading.is_empty() || section.is_definition(&document.text);
        within
            .filter(shown)
            .filter_map(|section| Some((repeated + section.start() - start, section.anchor.clone()?)))
            .collect()
    }

    /// Returns the chunk's id, which depends on nothing but what it says and so is the same in every build.
    pub fn id(&self) -> u64 {
        chunk_id(&self.prefix, &self.text)
    }
}

/// Splits a document's sections into chunks, in reading order. Sections without text yield none.
///
/// Options out of range are taken as the nearest in range; [`ChunkOptions::validate`] tells.
pub fn chunk(document: &Document, options: &ChunkOptions) -> Vec<Chunk> {
    walk::chunks(document, &options.clamped())
}

/// Computes a chunk's id, which depends on nothing but what it says and so is the same in every build: XXH64 (seed 0) of
/// its prefix, a zero byte and its text.
fn chunk_id(prefix: &str, text: &str) -> u64 {
    let mut hash = XxHash64::with_seed(0);
    for part in [prefix.as_bytes(), &[0], text.as_bytes()] {
        std::hash::Hasher::write(&mut hash, part);
    }
    std::hash::Hasher::finish(&hash)
}

#[cfg(test)]
mod tests;
