//! A BERT sentence encoder with 8-bit weights, in safe Rust that runs vectorized natively and in wasm.
//!
//! The architecture is BERT's (Devlin et al., 2019) with mean pooling (Reimers and Gurevych, "Sentence-BERT", 2019), its
//! sizes read from the file. [`ibid_vectors::network`] has its layers.

mod import;
mod import_e5;
mod weights;

pub use self::import::{SourceModel, import};
pub use self::import_e5::{import_e5, is_e5};
use self::weights::Weights;
use super::tokenizer::Tokenizer;
use super::{Embedding, Task};
use ibid_platform::Result;

/// Sequences are computed together until they have this many tokens: enough to use each weight often once it is loaded.
const BATCH_TOKENS: usize = 192;

/// A sentence encoder such as all-MiniLM-L6-v2 or multilingual-e5-small.
#[derive(Debug)]
pub struct Transformer {
    file: Vec<u8>,
    weights: Weights,
}

/// A part of a text that the transformer can take at once.
struct TokenWindow {
    text: usize,
    ids: Vec<u32>,
}

impl Transformer {
    /// Reads a packed model, which [`import`] makes. A `Vec<u8>` is kept as it is; the weights are used where they lie.
    /// Damaged or foreign bytes are [`ibid_platform::ErrorCode::ModelInvalid`].
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Result<Self> {
        let file = bytes.into();
        let weights = Weights::read(&file)?;
        Ok(Self { file, weights })
    }

    /// Returns the model's name, such as `all-MiniLM-L6-v2`.
    pub fn name(&self) -> &str {
        &self.weights.config.name
    }

    /// Returns the number of components of its vectors.
    pub fn dimensions(&self) -> usize {
        self.weights.config.hidden
    }

    /// Returns the bytes that it was read from.
    pub fn file(&self) -> &[u8] {
        &self.file
    }

    /// Returns the model's tokenizer.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.weights.tokenizer
    }

    /// Returns a vector of unit length for each text; zeros for a text without a token. Natively all cores are used.
    ///
    /// The model takes 256 tokens at once, or 512, of which the first, the last and those of the task's prefix are the
    /// model's own. A longer text is cut into windows, and its vector is the mean of the windows' unit vectors weighted
    /// by their numbers of tokens, scaled to unit length: no text is left out.
    pub fn embed(&self, texts: &[&str], task: Task) -> Vec<Embedding> {
        let windows = self.windows(texts, task);
        let mut batches: Vec<&[TokenWindow]> = Vec::new();
        let mut rest = windows.as_slice();
        while !rest.is_empty() {
            let mut tokens = 0;
            let count = rest.iter().take_while(|window| {
                let fits = tokens < BATCH_TOKENS;
                tokens += window.ids.len();
                fits
            });
            let (batch, after) = rest.split_at(count.count());
            batches.push(batch);
            rest = after;
        }
        let vectors = self.run(&batches);
        let mut sums = vec![vec![0.0; self.dimensions()]; texts.len()];
        for (window, vector) in windows.iter().zip(vectors.into_iter().flatten()) {
            let weight = (window.ids.len() - 2 - self.weights.prefix(task).len()) as f32;
            let vector = Embedding::normalized(vector);
            for (sum, x) in sums[window.text].iter_mut().zip(vector.as_slice()) {
                *sum += weight * x;
            }
        }
        sums.into_iter().map(Embedding::normalized).collect()
    }

    fn forward(&self, batch: &[TokenWindow]) -> Vec<Vec<f32>> {
        let Self { file, weights } = self;
        let lengths: Vec<usize> = batch.iter().map(|window| window.ids.len()).collect();
        let mut states = vec![0.0; lengths.iter().sum::<usize>() * self.dimensions()];
        let places = batch.iter().flat_map(|window| window.ids.iter().enumerate());
        for (state, (position, &id)) in states.chunks_exact_mut(self.dimensions()).zip(places) {
            weights.words.add(file, id as usize, state);
            weights.positions.add(file, position, state);
        }
        weights.network.means(file, states, &lengths)
    }

    fn cut(&self, text: usize, content: &str, task: Task) -> Vec<TokenWindow> {
        let Weights { config, tokenizer, start, end, .. } = &self.weights;
        let prefix = self.weights.prefix(task);
        let ids = tokenizer.encode(content, usize::MAX);
        let windows = ids.chunks(config.positions - 2 - prefix.len());
        let framed = windows.map(|ids| [&[*start], prefix, ids, &[*end]].concat());
        framed.map(|ids| TokenWindow { text, ids }).collect()
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn windows(&self, texts: &[&str], task: Task) -> Vec<TokenWindow> {
        use rayon::prelude::*;
        texts.par_iter().enumerate().flat_map_iter(|(text, content)| self.cut(text, content, task)).collect()
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn run(&self, batches: &[&[TokenWindow]]) -> Vec<Vec<Vec<f32>>> {
        use rayon::prelude::*;
        batches.par_iter().map(|batch| self.forward(batch)).collect()
    }

    #[cfg(target_arch = "wasm32")]
    fn windows(&self, texts: &[&str], task: Task) -> Vec<TokenWindow> {
        texts.iter().enumerate().flat_map(|(text, content)| self.cut(text, content, task)).collect()
    }

    #[cfg(target_arch = "wasm32")]
    fn run(&self, batches: &[&[TokenWindow]]) -> Vec<Vec<Vec<f32>>> {
        batches.iter().map(|batch| self.forward(batch)).collect()
    }
}

#[cfg(test)]
#[allow(dead_code, reason = "each test uses a part of it")]
#[path = "../../../../tests/tiny_model/mod.rs"]
mod tiny_model;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::tests::survives_any_bytes;

    fn tiny() -> Vec<u8> {
        import(SourceModel {
            name: "tiny",
            config: tiny_model::CONFIG.as_bytes(),
            vocab: tiny_model::VOCAB.as_bytes(),
            weights: &tiny_model::weights(),
        })
        .unwrap()
    }

    #[test]
    fn any_bytes_are_answered() {
        survives_any_bytes(&tiny(), 1500, |bytes| {
            let model = Transformer::from_bytes(bytes)?;
            assert_eq!(model.embed(&["Fevers, 5 mg"], Task::Query).len(), 1);
            Ok(model)
        });
    }

    #[test]
    fn any_source_is_answered() {
        let weights = tiny_model::weights();
        let source =
            SourceModel { name: "", config: tiny_model::CONFIG.as_bytes(), vocab: b"", weights: &weights };
        let mut refused = vec![source];
        let vocab = tiny_model::VOCAB.as_bytes();
        for weights in
            [&b""[..], b"<!doctype html>", &[255; 64], &weights[..weights.len() - 1], &weights[..3000]]
        {
            refused.push(SourceModel { vocab, weights, ..source });
        }
        for (from, to) in
            [("64", "96"), ("64", "0"), ("64", "-1"), ("2", "3"), ("gelu", "relu"), ("128", "100")]
        {
            let config = tiny_model::CONFIG.replacen(from, to, 1);
            let error = import(SourceModel { config: config.as_bytes(), vocab, ..source }).unwrap_err();
            assert_eq!(error.code(), ibid_platform::ErrorCode::ModelInvalid, "{config}");
        }
        for source in refused {
            assert_eq!(import(source).unwrap_err().code(), ibid_platform::ErrorCode::ModelInvalid);
        }
    }
}
