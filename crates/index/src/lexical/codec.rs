//! The bytes of terms and postings, and of the lengths of chunks.

use std::cmp::Ordering;
use std::ops::Range;

use crate::container::corrupt;
use crate::varint::{read_varint, write_varint};
use ibid_platform::Result;

/// The longest term in bytes; what the analyzer makes is never longer.
pub(super) const LONGEST_TERM: usize = 64;
/// How a frequency of one is stored: frequencies are counted in eighths, so that boosts of fields need not be whole.
pub(super) const UNIT: u8 = 8;

/// A term in a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Posting {
    /// How often it occurs, weighed by the fields it is in, in units of [`UNIT`].
    pub(super) frequency: u8,
    /// Says whether a heading above the chunk has it.
    pub(super) in_heading: bool,
}

/// Appends a posting: how far the chunk lies behind the one before, whether a heading has the term, and, where it is not
/// one, the weighted frequency.
pub(super) fn write_posting(out: &mut Vec<u8>, gap: u32, posting: Posting) {
    let Posting { frequency, in_heading } = posting;
    // A segment has fewer than two to the 30 chunks: their text alone would be larger than the format allows.
    write_varint(out, gap << 2 | u32::from(in_heading) << 1 | u32::from(frequency != UNIT));
    if frequency != UNIT {
        out.push(frequency);
    }
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
        let head = read_varint(&mut bytes)?;
        let chunk = next.checked_add(head >> 2).filter(|&chunk| chunk < chunks)?;
        let frequency = if head & 1 == 0 {
            UNIT
        } else {
            let (&frequency, rest) = bytes.split_first()?;
            bytes = rest;
            frequency
        };
        if frequency == 0 {
            return None;
        }
        each(chunk, Posting { frequency, in_heading: head & 2 != 0 });
        next = chunk + 1;
        count += 1;
    }
    Some(count)
}

/// The number of tokens in one byte: exact up to 31, then within 3 percent.
pub(super) fn encode_length(tokens: u32) -> u8 {
    let found = (0..=u8::MAX).min_by_key(|&code| decode_length(code).abs_diff(tokens));
    if tokens < 32 { tokens as u8 } else { found.unwrap_or(u8::MAX) }
}

/// Sixteen steps to each doubling.
pub(super) fn decode_length(code: u8) -> u32 {
    let code = u32::from(code);
    if code < 32 { code } else { (16 + code % 16) << (code / 16 - 1) }
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
    fn lengths_are_nearly_kept() {
        for tokens in (0..2000).chain([5000, 60_000, 400_000]) {
            let decoded = decode_length(encode_length(tokens));
            assert!(decoded.abs_diff(tokens) as f32 <= tokens as f32 * 0.031, "{tokens}: {decoded}");
        }
        assert_eq!(encode_length(u32::MAX), u8::MAX);
        assert!((0..=u8::MAX).is_sorted_by_key(decode_length));
    }

    proptest! {
        #[test]
        fn postings_are_read_as_they_were_written(
            postings in prop::collection::btree_map(0u32..5000, (1u8.., any::<bool>()), 0..50),
        ) {
            let (mut bytes, mut next) = (Vec::new(), 0);
            for (&chunk, &(frequency, in_heading)) in &postings {
                write_posting(&mut bytes, chunk - next, Posting { frequency, in_heading });
                next = chunk + 1;
            }
            let mut read = std::collections::BTreeMap::new();
            let count = read_postings(&bytes, 5000, |chunk, posting| {
                read.insert(chunk, (posting.frequency, posting.in_heading));
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
