//! A part of an index that was built at one time and never changes: an index has one, and one more for each update
//! until they are merged.

use std::ops::Range;
use std::sync::Arc;

use super::bits::Bits;
use super::blocks::{BlockSection, BlockStore};
use super::cluster::Clusters;
use super::columns::Column;
use super::container::{
    CENTROIDS, CLUSTERS, CODES, COLUMN_BLOCKS, COLUMNS, DOCUMENT_BLOCKS, DOCUMENTS, FileLayout,
    HEADING_BLOCKS, HEADINGS, HOME, LEXICON, POSTINGS, REMOVED, ReadRange, SectionDraft, SectionId,
    SharedBytes, TEXT, TEXT_BLOCKS, VECTORS, corrupt,
};
use super::directory::{DocumentBlock, HeadingBlock};
use super::home::Home;
use super::lexical::TermStore;
use super::lookup::SegmentLookup;
use super::manifest::{Encoder, SegmentCounts, SegmentInfo};
use super::passages::PassageBlock;
use super::records::DocumentRecord;
use super::rows::RowStore;
use super::store::RecordStore;
use ibid_platform::Result;

/// Sections that must be there when an index is opened, in the order of the file. They are written again byte by byte
/// when a segment goes into another file.
const COPIED: [SectionId; 7] =
    [CLUSTERS, COLUMN_BLOCKS, HOME, LEXICON, TEXT_BLOCKS, DOCUMENT_BLOCKS, HEADING_BLOCKS];

#[derive(Debug)]
pub(super) struct Segment {
    encoder: Encoder,
    counts: SegmentCounts,
    home: Home,
    passages: RecordStore<PassageBlock>,
    documents: RecordStore<DocumentBlock>,
    headings: RecordStore<HeadingBlock>,
    terms: TermStore,
    clusters: Clusters,
    rows: RowStore,
    /// The file's sections of [`COPIED`], as they are in the file.
    sections: Vec<(SectionId, SharedBytes)>,
    removed: Removed,
    lookup: SegmentLookup,
}

/// Each segment behind the number in the index of its first chunk.
pub(super) fn with_first_chunks(segments: &[Segment]) -> impl Iterator<Item = (u32, &Segment)> {
    segments.iter().scan(0, |next, segment| {
        let first = *next;
        *next += segment.chunk_count();
        Some((first, segment))
    })
}

/// The documents, and with them the chunks, that are no longer part of the index.
#[derive(Debug, Default)]
struct Removed {
    documents: Vec<bool>,
    /// Empty as long as nothing has been removed.
    chunks: Vec<bool>,
    live_documents: u32,
    live_chunks: u32,
}

impl Segment {
    /// Reads the segment of that number. `section` yields a section's verified bytes, and an error where they are not
    /// there; only what comes later may be missing.
    pub(super) fn open(
        layout: &FileLayout,
        number: u32,
        SegmentInfo { encoder, counts, .. }: SegmentInfo,
        dimensions: usize,
        section: &dyn Fn(SectionId) -> Result<SharedBytes>,
    ) -> Result<Self> {
        let place = |id| -> Result<BlockSection> {
            let Range { start, end } = layout.require(id, number)?.range.clone();
            Ok(BlockSection { at: start, length: end - start, bytes: section(id).ok() })
        };
        let SegmentCounts { documents: documents_count, chunks, sections: headings_count, .. } = counts;
        let home = Home::open(&section(HOME)?, documents_count, chunks)?;
        let passages = RecordStore::open(&section(TEXT_BLOCKS)?, chunks, place(TEXT)?)?;
        let documents = RecordStore::open(&section(DOCUMENT_BLOCKS)?, documents_count, place(DOCUMENTS)?)?;
        let headings = RecordStore::open(&section(HEADING_BLOCKS)?, headings_count, place(HEADINGS)?)?;
        let terms = TermStore::open(section(LEXICON)?, chunks, place(POSTINGS)?)?;
        let lookup = SegmentLookup::open(&section(COLUMN_BLOCKS)?, documents_count, place(COLUMNS)?)?;
        let blocks = [place(CENTROIDS)?, place(CODES)?];
        let clusters = Clusters::open(&section(CLUSTERS)?, chunks, dimensions, blocks)?;
        let BlockSection { at, length, bytes } = place(VECTORS)?;
        let rows = RowStore::open(chunks, dimensions, at, length, bytes)?;
        let sections = COPIED.into_iter().map(|id| Ok((id, section(id)?))).collect::<Result<_>>()?;
        let removed = layout.find(REMOVED, number).map(|_| section(REMOVED)).transpose()?;
        let mut segment = Self {
            encoder,
            counts,
            home,
            passages,
            documents,
            headings,
            terms,
            clusters,
            rows,
            sections,
            removed: Removed::open(removed.as_deref(), counts)?,
            lookup,
        };
        segment.refresh_removed();
        Ok(segment)
    }

    /// Takes over what of these bytes of the file is missing.
    pub(super) fn provide(&self, offset: u64, bytes: &SharedBytes) -> Result<()> {
        self.passages.blocks().provide(offset, bytes)?;
        self.documents.blocks().provide(offset, bytes)?;
        self.headings.blocks().provide(offset, bytes)?;
        self.terms.blocks().provide(offset, bytes)?;
        self.lookup.blocks().provide(offset, bytes)?;
        self.clusters.centroids().provide(offset, bytes)?;
        self.clusters.blocks().provide(offset, bytes)?;
        self.rows.provide(offset, bytes)
    }

    /// From now on, reads what is missing when it is asked for.
    pub(super) fn read_from(&self, reader: &Arc<dyn ReadRange>) {
        for blocks in [
            self.passages.blocks(),
            self.documents.blocks(),
            self.headings.blocks(),
            self.terms.blocks(),
            self.lookup.blocks(),
            self.clusters.centroids(),
            self.clusters.blocks(),
        ] {
            blocks.read_from(reader);
        }
        self.rows.read_from(reader);
    }

    pub(super) fn encoder(&self) -> Encoder {
        self.encoder
    }

    pub(super) fn info(&self) -> SegmentInfo {
        SegmentInfo { encoder: self.encoder, counts: self.counts }
    }

    /// Its counts, removed documents included.
    pub(super) fn counts(&self) -> SegmentCounts {
        self.counts
    }

    /// The columns of the metadata.
    pub(super) fn lookup(&self) -> &SegmentLookup {
        &self.lookup
    }

    /// A field by its name, see [`SegmentLookup::column`].
    pub(super) fn column(&self, key: &str) -> Result<Option<&Column>> {
        self.lookup.column(self, key)
    }

    /// The number of chunks, removed ones included.
    pub(super) fn chunk_count(&self) -> u32 {
        self.counts.chunks
    }

    /// The documents that chunks stand in.
    pub(super) fn home(&self) -> &Home {
        &self.home
    }

    pub(super) fn passages(&self) -> &RecordStore<PassageBlock> {
        &self.passages
    }

    pub(super) fn headings(&self) -> &RecordStore<HeadingBlock> {
        &self.headings
    }

    /// A document by its number.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::IndexIncomplete`] when the directory has not been fetched.
    pub(super) fn document(&self, number: u32) -> Result<DocumentRecord> {
        let found = self.documents.find(number)?;
        let record = found.and_then(|(block, at)| block.0.get(at).cloned());
        record.ok_or_else(|| corrupt(format!("it has no document {number}")))
    }

    /// The bytes of the file to fetch before documents and headings can be read.
    pub(super) fn missing_directory(&self) -> Vec<Range<u64>> {
        let (documents, headings) = (self.documents.blocks(), self.headings.blocks());
        [documents, headings].into_iter().flat_map(BlockStore::all_missing).collect()
    }

    pub(super) fn terms(&self) -> &TermStore {
        &self.terms
    }

    pub(super) fn clusters(&self) -> &Clusters {
        &self.clusters
    }

    pub(super) fn rows(&self) -> &RowStore {
        &self.rows
    }

    pub(super) fn is_live(&self, chunk: u32) -> bool {
        !self.removed.chunks.get(chunk as usize).is_some_and(|removed| *removed)
    }

    pub(super) fn is_live_document(&self, document: u32) -> bool {
        !self.removed.documents.get(document as usize).is_some_and(|removed| *removed)
    }

    pub(super) fn live_documents(&self) -> u32 {
        self.removed.live_documents
    }

    /// The documents that have not been removed.
    pub(super) fn live_set(&self) -> Bits {
        let count = self.counts.documents;
        if self.live_documents() == count {
            return Bits::all(count);
        }
        let mut live = Bits::none(count);
        (0..count).filter(|&at| self.is_live_document(at)).for_each(|at| live.insert(at));
        live
    }

    pub(super) fn live_chunks(&self) -> u32 {
        self.removed.live_chunks
    }

    /// Takes documents out of every result from now on.
    pub(super) fn remove(&mut self, documents: impl Iterator<Item = u32>) {
        for document in documents {
            if let Some(removed) = self.removed.documents.get_mut(document as usize) {
                *removed = true;
            }
        }
        self.refresh_removed();
    }

    /// A chunk is gone when all documents that have it are.
    fn refresh_removed(&mut self) {
        let removed = &mut self.removed.documents;
        removed.resize(self.counts.documents as usize, false);
        let live = removed.iter().filter(|removed| !**removed).count();
        let chunks = self.chunk_count();
        self.removed.live_documents = live as u32;
        self.removed.live_chunks = chunks;
        self.removed.chunks.clear();
        if live < self.removed.documents.len() {
            let is_gone =
                |chunk| self.home.documents_of(chunk).all(|document| !self.is_live_document(document));
            self.removed.chunks = (0..chunks).map(is_gone).collect();
            let gone = self.removed.chunks.iter().filter(|gone| **gone).count();
            self.removed.live_chunks = chunks - gone as u32;
        }
    }

    /// The sections to write this segment again under a number: those that must be there at first, and the others.
    pub(super) fn parts(&self, segment: u32) -> Result<[Vec<SectionDraft>; 2]> {
        let part = |id, bytes: &SharedBytes| SectionDraft { id, segment, bytes: bytes.clone() };
        let mut first: Vec<SectionDraft> = self.sections.iter().map(|(id, bytes)| part(*id, bytes)).collect();
        if !self.removed.chunks.is_empty() {
            first.push(SectionDraft::new(REMOVED, segment, self.removed.encode()));
        }
        let blocks = [
            (CENTROIDS, self.clusters.centroids()),
            // A page's first request reaches into what follows the sections that it needs: a query needs more of the
            // clusters than of the terms.
            (CODES, self.clusters.blocks()),
            (POSTINGS, self.terms.blocks()),
            (TEXT, self.passages.blocks()),
            (DOCUMENTS, self.documents.blocks()),
            (HEADINGS, self.headings.blocks()),
            (COLUMNS, self.lookup.blocks()),
        ];
        let mut later = Vec::new();
        for (id, blocks) in blocks {
            let draft = part(id, &blocks.section()?);
            if draft.is_needed() { &mut first } else { &mut later }.push(draft);
        }
        later.push(part(VECTORS, &self.rows.section()?));
        Ok([first, later])
    }
}

impl Removed {
    fn open(section: Option<&[u8]>, counts: SegmentCounts) -> Result<Self> {
        let Some(section) = section else { return Ok(Self::default()) };
        let documents = counts.documents as usize;
        if section.len() != documents.div_ceil(8) {
            return Err(corrupt("its list of removed documents has the wrong length"));
        }
        let is_removed = |document: usize| section[document / 8] >> (document % 8) & 1 == 1;
        Ok(Self { documents: (0..documents).map(is_removed).collect(), ..Self::default() })
    }

    /// One bit for each document, the first in the lowest place of the first byte.
    fn encode(&self) -> Vec<u8> {
        let bytes = self.documents.chunks(8);
        bytes.map(|bits| bits.iter().rev().fold(0, |byte, &removed| byte << 1 | u8::from(removed))).collect()
    }
}
