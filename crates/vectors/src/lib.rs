//! Vectors as codes, and the products of codes and queries: what a search for vectors spends its time on.
//!
//! ```
//! use ibid_embed::Embedding;
//! use ibid_vectors::{QueryCodes, VectorCodes};
//!
//! let (query, passage) = (Embedding::normalized(vec![1.0, 0.0]), Embedding::normalized(vec![3.0, 4.0]));
//! let cosine = VectorCodes::new(&passage).score(&QueryCodes::new(&query));
//! assert!((cosine - 0.6).abs() < 0.005);
//! ```

pub mod codes;
mod rotation;
mod vectors;

pub use rotation::Rotation;
pub use vectors::{MAX_DIMENSIONS, QueryCodes, VectorCodes};
