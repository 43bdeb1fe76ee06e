//! The container: a header, a table of checksummed sections, and the sections themselves.
//!
//! Every byte of a file is covered: by a section's checksum, by the header's, or by the rule that padding is zero.
//! So a single changed byte anywhere is noticed when the file is opened. `docs/index-format.md` has the layout.

mod bytes;
mod failure;
mod format;
mod layout;
mod parts;
mod read;
mod write;

pub(super) use bytes::{SharedBytes, u32_at, words};
pub use failure::if_fetched;
pub(super) use failure::{corrupt, incomplete, missing, too_large};
pub use format::FORMAT_VERSION;
pub(super) use format::{
    CENTROIDS, CLUSTERS, CODES, COLUMN_BLOCKS, COLUMNS, DOCUMENT_BLOCKS, DOCUMENTS, HEADING_BLOCKS, HEADINGS,
    HOME, LEXICON, MANIFEST, POSTINGS, SectionId, TEXT, TEXT_BLOCKS, VECTORS, is_needed,
};
pub use layout::FileLayout;
pub(super) use layout::SectionEntry;
pub use parts::{CutFile, FolderPart, PartTable, cut};
pub use read::ReadRange;
pub(super) use write::write;

#[cfg(test)]
mod tests;
