//! Vectors as 8-bit codes: a quarter of the bytes of `f32`, and a ranking that is the same to the third decimal.
//!
//! A vector becomes one signed byte a component, scaled so that its largest component is 127. What is stored besides
//! it is one over the length of those codes, so that the score of two vectors is exactly the cosine of their codes.

#![allow(
    clippy::inline_always,
    reason = "a function not inlined into the dispatch is compiled without its instructions"
)]

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

use crate::Embedding;

/// The most components a vector may have; with it the sums of a product stay below 4,096 x 127 x 2,047, half of what 32
/// bits hold.
pub const MAX_DIMENSIONS: usize = 4096;
/// The largest code of a document's vector.
const DOCUMENT_LIMIT: f32 = 127.0;
/// The largest code of a query's vector.
const QUERY_LIMIT: f32 = 2047.0;

/// A query, quantized to 12 bits: finer than the documents at no cost, since products are summed in 32 bits.
#[derive(Clone)]
pub struct QueryCodes {
    codes: Vec<i16>,
    scale: f32,
}

/// A document's vector as it is stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VectorCodes {
    /// One over the length of the codes as a vector; 0 for a zero vector.
    pub scale: f32,
    /// A signed byte for each component; the largest is 127 in size.
    pub codes: Box<[u8]>,
}

impl VectorCodes {
    /// Rounds a vector.
    pub fn new(embedding: &Embedding) -> Self {
        let (codes, scale) = quantize(embedding.as_slice(), DOCUMENT_LIMIT);
        Self { scale, codes: codes.iter().map(|&code| code as i8 as u8).collect() }
    }

    /// Returns the vector that these codes stand for.
    pub fn embedding(&self) -> Embedding {
        Embedding::normalized(self.codes.iter().map(|&code| f32::from(code as i8)).collect())
    }

    /// Returns the components of the unit vector that these codes stand for.
    pub fn components(&self) -> impl Iterator<Item = f32> {
        self.codes.iter().map(|&code| f32::from(code as i8) * self.scale)
    }

    /// Returns the cosine between two vectors of equal dimensions.
    pub fn cosine(&self, other: &Self) -> f32 {
        let products = dispatch!(Level::new(), simd => dot_codes(simd, &self.codes, &other.codes));
        products as f32 * self.scale * other.scale
    }

    /// Returns the cosines between this vector and others of its dimensions: for many, in half the time that one by
    /// one takes.
    pub fn cosines<'a>(&self, others: impl ExactSizeIterator<Item = &'a Self>) -> Vec<f32> {
        let mut cosines = Vec::with_capacity(others.len());
        dispatch!(Level::new(), simd => for other in others {
            cosines.push(dot_codes(simd, &self.codes, &other.codes) as f32 * self.scale * other.scale);
        });
        cosines
    }

    /// Returns the cosine between the query and this vector.
    pub fn score(&self, query: &QueryCodes) -> f32 {
        query.score(&self.codes, self.scale)
    }
}

impl QueryCodes {
    /// Rounds a query.
    pub fn new(query: &Embedding) -> Self {
        let (codes, scale) = quantize(query.as_slice(), QUERY_LIMIT);
        Self { codes, scale }
    }

    /// Returns the cosine between the query and a vector, by its codes and their scale.
    #[inline]
    pub fn score(&self, codes: &[u8], scale: f32) -> f32 {
        dot(&self.codes, codes) as f32 * self.scale * scale
    }

    /// Returns true if all components are zero.
    pub fn is_zero(&self) -> bool {
        self.scale == 0.0
    }
}

/// Codes from `-limit` to `limit`, and one over the length of the codes (0 for a zero vector).
pub(crate) fn quantize(vector: &[f32], limit: f32) -> (Vec<i16>, f32) {
    let largest = vector.iter().fold(0.0f32, |max, x| max.max(x.abs()));
    if !largest.is_normal() {
        return (vec![0; vector.len()], 0.0);
    }
    let codes: Vec<i16> = vector.iter().map(|x| (x / largest * limit).round() as i16).collect();
    let square: f64 = codes.iter().map(|&code| f64::from(code) * f64::from(code)).sum();
    (codes, (1.0 / square.sqrt()) as f32)
}

/// Computes the sum of products.
#[inline]
fn dot(query: &[i16], code: &[u8]) -> i32 {
    dispatch!(Level::new(), simd => dot_query(simd, query, code))
}

/// Widens codes to 16 bits and multiplies and adds in pairs, which is one instruction everywhere (`i32x4.dot_i16x8_s`,
/// `pmaddwd`). Of a plain loop the compiler makes 32-bit products for wasm, which take twice as long: 49 ns instead of
/// 23 for 384 components.
#[inline(always)]
fn dot_query<S: Simd>(simd: S, query: &[i16], code: &[u8]) -> i32 {
    let step = S::u8s::LEN;
    let mut sums = [S::i32s::splat(simd, 0); 2];
    let (mut queries, mut codes) = (query.chunks_exact(step), code.chunks_exact(step));
    for (query, code) in queries.by_ref().zip(codes.by_ref()) {
        let [low, high] = widened(simd, code);
        let (query_low, query_high) = query.split_at(step / 2);
        sums[0] += low.pairwise_dot_product(S::i16s::from_slice(simd, query_low));
        sums[1] += high.pairwise_dot_product(S::i16s::from_slice(simd, query_high));
    }
    let rest = queries.remainder().iter().zip(codes.remainder());
    let rest: i32 = rest.map(|(&a, &b)| i32::from(a) * i32::from(b as i8)).sum();
    (sums[0] + sums[1]).as_slice().iter().sum::<i32>() + rest
}

/// The same for two stored vectors.
#[inline(always)]
fn dot_codes<S: Simd>(simd: S, a: &[u8], b: &[u8]) -> i32 {
    let step = S::u8s::LEN;
    let mut sums = [S::i32s::splat(simd, 0); 2];
    let (mut ones, mut others) = (a.chunks_exact(step), b.chunks_exact(step));
    for (one, other) in ones.by_ref().zip(others.by_ref()) {
        let ([low, high], [other_low, other_high]) = (widened(simd, one), widened(simd, other));
        sums[0] += low.pairwise_dot_product(other_low);
        sums[1] += high.pairwise_dot_product(other_high);
    }
    let rest = ones.remainder().iter().zip(others.remainder());
    let rest: i32 = rest.map(|(&a, &b)| i32::from(a as i8) * i32::from(b as i8)).sum();
    (sums[0] + sums[1]).as_slice().iter().sum::<i32>() + rest
}

#[inline(always)]
fn widened<S: Simd>(simd: S, code: &[u8]) -> [S::i16s; 2] {
    let codes: S::i8s = S::u8s::from_slice(simd, code).bitcast();
    let (low, high) = codes.widen();
    [low, high]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embedding(seed: u32, dimensions: usize) -> Embedding {
        let mut state = seed.wrapping_mul(0x9E37_79B9) | 1;
        let vector = (0..dimensions).map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        });
        Embedding::normalized(vector.collect())
    }

    #[test]
    fn scores_are_the_cosine_to_the_second_decimal() {
        let documents: Vec<Embedding> = (0..50).map(|seed| embedding(seed, 256)).collect();
        for seed in 0..50 {
            let query = embedding(seed, 256);
            for document in &documents {
                let score = VectorCodes::new(document).score(&QueryCodes::new(&query));
                assert!((score - query.cosine(document)).abs() < 0.004, "{score}");
            }
        }
    }

    #[test]
    fn sums_are_exact_on_every_machine_whatever_the_length() {
        let query: Vec<i16> = (0..131).map(|at| (at * 1237 % 4095 - 2047) as i16).collect();
        let (a, b): (Vec<u8>, Vec<u8>) =
            (0..131u32).map(|at| ((at * 89) as u8, (at * 151 + 7) as u8)).unzip();
        for length in 0..query.len() {
            let (query, a, b) = (&query[..length], &a[..length], &b[..length]);
            let signed = |code: &u8| i32::from(*code as i8);
            let expected: i32 = query.iter().zip(a).map(|(x, y)| i32::from(*x) * signed(y)).sum();
            let between: i32 = a.iter().zip(b).map(|(x, y)| signed(x) * signed(y)).sum();
            for level in [Level::new(), Level::baseline()] {
                assert_eq!(dispatch!(level, simd => dot_query(simd, query, a)), expected, "{length}");
                assert_eq!(dispatch!(level, simd => dot_codes(simd, a, b)), between, "{length}");
            }
        }
    }

    #[test]
    fn many_cosines_are_those_of_each() {
        let vectors: Vec<VectorCodes> = (0..9).map(|seed| VectorCodes::new(&embedding(seed, 70))).collect();
        let each: Vec<f32> = vectors.iter().map(|other| vectors[3].cosine(other)).collect();
        assert_eq!(vectors[3].cosines(vectors.iter()), each);
    }

    #[test]
    fn a_zero_vector_scores_zero() {
        let zero = VectorCodes::new(&Embedding::normalized(vec![0.0; 8]));
        assert!(zero.score(&QueryCodes::new(&embedding(1, 8))).abs() < f32::EPSILON);
    }

    #[test]
    fn the_widest_vectors_do_not_overflow() {
        let wide = Embedding::normalized(vec![1.0; MAX_DIMENSIONS]);
        assert!((VectorCodes::new(&wide).score(&QueryCodes::new(&wide)) - 1.0).abs() < 0.001);
    }
}
