//! What is read of a segment once, when it is first asked for, and then kept: its metadata's columns, and which chunks
//! each document has.

use std::ops::Range;
use std::sync::OnceLock;

use super::catalog::Catalog;
use super::columns::{self, Column};
use super::container::SharedBytes;
use super::records::DocumentRecord;
use ibid_platform::Result;

/// What every document has beside the fields of its metadata.
pub(super) const BUILT_IN: [&str; 4] = ["document_id", "source", "title", "url"];

/// Kept for a segment, none of which ever changes.
#[derive(Debug)]
pub(super) struct SegmentLookup {
    /// The section with the columns, unpacked.
    section: SharedBytes,
    columns: OnceLock<Result<Vec<Column>>>,
    /// A column for each of [`BUILT_IN`], in the same order.
    built_in: OnceLock<Result<Vec<Column>>>,
    /// The first chunk of each document, and behind the last one the number of chunks.
    first_chunks: OnceLock<Vec<u32>>,
}

impl SegmentLookup {
    pub(super) fn new(section: SharedBytes) -> Self {
        Self { section, columns: OnceLock::new(), built_in: OnceLock::new(), first_chunks: OnceLock::new() }
    }

    /// The fields of the metadata, removed documents included, in the order of their names.
    pub(super) fn columns(&self, catalog: &Catalog) -> Result<&[Column]> {
        let decode = || columns::decode(&self.section, catalog.counts().documents);
        let columns = self.columns.get_or_init(decode);
        columns.as_deref().map_err(Clone::clone)
    }

    /// A field by its name; `metadata.` in front of it says that it is none of [`BUILT_IN`].
    pub(super) fn column(&self, catalog: &Catalog, key: &str) -> Result<Option<&Column>> {
        if let Some(at) = BUILT_IN.iter().position(|name| *name == key) {
            let columns = self.built_in.get_or_init(|| read_built_in(catalog));
            return Ok(columns.as_deref().map_err(Clone::clone)?.get(at));
        }
        let key = key.strip_prefix("metadata.").unwrap_or(key);
        Ok(self.columns(catalog)?.iter().find(|column| column.name == key))
    }

    /// The chunks whose first place is in a document: documents have their chunks one after the other.
    pub(super) fn chunks_of(&self, catalog: &Catalog, document: u32) -> Range<u32> {
        let firsts = self.first_chunks.get_or_init(|| first_chunks(catalog));
        let at = document as usize;
        match firsts.get(at..at.saturating_add(2)) {
            Some(&[start, end]) => start..end,
            _ => 0..0,
        }
    }
}

fn read_built_in(catalog: &Catalog) -> Result<Vec<Column>> {
    let records = (0..catalog.counts().documents).map(|number| catalog.document(number));
    let records = records.collect::<Result<Vec<DocumentRecord>>>()?;
    let column = |name: &str| {
        let value = |record: &DocumentRecord| match name {
            "document_id" => Some(record.metadata.document_id.clone()),
            "source" => Some(record.source.clone()),
            "title" => Some(record.metadata.title.clone()),
            _ => record.metadata.url.clone(),
        };
        columns::of_texts(name, records.iter().map(value))
    };
    Ok(BUILT_IN.into_iter().map(column).collect())
}

/// That chunks are in the order of their documents was checked when the file was opened.
fn first_chunks(catalog: &Catalog) -> Vec<u32> {
    let counts = catalog.counts();
    let mut firsts = Vec::with_capacity(counts.documents as usize + 1);
    for number in 0..counts.chunks {
        let document = catalog.chunk(number).map_or(0, |chunk| catalog.document_of(chunk.place.section));
        while firsts.len() <= document as usize {
            firsts.push(number);
        }
    }
    firsts.resize(counts.documents as usize + 1, counts.chunks);
    firsts
}
