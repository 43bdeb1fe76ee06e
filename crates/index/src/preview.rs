//! Two bits a component: what vectors are compared by before their codes have been fetched.
//!
//! Beside a component's sign this has whether it is large, so that it falls into one of four cells, and for each cell of
//! each component the mean of what fell into it. A query keeps its full precision: its score is the sum of its
//! components times those means. The cells are those of the best quantizer of a normal distribution into four levels
//! (Max, "Quantizing for minimum distortion", 1960; Lloyd, 1982). A factor for each vector makes the estimate unbiased,
//! as in `RaBitQ` (Gao and Long, arXiv:2405.12497): the vector, asked for itself, scores 1.

use super::container::{SharedBytes, u32_at, u64_at};
use super::signs::{pack, words_of};
use super::vectors::{QueryCodes, VectorCodes};
use ibid_embed::Embedding;

/// Where the cells of a normal distribution with a deviation of 1 meet, and the means of the two.
const THRESHOLD: f32 = 0.9816;
const MEANS: [f32; 2] = [0.4528, 1.5104];
/// Cells of a component: the sign (1 for positive) in the lowest bit, the magnitude (1 for large) in the next.
const CELLS: usize = 4;
/// What a mean and a factor of 1 are stored as. No component of a vector of unit length is larger than 1, and factors
/// are a little above it.
const MEAN_UNIT: f32 = 32767.0;
const FACTOR_UNIT: f32 = 16384.0;
/// Components that are looked up together, by four bits of signs and four of magnitudes.
const GROUP: usize = 4;

/// The section: the four means of each component (`i16`), the factor of each vector (`u16`), then the bits that say which
/// components are large, laid out as signs are.
pub(super) fn encode(vectors: &[VectorCodes], dimensions: usize) -> Vec<u8> {
    let value = |vector: &VectorCodes, at: usize| f32::from(vector.codes[at] as i8) * vector.scale;
    let mut cells = vec![[(0f64, 0u32); CELLS]; dimensions];
    let mut thresholds = vec![0f32; dimensions];
    for (at, threshold) in thresholds.iter_mut().enumerate() {
        let squares: f64 = vectors.iter().map(|vector| f64::from(value(vector, at)).powi(2)).sum();
        let deviation = (squares / vectors.len().max(1) as f64).sqrt() as f32;
        *threshold = deviation * THRESHOLD;
        for vector in vectors {
            let value = value(vector, at);
            let (sum, count) = &mut cells[at][cell(value, *threshold)];
            *sum += f64::from(value);
            *count += 1;
        }
        for (number, (sum, count)) in cells[at].iter_mut().enumerate() {
            // Nothing fell into it, so nothing is lost by what is expected.
            let sign = if number & 1 == 1 { 1.0 } else { -1.0 };
            let expected = f64::from(deviation * MEANS[number >> 1] * sign);
            *sum = if *count == 0 { expected } else { *sum / f64::from(*count) };
        }
    }
    let means: Vec<[i16; CELLS]> =
        cells.iter().map(|cells| cells.map(|(mean, _)| (mean as f32 * MEAN_UNIT).round() as i16)).collect();
    let mut out: Vec<u8> = means.as_flattened().iter().flat_map(|mean| mean.to_le_bytes()).collect();
    for vector in vectors {
        let mean_of = |at: usize| f32::from(means[at][cell(value(vector, at), thresholds[at])]) / MEAN_UNIT;
        let product: f32 = (0..dimensions).map(|at| value(vector, at) * mean_of(at)).sum();
        // A conversion that does not fit gives the largest number, and one of infinity too.
        let factor = if product > 0.0 { (FACTOR_UNIT / product).round() as u16 } else { 0 };
        out.extend(factor.to_le_bytes());
    }
    for vector in vectors {
        let large = |at: usize| value(vector, at).abs() > thresholds[at];
        out.extend(pack((0..dimensions).map(large)).into_iter().flat_map(u64::to_le_bytes));
    }
    out
}

fn cell(value: f32, threshold: f32) -> usize {
    usize::from(value > 0.0) | usize::from(value.abs() > threshold) << 1
}

/// The two sections, of signs and of magnitudes, as they are read.
#[derive(Debug)]
pub(super) struct Preview {
    dimensions: usize,
    count: usize,
    signs: SharedBytes,
    magnitudes: SharedBytes,
}

impl Preview {
    /// `None` when the sections are not those of `count` vectors.
    pub(super) fn open(
        signs: SharedBytes,
        magnitudes: SharedBytes,
        count: usize,
        dimensions: usize,
    ) -> Option<Self> {
        let bits = count.checked_mul(words_of(dimensions))?.checked_mul(8)?;
        let numbers = dimensions.checked_mul(CELLS)?.checked_add(count)?.checked_mul(2)?;
        if signs.len() != bits || magnitudes.len() != numbers.checked_add(bits)? {
            return None;
        }
        Some(Self { dimensions, count, signs, magnitudes })
    }

    /// The means of all components.
    fn means(&self) -> Vec<f32> {
        let bytes = self.magnitudes.get(..self.dimensions * CELLS * 2).unwrap_or_default();
        bytes.as_chunks().0.iter().map(|mean| f32::from(i16::from_le_bytes(*mean)) / MEAN_UNIT).collect()
    }

    /// The vector that the cells of a chunk stand for, of unit length.
    pub(super) fn embedding(&self, id: usize) -> Embedding {
        let words = words_of(self.dimensions);
        let bits = (self.dimensions * CELLS + self.count) * 2;
        let bit = |bytes: &SharedBytes, start: usize, at: usize| {
            (u64_at(bytes, start + (id * words + at / 64) * 8) >> (at % 64) & 1) as usize
        };
        let means = self.means();
        let cell = |at: usize| bit(&self.signs, 0, at) | bit(&self.magnitudes, bits, at) << 1;
        let components = means.chunks(CELLS).enumerate().map(|(at, means)| means[cell(at)]);
        Embedding::normalized(components.collect())
    }

    /// Makes a query ready to be compared: for each four components, what any of their 256 cells would add.
    pub(super) fn prepare(&self, query: &QueryCodes) -> PreviewQuery<'_> {
        let means = self.means();
        let query: Vec<f32> = query.values().collect();
        let mut table = vec![0f32; words_of(self.dimensions) * 16 * 256];
        let components = query.chunks(GROUP).zip(means.chunks(GROUP * CELLS));
        for (table, (query, means)) in table.as_chunks_mut::<256>().0.iter_mut().zip(components) {
            for (cells, sum) in table.iter_mut().enumerate() {
                let mean =
                    |at: usize| means[at * CELLS + (cells >> at & 1 | (cells >> (at + GROUP) & 1) << 1)];
                *sum = query.iter().enumerate().map(|(at, query)| query * mean(at)).sum();
            }
        }
        PreviewQuery { preview: self, table }
    }
}

/// A query that is compared with many vectors.
pub(super) struct PreviewQuery<'a> {
    preview: &'a Preview,
    table: Vec<f32>,
}

impl PreviewQuery<'_> {
    /// An estimate of the cosine between the query and the vector of that number, from -1 to 1.
    pub(super) fn score(&self, id: usize) -> f32 {
        let Preview { dimensions, count, signs, magnitudes } = self.preview;
        let (factors, words) = (dimensions * CELLS * 2, words_of(*dimensions));
        let factor = u32_at(magnitudes, factors + id * 2) as u16;
        let (mut sum, bits) = (0.0, factors + count * 2);
        let tables = self.table.as_chunks::<256>().0.as_chunks::<16>().0;
        for (word, tables) in tables.iter().enumerate() {
            let at = (id * words + word) * 8;
            let (mut signs, mut large) = (u64_at(signs, at), u64_at(magnitudes, bits + at));
            for table in tables {
                sum += table[(signs & 15 | (large & 15) << 4) as usize];
                (signs, large) = (signs >> 4, large >> 4);
            }
        }
        (sum * f32::from(factor) / FACTOR_UNIT).clamp(-1.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embedding(seed: u64, dimensions: usize) -> Embedding {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / 8_388_608.0 - 1.0
        };
        let component = |_| random() + random() + random() + 0.1;
        Embedding::normalized((0..dimensions).map(component).collect())
    }

    fn preview(embeddings: &[Embedding], dimensions: usize) -> Preview {
        let vectors: Vec<VectorCodes> = embeddings.iter().map(VectorCodes::new).collect();
        let signs = |vector: &VectorCodes| pack(vector.codes.iter().map(|&code| code as i8 > 0));
        let signs: Vec<u8> = vectors.iter().flat_map(signs).flat_map(u64::to_le_bytes).collect();
        let magnitudes = encode(&vectors, dimensions);
        Preview::open(signs.into(), magnitudes.into(), vectors.len(), dimensions).unwrap()
    }

    #[test]
    fn scores_are_near_the_cosines() {
        for dimensions in [256, 70, 3] {
            let embeddings: Vec<Embedding> = (0..200).map(|seed| embedding(seed, dimensions)).collect();
            let preview = preview(&embeddings, dimensions);
            for query in &embeddings[..10] {
                let codes = QueryCodes::new(query);
                let prepared = preview.prepare(&codes);
                let mut error = 0.0;
                for (id, other) in embeddings.iter().enumerate() {
                    error += (prepared.score(id) - query.cosine(other)).abs() / 200.0;
                }
                assert!(error < 0.7 / (dimensions as f32).sqrt(), "{error} of {dimensions}");
            }
            assert!(preview.embedding(7).cosine(&embeddings[7]) > 0.8);
            let own = preview.prepare(&QueryCodes::new(&embeddings[7])).score(7);
            assert!((own - 1.0).abs() < 0.01, "{own}");
        }
    }

    #[test]
    fn nothing_scores_nothing() {
        let zero = Embedding::normalized(vec![0.0; 65]);
        let other = embedding(1, 65);
        let preview = preview(&[zero.clone(), other.clone()], 65);
        let score = |query: &Embedding, id| preview.prepare(&QueryCodes::new(query)).score(id);
        assert_eq!([score(&other, 0).to_bits(), score(&zero, 1).to_bits()], [0, 0]);
        assert!(score(&other, 1) > 0.9);
        let empty = Preview::open(SharedBytes::default(), vec![0; 65 * 8].into(), 0, 65);
        assert!(empty.is_some());
    }

    #[test]
    fn sections_of_other_lengths_are_refused() {
        let open = |signs: usize, magnitudes: Vec<u8>| {
            Preview::open(vec![0; signs].into(), magnitudes.into(), 2, 3).is_some()
        };
        assert!(open(16, vec![0; 24 + 4 + 16]));
        assert!(!open(15, vec![0; 24 + 4 + 16]) && !open(16, vec![0; 24 + 4 + 15]));
        assert!(
            Preview::open(SharedBytes::default(), SharedBytes::default(), usize::MAX, usize::MAX).is_none()
        );
    }
}
