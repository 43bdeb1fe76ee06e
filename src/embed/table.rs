//! The query encoder of a page: a table with one vector per token.
//!
//! A query's vector is the sum of its tokens' rows, scaled to unit length. The rows are fitted so that the sum lies near
//! the transformer's vector of the same text, in the idea of "static embeddings" (model2vec; Wieting et al., "Towards
//! universal paraphrastic sentence embeddings", 2016), but for queries alone. It costs a few microseconds and 4.6 MB.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::packed::{self, Kind, invalid};
use super::wordpiece::WordPiece;
use super::{Embedder, Embedding, Space, Task};
use crate::error::{Error, ErrorCode, Result};

/// The components that share one scale.
const GROUP: usize = 32;

/// The bytes of a group: a scale of two bytes and two components in every byte.
const GROUP_BYTES: usize = 2 + GROUP / 2;

/// Tokens of a query after this many are ignored.
const MAX_TOKENS: usize = 512;

/// The header of a query table's file.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    space: Space,
    tokens: usize,
    vocab_bytes: usize,
}

/// Embeds queries by adding up a vector per token.
///
/// The file's sections are the vocabulary (text, one token a line) and the rows in its order. A row is, for each group of
/// 32 components, an f16 scale and 16 bytes: byte `j` holds component `j` in its low half and component `j + 16` in its
/// high half, each as a number from -8 to 7 plus 8. All rows have the same length, so one can be fetched alone.
#[derive(Debug)]
pub struct TokenTable {
    space: Space,
    wordpiece: WordPiece,
    bytes: Vec<u8>,
    rows: Range<usize>,
    row_bytes: usize,
}

impl TokenTable {
    /// Reads a query table's file. Damaged or foreign bytes are [`ErrorCode::ModelInvalid`].
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Result<Self> {
        let bytes = bytes.into();
        let (header, mut sections) = packed::open::<Header>(&bytes, Kind::TokenTable)?;
        let dimensions = header.space.checked_dimensions()?;
        if !dimensions.is_multiple_of(GROUP) {
            return Err(invalid(format!(
                "A query table's rows are in groups of 32, and {dimensions} is no multiple."
            )));
        }
        let row_bytes = dimensions / GROUP * GROUP_BYTES;
        let vocab = sections.take(header.vocab_bytes, 1)?;
        let rows = sections.take(header.tokens, row_bytes)?;
        sections.finish()?;
        let vocab =
            std::str::from_utf8(&bytes[vocab]).map_err(|_| invalid("The vocabulary is not UTF-8."))?;
        let wordpiece = WordPiece::from_vocab(vocab)?;
        if wordpiece.vocab_size() != header.tokens {
            return Err(invalid("The query table has another number of rows than of tokens."));
        }
        let finite =
            bytes[rows.clone()].as_chunks::<GROUP_BYTES>().0.iter().all(|group| scale(group).is_finite());
        if !finite {
            return Err(invalid("A scale in the query table is not a number."));
        }
        Ok(Self { space: header.space, wordpiece, bytes, rows, row_bytes })
    }

    /// The space of the vectors.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The tokenizer whose vocabulary the table is in.
    pub fn wordpiece(&self) -> &WordPiece {
        &self.wordpiece
    }

    /// The vector of a query: zero for a text without a token. Tokens after the 512th are ignored.
    pub fn embed_query(&self, text: &str) -> Embedding {
        let mut sum = vec![0.0; self.space.dimensions as usize];
        for id in self.wordpiece.encode(text, MAX_TOKENS) {
            let start = self.rows.start + id as usize * self.row_bytes;
            let row = &self.bytes[start..start + self.row_bytes];
            for (sum, group) in sum.as_chunks_mut().0.iter_mut().zip(row.as_chunks().0) {
                add_group(sum, group);
            }
        }
        Embedding::normalized(sum)
    }
}

impl Embedder for TokenTable {
    fn space(&self) -> &Space {
        &self.space
    }

    /// Embeds queries. Documents are refused with [`ErrorCode::InvalidOption`]: with the table on both sides retrieval
    /// is worse than plain BM25.
    fn embed(&self, texts: &[&str], task: Task) -> Result<Vec<Embedding>> {
        match task {
            Task::Query => Ok(texts.iter().map(|text| self.embed_query(text)).collect()),
            Task::Document => Err(Error::new(
                ErrorCode::InvalidOption,
                "The query table cannot embed documents, only queries.",
            )
            .with_hint("Embed documents by the transformer.")),
        }
    }
}

fn scale(group: &[u8; GROUP_BYTES]) -> f32 {
    packed::half(u16::from_le_bytes([group[0], group[1]]))
}

fn add_group(sum: &mut [f32; GROUP], group: &[u8; GROUP_BYTES]) {
    let scale = scale(group);
    let (low, high) = sum.split_at_mut(GROUP / 2);
    for ((low, high), &byte) in low.iter_mut().zip(high).zip(&group[2..]) {
        *low += scale * (f32::from(byte & 15) - 8.0);
        *high += scale * (f32::from(byte >> 4) - 8.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::packed::tests::survives_any_bytes;

    /// Two groups a row: the first of `id` everywhere, the second of -1 in its low and 2 in its high half.
    fn tiny() -> Vec<u8> {
        let vocab = "[UNK]\nfever\n##ish\n";
        let mut rows = Vec::new();
        for id in 0..3_u8 {
            rows.extend([0x00, 0x3c]);
            rows.extend([(8 + id) * 17; 16]);
            rows.extend([0x00, 0x38]);
            rows.extend([0x7 + 0xa * 16; 16]);
        }
        let space = Space { name: "tiny".into(), dimensions: 64, fingerprint: "0".repeat(16) };
        let header = Header { space, tokens: 3, vocab_bytes: vocab.len() };
        packed::write(Kind::TokenTable, &header, &[vocab.as_bytes(), &rows]).unwrap()
    }

    #[test]
    fn a_query_is_the_sum_of_its_rows() {
        let table = TokenTable::from_bytes(tiny()).unwrap();
        // The exclamation mark is unknown and adds row 0.
        let mut expected = vec![3.0; 32];
        expected.extend([-1.5; 16]);
        expected.extend([3.0; 16]);
        assert_eq!(table.embed_query("Feverish!"), Embedding::normalized(expected.clone()));
        expected[..32].fill(1.0);
        expected[32..48].fill(-0.5);
        expected[48..].fill(1.0);
        assert_eq!(table.embed_query("fever"), Embedding::normalized(expected));
        assert!(table.embed_query(" \u{200b}").is_zero());
    }

    #[test]
    fn only_queries_are_embedded() {
        let table = TokenTable::from_bytes(tiny()).unwrap();
        assert_eq!(table.embed(&["fever", ""], Task::Query).unwrap().len(), 2);
        assert_eq!(table.embed(&["fever"], Task::Document).unwrap_err().code(), ErrorCode::InvalidOption);
    }

    #[test]
    fn any_bytes_are_answered() {
        survives_any_bytes(&tiny(), 4000, TokenTable::from_bytes);
    }
}
