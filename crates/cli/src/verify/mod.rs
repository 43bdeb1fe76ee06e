//! `ibid verify`.

mod read;
mod report;
mod standing;

use std::path::PathBuf;
use std::process::ExitCode;

use ibid_native::system::Stopwatch;
use ibid_native::{files, print, print_json};
use ibid_platform::Result;
use report::VerifyReport;

pub(super) const EXAMPLES: &str = "\
Example: ibid verify answer.json
Example: ibid ask site.ibid \"Which dose?\" --json > answer.json && ibid verify answer.json --index site.ibid
Example: ibid verify --evaluate claims.jsonl

The exit code is 0 if nothing is flagged, and 1 if something is, or if a passage has changed or is gone from the index.

Each line of labelled claims is an object with label (supported, partially_supported or not_supported), claim, evidence (a
list of sentences) and supporting_sentences (lists of places in it, from 0, each of which supports the claim on its own).";

#[derive(clap::Args)]
pub(super) struct VerifyArgs {
    /// An answer printed by `ibid ask --json`, or any JSON with its text and sources; `-` for standard input.
    #[arg(value_name = "ANSWER", required_unless_present = "evaluate")]
    answer: Option<PathBuf>,
    /// Also check whether each source is unchanged in this index.
    #[arg(long, value_name = "FILE", conflicts_with = "evaluate")]
    index: Option<PathBuf>,
    /// Measure how many mistakes are found, on a file of labelled claims and with deliberate mistakes.
    #[arg(long, value_name = "FILE", conflicts_with = "answer")]
    evaluate: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &VerifyArgs) -> Result<ExitCode> {
    if let Some(path) = &args.evaluate {
        let text = read::text(path)?;
        let evaluation = ibid_lab::claims::evaluate(&text, &path.display().to_string(), |work| {
            let watch = Stopwatch::start();
            work();
            watch.elapsed()
        })?;
        let printed = if args.json { print_json(&evaluation.json()) } else { print(&evaluation.text()) };
        return printed.map(|()| ExitCode::SUCCESS);
    }
    let Some(path) = &args.answer else { return Ok(ExitCode::SUCCESS) };
    let given = read::answer(path)?;
    let changes = match &args.index {
        Some(path) => Some(standing::check(files::index::read(path)?, &given.sources)?),
        None => None,
    };
    let report = VerifyReport::new(&given, changes);
    let printed = if args.json { print_json(&report) } else { print(&report.to_string()) };
    printed.map(|()| if report.is_clean() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
