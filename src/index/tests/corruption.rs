//! Files that were damaged on the way, and files made by somebody who means harm.

use super::*;
use container::Part;

/// A small file that has one of everything: two segments, a graph, duplicates, removed documents, two text blocks.
fn sample() -> Vec<u8> {
    let mut base = builder(GraphMode::Always);
    add(&mut base, "a.md", &sections(0..12));
    add(&mut base, "b.md", &(sections(10..16) + "# I\n\n" + &"A long line. ".repeat(6000)));
    let mut index = Index::open(finish(base)).unwrap();
    let mut delta = builder(GraphMode::Auto);
    add(&mut delta, "c.md", &sections(14..20));
    index.attach(Index::open(finish(delta)).unwrap()).unwrap();
    index.remove("a");
    index.to_bytes().unwrap()
}

fn parts(file: &[u8]) -> Vec<Part> {
    let layout = Layout::of_file(file).unwrap();
    let bytes = |range: &Range<u64>| file[range.start as usize..range.end as usize].to_vec();
    layout.entries().iter().map(|entry| Part::new(entry.id, entry.segment, bytes(&entry.range))).collect()
}

/// Uses everything of an index that can be used, to see whether any of it panics.
fn use_all(index: &Index, query: &Embedding) {
    let _ = (index.search(query, 5, 64), index.scan(query, 5));
    (0..index.chunk_end().min(200)).for_each(|number| drop(index.chunk(number)));
    index.documents().take(50).for_each(drop);
    let _ = index.to_bytes();
    let _ = index.compact();
}

struct Random(u64);

impl Random {
    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

#[test]
fn every_truncation_and_every_changed_byte_is_noticed() {
    let file = sample();
    assert!(Index::open(file.clone()).is_ok());
    for end in (0..file.len()).step_by(11) {
        assert!(Index::open(file[..end].to_vec()).is_err(), "cut at {end}");
    }
    for at in (0..file.len()).step_by(11) {
        let mut changed = file.clone();
        changed[at] ^= 1 << (at % 8);
        assert!(Index::open(changed).is_err(), "byte {at}");
    }
}

/// With valid checksums, only the checks of the content stand between a crafted file and a panic. `IBID_MUTATIONS` says
/// how many files to try; the release check is 100,000.
#[test]
fn crafted_files_never_panic() {
    let count = option_env!("IBID_MUTATIONS").and_then(|count| count.parse().ok()).unwrap_or(3000);
    let file = sample();
    let originals = parts(&file);
    let query = &vectors(1)[0];
    let mut random = Random(20);
    let mut opened = 0;
    for _ in 0..count {
        let mut changed: Vec<Part> = originals
            .iter()
            .map(|part| Part { id: part.id, segment: part.segment, bytes: part.bytes.clone() })
            .collect();
        let at = random.below(changed.len());
        let mut bytes = changed[at].bytes.to_vec();
        mutate(&mut bytes, &mut random);
        match random.below(20) {
            0 => drop(changed.remove(at)),
            1 => changed[at].segment = random.below(4) as u32,
            _ => changed[at].bytes = bytes.into(),
        }
        if let Ok(index) = Index::open(container::write(&changed).unwrap()) {
            opened += 1;
            use_all(&index, query);
        }
    }
    // Both outcomes must occur, or the test tests nothing.
    assert!(opened > count / 50 && opened < count, "{opened} of {count} opened");
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.below(256) as u8,
            2 => bytes.truncate(at.max(1)),
            3 => bytes.insert(at, random.below(256) as u8),
            // A whole number becomes absurd, zero, or one of the places where signs and widths change.
            _ => {
                let value = [0, 1, u32::MAX, i32::MAX as u32, 1 << 31, 0xFFFF, 0x1_0000][random.below(7)];
                let at = at & !3;
                if let Some(word) = bytes.get_mut(at..at + 4) {
                    word.copy_from_slice(&value.to_le_bytes());
                }
            }
        }
    }
}

#[test]
fn absurd_tables_are_refused() {
    let file = sample();
    let layout = Layout::parse(&file).unwrap();
    let length = Layout::head_length(&file).unwrap();
    let mut random = Random(3);
    for _ in 0..2000 {
        let mut head = file[..length].to_vec();
        let line = 64 + random.below(layout.entries().len()) * 32;
        let value = [0, 1, 64, u64::MAX, u64::MAX - 63, i64::MAX as u64, 1 << 32][random.below(7)];
        let field = line + [8, 16][random.below(2)];
        head[field..field + 8].copy_from_slice(&value.to_le_bytes());
        let sum = container::checksum(&[&head[..32], &head[64..]]);
        head[32..40].copy_from_slice(&sum.to_le_bytes());
        let mut changed = file.clone();
        changed[..length].copy_from_slice(&head);
        let _ = Index::open(changed).map(|index| use_all(&index, &vectors(1)[0]));
        if let Ok(layout) = Layout::parse(&head) {
            let pieces = layout.needed().into_iter().filter_map(|range| {
                let range_in = usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?;
                Some((range.start, file.get(range_in)?.to_vec()))
            });
            let _ = Index::open_pieces(layout, pieces.collect());
        }
    }
}
