//! Sources, and the numbers that tie an answer to them.
//!
//! Whatever a run retrieves goes into its [`SourceRegister`], where each passage gets a number once and for all. The
//! model sees the passages as [`xml`] and writes `[1]` after what it takes from the first; [`check`] finds those
//! marks in its answer and resolves them, and flags the ones that lead nowhere. Without a model,
//! [`extractive_answer`] quotes the passages themselves. [`tree()`] is either of them in a form that is safe to show.

mod bibliography;
mod check;
mod claim;
pub mod confidence;
mod extract;
mod flag;
mod form;
mod format;
mod given;
mod label;
mod markdown;
mod marker;
mod recheck;
mod reference;
mod sentence;
mod source;
pub mod tree;
pub mod verify;
pub mod xml;

pub use bibliography::{BibliographyFormat, bibliography};
pub use check::{Checked, Citation, check};
pub use claim::{Claim, claims};
pub use confidence::{Confidence, ConfidenceParts, confidence};
pub use extract::{Extract, NOTHING_FOUND, extractive_answer};
pub use flag::{Flag, FlagKind, SourceSpan};
pub use format::{Renumbered, renumber};
pub use given::Given;
pub use markdown::markers;
pub use marker::CitationMark;
pub use recheck::{Recheck, recheck, recheck_in_slices, retrieval};
pub use source::{Source, SourceRegister};
pub use tree::{Node, partial_tree, tree};
pub use verify::{Stricter, strict, verify};
