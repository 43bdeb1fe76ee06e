//! `ibid build`.

use std::collections::HashSet;
use std::ffi::OsString;
use std::ops::Range;
use std::path::PathBuf;

use clap::{Args, Command, FromArgMatches};
use serde::Serialize;

use crate::merge;
use ibid_build::{Collected, LeftOut, Parsed};
use ibid_document::chunk::ChunkOptions;
use ibid_embed::Embedder;
use ibid_index::{
    BuildOptions, Calibration, Encoder, FileLayout, Index, IndexBuilder, Language, LexicalOptions, Manifest,
};
use ibid_native::collect::{ChunkArgs, Gathered, SourceArgs, collect};
use ibid_native::embedding::{Kept, mismatch};
use ibid_native::files::vectors::ChunkText;
use ibid_native::model::Embedders;
use ibid_native::system::Stopwatch;
use ibid_native::web::put_table;
use ibid_native::{EmbeddedWork, Progress, embed_all, files, model, named, note, print_json};
use ibid_platform::{Error, ErrorCode, Result};
use ibid_retrieve::calibrate;

#[derive(clap::Args)]
pub(super) struct BuildArgs {
    #[command(flatten)]
    sources: SourceArgs,
    /// The index to write: a file, or, above 16 MiB, a folder of parts that is served as it is.
    #[arg(short, long, value_name = "FILE", default_value = "site.ibid")]
    output: PathBuf,
    /// Write a folder, however small, whose parts have at most this many KiB [default: 1024, or as the folder has it]
    #[arg(long, value_name = "KIB", value_parser = clap::value_parser!(u32).range(1..=16 << 10))]
    part_size: Option<u32>,
    /// Change the index that is there: add what is new as a segment, take out what is gone. Without one, build it.
    #[arg(long)]
    update: bool,
    #[command(flatten)]
    chunking: ChunkArgs,
    /// The language that words are stemmed in, `en` for instance, or `none` for no stems; by default that of the index
    /// with `--update`, else the one that most passages are in.
    #[arg(long, value_name = "CODE", value_parser = language)]
    language: Option<Language>,
    /// The encoder of documents [default: transformer where its model is found, else table; with `--update`, what the index
    /// has]
    #[arg(long, value_parser = named::<Encoder>(["transformer", "table"]), conflicts_with = "embeddings")]
    encoder: Option<Encoder>,
    #[command(flatten)]
    model: model::ModelArg,
    /// Take the vectors from a file, a NumPy matrix or JSON lines, that another program made of what `ibid chunk --texts`
    /// prints: vectors of `ibid embed`, of the service that `--embeddings` names, or of `--vectors-model`.
    #[arg(long, value_name = "FILE", conflicts_with = "encoder")]
    vectors: Option<PathBuf>,
    /// The name of the model that made the vectors. Whoever searches embeds queries by it; the index is not calibrated.
    #[arg(long, value_name = "NAME", requires = "vectors", conflicts_with_all = ["embeddings", "model"])]
    vectors_model: Option<String>,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
    /// True if the build is a step of another command, which says what to do next.
    #[arg(skip)]
    is_step: bool,
}

impl BuildArgs {
    /// The arguments that a command line of these words gives, for a command that builds as one of its steps.
    pub(super) fn of(words: Vec<OsString>) -> Result<Self> {
        let command = Self::augment_args(Command::new("build").no_binary_name(true));
        let given = command.try_get_matches_from(words).and_then(|given| Self::from_arg_matches(&given));
        let args = given
            .map_err(|error| Error::new(ErrorCode::InvalidOption, error.to_string().trim().to_owned()))?;
        Ok(Self { is_step: true, ..args })
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
    /// The reason why words alone rank, where they do.
    words_alone: Option<String>,
    segments: usize,
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
    reused: u32,
    /// True if all was written anew as one segment.
    rewritten: bool,
}

/// The most segments that an update leaves, since a search goes through each; with more, it writes the index anew.
const MOST_SEGMENTS: usize = 8;
/// It does so too when more than this part of the passages was added or removed since the index was built.
const CHANGED_PART: u32 = 5;

fn language(code: &str) -> std::result::Result<Language, String> {
    Language::from_name(code)
        .ok_or_else(|| format!("it is one of {}", Language::ALL.map(Language::as_str).join(", ")))
}

pub(super) fn run(args: &BuildArgs) -> Result<()> {
    let clock = Stopwatch::start();
    let chunking = args.chunking.options()?;
    if args.encoder == Some(Encoder::Table) && args.model.names_model() {
        let message = "`--model` has no use with `--encoder table`.";
        return Err(Error::new(ErrorCode::InvalidOption, message));
    }
    files::index::check_writable(&args.output)?;
    // Shown wherever no other step is.
    let bar = Progress::uncounted("making the index");
    let base =
        if args.update && files::index::is_there(&args.output) { open_base(args, &chunking)? } else { None };
    let Gathered { mut collected, not_read, stats } = collect(&args.sources, &chunking)?;
    let is_unlinked = collected.is_unlinked() && !args.sources.wants_no_links();
    // What is added is embedded as what is there.
    let encoder =
        base.as_ref().map(|base| base.manifest().build.encoder).filter(|kept| *kept != Encoder::Embedder);
    let encoder = args.encoder.or(encoder);
    let space = base.as_ref().map(|base| &base.manifest().space);
    let family = args.model.family(space, collected.languages());
    let embedders = match &args.vectors {
        Some(path) => {
            let file = (path.as_path(), args.vectors_model.as_deref());
            model::embedders_of_file(&args.model, family, space, &ChunkText::of(&collected), file)?
        }
        None => model::embedders_or_table(&args.model, family, encoder, space)?,
    };
    if let Some(base) = base.as_ref().map(|base| &base.manifest().space)
        && base != embedders.documents.space()
    {
        return Err(mismatch(base, Some(embedders.documents.space())));
    }
    // What is added must be searched as what is there.
    let lexical = base.as_ref().map(|base| base.manifest().build.lexical.of_parts()).unwrap_or_default();
    let options = BuildOptions {
        encoder: embedders.encoder,
        lexical: LexicalOptions { language: args.language.or(lexical.language), ..lexical },
    };
    let builder = IndexBuilder::new(embedders.documents.space().clone(), chunking, options);
    let built = match base {
        Some(base) => update(base, &collected, builder, &embedders.documents)?,
        None => build(&mut collected, builder, &embedders, args)?,
    };
    let part_bytes = args.part_size.map(|size| size << 10);
    let folder = match &built.bytes {
        Some(bytes) => files::index::write(&args.output, bytes, part_bytes)?,
        None => None,
    };
    let manifest = built.index.manifest();
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
        update: built.changes,
        words_alone: manifest.words_alone(),
        segments: manifest.segments.len(),
        bytes: built.bytes.as_ref().map_or(built.index.byte_size() as usize, Vec::len),
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

/// The line on documents without addresses.
const UNLINKED: &str = "\n  hits have no addresses: `--base-url URL` says where your pages are";

impl Summary {
    fn text(&self) -> String {
        let changes = self.update.as_ref().map_or(String::new(), |changes| {
            format!(
                "\n  {} unchanged, {} added, {} changed, {} removed; vectors of {} of {} chunks reused; {}",
                changes.unchanged,
                changes.added,
                changes.changed,
                changes.removed,
                changes.reused,
                self.chunks,
                if changes.rewritten { "written anew".into() } else { format!("{} segments", self.segments) }
            )
        });
        let folder = self.parts.zip(self.new_bytes).map_or(String::new(), |(parts, new)| {
            let path = &self.output;
            format!("\n  a folder of {parts} parts; deploy all of {path}/, {new} bytes of it are new")
        });
        let table = self.table.as_ref().filter(|_| self.says_next);
        let table = table.map_or(String::new(), |table| {
            format!("\n  {table}: pages search by it; deploy it next to the index")
        });
        let unlinked = if self.is_unlinked { UNLINKED } else { "" };
        let words_alone = self.words_alone.as_ref().map_or(String::new(), |why| format!("\n  {why}"));
        let counts = [
            (self.skipped.iter().filter(|left_out| left_out.is_news()).count(), "left out"),
            (self.embedded, "embedded"),
            (self.kept, "known from earlier builds"),
            (self.duplicates, "duplicates"),
            (self.oversized, "over the budget"),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts = counts.map(|(count, what)| format!(", {count} {what}")).collect::<Vec<_>>().concat();
        let next = match self.output.as_str() {
            _ if !self.says_next => String::new(),
            "site.ibid" => "\n  next: ibid serve".to_owned(),
            output => format!("\n  next: ibid serve {output}"),
        };
        format!(
            "{}: {} documents, {} chunks{counts}, {} bytes, {:.1} s{changes}{words_alone}{folder}{table}{unlinked}{next}",
            self.output, self.documents, self.chunks, self.bytes, self.seconds
        )
    }
}

/// An index that is done.
struct Built {
    index: Index,
    /// Its bytes; `None` when the file stays as it is.
    bytes: Option<Vec<u8>>,
    duplicates: usize,
    work: EmbeddedWork,
    changes: Option<Changes>,
}

/// The index to update; `None` when it has to be built anew, which stderr says.
fn open_base(args: &BuildArgs, chunking: &ChunkOptions) -> Result<Option<Index>> {
    let base = Index::open(files::index::read(&args.output)?)?;
    if base.manifest().chunking == *chunking {
        return Ok(Some(base));
    }
    note(&format!("{} was chunked with other options; it is built anew", args.output.display()));
    Ok(None)
}

fn build(
    collected: &mut Collected,
    mut builder: IndexBuilder,
    embedders: &Embedders,
    args: &BuildArgs,
) -> Result<Built> {
    let count = collected.chunks().count();
    // The builder has all of it, and a large collection is not kept twice.
    let mut parsed = std::mem::take(&mut collected.parsed).into_iter();
    parsed.try_for_each(|Parsed { document, chunks }| builder.add(&document, &chunks))?;
    let duplicates = count - builder.chunk_count();
    let work = embed_all(&mut builder, &embedders.documents)?;
    let draft = builder.assemble()?;
    let documents = &embedders.documents;
    let calibration = match args.vectors_model {
        // Nothing here embeds queries.
        Some(_) => Calibration::default(),
        None => calibrate(embedders.queries.as_ref(), &draft)?,
    };
    let bytes = draft.finish(calibration)?;
    // Only here has every passage been asked for.
    documents.tidy();
    Ok(Built { index: head_of(&bytes)?, bytes: Some(bytes), duplicates, work, changes: None })
}

/// Opens a file as far as it says something of itself, without a copy of the rest.
fn head_of(file: &[u8]) -> Result<Index> {
    let layout = FileLayout::parse(file)?;
    let piece = |range: Range<u64>| (range.start, file[range.start as usize..range.end as usize].to_vec());
    let pieces = layout.needed().into_iter().map(piece).collect();
    Index::open_pieces(layout, pieces)
}

/// Adds what the base does not have as a segment, and takes out what is not among the documents any more.
fn update(
    mut base: Index,
    collected: &Collected,
    mut builder: IndexBuilder,
    embedder: &Kept,
) -> Result<Built> {
    let mut changes = Changes::default();
    let mut known = HashSet::new();
    for document in base.documents() {
        known.insert(document?.metadata.document_id);
    }
    let (mut replaced, mut new_chunks) = (Vec::new(), 0);
    for Parsed { document, chunks } in &collected.parsed {
        let is_known = known.remove(&document.metadata.document_id);
        if is_known && base.has(document, chunks)? {
            changes.unchanged += 1;
            continue;
        }
        if is_known {
            changes.changed += 1;
            replaced.push(&document.metadata.document_id);
        } else {
            changes.added += 1;
        }
        new_chunks += chunks.len();
        builder.add(document, chunks)?;
    }
    changes.removed = known.len();
    let duplicates = new_chunks - builder.chunk_count();
    builder.reuse(&base)?;
    let work = embed_all(&mut builder, embedder)?;
    let is_same = changes.added + changes.changed + changes.removed == 0;
    // Those that are replaced go first, since a field may have another type in what is new.
    base.remove_all(known.iter().chain(replaced).map(String::as_str))?;
    let calibration = base.manifest().calibration;
    if builder.document_count() > 0 {
        base.attach(Index::open(builder.assemble()?.finish(calibration)?)?)?;
    }
    changes.reused = base.manifest().chunks.saturating_sub((work.chunks + work.kept) as u32);
    changes.rewritten = !is_same && is_worn(&base);
    let bytes = match is_same {
        true => None,
        false if changes.rewritten => Some(merge::rewritten(&base)?),
        false => Some(base.to_bytes()?),
    };
    let index = match &bytes {
        Some(bytes) if changes.rewritten => head_of(bytes)?,
        _ => base,
    };
    Ok(Built { index, bytes, duplicates, work, changes: Some(changes) })
}

/// Returns true if segments are many, or a good part of the index is no longer as it was built first.
fn is_worn(index: &Index) -> bool {
    let Manifest { segments, chunks, .. } = index.manifest();
    let all: u32 = segments.iter().map(|segment| segment.counts.chunks).sum();
    let later: u32 = segments.iter().skip(1).map(|segment| segment.counts.chunks).sum();
    let removed = all.saturating_sub(*chunks);
    segments.len() > MOST_SEGMENTS || (later + removed).saturating_mul(CHANGED_PART) > *chunks
}
