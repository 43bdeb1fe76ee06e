//! A query table's file. `models/README.md` has it byte by byte.

use std::sync::RwLock;

use serde::Serialize;

use super::TokenTable;
use super::group::{GROUP, GROUP_BYTES};
use super::rows::{RowLayout, Rows, check_scales};
use super::script::{LETTERS_BYTES, SCRIPT_BYTES, ScriptPart};
use super::scripts::ScriptParts;
use super::vocabulary::{self, ScoreScale};
use crate::packed::{self, PackedKind, Sections, invalid};
use crate::{Embedder, Space};
use ibid_platform::Result;

#[derive(Debug, Serialize)]
pub(super) struct TableHeader {
    pub(super) space: Space,
    pub(super) tokens: usize,
    pub(super) vocab_bytes: usize,
    /// The bytes that the vocabulary is packed into.
    pub(super) vocab_packed: usize,
    /// The number of tokens whose rows are in the head.
    pub(super) common: usize,
    /// The seed of the rows' checksums: a hash of all rows, in hexadecimal.
    pub(super) seed: String,
    /// The scores of a Unigram vocabulary; WordPiece's has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scores: Option<ScoreScale>,
    /// The number of scripts whose pieces follow the head.
    pub(super) scripts: usize,
    /// The number of ranges that their letters are in.
    pub(super) letters: usize,
}

ibid_platform::deserialize!(TableHeader by fields:
    space, tokens, vocab_bytes, vocab_packed, common, seed, scores, scripts, letters);

/// Opens a file that is there as a whole.
pub(super) fn open(bytes: &[u8]) -> Result<TokenTable> {
    let (table, end) = open_head(bytes)?;
    if end == bytes.len() {
        return Ok(table);
    }
    Err(invalid("The query table is not as long as it says; the download may be incomplete."))
}

/// Opens a file by its beginning; what follows the head is taken in as well. Returns the length of the file, too.
pub(super) fn open_head(bytes: &[u8]) -> Result<(TokenTable, usize)> {
    let (header, mut sections, length) = packed::open_head::<TableHeader>(bytes, PackedKind::TokenTable)?;
    let row_bytes = row_bytes(&header.space)?;
    let vocab = vocabulary::unpack(&bytes[sections.take(header.vocab_packed, 1)?], header.vocab_bytes)?;
    let common = common(&bytes[sections.take(header.common, 4)?], header.tokens)?;
    let common_bytes = bytes[sections.take(header.common, row_bytes)?].to_vec();
    let scripts = sections.take(header.scripts, SCRIPT_BYTES)?;
    let letters = sections.take(header.letters, LETTERS_BYTES)?;
    let start = Sections::finish_at(sections)?;
    check_scales(&common_bytes)?;
    let seed = u64::from_str_radix(&header.seed, 16).map_err(|_| contradiction())?;
    let parts = ScriptPart::read(&bytes[scripts], &bytes[letters], start).ok_or_else(contradiction)?;
    let start = parts.last().map_or(start, |part| part.place.end);
    let rows = header.tokens.checked_sub(common.len()).ok_or_else(contradiction)?;
    let layout = RowLayout { start, rows, row_bytes, seed };
    let end = layout.end().filter(|&end| end as u64 == length).ok_or_else(contradiction)?;
    let tokenizer = vocabulary::read(&vocab, header.tokens, header.scores, &parts)?;
    let scripts = ScriptParts { parts, scale: header.scores, seed };
    let rows = Rows { layout, common, common_bytes, fetched: RwLock::default() };
    let table = TokenTable { space: header.space, tokenizer, scripts, rows };
    table.provide(0, bytes)?;
    Ok((table, end))
}

fn contradiction() -> ibid_platform::Error {
    invalid("The query table's header contradicts itself.")
}

/// Computes the bytes of a row, if they can be in whole groups.
fn row_bytes(space: &Space) -> Result<usize> {
    let dimensions = space.checked_dimensions()?;
    if dimensions.is_multiple_of(GROUP) {
        return Ok(dimensions / GROUP * GROUP_BYTES);
    }
    Err(invalid(format!("A query table's rows are in groups of 32, and {dimensions} is no multiple.")))
}

/// Reads the tokens whose rows are in the head: ascending, and in the vocabulary.
fn common(bytes: &[u8], tokens: usize) -> Result<Vec<u32>> {
    let common: Vec<u32> = bytes.as_chunks().0.iter().map(|four| u32::from_le_bytes(*four)).collect();
    let known = common.last().is_none_or(|&last| (last as usize) < tokens);
    if known && common.is_sorted_by(|a, b| a < b) { Ok(common) } else { Err(contradiction()) }
}
