//! Chunks and embeddings to one file, and the file to an index that is searched where it lies.
//!
//! ```
//! use ibid_document::chunk::{ChunkOptions, chunk};
//! use ibid_document::Document;
//! use ibid_embed::{Embedding, Space};
//! use ibid_index::{BuildOptions, Calibration, Index, IndexBuilder};
//!
//! let document = Document::parse("tea.md", b"# Tea\n\nSteep green tea at 80 degrees.")?;
//! let chunks = chunk(&document, &ChunkOptions::default());
//! let space = Space { name: "example".into(), dimensions: 2, fingerprint: "00".into() };
//! let vector = Embedding::normalized(vec![3.0, 4.0]);
//!
//! let mut builder = IndexBuilder::new(space, ChunkOptions::default(), BuildOptions::default());
//! builder.add(&document, &chunks)?;
//! assert_eq!(builder.pending(10), ["[Tea] Steep green tea at 80 degrees."]);
//! builder.embedded(&[vector.clone()])?;
//! let index = Index::open(builder.assemble()?.finish(Calibration::default())?)?;
//! let best = index.search(&vector, 1, 16)?[0];
//! assert_eq!(index.chunk(best.chunk)?.unwrap().text, "Steep green tea at 80 degrees.");
//! # Ok::<(), ibid_platform::Error>(())
//! ```

mod adaptation;
mod blocks;
mod builder;
mod catalog;
mod columns;
mod container;
mod draft;
pub mod filter;
mod graph;
mod hnsw;
mod later;
mod lexical;
mod lookup;
mod manifest;
mod nearest;
mod packing;
mod places;
mod preview;
mod records;
mod search;
mod sections;
mod segment;
mod signs;
mod strings;
mod text;
mod update;
mod vectors;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

pub use builder::IndexBuilder;
pub use catalog::SegmentCounts;
pub use columns::Field;
pub use container::{FORMAT_VERSION, Layout};
pub use draft::Draft;
pub use filter::{Allowed, Facet, Filter};
pub use graph::Candidate;
pub use lexical::{Analyzer, Language, LexicalMatches, LexicalOptions, LexicalScratch, LexicalSearch, Token};
pub use manifest::{
    AdaptationInfo, BuildOptions, Calibration, Encoder, GraphMode, Manifest, Metric, SegmentInfo,
};
pub use records::{DocumentRecord, SectionRecord};
pub use search::{Nearest, VectorPath, VectorSearch};

use container::{ADAPTATION, Bytes, MANIFEST, SectionId, corrupt, missing};
use ibid_embed::Space;
use ibid_platform::{Error, ErrorCode, Result};
use segment::Segment;
use vectors::VectorCodes;

/// Fetching this many bytes too much costs less than asking twice.
const WORTH_ONE_REQUEST: u64 = 32 * 1024;

/// A chunk with the document and section it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredChunk {
    /// A number made from its heading path and text, which stays the same from build to build as long as they do.
    pub id: u64,
    /// The text, without the heading path.
    pub text: String,
    /// How many bytes at the beginning of `text` the chunk before has too.
    pub repeated: usize,
    /// Where it stands.
    pub place: StoredPlace,
    /// Where else exactly the same stands.
    pub duplicates: Vec<StoredPlace>,
}

/// Where a chunk stands.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPlace {
    /// The document.
    pub document: DocumentRecord,
    /// The section.
    pub section: SectionRecord,
    /// The chunk's number in its document, from 0.
    pub index: u32,
    /// The byte range in the source file.
    pub span: Range<usize>,
    /// The line in the source file that the chunk starts on, from 1.
    pub line: u32,
}

/// A section of the file, for those who want to see what takes the room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSection {
    /// Its name: four letters.
    pub name: String,
    /// The segment it belongs to, from 0.
    pub segment: u32,
    /// Where it lies in the file.
    pub range: Range<u64>,
}

/// An open index: its parts, checked, and searched where they lie.
#[derive(Debug)]
pub struct Index {
    manifest: Manifest,
    segments: Vec<Segment>,
    /// The live documents by their ids, made when it is first asked for.
    directory: OnceLock<HashMap<String, (usize, u32)>>,
    layout: Layout,
    state: search::State,
    /// Rows of the query table, see [`Index::adaptation`].
    adaptation: Option<Bytes>,
}

impl Index {
    /// Opens a file's bytes, whose every checksum and internal reference is verified first.
    ///
    /// # Errors
    /// [`ErrorCode::IndexForeign`], [`ErrorCode::IndexTruncated`], [`ErrorCode::IndexVersion`] or
    /// [`ErrorCode::IndexCorrupt`]; never a panic, whatever the bytes.
    pub fn open(bytes: Vec<u8>) -> Result<Self> {
        let layout = Layout::of_file(&bytes)?;
        let file = Bytes::from(bytes);
        let mut sections = Vec::with_capacity(layout.entries().len());
        for entry in layout.entries() {
            let bytes = file.slice(entry.range.start as usize..entry.range.end as usize);
            sections.push((entry.id, entry.segment, entry.verify(bytes)?));
        }
        Self::of_sections(layout, &sections)
    }

    /// Opens an index of which only a part has been fetched: `pieces` are bytes of the file with the offsets they
    /// begin at, and together hold at least what [`Layout::needed`] names. The text comes later, see
    /// [`Index::missing`].
    ///
    /// # Errors
    /// As [`Index::open`]; [`ErrorCode::IndexCorrupt`] also when a needed piece is not there.
    pub fn open_pieces(layout: Layout, pieces: Vec<(u64, Vec<u8>)>) -> Result<Self> {
        let pieces: Vec<(u64, Bytes)> = pieces.into_iter().map(|(at, bytes)| (at, bytes.into())).collect();
        let find = |range: &Range<u64>| {
            let inside = |(at, bytes): &(u64, Bytes)| {
                let start = usize::try_from(range.start.checked_sub(*at)?).ok()?;
                bytes.slice(start..start.checked_add(usize::try_from(range.end - range.start).ok()?)?)
            };
            pieces.iter().find_map(inside)
        };
        let mut sections = Vec::with_capacity(layout.entries().len());
        for entry in layout.entries() {
            // What comes later and happens to be there is checked when it is provided below.
            if entry.is_needed() {
                sections.push((entry.id, entry.segment, entry.verify(find(&entry.range))?));
            }
        }
        let index = Self::of_sections(layout, &sections)?;
        pieces.iter().try_for_each(|(at, bytes)| index.provide_bytes(*at, bytes))?;
        Ok(index)
    }

    fn of_sections(layout: Layout, sections: &[(SectionId, u32, Bytes)]) -> Result<Self> {
        let section = |id: SectionId, number: u32| {
            let found = sections.iter().find(|(known, segment, _)| *known == id && *segment == number);
            found.map(|(_, _, bytes)| bytes.clone()).ok_or_else(|| missing(id))
        };
        let manifest = Manifest::decode(&section(MANIFEST, 0)?)?;
        let dimensions = manifest.space.dimensions as usize;
        let mut segments = Vec::new();
        for (&info, number) in manifest.segments.iter().zip(0..) {
            segments.push(Segment::open(&layout, number, info, dimensions, &|id| section(id, number))?);
        }
        let live = |count: fn(&Segment) -> u32| segments.iter().map(count).sum::<u32>();
        let counts = (live(Segment::live_documents), live(Segment::live_chunks));
        if counts != (manifest.documents, manifest.chunks) {
            return Err(corrupt("its counts contradict each other"));
        }
        let adaptation = manifest.adaptation.map(|_| section(ADAPTATION, 0)).transpose()?;
        let state = search::State::default();
        Ok(Self { manifest, segments, directory: OnceLock::new(), layout, state, adaptation })
    }

    /// What the index says of itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// All documents, segment by segment, in the order of their ids.
    ///
    /// # Errors
    /// [`ErrorCode::IndexCorrupt`] for a document that cannot be read, which only a crafted file has.
    pub fn documents(&self) -> impl Iterator<Item = Result<DocumentRecord>> + '_ {
        self.live_documents().map(|(segment, number)| self.segments[segment].catalog().document(number))
    }

    /// The fields of the documents' metadata, in the order of their names, with their values.
    ///
    /// # Errors
    /// [`ErrorCode::IndexCorrupt`] for columns that cannot be read, which only a crafted file has.
    pub fn fields(&self) -> Result<Vec<Field>> {
        let mut columns = Vec::with_capacity(self.segments.len());
        for segment in &self.segments {
            let lookup = segment.lookup();
            columns.push((lookup.columns(segment)?, lookup.live_documents(segment)));
        }
        Ok(columns::merge(columns.into_iter()))
    }

    /// The size in bytes of the file that was opened.
    pub fn byte_size(&self) -> u64 {
        self.layout.file_length()
    }

    /// The sections of the file that was opened, in its order.
    pub fn file_sections(&self) -> Vec<FileSection> {
        let section = |entry: &container::Entry| FileSection {
            name: entry.name(),
            segment: entry.segment,
            range: entry.range.clone(),
        };
        self.layout.entries().iter().map(section).collect()
    }

    /// Whether any part of it is searched by a graph.
    pub fn has_graph(&self) -> bool {
        self.segments.iter().any(Segment::has_graph)
    }

    /// The chunk of that number, from 0; `None` for one that does not exist or has been removed.
    ///
    /// # Errors
    /// [`ErrorCode::IndexIncomplete`] when its text has still to be fetched, [`ErrorCode::IndexCorrupt`] when a block of
    /// text turns out to be damaged.
    pub fn chunk(&self, number: u32) -> Result<Option<StoredChunk>> {
        let Some((segment, number)) =
            self.locate(number).filter(|(segment, number)| segment.is_live(*number))
        else {
            return Ok(None);
        };
        let catalog = segment.catalog();
        let (Some(record), Some(range)) = (catalog.chunk(number), catalog.text_range(number)) else {
            return Ok(None);
        };
        let mut places = Vec::new();
        for place in catalog.places(number) {
            let document = catalog.document_of(place.section);
            if segment.is_live_document(document) {
                places.push(StoredPlace {
                    document: catalog.document(document)?,
                    section: catalog.section(place.section),
                    index: place.index,
                    span: place.span(),
                    line: place.line,
                });
            }
        }
        if places.is_empty() {
            return Ok(None);
        }
        Ok(Some(StoredChunk {
            id: record.id,
            text: segment.text().get(&range)?,
            repeated: record.place.repeated as usize,
            place: places.remove(0),
            duplicates: places,
        }))
    }

    /// One more than the greatest number of a chunk.
    pub fn chunk_end(&self) -> u32 {
        self.segments.iter().map(|segment| segment.catalog().counts().chunks).sum()
    }

    /// Which bytes of the file have to be fetched before these chunks can be read: few ranges in order, each of one or
    /// several blocks. None when the whole file is there.
    pub fn missing(&self, chunks: &[u32]) -> Vec<Range<u64>> {
        let block = |&chunk: &u32| {
            let (segment, number) = self.locate(chunk)?;
            segment.text().missing(&segment.catalog().text_range(number)?)
        };
        container::coalesce(chunks.iter().filter_map(block).collect(), WORTH_ONE_REQUEST)
    }

    /// Which bytes of the file have to be fetched before [`Index::search`] compares vectors by all of their bits, and
    /// walks the graph, if there is one. Until then it works from two bits a component, and what it finds is a little
    /// less exact. None when everything is there.
    pub fn missing_vectors(&self) -> Vec<Range<u64>> {
        container::coalesce(
            self.segments.iter().flat_map(Segment::missing_vectors).collect(),
            WORTH_ONE_REQUEST,
        )
    }

    /// Takes over bytes of the file that were fetched from `offset` on, because [`Index::missing`] or
    /// [`Index::missing_vectors`] asked for them, or a part of what they named.
    ///
    /// # Errors
    /// [`ErrorCode::IndexCorrupt`] when they are not the bytes that were written there.
    pub fn provide(&self, offset: u64, bytes: Vec<u8>) -> Result<()> {
        self.provide_bytes(offset, &Bytes::from(bytes))
    }

    fn provide_bytes(&self, offset: u64, bytes: &Bytes) -> Result<()> {
        self.segments.iter().try_for_each(|segment| segment.provide(offset, bytes))
    }

    /// The segment of a chunk, and the chunk's number in it.
    fn locate(&self, mut number: u32) -> Option<(&Segment, u32)> {
        for segment in &self.segments {
            let count = segment.catalog().counts().chunks;
            if number < count {
                return Some((segment, number));
            }
            number -= count;
        }
        None
    }

    /// All documents that have not been removed: the segment, and the number in it.
    fn live_documents(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.segments.iter().enumerate().flat_map(|(at, segment)| {
            let all = 0..segment.catalog().counts().documents;
            all.filter(|&number| segment.is_live_document(number)).map(move |number| (at, number))
        })
    }

    /// The id of each chunk that was embedded by that encoder, with the ways to its text and its vector.
    fn contents(
        &self,
        encoder: Encoder,
    ) -> impl Iterator<Item = (u64, impl Fn() -> Result<String> + '_, impl Fn() -> Result<VectorCodes> + '_)>
    {
        self.segments.iter().filter(move |segment| segment.encoder() == encoder).flat_map(|segment| {
            (0..segment.catalog().counts().chunks).filter_map(move |number| {
                let id = segment.catalog().chunk(number)?.id;
                let range = segment.catalog().text_range(number)?;
                Some((id, move || segment.text().get(&range), move || segment.vector(number)))
            })
        })
    }
}

/// The error for vectors of different spaces that were to be put together.
fn mismatch(theirs: &Space, ours: &Space) -> Error {
    let describe = |space: &Space| {
        format!("{} ({} dimensions, fingerprint {})", space.name, space.dimensions, space.fingerprint)
    };
    let message =
        format!("One index was built with {}, the other with {}.", describe(theirs), describe(ours));
    Error::new(ErrorCode::ModelMismatch, message).with_hint("Build both with the same model.")
}

#[cfg(test)]
mod tests;
