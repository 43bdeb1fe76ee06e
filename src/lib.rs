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
//! use ibid::embed::{Embedder, Task, TokenTable};
//! use ibid::index::{BuildOptions, Calibration, Index, IndexBuilder};
//! use ibid::retrieve::Retriever;
//!
//! // Build. Passages are usually embedded by `embed::DocumentEmbedder`, which needs a transformer's weights.
//! let table = TokenTable::from_bytes(include_bytes!("../models/query-table.bin"))?;
//! let document = Document::parse("tea.md", b"# Tea\n\nSteep green tea at 80 degrees.\n\n## Storage\n\nKeep it dark.")?;
//! let chunks = chunk(&document, &ChunkOptions::default());
//! let mut builder = IndexBuilder::new(table.space().clone(), ChunkOptions::default(), BuildOptions::default());
//! builder.add(&document, &chunks)?;
//! builder.embedded(&table.embed(&builder.pending(100), Task::Query)?)?;
//! let file: Vec<u8> = builder.assemble()?.finish(Calibration::default())?;
//!
//! // Ask. The run says what to do next; whoever drives it does it.
//! let retriever = Retriever::new(Index::open(file)?, Box::new(table))?;
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
//! With [`agent::drive`] and implementations of [`platform`]'s traits, the same run calls a language model.
//!
//! The modules, in the order in which they may use each other: [`platform`], [`text`], [`document`], [`chunk`], [`embed`],
//! [`index`], [`retrieve`], [`cite`], [`guard`], [`llm`], [`agent`]. Everything that fails does so with an [`Error`].
//! Nothing here reads a clock, a file, the network or the environment; the one exception is [`platform::nonce`].

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
