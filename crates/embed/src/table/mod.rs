//! The query encoder of a page: a table with one vector per token.
//!
//! A query's vector is the sum of its tokens' rows, scaled to unit length. The rows are fitted so that the sum lies near
//! the transformer's vector of the same text, in the idea of "static embeddings" (model2vec; Wieting et al., "Towards
//! universal paraphrastic sentence embeddings", 2016), but for queries alone. It costs a few microseconds and 4.7 MB, of
//! which a first query needs some 53 KB: see [`TokenTable::open_head`].

mod file;
pub(crate) mod group;
mod rows;
mod script;
mod scripts;
mod vocabulary;

use std::ops::Range;

use self::group::add_group;
use self::rows::Rows;
use self::scripts::ScriptParts;
use super::packed::{self, PackedKind};
use super::tokenizer::Tokenizer;
use super::{Embedder, Embedding, Space, Task};
use ibid_platform::{Error, ErrorCode, Result};

/// Tokens of a query after this many are ignored.
const MAX_TOKENS: usize = 512;

/// Embeds queries by adding up a vector per token.
///
/// The file's head has the vocabulary and the rows of the most frequent tokens. The others follow, each with its
/// checksum, so that a page can fetch those that a query needs. A table for many languages has only the pieces without
/// letters in its head, and those of each script behind it. A row is, for each group of 32 components, an f16
/// scale and 16 bytes: byte `j` holds component `j` in its low half and component `j + 16` in its high half, each
/// as a number from -8 to 7 plus 8. `models/README.md` has the format byte by byte.
#[derive(Debug)]
pub struct TokenTable {
    space: Space,
    tokenizer: Tokenizer,
    scripts: ScriptParts,
    rows: Rows,
}

impl TokenTable {
    /// Reads a query table's file. Damaged or foreign bytes are [`ErrorCode::ModelInvalid`].
    pub fn from_bytes(bytes: impl AsRef<[u8]>) -> Result<Self> {
        file::open(bytes.as_ref())
    }

    /// Returns the number of bytes at a file's beginning that [`TokenTable::open_head`] needs, by at least the first 40.
    ///
    /// # Errors
    /// [`ErrorCode::ModelInvalid`] when these are not the first bytes of a query table.
    pub fn head_length(beginning: &[u8]) -> Result<u64> {
        packed::head_length(beginning, PackedKind::TokenTable)
    }

    /// Opens a file of which only the beginning is there. A query then needs the rows that [`TokenTable::missing`] names.
    ///
    /// # Errors
    /// [`ErrorCode::ModelInvalid`] for damaged or foreign bytes, and when there are fewer than
    /// [`TokenTable::head_length`].
    pub fn open_head(beginning: impl AsRef<[u8]>) -> Result<Self> {
        Ok(file::open_head(beginning.as_ref())?.0)
    }

    /// Returns the space of the vectors.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Returns the tokenizer whose vocabulary the table is in.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Returns the vector of a query: zero for a text without a token. Tokens after the 512th are ignored.
    ///
    /// # Errors
    /// [`ErrorCode::ModelIncomplete`] when pieces or a row that it needs have not been fetched.
    pub fn embed_query(&self, text: &str) -> Result<Embedding> {
        if !self.scripts.missing(&self.tokenizer, Some(text)).is_empty() {
            return Err(incomplete("pieces of a script"));
        }
        let mut sum = vec![0.0; self.space.dimensions as usize];
        self.rows.each(&self.token_ids(text), |row| {
            for (sum, group) in sum.as_chunks_mut().0.iter_mut().zip(row.as_chunks().0) {
                add_group(sum, group);
            }
        })?;
        Ok(Embedding::normalized(sum))
    }

    /// Finds the tokens of a text that count.
    pub(super) fn token_ids(&self, text: &str) -> Vec<u32> {
        self.tokenizer.encode(text, MAX_TOKENS)
    }
}

/// Makes the error of a query that needs what has not been fetched.
fn incomplete(what: &str) -> Error {
    Error::new(ErrorCode::ModelIncomplete, format!("The query table's {what} have not been fetched yet."))
        .with_hint("Fetch the ranges from `TokenTable::missing` and pass them to `TokenTable::provide`.")
}

impl Embedder for TokenTable {
    fn space(&self) -> &Space {
        &self.space
    }

    /// Embeds queries. Documents are refused with [`ErrorCode::InvalidOption`]: with the table on both sides retrieval
    /// is worse than plain BM25.
    fn embed(&self, texts: &[&str], task: Task) -> Result<Vec<Embedding>> {
        match task {
            Task::Query => texts.iter().map(|text| self.embed_query(text)).collect(),
            Task::Document => Err(Error::new(
                ErrorCode::InvalidOption,
                "The query table cannot embed documents, only queries.",
            )
            .with_hint("Embed documents with the transformer.")),
        }
    }

    fn missing(&self, text: &str) -> Vec<Range<u64>> {
        // The pieces tell which tokens a text has.
        let pieces = self.scripts.missing(&self.tokenizer, Some(text));
        if pieces.is_empty() { self.rows.missing(Some(&self.token_ids(text))) } else { pieces }
    }

    fn missing_all(&self) -> Vec<Range<u64>> {
        let pieces = self.scripts.missing(&self.tokenizer, None);
        if pieces.is_empty() { self.rows.missing(None) } else { pieces }
    }

    fn provide(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        self.scripts.provide(&self.tokenizer, offset, bytes)?;
        self.rows.provide(offset, bytes)
    }
}

#[cfg(test)]
mod tests;
