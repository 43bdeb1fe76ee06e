//! Measures searches and checks, and collects documents, for the `ibid` command alone: `ibid eval`, `ibid verify
//! --evaluate` and `ibid fetch`.

pub mod claims;
pub mod eval;
pub mod fetch;
