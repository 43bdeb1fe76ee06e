//! A query: its text and its options.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::options::{Evidence, Freshness, Mmr, NearDuplicates};
use ibid_embed::Space;
use ibid_index::{Filter, Sort, VectorPath};
use ibid_platform::json::{self, Fields};
use ibid_platform::{Error, ErrorCode, Result, deserialize, lazily, set_fields};

/// The share of a query that the index must know for words to weigh as much as they may.
const LEAST_KNOWN: f32 = 0.5;

// A page fetches the code behind these before a search that needs it.
lazily!(fn read_filter(value: &serde_json::Value) -> Result<Filter> = Filter::from_json);
lazily!(fn read_rare(fields: &mut Fields, query: &mut Query) -> serde_json::Result<()> = read_rare_fields);

/// A query: its text and its options. As JSON, every field may be left out, and an unknown one is an error.
///
/// ```
/// use ibid_retrieve::Query;
///
/// let query: Query = serde_json::from_str(r#"{"text": "green tea", "limit": 3, "neighbours": 1}"#)?;
/// assert_eq!(query, Query { text: "green tea".into(), limit: 3, neighbours: 1, ..Query::default() });
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own, and any combination makes sense"
)]
pub struct Query {
    /// The query's text, up to 10,000 characters. It may be empty where `vector` or `like` is given. With a `filter` or
    /// `sort` and none of these, the query lists documents: each by its first passage, which counts as relevant.
    pub text: String,
    /// The caller's own embedding of the query in the index's space, instead of the text's. It need not have
    /// unit length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vector: Option<Vec<f32>>,
    /// Finds what is like a passage of the index, whose vector then takes the place of the query's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub like: Option<Like>,
    /// The most hits to return, 1 to 50; 5 by default. With `group_by` it counts documents.
    pub limit: usize,
    /// The number of best hits, or documents, to pass over, 0 to 1,000; 0 by default.
    pub offset: usize,
    /// The lists that passages are looked up in; by default both, words alone where [`Manifest::words_alone`](ibid_index::Manifest::words_alone)
    /// says why, and vectors where the index has no terms.
    pub mode: Option<Mode>,
    /// The fusion of both lists in hybrid mode; [`Fusion::MinMax`] by default.
    #[serde(skip_serializing_if = "Fusion::is_default")]
    pub fusion: Fusion,
    /// The least relevance of a hit, 0 to 1, as [`Hit::relevance`](super::Hit::relevance) has it. By default a search
    /// leaves out nothing, and its hits say how relevant they are.
    pub min_relevance: Option<f32>,
    /// Only passages of documents whose metadata match; none is left out by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<Filter>,
    /// The way vectors are compared; by default by clusters, and one by one what a strict filter leaves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<VectorPath>,
    /// Sorts hits by a field of their documents instead of by their scores, which decide between equal values; off by
    /// default. Then hits have at least `min_relevance`, which is 0.5 unless it is given, and the best 1,000 passages with
    /// words of the query are looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<Sort>,
    /// Weighs hits by what their documents are; off by default, and `{}` has the usual levels of evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// Weighs hits by the age of their documents; off by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freshness: Option<Freshness>,
    /// Prefers hits that differ from those above them; off by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mmr: Option<Mmr>,
    /// Folds passages that say nearly the same into the best of them; off by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near_duplicates: Option<NearDuplicates>,
    /// The most hits of one document, at least 1; by default any number, and 3 with `group_by`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<usize>,
    /// Puts the hits of one document together, each document where its best hit is; by default hits stand on their own.
    pub group_by: Option<GroupBy>,
    /// The number of passages before and after each hit to return with it, 0 to 5; 0 by default.
    pub neighbours: usize,
    /// True if a reranker is to score the best 50, whose text `missing` then names too; `false` by default.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rerank: bool,
    /// The metadata fields whose values are counted over the documents that were found, those with a relevant passage; none
    /// by default.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facets: Vec<String>,
    /// True to tell how the hits were found; `false` by default.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub explain: bool,
}

impl Default for Query {
    fn default() -> Self {
        Self {
            text: String::new(),
            vector: None,
            like: None,
            limit: 5,
            offset: 0,
            mode: None,
            fusion: Fusion::default(),
            min_relevance: None,
            filter: None,
            path: None,
            sort: None,
            evidence: None,
            freshness: None,
            mmr: None,
            near_duplicates: None,
            group: None,
            group_by: None,
            neighbours: 0,
            rerank: false,
            facets: Vec::new(),
            explain: false,
        }
    }
}

/// Reads the options that few queries have.
fn read_rare_fields(fields: &mut Fields, query: &mut Query) -> serde_json::Result<()> {
    set_fields!(fields, query: vector, like, fusion, filter, path, sort, evidence, freshness);
    set_fields!(fields, query: mmr, near_duplicates as "nearDuplicates", rerank, facets, explain);
    fields.none_left()
}

impl<'de> Deserialize<'de> for Query {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        json::by_fields(deserializer, |fields| {
            let mut query = Self::default();
            set_fields!(fields, query: text, limit, offset, mode, min_relevance as "minRelevance");
            set_fields!(fields, query: group, group_by as "groupBy", neighbours);
            if fields.has_more() {
                read_rare(fields, &mut query)?;
            }
            Ok(query)
        })
    }
}

impl Query {
    /// Reads a query from JSON.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] for what cannot be read; for a filter [`ErrorCode::FilterInvalid`] with the path to
    /// what is wrong in it.
    pub fn from_json(json: &str) -> Result<Self> {
        let unreadable = |error: serde_json::Error| {
            Error::new(
                ErrorCode::InvalidOption,
                format!("The options of this search cannot be read: {error}."),
            )
        };
        let mut value = json::parse(json).map_err(unreadable)?;
        if !value.is_object() {
            return Err(Error::new(ErrorCode::InvalidOption, "A query is an object."));
        }
        // Read on its own, since an error of serde's has neither code nor hint.
        let filter = value.as_object_mut().and_then(|query| query.remove("filter"));
        let query: Self = json::of(value).map_err(unreadable)?;
        let filter = filter.filter(|filter| !filter.is_null());
        Ok(Self { filter: filter.as_ref().map(read_filter).transpose()?, ..query })
    }

    /// Returns the number of best hits, or documents, that are ranked: those to pass over and those to return.
    pub fn depth(&self) -> usize {
        self.offset.saturating_add(self.limit)
    }

    /// Returns the most hits of one document.
    pub fn most_of_document(&self) -> Option<usize> {
        self.group.or(self.group_by.map(|GroupBy::Page| HITS_OF_PAGE))
    }

    /// Returns whether it has an option that few searches have.
    pub(super) fn has_rare_options(&self) -> bool {
        self.vector.is_some()
            || self.like.is_some()
            || !self.fusion.is_default()
            || self.evidence.is_some()
            || self.freshness.is_some()
            || self.mmr.is_some()
            || self.near_duplicates.is_some()
            || self.rerank
            || self.sort.is_some()
    }

    /// Returns true if it has nothing to look for.
    pub(super) fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.vector.is_none() && self.like.is_none()
    }

    /// Returns true if it lists documents, since it has nothing to look for but says which or in which order.
    pub(super) fn is_list(&self) -> bool {
        self.is_empty() && (self.filter.is_some() || self.sort.is_some())
    }

    /// Makes a query for a text, with all else as it is by default.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// The passage that others are to be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Like {
    /// The chunk's number in the index. It is no hit itself.
    pub chunk: u32,
    /// True if other passages of its document may be; `false` by default.
    pub same_document: bool,
}

deserialize!(Like by fields, none_left: chunk, same_document as "sameDocument" or false);

/// The unit that hits are put together by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GroupBy {
    /// The document: a page of a site.
    Page,
}

deserialize!(GroupBy by name: "page" => Page);

/// The ways by which passages are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Vectors and terms together.
    Hybrid,
    /// Vectors alone.
    Vector,
    /// Terms alone, by BM25. No embedding of the query is needed.
    Lexical,
}

deserialize!(Mode by name: "hybrid" => Hybrid, "vector" => Vector, "lexical" => Lexical);

/// The way the lists of vectors and of terms become one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Fusion {
    /// The weighted sum of what both lists say, each scaled to 0 to 1 by its best and its fiftieth (Bruch, Gai and Ingber,
    /// "An Analysis of Fusion Functions for Hybrid Retrieval", 2023), and of the headings above the passage and in it.
    MinMax {
        /// The share of words in the sum, 0 to 1, the rest being the cosine's. By default that of the index's model,
        /// [`Space::lexical_weight`]: 0.75 for multilingual-e5-small, else 0.6.
        lexical_weight: Option<f32>,
    },
    /// Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009): the sum of 1 / (k + rank), ranks from 1.
    Rrf {
        /// At least 0; 60 by default. The smaller, the more the first ranks weigh.
        k: f32,
    },
}

const RRF_K: f32 = 60.0;
/// The hits of a page where the query does not say.
pub(super) const HITS_OF_PAGE: usize = 3;

impl<'de> Deserialize<'de> for Fusion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        json::by_fields(deserializer, |fields| {
            let kind: String = fields.take("kind")?;
            let fusion = match kind.as_str() {
                "minMax" => Self::MinMax { lexical_weight: fields.take_or("lexicalWeight", None)? },
                "rrf" => Self::Rrf { k: fields.take_or("k", RRF_K)? },
                other => return Err(serde_json::Error::unknown_variant(other, &["minMax", "rrf"])),
            };
            fields.none_left()?;
            Ok(fusion)
        })
    }
}

impl Default for Fusion {
    fn default() -> Self {
        Self::MinMax { lexical_weight: None }
    }
}

impl Fusion {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "Serde calls it with a reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the same with the weight of a space if none is given.
    #[must_use]
    pub fn of(self, space: &Space) -> Self {
        match self {
            Self::MinMax { lexical_weight: None } => {
                Self::MinMax { lexical_weight: Some(space.lexical_weight()) }
            }
            given => given,
        }
    }

    /// The same where the index knows that share of what the query's words tell. Below a half words weigh less, and
    /// nothing where it knows none: what two languages share by chance tells little.
    pub(super) fn knowing(self, share: f32) -> Self {
        match self {
            Self::MinMax { lexical_weight: Some(weight) } => {
                Self::MinMax { lexical_weight: Some(weight * (share / LEAST_KNOWN).min(1.0)) }
            }
            given => given,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_filter_is_told_by_its_path() {
        let query = Query::from_json(r#"{"text": "tea", "filter": {"year": {"gte": 2020}}}"#).unwrap();
        assert!(query.filter.is_some() && query.text == "tea");
        assert_eq!(Query::from_json(r#"{"filter": null}"#).unwrap(), Query::default());
        let error =
            Query::from_json(r#"{"filter": {"must": [{"key": "a", "range": {"gte": []}}]}}"#).unwrap_err();
        assert_eq!(error.code(), ErrorCode::FilterInvalid);
        assert!(error.message().contains("must[0].range.gte"), "{error}");
        for json in ["", "[]", "7", r#"{"limit": "many"}"#] {
            assert_eq!(Query::from_json(json).unwrap_err().code(), ErrorCode::InvalidOption, "{json}");
        }
    }

    #[test]
    fn every_field_may_be_left_out() {
        assert_eq!(serde_json::from_str::<Query>("{}").unwrap(), Query::default());
        let back = serde_json::to_string(&Query::default()).unwrap();
        assert_eq!(serde_json::from_str::<Query>(&back).unwrap(), Query::default());
        let fusion = |json: &str| serde_json::from_str::<Fusion>(json).unwrap();
        assert_eq!(fusion(r#"{"kind": "minMax"}"#), Fusion::default());
        assert_eq!(
            fusion(r#"{"kind": "minMax", "lexicalWeight": 0.25}"#),
            Fusion::MinMax { lexical_weight: Some(0.25) }
        );
        assert_eq!(fusion(r#"{"kind": "rrf"}"#), Fusion::Rrf { k: 60.0 });
    }

    #[test]
    fn what_is_misspelt_is_refused() {
        for json in
            [r#"{"limits": 3}"#, r#"{"mode": "magic"}"#, r#"{"fusion": {"kind": "rrf", "weight": 1}}"#]
        {
            assert!(serde_json::from_str::<Query>(json).is_err(), "{json}");
        }
    }
}
