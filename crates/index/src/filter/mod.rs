//! Which documents a search may find: Qdrant's filter JSON, and a shorthand for it.
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
//! `docs/filters.md` describes the language. Its semantics are those of [Qdrant] 1.19, so that a filter finds the same
//! in an index as in a Qdrant collection that the index was pushed to; where ibid knows more (a field's type), it
//! refuses what could never match instead of finding nothing.
//!
//! [Qdrant]: https://qdrant.tech/documentation/concepts/filtering/

mod allowed;
mod bits;
mod evaluate;
mod facets;
mod moment;
mod path;
mod read;
mod shorthand;
mod write;

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

use ibid_document::FieldType;

pub use allowed::Allowed;
pub(super) use bits::Bits;
pub use facets::{Facet, FacetCount, FacetValue};
pub use moment::Moment;

use ibid_platform::Result;

/// A condition on documents, made of others. All of its clauses must hold; one without any holds for every document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Each of these must hold.
    pub must: Vec<Condition>,
    /// One of these must hold, if there are any.
    pub should: Vec<Condition>,
    /// None of these may hold.
    pub must_not: Vec<Condition>,
    /// So many of these must hold.
    pub min_should: Option<MinShould>,
}

/// Conditions of which a number must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct MinShould {
    /// The conditions.
    pub conditions: Vec<Condition>,
    /// How many of them must hold, from 1.
    pub min_count: usize,
}

/// A single condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// On a field of the metadata, or on `document_id`, `source`, `title` or `url`.
    Field {
        /// The field's name.
        key: String,
        /// What is asked of it.
        test: Test,
    },
    /// That the chunk has one of these ids, see [`super::StoredChunk::id`].
    HasId(Vec<u64>),
    /// A filter in the place of a condition.
    Filter(Filter),
}

/// What is asked of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// One of its values matches.
    Match(Match),
    /// One of its values is a number within bounds.
    Range(Bounds<f64>),
    /// One of its values is a date within bounds.
    Dates(Bounds<Moment>),
    /// The number of its different values, 0 where the field is missing, lies within bounds.
    ValuesCount(Bounds<u64>),
    /// Whether it is missing or an empty list.
    IsEmpty(bool),
    /// Whether it is there without a value. Metadata has no such fields: `true` holds for none, `false` for all.
    IsNull(bool),
}

/// How a value is matched.
#[derive(Clone, Debug, PartialEq)]
pub enum Match {
    /// It is this one.
    Value(Scalar),
    /// It is one of these, which are of one type.
    Any(Vec<Scalar>),
    /// It is none of these, which are of one type. Holds for a list as soon as one of its values is another.
    Except(Vec<Scalar>),
    /// It has all these words, in any order.
    Text(String),
    /// It has one of these words.
    TextAny(String),
    /// It has these words one after the other.
    Phrase(String),
    /// It begins with this, byte by byte.
    Prefix(String),
}

/// A value to be matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// A word or a text, or a date as a text.
    Keyword(String),
    /// A whole number.
    Integer(i64),
    /// `true` or `false`.
    Boolean(bool),
}

/// Bounds, each of which holds if it is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds<T> {
    /// Greater than.
    pub gt: Option<T>,
    /// Greater than or equal.
    pub gte: Option<T>,
    /// Less than.
    pub lt: Option<T>,
    /// Less than or equal.
    pub lte: Option<T>,
}

impl<T> Default for Bounds<T> {
    fn default() -> Self {
        Self { gt: None, gte: None, lt: None, lte: None }
    }
}

impl<T: PartialOrd> Bounds<T> {
    /// Whether the value lies within.
    pub fn contains(&self, value: &T) -> bool {
        self.gt.as_ref().is_none_or(|bound| value > bound)
            && self.gte.as_ref().is_none_or(|bound| value >= bound)
            && self.lt.as_ref().is_none_or(|bound| value < bound)
            && self.lte.as_ref().is_none_or(|bound| value <= bound)
    }
}

impl Filter {
    /// Reads Qdrant's form, which has one of the keys `must`, `should`, `must_not` and `min_should`, or else the
    /// shorthand.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::FilterInvalid`] with the place in the JSON, such as `must[1].range.gte`. Filters may be nested
    /// 32 deep and have 1,024 conditions and 65,536 values.
    pub fn from_json(value: &Value) -> Result<Self> {
        read::filter(value)
    }

    /// Qdrant's form, to be sent to a Qdrant as it is.
    pub fn to_json(&self) -> Value {
        write::filter(self)
    }

    /// A filter that holds where both hold.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { must: vec![Condition::Filter(self), Condition::Filter(other)], ..Self::default() }
    }

    /// Whether it has no clause, and so holds for every document.
    pub fn is_empty(&self) -> bool {
        self.must.is_empty()
            && self.should.is_empty()
            && self.must_not.is_empty()
            && self.min_should.is_none()
    }

    /// Checks the filter against fields with their types, as [`Index::allowed`](super::Index::allowed) does against its own.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::FilterInvalid`] for a field that is not among them, and for one that is compared with values of
    /// another type.
    pub fn check(&self, fields: &BTreeMap<String, FieldType>) -> Result<()> {
        evaluate::Types::of_fields(fields).check(self)
    }

    /// The condition that this filter is: its only one, if it must hold and there is nothing else.
    fn into_condition(mut self) -> Condition {
        let is_single = self.must.len() == 1
            && self.should.is_empty()
            && self.must_not.is_empty()
            && self.min_should.is_none();
        match self.must.pop() {
            Some(condition) if is_single => condition,
            other => {
                self.must.extend(other);
                Condition::Filter(self)
            }
        }
    }
}

/// Written in Qdrant's form.
impl Serialize for Filter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

/// Reads both forms, as [`Filter::from_json`], whose error it turns into the deserializer's.
impl<'de> Deserialize<'de> for Filter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::from_json(&value).map_err(|error| de::Error::custom(error.message()))
    }
}

#[cfg(test)]
mod tests;
