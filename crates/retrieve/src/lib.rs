//! Finds the passages that answer a query: [`Retriever`] ranks what vectors and words find, and looks up the best.
//!
//! `rank` makes one list of both (`fuse`), computes `relevance` and `weigh`s by metadata, all without a byte of text.
//! `hits` chooses (`order`) and looks up, `highlight` marks what matched, and `excerpt` is the part to show.

mod author;
mod browse;
mod calibrate;
pub mod check;
pub mod excerpt;
mod explain;
pub mod fuse;
pub mod highlight;
mod hit;
mod hits;
mod merge;
mod options;
mod order;
mod query;
pub mod rank;
pub mod relevance;
mod rerank;
mod retriever;
mod suggest;
mod title;
pub mod weigh;

pub use calibrate::{calibrate, calibrate_with, calibration_texts};
pub use check::{MAX_LIMIT, MAX_QUERY_CHARACTERS};
pub use explain::{Dropped, Explain, LexicalStep, Parts, Rule, VectorStep};
pub use hit::{Hit, Neighbour, Place, Response};
pub use merge::merge;
pub use options::{Evidence, FieldWeights, Freshness, Mmr, NearDuplicates};
pub use order::window;
pub use query::{Fusion, GroupBy, Like, Mode, Query};
pub use rerank::Reranker;
pub use retriever::Retriever;
pub use suggest::Suggestion;

use ibid_platform::Result;

/// Anything that answers queries: an index in the page, or a replacement for one.
#[allow(
    async_fn_in_trait,
    reason = "futures here run on one thread: a page's event loop or a blocking command"
)]
pub trait Search {
    /// Finds the hits of a query, best first. It may take a while where text has to be fetched first.
    async fn search(&self, query: &Query) -> Result<Vec<Hit>>;
}
