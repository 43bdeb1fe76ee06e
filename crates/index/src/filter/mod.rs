//! Filters, which say what a search may find: Qdrant's filter JSON, and a shorthand for it.
//!
//! ```
//! use ibid_index::filter::Filter;
//! use serde_json::json;
//!
//! let shorthand =
//!     json!({ "evidence": ["rct", "systematic_review"], "year": { "gte": 2020 }, "not": { "draft": true } });
//! let qdrant = json!({
//!     "must": [
//!         { "key": "evidence", "match": { "any": ["rct", "systematic_review"] } },
//!         { "key": "year", "range": { "gte": 2020.0 } },
//!     ],
//!     "must_not": [{ "key": "draft", "match": { "value": true } }],
//! });
//! let filter = Filter::from_json(&shorthand)?;
//! assert_eq!(filter, Filter::from_json(&qdrant)?);
//! assert_eq!(filter.to_json(), qdrant);
//! # Ok::<(), ibid_platform::Error>(())
//! ```
//!
//! `docs/searching.md` describes the language. Its semantics are those of [Qdrant] 1.19, so that a filter finds the same
//! in an index as in a Qdrant collection that the index was pushed to; where ibid knows more (a field's type), it
//! refuses what could never match instead of finding nothing.
//!
//! [Qdrant]: https://qdrant.tech/documentation/concepts/filtering/

mod apply;
mod condition;
mod evaluate;
mod facets;
mod json;
mod moment;
mod path;
mod read;
mod shorthand;
mod sort;
#[cfg(test)]
mod tests;
mod write;

pub use condition::{Condition, FieldBounds, Filter, Match, MinShould, Scalar, Test};
pub use facets::{Facet, FacetCount, FacetValue};
pub use moment::Moment;
pub use sort::{Sort, SortOrder};
