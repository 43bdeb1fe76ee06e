//! The description of an index, for JavaScript.

use std::collections::BTreeMap;

use serde::Serialize;

use ibid_document::FieldType;
use ibid_document::chunk::ChunkOptions;
use ibid_index::{Calibration, Encoder, FORMAT_VERSION, Index, Language, PopularPage};

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
    /// The calibration for documents that are added later.
    calibration: Calibration,
    /// The options of chunks for documents that are added later.
    chunking: Chunking,
    fields: Vec<FieldInfo<'a>>,
    language: Language,
    words_alone: Option<String>,
    /// The pages that a search box shows before the first letter.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    popular: &'a [PopularPage],
    bytes: u64,
    /// The bytes of each kind of section.
    layout: BTreeMap<String, u64>,
}

/// Chunk options by the names that JavaScript has for them; those of the file are others.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Chunking {
    budget: usize,
    min_size: usize,
    overlap: usize,
}

impl From<&ChunkOptions> for Chunking {
    fn from(&ChunkOptions { budget, min_size, overlap }: &ChunkOptions) -> Self {
        Self { budget, min_size, overlap }
    }
}

#[derive(Serialize)]
struct FieldInfo<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    field_type: FieldType,
    /// The number of its different values.
    values: usize,
}

impl<'a> IndexInfo<'a> {
    pub(super) fn of(index: &'a Index) -> Self {
        let manifest = index.manifest();
        let field = |(name, field_type)| FieldInfo { name, field_type, values: index.value_count(name) };
        let mut layout = BTreeMap::new();
        for section in index.file_sections() {
            *layout.entry(section.name).or_default() += section.range.end - section.range.start;
        }
        Self {
            format_version: FORMAT_VERSION,
            generator: &manifest.generator,
            documents: manifest.documents,
            sections: manifest.sections,
            chunks: manifest.chunks,
            model: &manifest.space.name,
            fingerprint: &manifest.space.fingerprint,
            dimensions: manifest.space.dimensions,
            encoder: manifest.build.encoder,
            calibration: manifest.calibration,
            chunking: Chunking::from(&manifest.chunking),
            fields: index.field_types().into_iter().map(field).collect(),
            language: manifest.build.lexical.analyzed(),
            words_alone: manifest.words_alone(),
            popular: &manifest.settings.popular,
            bytes: index.byte_size(),
            layout,
        }
    }
}
