//! What is stored about documents, sections and chunks.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::container::words;
use ibid_document::{Document, Metadata, Section};

/// A document as the index remembers it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DocumentRecord {
    /// The file that the document was read from, as it was named when the index was built.
    pub source: String,
    /// Its id (unique in the index), title, address and further fields.
    pub metadata: Metadata,
    /// A checksum of what the document was read from, by which an update knows it again.
    pub content_hash: String,
    /// The number of chunks it was cut into, those included that another document has too.
    pub chunks: u32,
}

impl DocumentRecord {
    /// Without the checksum, which is made of metadata that are settled.
    pub(super) fn new(document: &Document, chunks: usize) -> Self {
        Self {
            source: document.source.clone(),
            metadata: document.metadata.clone(),
            content_hash: String::new(),
            chunks: chunks as u32,
        }
    }
}

/// A section as the index remembers it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SectionRecord {
    /// The headings above and of the section, outermost first; the first is the document's title.
    pub heading_path: Vec<String>,
    /// The id of the section's heading in the rendered page.
    pub anchor: Option<String>,
}

impl From<&Section> for SectionRecord {
    fn from(section: &Section) -> Self {
        Self { heading_path: section.heading_path.clone(), anchor: section.anchor.clone() }
    }
}

/// The words (`u32`) of a [`PlaceRecord`].
pub(super) const PLACE_WORDS: usize = 6;
/// The words (`u32`) of a [`ChunkRecord`].
pub(super) const CHUNK_WORDS: usize = PLACE_WORDS + 3;

/// Where a chunk was cut from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlaceRecord {
    /// The section's number in the segment.
    pub(super) section: u32,
    /// The chunk's number in its document, from 0.
    pub(super) index: u32,
    /// The line in the source file, from 1.
    pub(super) line: u32,
    /// The byte range in the source file.
    pub(super) span: (u32, u32),
    /// How many bytes at the beginning of its text an earlier chunk has too.
    pub(super) repeated: u32,
}

impl PlaceRecord {
    fn words(self) -> [u32; PLACE_WORDS] {
        [self.section, self.index, self.line, self.span.0, self.span.1, self.repeated]
    }

    fn of([section, index, line, start, end, repeated]: [u32; PLACE_WORDS]) -> Self {
        Self { section, index, line, span: (start, end), repeated }
    }

    pub(super) fn span(self) -> Range<usize> {
        self.span.0 as usize..self.span.1 as usize
    }
}

/// A chunk: its first place, its id, and where its text ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChunkRecord {
    pub(super) place: PlaceRecord,
    /// The end of the text among the text of all chunks; the chunk before says where it begins.
    pub(super) text_end: u32,
    pub(super) id: u64,
}

impl ChunkRecord {
    pub(super) fn encode(self) -> impl Iterator<Item = u8> {
        let tail = [self.text_end, self.id as u32, (self.id >> 32) as u32];
        self.place.words().into_iter().chain(tail).flat_map(u32::to_le_bytes)
    }

    /// The record of that number in its section, if it is there.
    pub(super) fn at(section: &[u8], number: usize) -> Option<Self> {
        let [place @ .., text_end, low, high] = record::<CHUNK_WORDS>(section, number)?;
        let id = u64::from(low) | u64::from(high) << 32;
        Some(Self { place: PlaceRecord::of(place), text_end, id })
    }
}

/// A further place of a chunk that occurs more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DuplicateRecord {
    pub(super) chunk: u32,
    pub(super) place: PlaceRecord,
}

/// The words (`u32`) of a [`DuplicateRecord`].
pub(super) const DUPLICATE_WORDS: usize = PLACE_WORDS + 1;

impl DuplicateRecord {
    pub(super) fn encode(self) -> impl Iterator<Item = u8> {
        std::iter::once(self.chunk).chain(self.place.words()).flat_map(u32::to_le_bytes)
    }

    /// The record of that number in its section, if it is there.
    pub(super) fn at(section: &[u8], number: usize) -> Option<Self> {
        let [chunk, place @ ..] = record::<DUPLICATE_WORDS>(section, number)?;
        Some(Self { chunk, place: PlaceRecord::of(place) })
    }
}

fn record<const WORDS: usize>(section: &[u8], number: usize) -> Option<[u32; WORDS]> {
    let start = number.checked_mul(WORDS * 4)?;
    let bytes = section.get(start..start.checked_add(WORDS * 4)?)?;
    let mut out = [0; WORDS];
    out.iter_mut().zip(words(bytes)).for_each(|(slot, word)| *slot = word);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_as_they_were_written() {
        let place = PlaceRecord { section: 1, index: 2, line: 3, span: (4, 5), repeated: 6 };
        let chunk = ChunkRecord { place, text_end: 7, id: 0x0123_4567_89AB_CDEF };
        let bytes: Vec<u8> = chunk.encode().chain(chunk.encode()).collect();
        assert_eq!(bytes.len(), 2 * CHUNK_WORDS * 4);
        assert_eq!(ChunkRecord::at(&bytes, 1), Some(chunk));
        assert_eq!(ChunkRecord::at(&bytes, 2), None);
        assert_eq!(ChunkRecord::at(&bytes, usize::MAX), None);
        let duplicate = DuplicateRecord { chunk: 9, place };
        let bytes: Vec<u8> = duplicate.encode().collect();
        assert_eq!(DuplicateRecord::at(&bytes, 0), Some(duplicate));
    }
}
