//! An answer's Markdown as a tree that is safe to show.
//!
//! What a model writes is data. Shown as HTML it could load an image, and so tell a stranger what was asked, or lead
//! a reader to an address that stood in a document. A tree of known kinds of nodes cannot: it has no raw HTML, no
//! images, and no links but those to the sources of the run. What is none of its kinds becomes text.
//!
//! The dialect is `CommonMark` with GitHub's tables and strikethrough, as `pulldown-cmark` reads it, with a few
//! differences, each of which is worth more in an answer than the letter of the specification:
//!
//! - A citation mark is a citation where [`check`](super::check) says so, and nothing else: `[1]` is no link, even if a
//!   line `[1]: https://…` at the end would make it one. Each citation is in the tree once, also one that stands where
//!   Markdown shows nothing, such as behind the last column of a table.
//! - HTML does not begin a block of its own: what stands between tags is read as Markdown.
//! - A single tilde strikes nothing through: `~5` and `~10` are approximate doses.

mod build;
pub(super) mod link;
mod mark;
mod node;
mod partial;
#[cfg(test)]
mod tests;

use self::build::TreeBuilder;
use self::link::Addresses;
pub use self::node::{Alignment, MAX_DEPTH, Node};
pub use self::partial::partial_tree;
use super::check::Citation;
use super::markdown::Masked;
use super::source::Source;

/// Returns the answer's text as a tree of blocks.
///
/// The citations are those that [`check`](super::check) found in the same text, in its order; marks that are not among
/// them are text. The sources are those whose addresses may be linked to. It takes time in proportion to the text, and
/// [no more depth](MAX_DEPTH) than a reader can follow, whatever the text is.
pub fn tree(text: &str, citations: &[Citation], sources: &[Source]) -> Vec<Node> {
    let masked = Masked::of(text);
    let events = masked.events();
    let marks = mark::cited(&masked.marks(&events), citations);
    TreeBuilder::new(text, marks, Addresses::new(sources)).build(masked.source(), events)
}
