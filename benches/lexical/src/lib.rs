//! Search by words alone, as a wasm module: what `bench.mjs` compares with libraries of JavaScript.

use ibid::chunk::{ChunkOptions, chunk};
use ibid::document::Document;
use ibid::embed::{Embedding, Space};
use ibid::index::{
    BuildOptions, Calibration, Index, IndexBuilder, LexicalScratch,
};
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

/// An index whose vectors are of one dimension, so that nearly all of it is text and terms.
#[wasm_bindgen]
pub struct Words {
    index: Index,
    scratch: LexicalScratch,
}

/// An index file of paragraphs, each a document. That includes what the libraries next to it leave out: reading and
/// chunking the text, and storing it, packed.
#[wasm_bindgen]
pub fn build(paragraphs: Vec<String>) -> Result<Vec<u8>, JsError> {
    let space = Space { name: "none".into(), dimensions: 1, fingerprint: "0".into() };
    let chunking = ChunkOptions::default();
    let mut builder = IndexBuilder::new(space, chunking.clone(), BuildOptions::default());
    for (at, text) in paragraphs.iter().enumerate() {
        let document = Document::parse(&format!("{at:06}.txt"), text.as_bytes())?;
        builder.add(&document, &chunk(&document, &chunking))?;
    }
    builder.embedded(&vec![Embedding::normalized(vec![1.0]); builder.pending_count()])?;
    Ok(builder.assemble()?.finish(Calibration::default())?)
}

#[wasm_bindgen]
impl Words {
    /// Opens a file.
    #[wasm_bindgen(constructor)]
    pub fn new(file: Vec<u8>) -> Result<Self, JsError> {
        Ok(Self { index: Index::open(file)?, scratch: LexicalScratch::new() })
    }

    /// The bytes of the terms with their postings.
    pub fn bytes(&self) -> f64 {
        let sections = self.index.file_sections();
        let words = sections.iter().filter(|section| matches!(&*section.name, "lexi" | "post"));
        words.map(|section| section.range.end - section.range.start).sum::<u64>() as f64
    }

    /// The numbers of the best chunks.
    pub fn search(&mut self, text: &str, limit: usize) -> Result<Vec<u32>, JsError> {
        let allowed = self.index.allowed(None)?;
        let found = self.index.lexical(text, limit, &allowed, &mut self.scratch)?;
        Ok(found.candidates.iter().map(|candidate| candidate.chunk).collect())
    }
}
