//! Changing an index that is open: adding another one's documents, removing some, and building it anew.

use std::collections::HashMap;

use super::builder::{IndexBuilder, body_hash, content_hash};
use super::draft::{ChunkDraft, DocumentDraft, IndexDraft};
use super::manifest::{Encoder, Manifest};
use super::open::Index;
use super::open_file::OpenFile;
use super::records::{PlaceRecord, SectionRecord};
use super::settings::{Pin, PinDraft};

use ibid_document::Document;
use ibid_document::chunk::Chunk;
use ibid_platform::{Error, ErrorCode, Result, order};

impl Index {
    /// Returns whether the index has this document exactly as it is, with the same chunks and metadata, which must be
    /// [settled](ibid_document::settle).
    ///
    /// # Errors
    /// As [`Index::documents`].
    pub fn has(&self, document: &Document, chunks: &[Chunk]) -> Result<bool> {
        let hash = content_hash(body_hash(document, chunks), &document.metadata);
        let Some((file, number)) = self.find_document(&document.metadata.document_id)? else {
            return Ok(false);
        };
        Ok(self.files[file].document(number)?.content_hash == hash)
    }

    /// Takes a document out of the index; `false` when it has none of that id. Its bytes stay until the index is built
    /// anew by [`Index::compact`].
    ///
    /// # Errors
    /// As [`Index::documents`].
    pub fn remove(&mut self, document_id: &str) -> Result<bool> {
        let found = self.find_document(document_id)?;
        if let Some((file, number)) = found {
            self.files[file].live.remove(number);
            self.recount();
        }
        Ok(found.is_some())
    }

    /// Adds all documents of another index, which is searched with this one. Documents of the same id replace those that
    /// were here before; pins, synonyms, stop words and popular pages of both count. If either was embedded by the table, the
    /// lesser encoder, both count as if they were.
    ///
    /// # Errors
    /// [`ErrorCode::ModelMismatch`] when the other index's vectors lie in another space, [`ErrorCode::MetadataType`] when
    /// a field of the metadata has another type there, [`ErrorCode::InvalidOption`] when its texts are in another
    /// language.
    pub fn attach(&mut self, other: Index) -> Result<()> {
        other.manifest.check_space(&self.manifest.space)?;
        self.check_fields(&other)?;
        self.check_language(&other)?;
        let mut replaced = Vec::new();
        for document in other.documents() {
            replaced.extend(self.find_document(&document?.metadata.document_id)?);
        }
        replaced.into_iter().for_each(|(file, number)| self.files[file].live.remove(number));
        let first = self.chunk_end();
        self.manifest.settings.join(other.manifest.settings, first);
        self.files.extend(other.files);
        if other.manifest.build.encoder == Encoder::Table {
            self.manifest.build.encoder = Encoder::Table;
        }
        self.recount();
        Ok(())
    }

    /// Collects everything that the index holds to build it anew, without what has been removed. With the same calibration
    /// and language the result is the same, byte by byte, as if all its documents had been built at once.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::IndexIncomplete`] when the index was opened piecewise and not all of it is there.
    pub fn compact(&self) -> Result<IndexDraft> {
        let Manifest { space, chunking, mut build, settings, .. } = self.manifest.clone();
        build.lexical = build.lexical.of_parts();
        let mut builder = IndexBuilder::new(space, chunking, build);
        let id = |chunk| Ok(self.chunk(chunk)?.map(|stored| stored.id));
        let mut pins = Vec::new();
        for Pin { query, address, chunk } in &settings.pins {
            let id: Option<u64> = id(*chunk)?;
            pins.extend(id.map(|id| PinDraft { query: query.clone(), address: address.clone(), id }));
        }
        builder.set(settings, pins);
        self.files.iter().try_for_each(|file| copy_documents(file, &mut builder))?;
        builder.assemble()
    }

    /// A field has one type in all of an index.
    fn check_fields(&self, other: &Self) -> Result<()> {
        let known = self.field_types();
        for (name, theirs) in other.field_types() {
            let Some(&ours) = known.get(name).filter(|ours| **ours != theirs) else { continue };
            // Removed documents do not count, where that can be told.
            if self.fields().is_ok_and(|fields| fields.iter().all(|field| field.name != name)) {
                continue;
            }
            let message = format!(
                "Metadata field `{name}` is a {ours} in the index and a {theirs} in the added document."
            );
            return Err(Error::new(ErrorCode::MetadataType, message)
                .with_hint("Use one type for the field in all documents, or rebuild the index."));
        }
        Ok(())
    }

    /// Finds the place where the live document of that id is: its file, and its number there.
    pub(super) fn find_document(&self, document_id: &str) -> Result<Option<(usize, u32)>> {
        if self.directory.get().is_none() {
            let entry = |(file, number): (usize, u32)| {
                Ok((self.files[file].document(number)?.metadata.document_id, (file, number)))
            };
            let all = self.live_documents().map(entry).collect::<Result<_>>()?;
            drop(self.directory.set(all));
        }
        Ok(self.directory.get().and_then(|directory| directory.get(document_id).copied()))
    }

    fn recount(&mut self) {
        self.directory.take();
        self.live.take();
        let files = &self.files;
        self.manifest.documents = files.iter().map(|file| file.live.count()).sum();
        self.manifest.sections = files.iter().map(OpenFile::section_count).sum();
        self.manifest.chunks = files.iter().map(OpenFile::live_chunks).sum();
    }
}

/// Hands a file's live documents to a builder, with the vectors they have.
fn copy_documents(file: &OpenFile, builder: &mut IndexBuilder) -> Result<()> {
    // The sections of a document follow each other; with them the number of the first.
    let mut sections: HashMap<u32, (u32, Vec<SectionRecord>)> = HashMap::new();
    let mut section = 0;
    for number in 0..file.headings.blocks().len() {
        for heading in &*file.headings.block(number)? {
            let (_, list) = sections.entry(heading.document).or_insert((section, Vec::new()));
            list.push(heading.section.clone());
            section += 1;
        }
    }
    let mut chunks: HashMap<u32, Vec<ChunkDraft>> = HashMap::new();
    for number in (0..file.chunk_count()).filter(|&number| file.is_live(number)) {
        let Some((block, at)) = file.passages.find(number)? else { continue };
        let Some(passage) = block.passages.get(at) else { continue };
        let id = builder.content(passage.id, "", &passage.text, Some(file.rows.get(number)?));
        for place in &passage.places {
            let document = block.document_number(place);
            let first = sections.get(&document).map_or(0, |(first, _)| *first);
            let place = PlaceRecord {
                section: block.section(place).0.saturating_sub(first),
                index: place.index,
                line: place.line,
                span: place.span,
                repeated: place.repeated,
                anchors: place.anchors.clone(),
            };
            let weight = file.home.weight(number) as u16;
            chunks.entry(document).or_default().push(ChunkDraft { id, place, weight });
        }
    }
    for number in file.live.iter() {
        let (_, sections) = sections.remove(&number).unwrap_or_default();
        let mut chunks = chunks.remove(&number).unwrap_or_default();
        order::by_key(&mut chunks, |chunk| chunk.place.index);
        builder.push(DocumentDraft { record: file.document(number)?, sections, chunks, body: None })?;
    }
    Ok(())
}
