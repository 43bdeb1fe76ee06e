//! The metadata of a file's documents, field by field: which documents have which value.
//!
//! A field is a dictionary of its values in order, each with the bitmap of the documents that have it. A filter needs
//! nothing more: a value is found by binary search, a range is a run of values, and both give a set of documents at
//! once. Bitmaps are Roaring bitmaps (Lemire and others, arXiv:1709.07821) in their portable serialized form.

use std::collections::BTreeMap;

use roaring::RoaringBitmap;

use super::bits::Bits;
use super::blocks::BlockWriter;
use super::records::DocumentRecord;
use super::store::push_block;
use super::varint::{read_varint, write_varint};
use ibid_document::{Date, FieldType, MetadataValue};
use ibid_platform::{Error, ErrorCode, Result, parse_float};

/// A field of the metadata over a whole index.
#[derive(Clone, Debug, PartialEq)]
pub struct MetadataField {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub field_type: FieldType,
    /// The number of documents that have it.
    pub documents: u64,
    /// Its values in order, as text, each with the number of documents that have it.
    pub values: Vec<(String, u64)>,
}

/// A value as fields are sorted by it. Lists count as several keywords.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ColumnKey {
    Boolean(bool),
    Integer(i64),
    /// The bits of a finite number, changed so that their order is the numbers'.
    Float(u64),
    Date(Date),
    Keyword(String),
}

impl ColumnKey {
    /// Reads the key that was written as this text; what cannot be read as the type stays a text.
    fn read(field_type: FieldType, text: String) -> Self {
        let key = match field_type {
            FieldType::Boolean => text.parse().ok().map(Self::Boolean),
            FieldType::Integer => text.parse().ok().map(Self::Integer),
            FieldType::Float => parse_float(&text).map(Self::float),
            FieldType::Date => text.parse().ok().map(Self::Date),
            FieldType::Keyword | FieldType::Keywords => None,
        };
        key.unwrap_or(Self::Keyword(text))
    }

    /// A finite number; zero has no sign.
    pub(super) fn float(number: f64) -> Self {
        Self::Float(ordered_bits(number + 0.0))
    }

    /// Reads the value as a number, if it is one.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Integer(value) => Some(*value as f64),
            Self::Float(bits) => Some(float_of(*bits)),
            _ => None,
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Boolean(value) => value.to_string(),
            Self::Integer(value) => value.to_string(),
            Self::Float(bits) => shown(float_of(*bits)),
            Self::Date(value) => value.to_string(),
            Self::Keyword(value) => value.clone(),
        }
    }
}

/// Writes a number as JSON has it, but for a fraction of zero. The library's own way of writing floats is 5 KB of code
/// and tables more, and no other part of a search needs it.
fn shown(float: f64) -> String {
    let text = serde_json::Value::from(float).to_string();
    text.strip_suffix(".0").map_or(text.as_str(), |whole| whole).to_owned()
}

const SIGN: u64 = 1 << 63;

fn ordered_bits(float: f64) -> u64 {
    let bits = float.to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

fn float_of(ordered: u64) -> f64 {
    f64::from_bits(if ordered & SIGN == 0 { !ordered } else { ordered & !SIGN })
}

/// Looks up the code of a type in the file.
fn code(field_type: FieldType) -> u8 {
    match field_type {
        FieldType::Boolean => 0,
        FieldType::Integer => 1,
        FieldType::Float => 2,
        FieldType::Date => 3,
        FieldType::Keyword => 4,
        FieldType::Keywords => 5,
    }
}

fn type_of(code: u8) -> Option<FieldType> {
    use FieldType::{Boolean, Date, Float, Integer, Keyword, Keywords};
    [Boolean, Integer, Float, Date, Keyword, Keywords].get(code as usize).copied()
}

/// The sections with the columns.
pub(super) struct EncodedColumns {
    /// The number of fields; of each its name and the code of its type; and a table of blocks, one for each field, which counts
    /// its values.
    pub(super) table: Vec<u8>,
    /// A block has the text and the bitmap of each value.
    pub(super) bytes: Vec<u8>,
}

/// Names, texts and bitmaps come after their length. All numbers are varints.
pub(super) fn encode(documents: &[DocumentRecord]) -> Result<EncodedColumns> {
    let mut fields: BTreeMap<&str, (FieldType, BTreeMap<ColumnKey, RoaringBitmap>)> = BTreeMap::new();
    for (document, number) in documents.iter().zip(0u32..) {
        for (name, value) in &document.metadata.fields {
            let (_, values) = fields.entry(name).or_insert_with(|| (value.field_type(), BTreeMap::new()));
            for key in keys(value) {
                values.entry(key).or_default().insert(number);
            }
        }
    }
    let put = |out: &mut Vec<u8>, bytes: &[u8]| {
        write_varint(out, bytes.len() as u32);
        out.extend_from_slice(bytes);
    };
    // A list may be empty in every document.
    fields.retain(|_, (_, values)| !values.is_empty());
    let mut table = Vec::new();
    write_varint(&mut table, fields.len() as u32);
    let mut end = 0;
    let mut writer = BlockWriter::default();
    for (name, (field_type, values)) in fields {
        put(&mut table, name.as_bytes());
        table.push(code(field_type));
        end += values.len();
        let mut block = Vec::new();
        for (key, bitmap) in values {
            put(&mut block, key.text().as_bytes());
            let mut bytes = Vec::with_capacity(bitmap.serialized_size());
            bitmap
                .serialize_into(&mut bytes)
                .map_err(|error| Error::new(ErrorCode::Internal, error.to_string()))?;
            put(&mut block, &bytes);
        }
        push_block(&mut writer, end, block)?;
    }
    table.extend(writer.table);
    Ok(EncodedColumns { table, bytes: writer.bytes })
}

fn keys(value: &MetadataValue) -> Vec<ColumnKey> {
    match value {
        MetadataValue::Boolean(value) => vec![ColumnKey::Boolean(*value)],
        MetadataValue::Integer(value) => vec![ColumnKey::Integer(*value)],
        MetadataValue::Float(value) => vec![ColumnKey::float(*value)],
        MetadataValue::Date(value) => vec![ColumnKey::Date(*value)],
        MetadataValue::Keyword(value) => vec![ColumnKey::Keyword(value.clone())],
        MetadataValue::Keywords(values) => values.iter().cloned().map(ColumnKey::Keyword).collect(),
    }
}

/// A field of one file.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) field_type: FieldType,
    /// In order, each with the documents that have it.
    pub(super) values: Vec<(ColumnKey, RoaringBitmap)>,
}

/// A field of keywords that is not stored as a column: for each document its value, if it has one.
pub(super) fn of_texts(name: &str, texts: impl Iterator<Item = Option<String>>) -> Column {
    let mut values: BTreeMap<ColumnKey, RoaringBitmap> = BTreeMap::new();
    for (text, number) in texts.zip(0u32..) {
        if let Some(text) = text {
            values.entry(ColumnKey::Keyword(text)).or_default().insert(number);
        }
    }
    Column { name: name.to_owned(), field_type: FieldType::Keyword, values: values.into_iter().collect() }
}

/// Reads the names and the types of the fields; the table of blocks follows them in `table`.
pub(super) fn read_fields(table: &mut &[u8]) -> Option<Vec<(String, FieldType)>> {
    let mut fields = Vec::new();
    for _ in 0..read_varint(table)? {
        let name = read_text(table)?;
        let (&code, rest) = table.split_first()?;
        *table = rest;
        fields.push((name, type_of(code)?));
    }
    Some(fields)
}

/// Reads a field's block with that many values, whose bitmaps may name no document from `documents` on.
pub(super) fn read_values(
    mut block: &[u8],
    field_type: FieldType,
    count: usize,
    documents: u32,
) -> Option<Vec<(ColumnKey, RoaringBitmap)>> {
    let mut values = Vec::new();
    for _ in 0..count {
        let text = read_text(&mut block)?;
        let bitmap = RoaringBitmap::deserialize_from(read_sized(&mut block)?).ok()?;
        if bitmap.max().is_some_and(|last| last >= documents) {
            return None;
        }
        values.push((ColumnKey::read(field_type, text), bitmap));
    }
    block.is_empty().then_some(values)
}

fn read_sized<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = read_varint(bytes)? as usize;
    let (sized, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(sized)
}

fn read_text(bytes: &mut &[u8]) -> Option<String> {
    Some(std::str::from_utf8(read_sized(bytes)?).ok()?.to_owned())
}

/// Merges the fields of all files together, each given with its live documents. Where files disagree on a type, the
/// first one's stands. Values that only removed documents have are left out.
pub(super) fn merge<'a>(files: impl Iterator<Item = (Vec<&'a Column>, &'a Bits)>) -> Vec<MetadataField> {
    let mut fields: BTreeMap<&str, (FieldType, u64, BTreeMap<ColumnKey, u64>)> = BTreeMap::new();
    for (columns, live) in files {
        for column in columns {
            let mut all = RoaringBitmap::new();
            for (key, documents) in &column.values {
                let documents: RoaringBitmap = documents.iter().filter(|at| live.contains(*at)).collect();
                if documents.is_empty() {
                    continue;
                }
                let field =
                    fields.entry(&column.name).or_insert_with(|| (column.field_type, 0, BTreeMap::new()));
                let key = if field.0 == column.field_type {
                    key.clone()
                } else {
                    ColumnKey::read(field.0, key.text())
                };
                *field.2.entry(key).or_default() += documents.len();
                all |= documents;
            }
            if let Some(field) = fields.get_mut(column.name.as_str()) {
                field.1 += all.len();
            }
        }
    }
    let field =
        |(name, (field_type, documents, values)): (&str, (FieldType, u64, BTreeMap<ColumnKey, u64>))| {
            let values = values.into_iter().map(|(key, count)| (key.text(), count)).collect();
            MetadataField { name: name.to_owned(), field_type, documents, values }
        };
    fields.into_iter().map(field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::BlockSection;
    use crate::metadata::MetadataStore;
    use crate::store::unpack;
    use ibid_document::Metadata;

    fn document(fields: &[(&str, MetadataValue)]) -> DocumentRecord {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        DocumentRecord { metadata: Metadata { fields, ..Metadata::default() }, ..DocumentRecord::default() }
    }

    fn encoded() -> EncodedColumns {
        let float = MetadataValue::Float;
        let drugs = |names: &[&str]| MetadataValue::Keywords(names.iter().map(ToString::to_string).collect());
        let documents = [
            document(&[("weight", float(10.5)), ("drugs", drugs(&["b", "a"]))]),
            document(&[("weight", float(-2.0)), ("draft", MetadataValue::Boolean(true))]),
            document(&[
                ("weight", float(9.0)),
                ("drugs", drugs(&["b"])),
                ("year", MetadataValue::Integer(-3)),
            ]),
        ];
        encode(&documents).unwrap()
    }

    fn open(table: &[u8], bytes: &[u8], documents: u32) -> Result<MetadataStore> {
        let (length, bytes) = (bytes.len() as u64, Some(bytes.to_vec().into()));
        MetadataStore::open(table, documents, BlockSection { at: 0, length, bytes })
    }

    fn lookup() -> MetadataStore {
        let EncodedColumns { table, bytes } = encoded();
        open(&table, &bytes, 3).unwrap()
    }

    #[test]
    fn values_are_sorted_by_their_type_and_know_their_documents() {
        let lookup = lookup();
        let seen: Vec<_> = lookup
            .columns()
            .unwrap()
            .into_iter()
            .map(|column| {
                let values = column.values.iter();
                let values: Vec<_> =
                    values.map(|(key, bitmap)| (key.text(), bitmap.iter().collect::<Vec<_>>())).collect();
                (column.name.as_str(), column.field_type, values)
            })
            .collect();
        let expected = [
            ("draft", FieldType::Boolean, vec![("true", vec![1])]),
            ("drugs", FieldType::Keywords, vec![("a", vec![0]), ("b", vec![0, 2])]),
            ("weight", FieldType::Float, vec![("-2", vec![1]), ("9", vec![2]), ("10.5", vec![0])]),
            ("year", FieldType::Integer, vec![("-3", vec![2])]),
        ]
        .map(|(name, field_type, values)| {
            let values = values.into_iter().map(|(text, documents)| (text.to_owned(), documents));
            (name, field_type, values.collect::<Vec<_>>())
        });
        assert_eq!(seen, expected);
    }

    #[test]
    fn files_are_counted_together() {
        let (one, other) = (lookup(), lookup());
        let (all, mut without_first) = (Bits::all(3), Bits::all(3));
        without_first.remove(0);
        let columns = [(one.columns().unwrap(), &all), (other.columns().unwrap(), &without_first)];
        let fields = merge(columns.into_iter());
        let seen: Vec<_> = fields.iter().map(|field| (field.name.as_str(), field.documents)).collect();
        assert_eq!(seen, [("draft", 2), ("drugs", 3), ("weight", 5), ("year", 2)]);
        let weights = [("-2", 2), ("9", 2), ("10.5", 1)].map(|(text, count)| (text.to_owned(), count));
        assert_eq!(fields[2].values, weights);
    }

    #[test]
    fn damaged_columns_are_refused() {
        let EncodedColumns { table, bytes } = encoded();
        assert!(open(&table, &bytes, 2).unwrap().columns().is_err());
        for end in 0..table.len() {
            assert!(open(&table[..end], &bytes, 3).is_err(), "cut at {end}");
        }
        for at in 0..table.len() + bytes.len() {
            for value in [0, 0x7F, 0xFF] {
                let mut changed = [table.clone(), bytes.clone()].concat();
                changed[at] = value;
                let (table, bytes) = changed.split_at(table.len());
                let _ =
                    open(table, bytes, 3).and_then(|lookup| lookup.columns().map(|columns| columns.len()));
            }
        }
        // A crafted file has right checksums.
        let lookup = lookup();
        let block = unpack(&lookup.blocks().get(1).unwrap()).unwrap();
        let count = lookup.value_count("drugs");
        assert_eq!(read_values(&block, FieldType::Keywords, count, 3).unwrap().len(), count);
        for end in 0..block.len() {
            assert!(read_values(&block[..end], FieldType::Keywords, count, 3).is_none(), "cut at {end}");
        }
        for at in 0..block.len() {
            for value in [0, 0x7F, 0xFF] {
                let mut changed = block.clone();
                changed[at] = value;
                let _ = read_values(&changed, FieldType::Keywords, count, 3);
            }
        }
    }

    #[test]
    fn columns_come_one_by_one() {
        let EncodedColumns { table, bytes } = encoded();
        let section = BlockSection { at: 1000, length: bytes.len() as u64, bytes: None };
        let lookup = MetadataStore::open(&table, 3, section).unwrap();
        assert_eq!(lookup.fields().count(), 4);
        let missing = lookup.missing("metadata.drugs").unwrap();
        assert_eq!(lookup.columns().unwrap_err().code(), ErrorCode::IndexIncomplete);
        let piece = bytes[missing.start as usize - 1000..missing.end as usize - 1000].to_vec();
        lookup.blocks().provide(missing.start, &piece.into()).unwrap();
        assert!(lookup.missing("drugs").is_none() && lookup.missing("nothing").is_none());
        assert!(lookup.missing("weight").is_some());
        assert_eq!(lookup.columns().unwrap_err().code(), ErrorCode::IndexIncomplete);
        lookup.blocks().provide(1000, &bytes.into()).unwrap();
        assert_eq!(lookup.columns().unwrap().len(), 4);
    }
}
