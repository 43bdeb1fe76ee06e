//! The way hits were found.

use serde::{Deserialize, Serialize};

use super::query::{Fusion, Mode};
use ibid_index::VectorPath;

/// The way the hits of a query were found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Explain {
    /// The ways by which passages were looked up.
    pub mode: Mode,
    /// The fusion of both lists; `None` if there was only one.
    pub fusion: Option<Fusion>,
    /// The number of chunks that the filter allows.
    pub allowed: u64,
    /// The way the nearest vectors were found.
    pub vector: Option<VectorStep>,
    /// The way passages with the query's terms were found.
    pub lexical: Option<LexicalStep>,
    /// The candidates of both lists together.
    pub candidates: usize,
    /// The least relevance of a hit.
    pub min_relevance: f32,
    /// The candidates that were left out by each rule, in the order in which the rules were applied. Rules that left out nothing are
    /// not named.
    pub dropped: Vec<Dropped>,
    /// The parts of each hit's score, in the order of the hits.
    pub hits: Vec<Parts>,
}

/// The way the nearest vectors were found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VectorStep {
    /// The way each file of the index was searched.
    pub paths: Vec<VectorPath>,
    /// The number of clusters that were compared with the query.
    pub probed: usize,
    /// The number of vectors that were.
    pub compared: usize,
    /// The number of candidates it gave.
    pub candidates: usize,
    /// The cosine of the last of them.
    pub least: f32,
}

/// The way passages with the query's terms were found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LexicalStep {
    /// The number of candidates it gave.
    pub candidates: usize,
}

/// The number of candidates a rule left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Dropped {
    /// The rule.
    pub rule: Rule,
    /// The number of candidates that it left out.
    pub count: usize,
}

/// The reason why a candidate is no hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// It does not have a phrase that the query puts in quotation marks.
    Phrase,
    /// It is the passage that the query asks for the likes of, or of the same document.
    Like,
    /// It is not relevant enough.
    Relevance,
    /// Its document's evidence level is below the least that the query asks for.
    EvidenceLevel,
    /// It says nearly the same as a better hit, which names it.
    NearDuplicate,
    /// Its document has enough hits already.
    Group,
    /// There are as many hits as the query asks for.
    Limit,
}

/// The parts of a hit's score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Parts {
    /// The chunk's number in the index.
    pub chunk: u32,
    /// The cosine; `None` of a passage that words found in a cluster that was not compared.
    pub cosine: Option<f32>,
    /// The cosine with the question after feedback, which ranks instead of `cosine` if the question is long.
    pub near: Option<f32>,
    /// The place of `near`, else of the cosine, between the ends of the best 50, 0 to 1.
    pub cosine_scaled: Option<f32>,
    /// BM25.
    pub bm25: Option<f32>,
    /// BM25's place between the ends of the best 50, 0 to 1.
    pub bm25_scaled: Option<f32>,
    /// The share of the query's terms that the passage has, weighed by how rare they are, 0 to 1.
    pub coverage: Option<f32>,
    /// The same share of those in the headings above it and in it.
    pub headings: Option<f32>,
    /// The result of fusion.
    pub fused: f32,
    /// The factor of evidence.
    pub evidence: Option<f32>,
    /// The factor of freshness.
    pub freshness: Option<f32>,
    /// The score of a reranker.
    pub rerank: Option<f32>,
}
