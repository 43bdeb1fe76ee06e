//! Files of format version 1, which stay readable: they are turned into the present form when they are opened.
//!
//! Version 1 had the text of all chunks in one piece, documents and sections as JSON, and always a graph. The graph is
//! left out: the signs of its vectors, which version 1 did not have, take its place.

use serde::Deserialize;

use super::builder::IndexBuilder;
use super::container::{Bytes, SectionId, corrupt, u32_at, u64_at};
use super::draft::{ChunkDraft, DocumentDraft};
use super::manifest::{BuildOptions, Calibration, GraphMode};
use super::records::{DocumentRecord, PlaceRecord, SectionRecord};
use super::vectors::{MAX_DIMENSIONS, Vectors};
use ibid_document::Metadata;
use ibid_document::chunk::{chunk_id, prefix};
use ibid_embed::Space;
use ibid_platform::Result;

const CHUNK_BYTES: usize = 48;

#[derive(Deserialize)]
struct ManifestV1 {
    space: Space,
    chunks: u32,
    calibration: Calibration,
}

/// A document, whose metadata told the types of its values by their form alone.
#[derive(Deserialize)]
struct Document {
    source: String,
    #[serde(flatten, with = "ibid_document::plain")]
    metadata: Metadata,
}

/// The bytes of a file of the present version with the same content.
pub(super) fn upgrade(section: &dyn Fn(SectionId) -> Result<Bytes>) -> Result<Vec<u8>> {
    let manifest: ManifestV1 = decode(&section(*b"mani")?, "manifest")?;
    let documents: Vec<Document> = decode(&section(*b"docs")?, "documents")?;
    let sections: Vec<SectionRecord> = decode(&section(*b"sect")?, "sections")?;
    let (vectors, chunks, text) = (section(*b"vecs")?, section(*b"chnk")?, section(*b"text")?);
    let (count, dimensions) = (manifest.chunks as usize, manifest.space.dimensions as usize);
    let text = std::str::from_utf8(&text).map_err(|_| corrupt("its text is not valid UTF-8"))?;
    let vectors = Vectors::new(&vectors, count, dimensions)
        .filter(|vectors| dimensions <= MAX_DIMENSIONS && vectors.scales_are_sane())
        .ok_or_else(|| corrupt("its vectors are not those its manifest announces"))?;
    if Some(chunks.len()) != count.checked_mul(CHUNK_BYTES) {
        return Err(corrupt("its counts contradict each other"));
    }

    let options = BuildOptions { graph: GraphMode::Never, ..BuildOptions::default() };
    let mut builder = IndexBuilder::of(manifest.space, None, options);
    let mut drafts: Vec<DocumentDraft> = documents
        .into_iter()
        .map(|Document { source, metadata }| DocumentDraft {
            record: DocumentRecord { source, metadata, ..DocumentRecord::default() },
            sections: Vec::new(),
            chunks: Vec::new(),
            body: None,
        })
        .collect();
    // The section that each document's own sections begin with, by the chunk that names both.
    let mut numbers = vec![None; sections.len()];
    for (number, chunk) in chunks.as_chunks::<CHUNK_BYTES>().0.iter().enumerate() {
        let outside = || corrupt(format!("chunk {number} points outside the file"));
        let at = |byte: usize| usize::try_from(u64_at(chunk, byte)).map_err(|_| outside());
        let word = |byte: usize| at(byte).and_then(|value| u32::try_from(value).map_err(|_| outside()));
        let (document, section) = (u32_at(chunk, 0) as usize, u32_at(chunk, 4) as usize);
        let text = text.get(at(16)?..at(24)?).ok_or_else(outside)?;
        let (Some(draft), Some(record)) = (drafts.get_mut(document), sections.get(section)) else {
            return Err(outside());
        };
        let own = *numbers[section].get_or_insert_with(|| {
            draft.sections.push(record.clone());
            draft.sections.len() as u32 - 1
        });
        if own as usize >= draft.sections.len() || word(32)? > word(40)? {
            return Err(outside());
        }
        let place = PlaceRecord {
            section: own,
            index: draft.chunks.len() as u32,
            line: u32_at(chunk, 8),
            span: (word(32)?, word(40)?),
            repeated: 0,
        };
        let id = chunk_id(&prefix(&record.heading_path), text);
        let id = builder.content(id, text, None, Some(vectors.get(number)));
        draft.chunks.push(ChunkDraft { id, place });
        draft.record.chunks = draft.chunks.len() as u32;
    }
    drafts.into_iter().try_for_each(|draft| builder.push(draft))?;
    builder.assemble()?.finish_quickly(manifest.calibration)
}

fn decode<T: for<'de> Deserialize<'de>>(bytes: &[u8], what: &str) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| corrupt(format!("its {what} cannot be read ({error})")))
}
