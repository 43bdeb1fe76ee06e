//! The layers of a BERT encoder (Devlin et al., 2019) with 8-bit weights, in safe Rust that runs vectorized natively and in
//! wasm. Which instructions are used (AVX-512, AVX2, SSE, NEON) is decided when it runs; the result is the same with all of
//! them.
#![allow(
    clippy::inline_always,
    reason = "a function not inlined into the dispatch is compiled without its instructions"
)]

mod attention;
mod forward;
mod linear;
mod math;

use fearless_simd::{Level, dispatch};

pub use linear::{Linear, PANEL, Packed, pack, round};

/// The parameters of a layer normalization.
#[derive(Debug)]
pub struct Norm {
    /// The factor of each component.
    pub weight: Vec<f32>,
    /// The number that is added to each component.
    pub bias: Vec<f32>,
}

/// One layer of the encoder.
#[derive(Debug)]
pub struct Layer {
    /// Query, key and value of a token, one behind the other.
    pub query_key_value: Linear,
    /// Takes the attended values of all heads back to a state.
    pub attended: Linear,
    /// Behind attention.
    pub attention_norm: Norm,
    /// Into the intermediate size.
    pub up: Linear,
    /// Back from it.
    pub down: Linear,
    /// Behind the layer.
    pub output_norm: Norm,
}

/// All layers, whose weights lie in a file.
#[derive(Debug)]
pub struct Network {
    /// The components of a state, a multiple of `heads` times [`PANEL`].
    pub hidden: usize,
    /// The heads that attention is divided among.
    pub heads: usize,
    /// The components between the two halves of a layer, a multiple of [`PANEL`].
    pub intermediate: usize,
    /// Keeps a normalization from dividing by zero.
    pub norm_epsilon: f32,
    /// In front of all layers.
    pub norm: Norm,
    /// In their order.
    pub layers: Vec<Layer>,
}

impl Network {
    /// Returns the mean of each sequence's last hidden states, not normalized. `states` are the sums of the tokens'
    /// embeddings, `hidden` numbers a token, of sequences of these lengths one behind the other.
    pub fn means(&self, file: &[u8], states: Vec<f32>, lengths: &[usize]) -> Vec<Vec<f32>> {
        dispatch!(Level::new(), simd => forward::forward(simd, self, file, states, lengths))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rotation::random;

    /// Numbers from -1 to 1, others for each seed.
    fn numbers(seed: u64, count: usize) -> Vec<f32> {
        (0..count as u64).map(|at| (random(seed * 1_000_003 + at) >> 40) as f32 / 8_388_608.0 - 1.0).collect()
    }

    fn linear(file: &mut Vec<u8>, seed: u64, inputs: usize, outputs: usize) -> Linear {
        let Packed { gains, panels, scales } = pack(&numbers(seed, inputs * outputs), inputs);
        let start = file.len();
        file.extend(panels);
        Linear { gains, weights: start..file.len(), scales, bias: numbers(seed + 1, outputs) }
    }

    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        let (hidden, intermediate, mut file) = (64, 96, Vec::new());
        let norm = |seed| Norm { weight: numbers(seed, hidden), bias: numbers(seed + 1, hidden) };
        let layers = (0..2).map(|layer| Layer {
            query_key_value: linear(&mut file, layer * 100, hidden, 3 * hidden),
            attended: linear(&mut file, layer * 100 + 10, hidden, hidden),
            attention_norm: norm(layer * 100 + 20),
            up: linear(&mut file, layer * 100 + 30, hidden, intermediate),
            down: linear(&mut file, layer * 100 + 40, intermediate, hidden),
            output_norm: norm(layer * 100 + 50),
        });
        let layers = layers.collect();
        let network = Network { hidden, heads: 2, intermediate, norm_epsilon: 1e-12, norm: norm(7), layers };
        let lengths = [1, 5, 37, 2];
        let states = numbers(9, lengths.iter().sum::<usize>() * hidden);
        let expected = network.means(&file, states.clone(), &lengths);
        assert!(expected.len() == 4 && expected.iter().flatten().all(|x| x.is_finite()));
        let level = Level::new();
        #[cfg(target_arch = "x86_64")]
        let more = [
            level.as_sse2().map(Level::Sse2),
            level.as_sse4_2().map(Level::Sse4_2),
            level.as_avx2().map(Level::Avx2),
        ];
        #[cfg(not(target_arch = "x86_64"))]
        let more = [None];
        for level in std::iter::once(Level::baseline()).chain(more.into_iter().flatten()) {
            let found =
                dispatch!(level, simd => forward::forward(simd, &network, &file, states.clone(), &lengths));
            assert_eq!(found, expected, "{level:?}");
        }
    }
}
