//! Documents and their chunks, from the files that a command names.

use std::path::{Path, PathBuf};

use indicatif::{ParallelProgressIterator, ProgressBar, ProgressStyle};
use rayon::prelude::*;
use serde::Serialize;

use super::{files, model, note};
use crate::chunk::{Characters, Chunk, ChunkOptions, ChunkStats, Sizer, SizerKind, chunk_with};
use crate::document::{self, Document, Metadata, SIDECAR_ENDINGS, archive};
use crate::error::{Error, ErrorCode, Result};

/// Where documents come from.
#[derive(clap::Args)]
pub(super) struct SourceArgs {
    /// Documents, folders to search for them, and globs: markdown, HTML, NXML (JATS, BITS), plain text, ready-made chunks
    /// (.jsonl), and .tar.gz archives of these.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// A field of the metadata for all documents, stronger than what they say themselves. May be given several times.
    #[arg(long, value_name = "KEY=VALUE")]
    meta: Vec<String>,
}

impl SourceArgs {
    /// Paths without anything else.
    pub(super) fn of(paths: Vec<PathBuf>) -> Self {
        Self { paths, meta: Vec::new() }
    }
}

/// How documents are chunked.
#[derive(clap::Args)]
pub(super) struct ChunkArgs {
    /// The most tokens in a chunk, heading path included.
    #[arg(long, default_value_t = ChunkOptions::default().budget, value_name = "N")]
    budget: usize,
    /// Sections smaller than this many tokens are merged with tiny neighbours; 0 merges nothing.
    #[arg(long, default_value_t = ChunkOptions::default().min_size, value_name = "N")]
    min_size: usize,
    /// How many sentences of a chunk the next one of the same section repeats.
    #[arg(long, default_value_t = ChunkOptions::default().overlap, value_name = "SENTENCES")]
    overlap: usize,
    /// Leave the heading path out of what is counted and embedded.
    #[arg(long)]
    no_prefix: bool,
    /// What a token is: four characters, or a token of the model that embeds.
    #[arg(long, value_enum, default_value_t = SizerArg::Characters)]
    sizer: SizerArg,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum SizerArg {
    Characters,
    Model,
}

impl ChunkArgs {
    /// The options, when they are in range.
    pub(super) fn options(&self) -> Result<ChunkOptions> {
        let options = ChunkOptions {
            budget: self.budget,
            min_size: self.min_size,
            overlap: self.overlap,
            prefix: !self.no_prefix,
            sizer: match self.sizer {
                SizerArg::Characters => SizerKind::Characters,
                SizerArg::Model => SizerKind::Model,
            },
        };
        options.validate()?;
        Ok(options)
    }
}

/// A document with its chunks.
pub(super) struct Parsed {
    pub(super) document: Document,
    pub(super) chunks: Vec<Chunk>,
}

/// A file, or a document in one, that was left out.
#[derive(Serialize)]
pub(super) struct LeftOut {
    pub(super) source: String,
    pub(super) reason: String,
}

/// What was found.
pub(super) struct Collected {
    /// The documents, in the order of their files' names.
    pub(super) parsed: Vec<Parsed>,
    /// What was left out, and why.
    pub(super) skipped: Vec<LeftOut>,
    /// The sizes of all chunks.
    pub(super) stats: ChunkStats,
}

impl Collected {
    pub(super) fn chunk_count(&self) -> usize {
        self.parsed.iter().map(|parsed| parsed.chunks.len()).sum()
    }
}

/// Reads and chunks everything on all cores. A document that cannot be read is left out and named, so that a single bad
/// file does not keep a site from being searched.
pub(super) fn collect(sources: &SourceArgs, options: &ChunkOptions) -> Result<Collected> {
    let meta = sources.meta.iter().map(|field| split_field(field)).collect::<Result<Vec<_>>>()?;
    let found = files::find(&sources.paths, &files::DOCUMENT_ENDINGS)?;
    let table = (options.sizer == SizerKind::Model).then(model::query_table).transpose()?;
    let sizer: &(dyn Sizer + Sync) = match &table {
        Some(table) => table.wordpiece(),
        None => &Characters,
    };
    let style = ProgressStyle::with_template("reading {bar:40} {pos}/{len} files, {eta} left");
    let bar = ProgressBar::new(found.documents.len() as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let chunked = |document: Document| {
        let chunks = chunk_with(&document, options, sizer);
        let tokens: Vec<usize> = chunks.iter().map(|chunk| sizer.size(&chunk.embedding_text())).collect();
        (Parsed { document, chunks }, tokens)
    };
    let read: Vec<_> = found
        .documents
        .par_iter()
        .progress_with(bar.clone())
        .map(|path| {
            let (documents, problems) = read(path, &meta);
            (documents.into_iter().map(chunked).collect::<Vec<_>>(), problems)
        })
        .collect();
    bar.finish_and_clear();

    let mut skipped: Vec<LeftOut> = found
        .skipped
        .into_iter()
        .map(|skipped| {
            let source = files::source_name(&skipped.path);
            LeftOut { reason: format!("`{source}` cannot be read: {}", skipped.reason), source }
        })
        .collect();
    let (mut parsed, mut tokens) = (Vec::new(), Vec::new());
    for (documents, problems) in read {
        skipped.extend(problems);
        for (document, chunk_tokens) in documents {
            parsed.push(document);
            tokens.extend(chunk_tokens);
        }
    }
    report(&parsed, &skipped);
    if parsed.is_empty() {
        return Err(Error::new(ErrorCode::InvalidDocument, "No document was found.").with_hint(
            "Name documents (.md, .html, .nxml, .txt, .jsonl, .tar.gz), or folders that hold some.",
        ));
    }
    Ok(Collected { parsed, skipped, stats: ChunkStats::of(&tokens, options.budget) })
}

/// Names on stderr what is not as it should be.
fn report(parsed: &[Parsed], skipped: &[LeftOut]) {
    for Parsed { document, .. } in parsed {
        let source = &document.source;
        document.warnings.iter().for_each(|warning| note(&format!("warning: {source}: {warning}")));
    }
    for LeftOut { reason, .. } in skipped {
        // What is left out on purpose says so itself.
        let rest = if reason.contains("is left out") { "" } else { "\n  it is left out" };
        note(&format!("warning: {reason}{rest}"));
    }
}

fn split_field(field: &str) -> Result<(&str, &str)> {
    let wrong = |why: &str| {
        Error::new(ErrorCode::InvalidOption, format!("`--meta {field}` {why}"))
            .with_hint("Write for instance `--meta language=en`.")
    };
    let (name, value) = field.split_once('=').ok_or_else(|| wrong("is not of the form KEY=VALUE."))?;
    // Tried once beforehand: what fails here would fail for every document.
    Metadata::default()
        .set(name, value)
        .map_err(|error| wrong(&format!("cannot be used: {}", error.message())))?;
    Ok((name, value))
}

/// The documents of a file with all their metadata, and what of it was left out.
fn read(path: &Path, meta: &[(&str, &str)]) -> (Vec<Document>, Vec<LeftOut>) {
    let source = files::source_name(path);
    let left_out =
        |source: &str, error: &Error| LeftOut { source: source.to_owned(), reason: error.to_string() };
    let documents = files::read(path).and_then(|bytes| {
        if !archive::is_archive_name(&source) {
            return Ok((document::parse(&source, &bytes)?, Vec::new()));
        }
        let archive = archive::parse(&source, &bytes)?;
        archive.warnings.iter().for_each(|warning| note(&format!("warning: {warning}")));
        Ok((archive.documents, archive.left_out))
    });
    let (mut documents, problems) = match documents {
        Ok((documents, problems)) => (documents, problems),
        Err(error) => return (Vec::new(), vec![left_out(&source, &error)]),
    };
    let mut problems: Vec<LeftOut> = problems.iter().map(|error| left_out(&source, error)).collect();
    let sidecar = match sidecar(path) {
        Ok(sidecar) => sidecar,
        Err(error) => return (Vec::new(), vec![left_out(&source, &error)]),
    };
    documents.retain_mut(|document| {
        let from_sidecar =
            sidecar.as_ref().map_or(Ok(()), |(name, bytes)| document.apply_sidecar(name, bytes));
        let applied = from_sidecar
            .and_then(|()| meta.iter().try_for_each(|(name, value)| document.set_metadata(name, value)));
        applied.map_err(|error| problems.push(left_out(&source, &error))).is_ok()
    });
    (documents, problems)
}

/// The file with metadata beside a document, if there is one.
fn sidecar(path: &Path) -> Result<Option<(String, Vec<u8>)>> {
    for ending in SIDECAR_ENDINGS {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        let beside = PathBuf::from(name);
        if beside.is_file() {
            return Ok(Some((files::source_name(&beside), files::read(&beside)?)));
        }
    }
    Ok(None)
}
