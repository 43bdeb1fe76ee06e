//! The description of an index.

use serde::Serialize;

use super::container::{FileLayout, MANIFEST, corrupt};
use super::lexical::LexicalOptions;
use super::settings::SearchSettings;
use ibid_document::chunk::ChunkOptions;
use ibid_embed::Space;
use ibid_platform::{Error, ErrorCode, Result, deserialize, json};
use ibid_vectors::MAX_DIMENSIONS;

/// The description of an index.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Manifest {
    /// The program and version that wrote it.
    pub generator: String,
    /// The space that its vectors lie in; queries must be embedded into the same one.
    pub space: Space,
    /// The number of documents.
    pub documents: u32,
    /// The number of sections.
    pub sections: u32,
    /// The number of chunks, each with one vector.
    pub chunks: u32,
    /// The calibration of similarities in this index.
    pub calibration: Calibration,
    /// The options that its documents were chunked with.
    pub chunking: ChunkOptions,
    /// The way it was built.
    pub build: BuildOptions,
    /// The language that three quarters of its passages are in, as a primary tag of BCP 47, or `mul` if none is: of
    /// those passages whose language can be told. `None` if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Settings of its author.
    #[serde(skip_serializing_if = "SearchSettings::is_none")]
    pub settings: SearchSettings,
}

deserialize!(Manifest by fields:
    generator, space, documents, sections, chunks, calibration, chunking, build, language,
    settings or SearchSettings::default(),
);

/// The way to build an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct BuildOptions {
    /// The encoder of the embeddings; a transformer by default.
    pub encoder: Encoder,
    /// The options of its search by words. Left out of the file if it is the default.
    #[serde(skip_serializing_if = "LexicalOptions::is_usual")]
    pub lexical: LexicalOptions,
}

deserialize!(BuildOptions by fields: encoder, lexical or LexicalOptions::default());

/// The encoder of documents. All encoders of one space can be searched together, but one may be better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encoder {
    /// A transformer, which reads each text as a whole.
    #[default]
    Transformer,
    /// The token table that queries are embedded by: much smaller, and less exact for long texts.
    Table,
    /// One that is not part of ibid; the name of the space tells which.
    Embedder,
}

deserialize!(Encoder by name: "transformer" => Transformer, "table" => Table, "embedder" => Embedder);

/// The language of the model that is part of ibid.
const ENGLISH: &str = "en";
/// The tag of texts in several languages (ISO 639-2).
pub(super) const SEVERAL_LANGUAGES: &str = "mul";

/// The least separation at which vectors help: 0.93 to 0.98 on six English collections, 0.76 and 0.50 where the model
/// has never seen the language.
const LEAST_SEPARATION: f32 = 0.8;

/// Similarities in an index, measured when it was built with questions that are made of its own text.
///
/// A raw cosine means little: unrelated texts of one subject may stand at 0.1 under one model and at 0.8 under another.
/// Relevance is stated between these two. All are 0 if nothing was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Calibration {
    /// The mean cosine of a question and a random passage.
    pub unrelated: f32,
    /// The median cosine of a question and the passage that is nearest to it.
    pub near: f32,
    /// The share of pairs in which a question is nearer to the passage that it was made of than to a random one: 0.5
    /// where vectors say nothing, 1 where they always tell them apart.
    pub separation: f32,
    /// The clusters that a search compares. It then finds 95 in 100 of the ten nearest that a scan finds, or 92 in an index
    /// of more than 10,000 chunks. No more are compared than have some 4,600 codes together.
    pub probes: u32,
    /// The share of the ten nearest that this number of clusters found.
    pub recall: f32,
}

impl Calibration {
    /// Says whether nearness was measured.
    pub fn is_measured(&self) -> bool {
        self.near > self.unrelated
    }
}

deserialize!(Calibration over default: unrelated, near, separation, probes, recall);

impl Manifest {
    /// Returns the reason why words alone rank by default, for a person; `None` if vectors rank as well.
    ///
    /// all-MiniLM-L6-v2 was made for English. In other languages its vectors made every ranking that was measured worse
    /// than words alone; see `docs/searching.md`. So do vectors that hardly tell the passages apart.
    pub fn words_alone(&self) -> Option<String> {
        words_alone(&self.space, self.build.encoder, self.language.as_deref(), &self.calibration)
    }

    /// Returns an error when the index's vectors lie in another space than these.
    pub(super) fn check_space(&self, space: &Space) -> Result<()> {
        if self.space == *space {
            return Ok(());
        }
        let describe = |space: &Space| {
            format!("{} ({} dimensions, fingerprint {})", space.name, space.dimensions, space.fingerprint)
        };
        let (theirs, ours) = (describe(&self.space), describe(space));
        let message = format!("One index was built with {theirs}, the other with {ours}.");
        Err(Error::new(ErrorCode::ModelMismatch, message).with_hint("Build both with the same model."))
    }

    /// Reads the manifest from a file's beginning, as far as that reaches; `None` if it does not, and for other files.
    pub fn of_beginning(beginning: &[u8]) -> Option<Self> {
        let range = FileLayout::parse(beginning).ok()?.find(MANIFEST)?.range.clone();
        let bytes = beginning.get(usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?)?;
        Self::decode(bytes).ok()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self> {
        let manifest: Self = serde_json::from_slice(bytes)
            .and_then(json::of)
            .map_err(|error| corrupt(format!("its manifest cannot be read ({error})")))?;
        if manifest.space.dimensions as usize > MAX_DIMENSIONS {
            return Err(corrupt("its manifest contradicts itself"));
        }
        Ok(manifest)
    }

    pub(super) fn encode(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(|error| Error::new(ErrorCode::Internal, error.to_string()))
    }
}

/// See [`Manifest::words_alone`].
pub(super) fn words_alone(
    space: &Space,
    encoder: Encoder,
    language: Option<&str>,
    calibration: &Calibration,
) -> Option<String> {
    let separation = calibration.separation;
    let why = if separation > 0.0 && separation < LEAST_SEPARATION {
        format!("vectors tell only {} % of these passages apart", (100.0 * separation).round() as u32)
    } else {
        let is_own = encoder != Encoder::Embedder && !space.is_multilingual();
        let language = language.filter(|tag| *tag != ENGLISH && is_own)?;
        let shown = if language == SEVERAL_LANGUAGES { "several languages" } else { language };
        format!("the model knows English and the passages are in another language ({shown})")
    };
    Some(format!("words alone rank, since {why}"))
}

/// The program and version that writes indexes.
pub(super) fn generator() -> String {
    concat!("ibid ", env!("CARGO_PKG_VERSION")).to_owned()
}
