//! `ibid audit`, and the log that `ibid ask --audit` writes.

mod log;
mod show;

use std::path::{Path, PathBuf};

pub(super) use self::log::append;
use ibid::agent::audit::{LogReport, Verifier};
use ibid_native::{print, print_json};
use ibid_platform::{Error, ErrorCode, Result};

#[derive(clap::Subcommand)]
pub(super) enum AuditCommand {
    /// Checks that no line of an audit log was changed, removed, inserted or moved.
    #[command(
        after_help = "Example: ibid audit verify runs.jsonl --head 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    )]
    Verify(AuditVerifyArgs),
    /// Shows the runs of an audit log, a few lines each.
    #[command(after_help = "Example: ibid audit show runs.jsonl")]
    Show(show::AuditShowArgs),
}

#[derive(clap::Args)]
pub(super) struct AuditVerifyArgs {
    /// The log.
    #[arg(value_name = "FILE")]
    log: PathBuf,
    /// The hash of an entry that must be in it, from an earlier check. Without one, missing entries at the end go
    /// unnoticed.
    #[arg(long, value_name = "HASH", value_parser = hash)]
    head: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(command: &AuditCommand) -> Result<()> {
    match command {
        AuditCommand::Verify(args) => verify(args),
        AuditCommand::Show(args) => show::run(args),
    }
}

fn verify(args: &AuditVerifyArgs) -> Result<()> {
    let mut verifier = Verifier::new(args.head.as_deref());
    log::read(&args.log, &mut |line| line.check(&mut verifier))?;
    let report = verifier.finish();
    let printed = if args.json { print_json(&report) } else { print(&describe(&report)) };
    printed.and_then(|()| intact(&args.log, &report))
}

/// The error for a log that is not intact.
fn intact(path: &Path, report: &LogReport) -> Result<()> {
    let problems = report.problems.len() + report.more;
    if problems == 0 {
        return Ok(());
    }
    let count = if problems == 1 { "a problem".to_owned() } else { format!("{problems} problems") };
    Err(Error::new(ErrorCode::AuditBroken, format!("The audit log `{}` has {count}.", path.display()))
        .with_hint("Keep it as evidence, and compare it with a copy."))
}

fn describe(report: &LogReport) -> String {
    let mut lines: Vec<String> =
        report.problems.iter().map(|problem| format!("line {}: {}", problem.line, problem.message)).collect();
    if report.more > 0 {
        lines.push(format!("and {} more problems", report.more));
    }
    let count = if report.lines == 1 { "1 line".to_owned() } else { format!("{} lines", report.lines) };
    lines.push(format!("{count}, {}", if report.is_intact() { "intact" } else { "broken" }));
    if report.dropped > 0 {
        lines.push(format!("dropped older entries: {}", report.dropped));
    }
    match report.known {
        Some(0) => lines.push("the known head belongs to the last dropped entry".to_owned()),
        Some(line) => lines.push(format!("the known head is in line {line}")),
        None => {}
    }
    lines.extend(report.head.as_ref().map(|head| format!("head {head}")));
    lines.join("\n") + "\n"
}

fn hash(text: &str) -> Result<String, String> {
    let is_hash = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash {
        Ok(text.to_ascii_lowercase())
    } else {
        Err("it is not a hash of 64 hexadecimal digits".to_owned())
    }
}
