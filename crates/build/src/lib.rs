//! Builds an index from files.
//!
//! [`SourceFile::read`] reads each file, on any thread; [`Collected::of`] takes all of them. Then the types of
//! [`IndexBuilder`] keep the order of the rest: embed, assemble, calibrate, write.

mod file;
mod pins;
#[cfg(test)]
mod tests;

pub use file::{ReadFile, SourceFile};
pub use pins::page_at;

use std::collections::HashSet;

use ibid_document::chunk::{Chunk, ChunkOptions, chunk};
use ibid_document::{
    Document, Told, copies, is_error_page, leave_out_keywords, leave_out_shared, name_languages,
    name_versions, settle, shared_line, without_body,
};
use ibid_index::IndexBuilder;
use ibid_platform::{Error, ErrorCode, Result};
use ibid_text::{Languages, languages};
#[cfg(not(target_arch = "wasm32"))]
use rayon::prelude::*;
use serde::{Serialize, Serializer};

/// A document with its chunks.
#[derive(Debug)]
pub struct Parsed {
    /// The document.
    pub document: Document,
    /// Its chunks, in its order.
    pub chunks: Vec<Chunk>,
}

/// A file, or a document in one, that was left out.
#[derive(Debug, Serialize)]
pub struct LeftOut {
    /// The name of the file.
    pub source: String,
    /// The reason why.
    #[serde(rename = "reason", serialize_with = "words")]
    pub error: Error,
}

impl LeftOut {
    fn new(source: &str, error: Error) -> Self {
        Self { source: source.to_owned(), error }
    }

    /// Returns true if somebody might miss it, unlike the page for errors.
    pub fn is_news(&self) -> bool {
        !is_error_page(&self.source)
    }
}

fn words<S: Serializer>(error: &Error, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(error)
}

/// The documents of all files, in chunks, and what became of the rest.
#[derive(Debug)]
pub struct Collected {
    /// The documents, in the order of their files.
    pub parsed: Vec<Parsed>,
    /// The things that were left out, and why.
    pub left_out: Vec<LeftOut>,
    /// Warnings of files, of documents, and of what documents disagree on.
    pub warnings: Vec<Told>,
    /// The text that most pages share and that was left out, in a line for a person.
    pub shared: Option<String>,
}

impl Collected {
    /// Takes each document once and without what most pages share, names its language and version, lets all agree as
    /// [`settle`] says, and chunks them: on all cores, if there are threads. `look` sees them before, with their texts.
    pub fn of(
        files: impl IntoIterator<Item = ReadFile>,
        options: &ChunkOptions,
        look: impl FnOnce(&[Document]),
    ) -> Self {
        let (mut documents, mut left_out, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
        let mut known = HashSet::new();
        for file in files {
            left_out.extend(file.left_out);
            warnings.extend(file.warnings);
            for document in file.documents {
                let Document { source, metadata, .. } = &document;
                if known.insert((source.clone(), metadata.document_id.clone())) {
                    warnings.extend(document.warnings.iter().map(|warning| Told::warning(source, warning)));
                    documents.push(document);
                } else {
                    let message = format!("`{source}` was skipped: another file has the same document.");
                    left_out.push(LeftOut::new(source, Error::new(ErrorCode::DocumentSkipped, message)));
                }
            }
        }
        let mut leave_out = |documents: &mut Vec<Document>, numbers: Vec<usize>, why: &str| {
            for at in numbers.into_iter().rev() {
                let source = documents.remove(at).source;
                let message = format!("`{source}` was skipped: {why}.");
                left_out.push(LeftOut::new(&source, Error::new(ErrorCode::DocumentSkipped, message)));
            }
        };
        let unmarked = without_body(&documents);
        leave_out(
            &mut documents,
            unmarked,
            "other pages have `data-ibid-body`, or Pagefind's, and it has none",
        );
        let copies = copies(&documents);
        leave_out(&mut documents, copies, "other pages repeat its text");
        let mut all: Vec<&mut Document> = documents.iter_mut().collect();
        leave_out_keywords(&mut all);
        let versions = name_versions(&mut all);
        let shared = shared_line(&leave_out_shared(&mut all, &versions));
        name_languages(&mut all);
        let entries = all.into_iter().map(|document| (&*document.source, &mut document.metadata));
        warnings.extend(settle(&mut entries.collect::<Vec<_>>()));
        documents.iter_mut().for_each(Document::address_by_path);
        look(&documents);
        let chunked = |mut document: Document| {
            let chunks = chunk(&document, options);
            // The chunks have the text, and a large collection is not kept twice.
            (document.text, document.origin) = Default::default();
            Parsed { document, chunks }
        };
        #[cfg(not(target_arch = "wasm32"))]
        let parsed = documents.into_par_iter().map(chunked).collect();
        #[cfg(target_arch = "wasm32")]
        let parsed = documents.into_iter().map(chunked).collect();
        Self { parsed, left_out, warnings, shared }
    }

    /// Adds every document with its chunks to an index.
    ///
    /// # Errors
    /// As [`IndexBuilder::add`].
    pub fn add_to(&self, index: &mut IndexBuilder) -> Result<()> {
        self.parsed.iter().try_for_each(|Parsed { document, chunks }| index.add(document, chunks))
    }

    /// Returns all chunks, in the order of their documents.
    pub fn chunks(&self) -> impl Iterator<Item = &Chunk> {
        self.parsed.iter().flat_map(|parsed| &parsed.chunks)
    }

    /// Returns the languages of the chunks; `None` if no text tells its own.
    pub fn languages(&self) -> Option<Languages> {
        languages(self.chunks().count(), self.chunks().map(|chunk| &*chunk.text))
    }

    /// Returns true if no document has an address that its hits could lead to.
    pub fn is_unlinked(&self) -> bool {
        self.parsed.iter().all(|parsed| parsed.document.metadata.url.is_none())
    }
}
