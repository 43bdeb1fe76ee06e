//! Chroma's REST API, version 2.
//!
//! A record's document is the passage. Its metadata has the document's fields at its top, lists as arrays and dates twice: as
//! text, and as a number of days under `FIELD.day`, because only numbers are compared with a range. `ibid.fields` names the
//! fields that are there, since Chroma cannot ask for what is missing; `ibid` has all else as JSON. The collection's
//! description is in the collection's own metadata.

mod filter;
mod read;

pub(super) use filter::filter;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Remote;
use super::description::Description;
use super::point::{OWN, Point, PointRecord};
use ibid_document::Date;
use ibid_index::filter::Moment;
use ibid_platform::HttpRequest;
use ibid_platform::Result;
use ibid_platform::endpoint::body;
pub(super) use read::{candidates, collection, hashes, ids};

/// The keys of what filters ask for beyond metadata.
const ID: &str = "ibid.id";
const FIRST: &str = "ibid.first";
const HASH: &str = "ibid.hash";
const FIELDS: &str = "ibid.fields";

/// Computes the key of a date as a number of days.
fn day_key(name: &str) -> String {
    format!("{name}.day")
}

fn path(id: &str, rest: &str) -> String {
    format!("/collections/{id}{rest}")
}

/// Reads the id of a record, which is text here.
fn id_text(id: u64) -> String {
    format!("{id:016x}")
}

fn id_of(text: &str) -> Option<u64> {
    (text.len() == 16).then(|| u64::from_str_radix(text, 16).ok()).flatten()
}

/// Asks for the collection by its name; 404 if there is none.
pub(super) fn get(remote: &Remote) -> HttpRequest {
    remote.request("GET", &path(remote.collection(), ""), None)
}

fn described(description: &Description) -> Value {
    json!({ OWN: serde_json::to_string(description).unwrap_or_default() })
}

/// Makes the collection.
pub(super) fn create(remote: &Remote, description: &Description) -> Result<HttpRequest> {
    let request = json!({
        "name": remote.collection(),
        "metadata": described(description),
        "configuration": { "hnsw": { "space": "cosine" } },
    });
    Ok(remote.request("POST", "/collections", Some(body(&request)?)))
}

/// Stores the collection's description.
pub(super) fn put_description(remote: &Remote, id: &str, description: &Description) -> Result<HttpRequest> {
    let request = json!({ "new_metadata": described(description) });
    Ok(remote.request("PUT", &path(id, ""), Some(body(&request)?)))
}

#[derive(Serialize)]
struct Records<'a> {
    ids: Vec<String>,
    embeddings: Vec<&'a [f32]>,
    documents: Vec<&'a str>,
    metadatas: Vec<Map<String, Value>>,
}

/// Stores records, in place of those that have the same ids.
pub(super) fn upsert(remote: &Remote, id: &str, points: &[Point]) -> Result<HttpRequest> {
    let records = Records {
        ids: points.iter().map(|point| id_text(point.id)).collect(),
        embeddings: points.iter().map(|point| point.vector.as_slice()).collect(),
        documents: points.iter().map(|point| point.record.text.as_str()).collect(),
        metadatas: points.iter().map(metadata).collect(),
    };
    Ok(remote.request("POST", &path(id, "/upsert"), Some(body(&records)?)))
}

fn metadata(point: &Point) -> Map<String, Value> {
    let mut metadata = point.fields(|name, date| {
        vec![(name.to_owned(), date.to_string().into()), (day_key(name), days(date).into())]
    });
    let fields = &point.document.metadata.fields;
    let mut names: Vec<&str> =
        fields.keys().map(String::as_str).filter(|name| metadata.contains_key(*name)).collect();
    names.extend(["document_id", "title", "source"]);
    names.extend(point.document.metadata.url.as_ref().map(|_| "url"));
    metadata.insert(FIELDS.to_owned(), names.into());
    // The passage is the document.
    let record = PointRecord { text: String::new(), ..point.record.clone() };
    metadata.insert(ID.to_owned(), record.id.as_str().into());
    metadata.insert(FIRST.to_owned(), record.first.into());
    metadata.insert(HASH.to_owned(), record.hash.as_str().into());
    metadata.insert(OWN.to_owned(), serde_json::to_string(&record).unwrap_or_default().into());
    metadata
}

/// Days since the beginning of 1970; a month or a year is its first day.
fn days(date: Date) -> i64 {
    Moment::of(date).micros().div_euclid(filter::DAY)
}

/// Asks for the checksums of the records that are there already.
pub(super) fn get_hashes(remote: &Remote, id: &str, ids: &[u64]) -> Result<HttpRequest> {
    let ids: Vec<String> = ids.iter().map(|id| id_text(*id)).collect();
    let request = json!({ "ids": ids, "include": ["metadatas"] });
    Ok(remote.request("POST", &path(id, "/get"), Some(body(&request)?)))
}

/// Asks for the ids of all records that were pushed, from one of that place on.
pub(super) fn get_ids(remote: &Remote, id: &str, offset: usize, limit: usize) -> Result<HttpRequest> {
    let pushed = json!({ HASH: { "$ne": "" } });
    let request = json!({ "where": pushed, "limit": limit, "offset": offset, "include": ["metadatas"] });
    Ok(remote.request("POST", &path(id, "/get"), Some(body(&request)?)))
}

/// Removes records.
pub(super) fn delete(remote: &Remote, id: &str, ids: &[u64]) -> Result<HttpRequest> {
    let ids: Vec<String> = ids.iter().map(|id| id_text(*id)).collect();
    Ok(remote.request("POST", &path(id, "/delete"), Some(body(&json!({ "ids": ids }))?)))
}

/// Asks for the records nearest to a vector; with `words`, only of those whose text has one of them.
///
/// Chroma's own server has no ranking by words, and its search for them knows neither stems nor how rare a word is. So this
/// finds candidates that the vectors alone would miss, and they are ranked here.
pub(super) fn query(
    remote: &Remote,
    id: &str,
    vector: &[f32],
    limit: usize,
    filter: Option<&Value>,
    words: Option<&[String]>,
) -> Result<HttpRequest> {
    let mut request = json!({
        "query_embeddings": [vector],
        "n_results": limit,
        "include": ["documents", "metadatas", "distances"],
    });
    if let Some(filter) = filter {
        request["where"] = filter.clone();
    }
    if let Some(words) = words {
        request["where_document"] = containing(words);
    }
    Ok(remote.request("POST", &path(id, "/query"), Some(body(&request)?)))
}

/// Texts that have one of the words, as written, in lower case, or as the first of a sentence.
fn containing(words: &[String]) -> Value {
    let mut forms: Vec<String> = Vec::new();
    for word in words {
        let lower = word.to_lowercase();
        let mut letters = lower.chars();
        let first = letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>());
        forms.extend([word.clone(), lower.clone()].into_iter().chain(first));
    }
    forms.sort_unstable();
    forms.dedup();
    let mut any: Vec<Value> = forms.iter().map(|form| json!({ "$contains": form })).collect();
    if any.len() == 1 { any.remove(0) } else { json!({ "$or": any }) }
}

#[cfg(test)]
mod tests;
