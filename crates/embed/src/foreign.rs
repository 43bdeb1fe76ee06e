//! Spaces of models that are not ibid's: vectors that come from outside, and what must hold of them.

use super::{Embedder, Embedding, Space, Task};
use ibid_platform::{Error, ErrorCode, Result, checksum};

/// As many components as an index stores; more than any embedding service offers.
const MAX_DIMENSIONS: u32 = 4096;
/// The longest name of a model, in bytes.
const MAX_NAME: usize = 200;

impl Space {
    /// Returns the space of a model that is not ibid's, such as that of an embedding service.
    ///
    /// Models whose vectors may be compared have the same name, dimensions and fingerprint. Without a fingerprint,
    /// one is made of the other two, so give a model another name if you change anything else about it.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] when the name is empty or longer than 200 bytes, the fingerprint is, or the dimensions
    /// are not from 1 to 4096.
    pub fn foreign(name: &str, dimensions: u32, fingerprint: Option<&str>) -> Result<Self> {
        let problem = if name.trim().is_empty() || name.len() > MAX_NAME {
            format!("An embedder's `name` has from 1 to {MAX_NAME} bytes.")
        } else if !(1..=MAX_DIMENSIONS).contains(&dimensions) {
            format!(
                "The embedder {name} has {dimensions} dimensions; from 1 to {MAX_DIMENSIONS} are supported."
            )
        } else if fingerprint.is_some_and(|text| text.is_empty() || text.len() > MAX_NAME) {
            format!("The `fingerprint` of the embedder {name} has from 1 to {MAX_NAME} bytes.")
        } else {
            let made = || format!("{:016x}", checksum(&[&dimensions.to_le_bytes(), name.as_bytes()]));
            let fingerprint = fingerprint.map_or_else(made, str::to_owned);
            return Ok(Self { name: name.to_owned(), dimensions, fingerprint });
        };
        Err(Error::new(ErrorCode::InvalidOption, problem))
    }

    /// Returns a vector that came from outside, of any length but zero, as an embedding of this space.
    ///
    /// # Errors
    /// [`ErrorCode::EmbedderFailed`] when it has other dimensions, holds a number that is not finite, or is zero: such a
    /// vector would look like one that nothing is similar to.
    pub fn embedding(&self, mut vector: Vec<f32>) -> Result<Embedding> {
        let problem = if vector.len() != self.dimensions as usize {
            format!("gave a vector of {} components instead of {}", vector.len(), self.dimensions)
        } else if !vector.iter().all(|x| x.is_finite()) {
            "gave a vector with a component that is not a finite number".to_owned()
        } else {
            // Scaled by the largest component first: the squares of finite numbers need not be finite.
            let largest = vector.iter().fold(0.0, |largest: f32, x| largest.max(x.abs()));
            if largest > 0.0 {
                vector.iter_mut().for_each(|x| *x = (f64::from(*x) / f64::from(largest)) as f32);
                return Ok(Embedding::normalized(vector));
            }
            "gave a vector of zeros".to_owned()
        };
        Err(Error::new(ErrorCode::EmbedderFailed, format!("The embedder {} {problem}.", self.name)).with_hint(
            "An embedder returns for each text one vector of its `dimensions`, made of finite numbers that \
             are not all zero.",
        ))
    }

    /// Vectors that lie behind one another, each as [`Space::embedding`] takes it.
    ///
    /// # Errors
    /// As there; also when they are not `count`.
    pub fn embeddings(&self, vectors: &[f32], count: usize) -> Result<Vec<Embedding>> {
        let dimensions = self.dimensions as usize;
        if dimensions.checked_mul(count) != Some(vectors.len()) {
            let message = format!(
                "The embedder {} gave {} numbers for {count} texts of {dimensions} each.",
                self.name,
                vectors.len()
            );
            return Err(Error::new(ErrorCode::EmbedderFailed, message));
        }
        vectors.chunks_exact(dimensions).map(|vector| self.embedding(vector.to_vec())).collect()
    }
}

/// Represents an embedder that runs elsewhere, in a worker, behind a callback, on a server: says which space it is
/// in, and embeds nothing. Searches bring the query's vector.
#[derive(Clone, Debug)]
pub struct Foreign(Space);

impl Foreign {
    /// Makes an embedder of that space.
    pub fn new(space: Space) -> Self {
        Self(space)
    }
}

impl Embedder for Foreign {
    fn space(&self) -> &Space {
        &self.0
    }

    /// Always [`ErrorCode::EmbedderFailed`].
    fn embed(&self, _texts: &[&str], _task: Task) -> Result<Vec<Embedding>> {
        let message = format!("This text needs the model {}, which is not part of ibid.", self.0.name);
        Err(Error::new(ErrorCode::EmbedderFailed, message)
            .with_hint("Give the query's vector with the query, or an embedder that makes it."))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn space() -> Space {
        Space::foreign("acme-embed-2", 3, None).unwrap()
    }

    fn code<T: std::fmt::Debug>(result: Result<T>) -> ErrorCode {
        result.unwrap_err().code()
    }

    #[test]
    fn a_fingerprint_is_given_or_made_of_name_and_dimensions() {
        assert_eq!(space(), space());
        assert_eq!(space().fingerprint.len(), 16);
        assert_ne!(space().fingerprint, Space::foreign("acme-embed-2", 4, None).unwrap().fingerprint);
        assert_ne!(space().fingerprint, Space::foreign("acme-embed-3", 3, None).unwrap().fingerprint);
        assert_eq!(Space::foreign("a", 3, Some("v7")).unwrap().fingerprint, "v7");
    }

    #[test]
    fn impossible_spaces_are_refused() {
        let long = "x".repeat(201);
        for (name, dimensions, fingerprint) in
            [("", 3, None), (" ", 3, None), (&long, 3, None), ("a", 0, None), ("a", 4097, None)]
                .into_iter()
                .chain([("a", 3, Some("")), ("a", 3, Some(long.as_str()))])
        {
            assert_eq!(code(Space::foreign(name, dimensions, fingerprint)), ErrorCode::InvalidOption);
        }
    }

    #[test]
    fn only_vectors_that_mean_something_are_taken() {
        let unit = |vector: [f32; 3]| space().embedding(vector.into()).unwrap();
        assert_eq!(unit([0.0, 3.0, 4.0]).as_slice(), [0.0, 0.6, 0.8]);
        for huge in [f32::MAX, 1e30, 1e-30, f32::MIN_POSITIVE / 1024.0] {
            let made = unit([0.0, huge, -huge]);
            assert!((made.as_slice()[1] - 0.5_f32.sqrt()).abs() < 1e-6, "{made:?}");
        }
        for vector in [
            vec![],
            vec![1.0; 2],
            vec![1.0; 4],
            vec![0.0; 3],
            vec![0.0, f32::NAN, 1.0],
            vec![f32::INFINITY; 3],
        ] {
            assert_eq!(code(space().embedding(vector)), ErrorCode::EmbedderFailed);
        }
        assert_eq!(space().embeddings(&[1.0; 6], 2).unwrap().len(), 2);
        for (count, length) in [(2, 3), (0, 3), (2, 5), (usize::MAX, 6)] {
            assert_eq!(code(space().embeddings(&vec![1.0; length], count)), ErrorCode::EmbedderFailed);
        }
    }

    #[test]
    fn a_stand_in_embeds_nothing() {
        assert_eq!(code(Foreign::new(space()).embed(&["fever"], Task::Query)), ErrorCode::EmbedderFailed);
    }

    proptest! {
        #[test]
        fn whatever_is_taken_has_unit_length(vector in prop::collection::vec(any::<f32>(), 3)) {
            if let Ok(embedding) = space().embedding(vector) {
                prop_assert!((embedding.cosine(&embedding) - 1.0).abs() < 1e-5, "{embedding:?}");
            }
        }
    }
}
