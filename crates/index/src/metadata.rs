//! The columns of a file's metadata, each read when a query first asks for it, and then kept.

use std::ops::Range;
use std::sync::OnceLock;

use super::blocks::{BlockSection, BlockStore};
use super::columns::{self, Column};
use super::container::corrupt;
use super::records::DocumentRecord;
use super::store::unpack;
use ibid_document::FieldType;
use ibid_platform::{ErrorCode, Result};

/// The fields of every document besides its metadata.
pub(super) const BUILT_IN: [&str; 4] = ["document_id", "source", "title", "url"];

/// Columns that are kept for a file, which never changes.
#[derive(Debug)]
pub(super) struct MetadataStore {
    /// The number of documents.
    documents: u32,
    /// In the order of their names.
    fields: Vec<StoredField>,
    /// One for each field.
    blocks: BlockStore,
    /// A column for each of [`BUILT_IN`], in the same order.
    built_in: OnceLock<Result<Vec<Column>>>,
}

#[derive(Debug)]
struct StoredField {
    name: String,
    field_type: FieldType,
    column: OnceLock<Result<Column>>,
}

impl MetadataStore {
    /// Reads the names of the fields, and where their columns are.
    pub(super) fn open(mut table: &[u8], documents: u32, section: BlockSection) -> Result<Self> {
        let damaged = || corrupt("its table of metadata cannot be read");
        let fields = columns::read_fields(&mut table).ok_or_else(damaged)?;
        let blocks = BlockStore::open("metadata", table, section)?;
        if blocks.len() != fields.len() {
            return Err(damaged());
        }
        let stored = |(name, field_type)| StoredField { name, field_type, column: OnceLock::new() };
        let fields = fields.into_iter().map(stored).collect();
        Ok(Self { documents, fields, blocks, built_in: OnceLock::new() })
    }

    pub(super) fn blocks(&self) -> &BlockStore {
        &self.blocks
    }

    /// Lists the fields of the metadata with their types, those of removed documents included, in the order of their
    /// names.
    pub(super) fn fields(&self) -> impl Iterator<Item = (&str, FieldType)> {
        self.fields.iter().map(|field| (field.name.as_str(), field.field_type))
    }

    /// Counts the different values that a field has, those of removed documents included.
    pub(super) fn value_count(&self, name: &str) -> usize {
        self.position(name).map_or(0, |at| self.blocks.content(at).len())
    }

    /// Lists the columns of all of them.
    pub(super) fn columns(&self) -> Result<Vec<&Column>> {
        (0..self.fields.len()).map(|at| self.read(at)).collect()
    }

    /// A field by its name; `metadata.` in front of it says that it is none of [`BUILT_IN`], which `document` reads.
    pub(super) fn column(
        &self,
        key: &str,
        document: &dyn Fn(u32) -> Result<DocumentRecord>,
    ) -> Result<Option<&Column>> {
        let Some(at) = BUILT_IN.iter().position(|name| *name == key) else {
            return self.position(key).map(|at| self.read(at)).transpose();
        };
        let columns = once(&self.built_in, || read_built_in((0..self.documents).map(document)))?;
        Ok(columns.get(at))
    }

    /// Finds the place of a field's column in the file, if it has still to be fetched.
    pub(super) fn missing(&self, key: &str) -> Option<Range<u64>> {
        self.blocks.missing(self.position(key)?)
    }

    fn position(&self, key: &str) -> Option<usize> {
        let key = key.strip_prefix("metadata.").unwrap_or(key);
        self.fields.iter().position(|field| field.name == key)
    }

    fn read(&self, at: usize) -> Result<&Column> {
        let StoredField { name, field_type, column } = &self.fields[at];
        once(column, || {
            let block = unpack(&self.blocks.get_checked(at)?);
            let count = self.blocks.content(at).len();
            let values =
                block.and_then(|block| columns::read_values(&block, *field_type, count, self.documents));
            let values = values.ok_or_else(|| corrupt(format!("its metadata block {at} cannot be read")))?;
            Ok(Column { name: name.clone(), field_type: *field_type, values })
        })
    }
}

/// Returns a value that is kept, or else reads it. A block that is not there may still come, so that error is not kept.
fn once<T>(kept: &OnceLock<Result<T>>, read: impl FnOnce() -> Result<T>) -> Result<&T> {
    if kept.get().is_none() {
        match read() {
            Err(error) if error.code() == ErrorCode::IndexIncomplete => return Err(error),
            read => drop(kept.set(read)),
        }
    }
    match kept.get() {
        Some(read) => read.as_ref().map_err(Clone::clone),
        None => Err(corrupt("its metadata cannot be read")),
    }
}

fn read_built_in(records: impl Iterator<Item = Result<DocumentRecord>>) -> Result<Vec<Column>> {
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
