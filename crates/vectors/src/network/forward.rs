//! The way through the layers: a state for each token to one vector for each sequence.

use fearless_simd::prelude::*;

use super::attention::{self, Shape};
use super::linear::Quantized;
use super::math::{add_and_norm, gelu};
use super::{Layer, Network, Norm};

/// Rows that pass through the feed-forward layers together: few enough that what is between the two stays in the cache.
const ROWS: usize = 48;

/// Buffers that are kept from layer to layer.
#[derive(Default)]
struct NetworkBuffers {
    quantized: Quantized,
    wide: Vec<f32>,
    narrow: Vec<f32>,
    attended: Vec<f32>,
    attention: attention::AttentionBuffers,
}

/// See [`Network::means`].
#[inline(always)]
pub(super) fn forward<S: Simd>(
    simd: S,
    network: &Network,
    file: &[u8],
    mut states: Vec<f32>,
    lengths: &[usize],
) -> Vec<Vec<f32>> {
    let hidden = network.hidden;
    let zeros = vec![0.0; hidden];
    for state in states.chunks_exact_mut(hidden) {
        let Norm { weight, bias } = &network.norm;
        add_and_norm(state, &zeros, weight, bias, network.norm_epsilon);
    }
    let mut buffers = NetworkBuffers::default();
    for layer in &network.layers {
        attend(simd, network, layer, file, lengths, &mut states, &mut buffers);
        for states in states.chunks_mut(ROWS * hidden) {
            feed_forward(simd, network, layer, file, states, &mut buffers);
        }
    }
    let mut rest = states.as_slice();
    let mut means = Vec::with_capacity(lengths.len());
    for &length in lengths {
        let (states, after) = rest.split_at(length * hidden);
        rest = after;
        let mut mean = vec![0.0; hidden];
        for state in states.chunks_exact(hidden) {
            for (mean, x) in mean.iter_mut().zip(state) {
                *mean += x;
            }
        }
        for x in &mut mean {
            *x /= length as f32;
        }
        means.push(mean);
    }
    means
}

#[inline(always)]
fn attend<S: Simd>(
    simd: S,
    network: &Network,
    layer: &Layer,
    file: &[u8],
    lengths: &[usize],
    states: &mut [f32],
    buffers: &mut NetworkBuffers,
) {
    let hidden = network.hidden;
    buffers.quantized.fill(states, &layer.query_key_value);
    buffers.wide.resize(states.len() * 3, 0.0);
    layer.query_key_value.apply(simd, file, &buffers.quantized, &mut buffers.wide);
    buffers.attended.resize(states.len(), 0.0);
    let mut at = 0;
    for &tokens in lengths {
        let input = &buffers.wide[at * 3..(at + tokens * hidden) * 3];
        let out = &mut buffers.attended[at..at + tokens * hidden];
        let shape = Shape { tokens, hidden, heads: network.heads };
        attention::attend(simd, shape, input, &mut buffers.attention, out);
        at += tokens * hidden;
    }
    buffers.quantized.fill(&buffers.attended, &layer.attended);
    buffers.narrow.resize(states.len(), 0.0);
    layer.attended.apply(simd, file, &buffers.quantized, &mut buffers.narrow);
    add_and_norm_rows(states, &buffers.narrow, &layer.attention_norm, network);
}

#[inline(always)]
fn feed_forward<S: Simd>(
    simd: S,
    network: &Network,
    layer: &Layer,
    file: &[u8],
    states: &mut [f32],
    buffers: &mut NetworkBuffers,
) {
    let (hidden, intermediate) = (network.hidden, network.intermediate);
    buffers.quantized.fill(states, &layer.up);
    buffers.wide.resize(states.len() / hidden * intermediate, 0.0);
    layer.up.apply(simd, file, &buffers.quantized, &mut buffers.wide);
    buffers.wide.iter_mut().for_each(|x| *x = gelu(*x));
    buffers.quantized.fill(&buffers.wide, &layer.down);
    buffers.narrow.resize(states.len(), 0.0);
    layer.down.apply(simd, file, &buffers.quantized, &mut buffers.narrow);
    add_and_norm_rows(states, &buffers.narrow, &layer.output_norm, network);
}

#[inline(always)]
fn add_and_norm_rows(states: &mut [f32], added: &[f32], norm: &Norm, network: &Network) {
    let hidden = network.hidden;
    for (state, added) in states.chunks_exact_mut(hidden).zip(added.chunks_exact(hidden)) {
        add_and_norm(state, added, &norm.weight, &norm.bias, network.norm_epsilon);
    }
}
