//! A filter in Chroma's `where`.
//!
//! Chroma has `$and` and `$or` and no negation, so that is carried inwards to the single conditions; each of Chroma's negative
//! operators holds for records without the field too. What it has no operator for is refused by name.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{FIELDS, FIRST, ID, day_key, id_text};
use crate::description::Description;
use ibid_document::FieldType;
use ibid_index::filter::{Condition, FieldBounds, Filter, Match, Moment, Scalar, Test};
use ibid_platform::{Error, ErrorCode, Result};

/// Microseconds of a day.
pub(super) const DAY: i64 = 86_400_000_000;

/// Writes the filter of a query. `None` if nothing need be asked.
///
/// # Errors
/// [`ErrorCode::FilterInvalid`] for a condition that Chroma cannot be asked.
pub(crate) fn filter(filter: Option<&Filter>, description: &Description) -> Result<Option<Value>> {
    match filter.filter(|filter| !filter.is_empty()) {
        Some(filter) => Translation { fields: &description.fields }.filter(filter, true).map(Some),
        None if description.copies > 0 => Ok(Some(json!({ FIRST: { "$eq": true } }))),
        None => Ok(None),
    }
}

struct Translation<'a> {
    fields: &'a BTreeMap<String, FieldType>,
}

impl Translation<'_> {
    /// Writes a condition that holds where the filter does, or, with `holds` false, if it does not. Filters are at most
    /// 32 deep.
    fn filter(&self, filter: &Filter, holds: bool) -> Result<Value> {
        let each = |conditions: &[Condition], holds: bool| {
            conditions.iter().map(|condition| self.condition(condition, holds)).collect::<Result<Vec<_>>>()
        };
        let mut parts = each(&filter.must, holds)?;
        parts.extend(each(&filter.must_not, !holds)?);
        if !filter.should.is_empty() {
            parts.push(join(!holds, each(&filter.should, holds)?));
        }
        if let Some(min) = &filter.min_should {
            if min.min_count == min.conditions.len() {
                parts.extend(each(&min.conditions, holds)?);
            } else if min.min_count == 1 {
                parts.push(join(!holds, each(&min.conditions, holds)?));
            } else {
                return Err(refused("min_should", "only 1 or all of its conditions are possible"));
            }
        }
        Ok(join(holds, parts))
    }

    fn condition(&self, condition: &Condition, holds: bool) -> Result<Value> {
        match condition {
            Condition::Filter(filter) => self.filter(filter, holds),
            Condition::HasId(ids) => {
                let ids: Vec<Value> = ids.iter().map(|id| id_text(*id).into()).collect();
                Ok(one_of(ID, ids, holds))
            }
            Condition::Field { key, test } => {
                let key = key.strip_prefix("metadata.").unwrap_or(key);
                // The four that every document has, as well.
                let field_type = self.fields.get(key).copied().unwrap_or(FieldType::Keyword);
                test_of(key, field_type, test, holds)
            }
        }
    }
}

fn test_of(key: &str, field_type: FieldType, test: &Test, holds: bool) -> Result<Value> {
    let is_list = field_type == FieldType::Keywords;
    match test {
        Test::Match(Match::Value(value)) => {
            Ok(match_any(key, field_type, std::slice::from_ref(value), holds))
        }
        Test::Match(Match::Any(values)) => Ok(match_any(key, field_type, values, holds)),
        Test::Match(Match::Except(values)) if !is_list => {
            let other = match_any(key, field_type, values, !holds);
            Ok(join(holds, vec![present(key, holds), other]))
        }
        Test::Match(Match::Except(_)) => Err(refused(key, "`except` on a list")),
        Test::Match(Match::Text(_)) => Err(refused(key, "`text`")),
        Test::Match(Match::TextAny(_)) => Err(refused(key, "`text_any`")),
        Test::Match(Match::Phrase(_)) => Err(refused(key, "`phrase`")),
        Test::Match(Match::Prefix(_)) => Err(refused(key, "`prefix`")),
        Test::Range(bounds) if field_type == FieldType::Integer => {
            let whole = FieldBounds {
                gt: bounds.gt.map(f64::floor),
                gte: bounds.gte.map(f64::ceil),
                lt: bounds.lt.map(f64::ceil),
                lte: bounds.lte.map(f64::floor),
            };
            // A cast saturates, and so does the bound.
            Ok(range(key, key, &whole, |bound| json!(*bound as i64), holds))
        }
        Test::Range(bounds) => Ok(range(key, key, bounds, |bound| json!(bound), holds)),
        Test::Dates(bounds) => {
            let floor = |moment: &Moment| moment.micros().div_euclid(DAY);
            let ceil = |moment: &Moment| -(-moment.micros()).div_euclid(DAY);
            let days = FieldBounds {
                gt: bounds.gt.as_ref().map(floor),
                gte: bounds.gte.as_ref().map(ceil),
                lt: bounds.lt.as_ref().map(ceil),
                lte: bounds.lte.as_ref().map(floor),
            };
            Ok(range(key, &day_key(key), &days, |day| json!(day), holds))
        }
        Test::ValuesCount(_) => Err(refused(key, "`values_count`")),
        Test::IsEmpty(empty) => Ok(present(key, *empty != holds)),
        // No metadata is null.
        Test::IsNull(null) => Ok(constant(*null != holds)),
    }
}

/// Writes a condition that a field is there, or that it is not.
fn present(key: &str, holds: bool) -> Value {
    json!({ FIELDS: { if holds { "$contains" } else { "$not_contains" }: key } })
}

/// Writes a condition that holds for every record, or for none.
fn constant(holds: bool) -> Value {
    json!({ ID: { if holds { "$ne" } else { "$eq" }: "" } })
}

fn match_any(key: &str, field_type: FieldType, values: &[Scalar], holds: bool) -> Value {
    let value = |scalar: &Scalar| match scalar {
        Scalar::Keyword(text) => json!(text),
        // Whole numbers and others are of different types there.
        Scalar::Integer(number) if field_type == FieldType::Float => json!(*number as f64),
        Scalar::Integer(number) => json!(number),
        Scalar::Boolean(flag) => json!(flag),
    };
    let values: Vec<Value> = values.iter().map(value).collect();
    if field_type == FieldType::Keywords {
        let operator = if holds { "$contains" } else { "$not_contains" };
        return join(!holds, values.into_iter().map(|value| json!({ key: { operator: value } })).collect());
    }
    one_of(key, values, holds)
}

fn one_of(key: &str, mut values: Vec<Value>, holds: bool) -> Value {
    match values.len() {
        0 => constant(!holds),
        1 => json!({ key: { if holds { "$eq" } else { "$ne" }: values.remove(0) } }),
        _ => json!({ key: { if holds { "$in" } else { "$nin" }: values } }),
    }
}

/// Writes a condition that the number under `place` lies within bounds, or that it does not or is missing.
fn range<T>(
    key: &str,
    place: &str,
    bounds: &FieldBounds<T>,
    write: impl Fn(&T) -> Value,
    holds: bool,
) -> Value {
    let all = [
        (&bounds.gt, "$gt", "$lte"),
        (&bounds.gte, "$gte", "$lt"),
        (&bounds.lt, "$lt", "$gte"),
        (&bounds.lte, "$lte", "$gt"),
    ];
    let mut parts = Vec::new();
    for (bound, inside, outside) in all {
        if let Some(bound) = bound {
            parts.push(json!({ place: { if holds { inside } else { outside }: write(bound) } }));
        }
    }
    if parts.is_empty() || !holds {
        parts.push(present(key, holds));
    }
    join(holds, parts)
}

/// All of the parts, or one of them. Chroma wants at least two.
fn join(all: bool, mut parts: Vec<Value>) -> Value {
    match parts.len() {
        0 => constant(all),
        1 => parts.remove(0),
        _ => json!({ if all { "$and" } else { "$or" }: parts }),
    }
}

fn refused(key: &str, what: &str) -> Error {
    let message = format!("Chroma cannot filter `{key}` by this condition: {what}.");
    Error::new(ErrorCode::FilterInvalid, message)
        .with_hint("Use `match` with `value` or `any`, `range` or `is_empty`, or use Qdrant.")
}
