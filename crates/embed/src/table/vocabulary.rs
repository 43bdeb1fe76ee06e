//! The vocabulary in a query table's file, packed smaller than it is searched.
//!
//! Tokens are sorted by their bytes, and each is told by what it does not share with the one before: a byte 1 to 31, which
//! is one more than the bytes that they share at their beginnings, and the bytes that follow these. Behind the pieces of a
//! Unigram vocabulary comes a byte for each piece's score. All is in raw deflate.

use miniz_oxide::inflate::decompress_slice_iter_to_slice;
use serde::Serialize;

use super::script::ScriptPart;
use crate::packed::invalid;
use crate::tokenizer::{Tokenizer, Unigram, WordPiece};
use ibid_platform::Result;

/// A vocabulary is at most this many times as long as what it is packed into; English words come to about two.
const BEST_RATIO: usize = 8;
/// Bytes below this begin a piece, and are in none.
const FIRST_TEXT_BYTE: u8 = 32;
/// The byte of a piece that is not found in text.
const NO_SCORE: u8 = 255;

/// The way a piece's byte tells its score: `top - byte * step`.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct ScoreScale {
    pub(super) top: f32,
    pub(super) step: f32,
    /// The least score of a piece that is found in text.
    pub(super) least: f32,
}

ibid_platform::deserialize!(ScoreScale by fields: top, step, least);

impl ScoreScale {
    fn score(self, byte: u8) -> f32 {
        if byte == NO_SCORE { 0.0 } else { self.top - f32::from(byte) * self.step }
    }

    /// Takes `tokens` pieces apart from their scores.
    pub(super) fn read(self, bytes: &[u8], tokens: usize) -> Result<(String, Vec<f32>)> {
        let pieces = bytes.len().checked_sub(tokens).ok_or_else(other_number)?;
        let (pieces, scores) = bytes.split_at(pieces);
        Ok((lines(pieces)?, scores.iter().map(|&byte| self.score(byte)).collect()))
    }
}

/// Reads the head's vocabulary: all of `tokens` tokens but those of scripts. A Unigram vocabulary has `scores`.
pub(super) fn read(
    bytes: &[u8],
    tokens: usize,
    scores: Option<ScoreScale>,
    scripts: &[ScriptPart],
) -> Result<Tokenizer> {
    let tokens = scripts.iter().try_fold(tokens, |tokens, script| tokens.checked_sub(script.tokens as usize));
    let tokens = tokens.ok_or_else(other_number)?;
    let tokenizer = match scores {
        None => Tokenizer::WordPiece(WordPiece::from_vocab(lines(bytes)?)?),
        Some(scale) => {
            let (pieces, scores) = scale.read(bytes, tokens)?;
            let scripts = scripts.iter().map(|script| (script.letters.clone(), script.tokens));
            Tokenizer::Unigram(Unigram::new(pieces, scores)?.with_scripts(scripts, scale.least))
        }
    };
    if tokenizer.vocab_size() == tokens { Ok(tokenizer) } else { Err(other_number()) }
}

fn other_number() -> ibid_platform::Error {
    invalid("The query table's numbers of rows and tokens differ.")
}

/// Joins the pieces, one a line.
fn lines(packed: &[u8]) -> Result<String> {
    let mut lines = Vec::with_capacity(packed.len() * 2);
    let mut start = 0;
    for &byte in packed {
        if byte >= FIRST_TEXT_BYTE {
            lines.push(byte);
            continue;
        }
        let previous = start..lines.len();
        if !previous.is_empty() {
            lines.push(b'\n');
            start = lines.len();
        }
        let shared = usize::from(byte).checked_sub(1).filter(|&shared| shared <= previous.len());
        let shared = shared.ok_or_else(|| invalid("The vocabulary's pieces do not follow each other."))?;
        lines.extend_from_within(previous.start..previous.start + shared);
    }
    String::from_utf8(lines).map_err(|_| invalid("The vocabulary is not UTF-8."))
}

/// Unpacks deflate to what is `length` bytes long.
pub(super) fn unpack(packed: &[u8], length: usize) -> Result<Vec<u8>> {
    let damaged = || invalid("The vocabulary cannot be unpacked.");
    if length > packed.len().saturating_mul(BEST_RATIO) {
        return Err(damaged());
    }
    let mut out = vec![0; length];
    let unpacked = decompress_slice_iter_to_slice(&mut out, std::iter::once(packed), false, true);
    if unpacked == Ok(length) { Ok(out) } else { Err(damaged()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_platform::ErrorCode;

    #[test]
    fn pieces_and_scores_come_back() {
        let packed = b"\x01<unk>\x01fe\x03ver\x06s\xff\x04\x00\x02";
        let scale = ScoreScale { top: -1.0, step: 0.5, least: -5.5 };
        let tokenizer = read(packed, 4, Some(scale), &[]).unwrap();
        assert_eq!(tokenizer.vocab(), "<unk>\nfe\nfever\nfevers\n");
        assert_eq!(scale.read(packed, 4).unwrap().1, [0.0, -3.0, -1.0, -2.0]);
    }

    #[test]
    fn what_is_no_vocabulary_is_refused() {
        let scale = ScoreScale { top: -1.0, step: 0.5, least: -5.5 };
        for (packed, tokens) in [
            (&b"\x01<unk>\x07a\xff\x01"[..], 2),
            (b"\x00<unk>\xff", 1),
            (b"\x02<unk>\xff", 1),
            (b"\x01<unk>\xff", 2),
            (b"\x01<unk>\xff", 7),
            (b"\x01<unk>\x01\xe5\xff\x01", 2),
            (b"", 0),
        ] {
            let error = read(packed, tokens, Some(scale), &[]).unwrap_err();
            assert_eq!(error.code(), ErrorCode::ModelInvalid, "{packed:?}");
        }
        let positive = ScoreScale { top: 1.0, step: 0.5, least: -5.5 };
        assert!(read(b"\x01<unk>\x01a\xff\x01", 2, Some(positive), &[]).is_err());
    }
}
