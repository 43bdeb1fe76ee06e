//! The bytes of terms and postings.

use std::cmp::Ordering;
use std::ops::Range;

use crate::container::corrupt;
use crate::varint::{read_varint, write_varint};
use ibid_platform::Result;

/// The longest term in bytes; what the analyzer makes is never longer.
pub(super) const LONGEST_TERM: usize = 64;
/// The bits of a level.
const LEVEL_BITS: u32 = 5;
/// The levels of impact that are told apart.
pub(super) const LEVELS: usize = 1 << LEVEL_BITS;
/// The impact of a level, as a part of that of the next one: the eighth root of a half.
const STEP: f32 = 0.917_004_04;
/// More chunks than these cannot be numbered.
pub(super) const MOST_CHUNKS: usize = 1 << (31 - LEVEL_BITS);

/// A term in a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Posting {
    /// The chunk's gain by the term, but for what the term is worth.
    pub(super) level: u8,
    /// Says whether a heading above the chunk has it.
    pub(super) in_heading: bool,
}

/// The impact of each level: the last has the most that there is, 1.
pub(super) fn impacts() -> [f32; LEVELS] {
    let mut impacts = [1.0; LEVELS];
    for at in (1..LEVELS).rev() {
        impacts[at - 1] = impacts[at] * STEP;
    }
    impacts
}

/// The level whose impact is nearest to this one.
pub(super) fn level(impacts: &[f32; LEVELS], impact: f32) -> u8 {
    let above = impacts.partition_point(|level| *level < impact).min(LEVELS - 1);
    let below = above.saturating_sub(1);
    let is_below = impact - impacts[below] < impacts[above] - impact;
    (if is_below { below } else { above }) as u8
}

/// Appends a posting: how far the chunk lies behind the one before, the level, and whether a heading has the term.
pub(super) fn write_posting(out: &mut Vec<u8>, gap: u32, posting: Posting) {
    let Posting { level, in_heading } = posting;
    write_varint(out, (gap << LEVEL_BITS | u32::from(level)) << 1 | u32::from(in_heading));
}

/// Hands each posting with its chunk to `each`, and returns how many there were; `None` for bytes that
/// are no postings of `chunks` chunks.
#[inline]
pub(super) fn read_postings(
    mut bytes: &[u8],
    chunks: u32,
    mut each: impl FnMut(u32, Posting),
) -> Option<u32> {
    let (mut next, mut count) = (0u32, 0);
    while !bytes.is_empty() {
        let posting = read_varint(&mut bytes)?;
        let chunk = next.checked_add(posting >> (LEVEL_BITS + 1)).filter(|&chunk| chunk < chunks)?;
        let level = (posting >> 1) as usize % LEVELS;
        each(chunk, Posting { level: level as u8, in_heading: posting & 1 != 0 });
        next = chunk + 1;
        count += 1;
    }
    Some(count)
}

/// A term's postings: in how many chunks it is, and where in its block they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PostingsEntry {
    pub(super) chunks: u32,
    pub(super) postings: Range<usize>,
}

/// Goes through the terms of a block in their order.
///
/// A block has the number of bytes of its terms, the terms, and the postings of all in the same order. Of a term it has
/// how many bytes it shares with the one before, its further bytes behind their number, the number of its postings and
/// of their bytes.
pub(super) struct TermReader<'a> {
    rest: &'a [u8],
    postings_at: usize,
    end: usize,
}

/// A term as it is stored.
pub(super) struct RawTerm<'a> {
    pub(super) shared: usize,
    pub(super) suffix: &'a [u8],
    pub(super) entry: PostingsEntry,
}

impl<'a> TermReader<'a> {
    pub(super) fn new(block: &'a [u8]) -> Result<Self> {
        let mut rest = block;
        let terms = read_varint(&mut rest).and_then(|length| rest.get(..length as usize));
        let terms = terms.ok_or_else(damaged)?;
        let postings_at = block.len() - rest.len() + terms.len();
        Ok(Self { rest: terms, postings_at, end: block.len() })
    }

    #[inline]
    fn read(&mut self) -> Option<RawTerm<'a>> {
        let shared = read_varint(&mut self.rest)? as usize;
        let length = read_varint(&mut self.rest)? as usize;
        let (suffix, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        let chunks = read_varint(&mut self.rest)?;
        let postings_end = self.postings_at.checked_add(read_varint(&mut self.rest)? as usize)?;
        let postings = self.postings_at..postings_end;
        self.postings_at = postings_end;
        let sane = shared.saturating_add(length) <= LONGEST_TERM && postings_end <= self.end;
        sane.then_some(RawTerm { shared, suffix, entry: PostingsEntry { chunks, postings } })
    }

    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<RawTerm<'a>>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        self.read().map(Some).ok_or_else(damaged)
    }
}

/// Finds a term in a block, without putting the terms before it together.
pub(super) fn find(block: &[u8], term: &[u8]) -> Result<Option<PostingsEntry>> {
    let mut terms = TermReader::new(block)?;
    // How many bytes the last term has in common with the one that is looked for; it comes before that one.
    let mut matched = 0;
    while let Some(raw) = terms.next()? {
        match raw.shared.cmp(&matched) {
            // It differs where the one before did, and in the same way.
            Ordering::Greater => {}
            // It is past where the term would be.
            Ordering::Less => return Ok(None),
            Ordering::Equal => {
                let wanted = term.get(matched..).unwrap_or_default();
                let common = raw.suffix.iter().zip(wanted).take_while(|(a, b)| a == b).count();
                if common == raw.suffix.len() && common == wanted.len() {
                    return Ok(Some(raw.entry));
                }
                if raw.suffix.get(common) > wanted.get(common) {
                    return Ok(None);
                }
                matched += common;
            }
        }
    }
    Ok(None)
}

pub(super) fn damaged() -> ibid_platform::Error {
    corrupt("one of its blocks of terms contradicts itself")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn levels_are_near_what_they_stand_for() {
        let impacts = impacts();
        assert!((impacts[LEVELS - 9] - 0.5).abs() < 1e-5, "eight steps are a half");
        for (at, impact) in impacts.into_iter().enumerate() {
            assert_eq!(usize::from(level(&impacts, impact)), at);
        }
        for impact in (0..1000u16).map(|at| f32::from(at) / 1000.0) {
            let near = impacts[usize::from(level(&impacts, impact))];
            assert!(impact < impacts[0] || (near / impact - 1.0).abs() < 0.046, "{impact}: {near}");
        }
    }

    proptest! {
        #[test]
        fn postings_are_read_as_they_were_written(
            postings in prop::collection::btree_map(0u32..5000, (0..LEVELS as u8, any::<bool>()), 0..50),
        ) {
            let (mut bytes, mut next) = (Vec::new(), 0);
            for (&chunk, &(level, in_heading)) in &postings {
                write_posting(&mut bytes, chunk - next, Posting { level, in_heading });
                next = chunk + 1;
            }
            let mut read = std::collections::BTreeMap::new();
            let count = read_postings(&bytes, 5000, |chunk, posting| {
                read.insert(chunk, (posting.level, posting.in_heading));
            });
            prop_assert_eq!(count, Some(postings.len() as u32));
            prop_assert_eq!(read, postings);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..60), term in "[a-c]{0,4}") {
            drop(find(&bytes, term.as_bytes()));
            read_postings(&bytes, 20, |chunk, _| assert!(chunk < 20));
        }
    }
}
