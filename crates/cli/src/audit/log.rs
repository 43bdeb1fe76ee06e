//! Reading and appending to the file of an audit log.
#![expect(clippy::disallowed_methods, reason = "this is where the command line reaches its audit log")]

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde_json::Value;

use ibid::agent::audit::{MAX_LINE, Verifier, chain, entry_hash};
use ibid_native::files::failed;
use ibid_platform::{Error, ErrorCode, Result};

/// The bytes that are read at once when the last line is looked for.
const BLOCK: u64 = 64 << 10;

/// Appends the record of a run to a log, which is made if it is not there, as an entry that goes on from the last one.
///
/// The file is locked meanwhile, so that of two programs one waits for the other. What could not be written whole is taken
/// back.
///
/// # Errors
/// [`ErrorCode::AuditBroken`] for a log whose last line is no whole entry: nothing is appended to it. [`ErrorCode::Io`] where
/// the file cannot be locked, read or written.
pub(crate) fn append(path: &Path, record: &Value) -> Result<()> {
    let unwritable = |error: io::Error| failed("written", path, &error);
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        let message = format!("`{}` is not a file.", path.display());
        return Err(Error::new(ErrorCode::Io, message).with_hint("Choose another place for the log."));
    }
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(unwritable)?;
    // Given back when the file is closed.
    file.lock().map_err(|error| failed("locked", path, &error))?;
    let length = file.metadata().map_err(unwritable)?.len();
    let previous = match last_line(&mut file, length).map_err(unwritable)? {
        LastRecord::None => None,
        LastRecord::Line(line) => {
            Some(entry_hash(&line).ok_or_else(|| broken(path, "is not a complete entry, or was changed"))?)
        }
        LastRecord::Broken(why) => return Err(broken(path, why)),
    };
    let line = chain(previous.as_deref(), record) + "\n";
    // What is longer could be written, but not be read again.
    if line.len() > MAX_LINE {
        let message = format!("The record of the run has more than {} MB.", MAX_LINE >> 20);
        return Err(Error::new(ErrorCode::Io, message));
    }
    let written = file.write_all(line.as_bytes()).and_then(|()| file.sync_data());
    if written.is_err() {
        // A log that ends in the middle of a line could not be continued. Where even that fails the next run says so.
        let _ = file.set_len(length);
    }
    written.map_err(unwritable)
}

fn broken(path: &Path, why: &str) -> Error {
    let message =
        format!("The last line of the audit log `{}` {why}; nothing was appended to it.", path.display());
    Error::new(ErrorCode::AuditBroken, message)
        .with_hint("Run `ibid audit verify`, keep the file as evidence, and start a new one.")
}

/// The way a log ends.
enum LastRecord {
    None,
    Line(String),
    Broken(&'static str),
}

/// Reads the last line of a file of that length, without its line feed. No more of the file is read than twice that line
/// and a block.
fn last_line(file: &mut File, length: u64) -> io::Result<LastRecord> {
    let mut block = BLOCK.min(length);
    loop {
        file.seek(SeekFrom::Start(length - block))?;
        let mut read = vec![0; block as usize];
        file.read_exact(&mut read)?;
        match read.pop() {
            None => return Ok(LastRecord::None),
            Some(b'\n') => {}
            Some(_) => return Ok(LastRecord::Broken("has no end: writing it was interrupted")),
        }
        let begins = read.iter().rposition(|byte| *byte == b'\n');
        if begins.is_some() || block == length {
            read.drain(..begins.map_or(0, |at| at + 1));
            let line = String::from_utf8(read);
            return Ok(line.map_or(LastRecord::Broken("is not UTF-8 text"), LastRecord::Line));
        }
        if read.len() > MAX_LINE {
            return Ok(LastRecord::Broken("is longer than any entry"));
        }
        block = (2 * block).min(length);
    }
}

/// A line of a log as it was read.
pub(super) enum LogLine<'l> {
    /// The line with its line feed, if it has one.
    Text(&'l str),
    /// It is longer than any entry.
    TooLong,
    /// It is not UTF-8 text.
    NoText,
    /// The line before had no line feed.
    Unfinished,
}

impl LogLine<'_> {
    /// Hands the line to a verifier.
    pub(super) fn check(&self, verifier: &mut Verifier) {
        match self {
            Self::Text(line) => verifier.push(line),
            Self::TooLong => verifier.push_too_long(),
            Self::NoText => verifier.unreadable("it is not UTF-8 text."),
            Self::Unfinished => verifier.unfinished(),
        }
    }
}

/// Reads a log line by line, holding one of them at a time. Who is appending to it meanwhile is waited for.
pub(super) fn read(path: &Path, each: &mut dyn FnMut(LogLine<'_>)) -> Result<()> {
    let unreadable = |error: io::Error| failed("read", path, &error);
    let file = File::open(path).map_err(unreadable)?;
    // Where a file cannot be locked, as a pipe, there is nobody to wait for.
    let _ = file.lock_shared();
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    loop {
        line.clear();
        // Room for the end of the line, which does not count.
        let most = MAX_LINE as u64 + 2;
        let length = reader.by_ref().take(most).read_until(b'\n', &mut line).map_err(unreadable)?;
        if length == 0 {
            return Ok(());
        }
        let mut ended = line.ends_with(b"\n");
        if !ended && length as u64 == most {
            ended = skip_line(&mut reader).map_err(unreadable)?;
            each(LogLine::TooLong);
        } else {
            each(std::str::from_utf8(&line).map_or(LogLine::NoText, LogLine::Text));
        }
        if !ended {
            each(LogLine::Unfinished);
        }
    }
}

/// Goes on behind the end of the line, and says whether it has one.
fn skip_line(reader: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let there = reader.fill_buf()?;
        if there.is_empty() {
            return Ok(false);
        }
        let end = there.iter().position(|byte| *byte == b'\n');
        let length = end.map_or(there.len(), |at| at + 1);
        reader.consume(length);
        if end.is_some() {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use ibid::agent::audit::{LogReport, ProblemKind};

    fn report(path: &Path) -> LogReport {
        let mut verifier = Verifier::default();
        read(path, &mut |line| line.check(&mut verifier)).unwrap();
        verifier.finish()
    }

    fn kinds(path: &Path) -> Vec<(usize, ProblemKind)> {
        report(path).problems.iter().map(|problem| (problem.line, problem.kind)).collect()
    }

    #[test]
    fn entries_of_any_length_are_appended_to_one_chain() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        // About the blocks in which the last line is looked for.
        for length in [0, 1, 65_000, 65_535, 65_536, 65_537, 300_000, 5] {
            append(&path, &json!({"answer": "x".repeat(length)})).unwrap();
        }
        let report = report(&path);
        assert!(report.is_intact(), "{report:?}");
        assert_eq!(report.lines, 8);
    }

    #[test]
    fn writers_side_by_side_wait_for_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    (0..10).for_each(|n| append(path, &json!({"writer": writer, "n": n})).unwrap());
                });
            }
        });
        assert_eq!((report(&path).lines, report(&path).problems), (40, Vec::new()));
    }

    #[test]
    fn a_broken_last_line_is_not_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        append(&path, &json!({"question": "Q?"})).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let mut cut = whole.clone();
        cut.truncate(whole.len() - 5);
        let unended = whole[..whole.len() - 1].to_vec();
        let changed = String::from_utf8(whole.clone()).unwrap().replace("Q?", "R?").into_bytes();
        let mut windows = unended.clone();
        windows.extend_from_slice(b"\r\n");
        let long = [vec![b'x'; MAX_LINE + 10], b"\n".to_vec()].concat();
        for broken in
            [cut, unended, changed, windows, long, b"\n".to_vec(), b"x".to_vec(), b"\xff\n".to_vec()]
        {
            std::fs::write(&path, &broken).unwrap();
            let error = append(&path, &json!({})).unwrap_err();
            assert_eq!(error.code(), ErrorCode::AuditBroken);
            assert!(error.hint().is_some());
            assert_eq!(std::fs::read(&path).unwrap(), broken, "nothing was appended");
        }
        std::fs::write(&path, b"").unwrap();
        append(&path, &json!({})).unwrap();
        assert!(report(&path).is_intact());
    }

    #[test]
    fn a_place_that_is_no_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(append(folder.path(), &json!({})).unwrap_err().code(), ErrorCode::Io);
        assert_eq!(append(&folder.path().join("no/log"), &json!({})).unwrap_err().code(), ErrorCode::Io);
        assert_eq!(read(&folder.path().join("none"), &mut |_| ()).unwrap_err().code(), ErrorCode::Io);
    }

    #[test]
    fn any_bytes_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        let long = vec![b'x'; MAX_LINE * 2];
        for (bytes, wrong) in [
            (Vec::new(), vec![(0, ProblemKind::Empty)]),
            (b"\xff\xfe\n".to_vec(), vec![(1, ProblemKind::Unreadable)]),
            (b"{\n".to_vec(), vec![(1, ProblemKind::InvalidJson)]),
            (b"\0".to_vec(), vec![(1, ProblemKind::InvalidJson), (1, ProblemKind::Unfinished)]),
            (long.clone(), vec![(1, ProblemKind::TooLong), (1, ProblemKind::Unfinished)]),
            ([long, b"\n{}\n".to_vec()].concat(), vec![(1, ProblemKind::TooLong), (2, ProblemKind::NoEntry)]),
        ] {
            std::fs::write(&path, &bytes).unwrap();
            assert_eq!(kinds(&path), wrong);
        }
    }
}
