//! Documents and chunks as an open index has them.

use std::ops::Range;

use super::columns::{self, MetadataField};
use super::container::requests;
use super::manifest::Encoder;
use super::open::Index;
use super::records::{DocumentRecord, SectionRecord};
use super::segment::Segment;
use super::vectors::VectorCodes;
use ibid_platform::Result;

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
    /// The section.
    pub section: SectionRecord,
    /// The chunk's number in its document, from 0.
    pub index: u32,
    /// The byte range in the source file.
    pub span: Range<usize>,
    /// The line in the source file that the chunk starts on, from 1.
    pub line: u32,
}

impl Index {
    /// All documents, segment by segment, in the order of their ids.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::IndexCorrupt`] for a document that cannot be read, which only a crafted file has.
    pub fn documents(&self) -> impl Iterator<Item = Result<DocumentRecord>> + '_ {
        self.live_documents().map(|(segment, number)| self.segments[segment].catalog().document(number))
    }

    /// The fields of the documents' metadata, in the order of their names, with their values.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::IndexCorrupt`] for columns that cannot be read, which only a crafted file has.
    pub fn fields(&self) -> Result<Vec<MetadataField>> {
        let columns = self.segments.iter().map(|segment| Ok((segment.columns()?, segment.live_set())));
        Ok(columns::merge(columns.collect::<Result<Vec<_>>>()?.into_iter()))
    }

    /// The chunk of that number, from 0; `None` for one that does not exist or has been removed.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::IndexIncomplete`] when its text has still to be fetched,
    /// [`ibid_platform::ErrorCode::IndexCorrupt`] when a block of text turns out to be damaged.
    pub fn chunk(&self, number: u32) -> Result<Option<StoredChunk>> {
        let Some((segment, number)) =
            self.locate(number).filter(|(segment, number)| segment.is_live(*number))
        else {
            return Ok(None);
        };
        let catalog = segment.catalog();
        let (Some(record), Some(range)) = (catalog.chunk(number), catalog.text_range(number)) else {
            return Ok(None);
        };
        let mut places = Vec::new();
        for place in catalog.places(number) {
            let document = catalog.document_of(place.section);
            if segment.is_live_document(document) {
                places.push(StoredPlace {
                    document: catalog.document(document)?,
                    section: catalog.section(place.section),
                    index: place.index,
                    span: place.span(),
                    line: place.line,
                });
            }
        }
        if places.is_empty() {
            return Ok(None);
        }
        Ok(Some(StoredChunk {
            id: record.id,
            text: segment.text().get(&range)?,
            repeated: record.place.repeated as usize,
            place: places.remove(0),
            duplicates: places,
        }))
    }

    /// One more than the greatest number of a chunk.
    pub fn chunk_end(&self) -> u32 {
        self.segments.iter().map(Segment::chunk_count).sum()
    }

    /// The bytes of the file that have to be fetched before these chunks can be read: few ranges in order, each of one or
    /// several blocks. None when the whole file is there.
    pub fn missing(&self, chunks: &[u32]) -> Vec<Range<u64>> {
        let block = |&chunk: &u32| {
            let (segment, number) = self.locate(chunk)?;
            segment.text().missing(&segment.catalog().text_range(number)?)
        };
        requests(chunks.iter().filter_map(block).collect())
    }

    /// The id of each chunk that was embedded by that encoder, with the ways to its text and its vector.
    pub(super) fn contents(
        &self,
        encoder: Encoder,
    ) -> impl Iterator<Item = (u64, impl Fn() -> Result<String> + '_, impl Fn() -> Result<VectorCodes> + '_)>
    {
        self.segments.iter().filter(move |segment| segment.encoder() == encoder).flat_map(|segment| {
            (0..segment.chunk_count()).filter_map(move |number| {
                let id = segment.catalog().chunk(number)?.id;
                let range = segment.catalog().text_range(number)?;
                Some((id, move || segment.text().get(&range), move || segment.vector(number)))
            })
        })
    }
}
