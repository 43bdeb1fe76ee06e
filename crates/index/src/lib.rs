//! Writes chunks and embeddings to one file, and searches that file in place.
//!
//! ```
//! use ibid_document::chunk::{ChunkOptions, chunk};
//! use ibid_document::Document;
//! use ibid_embed::{Embedding, Space};
//! use ibid_index::{BuildOptions, Calibration, Index, IndexBuilder};
//!
//! let document = Document::parse("tea.md", b"# Tea\n\nSteep green tea at 80 degrees.")?;
//! let chunks = chunk(&document, &ChunkOptions::default());
//! let space = Space { name: "example".into(), dimensions: 2, fingerprint: "00".into() };
//! let vector = Embedding::normalized(vec![3.0, 4.0]);
//!
//! let mut builder = IndexBuilder::new(space, ChunkOptions::default(), BuildOptions::default());
//! builder.add(&document, &chunks)?;
//! assert_eq!(builder.pending(10), ["[Tea] Steep green tea at 80 degrees."]);
//! builder.embedded(&[vector.clone()])?;
//! let index = Index::open(builder.assemble()?.finish(Calibration::default())?)?;
//! let best = index.search(&vector, 1)?[0];
//! assert_eq!(index.chunk(best.chunk)?.unwrap().text, "Steep green tea at 80 degrees.");
//! # Ok::<(), ibid_platform::Error>(())
//! ```

mod allowed;
mod bits;
mod blocks;
mod builder;
mod candidate;
mod cluster;
mod columns;
mod container;
mod directory;
mod draft;
pub mod filter;
mod graph;
mod hnsw;
mod home;
mod lexical;
mod manifest;
mod metadata;
mod nearest;
mod open;
mod open_file;
mod passages;
mod places;
mod records;
mod rows;
mod search;
mod settings;
mod store;
mod stored;
mod stretches;
#[cfg(test)]
mod tests;
mod update;
mod varint;

pub use allowed::Allowed;
pub use builder::IndexBuilder;
pub use candidate::ChunkCandidate;
pub use columns::MetadataField;
pub use container::{CutFile, FORMAT_VERSION, FileLayout, FolderPart, PartTable, ReadRange, cut, if_fetched};
pub use draft::IndexDraft;
pub use filter::{Facet, Filter, Sort, SortOrder};
pub use lexical::{
    Analyzer, FirstLetters, Language, LexicalMatches, LexicalOptions, LexicalScratch, LexicalToken,
    phrase_conditions,
};
pub use manifest::{BuildOptions, Calibration, Encoder, Manifest};
pub use nearest::VectorPath;
pub use open::{FileSection, Index};
pub use records::{DocumentRecord, SectionRecord, TextAnchor};
pub use search::{Nearest, NearestSoFar, VectorSearch};
pub use settings::{Pin, PinDraft, PopularPage, SearchSettings};
pub use stored::{StoredChunk, StoredPlace};
