//! The indexes that are served.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::target::open_index;
use ibid_document::FieldType;
use ibid_index::{DocumentRecord, Filter, MetadataField};
use ibid_native::embedding::EmbeddingArgs;
use ibid_native::files::index::is_remote;
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::Retriever;

/// Fields with more values than this are described without them.
const LISTED_VALUES: usize = 25;
/// The longest value that is listed, in bytes.
const LISTED_VALUE_LENGTH: usize = 60;
/// The most fields that are described.
const DESCRIBED_FIELDS: usize = 20;
/// Documents that are named where nobody has said what they are about.
const NAMED_DOCUMENTS: usize = 8;
/// Documents that are named in place of one that there is not.
const SUGGESTED_DOCUMENTS: usize = 8;

/// The longest name of a collection, in characters.
const LONGEST_NAME: usize = 64;

/// The names by which a filter of the shorthand means something else.
const RESERVED: [&str; 8] = ["and", "or", "not", "has_id", "must", "should", "must_not", "min_should"];
/// The fields of every document besides its metadata.
const BUILT_IN: [&str; 4] = ["document_id", "source", "title", "url"];

/// The indexes that are served, in the order in which they were named.
pub(super) struct Library {
    pub(super) collections: Vec<ServedCollection>,
    /// The subject of the documents, as the person who serves them says.
    pub(super) description: Option<String>,
}

/// An index under the name that it is asked for by.
pub(super) struct ServedCollection {
    pub(super) name: String,
    pub(super) retriever: Retriever,
    /// The fields that its documents can be filtered by.
    pub(super) fields: Vec<FilterField>,
    /// Titles of its documents: all of them, if there are few.
    pub(super) titles: Vec<String>,
}

/// A field that a filter may ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FilterField {
    /// As a filter names it.
    pub(super) key: String,
    pub(super) field_type: FieldType,
    /// All of its values, if they are few and short; else none.
    pub(super) values: Vec<String>,
}

impl Library {
    pub(super) fn open(
        arguments: &[PathBuf],
        embedding: &EmbeddingArgs,
        description: Option<String>,
    ) -> Result<Self> {
        let mut collections: Vec<ServedCollection> = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let (name, path) = name_and_path(argument)?;
            if collections.iter().any(|other| other.name == name) {
                let message = format!("Two indexes have the name `{name}`.");
                return Err(Error::new(ErrorCode::InvalidOption, message)
                    .with_hint("Give each its own name, as in `guides=a/site.ibid`."));
            }
            collections.push(ServedCollection::open(name, &path, embedding)?);
        }
        Ok(Self { collections, description })
    }

    /// Returns true if there are several, so that one has to be named.
    pub(super) fn is_several(&self) -> bool {
        self.collections.len() > 1
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.collections.iter().map(|collection| collection.name.as_str()).collect()
    }

    /// Finds the collection of that name, or all; or what to tell the model.
    pub(super) fn select(&self, name: Option<&str>) -> std::result::Result<Vec<&ServedCollection>, String> {
        let Some(name) = name else { return Ok(self.collections.iter().collect()) };
        let found = self.collections.iter().find(|collection| collection.name == name);
        found.map(|collection| vec![collection]).ok_or_else(|| {
            let names = self.names().join(", ");
            format!("There is no collection {name:?}. The collections are: {names}.")
        })
    }

    /// Writes the size of what is served, for a person.
    pub(super) fn summary(&self) -> String {
        let count = |collection: &ServedCollection| {
            let manifest = collection.retriever.index().manifest();
            format!("{} ({} documents)", collection.name, manifest.documents)
        };
        self.collections.iter().map(count).collect::<Vec<_>>().join(", ")
    }
}

impl ServedCollection {
    fn open(name: String, path: &Path, embedding: &EmbeddingArgs) -> Result<Self> {
        let retriever = open_index(path, embedding)?;
        let index = retriever.index();
        let mut fields = index.fields()?;
        // What most documents have is what they are told apart by.
        fields.sort_by_key(|field| std::cmp::Reverse(field.documents));
        let fields = fields.into_iter().filter_map(filter_field).take(DESCRIBED_FIELDS).collect();
        let mut titles = Vec::new();
        for document in index.documents().take(NAMED_DOCUMENTS) {
            titles.push(document?.metadata.title);
        }
        titles.dedup();
        Ok(Self { name, retriever, fields, titles })
    }

    /// Finds the document of that id, file or title; `None` if there is none.
    pub(super) fn document(&self, named: &str) -> Result<Option<DocumentRecord>> {
        let lower = named.to_lowercase();
        let mut by_title = None;
        for document in self.retriever.index().documents() {
            let document = document?;
            if document.metadata.document_id == named || document.source == named {
                return Ok(Some(document));
            }
            if by_title.is_none() && document.metadata.title.to_lowercase() == lower {
                by_title = Some(document);
            }
        }
        Ok(by_title)
    }

    /// Sources of documents whose file or title has that text in it.
    pub(super) fn documents_like(&self, named: &str) -> Result<Vec<String>> {
        let lower = named.to_lowercase();
        let mut like = Vec::new();
        for document in self.retriever.index().documents() {
            let document = document?;
            let has = |text: &str| text.to_lowercase().contains(&lower);
            if like.len() < SUGGESTED_DOCUMENTS && (has(&document.source) || has(&document.metadata.title)) {
                like.push(document.source);
            }
        }
        Ok(like)
    }

    /// Finds the number of the passage with that id.
    pub(super) fn passage(&self, id: u64) -> Result<Option<u32>> {
        let index = self.retriever.index();
        let filter = serde_json::json!({ "has_id": [format!("{id:016x}")] });
        let allowed = index.allowed(Some(&Filter::from_json(&filter)?))?;
        Ok(allowed.iter().next())
    }
}

/// `NAME=FILE`, or a file alone, whose name without its ending is then the collection's. A file that is there is never
/// taken for the former, nor is an address.
fn name_and_path(argument: &Path) -> Result<(String, PathBuf)> {
    let pair = argument.to_str().and_then(|text| text.split_once('='));
    let (name, path) =
        if let Some((name, path)) = pair.filter(|_| !argument.is_file() && !is_remote(argument)) {
            (name.to_owned(), PathBuf::from(path))
        } else {
            let stem = argument.file_stem().unwrap_or(OsStr::new("documents")).to_string_lossy();
            let plain = |c: char| if is_plain(c) { c } else { '-' };
            (stem.chars().map(plain).take(LONGEST_NAME).collect(), argument.to_path_buf())
        };
    if name.is_empty() || name.chars().count() > LONGEST_NAME || !name.chars().all(is_plain) {
        let message = format!("`{name}` cannot be the name of a collection.");
        let hint =
            format!("Use up to {LONGEST_NAME} letters, digits, `-`, `_` and `.`, as in `guides=site.ibid`.");
        return Err(Error::new(ErrorCode::InvalidOption, message).with_hint(hint));
    }
    Ok((name, path))
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// Describes a field as a filter knows it; `None` for one whose name means something else there.
fn filter_field(field: MetadataField) -> Option<FilterField> {
    if RESERVED.contains(&field.name.as_str()) {
        return None;
    }
    let few = field.values.len() <= LISTED_VALUES
        && field.values.iter().all(|(value, _)| value.len() <= LISTED_VALUE_LENGTH);
    let values = field.values.into_iter().map(|(value, _)| value);
    let hidden = BUILT_IN.contains(&field.name.as_str());
    Some(FilterField {
        key: if hidden { format!("metadata.{}", field.name) } else { field.name },
        field_type: field.field_type,
        values: if few { values.collect() } else { Vec::new() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_stand_before_a_file() {
        let read = |text: &str| {
            name_and_path(Path::new(text)).map(|(name, path)| (name, path.to_string_lossy().into_owned()))
        };
        let pair = |name: &str, path: &str| (name.to_owned(), path.to_owned());
        assert_eq!(read("guides=a/b.ibid").unwrap(), pair("guides", "a/b.ibid"));
        assert_eq!(read("a/b c.ibid").unwrap(), pair("b-c", "a/b c.ibid"));
        assert_eq!(read("x=y=z.ibid").unwrap(), pair("x", "y=z.ibid"));
        for address in ["https://a.example/b/site.ibid?v=1", "https://a.example/site.ibid/"] {
            assert_eq!(read(address).unwrap(), pair("site", address));
        }
        assert_eq!(read("g=https://a.example/x.ibid").unwrap(), pair("g", "https://a.example/x.ibid"));
        for bad in ["=b.ibid", "a b=c.ibid"] {
            assert_eq!(read(bad).unwrap_err().code(), ErrorCode::InvalidOption, "{bad}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("odd=name.ibid");
        std::fs::File::create_new(&path).unwrap();
        assert_eq!(name_and_path(&path).unwrap(), ("odd-name".to_owned(), path));
    }

    #[test]
    fn fields_are_described_by_few_values() {
        let field = |name: &str, count: usize| MetadataField {
            name: name.to_owned(),
            field_type: FieldType::Keyword,
            documents: 1,
            values: (0..count).map(|at| (format!("v{at}"), 1)).collect(),
        };
        assert_eq!(filter_field(field("kind", 2)).unwrap().values, ["v0", "v1"]);
        assert!(filter_field(field("kind", LISTED_VALUES + 1)).unwrap().values.is_empty());
        assert_eq!(filter_field(field("source", 1)).unwrap().key, "metadata.source");
        assert_eq!(filter_field(field("must", 1)), None);
    }
}
