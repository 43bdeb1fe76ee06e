//! Scaled dot-product attention (Vaswani et al., "Attention is all you need", 2017), in `f32`.

use fearless_simd::prelude::*;

use super::math::softmax;

/// Scores are computed for this many keys at a time, whatever the width of the vectors.
const KEYS: usize = 32;

/// The shape of one sequence's attention.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Tokens of the sequence.
    pub(super) tokens: usize,
    /// The model's hidden size; a row of the input is query, key and value, each of this size.
    pub(super) hidden: usize,
    /// Heads that the hidden size is divided among; a head's size is a multiple of 32.
    pub(super) heads: usize,
}

/// Buffers that are kept between calls.
#[derive(Debug, Default)]
pub(super) struct AttentionBuffers {
    keys: Vec<f32>,
    scores: Vec<f32>,
}

/// Each token's mean of the values, weighted by the softmax of its query times the keys; `hidden` numbers a token.
#[inline(always)]
pub(super) fn attend<S: Simd>(
    simd: S,
    shape: Shape,
    input: &[f32],
    buffers: &mut AttentionBuffers,
    out: &mut [f32],
) {
    let Shape { tokens, hidden, heads } = shape;
    let stride = 3 * hidden;
    let size = hidden / heads;
    let padded = tokens.next_multiple_of(KEYS);
    let scale = 1.0 / (size as f32).sqrt();
    buffers.scores.resize(4 * padded, 0.0);
    for head in 0..heads {
        // The keys' columns become rows, so that vectors run along the tokens.
        buffers.keys.clear();
        buffers.keys.resize(size * padded, 0.0);
        for (token, row) in input.chunks_exact(stride).take(tokens).enumerate() {
            for (d, x) in row[hidden + head * size..][..size].iter().enumerate() {
                buffers.keys[d * padded + token] = x * scale;
            }
        }
        let task = AttentionHead {
            input,
            stride,
            hidden,
            tokens,
            padded,
            size,
            start: head * size,
            keys: &buffers.keys,
        };
        let mut token = 0;
        while token + 4 <= tokens {
            task.attend::<S, 4>(simd, token, &mut buffers.scores, out);
            token += 4;
        }
        while token < tokens {
            task.attend::<S, 1>(simd, token, &mut buffers.scores, out);
            token += 1;
        }
    }
}

struct AttentionHead<'a> {
    input: &'a [f32],
    stride: usize,
    hidden: usize,
    tokens: usize,
    padded: usize,
    size: usize,
    start: usize,
    keys: &'a [f32],
}

impl AttentionHead<'_> {
    /// Attends from `N` tokens at once.
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    fn attend<S: Simd, const N: usize>(&self, simd: S, token: usize, scores: &mut [f32], out: &mut [f32]) {
        let queries: [&[f32]; N] =
            std::array::from_fn(|n| &self.input[(token + n) * self.stride + self.start..][..self.size]);
        let wide = 2 * S::f32s::LEN;
        for column in (0..self.padded).step_by(wide) {
            let sums = product::<S, N>(simd, queries, &self.keys[column..], self.padded);
            for (n, sums) in sums.into_iter().enumerate() {
                store(sums, &mut scores[n * self.padded + column..]);
            }
        }
        let mut factors = [0.0; N];
        for (factor, scores) in factors.iter_mut().zip(scores.chunks_exact_mut(self.padded)) {
            *factor = softmax(&mut scores[..self.tokens]);
        }
        let weights: [&[f32]; N] = std::array::from_fn(|n| &scores[n * self.padded..][..self.tokens]);
        let values = &self.input[2 * self.hidden + self.start..];
        for column in (0..self.size).step_by(wide) {
            let sums = product::<S, N>(simd, weights, &values[column..], self.stride);
            for ((n, [low, high]), factor) in sums.into_iter().enumerate().zip(factors) {
                let start = (token + n) * self.hidden + self.start + column;
                store([low * factor, high * factor], &mut out[start..]);
            }
        }
    }
}

/// `N` rows times a matrix whose rows are `stride` apart, for as many of its columns as two vectors have lanes.
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
#[cfg_attr(target_arch = "wasm32", inline(never))]
fn product<S: Simd, const N: usize>(
    simd: S,
    rows: [&[f32]; N],
    matrix: &[f32],
    stride: usize,
) -> [[S::f32s; 2]; N] {
    let lanes = S::f32s::LEN;
    let mut sums = [[S::f32s::splat(simd, 0.0); 2]; N];
    let count = rows[0].len();
    let rows = rows.map(|row| &row[..count]);
    for i in 0..count {
        let line = &matrix[i * stride..][..2 * lanes];
        let low = S::f32s::from_slice(simd, &line[..lanes]);
        let high = S::f32s::from_slice(simd, &line[lanes..]);
        for n in 0..N {
            sums[n][0] += low * rows[n][i];
            sums[n][1] += high * rows[n][i];
        }
    }
    sums
}

#[inline(always)]
fn store<V: SimdBase<S, Element = f32>, S: Simd>([low, high]: [V; 2], out: &mut [f32]) {
    low.store_slice(&mut out[..V::LEN]);
    high.store_slice(&mut out[V::LEN..2 * V::LEN]);
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;

    #[test]
    fn agrees_with_the_definition() {
        let (hidden, heads, size) = (64, 2, 32);
        for tokens in [1, 3, 4, 33, 70] {
            let shape = Shape { tokens, hidden, heads };
            let input: Vec<f32> =
                (0..tokens * 3 * hidden).map(|i| ((i * 37 % 101) as f32 - 50.0) / 30.0).collect();
            let mut out = vec![f32::NAN; tokens * hidden];
            let mut buffers = AttentionBuffers::default();
            dispatch!(Level::new(), simd => attend(simd, shape, &input, &mut buffers, &mut out));
            let at = |token: usize, part: usize, head: usize, d: usize| {
                f64::from(input[token * 3 * hidden + part * hidden + head * size + d])
            };
            for (index, &out) in out.iter().enumerate() {
                let (token, head, d) = (index / hidden, index % hidden / size, index % size);
                let weights: Vec<f64> = (0..tokens)
                    .map(|key| (0..size).map(|d| at(token, 0, head, d) * at(key, 1, head, d)).sum::<f64>())
                    .map(|score| (score / (size as f64).sqrt()).exp())
                    .collect();
                let total: f64 = weights.iter().sum();
                let exact: f64 =
                    weights.iter().enumerate().map(|(key, w)| w / total * at(key, 2, head, d)).sum();
                assert!((f64::from(out) - exact).abs() < 1e-4, "{out} is not {exact}");
            }
        }
    }
}
