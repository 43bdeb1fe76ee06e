//! One type for each field of the metadata, over all documents of an index.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::{FieldType, Metadata, MetadataValue};
use crate::error::{Error, ErrorCode, Result};

/// The types of the fields of all documents of a build.
///
/// Types are widened where that loses nothing: whole numbers beside others become floats, and a keyword beside lists
/// of keywords becomes a list. So all documents are [added](Self::add) first, and then each is
/// [converted](Self::convert).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    /// Each field's type, and the document that it was first found in.
    fields: BTreeMap<String, (FieldType, String)>,
}

impl Schema {
    /// Takes the fields of a document into account; `source` names it in errors.
    ///
    /// # Errors
    /// [`ErrorCode::MetadataType`] when a value is of a type that does not go together with what an earlier document
    /// has, or with what a [known](FieldType::known) field is. The schema is then as if the field had not been there.
    pub fn add(&mut self, source: &str, metadata: &Metadata) -> Result<()> {
        for (name, value) in &metadata.fields {
            if let Some(known) = FieldType::known(name) {
                if value.field_type() != known {
                    return Err(clash(
                        &format!(
                            "Metadata field `{name}` is of type {known}; in `{source}` it is of type {}",
                            value.field_type()
                        ),
                        value,
                    ));
                }
                self.fields.entry(name.clone()).or_insert_with(|| (known, source.to_owned()));
                continue;
            }
            match self.fields.entry(name.clone()) {
                Entry::Vacant(vacant) => {
                    vacant.insert((value.field_type(), source.to_owned()));
                }
                Entry::Occupied(mut occupied) => {
                    let (have, first) = occupied.get();
                    let found = value.field_type();
                    let Some(both) = widened(*have, found) else {
                        return Err(clash(
                            &format!(
                                "Metadata field `{name}` is of type {have} in `{first}` and of type {found} in `{source}`"
                            ),
                            value,
                        ));
                    };
                    occupied.get_mut().0 = both;
                }
            }
        }
        Ok(())
    }

    /// Makes every value of a document that was added the type that all documents agree on.
    pub fn convert(&self, metadata: &mut Metadata) {
        for (name, value) in &mut metadata.fields {
            if let Some((wanted, _)) = self.fields.get(name) {
                let held = std::mem::replace(value, MetadataValue::Boolean(false));
                *value = held.convert(*wanted).unwrap_or_else(|held| held);
            }
        }
    }

    /// The type of a field; `None` where no document has it.
    pub fn field_type(&self, name: &str) -> Option<FieldType> {
        self.fields.get(name).map(|(kind, _)| *kind)
    }

    /// All fields with their types, in the order of their names.
    pub fn fields(&self) -> impl Iterator<Item = (&str, FieldType)> {
        self.fields.iter().map(|(name, (kind, _))| (name.as_str(), *kind))
    }
}

/// The one type that values of both fit into without loss.
fn widened(one: FieldType, other: FieldType) -> Option<FieldType> {
    match (one, other) {
        _ if one == other => Some(one),
        (FieldType::Integer, FieldType::Float) | (FieldType::Float, FieldType::Integer) => {
            Some(FieldType::Float)
        }
        (FieldType::Keyword, FieldType::Keywords) | (FieldType::Keywords, FieldType::Keyword) => {
            Some(FieldType::Keywords)
        }
        _ => None,
    }
}

fn clash(what: &str, value: &MetadataValue) -> Error {
    let mut shown: String = value.to_string().chars().take(40).collect();
    if shown.len() < value.to_string().len() {
        shown.push('…');
    }
    Error::new(ErrorCode::MetadataType, format!("{what} (`{shown}`)."))
        .with_hint("Write the field alike in all documents; quotes make a value a keyword.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(name: &str, value: MetadataValue) -> Metadata {
        Metadata { fields: [(name.to_owned(), value)].into(), ..Metadata::default() }
    }

    fn both(name: &str, one: MetadataValue, other: MetadataValue) -> Result<(FieldType, Vec<MetadataValue>)> {
        let mut documents = [metadata(name, one), metadata(name, other)];
        let mut schema = Schema::default();
        schema.add("a.md", &documents[0])?;
        schema.add("b.md", &documents[1])?;
        documents.iter_mut().for_each(|metadata| schema.convert(metadata));
        let values = documents.iter().map(|metadata| metadata.fields[name].clone()).collect();
        Ok((schema.field_type(name).unwrap(), values))
    }

    #[test]
    fn types_are_widened_where_nothing_is_lost() {
        let float = MetadataValue::Float;
        let (kind, values) = both("x", MetadataValue::Integer(1), float(0.5)).unwrap();
        assert_eq!((kind, values), (FieldType::Float, vec![float(1.0), float(0.5)]));
        let list = |word: &str| MetadataValue::Keywords(vec![word.to_owned()]);
        let (kind, values) = both("x", list("a"), MetadataValue::Keyword("b".into())).unwrap();
        assert_eq!((kind, values), (FieldType::Keywords, vec![list("a"), list("b")]));
    }

    #[test]
    fn other_clashes_name_field_types_and_files() {
        let error =
            both("level", MetadataValue::Integer(1), MetadataValue::Keyword("high".into())).unwrap_err();
        assert_eq!(error.code(), ErrorCode::MetadataType);
        for part in ["`level`", "integer", "keyword", "`a.md`", "`b.md`", "high"] {
            assert!(error.message().contains(part), "{error}");
        }
        let error =
            both("year", MetadataValue::Integer(1), MetadataValue::Keyword("soon".into())).unwrap_err();
        assert!(error.message().contains("`b.md`") && error.message().contains("type integer"), "{error}");
    }
}
