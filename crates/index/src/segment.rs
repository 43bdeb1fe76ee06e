//! A part of an index that was built at one time and never changes: an index has one, and one more for each update
//! until they are merged.

use std::ops::Range;
use std::sync::OnceLock;

use super::bits::Bits;
use super::candidate::Scratch;
use super::catalog::{Catalog, CatalogParts, SegmentCounts};
use super::columns::Column;
use super::container::{
    CHUNKS, COLUMNS, DOCUMENT_BLOCKS, DOCUMENTS, DUPLICATES, FileLayout, GRAPH, LEXICON, MAGNITUDES,
    POSTINGS, REMOVED, SECTIONS, SIGNS, STRINGS, SectionDraft, SectionEntry, SectionId, SharedBytes, TEXT,
    TEXT_BLOCKS, VECTORS, corrupt,
};
use super::graph::Graph;
use super::later::LaterSection;
use super::lexical::TermStore;
use super::lookup::SegmentLookup;
use super::manifest::{Encoder, SegmentInfo};
use super::packing;
use super::preview::{Preview, PreviewQuery};
use super::signs::VectorSigns;
use super::text::TextStore;
use super::vectors::{QueryCodes, Scorer, StoredVectors, VectorCodes};
use ibid_platform::Result;

/// Sections that must be there when an index is opened, in the order of the file. They are written again byte by byte
/// when a segment goes into another file.
const COPIED: [SectionId; 11] = [
    SIGNS,
    MAGNITUDES,
    COLUMNS,
    STRINGS,
    DOCUMENT_BLOCKS,
    DOCUMENTS,
    SECTIONS,
    CHUNKS,
    DUPLICATES,
    TEXT_BLOCKS,
    LEXICON,
];

#[derive(Debug)]
pub(super) struct Segment {
    encoder: Encoder,
    catalog: Catalog,
    dimensions: usize,
    text: TextStore,
    terms: TermStore,
    /// The file's sections of [`COPIED`], as they are in the file.
    sections: Vec<(SectionId, SharedBytes)>,
    vectors: LaterSection,
    signs: SharedBytes,
    preview: Preview,
    graph_section: Option<LaterSection>,
    graph: OnceLock<Graph>,
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

/// Which documents, and with them which chunks, are no longer part of the index.
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
        let table = |id| packing::unpack(id, counts, &section(id)?);
        let later = |entry: &SectionEntry| {
            let there = entry.range.is_empty().then(SharedBytes::default).or_else(|| section(entry.id).ok());
            LaterSection::new(entry, there)
        };
        let signs = section(SIGNS)?;
        let count = counts.chunks as usize;
        let wrong = || corrupt("its vectors are not those its manifest announces");
        if VectorSigns::new(&signs, count, dimensions).is_none() {
            return Err(wrong());
        }
        let preview =
            Preview::open(signs.clone(), section(MAGNITUDES)?, count, dimensions).ok_or_else(wrong)?;
        let catalog = Catalog::open(
            counts,
            CatalogParts {
                document_blocks: table(DOCUMENT_BLOCKS)?,
                documents: section(DOCUMENTS)?,
                strings: table(STRINGS)?,
                sections: table(SECTIONS)?,
                chunks: table(CHUNKS)?,
                duplicates: table(DUPLICATES)?,
            },
        )?;
        let Range { start, end } = layout.require(TEXT, number)?.range.clone();
        let text = TextStore::open(&section(TEXT_BLOCKS)?, start, end - start, section(TEXT).ok())?;
        let Range { start, end } = layout.require(POSTINGS, number)?.range.clone();
        let postings = section(POSTINGS).ok();
        let terms = TermStore::open(section(LEXICON)?, counts.chunks, start, end - start, postings)?;
        let sections = COPIED.into_iter().map(|id| Ok((id, section(id)?))).collect::<Result<_>>()?;
        let removed = layout.find(REMOVED, number).map(|_| section(REMOVED)).transpose()?;
        let mut segment = Self {
            encoder,
            catalog,
            dimensions,
            text,
            terms,
            sections,
            vectors: later(layout.require(VECTORS, number)?),
            signs,
            preview,
            graph_section: layout.find(GRAPH, number).map(later),
            graph: OnceLock::new(),
            removed: Removed::open(removed.as_deref(), counts)?,
            lookup: SegmentLookup::new(table(COLUMNS)?),
        };
        if let Some(section) = segment.vectors.get() {
            segment.check_vectors(section)?;
        }
        if let Some(section) = segment.graph_section.as_ref().and_then(LaterSection::get) {
            segment.take_graph(section)?;
        }
        segment.check_text()?;
        segment.refresh_removed();
        Ok(segment)
    }

    fn check_vectors(&self, section: &SharedBytes) -> Result<()> {
        let vectors = StoredVectors::new(section, self.chunk_count() as usize, self.dimensions);
        if vectors.is_some_and(StoredVectors::scales_are_sane) {
            return Ok(());
        }
        Err(corrupt("its vectors are not those its manifest announces"))
    }

    /// Checks the graph and makes it ready.
    fn take_graph(&self, section: &SharedBytes) -> Result<()> {
        let graph = Graph::open(section, self.chunk_count() as usize)?;
        self.graph.get_or_init(|| graph);
        Ok(())
    }

    /// Which bytes of the file of vectors and graph have still to be fetched.
    pub(super) fn missing_vectors(&self) -> Vec<Range<u64>> {
        let graph = self.graph_section.iter().flat_map(LaterSection::missing);
        self.vectors.missing().into_iter().chain(graph).collect()
    }

    /// Takes over what of these bytes of the file is missing.
    pub(super) fn provide(&self, offset: u64, bytes: &SharedBytes) -> Result<()> {
        self.text.provide(offset, bytes)?;
        self.terms.blocks().provide(offset, bytes)?;
        self.vectors.provide(offset, bytes, |section| self.check_vectors(section))?;
        match &self.graph_section {
            Some(graph) => graph.provide(offset, bytes, |section| self.take_graph(section)),
            None => Ok(()),
        }
    }

    fn check_text(&self) -> Result<()> {
        let chunks = self.chunk_count();
        let mut end = 0;
        for number in 0..chunks {
            let range = self.catalog.text_range(number).filter(|range| self.text.holds(range));
            end = range.ok_or_else(|| corrupt(format!("chunk {number} points outside the file")))?.end;
        }
        if end == self.text.text_length() {
            Ok(())
        } else {
            Err(corrupt("its text is not that of its chunks"))
        }
    }

    pub(super) fn encoder(&self) -> Encoder {
        self.encoder
    }

    pub(super) fn info(&self) -> SegmentInfo {
        SegmentInfo { encoder: self.encoder, packed: true, counts: self.catalog.counts() }
    }

    /// The fields of the metadata, removed documents included, in the order of their names.
    pub(super) fn columns(&self) -> Result<&[Column]> {
        self.lookup.columns(&self.catalog)
    }

    /// A field by its name, see [`SegmentLookup::column`].
    pub(super) fn column(&self, key: &str) -> Result<Option<&Column>> {
        self.lookup.column(&self.catalog, key)
    }

    /// The chunks whose first place is in a document: documents have their chunks one after the other.
    pub(super) fn chunks_of(&self, document: u32) -> Range<u32> {
        self.lookup.chunks_of(&self.catalog, document)
    }

    /// The number of chunks, removed ones included.
    pub(super) fn chunk_count(&self) -> u32 {
        self.catalog.counts().chunks
    }

    pub(super) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    pub(super) fn text(&self) -> &TextStore {
        &self.text
    }

    pub(super) fn terms(&self) -> &TermStore {
        &self.terms
    }

    /// The vector of a chunk.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::IndexIncomplete`] when the vectors have not been fetched.
    pub(super) fn vector(&self, chunk: u32) -> Result<VectorCodes> {
        self.vectors.require()?;
        Ok(self.vectors().map(|vectors| vectors.get(chunk as usize)).unwrap_or_default())
    }

    /// Whether the segment has a graph, be it there or still to be fetched.
    pub(super) fn has_graph(&self) -> bool {
        self.graph_section.is_some()
    }

    /// The vectors, if they are there.
    fn vectors(&self) -> Option<StoredVectors<'_>> {
        StoredVectors::new(self.vectors.get()?, self.chunk_count() as usize, self.dimensions)
    }

    /// What tells how near a chunk is to a query: its vector, or as long as that is not there its two bits a component.
    pub(super) fn comparison<'a>(&'a self, query: &'a QueryCodes) -> VectorComparison<'a> {
        match self.vectors() {
            None => VectorComparison::Preview(self.preview.prepare(query)),
            Some(vectors) => VectorComparison::Vectors(Scorer { vectors, query }),
        }
    }

    /// The vector of a chunk, or as long as that is not there, what two bits a component tell of it.
    pub(super) fn vector_or_preview(&self, chunk: u32) -> VectorCodes {
        match self.vectors() {
            None => VectorCodes::new(&self.preview.embedding(chunk as usize)),
            Some(vectors) => vectors.get(chunk as usize),
        }
    }

    pub(super) fn signs(&self) -> Option<VectorSigns<'_>> {
        VectorSigns::new(&self.signs, self.chunk_count() as usize, self.dimensions)
    }

    /// Whether there is a graph that can be walked: one that is there, with the vectors.
    pub(super) fn can_walk(&self) -> bool {
        self.graph.get().is_some() && self.vectors.get().is_some()
    }

    /// Walks the graph, if that can be done; see [`Graph::search`].
    pub(super) fn walk(
        &self,
        query: &QueryCodes,
        ef: usize,
        allowed: impl Fn(u32) -> bool,
        scratch: &mut Scratch,
    ) -> usize {
        let section = self.graph_section.as_ref().and_then(LaterSection::get);
        let (Some(graph), Some(section), Some(vectors)) = (self.graph.get(), section, self.vectors()) else {
            return 0;
        };
        graph.search(section, Scorer { vectors, query }, ef, allowed, scratch)
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
        let count = self.catalog.counts().documents;
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
        removed.resize(self.catalog.counts().documents as usize, false);
        let live = removed.iter().filter(|removed| !**removed).count();
        let chunks = self.chunk_count();
        self.removed.live_documents = live as u32;
        self.removed.live_chunks = chunks;
        self.removed.chunks.clear();
        if live < self.removed.documents.len() {
            let is_gone = |chunk| {
                let mut places = self.catalog.places(chunk);
                places.all(|place| !self.is_live_document(self.catalog.document_of(place.section)))
            };
            self.removed.chunks = (0..chunks).map(is_gone).collect();
            let gone = self.removed.chunks.iter().filter(|gone| **gone).count();
            self.removed.live_chunks = chunks - gone as u32;
        }
    }

    /// The sections to write this segment again under a number: those that must be there at first; the blocks of its
    /// terms, vectors and graph; and the text.
    pub(super) fn parts(&self, segment: u32) -> Result<[Vec<SectionDraft>; 3]> {
        let part = |id, bytes: &SharedBytes| SectionDraft { id, segment, bytes: bytes.clone() };
        let mut first: Vec<SectionDraft> = self.sections.iter().map(|(id, bytes)| part(*id, bytes)).collect();
        if !self.removed.chunks.is_empty() {
            first.push(SectionDraft::new(REMOVED, segment, self.removed.encode()));
        }
        let postings = self.terms.blocks().section()?;
        let mut later = vec![part(POSTINGS, &postings), part(VECTORS, self.vectors.require()?)];
        if let Some(graph) = &self.graph_section {
            later.push(part(GRAPH, graph.require()?));
        }
        Ok([first, later, vec![part(TEXT, &self.text.section()?)]])
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

/// Compares chunks with a query: by their vectors, or by two bits a component.
pub(super) enum VectorComparison<'a> {
    Vectors(Scorer<'a>),
    Preview(PreviewQuery<'a>),
}

impl VectorComparison<'_> {
    /// The cosine between the query and a chunk, or an estimate of it.
    #[inline]
    pub(super) fn score(&self, chunk: u32) -> f32 {
        match self {
            Self::Vectors(scorer) => scorer.score(chunk),
            Self::Preview(query) => query.score(chunk as usize),
        }
    }
}
