//! Measures of retrieval and verification. Only the `ibid` command uses them.

pub mod eval;
