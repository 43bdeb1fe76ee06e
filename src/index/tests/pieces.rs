//! Opening a file of which only a part is there, as a page does over HTTP.

use super::segment::TEXT;
use super::*;

/// An index with text of several blocks.
fn file() -> Vec<u8> {
    let mut builder = builder(GraphMode::Auto);
    add(&mut builder, "a.md", &sections(0..3000));
    finish(builder)
}

fn cut(file: &[u8], range: &Range<u64>) -> (u64, Vec<u8>) {
    (range.start, file[range.start as usize..range.end as usize].to_vec())
}

fn open(file: &[u8]) -> Result<Index> {
    let length = Layout::head_length(&file[..64])?;
    let layout = Layout::parse(&file[..length])?;
    let pieces = layout.needed().iter().map(|range| cut(file, range)).collect();
    Index::open_pieces(layout, pieces)
}

#[test]
fn text_is_fetched_for_the_hits_alone() {
    let file = file();
    let index = open(&file).unwrap();
    let hits = index.search(&vectors(4000)[1234], 3, 64).unwrap();
    let chunks: Vec<u32> = hits.iter().map(|hit| hit.chunk).collect();
    assert_eq!(index.chunk(chunks[0]).unwrap_err().code(), ErrorCode::IndexIncomplete);
    let missing = index.missing(&chunks);
    let bytes: u64 = missing.iter().map(|range| range.end - range.start).sum();
    assert!((1..=3).contains(&missing.len()) && bytes < 60_000, "{missing:?}");
    for range in &missing {
        let (offset, bytes) = cut(&file, range);
        index.provide(offset, bytes).unwrap();
    }
    assert!(index.missing(&chunks).is_empty());
    let whole = Index::open(file).unwrap();
    for chunk in chunks {
        assert_eq!(index.chunk(chunk).unwrap(), whole.chunk(chunk).unwrap());
    }
}

#[test]
fn what_is_needed_is_one_stretch_without_the_text() {
    let file = file();
    let layout = Layout::parse(&file).unwrap();
    let needed = layout.needed();
    let text = layout.find(TEXT, 0).unwrap().range.clone();
    assert_eq!(needed.len(), 1);
    assert!(needed[0].end <= text.start && text.end - text.start > 5_000);
    // All of the file is as good as what is needed, and then no text is missing.
    let index = Index::open_pieces(layout, vec![(0, file.clone())]).unwrap();
    assert!(index.missing(&[0, 2999]).is_empty());
    assert!(index.to_bytes().unwrap() == file);
}

#[test]
fn a_piece_that_is_missing_or_wrong_is_an_error() {
    let file = file();
    let layout = || Layout::parse(&file).unwrap();
    let needed = layout().needed().remove(0);
    let code = |pieces| Index::open_pieces(layout(), pieces).unwrap_err().code();
    assert_eq!(code(Vec::new()), ErrorCode::IndexCorrupt);
    assert_eq!(code(vec![cut(&file, &(needed.start..needed.end - 1))]), ErrorCode::IndexCorrupt);
    assert_eq!(code(vec![cut(&file, &(needed.start + 1..needed.end))]), ErrorCode::IndexCorrupt);
    let (offset, mut bytes) = cut(&file, &needed);
    bytes[5000] ^= 1;
    assert_eq!(code(vec![(offset, bytes)]), ErrorCode::IndexCorrupt);

    let index = open(&file).unwrap();
    let missing = index.missing(&[7]).remove(0);
    let (offset, mut bytes) = cut(&file, &missing);
    bytes[100] ^= 1;
    assert_eq!(index.provide(offset, bytes).unwrap_err().code(), ErrorCode::IndexCorrupt);
    assert_eq!(index.to_bytes().unwrap_err().code(), ErrorCode::IndexIncomplete);
    // Bytes that nobody asked for do no harm.
    index.provide(u64::MAX, vec![1, 2, 3]).unwrap();
    index.provide(0, Vec::new()).unwrap();
}
