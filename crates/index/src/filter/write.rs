//! Writing Qdrant's form.

use serde_json::{Map, Value, json};

use super::condition::{Condition, FieldBounds, Filter, Match, Scalar, Test};
use ibid_platform::json;

pub(super) fn filter(filter: &Filter) -> Value {
    let mut object = Map::new();
    let clauses = [("must", &filter.must), ("should", &filter.should), ("must_not", &filter.must_not)];
    for (name, conditions) in clauses {
        if !conditions.is_empty() {
            object.insert(name.into(), list(conditions));
        }
    }
    if let Some(min) = &filter.min_should {
        let value = json!({ "conditions": list(&min.conditions), "min_count": min.min_count });
        object.insert("min_should".into(), value);
    }
    Value::Object(object)
}

fn list(conditions: &[Condition]) -> Value {
    conditions.iter().map(condition).collect()
}

fn condition(condition: &Condition) -> Value {
    match condition {
        Condition::Filter(inner) => filter(inner),
        Condition::HasId(ids) => json!({ "has_id": ids }),
        Condition::Field { key, test: Test::IsEmpty(true) } => json!({ "is_empty": { "key": key } }),
        Condition::Field { key, test: Test::IsNull(true) } => json!({ "is_null": { "key": key } }),
        Condition::Field { key, test } => {
            let (name, value) = match test {
                Test::Match(matching) => ("match", match_object(matching)),
                Test::Range(range) => ("range", bounds(range, |number| json!(number))),
                Test::Dates(range) => ("range", bounds(range, |moment| json!(moment.as_str()))),
                Test::ValuesCount(range) => ("values_count", bounds(range, |count| json!(count))),
                Test::IsEmpty(flag) => ("is_empty", json!(flag)),
                Test::IsNull(flag) => ("is_null", json!(flag)),
            };
            let mut object = Map::new();
            object.insert("key".into(), json!(key));
            object.insert(name.into(), value);
            Value::Object(object)
        }
    }
}

fn match_object(matching: &Match) -> Value {
    let scalars = |values: &[Scalar]| values.iter().map(scalar).collect();
    let (name, value) = match matching {
        Match::Value(value) => ("value", scalar(value)),
        Match::Any(values) => ("any", scalars(values)),
        Match::Except(values) => ("except", scalars(values)),
        Match::Text(text) => ("text", json!(text)),
        Match::TextAny(text) => ("text_any", json!(text)),
        Match::Phrase(text) => ("phrase", json!(text)),
        Match::Prefix(text) => ("prefix", json!(text)),
    };
    Value::Object(json::object([(name.to_owned(), value)]))
}

fn scalar(value: &Scalar) -> Value {
    match value {
        Scalar::Keyword(text) => json!(text),
        Scalar::Integer(number) => json!(number),
        Scalar::Boolean(flag) => json!(flag),
    }
}

fn bounds<T>(bounds: &FieldBounds<T>, write: impl Fn(&T) -> Value) -> Value {
    let all = [("gt", &bounds.gt), ("gte", &bounds.gte), ("lt", &bounds.lt), ("lte", &bounds.lte)];
    let present = all.into_iter().filter_map(|(name, bound)| Some((name.to_owned(), write(bound.as_ref()?))));
    Value::Object(json::object(present))
}
