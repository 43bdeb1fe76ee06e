//! The findings.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::explain::Explain;
use ibid_index::Facet;

/// The result of a query.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Response {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// The number of relevant passages, or documents, among the ranked ones, on all pages of results. A search ranks as
    /// many as `offset` and `limit` need, at least 50 by words and 50 by meaning.
    #[serde(default)]
    pub total: usize,
    /// The values of the fields that the query asks for, in its order, counted over all documents that the filter allows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facets: Vec<Facet>,
    /// The way the hits were found, where the query asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explain>,
}

/// A passage that was found, with all that is needed to show and to cite it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// The chunk's number in the index, from 0.
    pub chunk: u32,
    /// The chunk's id in hexadecimal, made from its heading path and text: the same from build to build as long as they
    /// stay the same.
    pub id: String,
    /// The score that the hit was ranked by, higher is better: in hybrid mode 0 to 1, by vectors alone the cosine, by terms alone
    /// BM25; weights and rerankers change it. Compare it only with other hits of the same query.
    pub score: f32,
    /// The cosine between query and passage, -1 to 1; `None` if only terms were compared.
    #[serde(default)]
    pub cosine: Option<f32>,
    /// The BM25 score, at least 0; `None` if only vectors were compared.
    #[serde(default)]
    pub bm25: Option<f32>,
    /// The certainty that the passage has to do with the query, 0 to 1, whichever model the index was built with: from
    /// 0.5 on it counts as relevant. Unlike the score, it can be compared between queries and between indexes.
    #[serde(default)]
    pub relevance: f32,
    /// The document's id.
    pub document_id: String,
    /// The document's title.
    pub title: String,
    /// The address where the document can be read, if the index knows.
    pub url: Option<String>,
    /// The name of the file that the document was read from.
    pub source: String,
    /// The further fields of the document's metadata, dates as text.
    #[serde(default)]
    pub metadata: BTreeMap<String, Value>,
    /// The headings above the passage, outermost first.
    pub heading_path: Vec<String>,
    /// The id in the rendered page, without `#`, of the nearest heading above the part of the passage that matches most.
    pub anchor: Option<String>,
    /// The passage's text as it stands in the source.
    pub text: String,
    /// Byte ranges in `text` that match a word of the query.
    pub highlights: Vec<Range<usize>>,
    /// The part of `text` that matches most of the query: plain text of at most 240 characters, ready to show.
    #[serde(default)]
    pub excerpt: String,
    /// Byte ranges in `excerpt` that match a word of the query.
    #[serde(default)]
    pub excerpt_highlights: Vec<Range<usize>>,
    /// The passage's byte range in the source file.
    pub span: Range<usize>,
    /// The line in the source file that the passage starts on, from 1.
    pub line: u32,
    /// The number of bytes at the beginning of `text` the chunk before has too: a table's header, or sentences that overlap.
    pub repeated: usize,
    /// The chunk's number in its document, from 0.
    pub chunk_index: u32,
    /// The number of chunks of its document.
    pub total_chunks: u32,
    /// The other places where the same passage stands, or nearly the same that was folded into this hit.
    pub duplicates: Vec<Place>,
    /// The passages before it in its document, in the document's order, as many as the query asks for.
    #[serde(default)]
    pub before: Vec<Neighbour>,
    /// The passages behind it.
    #[serde(default)]
    pub after: Vec<Neighbour>,
}

/// Another place of a passage that occurs more than once. The fields are as in [`Hit`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of a hit")]
pub struct Place {
    pub document_id: String,
    pub title: String,
    pub url: Option<String>,
    pub source: String,
    pub heading_path: Vec<String>,
    pub anchor: Option<String>,
    pub span: Range<usize>,
    pub line: u32,
}

/// A passage next to a hit, in the same document. The fields are as in [`Hit`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of a hit")]
pub struct Neighbour {
    pub chunk: u32,
    pub heading_path: Vec<String>,
    pub text: String,
    pub span: Range<usize>,
    pub line: u32,
    pub repeated: usize,
    pub chunk_index: u32,
}
