//! A segment's documents, sections and places of chunks: what stands between a chunk's number and a citation.

use super::container::{SharedBytes, corrupt, u32_at, words};
use super::records::{
    CHUNK_WORDS, ChunkRecord, DUPLICATE_WORDS, DocumentRecord, DuplicateRecord, PlaceRecord, SectionRecord,
};
use super::strings::{StringTable, StringTableBuilder};
use super::text::{self, TextStore};
use ibid_platform::{Error, ErrorCode, Result};

/// Words (`u32`) of a section's entry: its document, its anchor's string plus one (0 for none), the end of its path.
const SECTION_WORDS: usize = 3;

/// How many of each a segment has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SegmentCounts {
    /// Documents, those included that have been removed since.
    pub documents: u32,
    /// Sections.
    pub sections: u32,
    /// Chunks, each with one vector.
    pub chunks: u32,
    /// Further places of chunks that occur more than once.
    pub duplicates: u32,
}

/// The documents as JSON objects in blocks, as text is stored: where each object ends (`u32`) with the table of the
/// blocks, and the blocks.
pub(super) fn encode_documents<'a>(
    documents: impl Iterator<Item = &'a DocumentRecord>,
) -> Result<(Vec<u8>, Vec<u8>)> {
    let object = |document| {
        serde_json::to_string(document).map_err(|error| Error::new(ErrorCode::Internal, error.to_string()))
    };
    let objects = documents.map(object).collect::<Result<Vec<String>>>()?;
    let ends = objects.iter().scan(0u32, |end, object| {
        *end = end.wrapping_add(object.len() as u32);
        Some(*end)
    });
    let mut index: Vec<u8> = ends.flat_map(u32::to_le_bytes).collect();
    let (table, blocks) = text::encode(objects.iter().map(String::as_str))?;
    index.extend(table);
    Ok((index, blocks))
}

/// The sections, each with the number of its document: an entry for each, then the strings of all their paths.
pub(super) fn encode_sections<'a>(
    sections: impl Iterator<Item = (u32, &'a SectionRecord)>,
    strings: &mut StringTableBuilder<'a>,
) -> Vec<u8> {
    let (mut entries, mut paths) = (Vec::new(), Vec::new());
    for (document, section) in sections {
        paths.extend(section.heading_path.iter().map(|heading| strings.number(heading)));
        let anchor = section.anchor.as_ref().map_or(0, |anchor| strings.number(anchor) + 1);
        entries.extend([document, anchor, paths.len() as u32]);
    }
    entries.iter().chain(&paths).flat_map(|word| word.to_le_bytes()).collect()
}

/// The sections of the file that a catalog is read from.
pub(super) struct CatalogParts {
    pub(super) document_blocks: SharedBytes,
    pub(super) documents: SharedBytes,
    pub(super) strings: SharedBytes,
    pub(super) sections: SharedBytes,
    pub(super) chunks: SharedBytes,
    pub(super) duplicates: SharedBytes,
}

/// Reads documents, sections and chunks where they lie; every reference in them has been checked.
#[derive(Debug)]
pub(super) struct Catalog {
    counts: SegmentCounts,
    /// Where each document's object ends.
    document_ends: SharedBytes,
    documents: TextStore,
    strings: StringTable,
    sections: SharedBytes,
    chunks: SharedBytes,
    duplicates: SharedBytes,
}

impl Catalog {
    pub(super) fn open(counts: SegmentCounts, parts: CatalogParts) -> Result<Self> {
        let CatalogParts { document_blocks, documents, strings, sections, chunks, duplicates } = parts;
        let damaged = || corrupt("its documents contradict each other");
        let ends = (counts.documents as usize).checked_mul(4).ok_or_else(damaged)?;
        let document_ends = document_blocks.slice(0..ends).ok_or_else(damaged)?;
        let table = document_blocks.get(ends..).ok_or_else(damaged)?;
        let documents = TextStore::open(table, 0, documents.len() as u64, Some(documents))?;
        let strings = StringTable::open(strings)?;
        let catalog = Self { counts, document_ends, documents, strings, sections, chunks, duplicates };
        catalog.check()?;
        Ok(catalog)
    }

    pub(super) fn counts(&self) -> SegmentCounts {
        self.counts
    }

    fn check(&self) -> Result<()> {
        let has = |bytes: &SharedBytes, count: u32, words: usize| {
            Some(bytes.len()) == (count as usize).checked_mul(words * 4)
        };
        if !has(&self.chunks, self.counts.chunks, CHUNK_WORDS)
            || !has(&self.duplicates, self.counts.duplicates, DUPLICATE_WORDS)
        {
            return Err(corrupt("its counts contradict each other"));
        }
        self.check_documents().ok_or_else(|| corrupt("its documents contradict each other"))?;
        self.check_sections().ok_or_else(|| corrupt("its sections contradict each other"))?;
        self.check_chunks()
    }

    fn check_documents(&self) -> Option<()> {
        let mut start = 0;
        for end in words(&self.document_ends) {
            let range = start..end as usize;
            if range.is_empty() || !self.documents.holds(&range) {
                return None;
            }
            start = range.end;
        }
        (start == self.documents.text_length()).then_some(())
    }

    fn check_sections(&self) -> Option<()> {
        let count = self.counts.sections as usize;
        let (entries, paths) = self.sections.split_at_checked(count.checked_mul(SECTION_WORDS * 4)?)?;
        let strings = self.strings.len() as u32;
        let (mut document_before, mut path_before) = (0, 0);
        for entry in entries.as_chunks::<{ SECTION_WORDS * 4 }>().0 {
            let (document, anchor, path_end) = (u32_at(entry, 0), u32_at(entry, 4), u32_at(entry, 8));
            let ordered = document >= document_before && path_end >= path_before;
            if !ordered || document >= self.counts.documents || anchor > strings {
                return None;
            }
            (document_before, path_before) = (document, path_end);
        }
        let whole = Some(paths.len()) == (path_before as usize).checked_mul(4);
        (whole && words(paths).all(|string| string < strings)).then_some(())
    }

    fn check_chunks(&self) -> Result<()> {
        let sane = |place: PlaceRecord| place.section < self.counts.sections && place.span.0 <= place.span.1;
        let (mut text_before, mut document_before) = (0, 0);
        for number in 0..self.counts.chunks {
            let chunk = self.chunk(number).filter(|chunk| sane(chunk.place) && chunk.text_end >= text_before);
            let document = chunk.map(|chunk| self.document_of(chunk.place.section));
            let (Some(chunk), Some(document)) = (chunk, document.filter(|&at| at >= document_before)) else {
                return Err(corrupt(format!("chunk {number} points outside the file")));
            };
            (text_before, document_before) = (chunk.text_end, document);
        }
        let mut chunk_before = 0;
        for number in 0..self.counts.duplicates as usize {
            let duplicate = DuplicateRecord::at(&self.duplicates, number).filter(|duplicate| {
                let known = duplicate.chunk >= chunk_before && duplicate.chunk < self.counts.chunks;
                known && sane(duplicate.place)
            });
            let Some(duplicate) = duplicate else {
                return Err(corrupt(format!("duplicate {number} points outside the file")));
            };
            chunk_before = duplicate.chunk;
        }
        Ok(())
    }

    pub(super) fn chunk(&self, number: u32) -> Option<ChunkRecord> {
        ChunkRecord::at(&self.chunks, number as usize)
    }

    /// Where the text of that chunk lies among the text of all.
    pub(super) fn text_range(&self, number: u32) -> Option<std::ops::Range<usize>> {
        let start =
            number.checked_sub(1).and_then(|before| self.chunk(before)).map_or(0, |chunk| chunk.text_end);
        Some(start as usize..self.chunk(number)?.text_end as usize)
    }

    /// All places of a chunk, the first one first.
    pub(super) fn places(&self, number: u32) -> impl Iterator<Item = PlaceRecord> + '_ {
        let count = self.counts.duplicates as usize;
        let chunk_at = |at: usize| DuplicateRecord::at(&self.duplicates, at).map(|duplicate| duplicate.chunk);
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = usize::midpoint(low, high);
            if chunk_at(middle) < Some(number) { low = middle + 1 } else { high = middle }
        }
        let further = (low..count).map_while(move |at| {
            DuplicateRecord::at(&self.duplicates, at).filter(|duplicate| duplicate.chunk == number)
        });
        self.chunk(number)
            .map(|chunk| chunk.place)
            .into_iter()
            .chain(further.map(|duplicate| duplicate.place))
    }

    /// The chunk that stands at a number of a document.
    pub(super) fn chunk_at(&self, document: u32, index: u32) -> Option<u32> {
        let key = |place: PlaceRecord| (self.document_of(place.section), place.index);
        let (mut low, mut high) = (0, self.counts.chunks);
        while low < high {
            let middle = low.midpoint(high);
            if key(self.chunk(middle)?.place) < (document, index) { low = middle + 1 } else { high = middle }
        }
        if self.chunk(low).is_some_and(|chunk| key(chunk.place) == (document, index)) {
            return Some(low);
        }
        // What stands in an earlier document too is stored there.
        let mut further = (0..self.counts.duplicates as usize)
            .filter_map(|number| DuplicateRecord::at(&self.duplicates, number));
        Some(further.find(|duplicate| key(duplicate.place) == (document, index))?.chunk)
    }

    /// The chunks that stand in more than one place, each with the document of a place that is not its first.
    pub(super) fn further_places(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let record = |at: usize| DuplicateRecord::at(&self.duplicates, at);
        let records = (0..self.counts.duplicates as usize).filter_map(record);
        records.map(|duplicate| (duplicate.chunk, self.document_of(duplicate.place.section)))
    }

    /// The document that a section belongs to.
    pub(super) fn document_of(&self, section: u32) -> u32 {
        u32_at(&self.sections, section as usize * SECTION_WORDS * 4)
    }

    pub(super) fn document(&self, number: u32) -> Result<DocumentRecord> {
        let end = |number: u32| u32_at(&self.document_ends, number as usize * 4) as usize;
        let object = self.documents.get(&(number.checked_sub(1).map_or(0, end)..end(number)))?;
        serde_json::from_str(&object)
            .map_err(|error| corrupt(format!("its document {number} cannot be read ({error})")))
    }

    pub(super) fn section(&self, number: u32) -> SectionRecord {
        let entry = |number: u32, word: usize| {
            u32_at(&self.sections, (number as usize * SECTION_WORDS + word) * 4) as usize
        };
        let paths = self.counts.sections as usize * SECTION_WORDS * 4;
        let start = number.checked_sub(1).map_or(0, |before| entry(before, 2));
        let path = self.sections.get(paths + start * 4..paths + entry(number, 2) * 4).unwrap_or_default();
        let anchor = (entry(number, 1) as u32).checked_sub(1);
        SectionRecord {
            heading_path: words(path).map(|string| self.strings.get(string).to_owned()).collect(),
            anchor: anchor.map(|string| self.strings.get(string).to_owned()),
        }
    }
}
