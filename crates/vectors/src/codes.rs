//! Four bits a component, or two: what vectors are compared by when the clusters near a query are scanned.
//!
//! A vector that was rotated, less the centroid of its cluster, is rounded to sixteen equal steps. A query keeps its
//! precision: its product with the codes, times the vector's factor, estimates its product with what was rounded. The
//! factor makes the estimate unbiased, as in `RaBitQ` (Gao and Long, arXiv:2405.12497).

#![allow(
    clippy::inline_always,
    reason = "a function not inlined into the dispatch is compiled without its instructions"
)]

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

use crate::vectors::quantize;

/// Codes stand for -7.5, -6.5 and so on up to 7.5 steps.
const MIDDLE: f32 = 7.5;
/// The largest code.
const LARGEST: u8 = 15;
/// The least and the largest coarse code.
const COARSE: [u8; 2] = [6, 9];
/// The steps that are tried, in standard deviations of a vector's components: the best for a normal distribution
/// (J. Max, "Quantizing for minimum distortion", 1960) and others about it.
const STEPS: [f32; 4] = [0.27, 0.3, 0.335, 0.38];
/// The same for coarse codes.
const COARSE_STEPS: [f32; 4] = [0.85, 0.95, 1.0, 1.1];
/// The largest code of a query's vector.
const QUERY_LIMIT: f32 = 2047.0;

/// The bytes of a number that stands next to codes.
pub const NUMBER_BYTES: usize = 2;

/// Writes a number next to codes: the upper half of an f32, rounded (bfloat16). Codes are far less exact.
pub fn write_number(number: f32) -> [u8; NUMBER_BYTES] {
    let [_, _, low, high] = number.to_bits().saturating_add(1 << 15).to_le_bytes();
    [low, high]
}

/// Reads what [`write_number`] has written.
pub fn read_number([low, high]: [u8; NUMBER_BYTES]) -> f32 {
    f32::from_le_bytes([0, 0, low, high])
}

/// Returns the bytes that the codes of a vector take: those of one half of its components are in the low halves of
/// the bytes, those of the other in the high ones.
pub fn code_bytes(dimensions: usize) -> usize {
    dimensions.div_ceil(2)
}

/// Rounds a vector: returns its factor, and appends its codes.
pub fn encode(vector: &[f32], out: &mut Vec<u8>) -> f32 {
    encode_within(vector, [0, LARGEST], STEPS, out)
}

/// Rounds a vector to the four codes in the middle: returns its factor and these codes, and appends them with two bits
/// each.
pub fn encode_coarse(vector: &[f32], out: &mut Vec<u8>) -> (f32, Vec<u8>) {
    let mut codes = Vec::with_capacity(code_bytes(vector.len()));
    let factor = encode_within(vector, COARSE, COARSE_STEPS, &mut codes);
    pack_coarse(&codes, out);
    (factor, codes)
}

/// Returns the bytes that packed coarse codes take.
pub fn coarse_bytes(dimensions: usize) -> usize {
    code_bytes(dimensions).div_ceil(2)
}

/// Packs the coarse codes of one vector: two bytes of them become one, the first in its low half.
fn pack_coarse(codes: &[u8], out: &mut Vec<u8>) {
    let [least, _] = COARSE;
    let half =
        |byte: u8| (byte & 15).saturating_sub(least) & 3 | ((byte >> 4).saturating_sub(least) & 3) << 2;
    let pair = |pair: &[u8]| half(pair[0]) | pair.get(1).map_or(0, |byte| half(*byte) << 4);
    out.extend(codes.chunks(2).map(pair));
}

/// Unpacks the codes of vectors of `dimensions` components, one behind the other.
pub fn unpack_coarse(packed: &[u8], dimensions: usize) -> Vec<u8> {
    let [least, _] = COARSE;
    let whole = |half: u8| (half & 3 | (half & 0b1100) << 2) + (least | least << 4);
    let mut codes = Vec::with_capacity(2 * packed.len());
    for vector in packed.chunks_exact(coarse_bytes(dimensions).max(1)) {
        let end = codes.len() + code_bytes(dimensions);
        codes.extend(vector.iter().flat_map(|byte| [whole(byte & 15), whole(byte >> 4)]));
        codes.truncate(end);
    }
    codes
}

fn encode_within(vector: &[f32], [least, largest]: [u8; 2], steps: [f32; 4], out: &mut Vec<u8>) -> f32 {
    let square: f32 = vector.iter().map(|x| x * x).sum();
    let deviation = (square / vector.len().max(1) as f32).sqrt();
    let code = |x: f32, step: f32| (x / step + MIDDLE).round().clamp(f32::from(least), f32::from(largest));
    // The product with what codes stand for, and the square of that: the larger the cosine, the better the step.
    let tried = |step: f32| {
        let (mut product, mut own) = (0.0, 0.0);
        for &x in vector {
            let value = code(x, step) - MIDDLE;
            product += x * value;
            own += value * value;
        }
        (product, own)
    };
    let mut best = (0.0, 0.0, 0.0);
    if deviation.is_normal() {
        for step in steps.map(|step| step * deviation) {
            let (product, own) = tried(step);
            let cosine = product / own.sqrt();
            if cosine > best.0 {
                best = (cosine, step, product);
            }
        }
    }
    let (_, step, product) = best;
    let half = code_bytes(vector.len());
    let at = |at: usize| match vector.get(at) {
        Some(&x) if product > 0.0 => code(x, step) as u8,
        _ => 0,
    };
    out.extend((0..half).map(|low| at(low) | at(low + half) << 4));
    if product > 0.0 { square / product } else { 0.0 }
}

/// Adds the vector that codes represent to `out`.
pub fn decode(factor: f32, codes: &[u8], out: &mut [f32]) {
    let half = codes.len();
    for (at, x) in out.iter_mut().enumerate() {
        let code = if at < half { codes[at] & 15 } else { codes[at - half] >> 4 };
        *x += factor * (f32::from(code) - MIDDLE);
    }
}

/// A query that was rotated, ready to be compared with codes.
#[derive(Debug)]
pub struct TurnedQuery {
    /// For the low halves of the codes, then for the high ones.
    values: Vec<i16>,
    scale: f32,
    /// The part of a sum of products that stands for no vector, since codes are counted from 0.
    offset: f32,
}

impl TurnedQuery {
    /// Rounds a query that was rotated.
    pub fn new(rotated: &[f32]) -> Self {
        let (mut values, _) = quantize(rotated, QUERY_LIMIT);
        let largest = rotated.iter().fold(0.0f32, |max, x| max.max(x.abs()));
        let scale = if largest.is_normal() { largest / QUERY_LIMIT } else { 0.0 };
        values.resize(2 * code_bytes(rotated.len()), 0);
        let sum: i32 = values.iter().map(|&value| i32::from(value)).sum();
        Self { values, scale, offset: sum as f32 * MIDDLE }
    }

    /// Returns the product of the query and the vector that codes stand for, but for the vector's factor.
    pub fn product(&self, codes: &[u8]) -> f32 {
        let (low, high) = self.values.split_at(self.values.len() / 2);
        let sum = dispatch!(Level::new(), simd => dot_halves(simd, low, high, codes));
        (sum as f32 - self.offset) * self.scale
    }
}

/// Computes the sum of products of two queries with the low and the high halves of bytes.
#[inline(always)]
fn dot_halves<S: Simd>(simd: S, low: &[i16], high: &[i16], codes: &[u8]) -> i32 {
    let step = S::u8s::LEN;
    let mut sums = [S::i32s::splat(simd, 0); 2];
    let (mut lows, mut highs) = (low.chunks_exact(step), high.chunks_exact(step));
    let mut bytes = codes.chunks_exact(step);
    for ((low, high), bytes) in lows.by_ref().zip(highs.by_ref()).zip(bytes.by_ref()) {
        let (first, second) = S::u8s::from_slice(simd, bytes).widen();
        let pieces = [(first, 0..step / 2), (second, step / 2..step)];
        for (piece, range) in pieces {
            let lower: S::i16s = (piece & 15).bitcast();
            let upper: S::i16s = (piece >> 4).bitcast();
            sums[0] += lower.pairwise_dot_product(S::i16s::from_slice(simd, &low[range.clone()]));
            sums[1] += upper.pairwise_dot_product(S::i16s::from_slice(simd, &high[range]));
        }
    }
    let rest = lows.remainder().iter().zip(highs.remainder()).zip(bytes.remainder());
    let rest: i32 = rest
        .map(|((&low, &high), &byte)| {
            i32::from(low) * i32::from(byte & 15) + i32::from(high) * i32::from(byte >> 4)
        })
        .sum();
    (sums[0] + sums[1]).as_slice().iter().sum::<i32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rotation::random;

    fn normal(seed: u64, dimensions: usize) -> Vec<f32> {
        let uniform = |at: u64| (random(seed * 1_000_003 + at) >> 40) as f32 / 16_777_216.0 - 0.5;
        (0..dimensions as u64).map(|at| (0..6).map(|part| uniform(at * 6 + part)).sum()).collect()
    }

    fn product(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn numbers_next_to_codes_keep_eight_bits() {
        for number in [0.0, 1.0, -0.75, 0.123_456, 3.3e-7, 0.999_9] {
            let read = read_number(write_number(number));
            assert!((read - number).abs() <= number.abs() / 256.0, "{number} {read}");
            assert_eq!(write_number(read), write_number(number));
        }
    }

    #[test]
    fn estimates_are_near_and_unbiased() {
        for dimensions in [96, 255, 256] {
            let (mut error, mut bias) = (0.0, 0.0);
            for seed in 0..100 {
                let (vector, query) = (normal(seed, dimensions), normal(seed + 1000, dimensions));
                let mut codes = Vec::new();
                let factor = encode(&vector, &mut codes);
                assert_eq!(codes.len(), code_bytes(dimensions));
                let estimate = TurnedQuery::new(&query).product(&codes) * factor;
                let lengths = (product(&vector, &vector) * product(&query, &query)).sqrt();
                let off = (estimate - product(&vector, &query)) / lengths;
                error += off.abs() / 100.0;
                bias += off / 100.0;
                // Asked for itself, a vector is as long as it is.
                let own = TurnedQuery::new(&vector).product(&codes) * factor;
                assert!((own / product(&vector, &vector) - 1.0).abs() < 0.002, "{own}");
                let mut decoded = vec![0.0; dimensions];
                decode(factor, &codes, &mut decoded);
                assert!((product(&decoded, &query) / lengths - estimate / lengths).abs() < 0.001);
            }
            assert!(error < 0.012 && bias.abs() < 0.003, "{dimensions}: {error} {bias}");
        }
    }

    #[test]
    fn coarse_codes_are_packed_and_nearly_right() {
        for dimensions in [7, 96, 255, 256] {
            let mut cosine = 0.0;
            for seed in 0..50 {
                let vector = normal(seed, dimensions);
                let mut packed = Vec::new();
                let (factor, codes) = encode_coarse(&vector, &mut packed);
                assert_eq!(packed.len(), coarse_bytes(dimensions));
                let mut decoded = vec![0.0; dimensions];
                let unpacked = unpack_coarse(&packed, dimensions);
                decode(factor, &unpacked, &mut decoded);
                let (mut expected, length) = (vec![0.0; dimensions], product(&vector, &vector));
                decode(factor, &codes, &mut expected);
                assert_eq!(decoded, expected, "{dimensions}");
                cosine += (length / product(&decoded, &decoded)).sqrt() / 50.0;
            }
            assert!(cosine > 0.92, "{dimensions}: {cosine}");
        }
    }

    #[test]
    fn sums_are_exact_on_every_machine_whatever_the_length() {
        let low: Vec<i16> = (0..131).map(|at| (at * 1237 % 4095 - 2047) as i16).collect();
        let high: Vec<i16> = (0..131).map(|at| (at * 811 % 4095 - 2047) as i16).collect();
        let codes: Vec<u8> = (0..131u32).map(|at| (at * 89 + 3) as u8).collect();
        for length in 0..codes.len() {
            let (low, high, codes) = (&low[..length], &high[..length], &codes[..length]);
            let each = low.iter().zip(high).zip(codes);
            let expected: i32 = each
                .map(|((l, h), c)| i32::from(*l) * i32::from(c & 15) + i32::from(*h) * i32::from(c >> 4))
                .sum();
            for level in [Level::new(), Level::baseline()] {
                assert_eq!(
                    dispatch!(level, simd => dot_halves(simd, low, high, codes)),
                    expected,
                    "{length}"
                );
            }
        }
    }

    #[test]
    fn nothing_is_near_to_nothing() {
        let mut codes = Vec::new();
        assert!(encode(&[0.0; 7], &mut codes).abs() < f32::EPSILON);
        let query = TurnedQuery::new(&[0.0; 7]);
        assert!(query.product(&codes).abs() < f32::EPSILON);
        assert!(encode(&[], &mut Vec::new()).abs() < f32::EPSILON);
    }
}
