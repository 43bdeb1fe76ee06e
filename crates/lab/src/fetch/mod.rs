//! `ibid fetch`: documents that are published in one known place.

mod download;
mod list;
mod store;

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use clap::value_parser;
use regex::Regex;
use serde::Serialize;

use self::download::{Job, Status};
use self::list::{Book, Selection, archive_name, select};
use self::store::{BookFolder, BookPlace};
use ibid_native::download::{Client, GaveUp, base_url};
use ibid_native::http::NativeHttp;
use ibid_native::system::{SystemClock, block_on};
use ibid_native::{note, print, print_json};
use ibid_platform::RetryPolicy;
use ibid_platform::{Error, ErrorCode, Result};

/// The folder of Bookshelf's open-access subset, by HTTPS instead of FTP.
const BOOKSHELF: &str = "https://ftp.ncbi.nlm.nih.gov/pub/litarch";
const LIST: &str = "file_list.csv";
/// The real list has about two million bytes.
const LONGEST_LIST: usize = 64 << 20;
/// The largest book of the real list has about 600 million bytes.
const LONGEST_ARCHIVE: u64 = 4 << 30;
/// The rate that the operators ask for of programs without a key.
const REQUESTS_PER_SECOND: f64 = 3.0;
const RETRIES: u32 = 5;
/// Books in a row that fail for reasons that may pass, after which the others would fail too.
const HOPELESS: u32 = 3;

/// The books to fetch.
#[derive(clap::Subcommand)]
pub enum FetchCommand {
    /// Downloads books of the NCBI Bookshelf open-access subset, as archives that `ibid build` reads.
    #[command(
        after_help = "Example: ibid fetch bookshelf --publisher \"World Health Organization\" --filter \"(?i)guideline\" -o books\n\n\
                      Run the same command again to continue an interrupted download; it skips unchanged books."
    )]
    Bookshelf(BookshelfArgs),
}

/// The arguments of `ibid fetch bookshelf`.
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("selection").required(true).multiple(true).args(["publisher", "filter"])))]
pub struct BookshelfArgs {
    /// Only books whose publisher's name contains this, in any case.
    #[arg(long, value_name = "NAME")]
    publisher: Option<String>,
    /// Only books whose title matches this regular expression; `(?i)` in front ignores case.
    #[arg(long, value_name = "REGEX")]
    filter: Option<Regex>,
    /// The folder for the archives; created if missing.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// The folder with `file_list.csv`, for instance on a mirror.
    #[arg(long, default_value = BOOKSHELF, value_name = "URL")]
    base_url: String,
    /// The most books, taken from the top of the list.
    #[arg(long, value_parser = value_parser!(u32).range(1..), value_name = "N")]
    limit: Option<u32>,
    /// The most requests per second, from 0.01 to 100.
    #[arg(long, default_value_t = REQUESTS_PER_SECOND, value_name = "N")]
    rate: f64,
    /// The most retries of a request, up to 20.
    #[arg(long, default_value_t = RETRIES, value_parser = value_parser!(u32).range(..=20), value_name = "N")]
    retries: u32,
    /// List the downloads, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// The outcome for one book.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FetchRow {
    /// The archive's name in the folder; its place in the list where that gives no name.
    file: String,
    accession: String,
    title: String,
    publisher: String,
    status: Status,
    /// The length of the finished archive; 0 if there is none.
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Error>,
}

#[derive(Default, Serialize)]
struct FetchReport {
    files: Vec<FetchRow>,
    downloaded: usize,
    resumed: usize,
    unchanged: usize,
    failed: usize,
    pending: usize,
}

/// Runs `ibid fetch`.
pub fn run(command: &FetchCommand) -> Result<()> {
    let FetchCommand::Bookshelf(args) = command;
    if !(0.01..=100.0).contains(&args.rate) {
        return Err(Error::new(ErrorCode::InvalidOption, "`--rate` must be from 0.01 to 100."));
    }
    let base = base_url(&args.base_url)?;
    // A server that was asked over HTTPS may not send us on to a place without it.
    let http = NativeHttp::for_files(base.starts_with("https://"));
    let policy = RetryPolicy { max_retries: args.retries, initial_delay_ms: 1000 };
    let interval = Duration::from_secs_f64(1.0 / args.rate);
    let mut client = Client::new(&http, &SystemClock, interval, policy);

    let address = format!("{base}/{LIST}");
    let list = block_on(client.get_all(&address, LONGEST_LIST)).map_err(|gave_up| gave_up.error)?;
    let selection = Selection { publisher: args.publisher.clone(), title: args.filter.clone() };
    let mut books = select(&list, &selection)?;
    if books.is_empty() {
        return Err(Error::new(ErrorCode::InvalidOption, "No book in the list matches.")
            .with_hint("`--publisher` is part of the name in the list; `--filter` is case-sensitive."));
    }
    books.truncate(args.limit.map_or(usize::MAX, |limit| limit as usize));

    let _folder = if args.dry_run { None } else { Some(BookFolder::open(&args.output)?) };
    let (report, end) = FetchRun::new(args, &base, client).fetch_all(&books);
    if args.json {
        print_json(&report)?;
    }
    note(&report.summary());
    end
}

/// One book after the other, so that a server never has two requests of ours at once.
struct FetchRun<'a> {
    args: &'a BookshelfArgs,
    base: &'a str,
    client: Client<'a, NativeHttp, SystemClock>,
    /// The names of archives so far, in lower case: where case does not count, two books must not share a file.
    names: HashSet<String>,
    /// The number of books in a row that failed for reasons that may pass.
    hopeless: u32,
    /// The reason why no further book is tried.
    stopped: Option<Error>,
}

impl<'a> FetchRun<'a> {
    fn new(args: &'a BookshelfArgs, base: &'a str, client: Client<'a, NativeHttp, SystemClock>) -> Self {
        Self { args, base, client, names: HashSet::new(), hopeless: 0, stopped: None }
    }

    /// The outcome for the books, and whether that is a success.
    fn fetch_all(mut self, books: &[Book]) -> (FetchReport, Result<()>) {
        let mut report = FetchReport::default();
        for (number, book) in books.iter().enumerate() {
            let label = format!("[{}/{}] {}", number + 1, books.len(), book.accession);
            let row = self.fetch(book, label);
            if let Some(error) = &row.error {
                note(&format!("failed: {error}"));
            }
            let printed = if self.args.json { Ok(()) } else { print(&row.line()) };
            self.stopped = self.stopped.or(printed.err());
            report.add(row);
        }
        let end = match (self.stopped, report.failed) {
            (Some(error), _) => Err(error),
            (None, 0) => Ok(()),
            (None, failed) => {
                let message = format!("{failed} of {} books could not be downloaded.", books.len());
                Err(Error::new(ErrorCode::Network, message)
                    .with_hint("Run the same command again: it tries only these."))
            }
        };
        (report, end)
    }

    fn fetch(&mut self, book: &Book, label: String) -> FetchRow {
        let mut row = FetchRow::new(book);
        let name = match archive_name(&book.file) {
            Ok(name) if self.names.insert(name.to_lowercase()) => name,
            taken_or_bad => {
                let why = taken_or_bad.err().unwrap_or("another book has its name");
                let message =
                    format!("`{}` in the list was not downloaded: {why}.", book.file.escape_debug());
                row.status = Status::Failed;
                row.error = Some(Error::new(ErrorCode::InvalidDocument, message));
                return row;
            }
        };
        name.clone_into(&mut row.file);
        let job = Job {
            label,
            url: format!("{}/{}", self.base, book.file),
            updated: &book.updated,
            place: BookPlace::new(&self.args.output, name),
            limit: LONGEST_ARCHIVE,
        };
        if self.args.dry_run || self.stopped.is_some() {
            row.status = if job.is_there() { Status::Unchanged } else { Status::Pending };
        } else {
            match block_on(job.fetch(&mut self.client)) {
                Ok(status) => (row.status, self.hopeless) = (status, 0),
                Err(gave_up) => {
                    row.status = Status::Failed;
                    row.error = Some(self.note_failure(gave_up));
                }
            }
        }
        row.bytes = job.place.whole_bytes().unwrap_or(0);
        row
    }

    fn note_failure(&mut self, GaveUp { error, stop }: GaveUp) -> Error {
        self.hopeless += u32::from(error.is_retryable());
        if stop || self.hopeless >= HOPELESS {
            self.stopped = Some(error.clone());
        }
        error
    }
}

impl FetchRow {
    fn new(book: &Book) -> Self {
        Self {
            file: book.file.clone(),
            accession: book.accession.clone(),
            title: book.title.clone(),
            publisher: book.publisher.clone(),
            status: Status::Pending,
            bytes: 0,
            error: None,
        }
    }

    fn line(&self) -> String {
        // Names that were not checked may hold anything, control characters too.
        format!(
            "{:<10}  {:>13}  {}  {}\n",
            self.status.as_str(),
            self.bytes,
            self.file.escape_debug(),
            self.title
        )
    }
}

impl FetchReport {
    fn add(&mut self, row: FetchRow) {
        *match row.status {
            Status::Downloaded => &mut self.downloaded,
            Status::Resumed => &mut self.resumed,
            Status::Unchanged => &mut self.unchanged,
            Status::Failed => &mut self.failed,
            Status::Pending => &mut self.pending,
        } += 1;
        self.files.push(row);
    }

    fn summary(&self) -> String {
        format!(
            "books: {} downloaded, {} resumed, {} unchanged, {} failed, {} pending",
            self.downloaded, self.resumed, self.unchanged, self.failed, self.pending,
        )
    }
}
