//! Adaptation: rows of the token table tuned to the texts of one index, which then brings them along.
//!
//! The table was fitted to texts of all kinds. What the words of a field mean next to each other, it can learn from the
//! index's own headings and sentences, for the transformer that embedded the passages can embed these too. The rows are
//! moved by ridge regression, which has one solution: the same texts give the same rows.

mod delta;
#[cfg(not(target_arch = "wasm32"))]
mod ridge;
#[cfg(not(target_arch = "wasm32"))]
mod sample;
#[cfg(not(target_arch = "wasm32"))]
mod tune;

pub use delta::TableDelta;
#[cfg(not(target_arch = "wasm32"))]
pub use sample::samples;
#[cfg(not(target_arch = "wasm32"))]
pub use tune::{Adaptation, MAX_ROWS, adapt};
