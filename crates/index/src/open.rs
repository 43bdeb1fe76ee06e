//! An index that is open: a file's bytes, or pieces of them, to what is searched where it lies.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use super::allowed::Allowed;
use super::blocks::BlockStore;
use super::candidate::Scratch;
use super::container::{FileLayout, MANIFEST, ReadRange, SectionEntry, SectionId, SharedBytes, missing};
use super::manifest::Manifest;
use super::open_file::OpenFile;
use ibid_platform::Result;

/// Read at once from the beginning of a file: enough for most section tables.
const HEAD_BYTES: u64 = 4096;

/// A section of the file, for those who want to see what takes the room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSection {
    /// Its name: four letters.
    pub name: String,
    /// The place where it lies in the file.
    pub range: Range<u64>,
}

/// An open index, checked, and searched where it lies.
#[derive(Debug)]
pub struct Index {
    pub(super) manifest: Manifest,
    pub(super) files: Vec<OpenFile>,
    /// The live documents by their ids, made when it is first asked for.
    pub(super) directory: OnceLock<HashMap<String, (usize, u32)>>,
    layout: FileLayout,
    /// The file's bytes, unless only pieces of it were opened.
    bytes: Option<SharedBytes>,
    /// The chunks allowed without a filter, made when it is first asked for.
    pub(super) live: OnceLock<Allowed>,
    /// Buffers that are kept between searches.
    pub(super) scratch: Mutex<Scratch>,
}

impl Index {
    /// Opens a file's bytes, whose every checksum and internal reference is verified first.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::IndexForeign`], [`ibid_platform::ErrorCode::IndexTruncated`], [`ibid_platform::ErrorCode::IndexVersion`] or
    /// [`ibid_platform::ErrorCode::IndexCorrupt`]; never a panic, whatever the bytes.
    pub fn open(bytes: Vec<u8>) -> Result<Self> {
        let layout = FileLayout::of_file(&bytes)?;
        let whole = SharedBytes::from(bytes);
        let mut sections = Vec::with_capacity(layout.entries().len());
        for entry in layout.entries() {
            let bytes = whole.slice(entry.range.start as usize..entry.range.end as usize);
            sections.push((entry.id, entry.verify(bytes)?));
        }
        Self::of_sections(layout, Some(whole), &sections)
    }

    /// Opens an index of which only a part has been fetched: `pieces` are bytes of the file with the offsets they
    /// begin at, and together hold at least what [`FileLayout::needed`] names. The text comes later, see
    /// [`Index::missing`].
    ///
    /// # Errors
    /// As [`Index::open`]; [`ibid_platform::ErrorCode::IndexCorrupt`] also when a needed piece is not there.
    pub fn open_pieces(layout: FileLayout, pieces: Vec<(u64, Vec<u8>)>) -> Result<Self> {
        let pieces: Vec<(u64, SharedBytes)> =
            pieces.into_iter().map(|(at, bytes)| (at, bytes.into())).collect();
        let find = |range: &Range<u64>| {
            let inside = |(at, bytes): &(u64, SharedBytes)| {
                let start = usize::try_from(range.start.checked_sub(*at)?).ok()?;
                bytes.slice(start..start.checked_add(usize::try_from(range.end - range.start).ok()?)?)
            };
            // Nothing need be fetched of a section without bytes.
            if range.is_empty() { Some(Vec::new().into()) } else { pieces.iter().find_map(inside) }
        };
        let mut sections = Vec::with_capacity(layout.entries().len());
        for entry in layout.entries() {
            // What comes later and happens to be there is checked when it is provided below.
            if entry.is_needed() {
                sections.push((entry.id, entry.verify(find(&entry.range))?));
            }
        }
        let index = Self::of_sections(layout, None, &sections)?;
        pieces.iter().try_for_each(|(at, bytes)| index.provide_bytes(*at, bytes))?;
        Ok(index)
    }

    /// Opens an index where it lies. What a search does not need is neither read nor verified.
    ///
    /// # Errors
    /// As [`Index::open_pieces`], and those of the reader.
    pub fn open_in_place(reader: &Arc<dyn ReadRange>) -> Result<Self> {
        let length = reader.length();
        let beginning = reader.read(0..length.min(HEAD_BYTES))?;
        let end = FileLayout::head_length(&beginning)? as u64;
        let head = if end > beginning.len() as u64 { reader.read(0..length.min(end))? } else { beginning };
        let layout = FileLayout::parse(&head)?;
        layout.check_length(length)?;
        let piece = |range: Range<u64>| Ok((range.start, reader.read(range)?));
        let pieces = layout.needed().into_iter().map(piece).collect::<Result<_>>()?;
        let index = Self::open_pieces(layout, pieces)?;
        index.files.iter().for_each(|file| file.read_from(reader));
        Ok(index)
    }

    fn of_sections(
        layout: FileLayout,
        bytes: Option<SharedBytes>,
        sections: &[(SectionId, SharedBytes)],
    ) -> Result<Self> {
        let section = |id: SectionId| {
            let found = sections.iter().find(|(known, _)| *known == id);
            found.map(|(_, bytes)| bytes.clone()).ok_or_else(|| missing(id))
        };
        let manifest = Manifest::decode(&section(MANIFEST)?)?;
        Ok(Self {
            files: vec![OpenFile::open(&layout, &manifest, &section)?],
            manifest,
            directory: OnceLock::new(),
            layout,
            bytes,
            live: OnceLock::new(),
            scratch: Mutex::default(),
        })
    }

    /// Returns the description of the index.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the size in bytes of the file that was opened.
    pub fn byte_size(&self) -> u64 {
        self.layout.file_length()
    }

    /// Returns the bytes of the file that was opened; `None` if only pieces of it were. Later changes are not in it.
    pub fn file(&self) -> Option<&[u8]> {
        self.bytes.as_deref()
    }

    /// Returns the sections of the file that was opened, in its order.
    pub fn file_sections(&self) -> Vec<FileSection> {
        let section = |entry: &SectionEntry| FileSection { name: entry.name(), range: entry.range.clone() };
        self.layout.entries().iter().map(section).collect()
    }

    /// Returns the bytes of the file to fetch before any vector can be searched for, each range a group of centroids
    /// or a cluster.
    pub fn missing_clusters(&self) -> Vec<Range<u64>> {
        let clusters = self.files.iter().map(|file| &file.clusters);
        let stores = clusters.flat_map(|clusters| [clusters.centroids(), clusters.blocks()]);
        stores.flat_map(BlockStore::all_missing).collect()
    }

    /// Takes over bytes of the file that were fetched from `offset` on, because [`Index::missing`],
    /// [`Index::nearest_so_far`] or [`Index::lexical_missing`] asked for them. Blocks that are not whole are passed over.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::IndexCorrupt`] when they are not the bytes that were written there.
    pub fn provide(&self, offset: u64, bytes: Vec<u8>) -> Result<()> {
        self.provide_bytes(offset, &SharedBytes::from(bytes))
    }

    fn provide_bytes(&self, offset: u64, bytes: &SharedBytes) -> Result<()> {
        self.files.iter().try_for_each(|file| file.provide(offset, bytes))
    }

    /// Finds the number of a chunk's file, and the chunk's number in it.
    pub(super) fn file_of(&self, mut chunk: u32) -> Option<(usize, u32)> {
        for (at, file) in self.files.iter().enumerate() {
            let count = file.chunk_count();
            if chunk < count {
                return Some((at, chunk));
            }
            chunk -= count;
        }
        None
    }

    /// Finds the file of a chunk, and the chunk's number in it.
    pub(super) fn locate(&self, chunk: u32) -> Option<(&OpenFile, u32)> {
        let (at, number) = self.file_of(chunk)?;
        Some((self.files.get(at)?, number))
    }

    /// All documents that have not been removed: the file, and the number in it.
    pub(super) fn live_documents(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.files.iter().enumerate().flat_map(|(at, file)| {
            let all = 0..file.document_count();
            all.filter(|&number| file.live.contains(number)).map(move |number| (at, number))
        })
    }
}
