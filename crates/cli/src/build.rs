//! `ibid build`.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Command, FromArgMatches};
use serde::Serialize;

use crate::llms;
use ibid_build::{Collected, LeftOut, Parsed};
use ibid_document::Document;
use ibid_document::chunk::ChunkOptions;
use ibid_embed::Embedder;
use ibid_index::{
    BuildOptions, Calibration, Encoder, Index, IndexBuilder, Language, LexicalOptions, Manifest, PinDraft,
    SearchSettings,
};
use ibid_native::collect::{ChunkArgs, Gathered, SourceArgs, collect};
use ibid_native::embedding::mismatch;
use ibid_native::files::vectors::ChunkText;
use ibid_native::model::Embedders;
use ibid_native::settings::SiteSettings;
use ibid_native::system::Stopwatch;
use ibid_native::web::put_table;
use ibid_native::{EmbeddedWork, Progress, embed_all, files, model, named, note, print_json};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::calibrate;

#[derive(clap::Args)]
pub(super) struct BuildArgs {
    #[command(flatten)]
    sources: SourceArgs,
    /// The index to write: a file or, above 16 MiB, a folder of parts to serve as it is.
    #[arg(short, long, value_name = "FILE", default_value = "site.ibid")]
    output: PathBuf,
    /// Write a folder of any size, with parts of at most this many KiB [default: 1024, or the existing folder's]
    #[arg(long, value_name = "KIB", value_parser = clap::value_parser!(u32).range(1..=16 << 10))]
    part_size: Option<u32>,
    /// Reuse the existing index's vectors, and leave it as it is if nothing changed.
    #[arg(long)]
    update: bool,
    #[command(flatten)]
    chunking: ChunkArgs,
    /// The language for stemming, such as `en`, or `none` for no stems; by default that of most passages or, with
    /// `--update`, the index's.
    #[arg(long, value_name = "CODE", value_parser = language)]
    language: Option<Language>,
    /// The encoder of documents [default: transformer if its model is found, else table; with `--update`, the index's]
    #[arg(long, value_parser = named::<Encoder>(["transformer", "table"]), conflicts_with = "embeddings")]
    encoder: Option<Encoder>,
    #[command(flatten)]
    model: model::ModelArg,
    /// Read the vectors from a file, a NumPy matrix or JSON lines, made from the output of `ibid chunk --texts`: by
    /// `ibid embed`, by the service in `--embeddings`, or by `--vectors-model`.
    #[arg(long, value_name = "FILE", conflicts_with = "encoder")]
    vectors: Option<PathBuf>,
    /// The name of the model that made the vectors. Queries need the same model; the index is not calibrated.
    #[arg(long, value_name = "NAME", requires = "vectors", conflicts_with_all = ["embeddings", "model"])]
    vectors_model: Option<String>,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
    /// True if the build is a step of another command, which says what to do next.
    #[arg(skip)]
    is_step: bool,
    /// The folder of a site whose pages are written for programs that read, too.
    #[arg(skip)]
    llms: Option<PathBuf>,
}

impl BuildArgs {
    /// Parses the arguments that a command line of these words gives, for a command that builds as one of its steps.
    pub(super) fn of(words: Vec<OsString>, llms: Option<PathBuf>) -> Result<Self> {
        let command = Self::augment_args(Command::new("build").no_binary_name(true));
        let given = command.try_get_matches_from(words).and_then(|given| Self::from_arg_matches(&given));
        let args = given
            .map_err(|error| Error::new(ErrorCode::InvalidOption, error.to_string().trim().to_owned()))?;
        Ok(Self { is_step: true, llms, ..args })
    }

    /// Takes what no option says from settings.
    fn take(&mut self, settings: &SiteSettings) {
        self.language = self.language.or(settings.language);
        let has_encoder = self.vectors.is_some() || self.model.names_model() || self.model.names_service();
        self.encoder = self.encoder.or(settings.encoder.filter(|_| !has_encoder));
        if self.vectors_model.is_none() && self.encoder != Some(Encoder::Table) {
            self.model.set_default(settings.model.as_deref());
        }
    }
}

/// The summary of a build, for a person or as JSON.
#[derive(Serialize)]
struct Summary {
    output: String,
    documents: u32,
    chunks: u32,
    /// Chunks that occurred before and were not stored again.
    duplicates: usize,
    /// Chunks over the budget; anything but 0 is a defect.
    oversized: usize,
    longest: usize,
    embedded: usize,
    /// Chunks whose vectors earlier builds have kept.
    kept: usize,
    skipped: Vec<LeftOut>,
    /// The kinds of files that the folders hold and that were not read.
    not_read: Option<String>,
    update: Option<Changes>,
    /// The language of most passages, if one is known, and the model that embedded them.
    language: Option<String>,
    model: String,
    /// The reason why words alone rank, if they do.
    words_alone: Option<String>,
    bytes: usize,
    /// The query table that pages use, next to the index.
    table: Option<String>,
    /// The parts of the folder that was written.
    parts: Option<usize>,
    /// Bytes of the folder's files that are new.
    new_bytes: Option<usize>,
    /// True if hits lead nowhere, though nobody said that they should.
    #[serde(skip)]
    is_unlinked: bool,
    /// True if the summary ends with the next step.
    #[serde(skip)]
    says_next: bool,
    seconds: f64,
    embedding_seconds: f64,
}

/// The way an index was changed.
#[derive(Default, Serialize)]
struct Changes {
    unchanged: usize,
    added: usize,
    changed: usize,
    removed: usize,
    /// Passages whose vectors were taken from the index.
    reused: usize,
}

impl Changes {
    /// The way from an index to these documents.
    fn of(base: &Index, collected: &Collected) -> Result<Self> {
        let mut changes = Self::default();
        let mut known = HashSet::new();
        for document in base.documents() {
            known.insert(document?.metadata.document_id);
        }
        for Parsed { document, chunks } in &collected.parsed {
            let is_known = known.remove(&document.metadata.document_id);
            match is_known {
                true if base.has(document, chunks)? => changes.unchanged += 1,
                true => changes.changed += 1,
                false => changes.added += 1,
            }
        }
        changes.removed = known.len();
        Ok(changes)
    }

    fn is_none(&self) -> bool {
        self.added + self.changed + self.removed == 0
    }
}

fn language(code: &str) -> std::result::Result<Language, String> {
    Language::from_name(code)
        .ok_or_else(|| format!("it is one of {}", Language::ALL.map(Language::as_str).join(", ")))
}

pub(super) fn run(mut args: BuildArgs) -> Result<()> {
    let clock = Stopwatch::start();
    let settings = args.sources.settings()?;
    args.take(&settings);
    let args = &args;
    let chunking = args.chunking.options()?;
    if args.encoder == Some(Encoder::Table) && args.model.names_model() {
        let message = "`--model` has no effect with `--encoder table`.";
        return Err(Error::new(ErrorCode::InvalidOption, message));
    }
    files::index::check_writable(&args.output)?;
    // Shown wherever no other step is.
    let bar = Progress::uncounted("making the index");
    let base =
        if args.update && files::index::is_there(&args.output) { open_base(args, &chunking)? } else { None };
    let mut written = Ok(());
    let look = |documents: &[Document]| {
        written = args.llms.as_ref().map_or(Ok(()), |folder| llms::write(folder, documents));
    };
    let Gathered { mut collected, not_read, stats } = collect(&args.sources, &settings, &chunking, look)?;
    written?;
    let is_unlinked = collected.is_unlinked() && !args.sources.wants_no_links();
    let embedders = embedders(args, base.as_ref(), &collected)?;
    let update = base.as_ref().map(|base| Changes::of(base, &collected)).transpose()?;
    let is_unchanged = update.as_ref().is_some_and(Changes::is_none);
    let authored = authored(settings, &collected);
    let built = build(&mut collected, &embedders, args, (chunking, authored), base, is_unchanged)?;
    let manifest = Manifest::of_beginning(&built.bytes)
        .ok_or_else(|| Error::new(ErrorCode::Internal, "The new index cannot be read."))?;
    let reused = if built.is_same { manifest.chunks as usize } else { built.reused };
    let update = update.map(|changes| Changes { reused, ..changes });
    let part_bytes = args.part_size.map(|size| size << 10);
    let folder =
        if built.is_same { None } else { files::index::write(&args.output, &built.bytes, part_bytes)? };
    let table = put_table(&args.output, &manifest.space)?;
    let summary = Summary {
        output: args.output.display().to_string(),
        documents: manifest.documents,
        chunks: manifest.chunks,
        duplicates: built.duplicates,
        oversized: stats.over_budget,
        longest: stats.longest,
        embedded: built.work.chunks,
        kept: built.work.kept,
        skipped: collected.left_out,
        not_read,
        update,
        words_alone: manifest.words_alone(),
        language: manifest.language,
        model: manifest.space.name,
        bytes: built.bytes.len(),
        table,
        parts: folder.map(|(parts, _)| parts),
        new_bytes: folder.map(|(_, new)| new),
        is_unlinked,
        says_next: !args.is_step,
        seconds: clock.elapsed().as_secs_f64(),
        embedding_seconds: built.work.time.as_secs_f64(),
    };
    drop(bar);
    if args.json {
        return print_json(&summary);
    }
    note(&summary.text());
    Ok(())
}

/// Lists counts with what they count, without those of nothing.
fn listed(counts: &[(usize, &str)]) -> String {
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    counts.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
}

/// The line on documents without addresses.
const UNLINKED: &str = "\n  hits have no addresses: set `--base-url URL` to the address of your pages";

impl Summary {
    fn text(&self) -> String {
        let changes = self.update.as_ref().map_or(String::new(), |changes| {
            let counts = [
                (changes.unchanged, "unchanged"),
                (changes.added, "added"),
                (changes.changed, "changed"),
                (changes.removed, "removed"),
            ];
            format!("\n  {}; vectors of {} of {} chunks reused", listed(&counts), changes.reused, self.chunks)
        });
        let folder = self.parts.zip(self.new_bytes).map_or(String::new(), |(parts, new)| {
            let path = &self.output;
            format!("\n  a folder of {parts} parts; deploy all of {path}/, {new} bytes of it are new")
        });
        let table = self.table.as_ref().filter(|_| self.says_next);
        let table = table.map_or(String::new(), |table| {
            format!("\n  {table}: pages need it to search; deploy it next to the index")
        });
        let language = self.language.as_deref().unwrap_or("not known");
        let language = format!("\n  language: {language}, model: {}", self.model);
        let unlinked = if self.is_unlinked { UNLINKED } else { "" };
        let words_alone = self.words_alone.as_ref().map_or(String::new(), |why| format!("\n  {why}"));
        let counts = [
            (self.skipped.iter().filter(|left_out| left_out.is_news()).count(), "left out"),
            (self.embedded, "embedded"),
            (self.kept, "known from earlier builds"),
            (self.duplicates, "duplicates"),
            (self.oversized, "over the budget"),
        ];
        let counts = match listed(&counts) {
            none if none.is_empty() => none,
            some => format!(", {some}"),
        };
        let next = match self.output.as_str() {
            _ if !self.says_next => String::new(),
            "site.ibid" => "\n  next: ibid serve".to_owned(),
            output => format!("\n  next: ibid serve {output}"),
        };
        format!(
            "{}: {} documents, {} chunks{counts}, {} bytes, {:.1} s{changes}{language}{words_alone}{folder}{table}{unlinked}{next}",
            self.output, self.documents, self.chunks, self.bytes, self.seconds
        )
    }
}

/// An index that is done.
#[derive(Default)]
struct Built {
    bytes: Vec<u8>,
    /// True if the file is there already.
    is_same: bool,
    duplicates: usize,
    /// Passages whose vectors were taken from the index that is updated.
    reused: usize,
    work: EmbeddedWork,
}

/// Opens the index to update; `None` when it has to be built anew, which stderr says.
fn open_base(args: &BuildArgs, chunking: &ChunkOptions) -> Result<Option<Index>> {
    let base = Index::open(files::index::read(&args.output)?)?;
    if base.manifest().chunking == *chunking {
        return Ok(Some(base));
    }
    note(&format!("{} was chunked with other options; rebuilding it", args.output.display()));
    Ok(None)
}

/// Returns the embedders of the passages and of queries. An index that is updated keeps its own.
fn embedders(args: &BuildArgs, base: Option<&Index>, collected: &Collected) -> Result<Embedders> {
    let kept = base.map(|base| base.manifest().build.encoder).filter(|kept| *kept != Encoder::Embedder);
    let space = base.map(|base| &base.manifest().space);
    let family = args.model.family(space, collected.languages());
    let embedders = match &args.vectors {
        Some(path) => {
            let file = (path.as_path(), args.vectors_model.as_deref());
            model::embedders_of_file(&args.model, family, space, &ChunkText::of(collected), file)?
        }
        None => model::embedders_or_table(&args.model, family, args.encoder.or(kept), space)?,
    };
    let made = embedders.documents.space();
    match space {
        Some(space) if space != made => Err(mismatch(space, Some(made))),
        _ => Ok(embedders),
    }
}

/// Settings that every search follows, and the passages of pins.
type Authored = (SearchSettings, Vec<PinDraft>);

/// Finds the passages of pins and popular pages, and warns of addresses that no page has.
fn authored(settings: SiteSettings, collected: &Collected) -> Authored {
    let (pins, unknown) = collected.pins(&settings.pins);
    let (popular, unknown_popular) = collected.popular(&settings.popular);
    for (setting, unknown) in [("pins", unknown), ("popular", unknown_popular)] {
        for address in unknown {
            note(&format!("warning: `{setting}` has `{address}`, which is the address of no page"));
        }
    }
    (SearchSettings { popular, ..settings.search }, pins)
}

/// Returns true if an index has these settings.
fn is_same(known: &SearchSettings, settings: &SearchSettings, pins: &[PinDraft]) -> bool {
    let known_pins = known.pins.iter().map(|pin| (&pin.query, &pin.address));
    (&known.synonyms, &known.stop, &known.popular) == (&settings.synonyms, &settings.stop, &settings.popular)
        && known_pins.eq(pins.iter().map(|pin| (&pin.query, &pin.address)))
}

/// Builds the index, or takes `base` as it is where neither documents nor options have changed. An index stays with its
/// language.
fn build(
    collected: &mut Collected,
    embedders: &Embedders,
    args: &BuildArgs,
    (chunking, (settings, pins)): (ChunkOptions, Authored),
    base: Option<Index>,
    is_unchanged: bool,
) -> Result<Built> {
    let lexical = base.as_ref().map(|base| base.manifest().build.lexical.of_parts()).unwrap_or_default();
    let options = BuildOptions {
        encoder: embedders.encoder,
        lexical: LexicalOptions { language: args.language.or(lexical.language), ..lexical },
    };
    if let Some(base) = base.as_ref().filter(|_| is_unchanged)
        && options == (BuildOptions { lexical, ..base.manifest().build })
        && is_same(&base.manifest().settings, &settings, &pins)
        && let Some(file) = base.file()
    {
        return Ok(Built { bytes: file.to_vec(), is_same: true, ..Built::default() });
    }
    let mut builder = IndexBuilder::new(embedders.documents.space().clone(), chunking, options);
    builder.set(settings, pins);
    let count = collected.chunks().count();
    // The builder has all of it, and a large collection is not kept twice.
    let mut parsed = std::mem::take(&mut collected.parsed).into_iter();
    parsed.try_for_each(|Parsed { document, chunks }| builder.add(&document, &chunks))?;
    let duplicates = count - builder.chunk_count();
    let asks_for_all = base.is_none();
    let reused = base.map_or(Ok(0), |base| builder.reuse(&base))?;
    let work = embed_all(&mut builder, &embedders.documents)?;
    let draft = builder.assemble()?;
    let calibration = match args.vectors_model {
        // Nothing here embeds queries.
        Some(_) => Calibration::default(),
        None => calibrate(embedders.queries.as_ref(), &draft)?,
    };
    let bytes = draft.finish(calibration)?;
    if asks_for_all {
        embedders.documents.tidy();
    }
    Ok(Built { bytes, is_same: false, duplicates, reused, work })
}
