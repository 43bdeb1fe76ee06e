//! What an index says of itself, for JavaScript.

use serde::Serialize;

use crate::chunk::ChunkOptions;
use crate::index::{Calibration, Encoder, Index, SegmentInfo};

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
    encoder: Encoder,
    has_graph: bool,
    threshold: f32,
    /// What documents that are added later have to be calibrated like.
    calibration: Calibration,
    /// What documents that are added later have to be chunked like.
    chunking: Option<&'a ChunkOptions>,
    segments: &'a [SegmentInfo],
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
            encoder: manifest.build.encoder,
            has_graph: index.has_graph(),
            threshold: manifest.calibration.threshold,
            calibration: manifest.calibration,
            chunking: manifest.chunking.as_ref(),
            segments: &manifest.segments,
            bytes: index.byte_size(),
        }
    }
}
