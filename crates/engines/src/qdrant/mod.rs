//! Qdrant's REST API.
//!
//! A point has the dense vector `dense` and the sparse vector `bm25`; its payload has the metadata's fields at its top, so
//! that a [`Filter`](ibid_index::Filter) needs no translation, and all else under `ibid`. The collection's description is
//! the payload of one more point without vectors, which no search finds: collections themselves can keep such a thing only
//! since version 1.16.

mod filter;
mod read;

pub(super) use filter::filter;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Remote;
use super::description::Description;
use super::point::{OWN, Point};
use super::terms::SparseVector;
use ibid_document::{Date, FieldType};
use ibid_platform::HttpRequest;
use ibid_platform::Result;
use ibid_platform::endpoint::body;
pub(super) use read::{candidates, description, hashes, ids, scores, state};

/// The names of a point's vectors.
pub(super) const DENSE: &str = "dense";
pub(super) const SPARSE: &str = "bm25";
/// The point with the collection's description. Chunks' points have numbers as ids, so no chunk has this one.
const DESCRIPTION: &str = "69626964-0000-8000-8000-000000000000";

fn path(remote: &Remote, rest: &str) -> String {
    format!("/collections/{}{rest}", remote.collection())
}

/// Asks what the collection is; 404 if there is none.
pub(super) fn get(remote: &Remote) -> HttpRequest {
    remote.request("GET", &path(remote, ""), None)
}

/// Makes the collection.
pub(super) fn create(remote: &Remote, dimensions: u32) -> Result<HttpRequest> {
    let request = json!({
        "vectors": { DENSE: { "size": dimensions, "distance": "Cosine" } },
        "sparse_vectors": { SPARSE: { "modifier": "idf" } },
    });
    Ok(remote.request("PUT", &path(remote, ""), Some(body(&request)?)))
}

/// Makes an index for each field that a filter may ask for, without which a filter reads every payload.
pub(super) fn index_fields(remote: &Remote, description: &Description) -> Result<Vec<HttpRequest>> {
    let own = [
        ("document_id".to_owned(), "keyword"),
        ("source".to_owned(), "keyword"),
        ("title".to_owned(), "keyword"),
        ("url".to_owned(), "keyword"),
        (format!("{OWN}.id"), "keyword"),
        (format!("{OWN}.first"), "bool"),
    ];
    let fields = description.fields.iter().map(|(name, field_type)| {
        let schema = match field_type {
            FieldType::Boolean => "bool",
            FieldType::Integer => "integer",
            FieldType::Float => "float",
            FieldType::Date => "datetime",
            FieldType::Keyword | FieldType::Keywords => "keyword",
        };
        (name.clone(), schema)
    });
    let request = |(name, schema): (String, &str)| {
        let request = json!({ "field_name": name, "field_schema": schema });
        Ok(remote.request("PUT", &path(remote, "/index?wait=true"), Some(body(&request)?)))
    };
    own.into_iter().chain(fields).map(request).collect()
}

/// Asks for the collection's description; 404 if there is none.
pub(super) fn get_description(remote: &Remote) -> HttpRequest {
    remote.request("GET", &path(remote, &format!("/points/{DESCRIPTION}")), None)
}

/// Stores the collection's description.
pub(super) fn put_description(remote: &Remote, description: &Description) -> Result<HttpRequest> {
    let text = serde_json::to_string(description).unwrap_or_default();
    let point = json!({ "id": DESCRIPTION, "vector": {}, "payload": { OWN: { "description": text } } });
    put(remote, &json!({ "points": [point] }))
}

fn put(remote: &Remote, points: &impl Serialize) -> Result<HttpRequest> {
    Ok(remote.request("PUT", &path(remote, "/points?wait=true"), Some(body(points)?)))
}

#[derive(Serialize)]
struct Points<'a> {
    points: Vec<PointWire<'a>>,
}

#[derive(Serialize)]
struct PointWire<'a> {
    id: u64,
    vector: PointVectors<'a>,
    payload: Map<String, Value>,
}

#[derive(Serialize)]
struct PointVectors<'a> {
    dense: &'a [f32],
    #[serde(skip_serializing_if = "SparseVector::is_empty")]
    bm25: &'a SparseVector,
}

/// Stores points, in place of those that have the same ids.
pub(super) fn upsert(remote: &Remote, points: &[Point]) -> Result<HttpRequest> {
    let mut wire = Vec::with_capacity(points.len());
    for point in points {
        let mut payload = point.fields(dates);
        payload.insert(OWN.to_owned(), serde_json::to_value(&point.record).unwrap_or_default());
        wire.push(PointWire {
            id: point.id,
            vector: PointVectors { dense: &point.vector, bm25: &point.terms },
            payload,
        });
    }
    put(remote, &Points { points: wire })
}

/// A date as the document has it, which is what it matches, and where that is a month or a year also its first day, which
/// is what Qdrant can compare with a range.
fn dates(name: &str, date: Date) -> Vec<(String, Value)> {
    let known = date.to_string();
    let value = match first_day(date) {
        day if day == known => day.into(),
        day => vec![known, day].into(),
    };
    vec![(name.to_owned(), value)]
}

fn first_day(date: Date) -> String {
    format!("{:04}-{:02}-{:02}", date.year(), date.month().unwrap_or(1), date.day().unwrap_or(1))
}

/// Asks for the checksums of the points that are there already.
pub(super) fn get_hashes(remote: &Remote, ids: &[u64]) -> Result<HttpRequest> {
    let request = json!({ "ids": ids, "with_payload": [format!("{OWN}.hash")], "with_vector": false });
    Ok(remote.request("POST", &path(remote, "/points"), Some(body(&request)?)))
}

/// Asks for the ids of all points that were pushed, from an offset on.
pub(super) fn scroll(remote: &Remote, offset: Option<&Value>, limit: usize) -> Result<HttpRequest> {
    let mut request =
        json!({ "limit": limit, "with_payload": [format!("{OWN}.hash")], "with_vector": false });
    if let Some(offset) = offset {
        request["offset"] = offset.clone();
    }
    Ok(remote.request("POST", &path(remote, "/points/scroll"), Some(body(&request)?)))
}

/// Removes points.
pub(super) fn delete(remote: &Remote, ids: &[u64]) -> Result<HttpRequest> {
    let path = path(remote, "/points/delete?wait=true");
    Ok(remote.request("POST", &path, Some(body(&json!({ "points": ids }))?)))
}

/// A query in the engine's terms.
pub(super) struct QdrantQuery<'a> {
    /// The query's vector, unless only terms are to be compared.
    pub(super) dense: Option<&'a [f32]>,
    /// The query's terms, unless only vectors are to be compared.
    pub(super) sparse: Option<&'a SparseVector>,
    /// The candidates of each list.
    pub(super) limit: usize,
    pub(super) filter: Option<Value>,
}

/// Asks for the candidates of both lists, in one request.
///
/// With both, two queries prefetch the same two lists, so that each sees the union of them. One scores it by the
/// vectors and brings the payloads, the other scores it by the terms. So both scores of every candidate are known,
/// and fusion and relevance are what they are in an index. Qdrant's own fusion would give one number that nothing can
/// be said about: its RRF has k = 2 and ranks from 0 if it is not told otherwise, and DBSF knows only this one query.
pub(super) fn query(remote: &Remote, lookup: &QdrantQuery<'_>) -> Result<HttpRequest> {
    let list = |vector: Value, using: &str| {
        let mut list = json!({ "query": vector, "using": using, "limit": lookup.limit });
        if let Some(filter) = &lookup.filter {
            list["filter"] = filter.clone();
        }
        list
    };
    let dense = lookup.dense.map(|vector| list(json!(vector), DENSE));
    let sparse = lookup.sparse.map(|terms| list(json!(terms), SPARSE));
    let searches = match (dense, sparse) {
        (Some(dense), Some(sparse)) => {
            let union = |query: &Value, payload: bool| {
                json!({
                    "prefetch": [dense, sparse],
                    "query": query["query"],
                    "using": query["using"],
                    "limit": lookup.limit * 2,
                    "with_payload": payload,
                })
            };
            vec![union(&dense, true), union(&sparse, false)]
        }
        (one, other) => {
            let with_payload = |mut list: Value| {
                list["with_payload"] = true.into();
                list
            };
            one.or(other).into_iter().map(with_payload).collect()
        }
    };
    let path = path(remote, "/points/query/batch");
    Ok(remote.request("POST", &path, Some(body(&json!({ "searches": searches }))?)))
}

#[cfg(test)]
mod tests;
