//! The way through the transformer: token ids to one vector per sequence.

use fearless_simd::prelude::*;

use super::attention::{self, Shape};
use super::linear::Quantized;
use super::math::{add_and_norm, gelu};
use super::weights::{Layer, Norm, Weights};

/// Rows that pass through the feed-forward layers together: few enough that what is between the two stays in the cache.
const ROWS: usize = 48;

/// Buffers that are kept from layer to layer.
#[derive(Default)]
struct AttentionBuffers {
    quantized: Quantized,
    wide: Vec<f32>,
    narrow: Vec<f32>,
    attended: Vec<f32>,
    attention: attention::AttentionBuffers,
}

/// The mean of each sequence's last hidden states, not normalized. `sequences` are token ids with `[CLS]` and `[SEP]`,
/// at most as many in each as the model has positions.
#[inline(always)]
pub(super) fn forward<S: Simd>(
    simd: S,
    weights: &Weights,
    file: &[u8],
    sequences: &[&[u32]],
) -> Vec<Vec<f32>> {
    let hidden = weights.config.hidden;
    let mut states = embed(weights, file, sequences);
    let mut buffers = AttentionBuffers::default();
    for layer in &weights.layers {
        attend(simd, weights, layer, file, sequences, &mut states, &mut buffers);
        for states in states.chunks_mut(ROWS * hidden) {
            feed_forward(simd, weights, layer, file, states, &mut buffers);
        }
    }
    let mut rest = states.as_slice();
    let mut means = Vec::with_capacity(sequences.len());
    for sequence in sequences {
        let (states, after) = rest.split_at(sequence.len() * hidden);
        rest = after;
        let mut mean = vec![0.0; hidden];
        for state in states.chunks_exact(hidden) {
            for (mean, x) in mean.iter_mut().zip(state) {
                *mean += x;
            }
        }
        for x in &mut mean {
            *x /= sequence.len() as f32;
        }
        means.push(mean);
    }
    means
}

/// The sum of word and position embeddings, normalized.
#[inline(always)]
fn embed(weights: &Weights, file: &[u8], sequences: &[&[u32]]) -> Vec<f32> {
    let hidden = weights.config.hidden;
    let total: usize = sequences.iter().map(|sequence| sequence.len()).sum();
    let mut states = vec![0.0; total * hidden];
    let zeros = vec![0.0; hidden];
    let places = sequences.iter().flat_map(|sequence| sequence.iter().enumerate());
    for (state, (position, &id)) in states.chunks_exact_mut(hidden).zip(places) {
        weights.words.add(file, id as usize, state);
        weights.positions.add(file, position, state);
        let Norm { weight, bias } = &weights.norm;
        add_and_norm(state, &zeros, weight, bias, weights.config.norm_epsilon);
    }
    states
}

#[inline(always)]
fn attend<S: Simd>(
    simd: S,
    weights: &Weights,
    layer: &Layer,
    file: &[u8],
    sequences: &[&[u32]],
    states: &mut [f32],
    buffers: &mut AttentionBuffers,
) {
    let hidden = weights.config.hidden;
    buffers.quantized.fill(states, &layer.query_key_value);
    buffers.wide.resize(states.len() * 3, 0.0);
    layer.query_key_value.apply(simd, file, &buffers.quantized, &mut buffers.wide);
    buffers.attended.resize(states.len(), 0.0);
    let mut at = 0;
    for sequence in sequences {
        let tokens = sequence.len();
        let input = &buffers.wide[at * 3..(at + tokens * hidden) * 3];
        let out = &mut buffers.attended[at..at + tokens * hidden];
        let shape = Shape { tokens, hidden, heads: weights.config.heads };
        attention::attend(simd, shape, input, &mut buffers.attention, out);
        at += tokens * hidden;
    }
    buffers.quantized.fill(&buffers.attended, &layer.attended);
    buffers.narrow.resize(states.len(), 0.0);
    layer.attended.apply(simd, file, &buffers.quantized, &mut buffers.narrow);
    add_and_norm_rows(states, &buffers.narrow, &layer.attention_norm, weights);
}

#[inline(always)]
fn feed_forward<S: Simd>(
    simd: S,
    weights: &Weights,
    layer: &Layer,
    file: &[u8],
    states: &mut [f32],
    buffers: &mut AttentionBuffers,
) {
    let (hidden, intermediate) = (weights.config.hidden, weights.config.intermediate);
    buffers.quantized.fill(states, &layer.up);
    buffers.wide.resize(states.len() / hidden * intermediate, 0.0);
    layer.up.apply(simd, file, &buffers.quantized, &mut buffers.wide);
    buffers.wide.iter_mut().for_each(|x| *x = gelu(*x));
    buffers.quantized.fill(&buffers.wide, &layer.down);
    buffers.narrow.resize(states.len(), 0.0);
    layer.down.apply(simd, file, &buffers.quantized, &mut buffers.narrow);
    add_and_norm_rows(states, &buffers.narrow, &layer.output_norm, weights);
}

#[inline(always)]
fn add_and_norm_rows(states: &mut [f32], added: &[f32], norm: &Norm, weights: &Weights) {
    let hidden = weights.config.hidden;
    for (state, added) in states.chunks_exact_mut(hidden).zip(added.chunks_exact(hidden)) {
        add_and_norm(state, added, &norm.weight, &norm.bias, weights.config.norm_epsilon);
    }
}
