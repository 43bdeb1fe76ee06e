//! Holding what an answer claims against the passages that it cites.

mod outcome;

pub use outcome::{ClaimCheck, ClaimStatus, Evidence};
