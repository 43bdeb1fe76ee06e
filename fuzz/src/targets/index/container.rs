//! The container of index files once more, written from `docs/index-format.md` alone: it can say things that the
//! crate's own writer never would, and gives them valid checksums.

use std::hash::Hasher;
use std::ops::Range;

use twox_hash::XxHash64;

pub(super) const DIMENSIONS: u32 = 8;

const HEADER: usize = 64;
const LINE: usize = 32;
const ALIGNMENT: usize = 64;
const MAGIC: &[u8; 8] = b"\x89ibid\r\n\x1a";

/// A section, and what the table is to say of it where that is not the truth.
#[derive(Clone)]
pub struct Section {
    pub id: [u8; 4],
    /// The four bytes behind the id, which are zero.
    pub reserved: u32,
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

/// Gives blocks the checksums of their bytes, which stand in part in the lines of their table.
fn reseal(table: &mut [u8], blocks: &mut [u8]) {
    let (mut at, mut start) = (0, 0usize);
    while let (Some(_), Some(length)) = (varint(table, &mut at), varint(table, &mut at)) {
        let end = start.saturating_add(length);
        if let Some((sum, block)) = blocks.get_mut(start..end).and_then(|block| block.split_at_mut_checked(6))
            && let Some(in_table) = table.get_mut(at..at + 2)
        {
            let checksum = checksum(&[block]).to_le_bytes();
            in_table.copy_from_slice(&checksum[..2]);
            sum.copy_from_slice(&checksum[2..]);
        }
        (at, start) = (at + 2, end);
    }
}

/// Has the line of a single block say that it has this many bytes.
fn stretch(table: &mut Vec<u8>, length: usize) {
    let mut start = 0;
    let Some(_) = varint(table, &mut start) else { return };
    let mut end = start;
    if varint(table, &mut end).is_some() && end + 2 == table.len() {
        table.splice(start..end, written(length));
    }
}

/// Writes a number as [`varint`] reads it.
pub fn written(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// Reads a number of seven bits a byte.
pub fn varint(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let rest = bytes.get(*at..)?;
    let length = rest.iter().position(|byte| byte & 0x80 == 0)? + 1;
    *at += length;
    let number = rest[..length].iter().rev().try_fold(0usize, |number, byte| {
        number.checked_mul(128).map(|number| number | usize::from(byte & 0x7F))
    });
    Some(number.unwrap_or(usize::MAX))
}

/// The range, in a section that has one, of the table of the blocks in another. `clus` has that of centroids behind the
/// number of groups, the bits of codes, and the groups' factors and codes. The one of clusters follows. The one of terms
/// stands in `lexi` behind the language. All of these stand behind their length.
pub fn lines(section: &Section, blocks: [u8; 4]) -> Range<usize> {
    let bytes = &section.bytes;
    let behind = |start: usize| {
        let table = start.saturating_add(4).min(bytes.len());
        table..table.saturating_add(word(bytes, start) as usize).min(bytes.len())
    };
    match &section.id {
        b"clus" => {
            let group = 2 + DIMENSIONS.div_ceil(2) as usize;
            let groups = behind((word(bytes, 0) as usize).saturating_mul(group).saturating_add(8));
            if &blocks == b"cent" { groups } else { behind(groups.end) }
        }
        b"lexi" => behind(bytes.first().map_or(0, |length| 1 + usize::from(*length))),
        _ => 0..bytes.len(),
    }
}

impl File {
    /// Takes a valid file apart.
    pub fn take_apart(file: &[u8]) -> Self {
        let section = |line: &[u8]| {
            let (start, length) = (word(line, 8) as usize, word(line, 16) as usize);
            Section {
                id: [line[0], line[1], line[2], line[3]],
                reserved: word(line, 4),
                bytes: file[start..start + length].to_vec(),
                offset: None,
                length: None,
            }
        };
        let table = &file[HEADER..HEADER + word(file, 24) as usize * LINE];
        let sections = table.chunks_exact(LINE).map(section).collect();
        Self { version: word(file, 8), features: word(file, 12), length: None, count: None, sections }
    }

    /// Gives all blocks the checksums of their bytes.
    pub fn reseal_blocks(&mut self) {
        for section in &mut self.sections {
            // JSON that is not packed may have become longer or shorter.
            if matches!(&section.id, b"docs" | b"head") && section.bytes.get(10) == Some(&b'[') {
                let length = (section.bytes.len() as u32).wrapping_sub(10);
                section.bytes[6..10].copy_from_slice(&length.to_le_bytes());
            }
        }
        let pairs = [
            (*b"tblk", *b"text"),
            (*b"dblk", *b"docs"),
            (*b"hblk", *b"head"),
            (*b"lexi", *b"post"),
            (*b"clus", *b"cent"),
            (*b"clus", *b"code"),
        ];
        for (table, blocks) in pairs {
            for at in 0..self.sections.len() {
                let mut section = self.sections[at].clone();
                let are_its = |other: &Section| other.id == blocks;
                let Some(blocks_at) = self.sections.iter().position(are_its).filter(|_| section.id == table)
                else {
                    continue;
                };
                let bytes = &mut self.sections[blocks_at].bytes;
                if !matches!(&table, b"lexi" | b"clus") {
                    stretch(&mut section.bytes, bytes.len());
                }
                let lines = lines(&section, blocks);
                reseal(&mut section.bytes[lines], bytes);
                self.sections[at] = section;
            }
        }
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

    /// The place where the table says that each section begins.
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
            line.extend(section.reserved.to_le_bytes());
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
