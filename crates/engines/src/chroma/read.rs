//! Reading Chroma's responses.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{HASH, id_of};
use crate::description::{Description, foreign};
use crate::point::{self, OWN, PointRecord};
use ibid_platform::json::{list, number, text};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::Hit;

/// A collection that is there.
pub(crate) struct ChromaCollection {
    /// The id that its records are reached by.
    pub(crate) id: String,
    /// The dimensions of its vectors, once it has one.
    pub(crate) dimensions: Option<u32>,
    pub(crate) description: Description,
}

/// Checks that the collection is one that a push has made.
pub(crate) fn collection(response: &Value) -> Result<ChromaCollection> {
    let id = text(response, "id").ok_or_else(|| strange("a collection without an id"))?;
    let metadata = response.get("metadata").unwrap_or(&Value::Null);
    let description = Description::read(text(metadata, OWN).ok_or_else(foreign)?)?;
    let space = response.pointer("/configuration_json/hnsw/space").and_then(Value::as_str);
    let space = space.or_else(|| response.pointer("/configuration_json/spann/space").and_then(Value::as_str));
    if space.is_some_and(|space| space != "cosine") {
        return Err(foreign());
    }
    let dimensions = number(response, "dimension").and_then(|dimensions| u32::try_from(dimensions).ok());
    Ok(ChromaCollection { id: id.to_owned(), dimensions, description })
}

/// Reads the records of a response to `get`, with their ids.
fn records(response: &Value) -> impl Iterator<Item = (u64, &Value)> {
    let ids = list(response, "ids").iter().map(|id| id.as_str().and_then(id_of));
    ids.zip(list(response, "metadatas")).filter_map(|(id, metadata)| Some((id?, metadata)))
}

/// Reads the checksums of records that are there.
pub(crate) fn hashes(response: &Value) -> HashMap<u64, String> {
    records(response).filter_map(|(id, metadata)| Some((id, text(metadata, HASH)?.to_owned()))).collect()
}

/// Reads the ids of records that a push has made, and how many records the response has in all.
pub(crate) fn ids(response: &Value) -> (Vec<u64>, usize) {
    let pushed = records(response).filter(|(_, metadata)| text(metadata, HASH).is_some());
    (pushed.map(|(id, _)| id).collect(), list(response, "ids").len())
}

/// Reads the records that a query found, in its order, with their ids and cosines.
pub(crate) fn candidates(response: &Value, description: &Description) -> Result<Vec<(u64, f32, Hit)>> {
    // Each is a list of lists, of which there is one for each query of the request.
    let first = |key: &str| {
        let lists = list(response, key).first().and_then(Value::as_array);
        lists.map(Vec::as_slice).ok_or_else(|| strange(&format!("no list `{key}`")))
    };
    let (ids, distances) = (first("ids")?, first("distances")?);
    let (documents, metadatas) = (first("documents")?, first("metadatas")?);
    if [distances.len(), documents.len(), metadatas.len()] != [ids.len(); 3] {
        return Err(strange("lists of different lengths"));
    }
    let candidate = |at: usize| {
        let id = id_of(ids[at].as_str()?)?;
        // The distance is one less the cosine.
        let cosine = 1.0 - distances[at].as_f64()? as f32;
        let fields = metadatas[at].as_object()?;
        let record = serde_json::from_str::<PointRecord>(fields.get(OWN)?.as_str()?).ok()?;
        let record = PointRecord { text: documents[at].as_str()?.to_owned(), ..record };
        Some((id, cosine, point::hit(record, fields, metadata(fields, description))))
    };
    let hit = |at| candidate(at).ok_or_else(|| strange("a record that `ibid push` did not write"));
    (0..ids.len()).map(hit).collect()
}

/// Reads the document's own fields.
fn metadata(
    fields: &Map<String, Value>,
    description: &Description,
) -> std::collections::BTreeMap<String, Value> {
    let names = description.fields.keys();
    names.filter_map(|name| Some((name.clone(), fields.get(name)?.clone()))).collect()
}

fn strange(what: &str) -> Error {
    Error::new(ErrorCode::ProviderProtocol, format!("Chroma returned {what}."))
        .with_hint("Check that it is Chroma 1.0 or later, and keep other records in another collection.")
}
