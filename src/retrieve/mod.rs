//! A query to hits: embed, search the graph, drop what is not relevant, resolve to text.

mod calibrate;
mod highlight;
mod retriever;
mod words;

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use calibrate::calibrate;
pub use retriever::{MAX_LIMIT, Retriever};
pub(crate) use words::is_stop_word;

use crate::error::Result;

/// What to look for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Query {
    /// The query's text.
    pub text: String,
    /// The most hits to return, 1 to 50; 5 by default.
    pub limit: usize,
    /// The least cosine of a hit, -1 to 1; by default the threshold that was calibrated when the index was built.
    pub threshold: Option<f32>,
}

impl Default for Query {
    fn default() -> Self {
        Self { text: String::new(), limit: 5, threshold: None }
    }
}

/// A passage that was found, with all that is needed to show and to cite it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// The chunk's number in the index, from 0.
    pub chunk: u32,
    /// The chunk's id in hexadecimal, made from its heading path and text: the same from build to build as long as they
    /// stay the same.
    pub id: String,
    /// The cosine between query and passage, -1 to 1.
    pub score: f32,
    /// The document's id.
    pub document_id: String,
    /// The document's title.
    pub title: String,
    /// Where the document can be read, if the index knows.
    pub url: Option<String>,
    /// The name of the file that the document was read from.
    pub source: String,
    /// The headings above the passage, outermost first.
    pub heading_path: Vec<String>,
    /// The id of the nearest heading in the rendered page, without `#`.
    pub anchor: Option<String>,
    /// The passage's text as it stands in the source.
    pub text: String,
    /// Byte ranges in `text` that match a word of the query.
    pub highlights: Vec<Range<usize>>,
    /// The passage's byte range in the source file.
    pub span: Range<usize>,
    /// The line in the source file that the passage starts on, from 1.
    pub line: u32,
    /// How many bytes at the beginning of `text` the chunk before has too: a table's header, or sentences that overlap.
    pub repeated: usize,
    /// The chunk's number in its document, from 0.
    pub chunk_index: u32,
    /// The number of chunks of its document.
    pub total_chunks: u32,
    /// Where else exactly the same passage stands.
    pub duplicates: Vec<Place>,
}

/// Another place of a passage that occurs more than once. The fields are as in [`Hit`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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

/// Anything that answers queries: an index in the page, or what stands in for one.
#[allow(
    async_fn_in_trait,
    reason = "futures here run on one thread: a page's event loop or a blocking command"
)]
pub trait Search {
    /// The hits of a query, best first. It may take a while where text has to be fetched first.
    async fn search(&self, query: &Query) -> Result<Vec<Hit>>;
}
