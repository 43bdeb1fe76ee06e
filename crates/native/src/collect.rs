//! Reads the files that arguments name, on all cores, and warns on stderr.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use rayon::prelude::*;

use crate::files::{DocumentFile, FoundFiles, FoundSite};
use crate::papers::Paper;
use crate::settings::SiteSettings;
use crate::{Progress, files, note};
use ibid_build::{Collected, LeftOut, ReadFile, SourceFile};
use ibid_document::chunk::{ChunkOptions, ChunkStats, size};
use ibid_document::{Document, Generator, Metadata, SIDECAR_ENDINGS, Told};
use ibid_platform::{Error, ErrorCode, Result};

/// The place where documents come from.
#[derive(clap::Args)]
pub struct SourceArgs {
    /// Documents, folders to search for them, and globs: markdown, MDX, reStructuredText, notebooks, HTML, PDF, DOCX,
    /// NXML (JATS, BITS), plain text, ready-made chunks (.jsonl), and archives of these. A document is named by its path
    /// from the folder that you give.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// A metadata field for all documents, which overrides their own. May be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    meta: Vec<String>,
    /// Print every warning, not one line per kind.
    #[arg(long)]
    verbose: bool,
    /// The site generator, for links to pages and headings; `none` for no links [default: the one with a
    /// configuration next to the documents].
    #[arg(long, value_name = "GENERATOR", value_parser = site_names())]
    site: Option<String>,
    /// The address below which the site's pages are served, as `/docs/` or `https://example.org/` [default: from the
    /// site's configuration, else `/`].
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Fail before embedding anything if there is a warning or a skipped file.
    #[arg(long)]
    strict: bool,
    /// The file of settings [default: `ibid.toml` next to what is read, or in this folder].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl SourceArgs {
    /// Returns true if no links to pages are wanted.
    pub fn wants_no_links(&self) -> bool {
        self.site.as_deref() == Some("none")
    }

    /// Paths without anything else.
    pub fn of(paths: Vec<PathBuf>) -> Self {
        Self {
            paths,
            meta: Vec::new(),
            verbose: false,
            site: None,
            base_url: None,
            strict: false,
            config: None,
        }
    }

    /// Reads the settings of the site.
    ///
    /// # Errors
    /// As [`SiteSettings::load`].
    pub fn settings(&self) -> Result<SiteSettings> {
        SiteSettings::load(self.config.as_deref(), &self.paths)
    }
}

fn site_names() -> PossibleValuesParser {
    Generator::ALL.iter().map(|generator| generator.as_str()).chain(["none"]).into()
}

/// The way documents are chunked.
#[derive(clap::Args)]
pub struct ChunkArgs {
    /// The most tokens in a chunk, heading path included.
    #[arg(long, default_value_t = ChunkOptions::default().budget, value_name = "N")]
    budget: usize,
    /// Merge sections smaller than this many tokens with tiny neighbours; 0 merges nothing.
    #[arg(long, default_value_t = ChunkOptions::default().min_size, value_name = "N")]
    min_size: usize,
    /// The number of sentences that the next chunk of a section repeats.
    #[arg(long, default_value_t = ChunkOptions::default().overlap, value_name = "SENTENCES")]
    overlap: usize,
}

impl ChunkArgs {
    /// Checks that the options are in range.
    pub fn options(&self) -> Result<ChunkOptions> {
        let options = ChunkOptions { budget: self.budget, min_size: self.min_size, overlap: self.overlap };
        options.validate()?;
        Ok(options)
    }
}

/// The documents that arguments name, in chunks.
pub struct Gathered {
    /// The documents, and what was left out of them.
    pub collected: Collected,
    /// The kinds of files that the folders hold and that are no documents, in words.
    pub not_read: Option<String>,
    /// The sizes of all chunks.
    pub stats: ChunkStats,
}

/// Reads and chunks everything on all cores, and tells on stderr what is not as it should be. A document that cannot be
/// read is left out and named, so that a single bad file does not keep a site from being searched.
pub fn collect(
    sources: &SourceArgs,
    settings: &SiteSettings,
    options: &ChunkOptions,
    look: impl FnOnce(&[Document]),
) -> Result<Gathered> {
    let fields = sources.meta.iter().map(|field| split_field(field)).collect::<Result<Vec<_>>>()?;
    let SourceArgs { paths, site, base_url, .. } = sources;
    let generator = site.as_deref().and_then(Generator::from_name);
    let is_linked = !sources.wants_no_links();
    let base_url = base_url.as_deref().or(settings.base_url.as_deref());
    let site = is_linked.then(|| FoundSite::of(paths, generator, base_url)).flatten();
    let bar = Progress::uncounted("looking for files");
    let found = files::find(paths, &files::DOCUMENT_ENDINGS)?;
    drop(bar);
    let not_read = found.not_read(sources.verbose);
    let FoundFiles { mut documents, skipped, .. } = found;
    exclude(&mut documents, settings);
    site.iter().filter_map(FoundSite::line).for_each(|line| note(&line));
    let bar = Progress::new("reading", documents.len(), "files");
    let read_one = |file: &DocumentFile| {
        let read = read(file, &fields, site.as_ref(), settings.weight_of(&file.name));
        bar.advance(1);
        read.unwrap_or_else(|error| ReadFile::failed(&file.name, error))
    };
    let read: Vec<ReadFile> = documents.par_iter().map(read_one).collect();
    drop(bar);
    let unsearched = skipped.into_iter().map(|skipped| {
        let source = files::source_name(&skipped.path);
        let message = format!("`{source}` cannot be read: {}.", skipped.reason);
        ReadFile::failed(&source, Error::new(ErrorCode::Io, message))
    });
    let bar = Progress::uncounted("cutting documents into passages");
    let collected = Collected::of(unsearched.chain(read), options, look);
    drop(bar);
    report(&collected, sources.verbose);
    not_read.iter().chain(&collected.shared).for_each(|line| note(line));
    if collected.parsed.is_empty() {
        return Err(Error::new(ErrorCode::InvalidDocument, "No documents were found.").with_hint(
            "Name documents (.md, .rst, .ipynb, .html, .pdf, .docx, .nxml, .txt, .jsonl, .zip), or folders with documents.",
        ));
    }
    // What is left out on purpose is no fault of the documents.
    let is_fault = |left_out: &&LeftOut| left_out.error.code() != ErrorCode::DocumentSkipped;
    let count = collected.warnings.len() + collected.left_out.iter().filter(is_fault).count();
    if sources.strict && count > 0 {
        let message = format!("Nothing was built: `--strict` allows no warnings (found: {count}).");
        return Err(Error::new(ErrorCode::InvalidDocument, message)
            .with_hint("Fix them, or build without `--strict`."));
    }
    let chunks = collected.parsed.par_iter().flat_map_iter(|parsed| &parsed.chunks);
    let tokens: Vec<usize> = chunks.map(|chunk| size(&chunk.embedding_text())).collect();
    let stats = ChunkStats::of(&tokens, options.budget);
    Ok(Gathered { collected, not_read, stats })
}

/// Leaves out the files that settings exclude, and names globs that exclude none.
fn exclude(documents: &mut Vec<DocumentFile>, settings: &SiteSettings) {
    let globs = &settings.exclude;
    for glob in globs.iter().filter(|glob| !documents.iter().any(|file| glob.matches(&file.name))) {
        note(&format!("warning: `exclude` has `{}`, which no file matches", glob.text));
    }
    let before = documents.len();
    documents.retain(|file| !globs.iter().any(|glob| glob.matches(&file.name)));
    if documents.len() < before {
        note(&format!("files that `exclude` leaves out: {}", before - documents.len()));
    }
}

/// Names on stderr what is not as it should be: one line for each kind, or everything.
fn report(Collected { warnings, left_out, .. }: &Collected, is_verbose: bool) {
    let lines: Vec<String> = if is_verbose {
        let told = warnings.iter().map(|Told { source, message, .. }| format!("{source}: {message}"));
        told.chain(left_out.iter().map(|left_out| left_out.error.to_string())).collect()
    } else {
        let news = left_out.iter().filter(|left_out| left_out.is_news());
        let left_out = news.map(|left_out| Told::left_out(&left_out.source, &left_out.error));
        ibid_document::lines(&warnings.iter().cloned().chain(left_out).collect::<Vec<_>>())
    };
    lines.iter().for_each(|line| note(&format!("warning: {line}")));
}

fn split_field(field: &str) -> Result<(String, String)> {
    let wrong = |why: &str| {
        Error::new(ErrorCode::InvalidOption, format!("`--meta {field}` {why}"))
            .with_hint("For example: `--meta language=en`.")
    };
    let (name, value) = field.split_once('=').ok_or_else(|| wrong("is not of the form KEY=VALUE."))?;
    // Tried once beforehand: what fails here would fail for every document.
    Metadata::default()
        .set(name, value)
        .map_err(|error| wrong(&format!("cannot be used: {}", error.message())))?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Reads a file, what lies next to it, and its place on the site.
fn read(
    DocumentFile { name, path }: &DocumentFile,
    fields: &[(String, String)],
    site: Option<&FoundSite>,
    weight: Option<u16>,
) -> Result<ReadFile> {
    let paper = ibid_papers::is_paper(name).then(|| Paper::read(name, path)).transpose()?;
    let bytes = paper
        .as_ref()
        .map_or_else(|| files::read(path).map(Cow::Owned), |paper| Ok(paper.html.as_bytes().into()))?;
    let sidecar = sidecar(name, path)?;
    let sidecar = sidecar.as_ref().map(|(name, bytes)| (&**name, &**bytes));
    let page = site.and_then(|site| site.page_of(path));
    let page = page.as_ref().map(|(site, path)| (*site, &**path));
    let mut read = SourceFile { name, bytes: &bytes, sidecar, fields, page, weight }.read()?;
    if let Some(paper) = paper {
        read.documents.iter_mut().for_each(|document| paper.complete(document));
    }
    Ok(read)
}

/// Reads the file with metadata next to a document, if there is one.
fn sidecar(name: &str, path: &Path) -> Result<Option<(String, Vec<u8>)>> {
    let place = |ending: &str| (format!("{name}{ending}"), path.with_added_extension(&ending[1..]));
    let beside = SIDECAR_ENDINGS.map(place).into_iter().find(|(_, path)| path.is_file());
    beside.map(|(name, path)| Ok((name, files::read(&path)?))).transpose()
}
