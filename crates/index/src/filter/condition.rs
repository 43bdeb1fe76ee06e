//! The conditions of a filter.

use super::moment::Moment;

/// A condition on documents, made of others. All of its clauses must hold; one without any holds for every document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Each of these must hold.
    pub must: Vec<Condition>,
    /// One of these must hold, if there are any.
    pub should: Vec<Condition>,
    /// None of these may hold.
    pub must_not: Vec<Condition>,
    /// The number of of these that must hold.
    pub min_should: Option<MinShould>,
}

/// Conditions of which a number must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct MinShould {
    /// The conditions.
    pub conditions: Vec<Condition>,
    /// The number of them that must hold, from 1.
    pub min_count: usize,
}

/// A single condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// On a field of the metadata, or on `document_id`, `source`, `title` or `url`.
    Field {
        /// The field's name.
        key: String,
        /// The condition on it.
        test: Test,
    },
    /// A condition that the chunk has one of these ids, see [`crate::StoredChunk::id`].
    HasId(Vec<u64>),
    /// A filter in place of a condition.
    Filter(Filter),
}

/// A condition on a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// One of its values matches.
    Match(Match),
    /// One of its values is a number within bounds.
    Range(FieldBounds<f64>),
    /// One of its values is a date within bounds.
    Dates(FieldBounds<Moment>),
    /// The number of its different values, 0 where the field is missing, lies within bounds.
    ValuesCount(FieldBounds<u64>),
    /// True if it is missing or an empty list.
    IsEmpty(bool),
    /// True if it is there without a value. Metadata has no such fields: `true` holds for none, `false` for all.
    IsNull(bool),
}

/// The way a value is matched.
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
pub struct FieldBounds<T> {
    /// Greater than.
    pub gt: Option<T>,
    /// Greater than or equal.
    pub gte: Option<T>,
    /// Less than.
    pub lt: Option<T>,
    /// Less than or equal.
    pub lte: Option<T>,
}

impl<T> Default for FieldBounds<T> {
    fn default() -> Self {
        Self { gt: None, gte: None, lt: None, lte: None }
    }
}

impl<T: PartialOrd> FieldBounds<T> {
    /// Returns true if the value lies within.
    pub(crate) fn contains(&self, value: &T) -> bool {
        self.gt.as_ref().is_none_or(|bound| value > bound)
            && self.gte.as_ref().is_none_or(|bound| value >= bound)
            && self.lt.as_ref().is_none_or(|bound| value < bound)
            && self.lte.as_ref().is_none_or(|bound| value <= bound)
    }
}

impl Filter {
    /// Makes a filter that holds where both hold.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { must: vec![Condition::Filter(self), Condition::Filter(other)], ..Self::default() }
    }

    /// Returns true if it has no clause, and so holds for every document.
    pub fn is_empty(&self) -> bool {
        self.must.is_empty()
            && self.should.is_empty()
            && self.must_not.is_empty()
            && self.min_should.is_none()
    }
}
