//! What an index says of itself.

use serde::{Deserialize, Serialize};

use super::catalog::SegmentCounts;
use super::container::corrupt;
use super::lexical::LexicalOptions;
use super::vectors::MAX_DIMENSIONS;
use ibid_document::chunk::ChunkOptions;
use ibid_embed::Space;
use ibid_platform::{Error, ErrorCode, Result};

/// What an index says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The program and version that wrote it.
    pub generator: String,
    /// The space that its vectors lie in; queries must be embedded into the same one.
    pub space: Space,
    /// The measure of similarity; always [`Similarity::Cosine`].
    pub metric: Similarity,
    /// The number of documents.
    pub documents: u32,
    /// The number of sections, those of removed documents included.
    pub sections: u32,
    /// The number of chunks, each with one vector.
    pub chunks: u32,
    /// What similarity means in this index.
    pub calibration: Calibration,
    /// The options that its documents were chunked with.
    pub chunking: ChunkOptions,
    /// How it was built.
    pub build: BuildOptions,
    /// Its segments, oldest first.
    pub segments: Vec<SegmentInfo>,
    /// The language that three quarters of its passages are in, as a primary tag of BCP 47, or `mul` where none is: of those
    /// passages whose language can be told. `None` where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// What it brings along for the embedder of its queries, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adaptation: Option<AdaptationInfo>,
}

/// What an index says of the rows of the query table that it brings along.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdaptationInfo {
    /// The number of rows.
    pub rows: u32,
    /// The mean cosine between the vectors of the table and of the transformer, over texts of the index that the rows
    /// were not fitted to: with the table's own rows.
    pub before: f32,
    /// The same with the rows of the index.
    pub after: f32,
}

/// What an index says of one of its segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentInfo {
    /// What its documents were embedded by.
    pub encoder: Encoder,
    /// Says whether its tables are packed in the file; always `true`.
    pub packed: bool,
    /// How many of each it has.
    #[serde(flatten)]
    pub counts: SegmentCounts,
}

/// How similarity is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Similarity {
    /// The cosine of the angle between two vectors.
    #[default]
    Cosine,
}

/// How to build an index.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BuildOptions {
    /// What the embeddings will have been made by; a transformer by default.
    pub encoder: Encoder,
    /// Whether there is a graph; by default, when the index is large enough to gain from it.
    pub graph: GraphMode,
    /// Whether the same input must give the same bytes, which is the default. Otherwise all cores build the graph.
    pub reproducible: bool,
    /// The options of its search by words. Left out of the file where it is the default.
    #[serde(default, skip_serializing_if = "LexicalOptions::is_usual")]
    pub lexical: LexicalOptions,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self {
            encoder: Encoder::default(),
            graph: GraphMode::default(),
            reproducible: true,
            lexical: LexicalOptions::default(),
        }
    }
}

/// What documents were embedded by. All encoders of one space can be searched together, but one may be better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// Whether an index has a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GraphMode {
    /// From 15,000 chunks on; below, comparing the signs of all vectors is as fast and needs no further bytes.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The language of the model that is part of ibid.
const ENGLISH: &str = "en";
/// The tag of texts in several languages (ISO 639-2).
pub(super) const SEVERAL_LANGUAGES: &str = "mul";

/// The least separation at which vectors help: 0.93 to 0.98 on six English collections, 0.76 and 0.50 where the model
/// has never seen the language.
const LEAST_SEPARATION: f32 = 0.8;

/// Below this number of chunks a graph gains nothing.
const LEAST_FOR_GRAPH: usize = 15_000;

impl GraphMode {
    pub(super) fn applies(self, chunks: usize) -> bool {
        match self {
            Self::Auto => chunks >= LEAST_FOR_GRAPH,
            Self::Always => chunks > 0,
            Self::Never => false,
        }
    }
}

/// Similarities in an index, measured when it was built with questions that are made of its own text.
///
/// A raw cosine means little: unrelated texts of one subject may stand at 0.1 under one model and at 0.8 under another.
/// Relevance is stated between these two. All are 0 where nothing was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Calibration {
    /// The mean cosine of a question and a random passage.
    pub unrelated: f32,
    /// The median cosine of a question and the passage that is nearest to it.
    pub near: f32,
    /// The share of pairs in which a question is nearer to the passage that it was made of than to a random one: 0.5
    /// where vectors say nothing, 1 where they always tell them apart.
    pub separation: f32,
}

impl Manifest {
    /// Why words alone rank by default, for a person; `None` where vectors rank as well.
    ///
    /// ibid's own model was made for English. In other languages its vectors made every ranking that was measured worse
    /// than words alone; see `docs/retrieval.md`. So do vectors that hardly tell the passages apart.
    pub fn words_alone(&self) -> Option<String> {
        words_alone(self.build.encoder, self.language.as_deref(), &self.calibration)
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

    pub(super) fn decode(bytes: &[u8]) -> Result<Self> {
        let manifest: Self = serde_json::from_slice(bytes)
            .map_err(|error| corrupt(format!("its manifest cannot be read ({error})")))?;
        let sums = |count: fn(&SegmentCounts) -> u32| {
            manifest.segments.iter().try_fold(0u32, |sum, segment| sum.checked_add(count(&segment.counts)))
        };
        let (Some(_), Some(_), Some(chunks)) =
            (sums(|counts| counts.documents), sums(|counts| counts.sections), sums(|counts| counts.chunks))
        else {
            return Err(corrupt("its counts are impossible"));
        };
        let packed = manifest.segments.iter().all(|segment| segment.packed);
        if manifest.space.dimensions as usize > MAX_DIMENSIONS || manifest.chunks > chunks || !packed {
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
    encoder: Encoder,
    language: Option<&str>,
    calibration: &Calibration,
) -> Option<String> {
    let separation = calibration.separation;
    if separation > 0.0 && separation < LEAST_SEPARATION {
        let share = 100.0 * separation;
        return Some(format!(
            "words alone rank, since vectors tell only {share:.0} % of these passages apart"
        ));
    }
    let language = language.filter(|tag| *tag != ENGLISH && encoder != Encoder::Embedder)?;
    let written =
        if language == SEVERAL_LANGUAGES { "several languages".to_owned() } else { format!("`{language}`") };
    Some(format!("words alone rank, since the passages are in {written} and the model knows English"))
}

/// The program and version that writes indexes.
pub(super) fn generator() -> String {
    concat!("ibid ", env!("CARGO_PKG_VERSION")).to_owned()
}
