//! `ibid build`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::system::Stopwatch;
use super::{files, model, note};
use crate::chunk::{Characters, Chunk, ChunkOptions, chunk, embedding_texts};
use crate::document::Document;
use crate::embed::{Embedder, Embedding, Task};
use crate::error::{Error, ErrorCode, Result};
use crate::index::IndexBuilder;
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
    let options = ChunkOptions { budget: args.budget, ..ChunkOptions::default() };
    options.validate()?;
    let (parsed, skipped) = parse_all(args, &options)?;
    let embedder = model::document_embedder(&args.model)?;
    let embedding = Stopwatch::start();
    let embeddings = embed_all(&parsed, &options, &embedder)?;
    let embedding = embedding.elapsed();
    let bytes = assemble(&parsed, embeddings, &embedder)?;
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
fn parse_all(args: &Args, options: &ChunkOptions) -> Result<(Vec<Parsed>, usize)> {
    let mut parsed = Vec::new();
    let mut skipped = 0;
    for path in files::documents(&args.paths)? {
        match parse(&path) {
            Ok(document) => {
                document
                    .warnings
                    .iter()
                    .for_each(|warning| note(&format!("warning: {}: {warning}", document.source)));
                parsed.push(Parsed { chunks: chunk(&document, options), document });
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
fn embed_all(parsed: &[Parsed], options: &ChunkOptions, embedder: &dyn Embedder) -> Result<Vec<Embedding>> {
    let texts_of =
        |Parsed { document, chunks }: &Parsed| embedding_texts(document, chunks, options, &Characters);
    let texts: Vec<String> = parsed.iter().flat_map(texts_of).collect();
    let style = ProgressStyle::with_template("embedding {bar:40} {pos}/{len} chunks, {eta} left");
    let bar = ProgressBar::new(texts.len() as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let mut embeddings = Vec::with_capacity(texts.len());
    for batch in texts.chunks(BATCH) {
        let batch: Vec<&str> = batch.iter().map(String::as_str).collect();
        embeddings.extend(embedder.embed(&batch, Task::Document)?);
        bar.inc(batch.len() as u64);
    }
    bar.finish_and_clear();
    Ok(embeddings)
}

fn assemble(parsed: &[Parsed], embeddings: Vec<Embedding>, embedder: &dyn Embedder) -> Result<Vec<u8>> {
    let chunks: Vec<Chunk> = parsed.iter().flat_map(|parsed| parsed.chunks.iter().cloned()).collect();
    let calibration = calibrate(&model::query_table()?, &chunks, &embeddings)?;
    let mut builder = IndexBuilder::new(embedder.space().clone());
    let mut embeddings = embeddings.into_iter();
    for Parsed { document, chunks } in parsed {
        builder.add(document, chunks, embeddings.by_ref().take(chunks.len()).collect())?;
    }
    builder.finish(calibration)
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

fn share(part: Duration, whole: Duration) -> String {
    format!("{:.0} %", 100.0 * part.as_secs_f64() / whole.as_secs_f64().max(f64::EPSILON))
}
