//! The record that a collection keeps of a chunk.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use twox_hash::XxHash64;

use super::description::Description;
use super::terms::{self, PassageFields, SparseVector};
use ibid_document::{Date, MetadataValue};
use ibid_index::{DocumentRecord, StoredChunk, StoredPlace};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::{Hit, Place};

/// The key of a payload that all but the metadata is under, so that no field of it can be in the way.
pub(super) const OWN: &str = "ibid";
/// The number of further places that are kept with a point. Boilerplate may have thousands.
const MAX_PLACES: usize = 20;

/// A chunk in one of the documents that it stands in.
///
/// There is a point for each document, because a filter asks whether its conditions hold together for one document;
/// with all in one point, the year of one and the subject of another would. A search without a filter looks at the
/// first of each chunk only.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Point {
    /// The chunk's id for the first document, and for further ones a number made from both.
    pub(super) id: u64,
    /// The vector, of unit length.
    pub(super) vector: Vec<f32>,
    /// The terms.
    pub(super) terms: SparseVector,
    /// The document.
    pub(super) document: DocumentRecord,
    /// All else that a hit shows.
    pub(super) record: PointRecord,
}

/// The parts of a hit beyond the document's metadata.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PointRecord {
    /// The chunk's id, in hexadecimal.
    pub(super) id: String,
    /// A checksum of the whole point, by which a later push knows what it need not write again.
    #[serde(default)]
    pub(super) hash: String,
    /// True if this is the first of the chunk's points.
    pub(super) first: bool,
    /// The passage. In Chroma it is the document.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) text: String,
    pub(super) heading_path: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) anchor: Option<String>,
    /// The byte range in the source file.
    pub(super) span: (usize, usize),
    pub(super) line: u32,
    pub(super) repeated: usize,
    pub(super) chunk_index: u32,
    pub(super) total_chunks: u32,
    /// The other places where it stands; at most 20 places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) duplicates: Vec<Place>,
}

impl PointRecord {
    /// Reads what was stored.
    pub(super) fn deserialize_value(value: &Value) -> Option<Self> {
        Self::deserialize(value).ok()
    }
}

/// Computes the id of the point of a chunk in a document that is not its first.
fn copy_id(chunk: u64, document: &str) -> u64 {
    XxHash64::oneshot(chunk, document.as_bytes())
}

/// Makes the points of a chunk, one for each document that it is in. `is_known` is whether another chunk of the index
/// has the same id, as after an addition.
pub(super) fn points(
    chunk: StoredChunk,
    vector: &[f32],
    description: &Description,
    is_known: bool,
) -> Result<Vec<Point>> {
    let StoredChunk { id, text, repeated, place, duplicates } = chunk;
    let places: Vec<StoredPlace> = std::iter::once(place).chain(duplicates).collect();
    let mut points: Vec<Point> = Vec::new();
    for (at, place) in places.iter().enumerate() {
        let document = &place.document.metadata.document_id;
        if points.iter().any(|point| point.document.metadata.document_id == *document) {
            continue;
        }
        let others = places.iter().enumerate().filter(|(other, _)| *other != at).take(MAX_PLACES);
        let first = points.is_empty() && !is_known;
        let record = PointRecord {
            id: format!("{id:016x}"),
            hash: String::new(),
            first,
            text: text.clone(),
            heading_path: place.section.heading_path.clone(),
            anchor: place.section.anchor.clone(),
            span: (place.span.start, place.span.end),
            line: place.line,
            repeated,
            chunk_index: place.index,
            total_chunks: place.document.chunks,
            duplicates: others.map(|(_, place)| Place::from(place.clone())).collect(),
        };
        let fields = PassageFields {
            title: &place.document.metadata.title,
            heading_path: &place.section.heading_path,
            text: &text,
        };
        let mut point = Point {
            id: if first { id } else { copy_id(id, document) },
            vector: vector.to_vec(),
            terms: terms::of_chunk(fields, &description.lexical, description.average_length),
            document: place.document.clone(),
            record,
        };
        point.record.hash = point.hash()?;
        points.push(point);
    }
    Ok(points)
}

impl Point {
    /// Computes a checksum of all that is stored.
    fn hash(&self) -> Result<String> {
        let whole = (&self.vector, &self.terms, &self.document, &self.record);
        let bytes = postcard::to_allocvec(&whole)
            .map_err(|error| Error::new(ErrorCode::Internal, error.to_string()))?;
        Ok(format!("{:016x}", XxHash64::oneshot(0, &bytes)))
    }

    /// Writes the fields that filters may ask for: those of the metadata, and `document_id`, `title`, `url` and `source`.
    pub(super) fn fields(&self, date: impl Fn(&str, Date) -> Vec<(String, Value)>) -> Map<String, Value> {
        let metadata = &self.document.metadata;
        let mut fields = Map::new();
        for (name, value) in &metadata.fields {
            match value {
                MetadataValue::Boolean(value) => {
                    fields.insert(name.clone(), (*value).into());
                }
                MetadataValue::Integer(value) => {
                    fields.insert(name.clone(), (*value).into());
                }
                MetadataValue::Float(value) => {
                    fields.insert(name.clone(), (*value).into());
                }
                MetadataValue::Keyword(value) => {
                    fields.insert(name.clone(), value.as_str().into());
                }
                MetadataValue::Keywords(values) if values.is_empty() => {}
                MetadataValue::Keywords(values) => {
                    fields.insert(name.clone(), values.as_slice().into());
                }
                MetadataValue::Date(value) => fields.extend(date(name, *value)),
            }
        }
        fields.insert("document_id".to_owned(), metadata.document_id.as_str().into());
        fields.insert("title".to_owned(), metadata.title.as_str().into());
        fields.insert("source".to_owned(), self.document.source.as_str().into());
        if let Some(url) = &metadata.url {
            fields.insert("url".to_owned(), url.as_str().into());
        }
        fields
    }
}

/// Reads a hit from what a collection has kept. `fields` are what filters ask for; what the engine needed them to be is
/// undone by `metadata`, the document's own fields.
pub(super) fn hit(
    record: PointRecord,
    fields: &Map<String, Value>,
    metadata: BTreeMap<String, Value>,
) -> Hit {
    let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
    Hit {
        id: record.id,
        document_id: text("document_id").unwrap_or_default(),
        title: text("title").unwrap_or_default(),
        url: text("url"),
        source: text("source").unwrap_or_default(),
        metadata,
        heading_path: record.heading_path,
        anchor: record.anchor,
        text: record.text,
        span: record.span.0..record.span.1,
        line: record.line,
        repeated: record.repeated,
        chunk_index: record.chunk_index,
        total_chunks: record.total_chunks,
        duplicates: record.duplicates,
        ..Hit::default()
    }
}
