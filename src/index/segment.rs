//! A part of an index that was built at one time and never changes: an index has one, and one more for each update
//! until they are merged.

use roaring::RoaringBitmap;

use super::catalog::{Catalog, CatalogParts, SegmentCounts};
use super::columns::{self, Column};
use super::container::{Bytes, Layout, Part, SectionId, corrupt};
use super::graph::{Candidate, Graph};
use super::manifest::{Encoder, SegmentInfo};
use super::signs::Signs;
use super::text::TextStore;
use super::vectors::{QueryCodes, VectorCodes, Vectors};
use crate::error::Result;

pub(super) const VECTORS: SectionId = *b"vecs";
pub(super) const SIGNS: SectionId = *b"sign";
pub(super) const GRAPH: SectionId = *b"grph";
pub(super) const COLUMNS: SectionId = *b"cols";
pub(super) const STRINGS: SectionId = *b"strs";
pub(super) const DOCUMENT_BLOCKS: SectionId = *b"dblk";
pub(super) const DOCUMENTS: SectionId = *b"docs";
pub(super) const SECTIONS: SectionId = *b"sect";
pub(super) const CHUNKS: SectionId = *b"chnk";
pub(super) const DUPLICATES: SectionId = *b"dupl";
pub(super) const TEXT_BLOCKS: SectionId = *b"tblk";
pub(super) const TEXT: SectionId = *b"text";
pub(super) const REMOVED: SectionId = *b"gone";

/// For each candidate that is wanted in the end, how many vectors the scan over the signs hands on to be compared
/// exactly. On 10,000 passages of four collections (256 components, noisy copies of passages as queries), 64 candidates
/// and a factor of 4 found 91 of the true 100 nearest, 8 found 95, and 16 found 98.
const SIGN_CANDIDATES: usize = 16;

/// Sections that are written again byte by byte when a segment goes into another file, in the order of the file.
/// The text comes last, so that all that a search needs is one stretch.
const COPIED: [SectionId; 11] = [
    VECTORS,
    SIGNS,
    GRAPH,
    COLUMNS,
    STRINGS,
    DOCUMENT_BLOCKS,
    DOCUMENTS,
    SECTIONS,
    CHUNKS,
    DUPLICATES,
    TEXT_BLOCKS,
];

#[derive(Debug)]
pub(super) struct Segment {
    encoder: Encoder,
    catalog: Catalog,
    dimensions: usize,
    graph: Option<Graph>,
    text: TextStore,
    /// The file's sections of [`COPIED`] that are there.
    sections: Vec<(SectionId, Bytes)>,
    vectors: Bytes,
    signs: Bytes,
    graph_section: Bytes,
    removed: Removed,
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
    /// there; the text alone may be missing.
    pub(super) fn open(
        layout: &Layout,
        number: u32,
        SegmentInfo { encoder, counts }: SegmentInfo,
        dimensions: usize,
        section: &dyn Fn(SectionId) -> Result<Bytes>,
    ) -> Result<Self> {
        let optional = |id| layout.find(id, number).map(|_| section(id)).transpose();
        let (vectors, signs, graph_section) = (section(VECTORS)?, section(SIGNS)?, optional(GRAPH)?);
        let count = counts.chunks as usize;
        let sane = Vectors::new(&vectors, count, dimensions).is_some_and(Vectors::scales_are_sane);
        if !sane || Signs::new(&signs, count, dimensions).is_none() {
            return Err(corrupt("its vectors are not those its manifest announces"));
        }
        let graph = graph_section.as_ref().map(|section| Graph::open(section, count)).transpose()?;
        let catalog = Catalog::open(
            counts,
            CatalogParts {
                document_blocks: section(DOCUMENT_BLOCKS)?,
                documents: section(DOCUMENTS)?,
                strings: section(STRINGS)?,
                sections: section(SECTIONS)?,
                chunks: section(CHUNKS)?,
                duplicates: section(DUPLICATES)?,
            },
        )?;
        let entry = layout.find(TEXT, number).ok_or_else(|| corrupt("its section `text` is missing"))?;
        let length = entry.range.end - entry.range.start;
        let text = TextStore::open(&section(TEXT_BLOCKS)?, entry.range.start, length, section(TEXT).ok())?;
        let sections = COPIED.into_iter().filter_map(|id| Some((id, section(id).ok()?))).collect();
        let removed = Removed::open(optional(REMOVED)?.as_deref(), counts)?;
        let graph_section = graph_section.unwrap_or_default();
        let mut segment = Self {
            encoder,
            catalog,
            dimensions,
            graph,
            text,
            sections,
            vectors,
            signs,
            graph_section,
            removed,
        };
        segment.check_text()?;
        segment.refresh_removed();
        Ok(segment)
    }

    fn check_text(&self) -> Result<()> {
        let chunks = self.catalog.counts().chunks;
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
        SegmentInfo { encoder: self.encoder, counts: self.catalog.counts() }
    }

    /// The columns of the metadata, of the documents that are still there.
    pub(super) fn columns(&self) -> Result<Vec<Column>> {
        let section = self.sections.iter().find(|(id, _)| *id == COLUMNS).map(|(_, bytes)| bytes);
        let Some(section) = section else { return Ok(Vec::new()) };
        let mut columns = columns::decode(section, self.catalog.counts().documents)?;
        let removed = (0..).zip(&self.removed.documents).filter(|(_, removed)| **removed);
        let removed: RoaringBitmap = removed.map(|(number, _)| number).collect();
        for column in &mut columns {
            column.values.iter_mut().for_each(|(_, documents)| *documents -= &removed);
            column.values.retain(|(_, documents)| !documents.is_empty());
        }
        columns.retain(|column| !column.values.is_empty());
        Ok(columns)
    }

    pub(super) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    pub(super) fn text(&self) -> &TextStore {
        &self.text
    }

    pub(super) fn vector(&self, chunk: u32) -> VectorCodes {
        self.vectors().get(chunk as usize)
    }

    pub(super) fn has_graph(&self) -> bool {
        self.graph.is_some()
    }

    fn vectors(&self) -> Vectors<'_> {
        Vectors::new(&self.vectors, self.catalog.counts().chunks as usize, self.dimensions)
            .unwrap_or_default()
    }

    /// The best candidates that a search of that breadth finds, best first, with their numbers in this segment.
    pub(super) fn search(&self, query: &QueryCodes, ef: usize) -> Vec<Candidate> {
        let vectors = self.vectors();
        let allowed = |chunk: u32| self.is_live(chunk);
        if let Some(graph) = &self.graph {
            return graph.search(&self.graph_section, vectors, query, ef, allowed);
        }
        let signs = Signs::new(&self.signs, vectors.len(), self.dimensions);
        let keep = ef.saturating_mul(SIGN_CANDIDATES);
        let near = signs.map(|signs| signs.nearest(&query.signs(), keep, allowed)).unwrap_or_default();
        best(near.into_iter(), vectors, query, ef)
    }

    /// The best candidates of all, best first.
    pub(super) fn scan(&self, query: &QueryCodes, limit: usize) -> Vec<Candidate> {
        let vectors = self.vectors();
        best((0..vectors.len() as u32).filter(|&chunk| self.is_live(chunk)), vectors, query, limit)
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
        let chunks = self.catalog.counts().chunks;
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

    /// The sections to write this segment again under a number, those that a search needs, then the text.
    pub(super) fn parts(&self, segment: u32) -> Result<(Vec<Part>, Part)> {
        let mut parts: Vec<Part> =
            self.sections.iter().map(|(id, bytes)| Part { id: *id, segment, bytes: bytes.clone() }).collect();
        if !self.removed.chunks.is_empty() {
            parts.push(Part::new(REMOVED, segment, self.removed.encode()));
        }
        Ok((parts, Part { id: TEXT, segment, bytes: self.text.section()? }))
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

fn best(
    chunks: impl Iterator<Item = u32>,
    vectors: Vectors<'_>,
    query: &QueryCodes,
    limit: usize,
) -> Vec<Candidate> {
    let mut found: Vec<Candidate> =
        chunks.map(|chunk| Candidate { chunk, score: vectors.score(query, chunk as usize) }).collect();
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.truncate(limit);
    found
}
