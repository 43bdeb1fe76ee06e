//! The `ibid` command: files, progress bars and native HTTP around the same core that runs in the page.
//!
//! Results go to stdout, everything else to stderr. The exit code is 0, 1 (failed), 2 (wrong usage) or 130
//! (interrupted).

mod ask;
mod audit;
mod build;
mod chunk;
mod copy;
mod embed;
mod help;
mod inspect;
mod llms;
mod manual;
mod mcp;
mod merge;
mod model;
mod push;
mod search;
mod serve;
mod site;
mod target;
mod terminal;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{FromArgMatches, Parser, Subcommand};

use ibid_lab::{eval::command as eval, fetch};
use ibid_native::embedding::EmbeddingArgs;
use ibid_native::{files, interrupt, note, papers};
use ibid_platform::{Error, ErrorCode};

/// Uses memory again that other threads have freed, of which a large build leaves much to the system's own.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Answers questions from your own documents, with citations that can be checked.
#[derive(Parser)]
#[command(name = "ibid", version, arg_required_else_help = true)]
#[command(after_help = "Example: ibid site _site")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Adds search to a built site: an index of its pages, the files for it, and a script in each page.
    #[command(after_help = "Example: ibid site _site --answers")]
    Site(site::SiteArgs),
    /// Serves a built site with search, and a page that shows why pages are found, on this machine only.
    #[command(after_help = "Example: ibid preview _site")]
    Preview(serve::PreviewArgs),
    /// Serves an index with a page that searches it, or a folder with its own page.
    #[command(after_help = "Example: ibid serve")]
    Serve(serve::ServeArgs),
    /// Builds one index file from documents.
    #[command(after_help = "Example: ibid build docs/ -o site.ibid")]
    Build(build::BuildArgs),
    /// Cuts documents into chunks, for you to read, edit or build from.
    #[command(after_help = "Example: ibid chunk docs/ --stats")]
    Chunk(chunk::ChunkCommandArgs),
    /// Shows the contents of an index, and verifies all of it.
    #[command(after_help = "Example: ibid inspect site.ibid")]
    Inspect(inspect::InspectArgs),
    /// Joins indexes that were built separately.
    #[command(after_help = "Example: ibid merge part-*.ibid -o site.ibid")]
    Merge(merge::MergeArgs),
    /// Finds passages in an index.
    #[command(after_help = "Example: ibid search site.ibid \"maximum dose of metformin\" --json")]
    Search(search::SearchArgs),
    /// Answers a question by the best passages, or by a model that searches and cites.
    #[command(
        after_help = "Example: IBID_API_KEY=... ibid ask site.ibid \"Which dose?\" --provider anthropic \
                            --model claude-haiku-4-5"
    )]
    Ask(ask::AskArgs),
    /// Checks and shows the audit log that `ibid ask --audit` and pages write.
    #[command(subcommand, after_help = "Example: ibid audit verify runs.jsonl")]
    Audit(audit::AuditCommand),
    /// Checks an answer's claims against the passages it cites.
    #[command(after_help = verify::EXAMPLES)]
    Verify(verify::VerifyArgs),
    /// Measures how well an index answers questions with known answers.
    #[command(after_help = eval::EXAMPLES)]
    Eval(eval::EvalArgs),
    /// Embeds texts, for other programs.
    #[command(after_help = "Example: ibid embed questions.txt --encoder table --format npy -o questions.npy")]
    Embed(embed::EmbedArgs),
    /// Downloads published documents.
    #[command(
        subcommand,
        after_help = "Example: ibid fetch bookshelf --filter \"(?i)guideline\" -o books --dry-run"
    )]
    Fetch(fetch::FetchCommand),
    /// Loads an index into a collection of Qdrant or Chroma.
    #[command(after_help = "Example: ibid push site.ibid --to qdrant://localhost/site")]
    Push(push::PushArgs),
    /// Serves indexes to assistants that speak the Model Context Protocol.
    #[command(after_help = "Example: ibid mcp guides=guides.ibid papers=papers.ibid")]
    Mcp(mcp::McpArgs),
    /// Downloads or imports the model that embeds documents.
    #[command(subcommand, after_help = "Example: ibid model fetch")]
    Model(model::ModelCommand),
    /// Copies the files that a page needs into a folder of your site, and prints their sizes.
    #[command(after_help = "Example: ibid copy public/ibid")]
    Copy(copy::CopyArgs),
    /// Prints a script that completes commands and options in a shell.
    #[command(
        after_help = "Example: ibid completions bash > ~/.local/share/bash-completion/completions/ibid"
    )]
    Completions(manual::CompletionsArgs),
    /// Prints the manual pages.
    #[command(after_help = "Example: ibid man -o ~/.local/share/man/man1")]
    Man(manual::ManArgs),
}

/// An index or a collection that is searched, and the embedder of queries to it.
#[derive(clap::Args)]
struct IndexArg {
    /// The index: a file, a folder, or the address of one on a web server. Or a collection filled by `ibid push`:
    /// `qdrant://HOST[:PORT]/COLLECTION` or `chroma://HOST[:PORT]/COLLECTION`; with TLS `qdrants://` and `chromas://`.
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    /// The environment variable with the API key of the collection's search engine.
    #[arg(long, value_name = "NAME")]
    api_key_env: Option<String>,
    #[command(flatten)]
    embedding: EmbeddingArgs,
}

impl IndexArg {
    /// Returns true if it names a collection of a search engine.
    fn is_collection(&self) -> bool {
        let is_address =
            self.index.to_str().is_some_and(|name| name.contains("://") && !name.starts_with("file://"));
        is_address && !files::index::is_remote(&self.index)
    }
}

/// Runs the command that the arguments ask for.
fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    // No command for people: a build calls it for each PDF and DOCX.
    if let [command, name, path] = &words[..]
        && *command == papers::COMMAND
    {
        let read = papers::read_for_parent(&name.to_string_lossy(), path.as_ref());
        return read.map_or_else(|error| failed(&error), ExitCode::from);
    }
    let cli = Cli::from_arg_matches(&help::command().get_matches()).unwrap_or_else(|error| error.exit());
    interrupt::watch();
    let result = match cli.command {
        Command::Site(args) => site::run(&args),
        Command::Copy(args) => copy::run(&args),
        Command::Preview(args) => serve::preview(args),
        Command::Serve(args) => serve::run(&args),
        Command::Build(args) => build::run(args),
        Command::Chunk(args) => chunk::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Search(args) => search::run(&args),
        Command::Ask(args) => ask::run(&args),
        Command::Audit(command) => audit::run(&command),
        Command::Verify(args) => {
            return verify::run(&args).unwrap_or_else(|error| failed(&error));
        }
        Command::Eval(args) => match eval::run(&args) {
            Ok(true) => Ok(()),
            Ok(false) => return ExitCode::FAILURE,
            Err(error) => Err(error),
        },
        Command::Embed(args) => embed::run(&args),
        Command::Fetch(command) => fetch::run(&command),
        Command::Push(args) => push::run(&args),
        Command::Mcp(args) => mcp::run(args),
        Command::Model(command) => model::run(&command),
        Command::Completions(args) => manual::completions(&args),
        Command::Man(args) => manual::man(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error),
    }
}

/// Reports an error, and with which exit code.
fn failed(error: &Error) -> ExitCode {
    note(&format!("error: {error}"));
    ExitCode::from(if error.code() == ErrorCode::InvalidOption { 2 } else { 1 })
}
