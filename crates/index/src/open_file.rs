//! The content of a file. An index that is open has one, and one more for each addition.

use std::ops::Range;
use std::sync::Arc;

use super::bits::Bits;
use super::blocks::{BlockSection, BlockStore};
use super::cluster::Clusters;
use super::columns::Column;
use super::container::{
    CENTROIDS, CLUSTERS, CODES, COLUMN_BLOCKS, COLUMNS, DOCUMENT_BLOCKS, DOCUMENTS, FileLayout,
    HEADING_BLOCKS, HEADINGS, HOME, LEXICON, POSTINGS, ReadRange, SectionId, SharedBytes, TEXT, TEXT_BLOCKS,
    VECTORS, corrupt,
};
use super::directory::HeadingRecord;
use super::home::Home;
use super::lexical::TermStore;
use super::manifest::Manifest;
use super::metadata::MetadataStore;
use super::passages::PassageBlock;
use super::records::DocumentRecord;
use super::rows::RowStore;
use super::store::RecordStore;
use ibid_platform::Result;

#[derive(Debug)]
pub(super) struct OpenFile {
    /// The documents that chunks stand in.
    pub(super) home: Home,
    pub(super) passages: RecordStore<PassageBlock>,
    documents: RecordStore<Vec<DocumentRecord>>,
    pub(super) headings: RecordStore<Vec<HeadingRecord>>,
    pub(super) terms: TermStore,
    pub(super) clusters: Clusters,
    pub(super) rows: RowStore,
    /// The columns of the metadata.
    pub(super) metadata: MetadataStore,
    /// The documents that were not removed.
    pub(super) live: Bits,
}

/// Each file behind the number in the index of its first chunk.
pub(super) fn with_first_chunks(files: &[OpenFile]) -> impl Iterator<Item = (u32, &OpenFile)> {
    files.iter().scan(0, |next, file| {
        let first = *next;
        *next += file.chunk_count();
        Some((first, file))
    })
}

impl OpenFile {
    /// Reads a file's content. `section` yields a section's verified bytes, and an error if they are not there; only
    /// what comes later may be missing.
    pub(super) fn open(
        layout: &FileLayout,
        manifest: &Manifest,
        section: &dyn Fn(SectionId) -> Result<SharedBytes>,
    ) -> Result<Self> {
        let place = |id| -> Result<BlockSection> {
            let Range { start, end } = layout.require(id)?.range.clone();
            Ok(BlockSection { at: start, length: end - start, bytes: section(id).ok() })
        };
        let &Manifest { documents: document_count, chunks, sections, .. } = manifest;
        let dimensions = manifest.space.dimensions as usize;
        let home = Home::open(&section(HOME)?, document_count, chunks)?;
        let passages = RecordStore::open(&section(TEXT_BLOCKS)?, chunks, place(TEXT)?)?;
        let documents = RecordStore::open(&section(DOCUMENT_BLOCKS)?, document_count, place(DOCUMENTS)?)?;
        let headings = RecordStore::open(&section(HEADING_BLOCKS)?, sections, place(HEADINGS)?)?;
        let terms = TermStore::open(section(LEXICON)?, chunks, place(POSTINGS)?)?;
        let metadata = MetadataStore::open(&section(COLUMN_BLOCKS)?, document_count, place(COLUMNS)?)?;
        let blocks = [place(CENTROIDS)?, place(CODES)?];
        let clusters = Clusters::open(&section(CLUSTERS)?, chunks, dimensions, blocks)?;
        let rows = RowStore::open(chunks, dimensions, place(VECTORS)?)?;
        let live = Bits::all(document_count);
        Ok(Self { home, passages, documents, headings, terms, clusters, rows, metadata, live })
    }

    /// All of its blocks; rows are none.
    fn blocks(&self) -> [&BlockStore; 7] {
        [
            self.passages.blocks(),
            self.documents.blocks(),
            self.headings.blocks(),
            self.terms.blocks(),
            self.metadata.blocks(),
            self.clusters.centroids(),
            self.clusters.blocks(),
        ]
    }

    /// Takes over what of these bytes of the file is missing.
    pub(super) fn provide(&self, offset: u64, bytes: &SharedBytes) -> Result<()> {
        self.blocks().iter().try_for_each(|blocks| blocks.provide(offset, bytes))?;
        self.rows.provide(offset, bytes)
    }

    /// From now on, reads what is missing when it is asked for.
    pub(super) fn read_from(&self, reader: &Arc<dyn ReadRange>) {
        self.blocks().iter().for_each(|blocks| blocks.packed.read_from(reader));
        self.rows.rows.read_from(reader);
    }

    /// Counts the documents, removed ones included.
    pub(super) fn document_count(&self) -> u32 {
        self.documents.blocks().content_end() as u32
    }

    /// Counts the sections, those of removed documents included.
    pub(super) fn section_count(&self) -> u32 {
        self.headings.blocks().content_end() as u32
    }

    /// Finds a field by its name, see [`MetadataStore::column`].
    pub(super) fn column(&self, key: &str) -> Result<Option<&Column>> {
        self.metadata.column(key, &|number| self.document(number))
    }

    /// The number of chunks, removed ones included.
    pub(super) fn chunk_count(&self) -> u32 {
        self.passages.blocks().content_end() as u32
    }

    /// Reads a document by its number.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::IndexIncomplete`] when the directory has not been fetched.
    pub(super) fn document(&self, number: u32) -> Result<DocumentRecord> {
        let found = self.documents.find(number)?;
        let record = found.and_then(|(block, at)| block.get(at).cloned());
        record.ok_or_else(|| corrupt(format!("it has no document {number}")))
    }

    /// Lists the bytes of the file to fetch before documents and headings can be read.
    pub(super) fn missing_directory(&self) -> Vec<Range<u64>> {
        let (documents, headings) = (self.documents.blocks(), self.headings.blocks());
        [documents, headings].into_iter().flat_map(BlockStore::all_missing).collect()
    }

    /// Returns true unless all documents that the chunk stands in were removed.
    pub(super) fn is_live(&self, chunk: u32) -> bool {
        self.home.documents_of(chunk).any(|document| self.live.contains(document))
    }

    pub(super) fn live_chunks(&self) -> u32 {
        if self.live.count() == self.document_count() {
            return self.chunk_count();
        }
        (0..self.chunk_count()).filter(|&chunk| self.is_live(chunk)).count() as u32
    }
}
