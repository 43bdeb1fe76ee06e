//! ibid answers questions from a site's own documents, inside the web page, with citations that can be checked.
//!
//! There are two flows, and data moves one way through each:
//!
//! ```text
//! build   files -> document -> chunk -> embed -> index -> one .ibid file
//! ask     question -> guard -> retrieve -> generate -> verify -> answer
//! ```
//!
//! Both in a few lines, without a language model, so that the answer is a quotation:
//!
//! ```
//! use ibid::agent::{AgentOptions, AgentRun, Policy, Step};
//! use ibid::chunk::{ChunkOptions, chunk};
//! use ibid::document::Document;
//! use ibid::embed::{Embedder, Embedding, Space, Task};
//! use ibid::index::{BuildOptions, Calibration, Index, IndexBuilder};
//! use ibid::retrieve::Retriever;
//!
//! /// Counts letters. Use a real model instead, such as `ibid::embed::DocumentEmbedder`.
//! struct Letters(Space);
//!
//! impl Embedder for Letters {
//!     fn space(&self) -> &Space {
//!         &self.0
//!     }
//!     fn embed(&self, texts: &[&str], _: Task) -> ibid::Result<Vec<Embedding>> {
//!         let counts = |text: &str| ('a'..='z').map(|letter| text.matches(letter).count() as f32).collect();
//!         texts.iter().map(|text| self.0.embedding(counts(text))).collect()
//!     }
//! }
//!
//! // Build.
//! let letters = Letters(Space::foreign("letters", 26, None)?);
//! let document = Document::parse("tea.md", b"# Tea\n\nSteep green tea at 80 degrees.\n\n## Storage\n\nKeep it
//! dark.")?; let chunks = chunk(&document, &ChunkOptions::default()); let mut builder =
//! IndexBuilder::new(letters.space().clone(), ChunkOptions::default(), BuildOptions::default());
//! builder.add(&document, &chunks)?; builder.embedded(&letters.embed(&builder.pending(100), Task::Document)?)?; let
//! file: Vec<u8> = builder.assemble()?.finish(Calibration::default())?;
//!
//! // Ask. The run says what to do next, and you do it.
//! let retriever = Retriever::new(Index::open(file)?, Box::new(letters))?;
//! let options = AgentOptions { policy: Policy::Extractive, ..AgentOptions::default() };
//! let mut run = AgentRun::new("How hot is the water for green tea?", options)?;
//! while let Step::Retrieve(searches) = run.next_step() {
//!     for search in searches {
//!         run.retrieved(&search.id, retriever.retrieve(&search.query)?.hits)?;
//!     }
//! }
//! let Step::Done(answer) = run.next_step() else { panic!("an extractive run asks no model") };
//! assert_eq!(answer.text, "Tea\n\nSteep green tea at 80 degrees. [1]");
//! assert_eq!(answer.citations[0].source.hit.line, 3);
//! # Ok::<(), ibid::Error>(())
//! ```
//!
//! To search an index that the command `ibid build` wrote, open its files:
//!
//! ```no_run
//! use ibid::embed::TokenTable;
//! use ibid::index::Index;
//! use ibid::retrieve::{Query, Retriever};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let index = Index::open(std::fs::read("site.ibid")?)?;
//!     let table = TokenTable::from_bytes(std::fs::read("ibid/query-table.bin")?)?; // `ibid build` wrote both
//!     for hit in Retriever::new(index, Box::new(table))?.retrieve(&Query::new("rotating keys"))?.hits {
//!         println!("{}, line {}: {}", hit.source, hit.line, hit.text);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! With [`agent::drive`] and implementations of [`platform`]'s traits, the same run calls a language model.
//!
//! The modules, in the order in which they may use each other: [`platform`], [`text`], [`document`], [`chunk`],
//! [`embed`], [`index`], [`retrieve`], [`cite`], [`guard`], [`llm`], [`agent`]. Every failure is an [`Error`].
//! Nothing here reads a clock, a file, the network or the environment, except for [`platform::nonce`].

pub mod agent;

pub use ibid_document as document;
pub use ibid_document::chunk;
pub use ibid_embed as embed;
pub use ibid_engines as engines;
pub use ibid_index as index;
pub use ibid_llm as llm;
pub use ibid_platform as platform;
pub use ibid_platform::{Error, ErrorCode, Result};
pub use ibid_retrieve as retrieve;
pub use ibid_text as text;
pub use ibid_trust::{cite, guard};
