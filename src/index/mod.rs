//! Chunks and embeddings to one file, and the file to an index that is searched where it lies.
//!
//! ```
//! use ibid::chunk::{ChunkOptions, chunk};
//! use ibid::document::Document;
//! use ibid::embed::{Embedding, Space};
//! use ibid::index::{Calibration, Index, IndexBuilder};
//!
//! let document = Document::parse("tea.md", b"# Tea\n\nSteep green tea at 80 degrees.")?;
//! let chunks = chunk(&document, &ChunkOptions::default());
//! let space = Space { name: "example".into(), dimensions: 2, fingerprint: "00".into() };
//! let vector = Embedding::normalized(vec![3.0, 4.0]);
//!
//! let mut builder = IndexBuilder::new(space);
//! builder.add(&document, &chunks, vec![vector.clone()])?;
//! let index = Index::open(builder.finish(Calibration::default())?)?;
//! let best = index.search(&vector, 1, 16)?[0];
//! assert_eq!(index.chunk(best.chunk).unwrap().text, "Steep green tea at 80 degrees.");
//! # Ok::<(), ibid::Error>(())
//! ```

mod builder;
mod format;
mod graph;
mod records;
mod vectors;

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use builder::IndexBuilder;
pub use format::FORMAT_VERSION;
pub use graph::Candidate;
pub use records::{DocumentRecord, SectionRecord};

use crate::embed::{Embedding, Space};
use crate::error::{Error, ErrorCode, Result};
use format::{SectionId, corrupt};
use graph::Graph;
use records::{CHUNK_BYTES, ChunkRecord};
use vectors::{MAX_DIMENSIONS, QueryCodes, Vectors};

const MANIFEST: SectionId = *b"mani";
const VECTORS: SectionId = *b"vecs";
const GRAPH: SectionId = *b"grph";
const CHUNKS: SectionId = *b"chnk";
const DOCUMENTS: SectionId = *b"docs";
const SECTIONS: SectionId = *b"sect";
const TEXT: SectionId = *b"text";

/// What an index says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The program and version that wrote it.
    pub generator: String,
    /// The space that its vectors lie in; queries must be embedded into the same one.
    pub space: Space,
    /// The number of documents.
    pub documents: u32,
    /// The number of sections.
    pub sections: u32,
    /// The number of chunks, each with one vector.
    pub chunks: u32,
    /// What similarity means in this index.
    pub calibration: Calibration,
}

/// How similar texts that have nothing to do with each other are in this index, measured when it was built.
///
/// A raw cosine means little: unrelated texts of one subject may stand at 0.1 under one model and at 0.6 under
/// another. The threshold is stated against this background.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The mean cosine of random pairs.
    pub mean: f32,
    /// Their standard deviation.
    pub deviation: f32,
    /// The least cosine at which a passage counts as relevant to a query.
    pub threshold: f32,
}

impl Default for Calibration {
    /// Calls everything relevant that is at least orthogonal to the query.
    fn default() -> Self {
        Self { mean: 0.0, deviation: 0.0, threshold: 0.0 }
    }
}

/// A chunk with the document and section it belongs to.
#[derive(Clone, Debug)]
pub struct ChunkRef<'a> {
    /// The document.
    pub document: &'a DocumentRecord,
    /// The section.
    pub section: &'a SectionRecord,
    /// The text as it stands in the source, without the heading path.
    pub text: &'a str,
    /// The byte range in the source file.
    pub span: Range<usize>,
    /// The line in the source file that the chunk starts on, from 1.
    pub line: u32,
}

/// An open index: the file's bytes, checked, and the few parts that are decoded.
#[derive(Debug)]
pub struct Index {
    bytes: Vec<u8>,
    manifest: Manifest,
    documents: Vec<DocumentRecord>,
    sections: Vec<SectionRecord>,
    graph: Graph,
    vectors_at: Range<usize>,
    graph_at: Range<usize>,
    chunks_at: Range<usize>,
    text_at: Range<usize>,
    sizes: Vec<(String, usize)>,
}

impl Index {
    /// Opens a file's bytes, whose every checksum and internal reference is verified first.
    ///
    /// # Errors
    /// [`ErrorCode::IndexForeign`], [`ErrorCode::IndexTruncated`], [`ErrorCode::IndexVersion`] or
    /// [`ErrorCode::IndexCorrupt`]; never a panic, whatever the bytes.
    pub fn open(bytes: Vec<u8>) -> Result<Self> {
        let sections = format::read(&bytes)?;
        let part = |id: SectionId| sections.range(id);
        let (vectors_at, graph_at, chunks_at, text_at) =
            (part(VECTORS)?, part(GRAPH)?, part(CHUNKS)?, part(TEXT)?);

        let manifest: Manifest = decode(&bytes[part(MANIFEST)?], "manifest")?;
        let documents: Vec<DocumentRecord> = decode(&bytes[part(DOCUMENTS)?], "documents")?;
        let section_records: Vec<SectionRecord> = decode(&bytes[part(SECTIONS)?], "sections")?;
        let (count, dimensions) = (manifest.chunks as usize, manifest.space.dimensions as usize);
        if documents.len() != manifest.documents as usize
            || section_records.len() != manifest.sections as usize
            || Some(chunks_at.len()) != count.checked_mul(CHUNK_BYTES)
        {
            return Err(corrupt("its counts contradict each other"));
        }
        if dimensions > MAX_DIMENSIONS
            || !Vectors::new(&bytes[vectors_at.clone()], count, dimensions)
                .is_some_and(Vectors::scales_are_sane)
        {
            return Err(corrupt("its vectors are not those its manifest announces"));
        }
        let graph = Graph::open(&bytes[graph_at.clone()], count)?;
        let index = Self {
            manifest,
            documents,
            sections: section_records,
            graph,
            vectors_at,
            graph_at,
            chunks_at,
            text_at,
            sizes: sections
                .sizes()
                .map(|(id, size)| (String::from_utf8_lossy(id).into_owned(), size))
                .collect(),
            bytes,
        };
        index.check_chunks()?;
        Ok(index)
    }

    /// What the index says of itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// All documents, in the order they were added.
    pub fn documents(&self) -> &[DocumentRecord] {
        &self.documents
    }

    /// The size of the whole file in bytes.
    pub fn byte_size(&self) -> usize {
        self.bytes.len()
    }

    /// The file's sections by name, with the bytes each takes.
    pub fn section_sizes(&self) -> &[(String, usize)] {
        &self.sizes
    }

    /// The chunk of that number, from 0; `None` past the last.
    pub fn chunk(&self, number: u32) -> Option<ChunkRef<'_>> {
        let record = ChunkRecord::decode(self.chunk_records().get(number as usize)?);
        let text =
            self.bytes[self.text_at.clone()].get(record.text.start as usize..record.text.end as usize)?;
        Some(ChunkRef {
            document: self.documents.get(record.document as usize)?,
            section: self.sections.get(record.section as usize)?,
            text: std::str::from_utf8(text).ok()?,
            span: record.span.start as usize..record.span.end as usize,
            line: record.line,
        })
    }

    /// The `limit` chunks nearest to the query that a search of breadth `ef` finds in the graph, best first.
    ///
    /// `ef` is the number of candidates kept on the way (at least `limit`): more finds more of the true nearest and
    /// takes longer. In this room's test, on 3,000 made-up vectors in clusters, 64 finds at least 97 of the true 100.
    ///
    /// # Errors
    /// [`ErrorCode::ModelMismatch`] when the query has not the index's dimensions.
    pub fn search(&self, query: &Embedding, limit: usize, ef: usize) -> Result<Vec<Candidate>> {
        let codes = self.encode_query(query)?;
        let section = &self.bytes[self.graph_at.clone()];
        let mut found = self.graph.search(section, self.vectors(), &codes, ef.max(limit));
        found.truncate(limit);
        Ok(found)
    }

    /// The `limit` chunks nearest to the query, by comparing all; what [`Index::search`] is measured against.
    ///
    /// # Errors
    /// As [`Index::search`].
    pub fn scan(&self, query: &Embedding, limit: usize) -> Result<Vec<Candidate>> {
        let codes = self.encode_query(query)?;
        let vectors = self.vectors();
        let all = 0..vectors.len() as u32;
        let mut found: Vec<Candidate> =
            all.map(|chunk| Candidate { chunk, score: vectors.score(&codes, chunk as usize) }).collect();
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.truncate(limit);
        Ok(found)
    }

    fn encode_query(&self, query: &Embedding) -> Result<QueryCodes> {
        if query.as_slice().len() == self.manifest.space.dimensions as usize {
            return Ok(QueryCodes::new(query));
        }
        Err(Error::new(
            ErrorCode::ModelMismatch,
            format!(
                "The query has {} dimensions, the index {}.",
                query.as_slice().len(),
                self.manifest.space.dimensions
            ),
        )
        .with_hint(format!("Embed queries with the model of the index, {}.", self.manifest.space.name)))
    }

    fn vectors(&self) -> Vectors<'_> {
        let section = &self.bytes[self.vectors_at.clone()];
        Vectors::new(section, self.manifest.chunks as usize, self.manifest.space.dimensions as usize)
            .unwrap_or_default()
    }

    fn chunk_records(&self) -> &[[u8; CHUNK_BYTES]] {
        self.bytes[self.chunks_at.clone()].as_chunks().0
    }

    /// Each chunk must name a document, a section and a piece of text that are there.
    fn check_chunks(&self) -> Result<()> {
        let text = std::str::from_utf8(&self.bytes[self.text_at.clone()])
            .map_err(|_| corrupt("its text is not valid UTF-8"))?;
        for (number, bytes) in self.chunk_records().iter().enumerate() {
            let record = ChunkRecord::decode(bytes);
            let range = usize::try_from(record.text.start).ok().zip(usize::try_from(record.text.end).ok());
            let readable = range.is_some_and(|(start, end)| text.get(start..end).is_some());
            if !readable
                || record.document as usize >= self.documents.len()
                || record.section as usize >= self.sections.len()
                || record.span.start > record.span.end
            {
                return Err(corrupt(format!("chunk {number} points outside the file")));
            }
        }
        Ok(())
    }
}

fn decode<T: for<'de> Deserialize<'de>>(bytes: &[u8], what: &str) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| corrupt(format!("its {what} cannot be read ({error})")))
}

#[cfg(test)]
mod tests;
