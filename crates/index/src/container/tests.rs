use super::format::{ALIGNMENT, HEADER_BYTES};
use super::*;
use ibid_platform::{ErrorCode, Result};

fn sample() -> Vec<u8> {
    let parts = [(*b"aaaa", b"hello".to_vec()), (*b"bbbb", Vec::new()), (*b"cccc", vec![7; 100])];
    write(parts.map(|(id, bytes)| (id, bytes.into())).into()).unwrap()
}

/// Everything that opening a file verifies before it looks into the sections.
fn read(file: &[u8]) -> Result<FileLayout> {
    let layout = FileLayout::of_file(file)?;
    let whole = SharedBytes::from(file.to_vec());
    for entry in layout.entries() {
        entry.verify(whole.slice(entry.range.start as usize..entry.range.end as usize))?;
    }
    Ok(layout)
}

#[test]
fn what_is_written_is_read() {
    let file = sample();
    let layout = read(&file).unwrap();
    let bytes = |id| {
        let range = &layout.find(id).unwrap().range;
        &file[range.start as usize..range.end as usize]
    };
    assert_eq!(bytes(*b"aaaa"), b"hello");
    assert!(bytes(*b"bbbb").is_empty());
    assert_eq!(bytes(*b"cccc"), [7; 100]);
    assert!(layout.find(*b"dddd").is_none());
    assert!(layout.entries().iter().all(|entry| entry.range.start % ALIGNMENT as u64 == 0));
    assert_eq!(layout.file_length(), file.len() as u64);
}

#[test]
fn the_beginning_of_a_file_is_enough_to_know_its_layout() {
    let file = sample();
    let length = FileLayout::head_length(&file[..HEADER_BYTES]).unwrap();
    assert_eq!(FileLayout::parse(&file[..length]).unwrap().entries().len(), 3);
    let code = |head: &[u8]| FileLayout::parse(head).unwrap_err().code();
    assert_eq!(code(&file[..length - 1]), ErrorCode::IndexTruncated);
    assert_eq!(code(&file[..HEADER_BYTES - 1]), ErrorCode::IndexTruncated);
}

#[test]
fn every_truncation_is_an_error() {
    let file = sample();
    for end in 1..file.len() {
        let code = read(&file[..end]).unwrap_err().code();
        assert_eq!(code, ErrorCode::IndexTruncated, "cut at {end}");
    }
    assert_eq!(read(&[]).unwrap_err().code(), ErrorCode::IndexForeign);
}

#[test]
fn every_changed_byte_is_an_error() {
    let file = sample();
    for at in 0..file.len() {
        for bit in 0..8 {
            let mut changed = file.clone();
            changed[at] ^= 1 << bit;
            assert!(read(&changed).is_err(), "bit {bit} of byte {at}");
        }
    }
}

#[test]
fn an_older_and_a_newer_file_name_both_versions_and_are_to_be_built_anew() {
    for version in [0, FORMAT_VERSION - 1, FORMAT_VERSION + 1] {
        let mut file = sample();
        file[8] = version as u8;
        let error = read(&file).unwrap_err();
        assert_eq!(error.code(), ErrorCode::IndexVersion);
        assert!(error.message().contains(&format!("version {version} ")), "{error}");
        assert!(error.message().contains(&format!("reads version {FORMAT_VERSION}.")), "{error}");
        assert!(error.hint().unwrap_or_default().contains("Rebuild the index"), "{error}");
    }
}

#[test]
fn an_error_page_is_recognized() {
    let error = read(b"\n<!doctype html><title>404</title>").unwrap_err();
    assert_eq!(error.code(), ErrorCode::IndexForeign);
    assert!(error.message().contains("HTML"));
}

#[test]
fn trailing_bytes_are_an_error() {
    let mut file = sample();
    file.push(0);
    assert_eq!(read(&file).unwrap_err().code(), ErrorCode::IndexCorrupt);
}
