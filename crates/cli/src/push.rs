//! `ibid push`.

use std::fmt::Write;
use std::path::PathBuf;

use crate::target::remote;
use ibid_engines::{PushOptions, PushReport, push};
use ibid_native::http::NativeHttp;
use ibid_native::system::{SystemClock, block_on};
use ibid_native::{Progress, files, print, print_json};
use ibid_platform::Result;

#[derive(clap::Args)]
pub(super) struct PushArgs {
    /// The index file.
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    /// The collection: `qdrant://HOST[:PORT]/COLLECTION` or `chroma://HOST[:PORT]/COLLECTION`; with TLS `qdrants://` and
    /// `chromas://`.
    #[arg(long, value_name = "ADDRESS")]
    to: String,
    /// The environment variable with the API key; other users of the machine could read an argument.
    #[arg(long, value_name = "NAME")]
    api_key_env: Option<String>,
    /// Remove points that the index no longer has.
    #[arg(long)]
    prune: bool,
    /// Only compare and print the plan; write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &PushArgs) -> Result<()> {
    let remote = remote(&args.to, args.api_key_env.as_deref())?;
    let index = files::index::open(&args.index)?;
    let options = PushOptions { prune: args.prune, dry_run: args.dry_run, ..PushOptions::default() };
    let bar = Progress::new("pushing", index.chunk_end() as usize, "chunks");
    let mut advance = |done: u32, _: u32| bar.set(done as usize);
    let http = NativeHttp::for_services();
    let pushed = push(&http, &SystemClock, &remote, &index, &options, &mut advance);
    let report = block_on(pushed);
    drop(bar);
    let report = report?;
    if args.json { print_json(&report) } else { print(&describe(&report, remote.collection(), args.dry_run)) }
}

fn describe(report: &PushReport, collection: &str, dry_run: bool) -> String {
    let PushReport { created, points, written, unchanged, removed } = *report;
    let mut out = if created { format!("new collection {collection}\n") } else { format!("{collection}\n") };
    let (write, remove) = if dry_run { ("to write", "to remove") } else { ("written", "removed") };
    // Writing to a string cannot fail.
    let _ = writeln!(out, "  {points} points: {written} {write}, {unchanged} unchanged");
    if removed > 0 {
        let _ = writeln!(out, "  {removed} {remove}");
    }
    out
}
