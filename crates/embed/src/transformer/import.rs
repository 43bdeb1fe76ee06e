//! From a model as its makers publish it to the packed file.
//!
//! The safetensors format is a length, a JSON header and numbers, so it is read here: a dependency would bring more code
//! than it saves, and the checks are the same as for our own files.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

use super::weights::{Config, Weights};
use crate::packed::{self, PackedKind};
use crate::table::group::pack_exactly;
use ibid_platform::{Error, ErrorCode, Result};
use ibid_vectors::network;

/// all-MiniLM-L6-v2 was trained on at most this many tokens, although it has more positions.
const MAX_POSITIONS: usize = 256;

/// The files of a published model.
#[derive(Clone, Copy, Debug)]
pub struct SourceModel<'a> {
    /// A name for people, such as `all-MiniLM-L6-v2`.
    pub name: &'a str,
    /// The bytes of `config.json`.
    pub config: &'a [u8],
    /// The bytes of `vocab.txt`.
    pub vocab: &'a [u8],
    /// The bytes of `model.safetensors`, of `F32` numbers.
    pub weights: &'a [u8],
}

/// The members needed of a `config.json`.
#[derive(Deserialize)]
struct SourceConfig {
    hidden_size: usize,
    intermediate_size: usize,
    num_attention_heads: usize,
    num_hidden_layers: usize,
    max_position_embeddings: usize,
    layer_norm_eps: f32,
    hidden_act: String,
    #[serde(default = "absolute")]
    position_embedding_type: String,
}

fn absolute() -> String {
    "absolute".to_owned()
}

/// Packs a published BERT sentence encoder, rounding its weights to 8 bits: bytes for
/// [`Transformer::from_bytes`](super::Transformer::from_bytes), and for a file. For all-MiniLM-L6-v2 that is 23 MB.
/// Embeddings of tokens that were trained to four bits, with a scale for each 32 components, are packed as such.
///
/// Hidden size, head size and intermediate size must be multiples of 32. A model of another shape or kind and damaged
/// bytes are [`ErrorCode::ModelInvalid`].
pub fn import(source: SourceModel<'_>) -> Result<Vec<u8>> {
    let given: SourceConfig = serde_json::from_slice(source.config)
        .map_err(|error| unusable(format!("config.json cannot be read: {error}.")))?;
    if given.hidden_act != "gelu" || given.position_embedding_type != "absolute" {
        return Err(unusable("Only BERT models with GELU and absolute positions can be imported."));
    }
    let vocab = std::str::from_utf8(source.vocab).map_err(|_| unusable("vocab.txt is not UTF-8."))?;
    let vocab: String =
        vocab.trim_end_matches('\n').split('\n').flat_map(|line| [line.trim_end(), "\n"]).collect();
    let mut config = Config {
        name: source.name.to_owned(),
        tokens: vocab.matches('\n').count(),
        vocab_bytes: vocab.len(),
        positions: given.max_position_embeddings.min(MAX_POSITIONS),
        layers: given.num_hidden_layers,
        hidden: given.hidden_size,
        heads: given.num_attention_heads,
        intermediate: given.intermediate_size,
        norm_epsilon: given.layer_norm_eps,
        unigram: false,
        four_bit_words: false,
        document_prefix: String::new(),
        query_prefix: String::new(),
    };
    config.check()?;
    let tensors = Tensors::read(source.weights)?;
    let mut packer = WeightPacker::new(&tensors, vec![vocab.into_bytes()]);
    let words = tensors.get("embeddings.word_embeddings.weight", config.tokens * config.hidden)?;
    if let Some(rows) = pack_exactly(&words) {
        config.four_bit_words = true;
        packer.sections.push(rows);
    } else {
        packer.rows(&words, config.hidden);
    }
    packer.finish(&config)
}

/// The place where the numbers of a model to be packed come from: tensors by the names that BERT's have.
pub(super) trait TensorSource {
    /// All numbers of a tensor, which must be `count`.
    fn get(&self, name: &str, count: usize) -> Result<Vec<f32>>;

    /// Reads the first `count` numbers of a tensor.
    fn first(&self, name: &str, count: usize) -> Result<Vec<f32>>;
}

/// Makes the sections of a packed model.
pub(super) struct WeightPacker<'a> {
    tensors: &'a dyn TensorSource,
    sections: Vec<Vec<u8>>,
}

impl<'a> WeightPacker<'a> {
    /// Begins with the sections of the vocabulary, and perhaps those of its embeddings.
    pub(super) fn new(tensors: &'a dyn TensorSource, sections: Vec<Vec<u8>>) -> Self {
        Self { tensors, sections }
    }

    /// Packs all but the vocabulary and its embeddings, and makes the file.
    pub(super) fn finish(mut self, config: &Config) -> Result<Vec<u8>> {
        let hidden = config.hidden;
        let kind = self.tensors.first("embeddings.token_type_embeddings.weight", hidden)?;
        let mut positions =
            self.tensors.first("embeddings.position_embeddings.weight", config.positions * hidden)?;
        for row in positions.chunks_exact_mut(hidden) {
            row.iter_mut().zip(&kind).for_each(|(x, kind)| *x += kind);
        }
        self.rows(&positions, hidden);
        self.norm("embeddings.LayerNorm", hidden)?;
        for layer in 0..config.layers {
            let name = |part: &str| format!("encoder.layer.{layer}.{part}");
            let attention = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
            self.linear(&attention, hidden, hidden)?;
            self.linear(&[name("attention.output.dense")], hidden, hidden)?;
            self.norm(&name("attention.output.LayerNorm"), hidden)?;
            self.linear(&[name("intermediate.dense")], hidden, config.intermediate)?;
            self.linear(&[name("output.dense")], config.intermediate, hidden)?;
            self.norm(&name("output.LayerNorm"), hidden)?;
        }
        let sections: Vec<&[u8]> = self.sections.iter().map(Vec::as_slice).collect();
        let file = packed::write(PackedKind::Transformer, config, &sections)?;
        Weights::read(&file)?;
        Ok(file)
    }

    /// Adds rows of 8 bits.
    fn rows(&mut self, numbers: &[f32], width: usize) {
        let (rows, scales): (Vec<_>, Vec<_>) = numbers.chunks_exact(width).map(network::round).unzip();
        self.sections.push(rows.concat());
        self.floats(&scales);
    }

    fn norm(&mut self, name: &str, size: usize) -> Result<()> {
        for part in ["weight", "bias"] {
            let numbers = self.tensors.get(&format!("{name}.{part}"), size)?;
            self.floats(&numbers);
        }
        Ok(())
    }

    /// Layers of the same input, as one.
    fn linear(&mut self, names: &[String], inputs: usize, outputs: usize) -> Result<()> {
        let mut weights = Vec::new();
        let mut bias = Vec::new();
        for name in names {
            weights.extend(self.tensors.get(&format!("{name}.weight"), inputs * outputs)?);
            bias.extend(self.tensors.get(&format!("{name}.bias"), outputs)?);
        }
        let packed = network::pack(&weights, inputs);
        self.floats(&packed.gains);
        self.sections.push(packed.panels);
        self.floats(&packed.scales);
        self.floats(&bias);
        Ok(())
    }

    fn floats(&mut self, numbers: &[f32]) {
        self.sections.push(numbers.iter().flat_map(|x| x.to_le_bytes()).collect());
    }
}

/// The tensors of a safetensors file.
struct Tensors<'a> {
    header: HashMap<String, Value>,
    data: &'a [u8],
}

impl<'a> Tensors<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self> {
        let foreign = || unusable("The weights are not in the safetensors format.");
        let (length, rest) = bytes.split_first_chunk().ok_or_else(foreign)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| foreign())?;
        let (header, data) = rest.split_at_checked(length).ok_or_else(foreign)?;
        let header = serde_json::from_slice(header).map_err(|_| foreign())?;
        Ok(Self { header, data })
    }

    /// Finds the bytes of a tensor, which some publish under a name that starts with `bert.`.
    fn find(&self, name: &str) -> Result<&'a [u8]> {
        let entry = self.header.get(name).or_else(|| self.header.get(&format!("bert.{name}")));
        let entry = entry.ok_or_else(|| unusable(format!("The weights lack the tensor {name}.")))?;
        if entry["dtype"] != "F32" {
            return Err(unusable(format!(
                "The tensor {name} is of type {}, where F32 is needed.",
                entry["dtype"]
            )));
        }
        let offset = |index: usize| usize::try_from(entry["data_offsets"][index].as_u64()?).ok();
        offset(0)
            .zip(offset(1))
            .and_then(|(start, end)| self.data.get(start..end))
            .ok_or_else(|| unusable(format!("The tensor {name} lies outside the file.")))
    }
}

impl TensorSource for Tensors<'_> {
    fn get(&self, name: &str, count: usize) -> Result<Vec<f32>> {
        let numbers = self.first(name, count)?;
        if self.find(name)?.len() == count * 4 {
            Ok(numbers)
        } else {
            Err(unusable(format!("The tensor {name} is larger than config.json says.")))
        }
    }

    fn first(&self, name: &str, count: usize) -> Result<Vec<f32>> {
        let bytes = self
            .find(name)?
            .get(..count * 4)
            .ok_or_else(|| unusable(format!("The tensor {name} is smaller than config.json says.")))?;
        let numbers = packed::floats(bytes);
        if numbers.iter().all(|x| x.is_finite()) {
            Ok(numbers)
        } else {
            Err(unusable(format!("The tensor {name} holds a number that is not finite.")))
        }
    }
}

fn unusable(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::ModelInvalid, message)
        .with_hint("Import the published files of a BERT sentence encoder such as all-MiniLM-L6-v2.")
}
