//! Vectors, their codes, and the layers of a transformer: what searching and embedding spend their time on. Everything
//! here is compiled for speed, in modules whose other code is compiled for size.
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
