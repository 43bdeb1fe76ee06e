//! The folder that archives are kept in: finished ones, unfinished ones, and what is known about them.
#![expect(clippy::disallowed_methods, reason = "this is where the command line reaches the file system")]

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use serde::{Deserialize, Serialize};

use ibid_native::files;
use ibid_platform::{Error, ErrorCode, Result};

/// The hidden folder with what is known about each archive; hidden, so that a build passes over it.
const RECORDS: &str = ".ibid-fetch";
/// The most bytes that an archive may hold unpacked; gzip can make a thousand bytes out of one.
const LONGEST_UNPACKED: u64 = 1 << 36;

/// The record of an archive, from which it follows whether it is still current and how to continue it. It speaks
/// of the unfinished file if there is one, else of the finished one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) url: String,
    /// The list's date of the archive.
    pub(super) updated: String,
    pub(super) etag: Option<String>,
    pub(super) last_modified: Option<String>,
    /// The whole length; unknown until the end if the server does not tell.
    pub(super) bytes: Option<u64>,
}

impl Record {
    /// Reads the value of `If-Range` (RFC 9110, 13.1.5): a strong entity tag, else a date.
    pub(super) fn validator(&self) -> Option<&str> {
        let strong = self.etag.as_deref().filter(|etag| !etag.starts_with("W/"));
        strong.or(self.last_modified.as_deref())
    }
}

/// The right to write into a folder, which only one command has at a time.
pub(super) struct BookFolder {
    _lock: File,
}

impl BookFolder {
    /// Makes the folder if need be.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let records = path.join(RECORDS);
        files::create_folder(&records)?;
        let place = records.join("lock");
        let lock = OpenOptions::new().write(true).create(true).truncate(false).open(&place);
        let lock = lock.map_err(|error| files::failed("written", &place, &error))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let message = format!("Another `ibid fetch` is writing to `{}`.", path.display());
                Err(Error::new(ErrorCode::Io, message)
                    .with_hint("Wait for it to end, or name another folder."))
            }
            // Some network file systems have no locks; that is no reason not to work there.
            Err(TryLockError::Error(_)) | Ok(()) => Ok(Self { _lock: lock }),
        }
    }
}

/// The files of one archive.
pub(super) struct BookPlace {
    whole: PathBuf,
    part: PathBuf,
    record: PathBuf,
}

impl BookPlace {
    /// For an archive of that name, which has to be one that `archive_name` gave.
    pub(super) fn new(folder: &Path, name: &str) -> Self {
        Self {
            whole: folder.join(name),
            part: folder.join(format!("{name}.part")),
            record: folder.join(RECORDS).join(format!("{name}.json")),
        }
    }

    /// Reads the length of the finished archive, if there is one.
    pub(super) fn whole_bytes(&self) -> Option<u64> {
        fs::metadata(&self.whole).ok().filter(fs::Metadata::is_file).map(|file| file.len())
    }

    /// Reads the length of the unfinished archive, if there is one.
    pub(super) fn part_bytes(&self) -> Option<u64> {
        fs::metadata(&self.part).ok().filter(fs::Metadata::is_file).map(|file| file.len())
    }

    /// Reads the record of the archive. A damaged record counts as none: it is only needed to save work.
    pub(super) fn record(&self) -> Option<Record> {
        serde_json::from_slice(&files::read(&self.record).ok()?).ok()
    }

    pub(super) fn keep_record(&self, record: &Record) -> Result<()> {
        let bytes = serde_json::to_vec_pretty(record).map_err(|error| {
            Error::new(ErrorCode::Internal, format!("A record has no JSON form: {error}."))
        })?;
        files::write(&self.record, &bytes)
    }

    /// Creates an empty unfinished archive, and its record. The record comes second, so that it never speaks of older
    /// bytes.
    pub(super) fn begin(&self, record: &Record) -> Result<PartFile> {
        let part = PartFile::open(&self.part, true)?;
        self.keep_record(record)?;
        Ok(part)
    }

    /// Opens the unfinished archive, to be continued.
    pub(super) fn resume(&self) -> Result<PartFile> {
        PartFile::open(&self.part, false)
    }

    /// Gives up what there is of the unfinished archive.
    pub(super) fn discard(&self) -> Result<()> {
        match fs::remove_file(&self.part) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(files::failed("removed", &self.part, &error))
            }
            _ => Ok(()),
        }
    }

    /// Gives the unfinished archive its name, once its bytes are on the disk; returns its length.
    pub(super) fn finish(&self) -> Result<u64> {
        let failed = |error: io::Error| files::failed("written", &self.whole, &error);
        let file = OpenOptions::new().append(true).open(&self.part).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        fs::rename(&self.part, &self.whole).map_err(failed)?;
        Ok(bytes)
    }

    /// Finds the fault of the unfinished archive's bytes, if there is one.
    pub(super) fn flaw_of_part(&self) -> Result<Option<String>> {
        flaw(&self.part)
    }

    /// Finds the fault of the finished archive's bytes, if there is one.
    pub(super) fn flaw_of_whole(&self) -> Result<Option<String>> {
        flaw(&self.whole)
    }
}

/// An archive that is being received.
pub(super) struct PartFile {
    file: File,
    path: PathBuf,
    /// The number of bytes it has.
    pub(super) length: u64,
}

impl PartFile {
    fn open(path: &Path, empty: bool) -> Result<Self> {
        let failed = |error: io::Error| files::failed("written", path, &error);
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
        if empty {
            file.set_len(0).map_err(failed)?;
        }
        let length = file.metadata().map_err(failed)?.len();
        Ok(Self { file, path: path.to_owned(), length })
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|error| files::failed("written", &self.path, &error))?;
        self.length += bytes.len() as u64;
        Ok(())
    }
}

/// Unpacks a gzip file (RFC 1952) without keeping anything: its magic, its structure, its lengths and its checksums.
fn flaw(path: &Path) -> Result<Option<String>> {
    let failed = |error: io::Error| files::failed("read", path, &error);
    let mut start = [0; 2];
    let mut file = BufReader::new(File::open(path).map_err(failed)?);
    if file.read_exact(&mut start).is_err() || start != [0x1f, 0x8b] {
        return Ok(Some("it is not a gzip archive".to_owned()));
    }
    let unpacked = MultiGzDecoder::new(start.as_slice().chain(file));
    match io::copy(&mut unpacked.take(LONGEST_UNPACKED), &mut io::sink()) {
        Ok(LONGEST_UNPACKED) => Ok(Some("it unpacks to more than 64 GiB".to_owned())),
        Ok(_) => Ok(None),
        Err(error) => match error.kind() {
            ErrorKind::InvalidInput | ErrorKind::InvalidData | ErrorKind::UnexpectedEof => {
                Ok(Some(format!("it is not a complete gzip archive: {error}")))
            }
            _ => Err(failed(error)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_command_writes_to_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let held = BookFolder::open(folder.path()).unwrap();
        let error = BookFolder::open(folder.path()).err().unwrap();
        assert!(error.message().contains("Another"), "{error}");
        drop(held);
        assert!(BookFolder::open(folder.path()).is_ok());
    }

    #[test]
    fn flaws_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let _lock = BookFolder::open(folder.path()).unwrap();
        let place = BookPlace::new(folder.path(), "a.tar.gz");
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(&b"words ".repeat(500)).unwrap();
        let good = packer.finish().unwrap();
        let mut flipped = good.clone();
        flipped[good.len() - 6] ^= 1;
        let flaw_of = |bytes: &[u8]| {
            place.begin(&Record::default()).unwrap().append(bytes).unwrap();
            place.flaw_of_part().unwrap()
        };
        assert_eq!(flaw_of(&good), None);
        assert!(flaw_of(b"").unwrap().contains("not a gzip"));
        assert!(flaw_of(b"<html>").unwrap().contains("not a gzip"));
        assert!(flaw_of(&good[..good.len() - 1]).is_some());
        assert!(flaw_of(&good[..12]).is_some());
        assert!(flaw_of(&flipped).is_some());
    }

    #[test]
    fn a_date_or_a_strong_tag_allows_to_continue() {
        let tagged = |etag: &str| Record { etag: Some(etag.to_owned()), ..Record::default() };
        assert_eq!(tagged("\"a\"").validator(), Some("\"a\""));
        assert_eq!(tagged("W/\"a\"").validator(), None);
        let dated =
            Record { last_modified: Some("Thu, 01 Jan 1970 00:00:00 GMT".to_owned()), ..tagged("W/\"a\"") };
        assert_eq!(dated.validator(), dated.last_modified.as_deref());
    }
}
