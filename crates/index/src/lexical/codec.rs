//! The bytes of a block of terms.

use std::cmp::Ordering;
use std::ops::Range;

use crate::container::corrupt;
use crate::varint::read_varint;
use ibid_platform::Result;

/// The longest term in bytes; what the analyzer makes is never longer.
pub(super) const LONGEST_TERM: usize = 64;

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

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..60), term in "[a-c]{0,4}") {
            drop(find(&bytes, term.as_bytes()));
        }
    }
}
