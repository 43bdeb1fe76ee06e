use serde_json::{Value, json};

use super::*;
use ibid_platform::ErrorCode;

fn read(value: &Value) -> Filter {
    let filter = Filter::from_json(value).unwrap_or_else(|error| panic!("{value}: {error}"));
    // What is written is read as the same, and is Qdrant's form even if it was not.
    assert_eq!(Filter::from_json(&filter.to_json()).unwrap(), filter, "{value}");
    filter
}

fn error(value: &Value) -> String {
    let error = Filter::from_json(value).expect_err("it is wrong");
    assert_eq!(error.code(), ErrorCode::FilterInvalid);
    assert!(error.hint().is_some());
    error.message().to_owned()
}

#[test]
fn all_of_qdrants_conditions_are_read_and_written_as_they_were() {
    for same in [
        json!({}),
        json!({ "must": [{ "key": "a", "match": { "value": "x" } }, { "key": "a", "match": { "value": 3 } }] }),
        json!({ "should": [{ "key": "a", "match": { "any": ["x", "y"] } }, { "key": "b", "match": { "any": [] } }] }),
        json!({ "must_not": [{ "key": "a", "match": { "except": [1, 2] } }] }),
        json!({ "must": [{ "key": "a", "match": { "text": "x y" } }, { "key": "a", "match": { "text_any": "x y" } }] }),
        json!({ "must": [{ "key": "a", "match": { "phrase": "x y" } }, { "key": "a", "match": { "prefix": "x" } }] }),
        json!({ "must": [{ "key": "a", "range": { "gt": 1.0, "gte": 2.5, "lt": 9.0, "lte": 8.0 } }] }),
        json!({ "must": [{ "key": "a", "range": { "gte": "2024-01-31", "lt": "2024-03-01T12:00:00Z" } }] }),
        json!({ "must": [{ "key": "a", "values_count": { "gte": 1 } }, { "is_empty": { "key": "a" } }] }),
        json!({ "must": [{ "is_null": { "key": "a" } }, { "key": "a", "is_empty": false }, { "has_id": [7] }] }),
        json!({ "min_should": { "conditions": [{ "key": "a", "match": { "value": true } }], "min_count": 1 } }),
        json!({ "must": [{ "should": [{ "must_not": [{ "key": "a", "match": { "value": 1 } }] }] }] }),
    ] {
        assert_eq!(read(&same).to_json(), same);
    }
    let one =
        json!({ "must": { "key": "a", "match": { "value": 3.0 } }, "should": null, "min_should": null });
    assert_eq!(read(&one).to_json(), json!({ "must": [{ "key": "a", "match": { "value": 3 } }] }));
    let id = json!({ "must": [{ "has_id": ["00000000000000ff", 3] }] });
    assert_eq!(read(&id).must, [Condition::HasId(vec![255, 3])]);
}

#[test]
fn the_shorthand_says_the_same_more_briefly() {
    let same =
        |shorthand: Value, qdrant: Value| assert_eq!(read(&shorthand).to_json(), qdrant, "{shorthand}");
    same(
        json!({ "a": "x", "b": 3, "c": true, "d": 0.5 }),
        json!({ "must": [
            { "key": "a", "match": { "value": "x" } },
            { "key": "b", "match": { "value": 3 } },
            { "key": "c", "match": { "value": true } },
            { "key": "d", "range": { "gte": 0.5, "lte": 0.5 } },
        ] }),
    );
    same(
        json!({ "a": ["x", "y"], "b": null, "c": { "not": ["x"] }, "d": { "gte": 1, "not": 5, "lt": 9 } }),
        json!({
            "must": [
                { "key": "a", "match": { "any": ["x", "y"] } },
                { "is_empty": { "key": "b" } },
                { "key": "d", "range": { "gte": 1.0, "lt": 9.0 } },
            ],
            "must_not": [
                { "key": "c", "match": { "any": ["x"] } },
                { "key": "d", "match": { "value": 5 } },
            ],
        }),
    );
    let (a, b) =
        (json!({ "key": "a", "match": { "value": 1 } }), json!({ "key": "b", "match": { "value": 2 } }));
    same(json!({ "or": [{ "a": 1 }, { "b": 2 }] }), json!({ "must": [{ "should": [a, b] }] }));
    same(json!({ "or": [{ "a": 1 }] }), json!({ "must": [a] }));
    same(json!({ "or": [] }), json!({ "must": [{ "has_id": [] }] }));
    same(json!({ "not": { "a": 1, "b": 2 } }), json!({ "must_not": [{ "must": [a, b] }] }));
    same(json!({ "not": [{ "a": 1 }, { "b": 2 }] }), json!({ "must_not": [a, b] }));
    same(json!({ "and": [{ "a": 1 }, { "b": 2 }] }), json!({ "must": [a, b] }));
    same(
        json!({ "and": { "must": "x" }, "has_id": [1] }),
        json!({ "must": [{ "key": "must", "match": { "value": "x" } }, { "has_id": [1] }] }),
    );
    same(
        json!({ "source": { "prefix": "guides/" }, "n": { "values_count": { "gt": 1 } }, "d": { "gt": "2024" } }),
        json!({ "must": [
            { "key": "d", "range": { "gt": "2024-12-31" } },
            { "key": "n", "values_count": { "gt": 1 } },
            { "key": "source", "match": { "prefix": "guides/" } },
        ] }),
    );
}

#[test]
fn an_error_says_where_and_what() {
    let bound =
        json!({ "must": [{ "key": "a", "match": { "value": 1 } }, { "key": "b", "range": { "gte": [1] } }] });
    assert_eq!(error(&bound), "The filter's `must[1].range.gte` is neither a number nor a date.");
    for (bad, place) in [
        (json!(null), "The filter is no object"),
        (json!([]), "The filter is no object"),
        (json!({ "must": 3 }), "`must`"),
        (json!({ "must": [], "year": 3 }), "`year` is no clause"),
        (json!({ "must": [{ "year": 3 }] }), "`must[0].year`"),
        (json!({ "must": [{ "key": "a" }] }), "`must[0]` asks nothing"),
        (json!({ "must": [{ "key": "", "match": { "value": 1 } }] }), "`must[0].key`"),
        (json!({ "must": [{ "key": "a", "match": { "value": 0.5 } }] }), "`must[0].match.value`"),
        (json!({ "must": [{ "key": "a", "match": { "any": [1, "x"] } }] }), "`must[0].match.any[1]`"),
        (json!({ "must": [{ "key": "a", "match": { "any": [true] } }] }), "`must[0].match.any[0]`"),
        (json!({ "must": [{ "key": "a", "match": { "value": 1, "any": [] } }] }), "`must[0].match`"),
        (
            json!({ "must": [{ "key": "a", "match": { "value": 1 }, "range": { "gt": 1 } }] }),
            "`must[0].range` is a second",
        ),
        (json!({ "must": [{ "key": "a", "range": { "gte": 1, "lt": "2024" } }] }), "`must[0].range.gte`"),
        (json!({ "must": [{ "key": "a", "range": { "gte": "soon" } }] }), "is no date: `soon`"),
        (json!({ "must": [{ "key": "a", "range": { "from": 1 } }] }), "`must[0].range.from`"),
        (json!({ "must": [{ "key": "a", "range": { "gte": null } }] }), "`must[0].range` has no bound"),
        (json!({ "must": [{ "key": "a", "geo_radius": {} }] }), "`must[0].geo_radius` is not supported"),
        (json!({ "must": [{ "nested": {} }] }), "`must[0].nested` is not supported"),
        (json!({ "must": [{ "has_vector": "x" }] }), "`must[0].has_vector` is not supported"),
        (json!({ "must": [{ "has_id": ["x"] }] }), "`must[0].has_id[0]`"),
        (json!({ "must": [{ "is_empty": "a" }] }), "`must[0].is_empty`"),
        (json!({ "min_should": { "conditions": [], "min_count": 0 } }), "`min_should.min_count`"),
        (json!({ "min_should": { "conditions": [] } }), "`min_should` has no"),
        (json!({ "a": { "value": 1 } }), "`a.value` is no operator"),
        (json!({ "key": "a", "match": { "value": 1 } }), "`match.value` is no operator"),
        (json!({ "a": {} }), "`a` asks nothing"),
        (json!({ "or": [3] }), "`or[0]` is no object"),
        (json!({ "a": { "not": { "gte": true } } }), "`a.not.gte`"),
    ] {
        let message = error(&bad);
        assert!(message.contains(place), "{bad}: {message}");
    }
    assert!(error(&json!({ "x".repeat(1000): { "?": 1 } })).len() < 200);
}

#[test]
fn size_and_depth_are_bounded() {
    let nest = |wrap: fn(Value) -> Value, times| (0..times).fold(json!({ "a": 1 }), |value, _| wrap(value));
    read(&nest(|value| json!({ "not": value }), 20));
    for wrap in [|value| json!({ "not": value }), |value| json!({ "or": [value, {}] })] {
        assert!(error(&nest(wrap, 100)).contains("nested deeper than 32"));
    }
    let within_a_field = (0..100).fold(json!(1), |value, _| json!({ "not": value }));
    assert!(error(&json!({ "a": within_a_field })).contains("nested deeper than 32"));
    let deep = |wrap: fn(Value) -> Value| (0..100).fold(json!({}), |value, _| wrap(value));
    for wrap in [
        |value| json!({ "must": value }),
        |value| json!({ "min_should": { "conditions": [value], "min_count": 1 } }),
    ] {
        assert!(error(&deep(wrap)).contains("nested deeper than 32"));
    }
    let many: Vec<Value> = vec![json!({ "is_empty": { "key": "a" } }); 1025];
    assert!(error(&json!({ "must": many })).contains("more than 1024 conditions"));
    assert!(error(&json!({ "a": vec![1; 65_537] })).contains("more than 65536 values"));
}

#[test]
fn it_is_part_of_other_json() {
    let filter: Filter = serde_json::from_str(r#"{"year": 2020}"#).unwrap();
    assert_eq!(
        serde_json::to_string(&filter).unwrap(),
        r#"{"must":[{"key":"year","match":{"value":2020}}]}"#
    );
    let error = serde_json::from_str::<Filter>(r#"{"must": 1}"#).unwrap_err();
    assert!(error.to_string().contains("`must` is no object"), "{error}");
}
