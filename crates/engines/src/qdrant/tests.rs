//! Requests to Qdrant, and its answers.

use serde_json::{Value, json};

use super::*;
use crate::RemoteOptions;
use crate::description::tests::description;
use ibid_index::filter::Filter;
use ibid_platform::ErrorCode;

fn remote() -> Remote {
    let mut options = RemoteOptions::of_target("qdrant://h/big").unwrap();
    options.endpoint = options.endpoint.with_api_key("k");
    options.remote().unwrap()
}

fn json_of(request: &HttpRequest) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

#[test]
fn the_collection_has_both_vectors_and_an_index_for_each_field() {
    let request = create(&remote(), 256).unwrap();
    assert_eq!((request.method, request.url.as_str()), ("PUT", "http://h:6333/collections/big"));
    assert!(request.headers.contains(&("api-key".to_owned(), "k".to_owned())));
    let body = json_of(&request);
    assert_eq!(body["vectors"]["dense"], json!({ "size": 256, "distance": "Cosine" }));
    assert_eq!(body["sparse_vectors"]["bm25"], json!({ "modifier": "idf" }));
    let fields: Vec<Value> = index_fields(&remote(), &description()).unwrap().iter().map(json_of).collect();
    for (name, schema) in
        [("year", "integer"), ("weight", "float"), ("published", "datetime"), ("conditions", "keyword")]
    {
        assert!(fields.contains(&json!({ "field_name": name, "field_schema": schema })), "{name}");
    }
}

#[test]
fn both_lists_are_prefetched_and_their_union_scored_twice() {
    let sparse = SparseVector { indices: vec![7], values: vec![1.0] };
    let filter = Some(json!({ "must": [] }));
    let lookup = QdrantQuery { dense: Some(&[0.5, 0.5]), sparse: Some(&sparse), limit: 20, filter };
    let request = query(&remote(), &lookup).unwrap();
    assert!(request.url.ends_with("/collections/big/points/query/batch"));
    let body = json_of(&request);
    let searches = body["searches"].as_array().unwrap();
    assert_eq!(searches.len(), 2);
    assert_eq!(searches[0]["prefetch"], searches[1]["prefetch"]);
    for (list, using) in [(0, "dense"), (1, "bm25")] {
        let list = &searches[0]["prefetch"][list];
        assert_eq!((&list["using"], &list["limit"]), (&json!(using), &json!(20)));
        assert_eq!(list["filter"], json!({ "must": [] }));
    }
    assert_eq!((&searches[0]["using"], &searches[1]["using"]), (&json!("dense"), &json!("bm25")));
    assert_eq!((&searches[0]["with_payload"], &searches[1]["with_payload"]), (&json!(true), &json!(false)));
    let alone = query(&remote(), &QdrantQuery { sparse: None, ..lookup }).unwrap();
    assert_eq!(json_of(&alone)["searches"].as_array().unwrap().len(), 1);
}

#[test]
fn filters_are_sent_as_they_are_but_for_two_spellings() {
    let shape = description();
    let sent = |asked: Value| filter(Some(&Filter::from_json(&asked).unwrap()), &shape).unwrap();
    let same = json!({ "must": [{ "key": "year", "match": { "value": 2024 } }] });
    assert_eq!(sent(same.clone()), same);
    assert_eq!(
        sent(json!({ "must": [{ "has_id": [255] }, { "key": "metadata.year", "range": { "gte": 1.0 } }] })),
        json!({ "must": [
            { "key": "ibid.id", "match": { "any": ["00000000000000ff"] } },
            { "key": "year", "range": { "gte": 1.0 } },
        ] })
    );
    assert_eq!(filter(None, &shape), None);
    let copied = Description { copies: 3, ..shape };
    assert_eq!(
        filter(None, &copied),
        Some(json!({ "must": [{ "key": "ibid.first", "match": { "value": true } }] }))
    );
}

#[test]
fn a_month_is_kept_as_it_is_and_as_a_day() {
    let kept = |text: &str| dates("published", text.parse().unwrap()).remove(0).1;
    assert_eq!(kept("2026-03-09"), json!("2026-03-09"));
    assert_eq!(kept("2026-03"), json!(["2026-03", "2026-03-01"]));
    assert_eq!(kept("2026"), json!(["2026", "2026-01-01"]));
}

#[test]
fn responses_that_are_none_are_refused() {
    let shape = description();
    for response in [
        json!(null),
        json!({ "result": [] }),
        json!({ "result": [{ "points": [{ "id": 1, "score": 1.0 }] }] }),
    ] {
        let error = candidates(&response, 0, &shape).unwrap_err();
        assert_eq!(error.code(), ErrorCode::ProviderProtocol, "{response}");
    }
    assert!(candidates(&json!({ "result": [{ "points": [] }] }), 0, &shape).unwrap().is_empty());
    // Collections that others have made.
    for params in [
        json!({}),
        json!({ "vectors": { "size": 4, "distance": "Cosine" } }),
        json!({ "vectors": { "dense": { "size": 4, "distance": "Dot" } }, "sparse_vectors": { "bm25": {} } }),
        json!({ "vectors": { "dense": { "size": 4, "distance": "Cosine" } } }),
    ] {
        let response = json!({ "result": { "config": { "params": params } } });
        assert_eq!(state(&response).unwrap_err().code(), ErrorCode::ModelMismatch, "{params}");
    }
    assert_eq!(description_code(&json!({ "result": { "payload": {} } })), ErrorCode::ModelMismatch);
}

fn description_code(response: &Value) -> ErrorCode {
    read::description(response).unwrap_err().code()
}
