//! Packing of a segment's tables: what takes 36 bytes a chunk where it is searched takes 11 in a file.
//!
//! A table is turned by columns, each number becomes its difference from the one before, the differences are written in
//! as few bytes as they need, and all of that is deflated. When an index is opened it is turned back, once, into the
//! form that is searched in place. `docs/index-format.md` has both forms.

use miniz_oxide::inflate::decompress_slice_iter_to_slice;

use super::catalog::SegmentCounts;
use super::container::{
    CHUNKS, COLUMNS, DOCUMENT_BLOCKS, DUPLICATES, SECTIONS, STRINGS, SectionId, SharedBytes, corrupt, u32_at,
    words,
};
use super::text::deflate;
use super::varint::{read_varint, write_varint};
use ibid_platform::Result;

/// The sections that are packed.
pub(super) const PACKED: [SectionId; 6] = [COLUMNS, STRINGS, DOCUMENT_BLOCKS, SECTIONS, CHUNKS, DUPLICATES];

/// The lengths of the stream, unpacked and packed, before the packed stream.
const HEAD_BYTES: usize = 8;
/// A stream is at most this many times as long as what it is packed into, so that a small file cannot make its reader
/// reserve much. What deflate packs better is filled up with zeros; tables of real documents stay below.
const BEST_RATIO: usize = 8;

/// The words of a chunk that are packed; its id follows them, which is random and stays as it is.
const CHUNK_COLUMNS: usize = 7;
const CHUNK_BYTES: usize = 4 * CHUNK_COLUMNS + 8;

/// Packs a section from the form in which it is searched.
pub(super) fn pack(id: SectionId, counts: SegmentCounts, section: &[u8]) -> Vec<u8> {
    let (mut stream, mut tail) = (Vec::new(), Vec::new());
    match id {
        CHUNKS => {
            let rows = section.as_chunks::<CHUNK_BYTES>().0;
            let rows =
                rows.iter().map(|row| row_of(&row[..4 * CHUNK_COLUMNS])).scan([0; 7], |before, row| {
                    let after = std::mem::replace(before, row);
                    Some(chunk_differences(after, row))
                });
            put_columns(&mut stream, &rows.collect::<Vec<_>>());
            let ids = section.as_chunks::<CHUNK_BYTES>().0.iter();
            tail = ids.flat_map(|row| row[4 * CHUNK_COLUMNS..].iter().copied()).collect();
        }
        DUPLICATES => put_columns(&mut stream, &differences::<7>(section)),
        SECTIONS => {
            let (entries, paths) = section.split_at(counts.sections as usize * 12);
            put_columns(&mut stream, &differences::<3>(entries));
            put_columns(&mut stream, &differences::<1>(paths));
        }
        DOCUMENT_BLOCKS => {
            let (ends, table) = section.split_at(counts.documents as usize * 4);
            put_columns(&mut stream, &differences::<1>(ends));
            tail = table.to_vec();
        }
        STRINGS => {
            let count = u32_at(section, 0);
            let (ends, text) = section.split_at(4 + count as usize * 4);
            write_varint(&mut stream, count);
            put_columns(&mut stream, &differences::<1>(&ends[4..]));
            stream.extend_from_slice(text);
        }
        _ => stream = section.to_vec(),
    }
    let mut packed = deflate(&stream);
    packed.resize(packed.len().max(stream.len().div_ceil(BEST_RATIO)), 0);
    if packed.len() >= stream.len() {
        packed.clone_from(&stream);
    }
    let lengths = [stream.len() as u32, packed.len() as u32];
    [lengths.map(u32::to_le_bytes).as_flattened(), &packed, &tail].concat()
}

/// Turns a section back into the form in which it is searched; what its numbers say is checked there.
pub(super) fn unpack(id: SectionId, counts: SegmentCounts, section: &SharedBytes) -> Result<SharedBytes> {
    let out = open(section).and_then(|(stream, tail)| match id {
        CHUNKS => chunks(&stream, tail, counts.chunks as usize),
        DUPLICATES => {
            whole(VarintReader(&stream), &|reader, out| reader.rows(7, counts.duplicates as usize, out))
        }
        SECTIONS => whole(VarintReader(&stream), &|reader, out| {
            reader.rows(3, counts.sections as usize, out)?;
            // Each number takes a byte that no other has for its last, so these are as many as follow.
            let paths = reader.0.iter().filter(|byte| **byte < 0x80).count();
            reader.rows(1, paths, out)
        }),
        DOCUMENT_BLOCKS => {
            let ends =
                whole(VarintReader(&stream), &|reader, out| reader.rows(1, counts.documents as usize, out))?;
            Some([&ends, tail].concat())
        }
        STRINGS => {
            let mut reader = VarintReader(&stream);
            let count = reader.number()?;
            let mut out = count.to_le_bytes().to_vec();
            reader.rows(1, count as usize, &mut out)?;
            out.extend_from_slice(reader.0);
            Some(out)
        }
        _ => Some(stream.into_owned()),
    });
    let damaged = || corrupt(format!("its section `{}` cannot be unpacked", String::from_utf8_lossy(&id)));
    out.map(SharedBytes::from).ok_or_else(damaged)
}

/// The stream that a section has packed, and what follows it as it is.
fn open(section: &[u8]) -> Option<(std::borrow::Cow<'_, [u8]>, &[u8])> {
    let (head, rest) = section.split_at_checked(HEAD_BYTES)?;
    let (length, packed) = (u32_at(head, 0) as usize, u32_at(head, 4) as usize);
    let (packed, tail) = rest.split_at_checked(packed)?;
    if length == packed.len() {
        return Some((packed.into(), tail));
    }
    if length < packed.len() || length > packed.len().saturating_mul(BEST_RATIO) {
        return None;
    }
    let mut stream = vec![0; length];
    let unpacked = decompress_slice_iter_to_slice(&mut stream, std::iter::once(packed), false, true).ok()?;
    (unpacked == length).then_some((stream.into(), tail))
}

fn whole(
    mut reader: VarintReader<'_>,
    read: &dyn Fn(&mut VarintReader<'_>, &mut Vec<u8>) -> Option<()>,
) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    read(&mut reader, &mut out)?;
    reader.0.is_empty().then_some(out)
}

/// Chunks' rows, of which the differences of the first seven words are in columns and the ids in a row.
fn chunks(stream: &[u8], ids: &[u8], count: usize) -> Option<Vec<u8>> {
    if Some(ids.len()) != count.checked_mul(8) {
        return None;
    }
    let mut reader = VarintReader(stream);
    let mut out = vec![0; count * CHUNK_BYTES];
    let rows = out.as_chunks_mut::<CHUNK_BYTES>().0;
    for column in 0..CHUNK_COLUMNS {
        for row in rows.iter_mut() {
            row[column * 4..column * 4 + 4].copy_from_slice(&reader.number()?.to_le_bytes());
        }
    }
    let mut before = [0; CHUNK_COLUMNS];
    for (row, id) in rows.iter_mut().zip(ids.as_chunks::<8>().0) {
        before = chunk_of(before, row_of(&row[..4 * CHUNK_COLUMNS]).map(unzigzag));
        let numbers = before.map(u32::to_le_bytes);
        row[..4 * CHUNK_COLUMNS].copy_from_slice(numbers.as_flattened());
        row[4 * CHUNK_COLUMNS..].copy_from_slice(id);
    }
    reader.0.is_empty().then_some(out)
}

/// What tells a chunk from the one before it. It begins a little behind the end of the one before, and is mostly as long
/// in its file as its text is without what it repeats, so these two differences are what is written of its place.
fn chunk_differences(before: [u32; CHUNK_COLUMNS], chunk: [u32; CHUNK_COLUMNS]) -> [u32; CHUNK_COLUMNS] {
    let [section, index, line, start, end, repeated, text_end] = chunk;
    let new_text = text_end.wrapping_sub(before[6]).wrapping_sub(repeated);
    [
        section.wrapping_sub(before[0]),
        index.wrapping_sub(before[1]),
        line.wrapping_sub(before[2]),
        start.wrapping_sub(before[4]),
        new_text.wrapping_sub(end.wrapping_sub(start)),
        repeated.wrapping_sub(before[5]),
        text_end.wrapping_sub(before[6]),
    ]
}

/// The other way round.
fn chunk_of(before: [u32; CHUNK_COLUMNS], differences: [u32; CHUNK_COLUMNS]) -> [u32; CHUNK_COLUMNS] {
    let [section, index, line, start, end, repeated, text_end] = differences;
    let start = start.wrapping_add(before[4]);
    let repeated = repeated.wrapping_add(before[5]);
    [
        section.wrapping_add(before[0]),
        index.wrapping_add(before[1]),
        line.wrapping_add(before[2]),
        start,
        start.wrapping_add(text_end).wrapping_sub(repeated).wrapping_sub(end),
        repeated,
        text_end.wrapping_add(before[6]),
    ]
}

/// The words of rows, each as its difference from the row before.
fn differences<const WIDTH: usize>(section: &[u8]) -> Vec<[u32; WIDTH]> {
    let rows = section.chunks_exact(WIDTH * 4).map(row_of::<WIDTH>);
    rows.scan([0; WIDTH], |before, row| {
        let mut out = row;
        out.iter_mut().zip(*before).for_each(|(word, before)| *word = word.wrapping_sub(before));
        *before = row;
        Some(out)
    })
    .collect()
}

fn row_of<const WIDTH: usize>(bytes: &[u8]) -> [u32; WIDTH] {
    let mut row = [0; WIDTH];
    row.iter_mut().zip(words(bytes)).for_each(|(slot, word)| *slot = word);
    row
}

fn put_columns<const WIDTH: usize>(stream: &mut Vec<u8>, rows: &[[u32; WIDTH]]) {
    for column in 0..WIDTH {
        rows.iter().for_each(|row| write_varint(stream, zigzag(row[column])));
    }
}

/// Small differences, whatever their sign, become small numbers.
fn zigzag(difference: u32) -> u32 {
    difference << 1 ^ if difference >> 31 == 1 { u32::MAX } else { 0 }
}

fn unzigzag(number: u32) -> u32 {
    number >> 1 ^ if number & 1 == 1 { u32::MAX } else { 0 }
}

/// The rest of a stream.
struct VarintReader<'a>(&'a [u8]);

impl VarintReader<'_> {
    fn number(&mut self) -> Option<u32> {
        read_varint(&mut self.0)
    }

    /// Appends rows that were written as columns of differences.
    fn rows(&mut self, width: usize, count: usize, out: &mut Vec<u8>) -> Option<()> {
        // Every number takes at least a byte of the stream, which bounds what is reserved.
        if count.checked_mul(width)? > self.0.len() {
            return None;
        }
        let start = out.len();
        out.resize(start + count * width * 4, 0);
        for column in 0..width {
            let mut value = 0u32;
            for row in out[start..].chunks_exact_mut(width * 4) {
                value = value.wrapping_add(unzigzag(self.number()?));
                row[column * 4..column * 4 + 4].copy_from_slice(&value.to_le_bytes());
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counts(documents: u32, sections: u32, chunks: u32, duplicates: u32) -> SegmentCounts {
        SegmentCounts { documents, sections, chunks, duplicates }
    }

    /// Packs and unpacks a section, and returns how long it was in between.
    fn round(id: SectionId, counts: SegmentCounts, section: &[u8]) -> usize {
        let packed = pack(id, counts, section);
        let length = packed.len();
        assert!(*unpack(id, counts, &packed.into()).unwrap() == *section);
        length
    }

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn orderly_tables_become_small() {
        let chunk =
            |at: u32| [at / 3, at % 3, at * 4, at * 500 + 20, at * 500 + 480, 0, (at + 1) * 460, at, at];
        let chunks: Vec<u32> = (0..3000).flat_map(chunk).collect();
        assert!(round(CHUNKS, counts(0, 0, 3000, 0), &bytes(&chunks)) < 3000 * 10);
        // Nothing gets smaller than an eighth of its stream.
        let sections: Vec<u32> = (0..3000).flat_map(|at| [at, 0, at + 1]).chain(0..3000).collect();
        let length = round(SECTIONS, counts(0, 3000, 0, 0), &bytes(&sections));
        assert_eq!(length, HEAD_BYTES + (4 * 3000usize).div_ceil(BEST_RATIO));
    }

    proptest! {
        #[test]
        fn what_is_packed_is_unpacked(words in prop::collection::vec(any::<u32>(), 0..200), small in any::<bool>()) {
            let words: Vec<u32> = words.iter().map(|word| if small { word % 100 } else { *word }).collect();
            let rows = |width: usize| bytes(&words[..words.len() / width * width]);
            let count = |width: usize| (words.len() / width) as u32;
            round(CHUNKS, counts(0, 0, count(9), 0), &rows(9));
            round(DUPLICATES, counts(0, 0, 0, count(7)), &rows(7));
            round(SECTIONS, counts(0, count(5), 0, 0), &bytes(&words));
            round(DOCUMENT_BLOCKS, counts(count(3), 0, 0, 0), &bytes(&words));
            round(COLUMNS, counts(0, 0, 0, 0), &bytes(&words));
            let mut strings = count(2).to_le_bytes().to_vec();
            strings.extend(bytes(&words));
            round(STRINGS, counts(0, 0, 0, 0), &strings);
        }

        #[test]
        fn no_bytes_make_it_panic_or_reserve_much(
            section in prop::collection::vec(any::<u8>(), 0..80),
            lengths in (0u32..600, 0u32..80),
            count in any::<u32>(),
        ) {
            let head = bytes(&[lengths.0, lengths.1]);
            let section: SharedBytes = [head, section].concat().into();
            for id in PACKED {
                for count in [count, count % 20] {
                    if let Ok(out) = unpack(id, counts(count, count, count, count), &section) {
                        prop_assert!(out.len() <= section.len() * BEST_RATIO * 5 + 8);
                    }
                }
            }
        }
    }

    #[test]
    fn a_stream_that_lies_is_refused() {
        let strings = bytes(&[2, 3, 6]);
        let strings = [&strings, b"abcdef".as_slice()].concat();
        let packed = pack(STRINGS, counts(0, 0, 0, 0), &strings);
        let refused = |section: Vec<u8>| unpack(STRINGS, counts(0, 0, 0, 0), &section.into()).is_err();
        assert!(!refused(packed.clone()));
        for end in 0..packed.len() {
            assert!(refused(packed[..end].to_vec()) || end > HEAD_BYTES, "cut at {end}");
        }
        let mut promises = packed;
        promises[..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(refused(promises));
    }
}
