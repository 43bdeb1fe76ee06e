//! The columns of a segment's metadata, read when a query first asks for them, and then kept.

use std::sync::OnceLock;

use super::columns::{self, Column};
use super::container::SharedBytes;
use super::records::DocumentRecord;
use super::segment::Segment;
use ibid_platform::{ErrorCode, Result};

/// The fields of every document besides its metadata.
pub(super) const BUILT_IN: [&str; 4] = ["document_id", "source", "title", "url"];

/// Columns that are kept for a segment, which never changes.
#[derive(Debug)]
pub(super) struct SegmentLookup {
    /// The section with the columns, unpacked.
    section: SharedBytes,
    columns: OnceLock<Result<Vec<Column>>>,
    /// A column for each of [`BUILT_IN`], in the same order.
    built_in: OnceLock<Result<Vec<Column>>>,
}

impl SegmentLookup {
    pub(super) fn new(section: SharedBytes) -> Self {
        Self { section, columns: OnceLock::new(), built_in: OnceLock::new() }
    }

    /// The fields of the metadata, removed documents included, in the order of their names.
    pub(super) fn columns(&self, documents: u32) -> Result<&[Column]> {
        let columns = self.columns.get_or_init(|| columns::decode(&self.section, documents));
        columns.as_deref().map_err(Clone::clone)
    }

    /// A field by its name; `metadata.` in front of it says that it is none of [`BUILT_IN`].
    pub(super) fn column(&self, segment: &Segment, key: &str) -> Result<Option<&Column>> {
        if let Some(at) = BUILT_IN.iter().position(|name| *name == key) {
            if self.built_in.get().is_none() {
                match read_built_in(segment) {
                    // The blocks may still come.
                    Err(error) if error.code() == ErrorCode::IndexIncomplete => return Err(error),
                    read => drop(self.built_in.set(read)),
                }
            }
            let columns =
                self.built_in.get().map_or(Ok(&[][..]), |read| read.as_deref().map_err(Clone::clone));
            return Ok(columns?.get(at));
        }
        let key = key.strip_prefix("metadata.").unwrap_or(key);
        Ok(self.columns(segment.counts().documents)?.iter().find(|column| column.name == key))
    }
}

fn read_built_in(segment: &Segment) -> Result<Vec<Column>> {
    let records = (0..segment.counts().documents).map(|number| segment.document(number));
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
