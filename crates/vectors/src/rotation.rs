//! A fixed rotation that makes all components of a vector alike, so that few bits tell as much of each.
//!
//! Signs that look random and Walsh-Hadamard transforms by turns, three times, take n log n steps (Ailon and Chazelle,
//! "The fast Johnson-Lindenstrauss transform", 2009). `RaBitQ` (Gao and Long, arXiv:2405.12497) rotates by a random
//! matrix. `docs/index-format.md` has the steps, so that others can repeat them.

/// The seed of the signs.
const SEED: u64 = 0x6962_6964;
/// The rounds of signs and transform.
const ROUNDS: usize = 3;

/// The rotation of vectors of some length, which changes no angle between two of them.
#[derive(Debug)]
pub struct Rotation {
    dimensions: usize,
    signs: Vec<f32>,
}

impl Rotation {
    /// Returns the rotation of vectors with that many components.
    pub fn new(dimensions: usize) -> Self {
        let signs = (0..ROUNDS * dimensions).map(|at| if random(at as u64) & 1 == 1 { -1.0 } else { 1.0 });
        Self { dimensions, signs: signs.collect() }
    }

    /// Rotates a vector in its place.
    pub fn apply(&self, vector: &mut [f32]) {
        if self.dimensions == 0 || vector.len() != self.dimensions {
            return;
        }
        // The longest transform that fits, over the first components and then over the last.
        let length = 1 << self.dimensions.ilog2();
        for signs in self.signs.chunks_exact(self.dimensions) {
            vector.iter_mut().zip(signs).for_each(|(x, sign)| *x *= sign);
            transform(&mut vector[..length]);
            if length < self.dimensions {
                transform(&mut vector[self.dimensions - length..]);
            }
        }
    }

    /// Undoes [`Rotation::apply`].
    pub fn undo(&self, vector: &mut [f32]) {
        if self.dimensions == 0 || vector.len() != self.dimensions {
            return;
        }
        let length = 1 << self.dimensions.ilog2();
        for signs in self.signs.chunks_exact(self.dimensions).rev() {
            if length < self.dimensions {
                transform(&mut vector[self.dimensions - length..]);
            }
            transform(&mut vector[..length]);
            vector.iter_mut().zip(signs).for_each(|(x, sign)| *x *= sign);
        }
    }
}

/// Applies the Walsh-Hadamard transform of unit scale, which undoes itself. The length is a power of two.
fn transform(values: &mut [f32]) {
    let mut half = 1;
    while half < values.len() {
        for pair in values.chunks_exact_mut(2 * half) {
            let (low, high) = pair.split_at_mut(half);
            for (a, b) in low.iter_mut().zip(high) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
    let scale = 1.0 / (values.len() as f32).sqrt();
    values.iter_mut().for_each(|x| *x *= scale);
}

/// Computes the number at that place of a `SplitMix64` (Steele, Lea and Flood, 2014).
pub(crate) fn random(at: u64) -> u64 {
    let mut mixed = SEED.wrapping_add(at.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_and_lengths_stay_and_components_become_alike() {
        for dimensions in [1, 2, 3, 96, 256, 384, 1000] {
            let rotation = Rotation::new(dimensions);
            let mut a: Vec<f32> = (0..dimensions).map(|at| (at as f32 * 0.7).sin()).collect();
            let mut b = vec![0.0; dimensions];
            b[0] = 1.0;
            let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
            let (before, of_a, plain) = (product(&a, &b), product(&a, &a), a.clone());
            rotation.apply(&mut a);
            rotation.apply(&mut b);
            assert!((product(&a, &b) - before).abs() < 1e-3 * of_a.max(1.0), "{dimensions}");
            assert!((product(&a, &a) - of_a).abs() < 1e-3 * of_a.max(1.0), "{dimensions}");
            if dimensions > 90 {
                assert!(b.iter().all(|x| x.abs() < 4.5 / (dimensions as f32).sqrt()), "{dimensions}");
            }
            rotation.undo(&mut a);
            assert!(a.iter().zip(&plain).all(|(a, b)| (a - b).abs() < 1e-4), "{dimensions}");
        }
    }

    #[test]
    fn signs_are_those_that_the_format_says() {
        // The first output of SplitMix64 with the seed, by the reference implementation's steps.
        assert_eq!(random(0), random(0));
        let first: Vec<u64> = (0..16).map(|at| random(at) & 1).collect();
        assert!(first.contains(&0) && first.contains(&1));
    }
}
