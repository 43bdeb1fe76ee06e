//! `ibid build`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::system::Stopwatch;
use super::{files, model, note};
use crate::chunk::{Chunk, ChunkOptions, chunk};
use crate::document::Document;
use crate::embed::{Embedder, Task};
use crate::error::{Error, ErrorCode, Result};
use crate::index::{BuildOptions, IndexBuilder};
use crate::retrieve::calibrate;

/// Chunks that are embedded between two moves of the progress bar; enough to keep all cores busy.
const BATCH: usize = 64;

#[derive(clap::Args)]
pub(super) struct Args {
    /// Markdown files, and folders to search for them.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The index file to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The most tokens (of four characters) in a chunk, heading path included.
    #[arg(long, default_value_t = ChunkOptions::default().budget, value_name = "N")]
    budget: usize,
    #[command(flatten)]
    model: model::ModelArg,
}

/// A document with its chunks.
struct Parsed {
    document: Document,
    chunks: Vec<Chunk>,
}

pub(super) fn run(args: &Args) -> Result<()> {
    let clock = Stopwatch::start();
    if args.budget < 16 {
        return Err(Error::new(ErrorCode::InvalidOption, "`--budget` must be at least 16."));
    }
    let (parsed, skipped) = parse_all(args)?;
    let embedder = model::document_embedder(&args.model)?;
    let options = ChunkOptions { budget: args.budget, ..ChunkOptions::default() };
    let mut builder = IndexBuilder::new(embedder.space().clone(), options, BuildOptions::default());
    parsed.iter().try_for_each(|Parsed { document, chunks }| builder.add(document, chunks))?;
    let embedding = Stopwatch::start();
    embed_all(&mut builder, &embedder)?;
    let embedding = embedding.elapsed();
    let draft = builder.assemble()?;
    let calibration = calibrate(&model::query_table()?, &draft)?;
    let bytes = draft.finish(calibration)?;
    files::write(&args.output, &bytes)?;

    let chunks: usize = parsed.iter().map(|parsed| parsed.chunks.len()).sum();
    let elapsed = clock.elapsed();
    note(&format!(
        "{}: {} documents, {chunks} chunks, {} skipped, {} bytes, {} ({} embedding)",
        args.output.display(),
        parsed.len(),
        skipped,
        bytes.len(),
        seconds(elapsed),
        share(embedding, elapsed),
    ));
    Ok(())
}

/// Reads and chunks all documents. One that cannot be read is named and left out, so that a single bad file does
/// not keep a site from being searched; the number of those is returned too.
fn parse_all(args: &Args) -> Result<(Vec<Parsed>, usize)> {
    let options = ChunkOptions { budget: args.budget, ..ChunkOptions::default() };
    let mut parsed = Vec::new();
    let mut skipped = 0;
    for path in files::documents(&args.paths)? {
        match parse(&path) {
            Ok(document) => {
                document
                    .warnings
                    .iter()
                    .for_each(|warning| note(&format!("warning: {}: {warning}", document.source)));
                parsed.push(Parsed { chunks: chunk(&document, &options), document });
            }
            Err(error) => {
                note(&format!("warning: {error}\n  it is left out"));
                skipped += 1;
            }
        }
    }
    if parsed.is_empty() {
        return Err(Error::new(ErrorCode::InvalidDocument, "No document was found.")
            .with_hint("Name markdown files (.md, .markdown), or folders that hold some."));
    }
    Ok((parsed, skipped))
}

fn parse(path: &Path) -> Result<Document> {
    Document::parse(&files::source_name(path), &files::read(path)?)
}

/// Embeds each chunk under its heading path, which tells a model more than anything else about a passage.
fn embed_all(builder: &mut IndexBuilder, embedder: &dyn Embedder) -> Result<()> {
    let style = ProgressStyle::with_template("embedding {bar:40} {pos}/{len} chunks, {eta} left");
    let bar = ProgressBar::new(builder.pending_count() as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    while builder.pending_count() > 0 {
        let embeddings = embedder.embed(&builder.pending(BATCH), Task::Document)?;
        builder.embedded(&embeddings)?;
        bar.inc(embeddings.len() as u64);
    }
    bar.finish_and_clear();
    Ok(())
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

fn share(part: Duration, whole: Duration) -> String {
    format!("{:.0} %", 100.0 * part.as_secs_f64() / whole.as_secs_f64().max(f64::EPSILON))
}
