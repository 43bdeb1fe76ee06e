//! `ibid chunk`.

use std::path::PathBuf;

use serde_json::json;

use ibid_build::Parsed;
use ibid_document::ChunkLine;
use ibid_native::collect::{ChunkArgs, Gathered, SourceArgs, collect};
use ibid_native::files::vectors::ChunkText;
use ibid_native::{files, note, print, print_json};
use ibid_platform::Result;

#[derive(clap::Args)]
pub(super) struct ChunkCommandArgs {
    #[command(flatten)]
    sources: SourceArgs,
    /// The file for the chunks, one JSON object per line [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    chunking: ChunkArgs,
    /// Print the texts to embed, each once, as lines with `id` and `text`: for `ibid embed` and other programs.
    #[arg(long, conflicts_with = "stats")]
    texts: bool,
    /// Print the sizes of the chunks instead of the chunks; with `-o`, both.
    #[arg(long)]
    stats: bool,
    /// Print the sizes as JSON.
    #[arg(long, requires = "stats")]
    json: bool,
}

pub(super) fn run(args: &ChunkCommandArgs) -> Result<()> {
    let options = args.chunking.options()?;
    let Gathered { collected, stats, .. } =
        collect(&args.sources, &args.sources.settings()?, &options, |_| {})?;
    let lines = || {
        if args.texts {
            return Ok(ChunkText::of(&collected).iter().map(text_line).collect());
        }
        let lines = |Parsed { document, chunks }: &Parsed| ChunkLine::lines(document, chunks);
        collected.parsed.iter().map(lines).collect::<Result<String>>()
    };
    if let Some(output) = &args.output {
        files::write(output, lines()?.as_bytes())?;
        note(&format!(
            "{}: {} documents, {} chunks, {} skipped",
            output.display(),
            collected.parsed.len(),
            collected.chunks().count(),
            collected.left_out.len()
        ));
    }
    match (args.stats, args.json) {
        (true, true) => print_json(&stats),
        (true, false) => print(&format!("{stats}\n")),
        (false, _) if args.output.is_none() => print(&lines()?),
        (false, _) => Ok(()),
    }
}

/// Reads a line of what is embedded.
fn text_line(ChunkText { id, text }: &ChunkText) -> String {
    json!({ "id": format!("{id:016x}"), "text": text }).to_string() + "\n"
}
