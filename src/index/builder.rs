//! Chunks and embeddings to the bytes of an index file.

use std::collections::HashSet;

use instant_distance::{Builder, Point};
use serde::ser::{Serialize, Serializer};
use serde::{Deserialize, de};

use super::format;
use super::graph::{BASE_WIDTH, Layers, NO_NEIGHBOUR};
use super::records::{ChunkRecord, DocumentRecord, SectionRecord};
use super::vectors::{self, MAX_DIMENSIONS, Vectors};
use super::{Calibration, Manifest};
use crate::chunk::Chunk;
use crate::document::Document;
use crate::embed::{Embedding, Space};
use crate::error::{Error, ErrorCode, Result};

/// Fixes the layer that each vector gets, so that the same input gives the same bytes.
const SEED: u64 = 0x6962_6964;
/// Candidates considered for each vector's neighbours. More is slower to build and finds slightly more.
const EF_CONSTRUCTION: usize = 100;

/// Collects documents with their chunks and embeddings, then writes one index file.
///
/// The same calls in the same order give the same bytes, on every machine.
pub struct IndexBuilder {
    space: Space,
    documents: Vec<DocumentRecord>,
    ids: HashSet<String>,
    sections: Vec<SectionRecord>,
    chunks: Vec<ChunkRecord>,
    text: String,
    embeddings: Vec<Embedding>,
}

impl IndexBuilder {
    /// An empty index whose vectors lie in `space`.
    pub fn new(space: Space) -> Self {
        Self {
            space,
            documents: Vec::new(),
            ids: HashSet::new(),
            sections: Vec::new(),
            chunks: Vec::new(),
            text: String::new(),
            embeddings: Vec::new(),
        }
    }

    /// Adds a document with its chunks and one embedding for each chunk, in the same order.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] when there is not one embedding of the space's dimensions for each chunk, when
    /// an embedding holds a number that is not finite, or when the document's id was added before.
    pub fn add(&mut self, document: &Document, chunks: &[Chunk], embeddings: Vec<Embedding>) -> Result<()> {
        let dimensions = self.space.dimensions as usize;
        let fits = |embedding: &Embedding| {
            embedding.as_slice().len() == dimensions && embedding.as_slice().iter().all(|x| x.is_finite())
        };
        if embeddings.len() != chunks.len() || !embeddings.iter().all(fits) || dimensions > MAX_DIMENSIONS {
            return Err(Error::new(
                ErrorCode::InvalidOption,
                format!(
                    "`{}` needs {} embeddings of {dimensions} finite components, at most {MAX_DIMENSIONS}.",
                    document.source,
                    chunks.len()
                ),
            ));
        }
        if !self.ids.insert(document.metadata.document_id.clone()) {
            return Err(Error::new(
                ErrorCode::InvalidDocument,
                format!(
                    "Two documents have the id `{}`; one is `{}`.",
                    document.metadata.document_id, document.source
                ),
            )
            .with_hint("Give each document its own `document_id` in its front matter."));
        }
        let number = self.documents.len() as u32;
        self.documents.push(DocumentRecord::from(document));
        let first_section = self.sections.len() as u32;
        self.sections.extend(document.sections.iter().map(SectionRecord::from));
        for chunk in chunks {
            self.chunks.push(ChunkRecord {
                document: number,
                section: first_section + chunk.section as u32,
                text: self.text.len() as u64..(self.text.len() + chunk.text.len()) as u64,
                line: chunk.line,
                span: chunk.span.start as u64..chunk.span.end as u64,
            });
            self.text.push_str(&chunk.text);
        }
        self.embeddings.extend(embeddings);
        Ok(())
    }

    /// The number of chunks added so far.
    pub fn chunk_count(&self) -> usize {
        self.chunks.len()
    }

    /// The embeddings added so far, in the order of the chunks; what a calibration is measured on.
    pub fn embeddings(&self) -> &[Embedding] {
        &self.embeddings
    }

    /// Builds the graph and writes the file.
    pub fn finish(self, calibration: Calibration) -> Result<Vec<u8>> {
        let codes = vectors::encode(&self.embeddings);
        let dimensions = self.space.dimensions as usize;
        let vectors = Vectors::new(&codes, self.chunks.len(), dimensions).ok_or_else(internal)?;
        let graph = build_graph(vectors)?.encode();
        let manifest = Manifest {
            generator: concat!("ibid ", env!("CARGO_PKG_VERSION")).to_owned(),
            space: self.space,
            documents: self.documents.len() as u32,
            sections: self.sections.len() as u32,
            chunks: self.chunks.len() as u32,
            calibration,
        };
        let chunks = self.chunks.iter().flat_map(ChunkRecord::encode).collect();
        Ok(format::write(&[
            (super::MANIFEST, json(&manifest)?),
            (super::VECTORS, codes),
            (super::GRAPH, graph),
            (super::CHUNKS, chunks),
            (super::DOCUMENTS, json(&self.documents)?),
            (super::SECTIONS, json(&self.sections)?),
            (super::TEXT, self.text.into_bytes()),
        ]))
    }
}

fn json(value: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| Error::new(ErrorCode::Internal, error.to_string()))
}

fn internal() -> Error {
    Error::new(ErrorCode::Internal, "The graph that was built has an unexpected shape.")
}

/// A stored vector as `instant-distance` sees it.
#[derive(Clone)]
struct Node<'a> {
    vectors: Vectors<'a>,
    id: usize,
}

impl Point for Node<'_> {
    fn distance(&self, other: &Self) -> f32 {
        1.0 - self.vectors.score_between(self.id, other.id)
    }
}

/// The graph is read out of `instant-distance` by way of serde, the only door to its layers; the vectors themselves
/// are already at hand and stay out of it.
impl Serialize for Node<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

/// The serialized form of `instant_distance::Hnsw` 0.6, in the order of its fields.
#[derive(Deserialize)]
struct Hnsw {
    _ef_search: u64,
    _points: Vec<()>,
    zero: Vec<Row<64>>,
    layers: Vec<Vec<Row<32>>>,
}

/// A node's neighbours, `u32::MAX` for none.
struct Row<const N: usize>([u32; N]);

impl<'de, const N: usize> Deserialize<'de> for Row<N> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<const N: usize>;
        impl<'de, const N: usize> de::Visitor<'de> for Visitor<N> {
            type Value = Row<N>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{N} neighbours")
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut items: A) -> Result<Row<N>, A::Error> {
                let mut row = [NO_NEIGHBOUR; N];
                for (at, slot) in row.iter_mut().enumerate() {
                    *slot = items.next_element()?.ok_or_else(|| de::Error::invalid_length(at, &self))?;
                }
                Ok(Row(row))
            }
        }
        deserializer.deserialize_tuple(N, Visitor)
    }
}

fn build_graph(vectors: Vectors<'_>) -> Result<Layers> {
    if vectors.len() == 0 {
        return Ok(Layers::default());
    }
    let nodes: Vec<Node<'_>> = (0..vectors.len()).map(|id| Node { vectors, id }).collect();
    let builder = Builder::default().seed(SEED).ef_construction(EF_CONSTRUCTION);
    let (hnsw, places) = on_one_thread(|| builder.build_hnsw(nodes))?;
    let bytes = postcard::to_allocvec(&hnsw).map_err(|_| internal())?;
    let hnsw: Hnsw = postcard::from_bytes(&bytes).map_err(|_| internal())?;

    // `instant-distance` numbers its nodes anew, those of the upper layers first; back to the chunks' numbers.
    let mut chunk_of = vec![NO_NEIGHBOUR; places.len()];
    for (chunk, place) in places.into_iter().enumerate() {
        *chunk_of.get_mut(place.into_inner() as usize).ok_or_else(internal)? = chunk as u32;
    }
    let entry = *chunk_of.first().ok_or_else(internal)?;
    let mut base = vec![[NO_NEIGHBOUR; BASE_WIDTH]; vectors.len()];
    for (row, &chunk) in hnsw.zero.iter().zip(&chunk_of) {
        base[chunk as usize] = renumber(&row.0, &chunk_of);
    }
    let upper = hnsw.layers.iter().rev().map(|layer| {
        let mut rows: Vec<_> =
            layer.iter().zip(&chunk_of).map(|(row, &chunk)| (chunk, renumber(&row.0, &chunk_of))).collect();
        rows.sort_unstable_by_key(|(chunk, _)| *chunk);
        rows
    });
    Ok(Layers { upper: upper.collect(), base, entry })
}

/// The first neighbours of a row under their chunks' numbers.
fn renumber<const N: usize>(row: &[u32], chunk_of: &[u32]) -> [u32; N] {
    let mut out = [NO_NEIGHBOUR; N];
    let known = row.iter().map_while(|&place| chunk_of.get(place as usize));
    out.iter_mut().zip(known).for_each(|(slot, &chunk)| *slot = chunk);
    out
}

/// Runs on a single thread: with more, the order of insertion and so the bytes would differ from run to run.
#[cfg(not(target_arch = "wasm32"))]
fn on_one_thread<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool
        .map_err(|error| Error::new(ErrorCode::Internal, format!("No thread could be started: {error}")))?;
    Ok(pool.install(work))
}

/// A page has one thread anyway.
#[cfg(target_arch = "wasm32")]
#[expect(clippy::unnecessary_wraps, reason = "natively, starting the thread can fail")]
fn on_one_thread<T>(work: impl FnOnce() -> T) -> Result<T> {
    Ok(work())
}
