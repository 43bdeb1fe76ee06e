//! Everything of a new index in its final order, and the writing of it.

use std::collections::HashMap;
use std::sync::Arc;

use super::catalog::{self, SegmentCounts};
use super::container::{
    self, CHUNKS, COLUMNS, DOCUMENT_BLOCKS, DOCUMENTS, DUPLICATES, GRAPH, LEXICON, MAGNITUDES, MANIFEST,
    POSTINGS, SECTIONS, SIGNS, STRINGS, SectionDraft, SectionId, TEXT, TEXT_BLOCKS, VECTORS, too_large,
};
use super::lexical::{Language, LexicalBuilder};
use super::manifest::{
    BuildOptions, Calibration, Manifest, SEVERAL_LANGUAGES, SegmentInfo, Similarity, generator, words_alone,
};
use super::records::{ChunkRecord, DocumentRecord, DuplicateRecord, PlaceRecord, SectionRecord};
use super::strings::StringTableBuilder;
use super::vectors::{self, QueryCodes, StoredVectors, VectorCodes};
use super::{columns, hnsw, packing, preview, signs, text};
use ibid_document::chunk::ChunkOptions;
use ibid_embed::{Embedding, Space};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_text::languages;

/// The most chunks that are asked for their language.
const LANGUAGE_SAMPLES: usize = 1000;

/// A document with its sections and chunks; numbers in it count from the document's own first section.
pub(super) struct DocumentDraft {
    pub(super) record: DocumentRecord,
    pub(super) sections: Vec<SectionRecord>,
    pub(super) chunks: Vec<ChunkDraft>,
    /// The checksum of its body, of which that of the whole is made; nothing where the record has it already.
    pub(super) body: Option<u64>,
}

pub(super) struct ChunkDraft {
    pub(super) id: u64,
    pub(super) place: PlaceRecord,
}

/// The content that a chunk's id stands for.
pub(super) struct ChunkContent {
    pub(super) text: Arc<str>,
    pub(super) vector: Option<VectorCodes>,
}

/// An index that is complete but for its calibration, which is measured on it.
pub struct IndexDraft {
    space: Space,
    chunking: ChunkOptions,
    options: BuildOptions,
    language: Option<&'static str>,
    documents: Vec<DocumentRecord>,
    sections: Vec<(u32, SectionRecord)>,
    chunks: Vec<ChunkRecord>,
    duplicates: Vec<DuplicateRecord>,
    texts: Vec<Arc<str>>,
    vectors: Vec<VectorCodes>,
}

impl IndexDraft {
    /// Sorts the documents by their ids, numbers everything anew, and keeps the first of several equal chunks.
    pub(super) fn new(
        space: Space,
        chunking: ChunkOptions,
        options: BuildOptions,
        mut documents: Vec<DocumentDraft>,
        mut contents: HashMap<u64, ChunkContent>,
    ) -> Result<Self> {
        documents.sort_by(|a, b| a.record.metadata.document_id.cmp(&b.record.metadata.document_id));
        let mut draft = Self {
            space,
            chunking,
            options,
            language: None,
            documents: Vec::with_capacity(documents.len()),
            sections: Vec::new(),
            chunks: Vec::with_capacity(contents.len()),
            duplicates: Vec::new(),
            texts: Vec::with_capacity(contents.len()),
            vectors: Vec::with_capacity(contents.len()),
        };
        let mut numbers: HashMap<u64, u32> = HashMap::with_capacity(contents.len());
        let mut text_end = 0u32;
        for (document, number) in documents.into_iter().zip(0u32..) {
            let first_section = draft.sections.len() as u32;
            draft.sections.extend(document.sections.into_iter().map(|section| (number, section)));
            for ChunkDraft { id, mut place } in document.chunks {
                place.section += first_section;
                if let Some(&chunk) = numbers.get(&id) {
                    draft.duplicates.push(DuplicateRecord { chunk, place });
                    continue;
                }
                let Some(ChunkContent { text, vector: Some(vector) }) = contents.remove(&id) else {
                    return Err(Error::new(ErrorCode::Internal, "A chunk has no text or no vector."));
                };
                numbers.insert(id, draft.chunks.len() as u32);
                text_end = u32::try_from(text.len())
                    .ok()
                    .and_then(|length| text_end.checked_add(length))
                    .ok_or_else(|| too_large("bytes of text", u32::MAX as usize))?;
                draft.chunks.push(ChunkRecord { place, text_end, id });
                draft.texts.push(text);
                draft.vectors.push(vector);
            }
            draft.documents.push(document.record);
        }
        draft.duplicates.sort_by_key(|duplicate| duplicate.chunk);
        draft.tell_language();
        Ok(draft)
    }

    /// Notes the language of the texts, and has words stemmed in it unless the options name another.
    fn tell_language(&mut self) {
        let found = languages(self.texts().step_by(self.texts.len().div_ceil(LANGUAGE_SAMPLES).max(1)));
        self.language = found.map(|found| if found.is_most { found.first } else { SEVERAL_LANGUAGES });
        self.options.lexical.language.get_or_insert(match found {
            Some(found) => Language::from_tag(found.first),
            None => Language::default(),
        });
    }

    /// The texts of all chunks, without their heading paths.
    pub fn texts(&self) -> impl ExactSizeIterator<Item = &str> {
        self.texts.iter().map(|text| &**text)
    }

    /// Returns a function that gives the cosine between a query and a chunk, by its number among
    /// [`IndexDraft::texts`]; 0 past the last.
    pub fn scorer(&self, query: &Embedding) -> impl Fn(usize) -> f32 {
        let query = QueryCodes::new(query);
        move |chunk| self.vectors.get(chunk).map_or(0.0, |vector| vector.score(&query))
    }

    /// As [`Manifest::words_alone`] of the finished index.
    pub fn words_alone(&self, calibration: &Calibration) -> Option<String> {
        words_alone(self.options.encoder, self.language, calibration)
    }

    /// Builds the graph, if there is to be one, and writes the file.
    pub fn finish(self, calibration: Calibration) -> Result<Vec<u8>> {
        let codes = vectors::encode(self.vectors.iter());
        let graph = self.options.graph.applies(self.chunks.len()).then(|| {
            let dimensions = self.space.dimensions as usize;
            let vectors = StoredVectors::new(&codes, self.chunks.len(), dimensions).unwrap_or_default();
            let threads = if self.options.reproducible { hnsw::Threads::One } else { hnsw::Threads::All };
            hnsw::build(vectors, threads).map(|layers| layers.encode())
        });
        let graph = graph.transpose()?;
        self.write(calibration, codes, graph)
    }

    /// The terms of all chunks with their postings, each chunk in the place where it occurs first.
    fn lexical(&self) -> Result<(Vec<u8>, Vec<u8>)> {
        let mut builder = LexicalBuilder::new(self.options.lexical);
        for (chunk, text) in self.chunks.iter().zip(&self.texts) {
            let Some((document, section)) = self.sections.get(chunk.place.section as usize) else { continue };
            let title = self.documents.get(*document as usize).map(|document| &*document.metadata.title);
            builder.add(title.unwrap_or_default(), &section.heading_path, text);
        }
        builder.encode()
    }

    fn write(self, calibration: Calibration, codes: Vec<u8>, graph: Option<Vec<u8>>) -> Result<Vec<u8>> {
        let (lexicon, postings) = self.lexical()?;
        let magnitudes = preview::encode(&self.vectors, self.space.dimensions as usize);
        let counts = SegmentCounts {
            documents: self.documents.len() as u32,
            sections: self.sections.len() as u32,
            chunks: self.chunks.len() as u32,
            duplicates: self.duplicates.len() as u32,
        };
        let manifest = Manifest {
            generator: generator(),
            metric: Similarity::Cosine,
            documents: counts.documents,
            sections: counts.sections,
            chunks: counts.chunks,
            calibration,
            build: self.options,
            segments: vec![SegmentInfo { encoder: self.options.encoder, packed: true, counts }],
            chunking: self.chunking,
            space: self.space,
            language: self.language.map(str::to_owned),
            adaptation: None,
        };
        let mut strings = StringTableBuilder::default();
        let sections = self.sections.iter().map(|(document, section)| (*document, section));
        let sections = catalog::encode_sections(sections, &mut strings);
        let (blocks, text) = text::encode(self.texts.iter().map(|text| &**text))?;
        let (document_blocks, documents) = catalog::encode_documents(self.documents.iter())?;
        let signs = self.vectors.iter().flat_map(|vector| {
            signs::pack(vector.codes.iter().map(|&code| code as i8 > 0))
                .into_iter()
                .flat_map(u64::to_le_bytes)
        });
        let parts = [
            (MANIFEST, manifest.encode()?),
            (SIGNS, signs.collect()),
            (MAGNITUDES, magnitudes),
            (COLUMNS, columns::encode(&self.documents)?),
            (STRINGS, strings.encode()),
            (DOCUMENT_BLOCKS, document_blocks),
            (DOCUMENTS, documents),
            (SECTIONS, sections),
            (CHUNKS, self.chunks.iter().flat_map(|chunk| chunk.encode()).collect()),
            (DUPLICATES, self.duplicates.iter().flat_map(|duplicate| duplicate.encode()).collect()),
            (TEXT_BLOCKS, blocks),
            (LEXICON, lexicon),
            (POSTINGS, postings),
            (VECTORS, codes),
        ];
        let parts = parts.into_iter().chain(graph.map(|graph| (GRAPH, graph))).chain([(TEXT, text)]);
        let pack = |(id, bytes): (SectionId, Vec<u8>)| {
            let packed = packing::PACKED.contains(&id);
            SectionDraft::new(id, 0, if packed { packing::pack(id, counts, &bytes) } else { bytes })
        };
        container::write(&parts.map(pack).collect::<Vec<_>>())
    }
}
