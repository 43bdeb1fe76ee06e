//! Ridge regression of table rows on many texts at once, by conjugate gradients.

use rayon::prelude::*;

/// Iterations; after a dozen the held-out figures do not change any more.
const ROUNDS: usize = 15;

/// A sparse matrix by rows: the columns of each with their values.
pub(super) struct Sparse {
    rows: Vec<Vec<(u32, f32)>>,
    columns: usize,
}

impl Sparse {
    /// Takes rows whose columns are all below `columns`.
    pub(super) fn new(rows: Vec<Vec<(u32, f32)>>, columns: usize) -> Self {
        Self { rows, columns }
    }

    /// The matrix on its side.
    fn transposed(&self) -> Self {
        let mut rows = vec![Vec::new(); self.columns];
        for (row, number) in self.rows.iter().zip(0..) {
            for &(column, value) in row {
                rows[column as usize].push((number, value));
            }
        }
        Self { rows, columns: self.rows.len() }
    }

    /// The product with a matrix of `width` columns. Each row is summed up in one order, whatever the number of threads.
    fn times(&self, matrix: &[f32], width: usize) -> Vec<f32> {
        let mut out = vec![0.0; self.rows.len() * width];
        out.par_chunks_mut(width).zip(&self.rows).for_each(|(out, row)| {
            for &(column, value) in row {
                let from = &matrix[column as usize * width..][..width];
                for (out, x) in out.iter_mut().zip(from) {
                    *out += value * x;
                }
            }
        });
        out
    }
}

/// The matrix D (as many rows as `texts` has columns, each of `width` numbers) that makes |texts D - targets|² +
/// `penalty` |D|² least.
///
/// The columns of D are independent of each other, and each has its own step length (Hestenes and Stiefel, "Methods of
/// conjugate gradients for solving linear systems", 1952, on the normal equations).
pub(super) fn solve(texts: &Sparse, targets: &[f32], width: usize, penalty: f32) -> Vec<f32> {
    let across = texts.transposed();
    let mut rest = across.times(targets, width);
    let mut solution = vec![0.0; rest.len()];
    let mut direction = rest.clone();
    let mut size = dot(&rest, &rest, width);
    for _ in 0..ROUNDS {
        let mut image = across.times(&texts.times(&direction, width), width);
        image.iter_mut().zip(&direction).for_each(|(image, x)| *image += penalty * x);
        let step = ratios(&size, &dot(&direction, &image, width));
        add(&mut solution, &direction, &step, 1.0);
        add(&mut rest, &image, &step, -1.0);
        let now = dot(&rest, &rest, width);
        let turn = ratios(&now, &size);
        size = now;
        for (direction, rest) in direction.chunks_exact_mut(width).zip(rest.chunks_exact(width)) {
            for ((direction, rest), turn) in direction.iter_mut().zip(rest).zip(&turn) {
                *direction = rest + turn * *direction;
            }
        }
    }
    solution
}

/// For each column the sum of the products.
fn dot(a: &[f32], b: &[f32], width: usize) -> Vec<f64> {
    let mut sums = vec![0.0; width];
    for (a, b) in a.chunks_exact(width).zip(b.chunks_exact(width)) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += f64::from(a * b);
        }
    }
    sums
}

/// Zero where there is nothing left to divide by.
fn ratios(above: &[f64], below: &[f64]) -> Vec<f32> {
    let ratio = |(&above, &below): (&f64, &f64)| if below > 1e-20 { (above / below) as f32 } else { 0.0 };
    above.iter().zip(below).map(ratio).collect()
}

fn add(sum: &mut [f32], matrix: &[f32], factors: &[f32], sign: f32) {
    let width = factors.len();
    for (sum, row) in sum.chunks_exact_mut(width).zip(matrix.chunks_exact(width)) {
        for ((sum, x), factor) in sum.iter_mut().zip(row).zip(factors) {
            *sum += sign * factor * x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_systems_are_solved() {
        // Two unknowns in two columns; without a penalty the system is met exactly, with one by the closed formula.
        let texts = || Sparse::new(vec![vec![(0, 1.0)], vec![(0, 1.0), (1, 2.0)], vec![]], 2);
        let exact = solve(&texts(), &[3.0, 1.0, 7.0, 1.0, 9.0, 9.0], 2, 0.0);
        for (x, expected) in exact.iter().zip([3.0, 1.0, 2.0, 0.0]) {
            assert!((x - expected).abs() < 1e-4, "{exact:?}");
        }
        // [[2, 2], [2, 4]] + I, right sides [10, 2] and [14, 2].
        let shrunk = solve(&texts(), &[3.0, 1.0, 7.0, 1.0, 9.0, 9.0], 2, 1.0);
        for (x, expected) in shrunk.iter().zip([22.0 / 11.0, 6.0 / 11.0, 22.0 / 11.0, 2.0 / 11.0]) {
            assert!((x - expected).abs() < 1e-4, "{shrunk:?}");
        }
        assert!(solve(&Sparse::new(Vec::new(), 0), &[], 2, 1.0).is_empty());
    }
}
