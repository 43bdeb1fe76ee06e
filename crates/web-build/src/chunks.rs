//! Cutting documents into chunks without making an index of them.

use wasm_bindgen::prelude::*;

use ibid_build::{Collected, ReadFile};
use ibid_document::ChunkLine;
use ibid_document::chunk::{Characters, ChunkOptions};
use ibid_platform::Result;
use ibid_web::convert::{read, thrown, to_js};

use crate::input::{FileMetadata, Settled};

/// Cuts documents into the chunks that an index would have, four characters to a token.
#[wasm_bindgen]
pub struct Chunker {
    chunking: ChunkOptions,
    files: Vec<ReadFile>,
    lines: String,
}

#[wasm_bindgen]
impl Chunker {
    /// Cuts as the options say.
    #[wasm_bindgen(constructor)]
    pub fn new(chunking: JsValue) -> Result<Chunker, JsValue> {
        let chunking: ChunkOptions = read(chunking)?;
        chunking.validate().map_err(|error| thrown(&error))?;
        Ok(Self { chunking, files: Vec::new(), lines: String::new() })
    }

    /// Adds a file, as [`Builder::add`](crate::Builder::add) does.
    pub fn add(&mut self, source: &str, bytes: &[u8], metadata: JsValue) -> Result<(), JsValue> {
        let metadata: FileMetadata = read(metadata)?;
        self.files.push(metadata.read(source, bytes).map_err(|error| thrown(&error))?);
        Ok(())
    }

    /// Chunks the documents, as [`Builder::settle`](crate::Builder::settle) does.
    pub fn settle(&mut self) -> Result<JsValue, JsValue> {
        let collected = Collected::of(std::mem::take(&mut self.files), &self.chunking, &Characters);
        let lines = collected.parsed.iter().map(|one| ChunkLine::lines(&one.document, &one.chunks));
        self.lines = lines.collect::<Result<_>>().map_err(|error| thrown(&error))?;
        to_js(&Settled::from(collected))
    }

    /// Returns the chunks of all documents, a line each, in the form that building reads again.
    pub fn lines(&self) -> String {
        self.lines.clone()
    }
}
