//! The number of times each value of a field occurs among what a search may find.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::evaluate::Types;
use crate::allowed::{Allowed, Matching};
use crate::bits::Bits;
use crate::columns::ColumnKey;
use crate::open::Index;
use crate::open_file::{OpenFile, with_first_chunks};
use ibid_document::FieldType;
use ibid_platform::{Result, order};

/// A field with its values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Facet {
    /// The field's name.
    pub field: String,
    /// The type of its values.
    pub field_type: FieldType,
    /// The number of documents that have it.
    pub documents: u64,
    /// Its values with the number of documents that have each, the most frequent first; of those that are equally
    /// frequent the lesser.
    pub values: Vec<FacetCount>,
    /// The least value of a field of numbers or dates.
    pub min: Option<FacetValue>,
    /// The greatest.
    pub max: Option<FacetValue>,
}

/// A value and how often it occurs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FacetCount {
    /// The value.
    pub value: FacetValue,
    /// The number of documents that have it.
    pub count: u64,
}

/// A value of a field, in JSON as itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FacetValue {
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// Another number.
    Float(f64),
    /// A keyword or a date.
    Text(String),
}

impl From<&ColumnKey> for FacetValue {
    fn from(key: &ColumnKey) -> Self {
        match key {
            ColumnKey::Boolean(flag) => Self::Boolean(*flag),
            ColumnKey::Integer(number) => Self::Integer(*number),
            ColumnKey::Float(_) => key.number().map_or_else(|| Self::Text(key.text()), Self::Float),
            ColumnKey::Date(_) | ColumnKey::Keyword(_) => Self::Text(key.text()),
        }
    }
}

impl Index {
    /// For each of these fields its values, with the number of documents that have them. Counted are the documents with
    /// an allowed chunk, or, where chunks were `found`, with one of these; and, where a filter says which chunks are
    /// allowed, among them those that it holds for.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::FilterInvalid`] for a field that no document has; its hint lists those there are.
    pub fn facets(&self, fields: &[String], allowed: &Allowed, found: Option<&[u32]>) -> Result<Vec<Facet>> {
        let types = Types::of(self);
        let documents: Vec<Bits> = with_first_chunks(&self.files)
            .enumerate()
            .map(|(at, (first, file))| {
                let Some(found) = found else { return self.counted(at, allowed) };
                let here = found.iter().filter_map(|chunk| chunk.checked_sub(first));
                counted_of(file, here.filter(|chunk| *chunk < file.chunk_count()), allowed.matching(at))
            })
            .collect();
        fields.iter().map(|field| self.facet(field, types.get(field)?, &documents)).collect()
    }

    fn facet(&self, field: &str, field_type: FieldType, counted: &[Bits]) -> Result<Facet> {
        let mut counts: BTreeMap<&ColumnKey, u64> = BTreeMap::new();
        let mut documents = 0;
        for (file, counted) in self.files.iter().zip(counted) {
            let mut with_field = Bits::none(file.document_count());
            let column = file.column(field)?;
            for (key, holders) in column.into_iter().flat_map(|column| &column.values) {
                let mut count = 0;
                for at in holders.iter().filter(|at| counted.contains(*at)) {
                    with_field.insert(at);
                    count += 1;
                }
                if count > 0 {
                    *counts.entry(key).or_default() += count;
                }
            }
            documents += u64::from(with_field.count());
        }
        let is_ordered = matches!(field_type, FieldType::Integer | FieldType::Float | FieldType::Date);
        let end = |key: Option<&&ColumnKey>| key.filter(|_| is_ordered).map(|key| FacetValue::from(*key));
        let (min, max) = (end(counts.keys().next()), end(counts.keys().next_back()));
        let mut values: Vec<(&ColumnKey, u64)> = counts.into_iter().collect();
        // They are in the order of their values, which a stable sort keeps.
        order::by_key(&mut values, |(_, count)| std::cmp::Reverse(*count));
        let values = values.into_iter().map(|(key, count)| FacetCount { value: key.into(), count }).collect();
        Ok(Facet { field: field.to_owned(), field_type, documents, values, min, max })
    }

    /// Finds the documents of a file that count: those with an allowed chunk that the filter holds for.
    fn counted(&self, at: usize, allowed: &Allowed) -> Bits {
        let file = &self.files[at];
        let home = &file.home;
        let mut counted = Bits::none(file.document_count());
        let Some(matching) = allowed.matching(at) else {
            return file.live.clone();
        };
        let is_named = |chunk: u32| matching.named.binary_search_by_key(&chunk, |(chunk, _)| *chunk).is_ok();
        for document in matching.documents.iter() {
            if home.chunks_of(document).any(|chunk| !is_named(chunk)) {
                counted.insert(document);
            }
        }
        for place in home.further() {
            if matching.documents.contains(place.document) && !is_named(place.chunk) {
                counted.insert(place.document);
            }
        }
        for (chunk, documents) in &matching.named {
            let all = home.documents_of(*chunk);
            all.filter(|document| documents.contains(*document)).for_each(|at| counted.insert(at));
        }
        counted
    }
}

/// Finds the documents of some chunks of a file, as far as a filter holds for them.
fn counted_of(file: &OpenFile, chunks: impl Iterator<Item = u32>, matching: Option<&Matching>) -> Bits {
    let mut counted = Bits::none(file.document_count());
    for chunk in chunks {
        let holds = |document: u32| match matching {
            Some(matching) => matching.documents_for(chunk).contains(document),
            None => file.live.contains(document),
        };
        file.home.documents_of(chunk).filter(|at| holds(*at)).for_each(|at| counted.insert(at));
    }
    counted
}
