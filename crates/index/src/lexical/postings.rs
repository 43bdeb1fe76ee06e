//! A term's postings: in which chunks it is, and what it adds to each.

use super::bitstream::{BitReader, BitWriter};

/// The levels of impact. They are even, since impacts are summed up. From 16 to 32 levels, even or by powers, nDCG@10 of
/// hybrid searches lies between 0.7835 and 0.7849, less apart than halves of the questions are.
pub(super) const LEVELS: u32 = 20;
/// More chunks than these cannot be numbered.
pub(super) const MOST_CHUNKS: u32 = 1 << 26;

/// A term in a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Posting {
    /// The chunk's gain by the term, but for what the term is worth.
    pub(super) level: u8,
    /// Says whether a heading above the chunk has it.
    pub(super) in_heading: bool,
}

/// Finds the level whose impact is nearest to this one, from 0 to 1.
pub(super) fn level(impact: f32) -> u8 {
    ((impact * LEVELS as f32).round() as u8).clamp(1, LEVELS as u8) - 1
}

/// Computes the impact of a level; that of the last is 1.
pub(super) fn impact(level: u8) -> f32 {
    f32::from(level + 1) / LEVELS as f32
}

/// The levels that a term's postings have.
struct Levels {
    least: u32,
    /// The number of levels from the least to the greatest.
    range: u32,
    /// The distance from the least level to the least one in a heading; `range` without any.
    headed: u32,
}

impl Levels {
    fn of(postings: &[(u32, Posting)]) -> Self {
        let (mut least, mut most, mut headed) = (LEVELS - 1, 0, LEVELS);
        for &(_, Posting { level, in_heading }) in postings {
            let level = u32::from(level);
            (least, most) = (least.min(level), most.max(level));
            if in_heading {
                headed = headed.min(level);
            }
        }
        let range = most - least + 1;
        Self { least, range, headed: (headed - least).min(range) }
    }

    /// Computes the largest possible `range`: a single posting has one level.
    fn most(least: u32, count: u32) -> u32 {
        if count > 1 { LEVELS - least } else { 1 }
    }

    fn write(&self, bits: &mut BitWriter, count: u32) {
        bits.below(LEVELS, self.least);
        bits.below(Self::most(self.least, count), self.range - 1);
        bits.below(self.range + 1, self.headed);
    }

    fn read(bits: &mut BitReader<'_>, count: u32) -> Self {
        let least = bits.below(LEVELS);
        let range = bits.below(Self::most(least, count)) + 1;
        Self { least, range, headed: bits.below(range + 1) }
    }
}

/// Computes the usual number of chunks between one with a term and the next, as a power of two. A third of
/// the mean is usual, since chunks of a document share words.
fn usual_gap(count: u32, chunks: u32) -> u32 {
    (chunks / (3 * count.max(1))).max(1).ilog2()
}

/// Writes the bytes of postings, at least one, by their chunks, which rise and are below `chunks`.
pub(super) fn write_postings(postings: &[(u32, Posting)], chunks: u32) -> Vec<u8> {
    let mut bits = BitWriter::default();
    let count = postings.len() as u32;
    let levels = Levels::of(postings);
    levels.write(&mut bits, count);
    let (usual, mut next) = (usual_gap(count, chunks), 0);
    for &(chunk, Posting { level, in_heading }) in postings {
        bits.about(usual, chunk - next);
        let above = u32::from(level) - levels.least;
        bits.below(levels.range, above);
        if above >= levels.headed {
            bits.below(2, u32::from(in_heading));
        }
        next = chunk + 1;
    }
    bits.finish()
}

/// Hands `count` postings to `each`, with their chunks in order; `None` for bytes that are not as
/// many postings of `chunks` chunks.
pub(super) fn read_postings(
    bytes: &[u8],
    count: u32,
    chunks: u32,
    mut each: impl FnMut(u32, Posting),
) -> Option<()> {
    if count > chunks || chunks > MOST_CHUNKS {
        return None;
    }
    let mut bits = BitReader::new(bytes);
    let levels = Levels::read(&mut bits, count);
    let (usual, mut next) = (usual_gap(count, chunks), 0u32);
    for _ in 0..count {
        let chunk = next.checked_add(bits.about(usual)).filter(|chunk| *chunk < chunks)?;
        let above = bits.below(levels.range);
        let in_heading = above >= levels.headed && bits.below(2) == 1;
        each(chunk, Posting { level: (levels.least + above) as u8, in_heading });
        next = chunk + 1;
    }
    bits.is_done().then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn levels_are_near_what_they_stand_for() {
        for at in 0..LEVELS as u8 {
            assert_eq!(level(impact(at)), at);
        }
        for wanted in (0..=1000u16).map(|at| f32::from(at) / 1000.0) {
            let near = impact(level(wanted));
            assert!((near - wanted).abs() < 0.501 / LEVELS as f32 || level(wanted) == 0, "{wanted}: {near}");
        }
        assert_eq!((level(f32::NAN), level(-1.0), level(7.0)), (0, 0, LEVELS as u8 - 1));
    }

    proptest! {
        #[test]
        fn postings_are_read_as_they_were_written(
            chunks in 5000u32..6000,
            postings in prop::collection::btree_map(0u32..5000, (0..LEVELS as u8, any::<bool>()), 1..50),
        ) {
            let postings: Vec<(u32, Posting)> = postings
                .into_iter()
                .map(|(chunk, (level, in_heading))| (chunk, Posting { level, in_heading }))
                .collect();
            let (bytes, count) = (write_postings(&postings, chunks), postings.len() as u32);
            let mut read = Vec::new();
            let done = read_postings(&bytes, count, chunks, |chunk, posting| read.push((chunk, posting)));
            prop_assert_eq!(done, Some(()));
            prop_assert_eq!(read, postings);
            let more = [bytes.as_slice(), &[0]].concat();
            prop_assert_eq!(read_postings(&more, count, chunks, |_, _| ()), None);
            prop_assert_eq!(read_postings(&bytes[..bytes.len() - 1], count, chunks, |_, _| ()), None);
            prop_assert_eq!(read_postings(&bytes, chunks + 1, chunks, |_, _| ()), None);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..60), count in 0u32..30) {
            let mut next = 0;
            read_postings(&bytes, count, 20, |chunk, posting| {
                assert!((next..20).contains(&chunk) && u32::from(posting.level) < LEVELS);
                next = chunk + 1;
            });
        }
    }
}
