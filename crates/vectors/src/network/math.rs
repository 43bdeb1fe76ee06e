//! The transformer's functions of single numbers and rows, written so that they vectorize and give the same result on
//! every machine: no fused multiply-add, no library functions, sums in a fixed order.

/// See [`exp`]: adding this to a number leaves it, rounded, in the low bits.
const ROUNDER: f32 = 12_582_912.0;

/// e^x for x up to 88, within 2 units in the last place; 0 below -87 is a number near 1e-38.
///
/// Splits off the power of two, then a polynomial on what remains, after the Cephes library's `expf`.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    let x = if x < -87.0 { -87.0 } else { x };
    let rounded = x * std::f32::consts::LOG2_E + ROUNDER;
    let power = f32::from_bits((rounded.to_bits() << 23).wrapping_add(127 << 23));
    let n = rounded - ROUNDER;
    // The logarithm of 2 in two parts, the first of which times n is exact.
    let x = x - n * 0.693_359_4 + n * 2.121_944_4e-4;
    let mut y = 1.987_569_1e-4;
    for coefficient in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
        y = y * x + coefficient;
    }
    (y * x * x + x + 1.0) * power
}

/// Computes the Gaussian error linear unit x * (1 + erf(x / sqrt 2)) / 2 (Hendrycks and Gimpel, 2016), within 5e-6.
///
/// The error function is x times a polynomial in x squared, fitted by least squares at Chebyshev nodes; beyond 4.8 it
/// differs from 1 by less than that.
#[inline(always)]
pub(super) fn gelu(x: f32) -> f32 {
    let near = if x > 4.8 { 4.8 } else { x };
    let near = if near < -4.8 { -4.8 } else { near };
    // The square, mapped to -1 to 1.
    let u = near * near * (2.0 / (4.8 * 4.8)) - 1.0;
    let mut y = 0.002_985_886_3;
    for coefficient in [
        -0.008_536_311,
        0.010_669_523,
        -0.014_650_246,
        0.027_742_563,
        -0.044_494_495,
        0.061_457_906,
        -0.081_111_364,
        0.105_804_585,
        -0.145_960_35,
        0.294_425_64,
    ] {
        y = y * u + coefficient;
    }
    0.5 * x * (1.0 + near * y)
}

/// Turns scores into weights e^(score - largest), and returns one over their sum. The sum is positive because the
/// largest score's weight is 1.
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
#[cfg_attr(target_arch = "wasm32", inline(never))]
pub(super) fn softmax(scores: &mut [f32]) -> f32 {
    let mut largest = f32::NEG_INFINITY;
    for lane in lanes(scores, f32::NEG_INFINITY, |a, b| if b > a { b } else { a }) {
        largest = if lane > largest { lane } else { largest };
    }
    for score in &mut *scores {
        *score = exp(*score - largest);
    }
    1.0 / lanes(scores, 0.0, |a, b| a + b).iter().sum::<f32>()
}

/// Layer normalization (Ba, Kiros and Hinton, 2016) of `row + added`, in place.
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
#[cfg_attr(target_arch = "wasm32", inline(never))]
pub(super) fn add_and_norm(row: &mut [f32], added: &[f32], weight: &[f32], bias: &[f32], epsilon: f32) {
    for (x, added) in row.iter_mut().zip(added) {
        *x += added;
    }
    let mean = lanes(row, 0.0, |a, b| a + b).iter().sum::<f32>() / row.len() as f32;
    let variance = lanes(row, 0.0, |a, b| a + (b - mean) * (b - mean)).iter().sum::<f32>() / row.len() as f32;
    let factor = 1.0 / (variance + epsilon).sqrt();
    for ((x, weight), bias) in row.iter_mut().zip(weight).zip(bias) {
        *x = (*x - mean) * factor * weight + bias;
    }
}

/// Folds a row in sixteen interleaved lanes, the same on every machine whatever the width of its vectors.
#[inline(always)]
fn lanes(row: &[f32], start: f32, fold: impl Fn(f32, f32) -> f32) -> [f32; 16] {
    let mut lanes = [start; 16];
    let (chunks, rest) = row.as_chunks::<16>();
    for chunk in chunks {
        for (lane, &x) in lanes.iter_mut().zip(chunk) {
            *lane = fold(*lane, x);
        }
    }
    for (lane, &x) in lanes.iter_mut().zip(rest) {
        *lane = fold(*lane, x);
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials() {
        for step in 0..1750 {
            let x = step as f32 / 10.0 - 87.0;
            let exact = f64::from(x).exp();
            assert!((f64::from(exp(x)) / exact - 1.0).abs() < 3e-7, "{x}");
        }
        assert!(exp(-1000.0) < 1e-37 && exp(f32::NEG_INFINITY) < 1e-37);
    }

    #[test]
    fn gelu_is_the_exact_one() {
        // Values of x * (1 + erf(x / sqrt 2)) / 2 to seven digits.
        for (x, exact) in [
            (0.0, 0.0),
            (0.5, 0.345_731_2),
            (-0.5, -0.154_268_8),
            (1.0, 0.841_344_7),
            (-1.0, -0.158_655_3),
            (2.5, 2.484_475_8),
            (-3.0, -0.004_049_7),
            (10.0, 10.0),
            (-40.0, 0.0),
        ] {
            assert!((gelu(x) - exact).abs() < 6e-6, "gelu({x}) = {}", gelu(x));
        }
    }

    #[test]
    fn softmax_weights_are_shares() {
        let mut scores: Vec<f32> = (0..37_i16).map(|i| f32::from(i * 7 % 11) - 80.0).collect();
        let exact: Vec<f64> = scores.iter().map(|&score| f64::from(score).exp()).collect();
        let sum: f64 = exact.iter().sum();
        let factor = softmax(&mut scores);
        for (weight, exact) in scores.iter().zip(exact) {
            assert!((f64::from(weight * factor) - exact / sum).abs() < 1e-6);
        }
    }

    #[test]
    fn norm_centres_and_scales() {
        let mut row: Vec<f32> = (0..40_i16).map(|i| f32::from(i * i % 17)).collect();
        let added = vec![1.5; 40];
        add_and_norm(&mut row, &added, &[2.0; 40], &[3.0; 40], 1e-12);
        let mean = row.iter().sum::<f32>() / 40.0;
        let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / 40.0;
        assert!((mean - 3.0).abs() < 1e-5 && (variance - 4.0).abs() < 1e-4, "{mean} {variance}");
    }
}
