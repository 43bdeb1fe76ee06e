//! The two versions of a query table's file. `models/README.md` has them byte by byte.

use std::collections::BTreeMap;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::TokenTable;
use super::group::{GROUP, GROUP_BYTES};
use super::rows::{BlockLayout, BlockRows, Rows, check_scales};
use super::vocabulary::{self, ScoreScale};
use crate::Space;
use crate::packed::{self, PackedKind, Sections, invalid};
use ibid_platform::Result;

/// More rows in a block than any file will ever have.
const MOST_BLOCK_ROWS: usize = 4096;

/// The header; version 1 has only the first three fields.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TableHeader {
    pub(super) space: Space,
    pub(super) tokens: usize,
    pub(super) vocab_bytes: usize,
    /// The bytes that the vocabulary is packed into.
    #[serde(default)]
    pub(super) vocab_packed: usize,
    /// The number of tokens whose rows are in the head.
    #[serde(default)]
    pub(super) common: usize,
    #[serde(default)]
    pub(super) block_rows: usize,
    /// What the blocks' checksums are seeded with: a hash of all rows, in hexadecimal.
    #[serde(default)]
    pub(super) seed: String,
    /// The scores of a Unigram vocabulary; WordPiece's has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) scores: Option<ScoreScale>,
}

/// Opens a file that is there as a whole.
pub(super) fn open(bytes: Vec<u8>) -> Result<TokenTable> {
    if packed::version(&bytes, PackedKind::TokenTable)? == 1 {
        return open_plain(bytes);
    }
    let (table, layout) = open_blocks(&bytes)?;
    if layout.end() != Some(bytes.len()) {
        return Err(invalid("The query table is not as long as it says; the download may have broken off."));
    }
    Ok(table)
}

pub(super) fn head_length(beginning: &[u8]) -> Result<u64> {
    packed::head_length(beginning, PackedKind::TokenTable)
}

/// Opens a file by its beginning; what follows the head is taken in as well.
pub(super) fn open_head(bytes: Vec<u8>) -> Result<TokenTable> {
    if packed::version(&bytes, PackedKind::TokenTable)? == 1 {
        return open_plain(bytes);
    }
    Ok(open_blocks(&bytes)?.0)
}

fn open_plain(bytes: Vec<u8>) -> Result<TokenTable> {
    let (header, mut sections) = packed::open::<TableHeader>(&bytes, PackedKind::TokenTable)?;
    let row_bytes = row_bytes(&header.space)?;
    let vocab = sections.take(header.vocab_bytes, 1)?;
    let rows = sections.take(header.tokens, row_bytes)?;
    sections.finish()?;
    let tokenizer = vocabulary::read(bytes[vocab].to_vec(), header.tokens, None)?;
    check_scales(&bytes[rows.clone()])?;
    let rows = Rows::Plain { start: rows.start, bytes, row_bytes };
    Ok(TokenTable { space: header.space, tokenizer, rows, delta: None })
}

fn open_blocks(bytes: &[u8]) -> Result<(TokenTable, BlockLayout)> {
    let (header, mut sections, length) = packed::open_head::<TableHeader>(bytes, PackedKind::TokenTable)?;
    let row_bytes = row_bytes(&header.space)?;
    let vocab = vocabulary::unpack(&bytes[sections.take(header.vocab_packed, 1)?], header.vocab_bytes)?;
    let common = common(&bytes[sections.take(header.common, 4)?], header.tokens)?;
    let common_rows = bytes[sections.take(header.common, row_bytes)?].to_vec();
    let start = Sections::finish_at(sections)?;
    check_scales(&common_rows)?;
    let seed = u64::from_str_radix(&header.seed, 16).map_err(|_| contradiction())?;
    if !(1..=MOST_BLOCK_ROWS).contains(&header.block_rows) {
        return Err(contradiction());
    }
    let rows = header.tokens.checked_sub(common.len()).ok_or_else(contradiction)?;
    let layout = BlockLayout { start, rows, row_bytes, block_rows: header.block_rows, seed };
    if layout.end().map(|end| end as u64) != Some(length) {
        return Err(contradiction());
    }
    let tokenizer = vocabulary::read(vocab, header.tokens, header.scores)?;
    let rows = BlockRows { layout, common, common_rows, fetched: Mutex::new(BTreeMap::new()) };
    rows.provide(0, bytes)?;
    Ok((TokenTable { space: header.space, tokenizer, rows: Rows::Blocks(rows), delta: None }, layout))
}

fn contradiction() -> ibid_platform::Error {
    invalid("The query table's header contradicts itself.")
}

/// The bytes of a row, where they can be in whole groups.
fn row_bytes(space: &Space) -> Result<usize> {
    let dimensions = space.checked_dimensions()?;
    if dimensions.is_multiple_of(GROUP) {
        return Ok(dimensions / GROUP * GROUP_BYTES);
    }
    Err(invalid(format!("A query table's rows are in groups of 32, and {dimensions} is no multiple.")))
}

/// The tokens whose rows are in the head: ascending, and in the vocabulary.
fn common(bytes: &[u8], tokens: usize) -> Result<Vec<u32>> {
    let common: Vec<u32> = bytes.as_chunks().0.iter().map(|four| u32::from_le_bytes(*four)).collect();
    let known = common.last().is_none_or(|&last| (last as usize) < tokens);
    if known && common.is_sorted_by(|a, b| a < b) { Ok(common) } else { Err(contradiction()) }
}
