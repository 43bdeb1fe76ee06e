//! Documents and their chunks, from the files that a command names.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use rayon::prelude::*;
use serde::Serialize;

use crate::files::vectors::ChunkText;
use crate::files::{DocumentFile, FoundSite};
use crate::{Family, Progress, files, named, note};
use ibid_document::chunk::{Characters, Chunk, ChunkOptions, ChunkStats, Sizer, SizerKind, chunk_with};
use ibid_document::{
    Document, Generator, Metadata, SIDECAR_ENDINGS, Told, archive, leave_out_shared, name_languages, settle,
    shared_line,
};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_text::{Languages, languages};

/// The place where documents come from.
#[derive(clap::Args)]
pub struct SourceArgs {
    /// Documents, folders to search for them, and globs: markdown, MDX, reStructuredText, notebooks, HTML, NXML (JATS,
    /// BITS), plain text, ready-made chunks (.jsonl), and archives of these. A document goes by its path from the folder
    /// that is named.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// A field of the metadata for all documents, stronger than what they say themselves. May be given several times.
    #[arg(long, value_name = "KEY=VALUE")]
    meta: Vec<String>,
    /// Print every warning, not one line for each kind.
    #[arg(long)]
    verbose: bool,
    /// The program that makes pages of the documents, for links to these and their headings; `none` for no links
    /// [default: the one whose configuration stands next to the documents].
    #[arg(long, value_name = "GENERATOR", value_parser = site_names())]
    site: Option<String>,
    /// The address that the site's pages are below, as `/docs/` or `https://example.org/` [default: what the site's
    /// configuration says, else `/`].
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// End with an error, before anything is embedded, where a warning is told or a file is left out.
    #[arg(long)]
    strict: bool,
}

impl SourceArgs {
    /// Returns true if no links to pages are wanted.
    pub fn wants_no_links(&self) -> bool {
        self.site.as_deref() == Some("none")
    }

    /// Paths without anything else.
    pub fn of(paths: Vec<PathBuf>) -> Self {
        Self { paths, meta: Vec::new(), verbose: false, site: None, base_url: None, strict: false }
    }
}

fn site_names() -> PossibleValuesParser {
    Generator::ALL.iter().map(|(name, _)| *name).chain(["none"]).into()
}

/// The site that documents belong to, as far as options and files tell.
fn site_of(sources: &SourceArgs) -> Option<FoundSite> {
    let name = sources.site.as_deref();
    let generator = name.and_then(Generator::from_name);
    if sources.wants_no_links() {
        return None;
    }
    FoundSite::find(&sources.paths, generator, sources.base_url.as_deref())
}

/// The way documents are chunked.
#[derive(clap::Args)]
pub struct ChunkArgs {
    /// The most tokens in a chunk, heading path included.
    #[arg(long, default_value_t = ChunkOptions::default().budget, value_name = "N")]
    budget: usize,
    /// Sections smaller than this many tokens are merged with tiny neighbours; 0 merges nothing.
    #[arg(long, default_value_t = ChunkOptions::default().min_size, value_name = "N")]
    min_size: usize,
    /// The number of sentences of a chunk the next one of the same section repeats.
    #[arg(long, default_value_t = ChunkOptions::default().overlap, value_name = "SENTENCES")]
    overlap: usize,
    /// Leave the heading path out of what is counted and embedded.
    #[arg(long)]
    no_prefix: bool,
    /// The unit of sizes: four characters, or a token of the model that embeds.
    #[arg(long, default_value = "characters", value_parser = named::<SizerKind>(["characters", "model"]))]
    sizer: SizerKind,
}

impl ChunkArgs {
    /// The options, when they are in range.
    pub fn options(&self) -> Result<ChunkOptions> {
        let options = ChunkOptions {
            budget: self.budget,
            min_size: self.min_size,
            overlap: self.overlap,
            prefix: !self.no_prefix,
            sizer: self.sizer,
        };
        options.validate()?;
        Ok(options)
    }
}

/// A document with its chunks.
pub struct Parsed {
    /// The document.
    pub document: Document,
    /// Its chunks, in its order.
    pub chunks: Vec<Chunk>,
}

/// A file, or a document in one, that was left out.
#[derive(Serialize)]
pub struct LeftOut {
    source: String,
    reason: String,
    #[serde(skip)]
    code: ErrorCode,
    #[serde(skip)]
    told: Told,
}

impl LeftOut {
    fn new(source: &str, error: &Error) -> Self {
        let (source, told) = (source.to_owned(), Told::left_out(source, error));
        Self { source, reason: error.to_string(), code: error.code(), told }
    }
}

/// The findings.
pub struct Collected {
    /// The documents, in the order of their files' names.
    pub parsed: Vec<Parsed>,
    /// The things that were left out, and why.
    pub skipped: Vec<LeftOut>,
    /// The kinds of files that the folders hold and that are no documents, in words.
    pub not_read: Option<String>,
    /// The sizes of all chunks.
    pub stats: ChunkStats,
}

impl Collected {
    /// The languages of the chunks; `None` where no text tells its own.
    pub fn languages(&self) -> Option<Languages> {
        let chunks = self.parsed.iter().flat_map(|parsed| &parsed.chunks);
        languages(self.chunk_count(), chunks.map(|chunk| &*chunk.text))
    }

    /// Returns the texts that are embedded for the chunks: each once, in their order.
    pub fn texts(&self) -> Vec<ChunkText> {
        let mut known = HashSet::new();
        let chunks = self.parsed.iter().flat_map(|parsed| &parsed.chunks);
        let texts = chunks.map(|chunk| ChunkText { id: chunk.id(), text: chunk.embedding_text() });
        texts.filter(|text| known.insert(text.hash())).collect()
    }

    /// Returns true if no document has an address that its hits could lead to.
    pub fn is_unlinked(&self) -> bool {
        self.parsed.iter().all(|parsed| parsed.document.metadata.url.is_none())
    }

    /// The number of chunks of all documents.
    pub fn chunk_count(&self) -> usize {
        self.parsed.iter().map(|parsed| parsed.chunks.len()).sum()
    }
}

/// Reads and chunks everything on all cores, settles what the documents disagree on, and tells on stderr what is not as
/// it should be. A document that cannot be read is left out and named, so that a single bad file does not keep a site
/// from being searched.
pub fn collect(sources: &SourceArgs, options: &ChunkOptions) -> Result<Collected> {
    let meta = sources.meta.iter().map(|field| split_field(field)).collect::<Result<Vec<_>>>()?;
    let found = files::find(&sources.paths, &files::DOCUMENT_ENDINGS)?;
    let site = site_of(sources);
    site.iter().filter_map(FoundSite::line).for_each(|line| note(&line));
    let table = (options.sizer == SizerKind::Model).then(|| Family::MiniLm.table()).transpose()?;
    let sizer: &(dyn Sizer + Sync) = match &table {
        Some(table) => table.tokenizer(),
        None => &Characters,
    };
    let bar = Progress::new("reading", found.documents.len(), "files");
    let chunked = |document: Document| {
        let chunks = chunk_with(&document, options, sizer);
        let tokens: Vec<usize> = chunks.iter().map(|chunk| sizer.size(&chunk.embedding_text())).collect();
        (Parsed { document, chunks }, tokens)
    };
    let read: Vec<_> = found
        .documents
        .par_iter()
        .map(|file| {
            let (mut documents, mut problems, warnings) = read(file, &meta);
            documents.retain_mut(|document| {
                let placed = site.as_ref().map_or(Ok(()), |site| site.place(document, &file.path));
                placed.map_err(|error| problems.push(LeftOut::new(&file.name, &error))).is_ok()
            });
            bar.advance(1);
            (documents, problems, warnings)
        })
        .collect();
    drop(bar);

    let mut skipped: Vec<LeftOut> = found
        .skipped
        .into_iter()
        .map(|skipped| {
            let source = files::source_name(&skipped.path);
            let message = format!("`{source}` cannot be read: {}.", skipped.reason);
            LeftOut::new(&source, &Error::new(ErrorCode::Io, message))
        })
        .collect();
    let (mut documents, mut told) = (Vec::new(), Vec::new());
    let mut known = HashSet::new();
    for (of_file, problems, warnings) in read {
        skipped.extend(problems);
        told.extend(warnings);
        for document in of_file {
            let Document { source, metadata, warnings, .. } = &document;
            if known.insert((source.clone(), metadata.document_id.clone())) {
                told.extend(warnings.iter().map(|warning| Told::warning(source, warning)));
                documents.push(document);
            } else {
                let message = format!("`{source}` is left out: another file holds the same document.");
                skipped.push(LeftOut::new(source, &Error::new(ErrorCode::DocumentSkipped, message)));
            }
        }
    }
    let shared = leave_out_shared(&mut documents.iter_mut().collect::<Vec<_>>());
    name_languages(&mut documents.iter_mut().collect::<Vec<_>>());
    told.extend(settle(&mut documents.iter_mut().map(entry).collect::<Vec<_>>()));
    report(&told, &skipped, sources.verbose);
    found.not_read.iter().for_each(|line| note(line));
    shared_line(&shared).iter().for_each(|line| note(line));
    if documents.is_empty() {
        return Err(Error::new(ErrorCode::InvalidDocument, "No document was found.").with_hint(
            "Name documents (.md, .rst, .ipynb, .html, .nxml, .txt, .jsonl, .zip), or folders that hold some.",
        ));
    }
    // What is left out on purpose is no fault of the documents.
    let is_fault = |left_out: &&LeftOut| left_out.code != ErrorCode::DocumentSkipped;
    let count = told.len() + skipped.iter().filter(is_fault).count();
    if sources.strict && count > 0 {
        let message = format!("Nothing is built with `--strict` where there are warnings: {count} of them.");
        return Err(Error::new(ErrorCode::InvalidDocument, message)
            .with_hint("Correct what they name, or build without `--strict`."));
    }
    let (parsed, tokens): (Vec<Parsed>, Vec<Vec<usize>>) = documents.into_par_iter().map(chunked).unzip();
    let stats = ChunkStats::of(&tokens.concat(), options.budget);
    Ok(Collected { parsed, skipped, not_read: found.not_read, stats })
}

/// A document's name and metadata, which are settled among documents.
fn entry(document: &mut Document) -> (&str, &mut Metadata) {
    (&document.source, &mut document.metadata)
}

/// Names on stderr what is not as it should be: one line for each kind, or everything.
fn report(told: &[Told], skipped: &[LeftOut], is_verbose: bool) {
    if is_verbose {
        told.iter().for_each(|Told { source, message, .. }| note(&format!("warning: {source}: {message}")));
        skipped.iter().for_each(|LeftOut { reason, .. }| note(&format!("warning: {reason}")));
    } else {
        let skipped = skipped.iter().map(|skipped| skipped.told.clone());
        let told: Vec<Told> = told.iter().cloned().chain(skipped).collect();
        ibid_document::lines(&told).iter().for_each(|line| note(&format!("warning: {line}")));
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

/// The documents of a file with all their metadata, what of it was left out, and warnings about the whole of it.
fn read(file: &DocumentFile, meta: &[(&str, &str)]) -> (Vec<Document>, Vec<LeftOut>, Vec<Told>) {
    let DocumentFile { name, path } = file;
    let documents = files::read(path).and_then(|bytes| {
        if !archive::is_archive_name(name) {
            return Ok((ibid_document::parse(name, &bytes)?, Vec::new(), Vec::new()));
        }
        let archive = archive::parse(name, &bytes)?;
        Ok((archive.documents, archive.left_out, archive.warnings))
    });
    let read = documents.and_then(|documents| Ok((documents, sidecar(file)?)));
    let ((mut documents, problems, warnings), sidecar) = match read {
        Ok(read) => read,
        Err(error) => return (Vec::new(), vec![LeftOut::new(name, &error)], Vec::new()),
    };
    let mut problems: Vec<LeftOut> = problems.iter().map(|error| LeftOut::new(name, error)).collect();
    documents.retain_mut(|document| {
        let from_sidecar =
            sidecar.as_ref().map_or(Ok(()), |(name, bytes)| document.apply_sidecar(name, bytes));
        let applied = from_sidecar
            .and_then(|()| meta.iter().try_for_each(|(name, value)| document.set_metadata(name, value)));
        applied.map_err(|error| problems.push(LeftOut::new(name, &error))).is_ok()
    });
    let told = warnings.iter().map(|warning| Told::warning(name, warning)).collect();
    (documents, problems, told)
}

/// The file with metadata next to a document, if there is one.
fn sidecar(file: &DocumentFile) -> Result<Option<(String, Vec<u8>)>> {
    for ending in SIDECAR_ENDINGS {
        let mut beside = file.path.as_os_str().to_owned();
        beside.push(ending);
        if Path::new(&beside).is_file() {
            return Ok(Some((format!("{}{ending}", file.name), files::read(Path::new(&beside))?)));
        }
    }
    Ok(None)
}
