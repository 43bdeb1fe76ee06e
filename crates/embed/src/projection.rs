//! The linear map from the transformer's vectors into the space that is indexed.

use serde::{Deserialize, Serialize};

use super::packed::{self, PackedKind, invalid};
use super::{Embedding, MAX_DIMENSIONS, Space};
use ibid_platform::{Result, checksum};

/// The header of a projection's file.
#[derive(Debug, Serialize, Deserialize)]
struct ProjectionHeader {
    space: Space,
    inputs: usize,
    /// True if a last row is added to every projected vector.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    bias: bool,
}

/// Takes a transformer's vector to one of fewer components, in a [`Space`] that it shares with a query table.
///
/// The columns are orthonormal directions of greatest variance (principal components), so cosines barely change. A bias
/// takes out the mean of vectors that all point in nearly one direction, as those of E5 do. The file's one section is
/// the matrix as f16, a row of `dimensions` numbers for each of the `inputs` components, and behind it the bias, if any.
#[derive(Debug)]
pub struct Projection {
    space: Space,
    inputs: usize,
    matrix: Vec<f32>,
    bias: Vec<f32>,
    fingerprint: Vec<u8>,
}

impl Projection {
    /// Reads a projection's file. Damaged or foreign bytes are [`ibid_platform::ErrorCode::ModelInvalid`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (header, mut sections) = packed::open::<ProjectionHeader>(bytes, PackedKind::Projection)?;
        let dimensions = header.space.checked_dimensions()?;
        if header.inputs == 0 || header.inputs > MAX_DIMENSIONS {
            return Err(invalid(format!("A projection of {} components is not supported.", header.inputs)));
        }
        let numbers = header.inputs * dimensions;
        let range = sections.take(numbers + if header.bias { dimensions } else { 0 }, 2)?;
        sections.finish()?;
        let halves = &bytes[range];
        let mut matrix: Vec<f32> =
            halves.as_chunks().0.iter().map(|&two| packed::half(u16::from_le_bytes(two))).collect();
        if !matrix.iter().all(|x| x.is_finite()) {
            return Err(invalid("A number in the projection is not finite."));
        }
        let bias = matrix.split_off(numbers);
        Ok(Self { space: header.space, inputs: header.inputs, matrix, bias, fingerprint: halves.to_vec() })
    }

    /// Returns the space of the projected vectors.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Returns the number of components of the vectors to be projected.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Computes the [`Space::fingerprint`] for this projection after a transformer with that vocabulary.
    pub(super) fn fingerprint(&self, vocab: &str) -> String {
        format!("{:016x}", checksum(&[vocab.as_bytes(), &self.fingerprint]))
    }

    /// Projects a vector of [`Self::inputs`] components. Zero stays zero.
    pub fn apply(&self, vector: &Embedding) -> Embedding {
        let mut out = vec![0.0; self.space.dimensions as usize];
        if !vector.is_zero() {
            out.iter_mut().zip(&self.bias).for_each(|(out, bias)| *out = *bias);
        }
        for (x, row) in vector.as_slice().iter().zip(self.matrix.chunks_exact(out.len())) {
            for (out, weight) in out.iter_mut().zip(row) {
                *out += x * weight;
            }
        }
        Embedding::normalized(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::tests::survives_any_bytes;

    fn tiny() -> Vec<u8> {
        let space = Space { name: "tiny".into(), dimensions: 2, fingerprint: "0".repeat(16) };
        // Three components to two: the first is dropped, the others change places, one of them halved.
        let matrix = [0_u16, 0, 0, 0x3c00, 0x3800, 0].map(u16::to_le_bytes).concat();
        file(space, &matrix, false)
    }

    fn file(space: Space, matrix: &[u8], bias: bool) -> Vec<u8> {
        let header = ProjectionHeader { space, inputs: 3, bias };
        packed::write(PackedKind::Projection, &header, &[matrix]).unwrap()
    }

    #[test]
    fn projects_and_normalizes() {
        let projection = Projection::from_bytes(&tiny()).unwrap();
        let vector = Embedding::normalized(vec![0.0, 3.0, 8.0]);
        let expected = [0.8, 0.6];
        let projected = projection.apply(&vector);
        assert!(
            projected.as_slice().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6),
            "{projected:?}"
        );
        assert!(projection.apply(&Embedding::normalized(vec![0.0; 3])).is_zero());
    }

    #[test]
    fn a_bias_is_added_to_what_is_not_zero() {
        let matrix = [0_u16, 0, 0, 0x3c00, 0x3800, 0, 0xbc00, 0].map(u16::to_le_bytes).concat();
        let space = Space { name: "tiny".into(), dimensions: 2, fingerprint: "0".repeat(16) };
        let projection = Projection::from_bytes(&file(space, &matrix, true)).unwrap();
        let projected = projection.apply(&Embedding::normalized(vec![0.0, 1.0, 0.0]));
        let half = 0.5_f32.sqrt();
        assert!(
            (projected.as_slice()[0] + half).abs() < 1e-6 && (projected.as_slice()[1] - half).abs() < 1e-6
        );
        assert!(projection.apply(&Embedding::normalized(vec![0.0; 3])).is_zero());
    }

    #[test]
    fn any_bytes_are_answered() {
        survives_any_bytes(&tiny(), 4000, |bytes| Projection::from_bytes(&bytes));
    }
}
