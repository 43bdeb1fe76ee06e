//! A file cut into a head and parts, and an index that is read where it lies.

use std::sync::{Arc, Mutex};

use super::*;
use crate::container::{CutFile, PartTable, ReadRange, cut};
use ibid_platform::Error;

const PART_BYTES: u32 = 16 << 10;

/// Reads a file in memory, and counts.
#[derive(Debug)]
struct Counting(Vec<u8>, Mutex<u64>);

impl ReadRange for Counting {
    fn length(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<u8>> {
        *self.1.lock().unwrap() += range.end - range.start;
        let bytes = self.0.get(range.start as usize..range.end as usize);
        bytes.map(<[u8]>::to_vec).ok_or_else(|| Error::new(ErrorCode::Io, "beyond the end"))
    }
}

fn joined(cut: &CutFile<'_>) -> Vec<u8> {
    cut.parts.iter().fold(cut.head.clone(), |mut whole, (_, bytes)| {
        whole.extend_from_slice(bytes);
        whole
    })
}

#[test]
fn head_and_parts_joined_are_the_same_index() {
    let file = build(2000);
    let folder = cut(&file, PART_BYTES).unwrap();
    assert!(folder.parts.len() > 5);
    let table = PartTable::read(&folder.head).unwrap().unwrap();
    assert_eq!(table.head_length, folder.head.len() as u64);
    assert_eq!(table.part_bytes, PART_BYTES);
    let parts: Vec<_> = folder.parts.iter().map(|(part, _)| part.clone()).collect();
    assert_eq!(table.parts, parts);
    for (part, bytes) in &folder.parts {
        assert!(bytes.len() <= PART_BYTES as usize);
        part.verify(bytes).unwrap();
    }
    let whole = joined(&folder);
    let index = Index::open(whole.clone()).unwrap();
    let query = &vectors(4000)[1234];
    assert_eq!(index.search(query, 5).unwrap(), Index::open(file.clone()).unwrap().search(query, 5).unwrap());
    // Cut again, it is the same.
    assert!(joined(&cut(&whole, PART_BYTES).unwrap()) == whole);
    assert!(PartTable::read(&file).unwrap().is_none());
}

#[test]
fn every_changed_byte_of_a_head_is_an_error_or_leaves_the_table_as_it_is() {
    let file = build(300);
    let head = cut(&file, PART_BYTES).unwrap().head;
    let table = PartTable::read(&head).unwrap();
    for at in 0..head.len() {
        let mut changed = head.clone();
        changed[at] ^= 0x10;
        if let Ok(read) = PartTable::read(&changed) {
            assert_eq!(read, table, "byte {at}");
        }
    }
    for end in 0..head.len() {
        if let Ok(read) = PartTable::read(&head[..end]) {
            assert_eq!(read, table, "cut at {end}");
        }
    }
}

#[test]
fn parts_that_are_not_whole_are_told() {
    let file = build(300);
    let folder = cut(&file, PART_BYTES).unwrap();
    let (part, bytes) = &folder.parts[0];
    let code = |bytes: &[u8]| part.verify(bytes).unwrap_err().code();
    assert_eq!(code(&bytes[1..]), ErrorCode::IndexTruncated);
    assert_eq!(code(&[bytes, &b"x"[..]].concat()), ErrorCode::IndexCorrupt);
    assert_eq!(code(&[&b"x"[..], &bytes[1..]].concat()), ErrorCode::IndexCorrupt);
    assert!(part.missing().message().contains(&part.name()));
    for part_bytes in [0, (16 << 20) + 1] {
        assert_eq!(cut(&file, part_bytes).map(|_| ()).unwrap_err().code(), ErrorCode::InvalidOption);
    }
    assert_eq!(cut(&file[1..], PART_BYTES).map(|_| ()).unwrap_err().code(), ErrorCode::IndexForeign);
}

#[test]
fn an_index_is_read_where_it_lies() {
    let file = build(3000);
    let reader = Arc::new(Counting(file.clone(), Mutex::default()));
    let counted: Arc<dyn ReadRange> = reader.clone();
    let (index, whole) = (Index::open_in_place(&counted).unwrap(), Index::open(file.clone()).unwrap());
    let query = &vectors(4000)[1234];
    let found = index.search(query, 5).unwrap();
    assert_eq!(found, whole.search(query, 5).unwrap());
    for hit in &found {
        assert_eq!(index.chunk(hit.chunk).unwrap(), whole.chunk(hit.chunk).unwrap());
    }
    let read = *reader.1.lock().unwrap();
    assert!(read < file.len() as u64 / 3, "{read} of {}", file.len());
    assert_eq!(index.scan(query, 5).unwrap(), whole.scan(query, 5).unwrap());
    assert!(index.file().is_none());
}

#[test]
fn damage_is_told_when_it_is_read() {
    let file = build(3000);
    let open = |file: Vec<u8>| {
        let reader: Arc<dyn ReadRange> = Arc::new(Counting(file, Mutex::default()));
        Index::open_in_place(&reader)
    };
    assert_eq!(open(file[..file.len() - 64].to_vec()).unwrap_err().code(), ErrorCode::IndexTruncated);
    assert_eq!(open([&file[..], &[0]].concat()).unwrap_err().code(), ErrorCode::IndexCorrupt);
    assert_eq!(open(Vec::new()).unwrap_err().code(), ErrorCode::IndexForeign);
    let whole = Index::open(file.clone()).unwrap();
    let section = whole.file_sections().into_iter().find(|section| section.name == "code").unwrap();
    let mut damaged = file;
    damaged[section.range.start as usize..section.range.end as usize].fill(1);
    let error = open(damaged).unwrap().search(&vectors(4000)[1234], 5).unwrap_err();
    assert_eq!(error.code(), ErrorCode::IndexCorrupt);
}
