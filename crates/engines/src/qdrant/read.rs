//! Reading Qdrant's responses.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{DENSE, SPARSE};
use crate::description::{Description, foreign};
use crate::point::{self, OWN, PointRecord};
use ibid_document::FieldType;
use ibid_platform::json::{list, number, present, text};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::Hit;

/// Checks that the collection has the two vectors that a push makes, and returns the dimensions of the dense one.
pub(crate) fn state(response: &Value) -> Result<u32> {
    let params = response.pointer("/result/config/params").ok_or_else(foreign)?;
    let dense = params.get("vectors").and_then(|vectors| vectors.get(DENSE)).ok_or_else(foreign)?;
    let sparse = params.get("sparse_vectors").and_then(|vectors| vectors.get(SPARSE));
    let dimensions = number(dense, "size").and_then(|size| u32::try_from(size).ok()).ok_or_else(foreign)?;
    if text(dense, "distance") != Some("Cosine") || sparse.is_none() {
        return Err(foreign());
    }
    Ok(dimensions)
}

/// Reads the description in its point.
pub(crate) fn description(response: &Value) -> Result<Description> {
    let text = response.pointer("/result/payload/ibid/description").and_then(Value::as_str);
    Description::read(text.ok_or_else(foreign)?)
}

fn hash_of(point: &Value) -> Option<(u64, String)> {
    let hash = point.get("payload")?.get(OWN)?.get("hash")?.as_str()?;
    Some((point.get("id")?.as_u64()?, hash.to_owned()))
}

/// Reads the checksums of points that are there.
pub(crate) fn hashes(response: &Value) -> HashMap<u64, String> {
    list(response, "result").iter().filter_map(hash_of).collect()
}

/// Reads the ids of points that a push has made, and the id, a number or a text, that the next ones begin with. Others'
/// points are not named.
pub(crate) fn ids(response: &Value) -> (Vec<u64>, Option<Value>) {
    let result = response.get("result").unwrap_or(&Value::Null);
    let ids = list(result, "points").iter().filter_map(hash_of).map(|(id, _)| id);
    (ids.collect(), present(result, "next_page_offset").cloned())
}

/// Reads the points that a query of the batch found.
fn found(response: &Value, query: usize) -> Result<&[Value]> {
    let result = list(response, "result").get(query);
    result.map(|result| list(result, "points")).ok_or_else(|| {
        Error::new(ErrorCode::ProviderProtocol, "Qdrant's response has no result for a query.")
    })
}

/// Reads the scores of a query of the batch, by the points' ids.
pub(crate) fn scores(response: &Value, query: usize) -> Result<HashMap<u64, f32>> {
    let score = |point: &Value| Some((point.get("id")?.as_u64()?, point.get("score")?.as_f64()? as f32));
    Ok(found(response, query)?.iter().filter_map(score).collect())
}

/// Reads the points of a query of the batch, in its order, with their ids and scores.
pub(crate) fn candidates(
    response: &Value,
    query: usize,
    description: &Description,
) -> Result<Vec<(u64, f32, Hit)>> {
    let candidate = |point: &Value| {
        let id = point.get("id")?.as_u64()?;
        let score = point.get("score")?.as_f64()? as f32;
        let payload = point.get("payload")?.as_object()?;
        let record = PointRecord::deserialize_value(payload.get(OWN)?)?;
        Some((id, score, point::hit(record, payload, metadata(payload, description))))
    };
    let points = found(response, query)?;
    points
        .iter()
        .map(|point| {
            candidate(point).ok_or_else(|| {
                Error::new(
                    ErrorCode::ProviderProtocol,
                    "Qdrant returned a point that `ibid push` did not write.",
                )
                .with_hint("Push the index again, and keep other points in another collection.")
            })
        })
        .collect()
}

/// Reads the document's own fields.
fn metadata(
    payload: &Map<String, Value>,
    description: &Description,
) -> std::collections::BTreeMap<String, Value> {
    let field = |(name, field_type): (&String, &FieldType)| {
        let value = payload.get(name)?;
        let value = match (field_type, value) {
            // The first is as the document has it.
            (FieldType::Date, Value::Array(both)) => both.first()?,
            _ => value,
        };
        Some((name.clone(), value.clone()))
    };
    description.fields.iter().filter_map(field).collect()
}
