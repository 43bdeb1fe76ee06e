//! The sections of an index's documents, those without a chunk of their own included.

use super::open::Index;
use super::records::SectionRecord;
use ibid_platform::Result;

impl Index {
    /// All sections of the documents that have not been removed, each with its document's id.
    ///
    /// # Errors
    /// [`ErrorCode::IndexCorrupt`](ibid_platform::ErrorCode::IndexCorrupt) for a document that cannot be read, which only a
    /// crafted file has.
    pub fn sections(&self) -> Result<Vec<(String, SectionRecord)>> {
        let mut sections = Vec::new();
        for segment in &self.segments {
            let catalog = segment.catalog();
            let mut current: Option<(u32, String)> = None;
            for number in 0..catalog.counts().sections {
                let document = catalog.document_of(number);
                if !segment.is_live_document(document) {
                    continue;
                }
                // The sections of a document follow each other.
                let id = match &current {
                    Some((known, id)) if *known == document => id.clone(),
                    _ => catalog.document(document)?.metadata.document_id,
                };
                current = Some((document, id.clone()));
                sections.push((id, catalog.section(number)));
            }
        }
        Ok(sections)
    }
}
