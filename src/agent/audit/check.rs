//! Checking the lines of a log.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::canonical::{MAX_LINE, VERSION, is_hash, sha256};
use super::chain::apart;
use super::report::{LogProblem, LogReport, ProblemKind};
use ibid_platform::json;

/// The most problems that are told one by one. A file that is no log at all has one in every line.
const MAX_PROBLEMS: usize = 1000;

/// Checks the text of a log, oldest entry first, whose last line has to be ended too; with a head that is known from
/// before, also whether that is still in it. That entries at the end are missing does not show in the lines themselves.
pub fn verify(log: &str, known_head: Option<&str>) -> LogReport {
    let mut verifier = Verifier::new(known_head);
    log.split_inclusive('\n').for_each(|line| verifier.push(line));
    if !log.is_empty() && !log.ends_with('\n') {
        verifier.unfinished();
    }
    verifier.finish()
}

/// Checks a log line by line, without holding more of it than its hashes.
#[derive(Debug, Default)]
pub struct Verifier {
    report: LogReport,
    known_head: Option<String>,
    link: Link,
    /// The entry that the line before goes on from.
    last_previous: Option<String>,
    /// The line of each hash, to tell what a line that stands in the wrong place goes on from.
    lines: BTreeMap<[u8; 32], usize>,
}

/// The entry that the next line has to go on from.
#[derive(Debug, Default)]
enum Link {
    /// Nothing: it is the first.
    #[default]
    Begin,
    /// The entry of this hash.
    From(String),
    /// The answer cannot be known: the line before is broken.
    Unknown,
}

impl Verifier {
    /// Makes a verifier that also looks for a head that is known from before.
    pub fn new(known_head: Option<&str>) -> Self {
        Self { known_head: known_head.map(str::to_ascii_lowercase), ..Self::default() }
    }

    /// Takes the next line, with or without its line feed.
    pub fn push(&mut self, line: &str) {
        self.report.lines += 1;
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').map_or(line, |bare| {
            self.problem(
                ProblemKind::LineEnding,
                "The line ends with a carriage return: something has changed the line endings.",
            );
            bare
        });
        if line.len() > MAX_LINE {
            self.too_long();
        } else {
            self.entry(line);
        }
    }

    /// Takes the next line, which has more than [`MAX_LINE`] bytes and was not read.
    pub fn push_too_long(&mut self) {
        self.report.lines += 1;
        self.too_long();
    }

    /// Takes the next line, which could not be read, with the reason.
    pub fn unreadable(&mut self, why: &str) {
        self.report.lines += 1;
        self.broken(ProblemKind::Unreadable, &format!("The line cannot be read: {why}"));
    }

    /// Takes in that the last line is not ended by a line feed.
    pub fn unfinished(&mut self) {
        self.problem(
            ProblemKind::Unfinished,
            "The last line has no end: writing it was interrupted, or the end of the file is missing.",
        );
    }

    /// Returns the report.
    pub fn finish(mut self) -> LogReport {
        if self.report.lines == 0 {
            self.problem(ProblemKind::Empty, "The log holds no entry.");
        }
        if let Some(known) = self.known_head.take() {
            self.report.known = binary(&known).and_then(|hash| self.lines.get(&hash).copied());
            if self.report.known.is_none() {
                let line = self.report.lines;
                self.add(LogProblem {
                    line,
                    kind: ProblemKind::HeadMissing,
                    message: format!(
                        "The entry {known} is not in the log: the end of the log was removed, the log was \
                         rewritten, or the entry was dropped because of its age."
                    ),
                });
            }
        }
        self.report
    }

    fn too_long(&mut self) {
        let message = format!("The line has more than {} MB; no entry is that long.", MAX_LINE >> 20);
        self.broken(ProblemKind::TooLong, &message);
    }

    fn entry(&mut self, line: &str) {
        let entry = match json::parse(line) {
            Ok(Value::Object(entry)) => entry,
            Ok(_) => {
                return self
                    .broken(ProblemKind::NoEntry, "The line is JSON, but not an entry of an audit log.");
            }
            Err(_) if line.trim().is_empty() => {
                return self.broken(ProblemKind::InvalidJson, "The line is empty.");
            }
            Err(error) => {
                return self.broken(ProblemKind::InvalidJson, &format!("The line is not JSON: {error}."));
            }
        };
        let Some(hash) = entry.get("hash").and_then(Value::as_str).filter(|hash| is_hash(hash)) else {
            return self.broken(ProblemKind::NoEntry, "The entry has no `hash`.");
        };
        let previous = match entry.get("previous") {
            Some(Value::Null) => None,
            Some(Value::String(hash)) if is_hash(hash) => Some(hash.clone()),
            _ => return self.broken(ProblemKind::NoEntry, "The entry has no `previous`."),
        };
        let whole =
            apart(line).is_some_and(|(body, claimed)| claimed == hash && sha256(body.as_bytes()) == hash);
        if !whole {
            self.problem(ProblemKind::Changed, "The line was changed: its hash does not match.");
        } else if entry
            .get("version")
            .and_then(Value::as_u64)
            .is_some_and(|version| version > u64::from(VERSION))
        {
            self.problem(ProblemKind::Version, "The entry was written by a newer version of ibid.");
        }
        if entry.get("kind").and_then(Value::as_str) == Some("checkpoint") {
            self.checkpoint(&entry, previous);
        } else {
            self.linked(previous.as_deref());
            self.keep(hash);
            self.link = Link::From(hash.to_owned());
            self.last_previous = previous;
        }
    }

    fn checkpoint(&mut self, entry: &Map<String, Value>, previous: Option<String>) {
        if self.report.lines > 1 {
            self.problem(ProblemKind::Misplaced, "A checkpoint is not in the first line.");
            self.link = Link::Unknown;
            return;
        }
        self.report.dropped = entry.get("dropped").and_then(Value::as_u64).unwrap_or(0);
        self.link = match previous {
            Some(hash) => {
                if let Some(hash) = binary(&hash) {
                    self.lines.insert(hash, 0);
                }
                self.report.head = Some(hash.clone());
                Link::From(hash)
            }
            None => Link::Begin,
        };
    }

    /// Checks that the entry goes on from the line before.
    fn linked(&mut self, previous: Option<&str>) {
        let at = || previous.and_then(binary).and_then(|hash| self.lines.get(&hash).copied());
        let (kind, message) = match (&self.link, previous) {
            (Link::Unknown, _) | (Link::Begin, None) => return,
            (Link::From(expected), Some(previous)) if expected == previous => return,
            (Link::Begin, Some(_)) => (
                ProblemKind::NoBeginning,
                "The log begins with an entry that follows another one: earlier entries were removed.",
            ),
            (Link::From(_), None) => (
                ProblemKind::Unlinked,
                "The entry begins a new log: it was moved here, or entries before it were removed.",
            ),
            (Link::From(_), Some(_)) if self.last_previous.as_deref() == previous => (
                ProblemKind::Forked,
                "The entry follows the same one as the previous line: two programs wrote at the same time.",
            ),
            (Link::From(_), Some(_)) => {
                let message = match at() {
                    Some(at) => &format!(
                        "The entry follows line {at}: the lines between were inserted, or lines were moved."
                    ),
                    None => {
                        "The entry does not follow the previous line: entries between them were removed, \
                         the previous line was changed, or lines were moved."
                    }
                };
                return self.problem(ProblemKind::Unlinked, message);
            }
        };
        self.problem(kind, message);
    }

    fn keep(&mut self, hash: &str) {
        if let Some(binary) = binary(hash) {
            self.lines.entry(binary).or_insert(self.report.lines);
        }
        self.report.first.get_or_insert_with(|| hash.to_owned());
        self.report.head = Some(hash.to_owned());
    }

    /// A problem after which it is not known what the next line has to go on from.
    fn broken(&mut self, kind: ProblemKind, message: &str) {
        self.problem(kind, message);
        self.link = Link::Unknown;
        self.last_previous = None;
    }

    fn problem(&mut self, kind: ProblemKind, message: &str) {
        self.add(LogProblem { line: self.report.lines, kind, message: message.to_owned() });
    }

    fn add(&mut self, problem: LogProblem) {
        if self.report.problems.len() < MAX_PROBLEMS {
            self.report.problems.push(problem);
        } else {
            self.report.more += 1;
        }
    }
}

/// Decodes a hash in a third of the space.
fn binary(hash: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if !is_hash(hash) {
        return None;
    }
    for (n, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(hash.get(2 * n..2 * n + 2)?, 16).ok()?;
    }
    Some(bytes)
}
