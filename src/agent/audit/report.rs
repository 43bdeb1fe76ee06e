//! The result of checking a log.

use serde::{Deserialize, Serialize};

/// The result of checking the lines of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogReport {
    /// The number of lines, a checkpoint included.
    pub lines: usize,
    /// The number of entries that were dropped before the first, as a checkpoint says.
    pub dropped: u64,
    /// The hash of the first entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// The hash of the last entry: what the next one goes on from, and what to keep elsewhere to notice that
    /// the end of the log is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The line of the known head that was looked for, from 1; 0 if the checkpoint stands for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<usize>,
    /// The first thousand problems, in the order of the lines.
    pub problems: Vec<LogProblem>,
    /// The number of problems beyond these.
    pub more: usize,
}

impl LogReport {
    /// Returns true if nothing is wrong.
    pub fn is_intact(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Something that is wrong with a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogProblem {
    /// The line where it shows, from 1; 0 for the whole log.
    pub line: usize,
    /// Its kind, for programs.
    pub kind: ProblemKind,
    /// Its description, for a person.
    pub message: String,
}

/// The kinds of problems. The text form is the name in kebab case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ProblemKind {
    /// There is no line.
    Empty,
    /// The line could not be read: it is not UTF-8 text, or its file failed.
    Unreadable,
    /// The line has more than [`MAX_LINE`](super::MAX_LINE) bytes.
    TooLong,
    /// The line ends with a carriage return: something has changed the line endings.
    LineEnding,
    /// The line is no JSON. As the last line it may be one whose writing was interrupted.
    InvalidJson,
    /// The line is JSON, but no entry: it lacks `hash` or `previous`.
    NoEntry,
    /// The entry was written by a newer version of ibid, and only its hashes are understood.
    Version,
    /// The line is not what it was when its hash was made.
    Changed,
    /// The line does not go on from the line before: entries were removed, inserted or moved.
    Unlinked,
    /// The line and the one before go on from the same entry: two programs wrote at the same time.
    Forked,
    /// The log begins with an entry that goes on from another one, and no checkpoint stands for it.
    NoBeginning,
    /// A checkpoint is not in the first line.
    Misplaced,
    /// The last line is not ended by a line feed.
    Unfinished,
    /// The known head is no entry of this log: its end was removed, or the log was written anew.
    HeadMissing,
}
