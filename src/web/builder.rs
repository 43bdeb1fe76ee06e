//! Building an index: chunking and embedding, in steps that a worker can report on and stop between.

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::convert::{read, thrown, to_js};
use crate::chunk::{Characters, ChunkOptions, Sizer, SizerKind, chunk, chunk_with};
use crate::document::{self, Document, archive};
use crate::embed::{
    DocumentEmbedder, Embedder, Projection, SourceModel, Task, TokenTable, Transformer, import,
};
use crate::error::{Error, ErrorCode, Result};
use crate::index::{BuildOptions, Calibration, Encoder, Index, IndexBuilder};
use crate::retrieve::calibrate;

/// The number of chunks that a file is cut into, to compare the speed of chunking.
#[wasm_bindgen]
pub fn chunk_count(source: &str, bytes: &[u8], budget: usize) -> Result<usize, JsValue> {
    let count = || {
        let options = ChunkOptions { budget, ..ChunkOptions::default() };
        Ok(chunk(&Document::parse(source, bytes)?, &options).len())
    };
    count().map_err(|error: Error| thrown(&error))
}

/// Packs the weights of a transformer, as they are published, into the file that [`Builder`] takes.
#[wasm_bindgen(js_name = importModel)]
pub fn import_model(name: &str, config: &[u8], vocab: &[u8], weights: &[u8]) -> Result<Vec<u8>, JsValue> {
    import(SourceModel { name, config, vocab, weights }).map_err(|error| thrown(&error))
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct BuilderOptions {
    chunking: Option<ChunkOptions>,
    build: Option<BuildOptions>,
    /// Documents are to be added to an index that was calibrated when it was built.
    calibration: Option<Calibration>,
}

/// What became of a file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Added {
    documents: Vec<String>,
    chunks: usize,
    warnings: Vec<String>,
    /// Documents in the file that could not be read.
    left_out: Vec<Error>,
}

/// What is known about a file's documents from elsewhere.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct FileMetadata {
    /// The file that lies beside a document to hold its metadata: its name, which tells the format, and its content.
    sidecar: Option<(String, String)>,
    /// Fields that are stronger than what the documents and the sidecar say.
    fields: Vec<(String, String)>,
}

/// Makes an index file.
#[wasm_bindgen]
pub struct Builder {
    index: Option<IndexBuilder>,
    chunking: ChunkOptions,
    calibration: Option<Calibration>,
    table: TokenTable,
    transformer: Option<DocumentEmbedder>,
}

#[wasm_bindgen]
impl Builder {
    /// An empty index. `table` are the bytes of the query table; `model` and `projection` those of the packed
    /// transformer and what belongs to it. Without them documents are embedded by the table too.
    #[wasm_bindgen(constructor)]
    pub fn new(
        options: JsValue,
        table: Vec<u8>,
        model: Option<Vec<u8>>,
        projection: Option<Vec<u8>>,
    ) -> Result<Builder, JsValue> {
        let options: BuilderOptions = read(options)?;
        Self::of(options, table, model.zip(projection)).map_err(|error| thrown(&error))
    }

    /// Adds a file, whose format its name or its content tells: an object with the ids of its documents, the number of
    /// their chunks, warnings, and what was left out. `metadata` may have a `sidecar` (its name and content) and
    /// `fields` (names and values).
    pub fn add(&mut self, source: &str, bytes: &[u8], metadata: JsValue) -> Result<JsValue, JsValue> {
        let metadata: FileMetadata = read(metadata)?;
        let added = self.add_file(source, bytes, &metadata).map_err(|error| thrown(&error))?;
        to_js(&added)
    }

    /// Takes over the vectors of chunks that this index file has too; returns how many.
    pub fn reuse(&mut self, index: Vec<u8>) -> Result<usize, JsValue> {
        let reused = Index::open(index).and_then(|index| self.builder()?.reuse(&index));
        reused.map_err(|error| thrown(&error))
    }

    /// The number of chunks that have still to be embedded.
    #[wasm_bindgen(getter)]
    pub fn pending(&self) -> usize {
        self.index.as_ref().map_or(0, IndexBuilder::pending_count)
    }

    /// Embeds the next chunks, at most `limit`; returns how many those were.
    pub fn embed(&mut self, limit: usize) -> Result<usize, JsValue> {
        self.embed_next(limit).map_err(|error| thrown(&error))
    }

    /// The bytes of the index file. The builder is empty afterwards.
    pub fn finish(&mut self) -> Result<Vec<u8>, JsValue> {
        self.finish_file().map_err(|error| thrown(&error))
    }
}

impl Builder {
    fn of(options: BuilderOptions, table: Vec<u8>, model: Option<(Vec<u8>, Vec<u8>)>) -> Result<Self> {
        let table = TokenTable::from_bytes(table)?;
        let embedder = |(model, projection): (Vec<u8>, Vec<u8>)| {
            DocumentEmbedder::new(Transformer::from_bytes(model)?, Projection::from_bytes(&projection)?)
        };
        let transformer = model.map(embedder).transpose()?;
        let chunking = options.chunking.unwrap_or_default();
        chunking.validate()?;
        let encoder = if transformer.is_some() { Encoder::Transformer } else { Encoder::Table };
        let build = BuildOptions { encoder, ..options.build.unwrap_or_default() };
        let index = IndexBuilder::new(table.space().clone(), chunking.clone(), build);
        Ok(Self { index: Some(index), chunking, calibration: options.calibration, table, transformer })
    }

    fn builder(&mut self) -> Result<&mut IndexBuilder> {
        let finished = || Error::new(ErrorCode::InvalidOption, "This builder has finished its index.");
        self.index.as_mut().ok_or_else(finished)
    }

    fn add_file(&mut self, source: &str, bytes: &[u8], metadata: &FileMetadata) -> Result<Added> {
        let (documents, left_out, warnings) = if archive::is_archive_name(source) {
            let archive = archive::parse(source, bytes)?;
            (archive.documents, archive.left_out, archive.warnings)
        } else {
            (document::parse(source, bytes)?, Vec::new(), Vec::new())
        };
        let mut added = Added { documents: Vec::new(), chunks: 0, warnings, left_out };
        let is_only = documents.len() == 1;
        for document in documents {
            match self.add_document(document, metadata, &mut added) {
                Err(error) if is_only => return Err(error),
                // The others of the file are in the index, so this one is reported beside them.
                Err(error) => added.left_out.push(error),
                Ok(()) => {}
            }
        }
        Ok(added)
    }

    fn add_document(
        &mut self,
        mut document: Document,
        metadata: &FileMetadata,
        added: &mut Added,
    ) -> Result<()> {
        if let Some((name, content)) = &metadata.sidecar {
            document.apply_sidecar(name, content.as_bytes())?;
        }
        metadata.fields.iter().try_for_each(|(name, value)| document.set_metadata(name, value))?;
        let sizer: &dyn Sizer = match self.chunking.sizer {
            SizerKind::Characters => &Characters,
            SizerKind::Model => self.table.wordpiece(),
        };
        let chunks = chunk_with(&document, &self.chunking, sizer);
        self.builder()?.add(&document, &chunks)?;
        added.chunks += chunks.len();
        added.documents.push(document.metadata.document_id);
        added.warnings.extend(document.warnings);
        Ok(())
    }

    fn embed_next(&mut self, limit: usize) -> Result<usize> {
        let Self { index: Some(index), table, transformer, .. } = self else { return Ok(0) };
        let texts = index.pending(limit);
        let embeddings = match transformer {
            Some(transformer) => transformer.embed(&texts, Task::Document)?,
            // The table knows no tasks: it embeds a document as if it were a query.
            None => table.embed(&texts, Task::Query)?,
        };
        index.embedded(&embeddings)?;
        Ok(embeddings.len())
    }

    fn finish_file(&mut self) -> Result<Vec<u8>> {
        self.builder()?;
        let Some(index) = self.index.take() else { return Ok(Vec::new()) };
        let draft = index.assemble()?;
        let calibration = match self.calibration {
            Some(calibration) => calibration,
            None => calibrate(&self.table, &draft)?,
        };
        draft.finish(calibration)
    }
}
