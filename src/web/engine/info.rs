//! What an index says of itself, for JavaScript.

use serde::Serialize;

use crate::index::Index;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct IndexInfo<'a> {
    format_version: u32,
    generator: &'a str,
    documents: u32,
    sections: u32,
    chunks: u32,
    model: &'a str,
    fingerprint: &'a str,
    dimensions: u32,
    threshold: f32,
    bytes: u64,
}

impl<'a> IndexInfo<'a> {
    pub(super) fn of(index: &'a Index) -> Self {
        let manifest = index.manifest();
        Self {
            format_version: index.format_version(),
            generator: &manifest.generator,
            documents: manifest.documents,
            sections: manifest.sections,
            chunks: manifest.chunks,
            model: &manifest.space.name,
            fingerprint: &manifest.space.fingerprint,
            dimensions: manifest.space.dimensions,
            threshold: manifest.calibration.threshold,
            bytes: index.byte_size(),
        }
    }
}
