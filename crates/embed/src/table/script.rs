//! The pieces of a Unigram vocabulary that have letters of a script: where they lie in the file.

use std::ops::{Range, RangeInclusive};

use super::rows::SUM_BYTES;

/// The bytes that the head has for a script: four numbers.
pub(super) const SCRIPT_BYTES: usize = 16;
/// The bytes that it has for a range of letters: the first and the last.
pub(super) const LETTERS_BYTES: usize = 8;

/// The most bytes that a script's pieces are packed into, so that what is fetched at once has all of some script's.
const MOST_PACKED: u32 = 256 * 1024;

/// The pieces that texts with letters of a script need besides.
#[derive(Debug)]
pub(super) struct ScriptPart {
    pub(super) letters: Vec<RangeInclusive<u32>>,
    pub(super) tokens: u32,
    /// The bytes of the pieces once they are unpacked.
    pub(super) bytes: usize,
    /// The place in the file of the checksum and the packed pieces.
    pub(super) place: Range<usize>,
}

impl ScriptPart {
    /// Reads the numbers of each script and the letters of all, for parts that lie side by side from `start` on.
    pub(super) fn read(scripts: &[u8], letters: &[u8], start: usize) -> Option<Vec<Self>> {
        let mut ranges = letters.as_chunks().0.as_chunks().0.iter();
        let mut start = start;
        let mut parts = Vec::new();
        for numbers in scripts.as_chunks().0.as_chunks().0 {
            let [count, tokens, bytes, packed] = numbers.map(u32::from_le_bytes);
            let end = start.checked_add(SUM_BYTES)?.checked_add(packed as usize)?;
            let letters = ranges.by_ref().take(count as usize).map(|range| {
                let [first, last] = range.map(u32::from_le_bytes);
                first..=last
            });
            let letters = letters.collect::<Vec<_>>();
            if packed > MOST_PACKED || letters.len() != count as usize {
                return None;
            }
            parts.push(Self { letters, tokens, bytes: bytes as usize, place: start..end });
            start = end;
        }
        Some(parts)
    }
}
