//! The metadata of a segment's documents, field by field: which documents have which value.
//!
//! A field is a dictionary of its values in order, each with the bitmap of the documents that have it. A filter needs
//! nothing more: a value is found by binary search, a range is a run of values, and both give a set of documents at
//! once. Bitmaps are Roaring bitmaps (Lemire and others, arXiv:1709.07821) in their portable serialized form.

use std::collections::BTreeMap;

use roaring::RoaringBitmap;

use super::bits::Bits;
use super::container::{SharedBytes, corrupt, u32_at};
use super::records::DocumentRecord;
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
    /// The key that was written as this text; what cannot be read as the type stays a text.
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

    /// The value as a number, if it is one.
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

/// A number as JSON has it, but for a fraction of zero. The library's own way of writing floats is 5 KB of code and tables
/// more, and no other part of a search needs it.
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

/// The code of a type in the file.
fn code(field_type: FieldType) -> u32 {
    match field_type {
        FieldType::Boolean => 0,
        FieldType::Integer => 1,
        FieldType::Float => 2,
        FieldType::Date => 3,
        FieldType::Keyword => 4,
        FieldType::Keywords => 5,
    }
}

fn type_of(code: u32) -> Option<FieldType> {
    use FieldType::{Boolean, Date, Float, Integer, Keyword, Keywords};
    [Boolean, Integer, Float, Date, Keyword, Keywords].get(code as usize).copied()
}

/// The number of fields; for each its name, the code of its type, the number of its values, and for each of these its
/// text and its bitmap. Names, texts and bitmaps come after their length; all numbers are `u32`.
pub(super) fn encode(documents: &[DocumentRecord]) -> Result<Vec<u8>> {
    let mut fields: BTreeMap<&str, (FieldType, BTreeMap<ColumnKey, RoaringBitmap>)> = BTreeMap::new();
    for (document, number) in documents.iter().zip(0u32..) {
        for (name, value) in &document.metadata.fields {
            let (_, values) = fields.entry(name).or_insert_with(|| (value.field_type(), BTreeMap::new()));
            for key in keys(value) {
                values.entry(key).or_default().insert(number);
            }
        }
    }
    let mut out = (fields.len() as u32).to_le_bytes().to_vec();
    let put = |out: &mut Vec<u8>, bytes: &[u8]| {
        out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        out.extend_from_slice(bytes);
    };
    for (name, (field_type, values)) in fields {
        put(&mut out, name.as_bytes());
        [code(field_type), values.len() as u32].iter().for_each(|word| out.extend(word.to_le_bytes()));
        for (key, bitmap) in values {
            put(&mut out, key.text().as_bytes());
            let mut bytes = Vec::with_capacity(bitmap.serialized_size());
            bitmap
                .serialize_into(&mut bytes)
                .map_err(|error| Error::new(ErrorCode::Internal, error.to_string()))?;
            put(&mut out, &bytes);
        }
    }
    Ok(out)
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

/// A field of one segment.
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

/// Reads all columns, whose bitmaps may name no document from `documents` on.
pub(super) fn decode(section: &SharedBytes, documents: u32) -> Result<Vec<Column>> {
    let mut reader = ColumnReader { bytes: section };
    let columns = reader.columns(documents).ok_or_else(|| corrupt("its metadata columns cannot be read"))?;
    if reader.bytes.is_empty() { Ok(columns) } else { Err(corrupt("bytes follow its metadata columns")) }
}

/// The fields of all segments together, each given with its live documents. Where segments disagree on a type, the
/// first one's stands. Values that only removed documents have are left out.
pub(super) fn merge<'a>(segments: impl Iterator<Item = (&'a [Column], Bits)>) -> Vec<MetadataField> {
    let mut fields: BTreeMap<&str, (FieldType, u64, BTreeMap<ColumnKey, u64>)> = BTreeMap::new();
    for (columns, live) in segments {
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

struct ColumnReader<'a> {
    bytes: &'a [u8],
}

impl<'a> ColumnReader<'a> {
    fn word(&mut self) -> Option<u32> {
        let (word, rest) = self.bytes.split_at_checked(4)?;
        self.bytes = rest;
        Some(u32_at(word, 0))
    }

    fn sized(&mut self) -> Option<&'a [u8]> {
        let length = self.word()? as usize;
        let (bytes, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<String> {
        Some(std::str::from_utf8(self.sized()?).ok()?.to_owned())
    }

    fn columns(&mut self, documents: u32) -> Option<Vec<Column>> {
        let mut columns = Vec::new();
        for _ in 0..self.word()? {
            let (name, field_type) = (self.text()?, type_of(self.word()?)?);
            let mut values = Vec::new();
            for _ in 0..self.word()? {
                let text = self.text()?;
                let bytes = self.sized()?;
                let bitmap = RoaringBitmap::deserialize_from(bytes).ok()?;
                if bitmap.max().is_some_and(|last| last >= documents) {
                    return None;
                }
                values.push((ColumnKey::read(field_type, text), bitmap));
            }
            columns.push(Column { name, field_type, values });
        }
        Some(columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_document::Metadata;

    fn document(fields: &[(&str, MetadataValue)]) -> DocumentRecord {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        DocumentRecord { metadata: Metadata { fields, ..Metadata::default() }, ..DocumentRecord::default() }
    }

    fn columns() -> (Vec<u8>, Vec<Column>) {
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
        let bytes = encode(&documents).unwrap();
        let columns = decode(&bytes.clone().into(), 3).unwrap();
        (bytes, columns)
    }

    #[test]
    fn values_are_sorted_by_their_type_and_know_their_documents() {
        let (_, columns) = columns();
        let seen: Vec<_> = columns
            .iter()
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
    fn segments_are_counted_together() {
        let (one, other) = (columns().1, columns().1);
        let mut without_first = Bits::all(3);
        without_first.remove(0);
        let fields = merge([(&one[..], Bits::all(3)), (&other[..], without_first)].into_iter());
        let seen: Vec<_> = fields.iter().map(|field| (field.name.as_str(), field.documents)).collect();
        assert_eq!(seen, [("draft", 2), ("drugs", 3), ("weight", 5), ("year", 2)]);
        let weights = [("-2", 2), ("9", 2), ("10.5", 1)].map(|(text, count)| (text.to_owned(), count));
        assert_eq!(fields[2].values, weights);
    }

    #[test]
    fn damaged_columns_are_refused() {
        let (bytes, _) = columns();
        assert!(decode(&bytes.clone().into(), 2).is_err());
        for end in 0..bytes.len() {
            assert!(decode(&bytes[..end].to_vec().into(), 3).is_err(), "cut at {end}");
        }
        for at in 0..bytes.len() {
            for value in [0, 0x7F, 0xFF] {
                let mut changed = bytes.clone();
                changed[at] = value;
                let _ = decode(&changed.into(), 3);
            }
        }
    }
}
