//! Changing an index that is open: adding another one's documents, removing some, writing it again.

use std::collections::HashMap;

use super::builder::{IndexBuilder, body_hash, content_hash};
use super::container::{self, ADAPTATION, MANIFEST, SectionDraft};
use super::draft::{ChunkDraft, DocumentDraft, IndexDraft};
use super::manifest::{Encoder, Manifest, generator};
use super::open::Index;
use super::records::SectionRecord;
use super::segment::Segment;

use ibid_document::chunk::Chunk;
use ibid_document::{Document, FieldType};
use ibid_platform::{Error, ErrorCode, Result};

impl Index {
    /// Returns whether the index has this document exactly as it is, with the same chunks and metadata, which must be
    /// [settled](ibid_document::settle).
    pub fn has(&self, document: &Document, chunks: &[Chunk]) -> bool {
        let hash = content_hash(body_hash(document, chunks), &document.metadata);
        let found = self.find_document(&document.metadata.document_id);
        found
            .and_then(|(segment, number)| self.segments[segment].catalog().document(number).ok())
            .is_some_and(|record| record.content_hash == hash)
    }

    /// Takes a document out of the index; `false` when it has none of that id. Its bytes stay until the index is built
    /// anew by [`Index::compact`].
    pub fn remove(&mut self, document_id: &str) -> bool {
        let Some((segment, number)) = self.find_document(document_id) else { return false };
        self.segments[segment].remove([number].into_iter());
        self.recount();
        true
    }

    /// Adds all documents of another index as segments of their own. Documents of the same id replace those that were
    /// here before.
    ///
    /// # Errors
    /// [`ErrorCode::ModelMismatch`] when the other index's vectors lie in another space, [`ErrorCode::MetadataType`] when
    /// a field of the metadata has another type there, [`ErrorCode::InvalidOption`] when its texts are in another
    /// language.
    pub fn attach(&mut self, other: Index) -> Result<()> {
        other.manifest.check_space(&self.manifest.space)?;
        self.check_fields(&other)?;
        self.check_language(&other)?;
        let mut replaced = vec![Vec::new(); self.segments.len()];
        for document in other.documents() {
            if let Some((segment, number)) = self.find_document(&document?.metadata.document_id) {
                replaced[segment].push(number);
            }
        }
        let changes = self.segments.iter_mut().zip(replaced).filter(|(_, numbers)| !numbers.is_empty());
        changes.for_each(|(segment, numbers)| segment.remove(numbers.into_iter()));
        self.segments.extend(other.segments);
        self.recount();
        Ok(())
    }

    /// Writes the index as it now is. What has not changed is copied byte by byte.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::IndexIncomplete`] when the index was opened piecewise and not all of it is there.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let manifest = Manifest { generator: generator(), ..self.manifest.clone() };
        let mut parts = vec![SectionDraft::new(MANIFEST, 0, manifest.encode()?)];
        parts.extend(self.adaptation().map(|rows| SectionDraft::new(ADAPTATION, 0, rows.to_vec())));
        let (mut later, mut texts) = (Vec::new(), Vec::new());
        for (segment, number) in self.segments.iter().zip(0..) {
            let [needed, blocks, text] = segment.parts(number)?;
            parts.extend(needed);
            later.extend(blocks);
            texts.extend(text);
        }
        // What can be done without for a while comes last, so that what must be there at first is one stretch.
        parts.append(&mut later);
        parts.append(&mut texts);
        container::write(&parts)
    }

    /// Collects everything that the index holds to build it anew: one segment, without what has been removed. With the
    /// same calibration and language the result is the same, byte by byte, as if all its documents had been built at once.
    ///
    /// # Errors
    /// As [`Index::to_bytes`].
    pub fn compact(&self) -> Result<IndexDraft> {
        let Manifest { space, chunking, mut build, .. } = self.manifest.clone();
        // What is mixed is marked as the lesser of the two.
        let lesser = self.segments.iter().map(Segment::encoder).find(|&encoder| encoder == Encoder::Table);
        build.encoder = lesser.unwrap_or(build.encoder);
        build.lexical = build.lexical.of_parts();
        let mut builder = IndexBuilder::new(space, chunking, build);
        self.segments.iter().try_for_each(|segment| copy_documents(segment, &mut builder))?;
        builder.assemble()
    }

    /// A field has one type in all of an index.
    fn check_fields(&self, other: &Self) -> Result<()> {
        let known: HashMap<String, FieldType> =
            self.fields()?.into_iter().map(|field| (field.name, field.field_type)).collect();
        for field in other.fields()? {
            let Some(&ours) = known.get(&field.name).filter(|ours| **ours != field.field_type) else {
                continue;
            };
            let message = format!(
                "Metadata field `{}` is a {ours} in the index and a {} in what is added.",
                field.name, field.field_type
            );
            return Err(Error::new(ErrorCode::MetadataType, message)
                .with_hint("Write the field alike in all documents, or build the index anew."));
        }
        Ok(())
    }

    /// Where the live document of that id is: its segment, and its number there.
    pub(super) fn find_document(&self, document_id: &str) -> Option<(usize, u32)> {
        let all = || {
            let entry = |(segment, number): (usize, u32)| {
                let record = self.segments[segment].catalog().document(number).ok()?;
                Some((record.metadata.document_id, (segment, number)))
            };
            self.live_documents().filter_map(entry).collect()
        };
        self.directory.get_or_init(all).get(document_id).copied()
    }

    fn recount(&mut self) {
        self.directory.take();
        self.live.take();
        let segments = &self.segments;
        self.manifest.segments = segments.iter().map(Segment::info).collect();
        self.manifest.documents = segments.iter().map(Segment::live_documents).sum();
        self.manifest.chunks = segments.iter().map(Segment::live_chunks).sum();
        self.manifest.sections = self.manifest.segments.iter().map(|info| info.counts.sections).sum();
    }
}

/// Hands a segment's live documents to a builder, with the vectors they have.
fn copy_documents(segment: &Segment, builder: &mut IndexBuilder) -> Result<()> {
    let catalog = segment.catalog();
    let counts = catalog.counts();
    let mut chunks: HashMap<u32, Vec<ChunkDraft>> = HashMap::new();
    for number in (0..counts.chunks).filter(|&number| segment.is_live(number)) {
        let (Some(record), Some(range)) = (catalog.chunk(number), catalog.text_range(number)) else {
            continue;
        };
        let text = segment.text().get(&range)?;
        let id = builder.content(record.id, &text, None, Some(segment.vector(number)?));
        for place in catalog.places(number) {
            chunks.entry(catalog.document_of(place.section)).or_default().push(ChunkDraft { id, place });
        }
    }
    let mut sections: HashMap<u32, (u32, Vec<SectionRecord>)> = HashMap::new();
    for number in 0..counts.sections {
        let (_, list) = sections.entry(catalog.document_of(number)).or_insert((number, Vec::new()));
        list.push(catalog.section(number));
    }
    for number in (0..counts.documents).filter(|&number| segment.is_live_document(number)) {
        let (first_section, sections) = sections.remove(&number).unwrap_or_default();
        let mut chunks = chunks.remove(&number).unwrap_or_default();
        chunks.sort_by_key(|chunk| chunk.place.index);
        chunks
            .iter_mut()
            .for_each(|chunk| chunk.place.section = chunk.place.section.saturating_sub(first_section));
        builder.push(DocumentDraft { record: catalog.document(number)?, sections, chunks, body: None })?;
    }
    Ok(())
}
