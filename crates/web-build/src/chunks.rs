//! Cutting documents into chunks without making an index of them.

use std::collections::HashSet;

use wasm_bindgen::prelude::*;

use ibid_document::chunk::{Chunk, ChunkOptions, chunk};
use ibid_document::{ChunkLine, Document, leave_out_shared, name_languages, settle, shared_line};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_web::convert::{read, thrown, to_js};

use crate::input::{FileMetadata, Settled, left_out};

/// Cuts documents into the chunks that an index would have, four characters to a token.
#[wasm_bindgen]
pub struct Chunker {
    chunking: ChunkOptions,
    documents: Vec<Document>,
    chunked: Vec<(Document, Vec<Chunk>)>,
}

#[wasm_bindgen]
impl Chunker {
    /// Cuts as the options say.
    #[wasm_bindgen(constructor)]
    pub fn new(chunking: JsValue) -> Result<Chunker, JsValue> {
        let chunking: ChunkOptions = read(chunking)?;
        chunking.validate().map_err(|error| thrown(&error))?;
        Ok(Self { chunking, documents: Vec::new(), chunked: Vec::new() })
    }

    /// Adds a file, as [`Builder::add`](crate::Builder::add) does.
    pub fn add(&mut self, source: &str, bytes: &[u8], metadata: JsValue) -> Result<JsValue, JsValue> {
        let metadata: FileMetadata = read(metadata)?;
        let added = metadata.read(source, bytes, &mut self.documents).map_err(|error| thrown(&error))?;
        to_js(&added)
    }

    /// Chunks the documents, as [`Builder::settle`](crate::Builder::settle) does.
    pub fn settle(&mut self) -> Result<JsValue, JsValue> {
        let mut known = HashSet::new();
        let mut lost = Vec::new();
        let mut documents = std::mem::take(&mut self.documents);
        documents.retain(|Document { source, metadata, .. }| {
            let is_new = known.insert((source.clone(), metadata.document_id.clone()));
            if !is_new {
                let message = format!("`{source}` is left out: another file holds the same document.");
                lost.push(left_out(source, &Error::new(ErrorCode::DocumentSkipped, message)));
            }
            is_new
        });
        let shared = leave_out_shared(&mut documents.iter_mut().collect::<Vec<_>>());
        name_languages(&mut documents.iter_mut().collect::<Vec<_>>());
        let mut all: Vec<_> =
            documents.iter_mut().map(|document| (&*document.source, &mut document.metadata)).collect();
        let warnings = settle(&mut all);
        let ids = all.iter().map(|(_, metadata)| metadata.document_id.clone()).collect();
        let chunked = documents.into_iter().map(|document| {
            let chunks = chunk(&document, &self.chunking);
            (document, chunks)
        });
        self.chunked = chunked.collect();
        let chunks = self.chunked.iter().map(|(_, chunks)| chunks.len()).sum();
        let shared = shared_line(&shared);
        to_js(&Settled { documents: ids, chunks, warnings, left_out: lost, shared, unlinked: false })
    }

    /// Returns the chunks of all documents, a line each, in the form that building reads again.
    pub fn lines(&self) -> Result<String, JsValue> {
        let lines = self.chunked.iter().map(|(document, chunks)| ChunkLine::lines(document, chunks));
        lines.collect::<Result<String>>().map_err(|error| thrown(&error))
    }
}
