//! The pieces of a Unigram vocabulary by the scripts of their letters, as far as they have been fetched.

use std::ops::Range;

use twox_hash::XxHash64;

use super::script::ScriptPart;
use super::vocabulary::{ScoreScale, unpack};
use crate::packed::invalid;
use crate::tokenizer::Tokenizer;
use ibid_platform::Result;
use ibid_platform::ranges::requests;

/// The pieces of scripts in a query table's file: behind the head, one script's after the other, each with its checksum.
#[derive(Debug)]
pub(super) struct ScriptParts {
    pub(super) parts: Vec<ScriptPart>,
    pub(super) scale: Option<ScoreScale>,
    /// The seed of the checksums, as of those of rows.
    pub(super) seed: u64,
}

impl ScriptParts {
    /// Lists the ranges of the file with pieces that have still to be fetched: those that a text needs, or all.
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
                return Err(invalid("The checksum of a script's pieces in the query table does not match."));
            }
            let (pieces, scores) = scale.read(&unpack(packed, part.bytes)?, part.tokens as usize)?;
            unigram.provide(number, pieces, scores)?;
        }
        Ok(())
    }
}
