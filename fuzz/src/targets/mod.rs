//! One function for each fuzz target: it takes any bytes, and panics when a promise of the crate is broken.

mod archives;
mod audits;
mod chunks;
mod citations;
mod documents;
mod filters;
mod guards;
pub mod index;
mod lexical;
mod replies;

pub use archives::archive;
pub use audits::audit;
pub use chunks::chunk;
pub use citations::cite;
pub use documents::{front_matter, html, jsonl, markdown, notebook, nxml, rst, sidecar, text};
pub use filters::filter;
pub use guards::{pii, question};
pub use index::{crafted, open, pieces};
pub use lexical::lexical;
pub use replies::reply;

/// A fuzz target.
pub struct Target {
    /// Its name, which its binary, its folder of seeds and its dictionary have too.
    pub name: &'static str,
    /// What it does with an input.
    pub run: fn(&[u8]),
    /// Seeds that are made rather than kept as files: binary ones, of which a file would not outlive the next change of
    /// the format.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All targets.
pub const TARGETS: [Target; 21] = [
    Target { name: "markdown", run: markdown, seeds: Vec::new },
    Target { name: "front_matter", run: front_matter, seeds: Vec::new },
    Target { name: "rst", run: rst, seeds: Vec::new },
    Target { name: "notebook", run: notebook, seeds: Vec::new },
    Target { name: "nxml", run: nxml, seeds: Vec::new },
    Target { name: "html", run: html, seeds: Vec::new },
    Target { name: "text", run: text, seeds: Vec::new },
    Target { name: "jsonl", run: jsonl, seeds: Vec::new },
    Target { name: "sidecar", run: sidecar, seeds: Vec::new },
    Target { name: "archive", run: archive, seeds: archives::seeds },
    Target { name: "chunk", run: chunk, seeds: Vec::new },
    Target { name: "filter", run: filter, seeds: Vec::new },
    Target { name: "index_open", run: open, seeds: index::samples },
    Target { name: "index_crafted", run: crafted, seeds: index::recipes },
    Target { name: "index_pieces", run: pieces, seeds: index::recipes },
    Target { name: "lexical", run: lexical, seeds: lexical::seeds },
    Target { name: "reply", run: reply, seeds: replies::seeds },
    Target { name: "cite", run: cite, seeds: Vec::new },
    Target { name: "audit", run: audit, seeds: audits::seeds },
    Target { name: "pii", run: pii, seeds: Vec::new },
    Target { name: "inspect", run: question, seeds: Vec::new },
];
