//! Requests to Chroma, and its answers.

use serde_json::{Value, json};

use super::*;
use crate::description::tests::description;
use ibid_index::filter::Filter;
use ibid_platform::ErrorCode;

fn translated(filter_json: &Value) -> Result<Value> {
    let shape = description();
    let wanted = Filter::from_json(filter_json).unwrap();
    wanted.check(&shape.fields).unwrap();
    filter(Some(&wanted), &shape).map(Option::unwrap_or_default)
}

#[test]
fn conditions_have_chromas_operators() {
    for (asked, expected) in [
        (json!({ "year": 2024 }), json!({ "year": { "$eq": 2024 } })),
        (json!({ "year": [2023, 2024] }), json!({ "year": { "$in": [2023, 2024] } })),
        // Whole numbers are compared with whole numbers only.
        (
            json!({ "year": { "gt": 2020.5, "lte": 2024.5 } }),
            json!({ "$and": [{ "year": { "$gt": 2020 } }, { "year": { "$lte": 2024 } }] }),
        ),
        (json!({ "weight": { "gte": 2 } }), json!({ "weight": { "$gte": 2.0 } })),
        (json!({ "conditions": "cold" }), json!({ "conditions": { "$contains": "cold" } })),
        (json!({ "published": { "gte": "1970-01-03" } }), json!({ "published.day": { "$gte": 2 } })),
        (json!({ "published": { "gt": "1970-01-03T12:00" } }), json!({ "published.day": { "$gt": 2 } })),
        (json!({ "published": { "gte": "1970-01-03T12:00" } }), json!({ "published.day": { "$gte": 3 } })),
        (json!({ "published": { "lt": "1970-01-03T12:00" } }), json!({ "published.day": { "$lt": 3 } })),
        (json!({ "must": [{ "has_id": [255] }] }), json!({ "ibid.id": { "$eq": "00000000000000ff" } })),
        (
            json!({ "must": [{ "is_empty": { "key": "year" } }] }),
            json!({ "ibid.fields": { "$not_contains": "year" } }),
        ),
        (
            json!({ "must": [{ "key": "metadata.year", "match": { "value": 1 } }] }),
            json!({ "year": { "$eq": 1 } }),
        ),
    ] {
        assert_eq!(translated(&asked).unwrap(), expected, "{asked}");
    }
}

#[test]
fn negation_is_carried_to_the_conditions() {
    let missing = json!({ "ibid.fields": { "$not_contains": "year" } });
    for (asked, expected) in [
        (
            json!({ "must_not": [{ "key": "year", "match": { "value": 1 } }] }),
            json!({ "year": { "$ne": 1 } }),
        ),
        (
            json!({ "must_not": [{ "key": "year", "range": { "gte": 1, "lt": 3 } }] }),
            json!({ "$or": [{ "year": { "$lt": 1 } }, { "year": { "$gte": 3 } }, missing] }),
        ),
        (
            json!({ "must_not": [{ "key": "conditions", "match": { "any": ["a", "b"] } }] }),
            json!({ "$and": [{ "conditions": { "$not_contains": "a" } }, { "conditions": { "$not_contains": "b" } }] }),
        ),
        (
            json!({ "must_not": [{ "should": [{ "key": "year", "match": { "value": 1 } }, { "key": "year", "match": { "value": 2 } }] }] }),
            json!({ "$and": [{ "year": { "$ne": 1 } }, { "year": { "$ne": 2 } }] }),
        ),
    ] {
        assert_eq!(translated(&asked).unwrap(), expected, "{asked}");
    }
}

#[test]
fn what_cannot_be_said_is_refused_by_name() {
    for (condition, named) in [
        (json!({ "key": "conditions", "values_count": { "gte": 1 } }), "values_count"),
        (json!({ "key": "conditions", "match": { "except": ["a"] } }), "except"),
        (json!({ "key": "title", "match": { "text": "tea" } }), "text"),
        (json!({ "key": "title", "match": { "phrase": "tea" } }), "phrase"),
    ] {
        let error = translated(&json!({ "must": [condition] })).unwrap_err();
        assert_eq!(error.code(), ErrorCode::FilterInvalid);
        assert!(error.message().contains(named) && error.hint().is_some(), "{error}");
    }
}

#[test]
fn only_first_points_are_asked_for_where_there_are_others() {
    let mut shape = description();
    assert_eq!(filter(None, &shape).unwrap(), None);
    shape.copies = 1;
    assert_eq!(filter(None, &shape).unwrap(), Some(json!({ "ibid.first": { "$eq": true } })));
}

#[test]
fn words_are_looked_for_in_the_ways_they_are_written() {
    let words = ["Green".to_owned(), "tea".to_owned()];
    let forms = ["Green", "Tea", "green", "tea"].map(|form| json!({ "$contains": form }));
    assert_eq!(containing(&words), json!({ "$or": forms }));
    assert_eq!(containing(&["93".to_owned()]), json!({ "$contains": "93" }));
}

#[test]
fn responses_that_are_none_are_refused() {
    let shape = description();
    for response in [
        json!(null),
        json!({ "ids": [] }),
        json!({ "ids": [["00000000000000ff"]], "distances": [[]], "documents": [["x"]], "metadatas": [[{}]] }),
        json!({ "ids": [["other"]], "distances": [[0.1]], "documents": [["x"]], "metadatas": [[{}]] }),
        json!({ "ids": [["00000000000000ff"]], "distances": [[0.1]], "documents": [["x"]], "metadatas": [[{ "ibid": "{" }]] }),
    ] {
        let error = candidates(&response, &shape).unwrap_err();
        assert_eq!(error.code(), ErrorCode::ProviderProtocol, "{response}");
    }
    let empty = json!({ "ids": [[]], "distances": [[]], "documents": [[]], "metadatas": [[]] });
    assert!(candidates(&empty, &shape).unwrap().is_empty());
    for response in [json!({}), json!({ "id": "1" }), json!({ "id": "1", "metadata": { "ibid": "no" } })] {
        assert_eq!(
            collection(&response).err().map(|error| error.code()),
            Some(ErrorCode::ModelMismatch)
                .filter(|_| response != json!({}))
                .or(Some(ErrorCode::ProviderProtocol))
        );
    }
}
