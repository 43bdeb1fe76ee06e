//! The pieces of a Unigram vocabulary that have letters of a script: where each script's lie in the file.

use std::ops::Range;

use twox_hash::XxHash64;

use super::rows::SUM_BYTES;
use super::vocabulary::{ScoreScale, unpack};
use crate::packed::invalid;
use crate::tokenizer::Tokenizer;
use ibid_platform::Result;
use ibid_platform::ranges::requests;
use ibid_text::Script;

/// The bytes that the head has for a script: four numbers.
pub(super) const SCRIPT_BYTES: usize = 16;

/// The most bytes that a script's pieces are packed into, so that what is fetched at once has all of some script's.
const MOST_PACKED: u32 = 256 * 1024;

/// The pieces that texts with letters of a script need besides.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScriptHeader {
    pub(super) script: Script,
    pub(super) tokens: usize,
    pub(super) bytes: usize,
    /// The bytes that they are packed into.
    pub(super) packed: usize,
}

impl ScriptHeader {
    /// Reads a letter of each script, and three numbers.
    pub(super) fn read(bytes: &[u8]) -> Result<Vec<Self>> {
        let mut headers = Vec::new();
        for numbers in bytes.as_chunks().0.as_chunks().0 {
            let [letter, tokens, bytes, packed] = numbers.map(u32::from_le_bytes);
            let script = char::from_u32(letter).and_then(Script::of).filter(|_| packed <= MOST_PACKED);
            let script = script.ok_or_else(|| invalid("The query table has pieces of no script."))?;
            let [tokens, bytes, packed] = [tokens as usize, bytes as usize, packed as usize];
            headers.push(Self { script, tokens, bytes, packed });
        }
        Ok(headers)
    }
}

/// The pieces of scripts in a query table's file: behind the head, one script's after the other, each with its checksum.
#[derive(Debug)]
pub(super) struct ScriptParts {
    /// The place where the first script's checksum begins.
    pub(super) start: usize,
    pub(super) headers: Vec<ScriptHeader>,
    pub(super) scale: Option<ScoreScale>,
    /// The seed of the checksums, as of those of rows.
    pub(super) seed: u64,
}

impl ScriptParts {
    /// The place where the last script's pieces end and the number of all; `None` where no file can be as long.
    pub(super) fn extent(&self) -> Option<(usize, usize)> {
        self.headers.iter().try_fold((self.start, 0_usize), |(end, tokens), header| {
            let end = end.checked_add(SUM_BYTES)?.checked_add(header.packed)?;
            Some((end, tokens.checked_add(header.tokens)?))
        })
    }

    /// The place of each script's checksum and pieces.
    fn places(&self) -> impl Iterator<Item = Range<usize>> {
        self.headers.iter().scan(self.start, |start, header| {
            let end = *start + SUM_BYTES + header.packed;
            Some(std::mem::replace(start, end)..end)
        })
    }

    /// The ranges of the file with pieces that have still to be fetched: those that a text needs, or all.
    pub(super) fn missing(&self, tokenizer: &Tokenizer, text: Option<&str>) -> Vec<Range<u64>> {
        let Tokenizer::Unigram(unigram) = tokenizer else { return Vec::new() };
        let lacking = unigram.lacking(text);
        let places = self.places().enumerate().filter(|(number, _)| lacking.contains(number));
        requests(places.map(|(_, place)| place.start as u64..place.end as u64).collect())
    }

    /// Takes over the pieces that lie in bytes of the file.
    pub(super) fn provide(&self, tokenizer: &Tokenizer, offset: u64, bytes: &[u8]) -> Result<()> {
        let (Tokenizer::Unigram(unigram), Some(scale)) = (tokenizer, self.scale) else { return Ok(()) };
        for (number, (place, header)) in self.places().zip(&self.headers).enumerate() {
            let start = usize::try_from((place.start as u64).wrapping_sub(offset)).unwrap_or(usize::MAX);
            let part = bytes.get(start..).and_then(|part| part.get(..place.len()));
            let Some((sum, packed)) = part.and_then(<[u8]>::split_first_chunk) else { continue };
            if XxHash64::oneshot(self.seed, packed) != u64::from_le_bytes(*sum) {
                return Err(invalid("The checksum of a script's pieces in the query table does not hold."));
            }
            let (pieces, scores) = scale.read(&unpack(packed, header.bytes)?, header.tokens)?;
            unigram.provide(number, pieces, scores)?;
        }
        Ok(())
    }
}
