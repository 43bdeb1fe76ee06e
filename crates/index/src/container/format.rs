//! The format's fixed points: its version, the sizes of its parts, and the names of its sections.

/// The first eight bytes: a byte with the high bit set, the name, and line ends that a text-mode transfer would
/// change, in the manner of PNG.
pub(super) const MAGIC: [u8; 8] = *b"\x89ibid\r\n\x1a";
/// The format version that this code writes and reads.
pub const FORMAT_VERSION: u32 = 1;
pub(super) const ALIGNMENT: usize = 64;
/// The length of the header; the section table follows it.
pub(super) const HEADER_BYTES: usize = 64;
pub(super) const CHECKED_HEADER_BYTES: usize = 32;
pub(super) const ENTRY_BYTES: usize = 32;
/// More sections than any file will ever have, so that a damaged count is refused before it is used.
pub(super) const MAX_SECTIONS: usize = 64;

/// A section's name in the table: four ASCII letters.
pub(crate) type SectionId = [u8; 4];

pub(crate) const MANIFEST: SectionId = *b"mani";
pub(crate) const VECTORS: SectionId = *b"vecs";
pub(crate) const CLUSTERS: SectionId = *b"clus";
pub(crate) const CENTROIDS: SectionId = *b"cent";
pub(crate) const CODES: SectionId = *b"code";
pub(crate) const COLUMN_BLOCKS: SectionId = *b"cblk";
pub(crate) const COLUMNS: SectionId = *b"cols";
pub(crate) const HOME: SectionId = *b"home";
pub(crate) const DOCUMENT_BLOCKS: SectionId = *b"dblk";
pub(crate) const DOCUMENTS: SectionId = *b"docs";
pub(crate) const HEADING_BLOCKS: SectionId = *b"hblk";
pub(crate) const HEADINGS: SectionId = *b"head";
pub(crate) const TEXT_BLOCKS: SectionId = *b"tblk";
pub(crate) const TEXT: SectionId = *b"text";
pub(crate) const LEXICON: SectionId = *b"lexi";
pub(crate) const POSTINGS: SectionId = *b"post";
pub(super) const PARTS: SectionId = *b"part";

/// Sections that need not be there when an index is opened: it reads of them what it needs when it needs it.
const LATER: [SectionId; 6] = [CODES, POSTINGS, TEXT, DOCUMENTS, HEADINGS, VECTORS];
/// Longer centroids are such a section too. A page fetches those of a few groups then, in one more round of requests.
const MOST_CENTROID_BYTES: u64 = 64 * 1024;
/// So are longer columns, of which filters and facets need those that they name.
const MOST_COLUMN_BYTES: u64 = 2 * 1024;

/// Says whether a section of that length must be there when an index is opened.
pub(crate) fn is_needed(id: SectionId, length: u64) -> bool {
    match id {
        CENTROIDS => length <= MOST_CENTROID_BYTES,
        COLUMNS => length <= MOST_COLUMN_BYTES,
        _ => !LATER.contains(&id),
    }
}
