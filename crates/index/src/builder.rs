//! Collecting documents, chunks and embeddings on their way into an index file.

use std::collections::{HashMap, HashSet, VecDeque};

use super::container::too_large;
use super::draft::{ChunkContent, ChunkDraft, ChunkText, DocumentDraft, IndexDraft};
use super::manifest::BuildOptions;
use super::open::Index;
use super::records::{DocumentRecord, PlaceRecord, SectionRecord, TextAnchor};
use super::settings::{PinDraft, SearchSettings};
use ibid_document::chunk::{Chunk, ChunkOptions};
use ibid_document::{Document, Metadata, USUAL_WEIGHT, settle};
use ibid_embed::{Embedding, Space};
use ibid_platform::{Error, ErrorCode, Result, checksum};
use ibid_vectors::{MAX_DIMENSIONS, VectorCodes};

/// Collects documents with their chunks, says which texts have to be embedded, and makes an index file of it all.
///
/// The same documents give the same bytes, in whatever order they are added, natively and in wasm. A chunk that occurs more
/// than once, with the same heading path and the same text, is embedded and stored once, with all its places.
pub struct IndexBuilder {
    space: Space,
    chunking: ChunkOptions,
    options: BuildOptions,
    documents: Vec<DocumentDraft>,
    /// The source and the id of each document, as it was added.
    known: HashSet<(String, String)>,
    chunks: HashMap<u64, ChunkContent>,
    /// The chunks that have no vector yet, in the order in which they were added.
    pending: VecDeque<u64>,
    settings: SearchSettings,
    pins: Vec<PinDraft>,
}

impl IndexBuilder {
    /// Makes an empty index whose vectors lie in `space`. `chunking` is noted in the file, so that an update can
    /// chunk new documents in the same way.
    pub fn new(space: Space, chunking: ChunkOptions, options: BuildOptions) -> Self {
        Self {
            space,
            chunking,
            options,
            documents: Vec::new(),
            known: HashSet::new(),
            chunks: HashMap::new(),
            pending: VecDeque::new(),
            settings: SearchSettings::default(),
            pins: Vec::new(),
        }
    }

    /// Sets what every search of the index follows. Pins have a list of their own; one whose chunk is not added is left out.
    pub fn set(&mut self, settings: SearchSettings, pins: Vec<PinDraft>) {
        (self.settings, self.pins) = (settings, pins);
    }

    /// Adds a document with its chunks, which must have been made with the builder's options. Several documents may
    /// have the same id until they are [assembled](Self::assemble).
    ///
    /// # Errors
    /// [`ErrorCode::InvalidDocument`] when a document of the same source and id was added before, or when it is too
    /// large.
    pub fn add(&mut self, document: &Document, chunks: &[Chunk]) -> Result<()> {
        // Before anything of it is taken in: a document that is refused must leave nothing behind to be embedded.
        self.check_new(&document.source, &document.metadata)?;
        let mut drafts = Vec::with_capacity(chunks.len());
        for (chunk, index) in chunks.iter().zip(0u32..) {
            if chunk.section >= document.sections.len() {
                return Err(Error::new(
                    ErrorCode::Internal,
                    "A chunk belongs to no section of its document.",
                ));
            }
            let place = place(document, chunk, index)?;
            let id = self.content(chunk.id(), &chunk.prefix, &chunk.text, None);
            drafts.push(ChunkDraft { id, place, weight: document.weight_of(&chunk.range) });
        }
        let record = DocumentRecord::new(document, chunks.len());
        let sections = document.sections.iter().map(SectionRecord::from).collect();
        let body = Some(body_hash(document, chunks));
        self.push(DocumentDraft { record, sections, chunks: drafts, body })
    }

    pub(super) fn push(&mut self, draft: DocumentDraft) -> Result<()> {
        let DocumentRecord { source, metadata, .. } = &draft.record;
        self.check_new(source, metadata)?;
        self.known.insert((source.clone(), metadata.document_id.clone()));
        self.documents.push(draft);
        Ok(())
    }

    fn check_new(&self, source: &str, metadata: &Metadata) -> Result<()> {
        let document_id = &metadata.document_id;
        if !self.known.contains(&(source.to_owned(), document_id.clone())) {
            return Ok(());
        }
        let message = format!(
            "`{source}` cannot be read: a document with the same name also has the id `{document_id}`."
        );
        Err(Error::new(ErrorCode::InvalidDocument, message)
            .with_hint("Give each document its own `document_id`, for instance in its front matter."))
    }

    /// Notes a chunk's text and vector under its id, and returns the id: another one in the case, to be expected once
    /// in some billions of chunks, that a different text has it already.
    pub(super) fn content(
        &mut self,
        mut id: u64,
        prefix: &str,
        text: &str,
        vector: Option<VectorCodes>,
    ) -> u64 {
        loop {
            match self.chunks.get_mut(&id) {
                Some(known) if known.text.text() == text => {
                    if known.vector.is_none() {
                        known.vector = vector;
                    }
                    return id;
                }
                Some(_) => id = id.wrapping_add(1),
                None => {
                    if vector.is_none() {
                        self.pending.push_back(id);
                    }
                    let text = ChunkText::new(prefix, text);
                    self.chunks.insert(id, ChunkContent { text, vector });
                    return id;
                }
            }
        }
    }

    /// Takes over the vectors of chunks that another index has too, so that they need not be embedded again: none of one
    /// whose encoder is another. Returns how many those are.
    ///
    /// # Errors
    /// [`ErrorCode::ModelMismatch`] when the index's vectors lie in another space.
    pub fn reuse(&mut self, index: &Index) -> Result<usize> {
        index.manifest().check_space(&self.space)?;
        if index.manifest().build.encoder != self.options.encoder {
            return Ok(0);
        }
        let before = self.pending.len();
        for (id, text, vector) in index.contents() {
            if let Some(content) = self.chunks.get_mut(&id).filter(|content| content.vector.is_none())
                && content.text.text() == text
            {
                content.vector = Some(vector);
            }
        }
        let chunks = &self.chunks;
        self.pending.retain(|id| chunks.get(id).is_none_or(|content| content.vector.is_none()));
        Ok(before - self.pending.len())
    }

    /// Takes over the vectors of those chunks that are known; returns how many. A vector of other dimensions is not taken.
    pub fn recall(&mut self, mut known: impl FnMut(&str) -> Option<Embedding>) -> usize {
        let before = self.pending.len();
        let dimensions = self.space.dimensions as usize;
        self.pending.retain(|id| {
            let Some(content) = self.chunks.get_mut(id) else { return true };
            let embedding = known(&content.text.embedded).filter(|known| fits(known, dimensions));
            let Some(embedding) = embedding else { return true };
            content.vector = Some(VectorCodes::new(&embedding));
            false
        });
        before - self.pending.len()
    }

    /// Returns the next texts that have to be embedded, at most `limit`, each with its heading path in front.
    pub fn pending(&self, limit: usize) -> Vec<&str> {
        let first = self.pending.iter().take(limit).filter_map(|id| self.chunks.get(id));
        first.map(|content| &*content.text.embedded).collect()
    }

    /// Returns the number of texts that have to be embedded yet.
    pub fn pending_count(&self) -> usize {
        self.pending.len()
    }

    /// Returns the number of different chunks.
    pub fn chunk_count(&self) -> usize {
        self.chunks.len()
    }

    /// Returns the number of documents.
    pub fn document_count(&self) -> usize {
        self.documents.len()
    }

    /// Takes the embeddings of the first texts of [`IndexBuilder::pending`], in their order.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] when there are more than texts, or when one has other dimensions than the space or
    /// holds a number that is not finite.
    pub fn embedded(&mut self, embeddings: &[Embedding]) -> Result<()> {
        let dimensions = self.space.dimensions as usize;
        if embeddings.len() > self.pending.len()
            || !embeddings.iter().all(|embedding| fits(embedding, dimensions))
            || dimensions > MAX_DIMENSIONS
        {
            return Err(Error::new(
                ErrorCode::InvalidOption,
                format!(
                    "At most {} embeddings are awaited, each of {dimensions} finite components (no more than \
                     {MAX_DIMENSIONS}).",
                    self.pending.len()
                ),
            ));
        }
        for (embedding, id) in embeddings.iter().zip(self.pending.drain(..embeddings.len())) {
            if let Some(content) = self.chunks.get_mut(&id) {
                content.vector = Some(VectorCodes::new(embedding));
            }
        }
        Ok(())
    }

    /// [Settles](settle) the documents and puts everything into its final order.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] when a text has not been embedded.
    pub fn assemble(mut self) -> Result<IndexDraft> {
        if !self.pending.is_empty() {
            let message = format!("{} texts have not been embedded.", self.pending.len());
            return Err(Error::new(ErrorCode::InvalidOption, message));
        }
        let records = self.documents.iter_mut().map(|document| &mut document.record);
        settle(&mut records.map(|record| (&*record.source, &mut record.metadata)).collect::<Vec<_>>());
        for DocumentDraft { record, body, .. } in &mut self.documents {
            if let Some(body) = body {
                record.content_hash = content_hash(*body, &record.metadata);
            }
        }
        let settings = (self.settings, self.pins);
        IndexDraft::new(self.space, self.chunking, self.options, self.documents, self.chunks, settings)
    }
}

/// Returns true if an embedding has these dimensions and finite components.
fn fits(embedding: &Embedding, dimensions: usize) -> bool {
    embedding.as_slice().len() == dimensions && embedding.as_slice().iter().all(|x| x.is_finite())
}

fn place(document: &Document, chunk: &Chunk, index: u32) -> Result<PlaceRecord> {
    let word = |value: usize| {
        u32::try_from(value).map_err(|_| too_large("bytes of a single file", u32::MAX as usize))
    };
    Ok(PlaceRecord {
        section: word(chunk.section)?,
        index,
        line: chunk.line,
        span: (word(chunk.span.start)?, word(chunk.span.end)?),
        repeated: word(chunk.repeated)?,
        anchors: chunk
            .anchors(document)
            .into_iter()
            .map(|(at, anchor)| Ok(TextAnchor { at: word(at)?, anchor }))
            .collect::<Result<_>>()?,
    })
}

/// Computes a checksum of all that the index would store of the document, by that of its body and its settled metadata.
pub(super) fn content_hash(body: u64, metadata: &Metadata) -> String {
    let metadata = serde_json::to_vec(metadata).unwrap_or_default();
    format!("{:016x}", checksum(&[&body.to_le_bytes(), &metadata]))
}

/// Computes a checksum of all that the index would store of the document but for its metadata.
pub(super) fn body_hash(document: &Document, chunks: &[Chunk]) -> u64 {
    let mut bytes = Vec::from(document.source.as_bytes());
    bytes.push(0);
    for section in &document.sections {
        let headings = section.heading_path.iter().chain(&section.anchor);
        headings.for_each(|text| bytes.extend(text.bytes().chain([0])));
        bytes.push(1);
    }
    document.leaves().iter().for_each(|(at, number)| {
        bytes.extend([*at as u64, *number as u64].map(u64::to_le_bytes).as_flattened());
    });
    for chunk in chunks {
        bytes.extend_from_slice(&chunk.id().to_le_bytes());
        let numbers = [chunk.section, chunk.span.start, chunk.span.end, chunk.line as usize, chunk.repeated];
        numbers.iter().for_each(|number| bytes.extend((*number as u64).to_le_bytes()));
        let weight = document.weight_of(&chunk.range);
        bytes.extend((weight != USUAL_WEIGHT).then(|| weight.to_le_bytes()).into_iter().flatten());
    }
    checksum(&[&bytes])
}
