//! Building an index: chunking and embedding, in steps that a worker can report on and stop between.

mod encoder;
mod input;

use std::rc::Rc;

use js_sys::{Array, Function, Uint8Array};
use serde::Deserialize;
use wasm_bindgen::prelude::*;

use ibid_build::{Collected, ReadFile};
use ibid_document::chunk::ChunkOptions;
use ibid_embed::{DocumentEmbedder, Embedder, Foreign, Space, Task, TokenTable};
use ibid_index::{
    BuildOptions, Calibration, Encoder, Index, IndexBuilder, IndexDraft, Language, LexicalOptions, Manifest,
};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::{calibrate, calibrate_with, calibration_texts};
use ibid_web::convert::{ForeignSpace, parsed, read, thrown, to_js};
use ibid_web::stemmers;

use self::encoder::QueryEncoder;
use self::input::{FileMetadata, Settled};

/// Has the words of a language stemmed by a function of a word, and gives its stop words, between spaces.
#[wasm_bindgen(js_name = stemBy)]
pub fn stem_language_by(language: &str, stem: Function, stop_words: String) {
    stemmers::stem_language_by(language, stem, stop_words);
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct BuilderOptions {
    chunking: Option<ChunkOptions>,
    /// The language that words are stemmed in; by default that of the documents.
    language: Option<Language>,
    /// Documents are to be added to an index that was calibrated when it was built.
    calibration: Option<Calibration>,
}

/// Makes an index file.
#[wasm_bindgen]
pub struct Builder {
    index: Option<IndexBuilder>,
    /// The files that were added since they were last settled.
    files: Vec<ReadFile>,
    /// The index in its final order, once texts for its calibration have been asked for.
    draft: Option<IndexDraft>,
    /// The number of texts the caller was given to embed, and has not brought back.
    handed_out: usize,
    chunking: ChunkOptions,
    calibration: Option<Calibration>,
    encoders: Encoders,
    words_alone: Option<String>,
}

/// The encoder.
enum Encoders {
    /// The table embeds queries, and documents too where there is no transformer.
    Own { table: Box<TokenTable>, transformer: Option<Rc<DocumentEmbedder>> },
    /// The caller, in that space.
    Caller(Space),
}

impl Encoders {
    /// Opens the table in a file of these bytes, and the transformer for documents.
    fn own(table: Vec<u8>, transformer: Option<Rc<DocumentEmbedder>>) -> Result<Self> {
        Ok(Self::Own { table: Box::new(TokenTable::from_bytes(table)?), transformer })
    }
}

#[wasm_bindgen]
impl Builder {
    /// Makes an empty index whose documents are embedded by the query table, given by its file's bytes.
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue, table: Vec<u8>) -> Result<Builder, JsValue> {
        Self::of(read(options)?, Encoders::own(table, None)).map_err(|error| thrown(&error))
    }

    /// Makes the same with documents embedded by a transformer, which is shared and not taken.
    #[wasm_bindgen(js_name = byTransformer)]
    pub fn by_transformer(
        options: JsValue,
        table: Vec<u8>,
        encoder: &QueryEncoder,
    ) -> Result<Builder, JsValue> {
        let transformer = Some(encoder.embedder());
        Self::of(read(options)?, Encoders::own(table, transformer)).map_err(|error| thrown(&error))
    }

    /// Makes the same with everything embedded by the caller, in a space given by `name`, `dimensions` and perhaps a
    /// `fingerprint`.
    #[wasm_bindgen(js_name = byCaller)]
    pub fn by_caller(options: JsValue, space: JsValue) -> Result<Builder, JsValue> {
        let space = parsed(space).and_then(|space: ForeignSpace| space.space());
        Self::of(read(options)?, space.map(Encoders::Caller)).map_err(|error| thrown(&error))
    }

    /// Opens an index file after changes, to be written anew by [`Builder::finish`]: `changes` has index files whose
    /// documents are added, and ids of documents that are removed, in order.
    #[wasm_bindgen(js_name = ofIndex)]
    pub fn of_index(index: Vec<u8>, changes: &Array) -> Result<Builder, JsValue> {
        Self::changed(index, changes).map_err(|error| thrown(&error))
    }

    /// Adds a file, whose format its name or its content tells. Its documents are chunked by [`Builder::settle`].
    /// `metadata` may have a `sidecar` (its name and content), `fields` (names and values) and a `page` (the `site`'s
    /// generator, its `configuration`, `baseUrl`, and the file's `path`).
    pub fn add(&mut self, source: &str, bytes: &[u8], metadata: JsValue) -> Result<(), JsValue> {
        let metadata: FileMetadata = read(metadata)?;
        self.files.push(metadata.read(source, bytes).map_err(|error| thrown(&error))?);
        Ok(())
    }

    /// Takes in the files that were added, in the order of [`Collected::of`]. Returns an object with their documents' ids,
    /// the number of chunks, warnings, what was left out, and a line on what they shared.
    pub fn settle(&mut self) -> Result<JsValue, JsValue> {
        let settled = self.settle_files().map_err(|error| thrown(&error))?;
        to_js(&settled)
    }

    /// Takes over the vectors of chunks that this index file has too; returns how many.
    pub fn reuse(&mut self, index: Vec<u8>) -> Result<usize, JsValue> {
        let reused = Index::open(index).and_then(|index| self.builder()?.reuse(&index));
        reused.map_err(|error| thrown(&error))
    }

    /// Counts the chunks that have still to be embedded.
    #[wasm_bindgen(getter)]
    pub fn pending(&self) -> usize {
        self.index.as_ref().map_or(0, IndexBuilder::pending_count)
    }

    /// Embeds the next chunks, at most `limit`; returns how many those were.
    pub fn embed(&mut self, limit: usize) -> Result<usize, JsValue> {
        self.embed_next(limit).map_err(|error| thrown(&error))
    }

    /// Lists the next texts for the caller to embed, at most `limit`, with their heading paths.
    #[wasm_bindgen(js_name = pendingTexts)]
    pub fn pending_texts(&mut self, limit: usize) -> Vec<String> {
        let texts = self.index.as_ref().map_or(Vec::new(), |index| index.pending(limit));
        self.handed_out = texts.len();
        texts.into_iter().map(str::to_owned).collect()
    }

    /// Takes the vectors of the texts that [`Builder::pending_texts`] gave last, one behind the other.
    pub fn embedded(&mut self, vectors: &[f32]) -> Result<(), JsValue> {
        self.take(vectors).map_err(|error| thrown(&error))
    }

    /// Texts for the caller to embed as queries, by which [`Builder::finish`] calibrates the index; none where that is
    /// not needed. No more can be added afterwards.
    #[wasm_bindgen(js_name = calibrationTexts)]
    pub fn calibration_texts(&mut self) -> Result<Vec<String>, JsValue> {
        self.texts_to_calibrate().map_err(|error| thrown(&error))
    }

    /// Names the language whose stemmer has to be handed to [`stem_language_by`] before [`Builder::finish`], if there is
    /// one. No more can be added afterwards.
    #[wasm_bindgen(js_name = wantedStemmer)]
    pub fn wanted_stemmer(&mut self) -> Result<Option<String>, JsValue> {
        let language = self.assembled().map(IndexDraft::stemmed_in).map_err(|error| thrown(&error))?;
        Ok(stemmers::wanted(language).map(str::to_owned))
    }

    /// Writes the bytes of the index file. `queries` are the vectors of the texts for calibration, one behind the other.
    /// The builder is empty afterwards.
    pub fn finish(&mut self, queries: &[f32]) -> Result<Vec<u8>, JsValue> {
        self.finish_file(queries).map_err(|error| thrown(&error))
    }

    /// Returns the reason why words alone rank in the index that was finished, if they do.
    #[wasm_bindgen(getter, js_name = wordsAlone)]
    pub fn words_alone(&self) -> Option<String> {
        self.words_alone.clone()
    }
}

impl Builder {
    fn of(options: BuilderOptions, encoders: Result<Encoders>) -> Result<Self> {
        let encoders = encoders?;
        let (space, encoder) = match &encoders {
            Encoders::Own { table, transformer: None } => (table.space(), Encoder::Table),
            Encoders::Own { table, transformer: Some(transformer) } => {
                check_same(table.space(), transformer.space())?;
                (table.space(), Encoder::Transformer)
            }
            Encoders::Caller(space) => (space, Encoder::Embedder),
        };
        let chunking = options.chunking.unwrap_or_default();
        chunking.validate()?;
        let lexical = LexicalOptions { language: options.language, ..LexicalOptions::default() };
        let build = BuildOptions { encoder, lexical };
        let index = Some(IndexBuilder::new(space.clone(), chunking.clone(), build));
        let calibration = options.calibration;
        Ok(Self {
            index,
            files: Vec::new(),
            draft: None,
            handed_out: 0,
            chunking,
            calibration,
            encoders,
            words_alone: None,
        })
    }

    fn changed(index: Vec<u8>, changes: &Array) -> Result<Self> {
        let mut index = Index::open(index)?;
        for change in changes.iter() {
            match change.as_string() {
                Some(document_id) => drop(index.remove(&document_id)?),
                None => index.attach(Index::open(Uint8Array::new(&change).to_vec())?)?,
            }
        }
        let Manifest { space, chunking, calibration, .. } = index.manifest().clone();
        Ok(Self {
            index: None,
            files: Vec::new(),
            draft: Some(index.compact()?),
            handed_out: 0,
            chunking,
            calibration: Some(calibration),
            encoders: Encoders::Caller(space),
            words_alone: None,
        })
    }

    fn builder(&mut self) -> Result<&mut IndexBuilder> {
        self.index.as_mut().ok_or_else(finished)
    }

    fn settle_files(&mut self) -> Result<Settled> {
        let collected = Collected::of(std::mem::take(&mut self.files), &self.chunking, |_| {});
        collected.add_to(self.builder()?)?;
        Ok(collected.into())
    }

    fn embed_next(&mut self, limit: usize) -> Result<usize> {
        let Some(index) = &mut self.index else { return Ok(0) };
        let texts = index.pending(limit);
        let embeddings = match &self.encoders {
            Encoders::Own { transformer: Some(transformer), .. } => {
                transformer.embed(&texts, Task::Document)?
            }
            // The table knows no tasks: it embeds a document as if it were a query.
            Encoders::Own { table, transformer: None } => table.embed(&texts, Task::Query)?,
            Encoders::Caller(space) => Foreign::new(space.clone()).embed(&texts, Task::Document)?,
        };
        index.embedded(&embeddings)?;
        Ok(embeddings.len())
    }

    fn take(&mut self, vectors: &[f32]) -> Result<()> {
        let count = std::mem::take(&mut self.handed_out);
        let Encoders::Caller(space) = &self.encoders else {
            return Err(Error::new(ErrorCode::InvalidOption, "This builder embeds with its own encoder."));
        };
        let embeddings = space.embeddings(vectors, count)?;
        self.builder()?.embedded(&embeddings)
    }

    fn texts_to_calibrate(&mut self) -> Result<Vec<String>> {
        if matches!(self.encoders, Encoders::Own { .. }) || self.calibration.is_some() {
            return Ok(Vec::new());
        }
        Ok(calibration_texts(self.assembled()?))
    }

    /// The index in its final order.
    fn assembled(&mut self) -> Result<&IndexDraft> {
        if self.draft.is_none() {
            self.builder()?;
            self.draft = self.index.take().map(IndexBuilder::assemble).transpose()?;
        }
        self.draft.as_ref().ok_or_else(finished)
    }

    fn finish_file(&mut self, queries: &[f32]) -> Result<Vec<u8>> {
        stemmers::check(self.assembled()?.stemmed_in())?;
        let Some(draft) = self.draft.take() else { return Err(finished()) };
        let calibration = match (self.calibration, &self.encoders) {
            (Some(calibration), _) => calibration,
            (None, Encoders::Own { table, .. }) => calibrate(table.as_ref(), &draft)?,
            (None, Encoders::Caller(space)) => {
                let count = calibration_texts(&draft).len();
                calibrate_with(&draft, &space.embeddings(queries, count)?)?
            }
        };
        self.words_alone = draft.words_alone(&calibration);
        draft.finish(calibration)
    }
}

fn finished() -> Error {
    Error::new(ErrorCode::InvalidOption, "This builder has finished its index.")
}

fn check_same(table: &Space, transformer: &Space) -> Result<()> {
    if table == transformer {
        return Ok(());
    }
    let message = format!(
        "The query table belongs to the space {} ({}), the transformer to {} ({}).",
        table.name, table.fingerprint, transformer.name, transformer.fingerprint
    );
    Err(Error::new(ErrorCode::ModelMismatch, message).with_hint("Use files from the same version of ibid."))
}
