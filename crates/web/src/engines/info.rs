//! A collection's description of itself, for JavaScript.

use serde::Serialize;

use ibid_document::FieldType;
use ibid_engines::{Description, RemoteCollection};
use ibid_index::{Calibration, Language};

/// The part of `IndexInfo` that a collection knows; the page fills in the rest.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CollectionInfo<'a> {
    generator: &'a str,
    documents: u32,
    chunks: u32,
    model: &'a str,
    fingerprint: &'a str,
    dimensions: u32,
    calibration: Calibration,
    fields: Vec<CollectionField<'a>>,
    language: Language,
}

#[derive(Serialize)]
struct CollectionField<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    field_type: FieldType,
}

impl<'a> CollectionInfo<'a> {
    pub(super) fn of(collection: &'a RemoteCollection) -> Self {
        let Description { generator, space, calibration, lexical, fields, documents, chunks, .. } =
            collection.description();
        Self {
            generator,
            documents: *documents,
            chunks: *chunks,
            model: &space.name,
            fingerprint: &space.fingerprint,
            dimensions: space.dimensions,
            calibration: *calibration,
            fields: fields
                .iter()
                .map(|(name, field_type)| CollectionField { name, field_type: *field_type })
                .collect(),
            language: lexical.analyzed(),
        }
    }
}
