//! Compares vectors by compact codes, and computes the layers of a transformer. Searching and embedding spend their
//! time here, so this crate is compiled for speed, and the others of a module for size.
//!
//! ```
//! use ibid_vectors::{Embedding, QueryCodes, VectorCodes};
//!
//! let (query, passage) = (Embedding::normalized(vec![1.0, 0.0]), Embedding::normalized(vec![3.0, 4.0]));
//! let cosine = VectorCodes::new(&passage).score(&QueryCodes::new(&query));
//! assert!((cosine - 0.6).abs() < 0.005);
//! ```

pub mod codes;
mod embedding;
pub mod network;
mod rotation;
mod vectors;

pub use embedding::Embedding;
pub use rotation::Rotation;
pub use vectors::{MAX_DIMENSIONS, QueryCodes, VectorCodes};
