//! The pieces of a Unigram vocabulary that have letters of a script: where each script's lie in the file.

use std::ops::{Range, RangeInclusive};

use twox_hash::XxHash64;

use super::rows::SUM_BYTES;
use super::vocabulary::{ScoreScale, unpack};
use crate::packed::invalid;
use crate::tokenizer::Tokenizer;
use ibid_platform::Result;
use ibid_platform::ranges::requests;

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
    bytes: usize,
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

/// The pieces of scripts in a query table's file: behind the head, one script's after the other, each with its checksum.
#[derive(Debug)]
pub(super) struct ScriptParts {
    pub(super) parts: Vec<ScriptPart>,
    pub(super) scale: Option<ScoreScale>,
    /// The seed of the checksums, as of those of rows.
    pub(super) seed: u64,
}

impl ScriptParts {
    /// The ranges of the file with pieces that have still to be fetched: those that a text needs, or all.
    pub(super) fn missing(&self, tokenizer: &Tokenizer, text: Option<&str>) -> Vec<Range<u64>> {
        let Tokenizer::Unigram(unigram) = tokenizer else { return Vec::new() };
        let places = unigram.lacking(text).into_iter().map(|number| &self.parts[number].place);
        requests(places.map(|place| place.start as u64..place.end as u64).collect())
    }

    /// Takes over the pieces that lie in bytes of the file.
    pub(super) fn provide(&self, tokenizer: &Tokenizer, offset: u64, bytes: &[u8]) -> Result<()> {
        let (Tokenizer::Unigram(unigram), Some(scale)) = (tokenizer, self.scale) else { return Ok(()) };
        for (number, part) in self.parts.iter().enumerate() {
            let start = usize::try_from((part.place.start as u64).wrapping_sub(offset)).unwrap_or(usize::MAX);
            let found = bytes.get(start..).and_then(|found| found.get(..part.place.len()));
            let Some((sum, packed)) = found.and_then(<[u8]>::split_first_chunk) else { continue };
            if XxHash64::oneshot(self.seed, packed) != u64::from_le_bytes(*sum) {
                return Err(invalid("The checksum of a script's pieces in the query table does not hold."));
            }
            let (pieces, scores) = scale.read(&unpack(packed, part.bytes)?, part.tokens as usize)?;
            unigram.provide(number, pieces, scores)?;
        }
        Ok(())
    }
}
