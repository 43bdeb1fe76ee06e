//! Documents and chunks as an open index has them.

use std::collections::BTreeMap;
use std::ops::Range;

use super::columns::{self, MetadataField};
use super::open::Index;
use super::open_file::OpenFile;
use super::passages::PassagePlace;
use super::places::in_all_files;
use super::records::{DocumentRecord, SectionRecord, TextAnchor};
use ibid_document::FieldType;
use ibid_platform::Result;
use ibid_platform::ranges::requests;
use ibid_vectors::VectorCodes;

/// A chunk with the document and section it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredChunk {
    /// A number made from its heading path and text, which stays the same from build to build as long as they do.
    pub id: u64,
    /// The text, without the heading path.
    pub text: String,
    /// The number of bytes at the beginning of `text` the chunk before has too.
    pub repeated: usize,
    /// The place where it stands.
    pub place: StoredPlace,
    /// The other places where exactly the same stands.
    pub duplicates: Vec<StoredPlace>,
}

/// The place of a chunk.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPlace {
    /// The document.
    pub document: DocumentRecord,
    /// Its number, as [`Index::document_number`] gives it.
    pub document_number: u64,
    /// The section.
    pub section: SectionRecord,
    /// The chunk's number in its document, from 0.
    pub index: u32,
    /// The byte range in the source file.
    pub span: Range<usize>,
    /// The line in the source file that the chunk starts on, from 1.
    pub line: u32,
    /// The headings in its text, in order; none where its section has none below it there.
    pub anchors: Vec<TextAnchor>,
}

impl Index {
    /// All documents, file by file, in the order of their ids.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::IndexIncomplete`] when something has to be fetched first
    /// ([`Index::missing_directory`]), [`ibid_platform::ErrorCode::IndexCorrupt`] when a block turns out to be damaged.
    pub fn documents(&self) -> impl Iterator<Item = Result<DocumentRecord>> + '_ {
        self.live_documents().map(|(file, number)| self.files[file].document(number))
    }

    /// Returns the fields of the documents' metadata, in the order of their names, with their values.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::IndexIncomplete`] when something has to be fetched first ([`Index::missing_fields`]),
    /// [`ibid_platform::ErrorCode::IndexCorrupt`] for columns that cannot be read.
    pub fn fields(&self) -> Result<Vec<MetadataField>> {
        let columns = self.files.iter().map(|file| Ok((file.metadata.columns()?, &file.live)));
        Ok(columns::merge(columns.collect::<Result<Vec<_>>>()?.into_iter()))
    }

    /// Returns the names and types of these fields, those that only removed documents have included. Where files
    /// disagree on a type, which only a crafted file has, the first one's stands.
    pub fn field_types(&self) -> BTreeMap<&str, FieldType> {
        let mut types = BTreeMap::new();
        for (name, field_type) in self.files.iter().flat_map(|file| file.metadata.fields()) {
            types.entry(name).or_insert(field_type);
        }
        types
    }

    /// Returns the number of different values that a field of the metadata has, without fetching them; those that a
    /// later addition has too are counted anew, and so are those that only removed documents have.
    pub fn value_count(&self, field: &str) -> usize {
        self.files.iter().map(|file| file.metadata.value_count(field)).sum()
    }

    /// Returns the chunk of that number, from 0; `None` for one that does not exist or has been removed.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::IndexIncomplete`] when its text has still to be fetched,
    /// [`ibid_platform::ErrorCode::IndexCorrupt`] when a block of text turns out to be damaged.
    pub fn chunk(&self, number: u32) -> Result<Option<StoredChunk>> {
        let Some((at, number)) = self.file_of(number) else { return Ok(None) };
        let file = &self.files[at];
        let Some((block, passage)) = file.passages.find(number)? else { return Ok(None) };
        let Some(passage) = block.passages.get(passage) else { return Ok(None) };
        let place = |place: &PassagePlace| {
            Ok(StoredPlace {
                document: block.document(place)?,
                document_number: in_all_files(at, block.document_number(place)),
                section: block.section(place).1,
                index: place.index,
                span: place.span.0 as usize..place.span.1 as usize,
                line: place.line,
                anchors: place.anchors.clone(),
            })
        };
        let is_live = |place: &&PassagePlace| file.live.contains(block.document_number(place));
        let live: Vec<&PassagePlace> = passage.places.iter().filter(is_live).collect();
        let Some((first, further)) = live.split_first() else { return Ok(None) };
        Ok(Some(StoredChunk {
            id: passage.id,
            text: passage.text.clone(),
            repeated: first.repeated as usize,
            place: place(first)?,
            duplicates: further.iter().map(|further| place(further)).collect::<Result<_>>()?,
        }))
    }

    /// One more than the greatest number of a chunk.
    pub fn chunk_end(&self) -> u32 {
        self.files.iter().map(OpenFile::chunk_count).sum()
    }

    /// Returns the bytes of the file that have to be fetched before these chunks can be read: few ranges in order,
    /// each of one or several blocks. None when the whole file is there.
    pub fn missing(&self, chunks: &[u32]) -> Vec<Range<u64>> {
        let block = |&chunk: &u32| {
            let (file, number) = self.locate(chunk)?;
            file.passages.missing(number)
        };
        requests(chunks.iter().filter_map(block).collect())
    }

    /// Lists the id and the text of each chunk, with its vector; what cannot be read is left out.
    pub(super) fn contents(&self) -> impl Iterator<Item = (u64, String, VectorCodes)> + '_ {
        self.files.iter().flat_map(|file| {
            (0..file.chunk_count()).filter_map(move |number| {
                let (block, at) = file.passages.find(number).ok()??;
                let passage = block.passages.get(at)?;
                Some((passage.id, passage.text.clone(), file.rows.get(number).ok()?))
            })
        })
    }
}
