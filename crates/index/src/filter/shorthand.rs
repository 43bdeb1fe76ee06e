//! Reading the shorthand: an object whose keys are fields, all of which must match.

use serde_json::{Map, Value};

use super::condition::{Condition, FieldBounds, Filter, Match, Test};
use super::path::FilterPath;
use super::read::{FilterReader, as_object, counts, range, scalar, whole};

use ibid_platform::Result;
use ibid_platform::json;

pub(super) const HINT: &str = "A filter is an object such as `{\"year\": {\"gte\": 2020}, \"evidence\": [\"rct\"]}`, or Qdrant's \
                               `{\"must\": [..]}`.";
const OPERATOR_HINT: &str = "A field is followed by a value, a list of values, `null` for none, or an object of `gt`, `gte`, `lt`, \
                             `lte`, `any`, `except`, `text`, `text_any`, `phrase`, `prefix`, `not`, `values_count` and \
                             `is_empty`. Conditions with `key` belong into `must`.";

/// Reads an object of fields and of `and`, `or`, `not` and `has_id`.
pub(super) fn filter(
    reader: &mut FilterReader,
    object: &Map<String, Value>,
    path: &FilterPath<'_>,
    depth: usize,
) -> Result<Filter> {
    let mut filter = Filter::default();
    for (name, value) in object {
        let at = path.key(name);
        reader.count(&at, depth)?;
        match name.as_str() {
            "and" => filter.must.extend(filters(reader, value, &at, depth)?),
            "or" => {
                let any = filters(reader, value, &at, depth)?;
                filter.must.push(Filter { should: any, ..Filter::default() }.into_any());
            }
            "not" => filter.must_not.extend(filters(reader, value, &at, depth)?),
            "has_id" => filter.must.push(Condition::HasId(reader.ids(value, &at)?)),
            key => field(reader, key, value, &at, depth, &mut filter)?,
        }
    }
    Ok(filter)
}

impl Filter {
    /// Makes the condition that this filter is: its only one, if it must hold and there is nothing else.
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

    /// An `or` of one thing is that thing, and one of nothing holds for nothing, as an empty list of values does.
    fn into_any(mut self) -> Condition {
        match self.should.len() {
            0 => Condition::HasId(Vec::new()),
            1 => self.should.remove(0),
            _ => Condition::Filter(self),
        }
    }
}

/// Reads the filters in a list, or the only one.
fn filters(
    reader: &mut FilterReader,
    value: &Value,
    path: &FilterPath<'_>,
    depth: usize,
) -> Result<Vec<Condition>> {
    let mut read = |value: &Value, path: &FilterPath<'_>| {
        // Counted even when it is empty, so that the depth of empty ones is bounded too.
        reader.count(path, depth + 1)?;
        let object = as_object(value, path, HINT)?;
        Ok(filter(reader, object, path, depth + 1)?.into_condition())
    };
    match value {
        Value::Array(list) => {
            list.iter().enumerate().map(|(at, value)| read(value, &path.item(at))).collect()
        }
        one => Ok(vec![read(one, path)?]),
    }
}

/// Adds to a filter what is asked of one field.
fn field(
    reader: &mut FilterReader,
    key: &str,
    value: &Value,
    path: &FilterPath<'_>,
    depth: usize,
    filter: &mut Filter,
) -> Result<()> {
    if key.is_empty() {
        return Err(path.error("has a key without a name", HINT));
    }
    let mut must = |test| filter.must.push(Condition::Field { key: key.to_owned(), test });
    match value {
        Value::Null => must(Test::IsEmpty(true)),
        Value::Array(_) => must(Test::Match(Match::Any(reader.scalars(value, path)?))),
        Value::Object(operators) => return self::operators(reader, key, operators, path, depth, filter),
        Value::Number(number) if whole(value).is_none() => {
            // Qdrant matches no fractions; a range says the same.
            let exactly = number.as_f64();
            must(Test::Range(FieldBounds { gte: exactly, lte: exactly, ..FieldBounds::default() }));
        }
        _ => must(Test::Match(Match::Value(scalar(value, path)?))),
    }
    Ok(())
}

fn operators(
    reader: &mut FilterReader,
    key: &str,
    operators: &Map<String, Value>,
    path: &FilterPath<'_>,
    depth: usize,
    filter: &mut Filter,
) -> Result<()> {
    if operators.is_empty() {
        return Err(path.error("asks nothing of its field", OPERATOR_HINT));
    }
    let is_bound = |name: &str| matches!(name, "gt" | "gte" | "lt" | "lte");
    let bounds = operators.iter().filter(|(name, _)| is_bound(name));
    let bounds = json::object(bounds.map(|(name, value)| (name.clone(), value.clone())));
    if !bounds.is_empty() {
        let test = range(&bounds, path)?;
        filter.must.push(Condition::Field { key: key.to_owned(), test });
    }
    for (name, value) in operators.iter().filter(|(name, _)| !is_bound(name)) {
        let at = path.key(name);
        let test = match name.as_str() {
            "not" => {
                reader.count(&at, depth + 1)?;
                let mut inner = Filter::default();
                field(reader, key, value, &at, depth + 1, &mut inner)?;
                filter.must_not.push(inner.into_condition());
                continue;
            }
            "values_count" => Test::ValuesCount(counts(value, &at)?),
            "is_empty" => {
                let flag = value.as_bool();
                Test::IsEmpty(flag.ok_or_else(|| at.error("is not `true` or `false`", OPERATOR_HINT))?)
            }
            "value" => return Err(at.error("is no operator", OPERATOR_HINT)),
            _ => match reader.match_by(name, value, &at) {
                Some(matching) => Test::Match(matching?),
                None => return Err(at.error("is no operator", OPERATOR_HINT)),
            },
        };
        filter.must.push(Condition::Field { key: key.to_owned(), test });
    }
    Ok(())
}
