//! A filter as Qdrant is sent it: as it is written, but for two spellings that belong to an index.

use serde_json::{Value, json};

use crate::description::Description;
use crate::point::OWN;
use ibid_index::filter::{Condition, Filter, Match, MinShould, Scalar, Test};

/// Writes the filter of a query. `None` if nothing need be asked.
///
/// A chunk may have a point for each of several documents. Without a filter only the first of them is looked at.
pub(crate) fn filter(filter: Option<&Filter>, description: &Description) -> Option<Value> {
    match filter.filter(|filter| !filter.is_empty()) {
        Some(filter) => Some(spelt(filter).to_json()),
        None if description.copies > 0 => {
            Some(json!({ "must": [{ "key": format!("{OWN}.first"), "match": { "value": true } }] }))
        }
        None => None,
    }
}

fn spelt(filter: &Filter) -> Filter {
    let all = |conditions: &[Condition]| conditions.iter().map(condition).collect();
    Filter {
        must: all(&filter.must),
        should: all(&filter.should),
        must_not: all(&filter.must_not),
        min_should: filter
            .min_should
            .as_ref()
            .map(|min| MinShould { conditions: all(&min.conditions), min_count: min.min_count }),
    }
}

fn condition(condition: &Condition) -> Condition {
    match condition {
        Condition::Filter(filter) => Condition::Filter(spelt(filter)),
        // A chunk's id is that of its first point only; all of them have it in their payload.
        Condition::HasId(ids) => Condition::Field {
            key: format!("{OWN}.id"),
            test: Test::Match(Match::Any(
                ids.iter().map(|id| Scalar::Keyword(format!("{id:016x}"))).collect(),
            )),
        },
        Condition::Field { key, test } => Condition::Field {
            key: key.strip_prefix("metadata.").unwrap_or(key).to_owned(),
            test: test.clone(),
        },
    }
}
