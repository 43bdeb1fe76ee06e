//! Everything of a new index in its final order, and the writing of it.

use std::collections::HashMap;

use super::cluster::{self, ClusterBuild};
use super::container::{
    self, CENTROIDS, CLUSTERS, CODES, COLUMN_BLOCKS, COLUMNS, DOCUMENT_BLOCKS, DOCUMENTS, HEADING_BLOCKS,
    HEADINGS, HOME, LEXICON, MANIFEST, POSTINGS, SharedBytes, TEXT, TEXT_BLOCKS, VECTORS, is_needed,
};
use super::lexical::{Language, LexicalBuilder, tells_changes};
use super::manifest::{BuildOptions, Calibration, Manifest, SEVERAL_LANGUAGES, generator, words_alone};
use super::passages::PassageSource;
use super::records::{ChunkRecord, DocumentRecord, DuplicateRecord, PlaceRecord, SectionRecord};
use super::settings::{Pin, PinDraft, SearchSettings};
use super::{columns, directory, home, rows};
use ibid_document::chunk::ChunkOptions;
use ibid_embed::{Embedding, Space};
use ibid_platform::{Error, ErrorCode, Result, order};
use ibid_text::languages;
use ibid_vectors::{QueryCodes, VectorCodes};

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
    /// In hundredths.
    pub(super) weight: u16,
}

/// The content that a chunk's id stands for.
pub(super) struct ChunkContent {
    pub(super) text: ChunkText,
    pub(super) vector: Option<VectorCodes>,
}

/// A chunk's text, kept once with the heading path in front that it is embedded with.
pub(super) struct ChunkText {
    pub(super) embedded: Box<str>,
    /// The length of the heading path.
    start: usize,
}

impl ChunkText {
    pub(super) fn new(prefix: &str, text: &str) -> Self {
        Self { embedded: [prefix, text].concat().into(), start: prefix.len() }
    }

    pub(super) fn text(&self) -> &str {
        &self.embedded[self.start..]
    }
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
    texts: Vec<ChunkText>,
    vectors: Vec<VectorCodes>,
    weights: Vec<u16>,
    settings: SearchSettings,
    clusters: ClusterBuild,
}

impl IndexDraft {
    /// Sorts the documents by their ids, numbers everything anew, and keeps the first of several equal chunks.
    pub(super) fn new(
        space: Space,
        chunking: ChunkOptions,
        options: BuildOptions,
        mut documents: Vec<DocumentDraft>,
        mut contents: HashMap<u64, ChunkContent>,
        (settings, pins): (SearchSettings, Vec<PinDraft>),
    ) -> Result<Self> {
        order::by(&mut documents, |a, b| a.record.metadata.document_id.cmp(&b.record.metadata.document_id));
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
            weights: Vec::with_capacity(contents.len()),
            settings,
            clusters: ClusterBuild::default(),
        };
        let mut numbers: HashMap<u64, u32> = HashMap::with_capacity(contents.len());
        for (document, number) in documents.into_iter().zip(0u32..) {
            let first_section = draft.sections.len() as u32;
            draft.sections.extend(document.sections.into_iter().map(|section| (number, section)));
            for ChunkDraft { id, mut place, weight } in document.chunks {
                place.section += first_section;
                if let Some(&chunk) = numbers.get(&id) {
                    draft.duplicates.push(DuplicateRecord { chunk, place });
                    continue;
                }
                let Some(ChunkContent { text, vector: Some(vector) }) = contents.remove(&id) else {
                    return Err(Error::new(ErrorCode::Internal, "A chunk has no text or no vector."));
                };
                numbers.insert(id, draft.chunks.len() as u32);
                draft.chunks.push(ChunkRecord { place, id });
                draft.texts.push(text);
                draft.vectors.push(vector);
                draft.weights.push(weight);
            }
            draft.documents.push(document.record);
        }
        draft.settings.pins = pins
            .into_iter()
            .filter_map(|PinDraft { query, address, id }| {
                numbers.get(&id).map(|&chunk| Pin { query, address, chunk })
            })
            .collect();
        order::by_key(&mut draft.duplicates, |duplicate| duplicate.chunk);
        draft.tell_language();
        draft.clusters = cluster::build(&draft.vectors, draft.space.dimensions as usize)?;
        Ok(draft)
    }

    /// Notes the language of the texts, and has words stemmed in it unless the options name another.
    fn tell_language(&mut self) {
        let found = languages(self.texts.len(), self.texts());
        self.language = found.map(|found| if found.is_most { found.first } else { SEVERAL_LANGUAGES });
        self.options.lexical.language.get_or_insert(match found {
            Some(found) => Language::from_tag(found.first),
            None => Language::default(),
        });
    }

    /// Returns the number of documents.
    pub fn document_count(&self) -> usize {
        self.documents.len()
    }

    /// Returns the texts of all chunks, without their heading paths.
    pub fn texts(&self) -> impl ExactSizeIterator<Item = &str> {
        self.texts.iter().map(ChunkText::text)
    }

    /// Returns a function that gives the cosine between a query and a chunk, by its number among
    /// [`IndexDraft::texts`]; 0 past the last.
    pub fn scorer(&self, query: &Embedding) -> impl Fn(usize) -> f32 {
        let query = QueryCodes::new(query);
        move |chunk| self.vectors.get(chunk).map_or(0.0, |vector| vector.score(&query))
    }

    /// Returns the number of clusters that a search has to compare, and the share of the ten chunks nearest to these
    /// queries that it then finds. The share is 0.95, or 0.92 among more than 10,000 chunks. It compares some 4,600
    /// codes at most. Both are 0 without queries.
    pub fn probes(&self, queries: &[Embedding]) -> Result<(u32, f32)> {
        self.clusters.probes(&self.vectors, self.space.dimensions as usize, queries)
    }

    /// Returns the language that words are stemmed in.
    pub fn stemmed_in(&self) -> Language {
        self.options.lexical.analyzed()
    }

    /// As [`Manifest::words_alone`] of the finished index.
    pub fn words_alone(&self, calibration: &Calibration) -> Option<String> {
        words_alone(&self.space, self.options.encoder, self.language, calibration)
    }

    /// Writes the terms of all chunks with their postings, each chunk in the place where it occurs first.
    fn lexical(&self) -> Result<(Vec<u8>, Vec<u8>)> {
        let mut builder = LexicalBuilder::new(self.options.lexical, &self.settings.synonyms);
        let (mut before, mut document_before) = (None, None);
        for (chunk, text) in self.chunks.iter().zip(&self.texts) {
            let Some((document, section)) = self.sections.get(chunk.place.section as usize) else { continue };
            let is_first = document_before.replace(document) != Some(document);
            let document = self.documents.get(*document as usize);
            if let Some(document) = document.filter(|_| is_first) {
                builder.add_keywords(&document.metadata.keywords());
            }
            let title = document.map(|document| &*document.metadata.title).unwrap_or_default();
            let is_log = document.is_some_and(|document| tells_changes(title, &document.source));
            let opens = before.replace(chunk.place.section) != Some(chunk.place.section);
            builder.add(title, &section.heading_path, text.text(), opens, is_log);
        }
        builder.encode()
    }

    /// Writes the file.
    pub fn finish(self, calibration: Calibration) -> Result<Vec<u8>> {
        let passages = PassageSource {
            documents: &self.documents,
            sections: &self.sections,
            chunks: &self.chunks,
            duplicates: &self.duplicates,
        };
        let texts = || passages.encode(self.texts.iter().map(ChunkText::text));
        let (words, passages) = cluster::both(|| self.lexical(), texts);
        let ((lexicon, postings), passages) = (words?, passages?);
        // The texts are written, and a large collection is not kept twice.
        drop(self.texts);
        let manifest = Manifest {
            generator: generator(),
            documents: self.documents.len() as u32,
            sections: self.sections.len() as u32,
            chunks: self.chunks.len() as u32,
            calibration,
            build: self.options,
            chunking: self.chunking,
            space: self.space,
            language: self.language.map(str::to_owned),
            settings: self.settings,
        };
        let documents = directory::encode(self.documents.iter())?;
        let columns = columns::encode(&self.documents)?;
        let headings =
            directory::encode(directory::headings(&self.sections, &self.chunks, &self.duplicates))?;
        let document_of: Vec<u32> = self.sections.iter().map(|(document, _)| *document).collect();
        let mut chunk_counts = vec![0u32; self.documents.len()];
        for chunk in &self.chunks {
            chunk_counts[document_of[chunk.place.section as usize] as usize] += 1;
        }
        let vectors = rows::encode(&self.vectors);
        drop(self.vectors);
        let parts = [
            (MANIFEST, manifest.encode()?),
            (CLUSTERS, self.clusters.head),
            (COLUMN_BLOCKS, columns.table),
            (HOME, home::encode(&chunk_counts, &self.duplicates, &document_of, &self.weights)),
            (LEXICON, lexicon),
            (TEXT_BLOCKS, passages.table),
            (DOCUMENT_BLOCKS, documents.table),
            (HEADING_BLOCKS, headings.table),
            (CENTROIDS, self.clusters.centroids),
            (CODES, self.clusters.codes),
            (POSTINGS, postings),
            (TEXT, passages.bytes),
            (DOCUMENTS, documents.bytes),
            (HEADINGS, headings.bytes),
            (COLUMNS, columns.bytes),
            (VECTORS, vectors),
        ];
        let sections = parts.into_iter().map(|(id, bytes)| (id, SharedBytes::from(bytes)));
        let (mut first, later): (Vec<_>, Vec<_>) =
            sections.partition(|(id, bytes)| is_needed(*id, bytes.len() as u64));
        first.extend(later);
        container::write(first)
    }
}
