//! The order of documents by a field of their metadata, and their list.

use std::collections::HashSet;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::evaluate::Types;
use crate::allowed::Allowed;
use crate::columns::ColumnKey;
use crate::open::Index;
use crate::places::live_documents;
use ibid_document::FieldType;
use ibid_platform::{Result, deserialize, json, order};
use ibid_text::fold;

/// The field that hits are sorted by. As JSON it is the field's name, or an object with `field` and `order`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sort {
    /// The name of a field of the metadata, or `title`, `url`, `source` or `document_id`.
    pub field: String,
    /// The direction; by default dates, numbers and `true` descend, and texts ascend. Documents without the field come last
    /// either way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<SortOrder>,
}

impl Sort {
    /// Sorts by a field, in the order that is usual for its type.
    pub fn by(field: impl Into<String>) -> Self {
        Self { field: field.into(), order: None }
    }
}

impl<'de> Deserialize<'de> for Sort {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let given = Value::deserialize(deserializer)?;
        if let Value::String(field) = given {
            return Ok(Self::by(field));
        }
        json::by_fields(given, |fields| {
            let read = Self { field: fields.take("field")?, order: fields.take("order")? };
            fields.none_left()?;
            Ok(read)
        })
        .map_err(serde::de::Error::custom)
    }
}

/// The direction of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SortOrder {
    /// The least first: the oldest, the smallest, A before Z.
    Ascending,
    /// The greatest first: the newest, the largest.
    Descending,
}

deserialize!(SortOrder by name: "ascending" => Ascending, "descending" => Descending);

/// A value as readers expect it to be sorted: texts regardless of case and accents first.
type Sortable<'a> = (String, &'a ColumnKey);

fn sortable(key: &ColumnKey) -> Sortable<'_> {
    let mut plain = String::new();
    if let ColumnKey::Keyword(text) = key {
        text.chars().for_each(|char| fold(char, &mut |char| plain.push(char)));
    }
    (plain, key)
}

impl Index {
    /// Computes a place for each chunk by its document's value of a field: the lesser, the earlier it comes. Equal values
    /// have the same place, and documents without the field the last. Of several values the one that comes first counts.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::FilterInvalid`] for a field that no document has; its hint lists those there are.
    /// [`ibid_platform::ErrorCode::IndexIncomplete`] when its column has to be fetched first ([`Index::missing_fields`]).
    pub fn places_by(&self, sort: &Sort, chunks: &[u32], allowed: &Allowed) -> Result<Vec<u32>> {
        let descends = match Types::of(self).get(&sort.field)? {
            FieldType::Keyword | FieldType::Keywords => sort.order == Some(SortOrder::Descending),
            _ => sort.order != Some(SortOrder::Ascending),
        };
        let mut columns = Vec::with_capacity(self.files.len());
        for file in &self.files {
            let mut of_documents: Vec<Option<&ColumnKey>> = vec![None; file.document_count() as usize];
            for (key, documents) in file.column(&sort.field)?.into_iter().flat_map(|column| &column.values) {
                for document in documents {
                    if let Some(known) = of_documents.get_mut(document as usize)
                        && (descends || known.is_none())
                    {
                        *known = Some(key);
                    }
                }
            }
            columns.push(of_documents);
        }
        let key = |&chunk: &u32| {
            let (at, document) = self.shown_document(chunk, allowed)?;
            (*columns.get(at)?.get(document as usize)?).map(sortable)
        };
        let keys: Vec<Option<Sortable<'_>>> = chunks.iter().map(key).collect();
        let mut known: Vec<&Sortable<'_>> = keys.iter().flatten().collect();
        order::by(&mut known, |one, other| if descends { other.cmp(one) } else { one.cmp(other) });
        known.dedup();
        let place = |key: &Sortable<'_>| {
            let before = known.partition_point(|other| if descends { *other > key } else { *other < key });
            before as u32
        };
        Ok(keys.iter().map(|key| key.as_ref().map_or(u32::MAX, place)).collect())
    }

    /// Lists the first chunk of each document that is allowed, in the order of the documents' ids within each file. A document
    /// whose chunks all stand in earlier ones too is not listed.
    pub fn first_chunks(&self, allowed: &Allowed) -> Vec<u32> {
        let mut seen = HashSet::new();
        let mut first: Vec<((usize, u32), u32)> = Vec::new();
        for chunk in allowed.iter() {
            if let Some(document) =
                self.shown_document(chunk, allowed).filter(|document| seen.insert(*document))
            {
                first.push((document, chunk));
            }
        }
        order::by_key(&mut first, |(document, _)| *document);
        first.into_iter().map(|(_, chunk)| chunk).collect()
    }

    /// Finds the document that a chunk is shown in: its file and its number there, as [`Index::chunk_allowed`] has it.
    fn shown_document(&self, chunk: u32, allowed: &Allowed) -> Option<(usize, u32)> {
        let (at, number) = self.file_of(chunk)?;
        let file = self.files.get(at)?;
        let mut live = live_documents(file, number);
        let document = match allowed.matching(at) {
            Some(matching) => live.find(|document| matching.documents_for(number).contains(*document)),
            None => live.next(),
        };
        Some((at, document?))
    }
}
