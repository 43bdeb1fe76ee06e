//! Linear layers: 16-bit activations times 8-bit weights, summed in 32 bits.
//!
//! A row of activations is rounded to whole multiples of a scale of its own, in 14 bits, so that nearly all of the
//! error is the weights'. The inner loop is one multiply-add instruction on pairs of 16-bit numbers, which every
//! instruction set has (`pmaddwd`, `vpdpwssd`, `smlal`, `i32x4.dot_i16x8_s`), over lanes that are different outputs,
//! so nothing is ever summed across lanes. Integer sums are exact, and the result is the same on every machine.

use std::ops::Range;

use fearless_simd::prelude::*;

/// The outputs that are interleaved with one another in memory.
pub const PANEL: usize = 32;

/// Adding this to a number below 2^22 leaves it, rounded, in the low bits.
const ROUNDER: f32 = 12_582_912.0;

/// A linear layer's place in the file, and what is small of it.
///
/// The weights are i8 in panels of 32 outputs. A panel is a sequence over `p` below half the inputs, and each of its
/// elements holds, for each of the outputs, the weights of input `p` and of input `p + inputs / 2` side by side.
///
/// An input is multiplied by its gain before it is rounded, and its weights were divided by it: the gains take the
/// difference between small and large columns out of the weights, which have 8 bits, into the activations, which have
/// 14 (Xiao et al., "`SmoothQuant`", 2022, do the same the other way around).
#[derive(Debug)]
pub struct Linear {
    /// The factor of each input.
    pub gains: Vec<f32>,
    /// The place of the panels in the file.
    pub weights: Range<usize>,
    /// The factor of each output's sum.
    pub scales: Vec<f32>,
    /// The number that is added to each output.
    pub bias: Vec<f32>,
}

impl Linear {
    /// `rows * weights + bias`, written to `out` row by row.
    #[inline(always)]
    pub(super) fn apply<S: Simd>(&self, simd: S, file: &[u8], rows: &Quantized, out: &mut [f32]) {
        let lanes = S::i32s::LEN;
        let weights = &file[self.weights.clone()];
        for (panel, weights) in weights.chunks_exact(PANEL * self.gains.len()).enumerate() {
            for part in 0..PANEL / (2 * lanes) {
                let tile = Tile {
                    layer: self,
                    weights,
                    at: part * 4 * lanes,
                    column: panel * PANEL + part * 2 * lanes,
                };
                let mut row = 0;
                // Four lanes means few registers, in wasm at least: more rows would not fit into them.
                while lanes > 4 && row + 6 <= rows.scales.len() {
                    tile.apply::<S, 6>(simd, rows, row, out);
                    row += 6;
                }
                while row + 4 <= rows.scales.len() {
                    tile.apply::<S, 4>(simd, rows, row, out);
                    row += 4;
                }
                if row + 2 <= rows.scales.len() {
                    tile.apply::<S, 2>(simd, rows, row, out);
                    row += 2;
                }
                if row < rows.scales.len() {
                    tile.apply::<S, 1>(simd, rows, row, out);
                }
            }
        }
    }
}

/// As many outputs as two vectors have lanes.
struct Tile<'a> {
    layer: &'a Linear,
    weights: &'a [u8],
    at: usize,
    column: usize,
}

impl Tile<'_> {
    /// Computes the tile's outputs for `N` rows at once, so that a weight is loaded once for all of them.
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    fn apply<S: Simd, const N: usize>(&self, simd: S, rows: &Quantized, row: usize, out: &mut [f32]) {
        let lanes = S::i32s::LEN;
        let pairs = self.layer.gains.len() / 2;
        let inputs: [&[i32]; N] =
            std::array::from_fn(|n| &rows.pairs[(row + n) * pairs..(row + n + 1) * pairs]);
        let mut sums = [[S::i32s::splat(simd, 0); 2]; N];
        for (p, weights) in self.weights.chunks_exact(2 * PANEL).enumerate().take(pairs) {
            let weights: S::i8s = S::u8s::from_slice(simd, &weights[self.at..self.at + 4 * lanes]).bitcast();
            let (low, high) = weights.widen();
            for n in 0..N {
                let input: S::i16s = S::i32s::splat(simd, inputs[n][p]).bitcast();
                sums[n][0] += low.pairwise_dot_product(input);
                sums[n][1] += high.pairwise_dot_product(input);
            }
        }
        let outputs = self.layer.bias.len();
        for (n, sums) in sums.into_iter().enumerate() {
            for (half, sum) in sums.into_iter().enumerate() {
                let column = self.column + half * lanes;
                let scale = S::f32s::from_slice(simd, &self.layer.scales[column..column + lanes]);
                let bias = S::f32s::from_slice(simd, &self.layer.bias[column..column + lanes]);
                let sum: S::f32s = sum.to_float();
                let start = (row + n) * outputs + column;
                (sum * scale * rows.scales[row + n] + bias).store_slice(&mut out[start..start + lanes]);
            }
        }
    }
}

/// Rows of activations as integers, in pairs like the weights: input `p` in the low half, `p + inputs / 2` in the high.
#[derive(Debug, Default)]
pub(super) struct Quantized {
    pairs: Vec<i32>,
    scales: Vec<f32>,
}

impl Quantized {
    /// Replaces what is held by these rows, of as many numbers as the layer that they are for has inputs.
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    pub(super) fn fill(&mut self, rows: &[f32], layer: &Linear) {
        let width = layer.gains.len();
        let (low_gains, high_gains) = layer.gains.split_at(width / 2);
        // The largest sum, 128 * limit * width, must stay below 2^31.
        let limit = (8191).min((1 << 24) / width.max(1) - 1) as f32;
        self.scales.clear();
        self.pairs.resize(rows.len() / 2, 0);
        for (row, pairs) in rows.chunks_exact(width).zip(self.pairs.chunks_exact_mut(width / 2)) {
            let largest = largest(row, &layer.gains);
            let scale = if largest > 0.0 { limit / largest } else { 0.0 };
            self.scales.push(if largest > 0.0 { largest / limit } else { 0.0 });
            let (low, high) = row.split_at(width / 2);
            let low = low.iter().zip(low_gains);
            let high = high.iter().zip(high_gains);
            for ((pair, (low, low_gain)), (high, high_gain)) in pairs.iter_mut().zip(low).zip(high) {
                let low = (low * low_gain * scale + ROUNDER).to_bits() & 0xffff;
                let high = (high * high_gain * scale + ROUNDER).to_bits() << 16;
                *pair = (low | high) as i32;
            }
        }
    }
}

/// Finds the largest magnitude in a row times its gains.
#[inline(always)]
fn largest(row: &[f32], gains: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; 16];
    for (chunk, gains) in row.as_chunks::<16>().0.iter().zip(gains.as_chunks::<16>().0) {
        for ((lane, x), gain) in lanes.iter_mut().zip(chunk).zip(gains) {
            let x = (x * gain).abs();
            *lane = if x > *lane { x } else { *lane };
        }
    }
    lanes.iter().fold(0.0, |a: f32, &b| if b > a { b } else { a })
}

/// A layer's weights as they are stored.
pub struct Packed {
    /// The factor of each input.
    pub gains: Vec<f32>,
    /// The weights.
    pub panels: Vec<u8>,
    /// The factor of each output's sum.
    pub scales: Vec<f32>,
}

/// Rounds a layer's weights (a row per output) to i8 with a scale per output, and lays them out in panels.
pub fn pack(weights: &[f32], inputs: usize) -> Packed {
    // The fourth root of the mean square: halfway between leaving the columns as they are and making them equal.
    let mut gains = vec![0.0; inputs];
    for row in weights.chunks_exact(inputs) {
        gains.iter_mut().zip(row).for_each(|(gain, x)| *gain += x * x);
    }
    let outputs = (weights.len() / inputs) as f32;
    for gain in &mut gains {
        *gain = if *gain > 0.0 { (*gain / outputs).sqrt().sqrt() } else { 1.0 };
    }
    let mut scales = Vec::new();
    let mut panels = Vec::with_capacity(weights.len());
    for panel in weights.chunks_exact(PANEL * inputs) {
        let rows: Vec<Vec<u8>> = panel
            .chunks_exact(inputs)
            .map(|row| {
                let row: Vec<f32> = row.iter().zip(&gains).map(|(x, gain)| x / gain).collect();
                let (bytes, scale) = round(&row);
                scales.push(scale);
                bytes
            })
            .collect();
        for p in 0..inputs / 2 {
            panels.extend(rows.iter().flat_map(|row| [row[p], row[p + inputs / 2]]));
        }
    }
    Packed { gains, panels, scales }
}

/// Rounds a row to i8 (as bytes) with one scale.
pub fn round(row: &[f32]) -> (Vec<u8>, f32) {
    let scale = row.iter().fold(0.0, |a: f32, x| a.max(x.abs())) / 127.0;
    let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    (row.iter().map(|x| (x * inverse).round_ties_even() as i8 as u8).collect(), scale)
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;
    use crate::rotation::random;

    fn numbers(seed: &mut u64, count: usize) -> Vec<f32> {
        let next = |_| {
            *seed += 1;
            (random(*seed) >> 40) as f32 / 8_388_608.0 - 1.0
        };
        (0..count).map(next).collect()
    }

    /// Enough of a layer to round inputs for.
    fn plain(inputs: usize) -> Linear {
        Linear { gains: vec![1.0; inputs], weights: 0..0, scales: Vec::new(), bias: Vec::new() }
    }

    #[test]
    fn agrees_with_plain_arithmetic() {
        let mut seed = 3;
        let (inputs, outputs) = (96, 64);
        let weights = numbers(&mut seed, inputs * outputs);
        let bias = numbers(&mut seed, outputs);
        let Packed { gains, panels, scales } = pack(&weights, inputs);
        let layer = Linear { gains, weights: 0..panels.len(), scales, bias };
        for count in 0..14 {
            let rows = numbers(&mut seed, count * inputs);
            let mut out = vec![f32::NAN; count * outputs];
            let mut quantized = Quantized::default();
            quantized.fill(&rows, &layer);
            dispatch!(Level::new(), simd => layer.apply(simd, &panels, &quantized, &mut out));
            for (index, &out) in out.iter().enumerate() {
                let (row, output) = (index / outputs, index % outputs);
                let row = &rows[row * inputs..][..inputs];
                let weights = &weights[output * inputs..][..inputs];
                let exact: f32 =
                    row.iter().zip(weights).map(|(a, b)| a * b).sum::<f32>() + layer.bias[output];
                assert!((out - exact).abs() < 0.06, "{out} is not {exact}");
            }
        }
    }

    #[test]
    fn activations_lose_little() {
        let row: Vec<f32> = (0..64_i16).map(|i| f32::from(i - 30) * 0.37).collect();
        let mut quantized = Quantized::default();
        quantized.fill(&row, &plain(64));
        for (p, pair) in quantized.pairs.iter().enumerate() {
            let (low, high) = (*pair as i16, (*pair >> 16) as i16);
            assert!((f32::from(low) * quantized.scales[0] - row[p]).abs() < 1e-3);
            assert!((f32::from(high) * quantized.scales[0] - row[p + 32]).abs() < 1e-3);
        }
    }

    #[test]
    fn zeros_stay_zeros() {
        let mut quantized = Quantized::default();
        quantized.fill(&[0.0; 64], &plain(32));
        assert_eq!((quantized.pairs, quantized.scales), (vec![0; 32], vec![0.0; 2]));
        assert_eq!(round(&[0.0, -0.0]), (vec![0, 0], 0.0));
    }
}
