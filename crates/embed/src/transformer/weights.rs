//! The transformer's file: what its header says and where its tensors lie.
//!
//! The sections, in this order, with `h` the hidden size; "rows" are i8 rows followed, in a section of its own, by an f32
//! scale per row, and a "layer" is f32 gains per input, panels, f32 scales and f32 biases per output, as [`Linear`]
//! describes them, each in a section of its own:
//!
//! 1. the vocabulary, one token a line; of a Unigram vocabulary its f32 scores follow, in a section of their own
//! 2. rows: the tokens' embeddings, `tokens` x `h`; where the header says `four_bit_words` they are rows of a query
//!    table instead, in one section
//! 3. rows: the positions' embeddings, `positions` x `h`, with that of token type 0 added
//! 4. norm: `h` f32 weights, then `h` f32 biases
//! 5. for each transformer layer: layer `h` to `3 h` (query, key, value), layer `h` to `h`, norm, layer `h` to
//!    `intermediate`, layer `intermediate` to `h`, norm

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::packed::{self, PackedKind, Sections, invalid};
use crate::table::group::{GROUP, GROUP_BYTES, add_group, scales_are_finite};
use crate::tokenizer::{Tokenizer, Unigram, WordPiece};
use crate::{MAX_DIMENSIONS, Task};
use ibid_platform::Result;
use ibid_vectors::network::{Layer, Linear, Network, Norm, PANEL};

/// The model's sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Config {
    /// A name for people.
    pub(super) name: String,
    pub(super) tokens: usize,
    pub(super) vocab_bytes: usize,
    /// Tokens of a window, with `[CLS]` and `[SEP]`.
    pub(super) positions: usize,
    pub(super) layers: usize,
    pub(super) hidden: usize,
    pub(super) heads: usize,
    pub(super) intermediate: usize,
    pub(super) norm_epsilon: f32,
    /// The vocabulary is that of a Unigram tokenizer; else WordPiece's.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) unigram: bool,
    /// The tokens' embeddings have four bits, with a scale for each 32 components.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) four_bit_words: bool,
    /// The model wants this in front of each text that is to be found.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) document_prefix: String,
    /// The model wants this in front of each query.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) query_prefix: String,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Config {
    /// Checks that the sizes are ones that the kernels can work with.
    pub(super) fn check(&self) -> Result<()> {
        let sizes = [self.hidden, self.intermediate];
        let fits = sizes.iter().all(|&size| size > 0 && size <= MAX_DIMENSIONS && size.is_multiple_of(PANEL))
            && (1..=MAX_DIMENSIONS).contains(&self.heads)
            && self.hidden.is_multiple_of(self.heads * PANEL)
            && (3..=MAX_DIMENSIONS).contains(&self.positions)
            && (1..=256).contains(&self.layers)
            && self.norm_epsilon >= 0.0
            && self.norm_epsilon.is_finite();
        if fits {
            Ok(())
        } else {
            Err(invalid(format!("A transformer of this shape is not supported: {self:?}.")))
        }
    }
}

/// Rows of embeddings.
#[derive(Debug)]
pub(super) enum WeightRows {
    /// Rows of i8, with a scale each.
    Bytes { width: usize, bytes: Range<usize>, scales: Vec<f32> },
    /// Rows of four bits, as a query table has them.
    Groups { row_bytes: usize, bytes: Range<usize> },
}

impl WeightRows {
    /// Adds a row to `out`.
    pub(super) fn add(&self, file: &[u8], row: usize, out: &mut [f32]) {
        match self {
            Self::Bytes { width, bytes, scales } => {
                let start = bytes.start + row * width;
                for (out, &byte) in out.iter_mut().zip(&file[start..start + width]) {
                    *out += f32::from(byte as i8) * scales[row];
                }
            }
            Self::Groups { row_bytes, bytes } => {
                let start = bytes.start + row * row_bytes;
                let groups = file[start..start + row_bytes].as_chunks().0;
                out.as_chunks_mut().0.iter_mut().zip(groups).for_each(|(out, group)| add_group(out, group));
            }
        }
    }
}

/// Everything of a transformer but the bytes that its ranges point into.
#[derive(Debug)]
pub(super) struct Weights {
    pub(super) config: Config,
    pub(super) tokenizer: Tokenizer,
    /// The tokens in front of a document and of a query.
    prefixes: [Vec<u32>; 2],
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) words: WeightRows,
    pub(super) positions: WeightRows,
    pub(super) network: Network,
}

impl Weights {
    /// Reads the header and finds the tensors, checking everything that computing relies on.
    pub(super) fn read(file: &[u8]) -> Result<Self> {
        let (config, sections) = packed::open::<Config>(file, PackedKind::Transformer)?;
        config.check()?;
        let mut reader = WeightReader { file, sections };
        let vocab = reader.sections.take(config.vocab_bytes, 1)?;
        let vocab = std::str::from_utf8(&file[vocab]).map_err(|_| invalid("The vocabulary is not UTF-8."))?;
        let (tokenizer, [start, end]) = if config.unigram {
            (Tokenizer::Unigram(Unigram::new(vocab, reader.floats(config.tokens)?)?), ["<s>", "</s>"])
        } else {
            (Tokenizer::WordPiece(WordPiece::from_vocab(vocab)?), ["[CLS]", "[SEP]"])
        };
        if tokenizer.vocab_size() != config.tokens {
            return Err(invalid("The transformer's numbers of embeddings and tokens differ."));
        }
        let special = |name| {
            tokenizer
                .id(name)
                .ok_or_else(|| invalid(format!("The transformer's vocabulary has no {name} token.")))
        };
        let (start, end) = (special(start)?, special(end)?);
        let prefixes = [&config.document_prefix, &config.query_prefix]
            .map(|prefix| tokenizer.encode(prefix, usize::MAX));
        if prefixes.iter().any(|prefix| prefix.len() + 3 > config.positions) {
            return Err(invalid("The transformer's prefixes leave no room for a text."));
        }
        let hidden = config.hidden;
        let words = if config.four_bit_words {
            reader.groups(config.tokens, hidden)?
        } else {
            reader.rows(config.tokens, hidden)?
        };
        let positions = reader.rows(config.positions, hidden)?;
        let norm = reader.norm(hidden)?;
        let mut layers = Vec::new();
        for _ in 0..config.layers {
            layers.push(Layer {
                query_key_value: reader.linear(hidden, 3 * hidden)?,
                attended: reader.linear(hidden, hidden)?,
                attention_norm: reader.norm(hidden)?,
                up: reader.linear(hidden, config.intermediate)?,
                down: reader.linear(config.intermediate, hidden)?,
                output_norm: reader.norm(hidden)?,
            });
        }
        reader.sections.finish()?;
        let Config { heads, intermediate, norm_epsilon, .. } = config;
        let network = Network { hidden, heads, intermediate, norm_epsilon, norm, layers };
        Ok(Self { config, tokenizer, prefixes, start, end, words, positions, network })
    }

    /// The tokens that stand in front of each text for a task.
    pub(super) fn prefix(&self, task: Task) -> &[u32] {
        &self.prefixes[usize::from(task == Task::Query)]
    }
}

struct WeightReader<'a> {
    file: &'a [u8],
    sections: Sections,
}

impl WeightReader<'_> {
    fn floats(&mut self, count: usize) -> Result<Vec<f32>> {
        let floats = packed::floats(&self.file[self.sections.take(count, 4)?]);
        if floats.iter().all(|x| x.is_finite()) {
            Ok(floats)
        } else {
            Err(invalid("A number in the transformer is not finite."))
        }
    }

    fn rows(&mut self, count: usize, width: usize) -> Result<WeightRows> {
        Ok(WeightRows::Bytes { width, bytes: self.sections.take(count, width)?, scales: self.floats(count)? })
    }

    fn groups(&mut self, count: usize, width: usize) -> Result<WeightRows> {
        let row_bytes = width / GROUP * GROUP_BYTES;
        let bytes = self.sections.take(count, row_bytes)?;
        if !scales_are_finite(&self.file[bytes.clone()]) {
            return Err(invalid("A scale in the transformer is not finite."));
        }
        Ok(WeightRows::Groups { row_bytes, bytes })
    }

    fn norm(&mut self, size: usize) -> Result<Norm> {
        Ok(Norm { weight: self.floats(size)?, bias: self.floats(size)? })
    }

    fn linear(&mut self, inputs: usize, outputs: usize) -> Result<Linear> {
        let gains = self.floats(inputs)?;
        let weights = self.sections.take(outputs, inputs)?;
        Ok(Linear { gains, weights, scales: self.floats(outputs)?, bias: self.floats(outputs)? })
    }
}
