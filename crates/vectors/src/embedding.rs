//! Vectors as they are made.

/// A vector of unit length, or all zeros for a text without a single known token.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding(Vec<f32>);

impl Embedding {
    /// Scales the vector to unit length. A zero or non-finite vector becomes all zeros.
    pub fn normalized(mut vector: Vec<f32>) -> Self {
        let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        if norm.is_normal() {
            for x in &mut vector {
                *x /= norm;
            }
        } else {
            vector.fill(0.0);
        }
        Self(vector)
    }

    /// Makes an embedding again, bit for bit, from components that [`Embedding::as_slice`] gave.
    pub fn from_components(components: Vec<f32>) -> Self {
        Self(components)
    }

    /// Returns the components.
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }

    /// Returns true if the embedder knew nothing of the text.
    pub fn is_zero(&self) -> bool {
        self.0.iter().all(|&x| x == 0.0)
    }

    /// Returns the cosine of the angle between two embeddings, from -1 to 1.
    pub fn cosine(&self, other: &Self) -> f32 {
        self.0.iter().zip(&other.0).map(|(a, b)| a * b).sum()
    }
}
