//! The places of chunks, without their text.

use std::ops::Range;

use super::open::Index;
use super::open_file::OpenFile;
use super::records::{DocumentRecord, SectionRecord};
use ibid_platform::Result;
use ibid_platform::ranges::requests;

impl Index {
    /// Returns the document of a chunk, the first one of several; `None` for a chunk that does not exist or has been
    /// removed.
    ///
    /// # Errors
    /// As [`Index::documents`].
    pub fn document_of(&self, chunk: u32) -> Result<Option<DocumentRecord>> {
        let Some((file, number)) = self.locate(chunk) else { return Ok(None) };
        live_documents(file, number).next().map(|document| file.document(document)).transpose()
    }

    /// Returns a number that chunks have in common when they stand in the same document, the first one of several.
    pub fn document_number(&self, chunk: u32) -> Option<u64> {
        let (at, number) = self.file_of(chunk)?;
        let document = live_documents(self.files.get(at)?, number).next()?;
        Some(in_all_files(at, document))
    }

    /// Returns the weight that the author gave a chunk: from 0 to 10, and 1 by default.
    pub fn weight(&self, chunk: u32) -> f32 {
        self.locate(chunk).map_or(1.0, |(file, number)| file.home.weight(number) as f32 / 100.0)
    }

    /// Returns the chunk that stands at a number of a document, counted from 0; `None` if there is none, or no
    /// such document.
    ///
    /// # Errors
    /// As [`Index::documents`].
    pub fn chunk_at(&self, document_id: &str, index: u32) -> Result<Option<u32>> {
        let Some((at, document)) = self.find_document(document_id)? else { return Ok(None) };
        Ok(self.chunk_of(in_all_files(at, document), index))
    }

    /// Returns the same by the [number](super::StoredPlace::document_number) of the document.
    pub fn chunk_of(&self, document_number: u64, index: u32) -> Option<u32> {
        let (at, document) = ((document_number >> 32) as usize, document_number as u32);
        let first: u32 = self.files.iter().take(at).map(OpenFile::chunk_count).sum();
        Some(first + self.files.get(at)?.home.chunk_at(document, index)?)
    }

    /// Returns the chunks up to that many places before and behind a chunk, in each of its documents.
    pub fn beside(&self, chunk: u32, count: u32) -> Vec<u32> {
        let Some((file, number)) = self.locate(chunk) else { return Vec::new() };
        let (first, home) = (chunk - number, &file.home);
        let around = |(document, index): (u32, u32)| {
            let numbers = index.saturating_sub(count)..=index.saturating_add(count);
            numbers.filter_map(move |at| Some(first + home.chunk_at(document, at)?))
        };
        home.places_of(number).flat_map(around).collect()
    }

    /// Each heading path with the number of chunks right below it.
    ///
    /// # Errors
    /// As [`Index::documents`].
    pub fn heading_paths(&self) -> Result<Vec<(Vec<String>, u32)>> {
        let mut paths = Vec::new();
        self.each_heading(|_, _, section, chunks| {
            if chunks > 0 {
                paths.push((section.heading_path.clone(), chunks));
            }
            Ok(())
        })?;
        Ok(paths)
    }

    /// All sections of the documents that have not been removed, each with its document's id.
    ///
    /// # Errors
    /// As [`Index::documents`].
    pub fn sections(&self) -> Result<Vec<(String, SectionRecord)>> {
        let mut sections = Vec::new();
        let mut current: Option<(usize, u32, String)> = None;
        self.each_heading(|at, document, section, _| {
            // The sections of a document follow each other.
            let id = match &current {
                Some((file, known, id)) if (*file, *known) == (at, document) => id.clone(),
                _ => self.files[at].document(document)?.metadata.document_id,
            };
            current = Some((at, document, id.clone()));
            sections.push((id, section.clone()));
            Ok(())
        })?;
        Ok(sections)
    }

    fn each_heading(
        &self,
        mut each: impl FnMut(usize, u32, &SectionRecord, u32) -> Result<()>,
    ) -> Result<()> {
        for (at, file) in self.files.iter().enumerate() {
            for number in 0..file.headings.blocks().len() {
                for heading in &*file.headings.block(number)? {
                    if file.live.contains(heading.document) {
                        each(at, heading.document, &heading.section, heading.chunks)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the bytes of the file to fetch before documents and headings can be read: for [`Index::documents`],
    /// [`Index::sections`], [`Index::heading_paths`], and for a filter on the names of documents.
    pub fn missing_directory(&self) -> Vec<Range<u64>> {
        requests(self.files.iter().flat_map(OpenFile::missing_directory).collect())
    }
}

/// Computes a document's number among those of all files.
pub(super) fn in_all_files(file: usize, document: u32) -> u64 {
    (file as u64) << 32 | u64::from(document)
}

/// Lists the documents that a chunk is in.
pub(super) fn live_documents(file: &OpenFile, chunk: u32) -> impl Iterator<Item = u32> + '_ {
    let documents = (chunk < file.chunk_count()).then(|| file.home.documents_of(chunk));
    documents.into_iter().flatten().filter(|&document| file.live.contains(document))
}
