//! The container of index files once more, written from `docs/index-format.md` alone: it can say things that the
//! crate's own writer never would, and gives them valid checksums.

use std::hash::Hasher;
use std::ops::Range;

use twox_hash::XxHash64;

use super::sample::DIMENSIONS;

const HEADER: usize = 64;
const LINE: usize = 32;
const ALIGNMENT: usize = 64;
const MAGIC: &[u8; 8] = b"\x89ibid\r\n\x1a";

/// A section, and what the table is to say of it where that is not the truth.
#[derive(Clone)]
pub struct Section {
    pub id: [u8; 4],
    pub segment: u32,
    pub bytes: Vec<u8>,
    pub offset: Option<u64>,
    pub length: Option<u64>,
}

/// A file that has been taken apart, and what its header is to say where that is not the truth.
#[derive(Clone)]
pub struct File {
    pub version: u32,
    pub features: u32,
    pub length: Option<u64>,
    pub count: Option<u32>,
    pub sections: Vec<Section>,
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |word| u32::from_le_bytes(*word))
}

fn checksum(parts: &[&[u8]]) -> u64 {
    let mut hasher = XxHash64::with_seed(0);
    parts.iter().for_each(|part| hasher.write(part));
    hasher.finish()
}

/// The bytes of a range as a table states it, if they are there.
fn stated(file: &[u8], start: u64, length: u64) -> Option<&[u8]> {
    let end = usize::try_from(start.checked_add(length)?).ok()?;
    file.get(usize::try_from(start).ok()?..end)
}

/// Gives the lines of a table of blocks the checksums of the blocks.
fn reseal(table: &mut [u8], blocks: &[u8]) {
    let mut start = 0;
    for entry in table.chunks_exact_mut(16) {
        let end = word(entry, 4) as usize;
        let sum = blocks.get(start..end).map(|block| checksum(&[block]));
        entry[8..].copy_from_slice(&sum.unwrap_or_default().to_le_bytes());
        start = end;
    }
}

impl File {
    /// Takes a valid file apart.
    pub fn take_apart(file: &[u8]) -> Self {
        let section = |line: &[u8]| {
            let (start, length) = (word(line, 8) as usize, word(line, 16) as usize);
            Section {
                id: [line[0], line[1], line[2], line[3]],
                segment: word(line, 4),
                bytes: file[start..start + length].to_vec(),
                offset: None,
                length: None,
            }
        };
        let table = &file[HEADER..HEADER + word(file, 24) as usize * LINE];
        let sections = table.chunks_exact(LINE).map(section).collect();
        Self { version: word(file, 8), features: word(file, 12), length: None, count: None, sections }
    }

    /// Gives the clusters and the blocks of text and of terms the checksums of their bytes.
    pub fn reseal_blocks(&mut self) {
        self.reseal_terms();
        self.reseal_clusters();
        for (table, blocks) in [(*b"tblk", *b"text"), (*b"dblk", *b"docs"), (*b"hblk", *b"head")] {
            let mut all: Vec<(u32, Vec<u8>)> = Vec::new();
            for section in self.sections.iter_mut().filter(|section| section.id == blocks) {
                // JSON that is not packed may have become longer or shorter.
                if section.bytes.get(4) == Some(&b'[') {
                    let length = (section.bytes.len() as u32).wrapping_sub(4);
                    section.bytes[..4].copy_from_slice(&length.to_le_bytes());
                }
                all.push((section.segment, section.bytes.clone()));
            }
            for table in self.sections.iter_mut().filter(|section| section.id == table) {
                let Some((_, blocks)) = all.iter().find(|(segment, _)| *segment == table.segment) else {
                    continue;
                };
                if table.bytes.len() == 16 {
                    table.bytes[4..8].copy_from_slice(&(blocks.len() as u32).to_le_bytes());
                }
                reseal(&mut table.bytes, blocks);
            }
        }
    }

    /// The table of clusters stands in `cent` behind their number, their factors and lengths, and the codes of their centroids.
    fn reseal_clusters(&mut self) {
        let codes: Vec<(u32, Vec<u8>)> =
            self.named(*b"code").map(|codes| (codes.segment, codes.bytes.clone())).collect();
        for head in self.sections.iter_mut().filter(|section| section.id == *b"cent") {
            let Some((_, codes)) = codes.iter().find(|(segment, _)| *segment == head.segment) else {
                continue;
            };
            let count = word(&head.bytes, 0) as usize;
            let start = count.saturating_mul(8 + DIMENSIONS.div_ceil(2) as usize).saturating_add(4);
            let end = count.saturating_mul(16).saturating_add(start);
            reseal(head.bytes.get_mut(start..end).unwrap_or_default(), codes);
        }
    }

    /// The table of the blocks of terms stands in `lexi` behind its length, behind the language and the lengths of as many
    /// chunks as `vecs` has.
    fn reseal_terms(&mut self) {
        let sections = self.sections.clone();
        let of = |id: [u8; 4], segment: u32| {
            sections.iter().find(|section| section.id == id && section.segment == segment)
        };
        for head in self.sections.iter_mut().filter(|section| section.id == *b"lexi") {
            let (Some(terms), Some(chunks)) = (of(*b"post", head.segment), of(*b"vecs", head.segment)) else {
                continue;
            };
            let language = head.bytes.first().map_or(0, |length| 1 + usize::from(*length));
            let table = language + chunks.bytes.len() / (DIMENSIONS as usize + 8);
            let length = word(&head.bytes, table) as usize;
            let entries = head.bytes.get_mut(table + 4..).unwrap_or_default();
            let end = length.min(entries.len());
            reseal(&mut entries[..end], &terms.bytes);
        }
    }

    pub fn named(&self, id: [u8; 4]) -> impl Iterator<Item = &Section> {
        self.sections.iter().filter(move |section| section.id == id)
    }

    /// Where each section's bytes go, and where the file ends.
    fn places(&self) -> (Vec<Range<usize>>, usize) {
        let mut at = (HEADER + self.sections.len() * LINE).next_multiple_of(ALIGNMENT);
        let mut place = |section: &Section| {
            let range = at..at + section.bytes.len();
            at = range.end.next_multiple_of(ALIGNMENT);
            range
        };
        let places = self.sections.iter().map(&mut place).collect();
        (places, at)
    }

    /// Where the table says that each section begins.
    pub fn offsets(&self) -> Vec<u64> {
        let places = self.places().0;
        let said = self.sections.iter().zip(places);
        said.map(|(section, place)| section.offset.unwrap_or(place.start as u64)).collect()
    }

    /// Writes the file. All its checksums are those of the bytes that they are said to be of.
    pub fn seal(&self) -> Vec<u8> {
        let (places, end) = self.places();
        let mut file = vec![0; end];
        for (section, place) in self.sections.iter().zip(&places) {
            file[place.clone()].copy_from_slice(&section.bytes);
        }
        for (number, (section, place)) in self.sections.iter().zip(&places).enumerate() {
            let offset = section.offset.unwrap_or(place.start as u64);
            let length = section.length.unwrap_or(section.bytes.len() as u64);
            let sum = checksum(&[stated(&file, offset, length).unwrap_or(&section.bytes)]);
            let mut line = Vec::from(section.id);
            line.extend(section.segment.to_le_bytes());
            [offset, length, sum].iter().for_each(|number| line.extend(number.to_le_bytes()));
            file[HEADER + number * LINE..][..LINE].copy_from_slice(&line);
        }
        let count = self.count.unwrap_or(self.sections.len() as u32);
        let mut header = Vec::from(*MAGIC);
        header.extend([self.version, self.features].iter().flat_map(|number| number.to_le_bytes()));
        header.extend(self.length.unwrap_or(end as u64).to_le_bytes());
        header.extend(u64::from(count).to_le_bytes());
        let table = stated(&file, HEADER as u64, u64::from(count) * LINE as u64).unwrap_or_default();
        let sum = checksum(&[&header, table]);
        header.extend(sum.to_le_bytes());
        file[..header.len()].copy_from_slice(&header);
        file
    }
}
